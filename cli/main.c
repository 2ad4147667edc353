/* main.c: the `tplan` program: the table of commands and of exit codes. */
#include "config.h"

#include "cli/allowed.h"
#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/hint.h"
#include "cli/hint-words.h"
#include "cli/no-memory.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pulse.h"
#include "cli/text.h"
#include "ir/foreign-text.h"
#include "ir/near-name.h"
#include "runtime/code-cache.h"
#include "runtime/private-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define POCL_DRAFT "tempfile_" /* so its files are called until they are whole, and an
                                * empty one that it leaves whenever it starts */
#define CACHE_LEAST_BYTES (4 << 20) /* of room, for a driver to work in */

/* The list of commands, in the order of --help. */
#define COMMANDS(X)                                                           \
  X (try)                                                                     \
  X (calibrate)                                                               \
  X (optimize)                                                                \
  X (run)                                                                     \
  X (bench)                                                                   \
  X (check)                                                                   \
  X (explain)                                                                 \
  X (sweep)                                                                   \
  X (pareto)                                                                  \
  X (view)                                                                    \
  X (report)                                                                  \
  X (info)                                                                    \
  X (convert)                                                                 \
  X (machine)                                                                 \
  X (cost)                                                                    \
  X (devices)                                                                 \
  X (ops)

#define DECLARE(name) extern const TpCommand tp_command_##name;
#define POINTER(name) &tp_command_##name,
COMMANDS (DECLARE)
static const TpCommand *const commands[] = { COMMANDS (POINTER) NULL };

static const struct
{
  TplanError code;
  int exit_code;
} exit_codes[] = {
  { TPLAN_ERROR_FAILED, TP_EXIT_FAILED },
  { TPLAN_ERROR_USAGE, TP_EXIT_USAGE },
  { TPLAN_ERROR_INPUT, TP_EXIT_INPUT },
  { TPLAN_ERROR_UNSUPPORTED, TP_EXIT_INPUT },
  { TPLAN_ERROR_LIMIT, TP_EXIT_LIMIT },
  { TPLAN_ERROR_INFEASIBLE, TP_EXIT_LIMIT },
  { TPLAN_ERROR_MEMORY, TP_EXIT_LIMIT },
  { TPLAN_ERROR_DEVICE, TP_EXIT_DEVICE },
  { TPLAN_ERROR_STALE, TP_EXIT_STALE },
  { TPLAN_ERROR_BUSY, TP_EXIT_BUSY },
  { TPLAN_ERROR_INTERRUPTED, TP_EXIT_INTERRUPTED },
};

static int
find_exit_code (const GError *error)
{
  if (error->domain == G_OPTION_ERROR)
    return TP_EXIT_USAGE;
  if (error->domain != TPLAN_ERROR)
    return TP_EXIT_FAILED;
  for (gsize i = 0; i < G_N_ELEMENTS (exit_codes); i++)
    if ((gint) exit_codes[i].code == error->code)
      return exit_codes[i].exit_code;
  return TP_EXIT_FAILED;
}

static void
print_usage (FILE *out)
{
  fputs ("Usage: tplan COMMAND [OPTION...] [ARGUMENT...]\n"
         "\n"
         "Places a tensor graph on the devices of this machine: measures, "
         "plans,\nproves, draws and runs it.\n"
         "\n",
         out);
  for (int i = 0; commands[i] != NULL; i++)
    fprintf (out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fputs ("\n"
         "`tplan COMMAND --help` shows its options; `tplan --version` the "
         "version.\n"
         "\n"
         "Exit status: 0 good, 1 failed, 2 usage, 3 bad input file, 4 partly "
         "done,\n5 limit cannot be met, 6 device lost, 7 stale calibration, "
         "8 busy,\n130 interrupted with results kept.\n",
         out);
}

static const TpCommand *
find_command (const char *name)
{
  for (int i = 0; commands[i] != NULL; i++)
    if (strcmp (name, commands[i]->name) == 0)
      return commands[i];
  return NULL;
}

/* An option where a command is wanted. */
static int
refuse_option (const char *typed)
{
  const char *const names[] = { "--help", "--version", NULL };
  g_autofree char *near = tp_near_name_ask (typed, names);
  g_autofree char *text = g_strdup_printf (
      "tplan: '%s' stands before the command%s: options come after it: see "
      "`tplan --help`", typed, near);
  g_autofree char *clean = tp_foreign_text_clean (text);

  fprintf (stderr, "%s\n", clean);
  return TP_EXIT_USAGE;
}

static int
refuse_command (const char *typed)
{
  const char *names[G_N_ELEMENTS (commands)] = { NULL };
  g_autofree char *near = NULL, *quoted = tp_hint_quote (typed);
  g_autoptr (GString) text = g_string_new ("tplan: no command ");
  g_autofree char *clean = NULL;

  if (*typed == '-')
    return refuse_option (typed);
  for (int i = 0; commands[i] != NULL; i++)
    names[i] = commands[i]->name;
  near = tp_near_name_ask (typed, names);
  g_string_append_printf (text, "'%s'%s", typed, near);
  if (*near == 0 && g_file_test (typed, G_FILE_TEST_IS_REGULAR))
    g_string_append_printf (text, ": to plan and run it: `tplan try "
                                  "%s`", quoted);
  else
    g_string_append (text, ": see `tplan --help`");
  clean = tp_foreign_text_clean (text->str);
  fprintf (stderr, "%s\n", clean);
  return TP_EXIT_USAGE;
}

/* A driver that cannot write what it compiles has none of it. */
static gboolean
check_room (const char *path, GError **error)
{
  struct statvfs disk;

  /* Without blocks it does not tell. */
  if (statvfs (path, &disk) != 0 || disk.f_blocks == 0
      || (guint64) disk.f_bavail * disk.f_frsize >= CACHE_LEAST_BYTES)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "'%s' is on a disk that is full (set XDG_CACHE_HOME to a folder on "
               "another)", path);
  return FALSE;
}

/* A driver that caches what it compiles gets a folder of ours, for it loads and
 * runs what it finds there; one of this process alone where others could reach
 * ours, and none rather than one of its own choice. */
static void
set_driver_cache (const TpCli *cli, const TpCommand *command)
{
  g_autoptr (GError) error = NULL, reason = NULL;
  g_autofree char *path = NULL;

  if (g_getenv ("POCL_CACHE_DIR") != NULL)
    return;
  path = tp_private_folder_make (g_get_user_cache_dir (), "tplan", "pocl",
                                 &error);
  if (path != NULL && (command->uses & TP_USES_THREADS) != 0)
    tp_private_folder_drop (path, POCL_DRAFT);
  if (path == NULL || !check_room (path, &error))
    {
      g_free (path);
      path = tp_private_folder_make_temporary (&reason);
    }
  g_setenv ("POCL_CACHE_DIR", path != NULL ? path : "/dev/null", FALSE);
  if (error != NULL && (command->uses & TP_USES_THREADS) != 0)
    tp_cli_warn (cli, "no compiled kernels are kept: the cache folder %s%s%s",
                 error->message, reason != NULL ? "; " : "",
                 reason != NULL ? reason->message : "");
}

/* So it is with what this program compiles itself, but it does without; what was
 * asked for in words nobody knows is a mistake. */
static gboolean
check_code_cache (const TpCli *cli, const TpCommand *command, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (TpCodeCache) cache = NULL;

  if ((command->uses & TP_USES_THREADS) == 0)
    return TRUE;
  cache = tp_code_cache_open (g_getenv ("TPLAN_CACHE_DIR"), &reason);
  if (g_error_matches (reason, TPLAN_ERROR, TPLAN_ERROR_USAGE))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  if (reason == NULL)
    return TRUE;
  tp_cli_warn (cli, "kernels are compiled each time: the cache folder %s",
               reason->message);
  g_setenv ("TPLAN_CACHE_DIR", "off", TRUE);
  return TRUE;
}

/* A set-uid program believes nothing its caller says. */
static void
forget_environment (void)
{
  const char *const names[]
      = { "TPLAN_COST",      "TPLAN_CACHE_DIR", "TPLAN_DEVICES",
          "TPLAN_THREADS",   "TPLAN_LOG",       "TPLAN_MODULE_DIR",
          "TPLAN_SYSTEM_COST", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
          "XDG_CACHE_HOME",  "POCL_CACHE_DIR",  "OCL_ICD_VENDORS",
          "TPLAN_DRIVER_TIMEOUT", "TPLAN_CALIBRATE_WAIT",
          "TPLAN_CALIBRATE_MOST" };

  if (getauxval (AT_SECURE) == 0)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_unsetenv (names[i]);
}

static int
report (const TpCli *cli, const GError *error)
{
  gboolean colour = tp_cli_has_colour (cli, stderr);
  g_autofree char *whole = tp_hint_complete (error->message);
  g_autofree char *message = tp_foreign_text_clean (whole);

  fflush (stdout);
  fprintf (stderr, "%stplan:%s %s\n", colour ? "\033[1;31m" : "",
           colour ? "\033[0m" : "", message);
  return find_exit_code (error);
}

/* What starts no driver and no compiler does with those that it gets. */
static gboolean
check_open (const TpCommand *command, GError **error)
{
  return (command->uses & TP_USES_THREADS) == 0
         || tp_cli_allowed_check_open (error);
}

static int
run_command (const TpCommand *command, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  TpCli cli = { 0 };
  int code;

  if (tp_cli_parse (&cli, command, argc, argv, &error))
    {
      tp_hint_begin (commands, command, &cli);
      tp_cli_complete_lines (tp_hint_complete);
      if (!cli.is_quiet)
        tp_cli_pulse_start (command->name);
      set_driver_cache (&cli, command);
      if (check_open (command, &error)
          && check_code_cache (&cli, command, &error)
          && tp_cli_check_files (&cli, command, &error))
        {
          tp_cli_ending_watch (command->name);
          command->run (&cli, &error);
          tp_cli_ending_watch (NULL);
        }
    }
  tp_cli_pulse_end ();
  code = error == NULL ? cli.exit_code : report (&cli, error);
  tp_cli_clear (&cli);
  return code;
}

/* Large blocks grow without being copied and are gone when they are freed, however
 * large those before were. */
static void
map_large_blocks (void)
{
#ifdef M_MMAP_THRESHOLD
  mallopt (M_MMAP_THRESHOLD, 4 << 20);
  mallopt (M_TRIM_THRESHOLD, 8 << 20);
#endif
}

/* Where one of the three is closed the next file would get its number, and what is
 * printed: it is open, to what it is not for, which is an error when it is used. */
static void
open_standard_files (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0 && errno == EBADF
        && open ("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      _exit (TP_EXIT_FAILED);
}

/* What was printed has to have got somewhere, and nobody is left behind. */
static int
finish (int code)
{
  tp_cli_ending_end_children ();
  if ((fflush (stdout) == 0 && !ferror (stdout)) || code != TP_EXIT_GOOD)
    return code;
  fputs ("tplan: cannot write the result to stdout\n", stderr);
  return TP_EXIT_FAILED;
}

static gboolean
is_one_of (const char *word, const char *a, const char *b)
{
  return strcmp (word, a) == 0 || strcmp (word, b) == 0;
}

static int
run_arguments (int argc, char **argv)
{
  const TpCommand *command;

  if (argc < 2)
    {
      print_usage (stderr);
      return TP_EXIT_USAGE;
    }
  if (is_one_of (argv[1], "--help", "-h")
      || (strcmp (argv[1], "help") == 0 && argc == 2))
    {
      print_usage (stdout);
      return TP_EXIT_GOOD;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      puts ("tplan " PACKAGE_VERSION);
      return TP_EXIT_GOOD;
    }
  if (strcmp (argv[1], "--complete") == 0)
    {
      tp_cli_complete (commands, argc - 2, argv + 2);
      return TP_EXIT_GOOD;
    }
  if (strcmp (argv[1], "help") == 0)
    {
      if ((command = find_command (argv[2])) == NULL)
        return refuse_command (argv[2]);
      tp_cli_print_help (command);
      return TP_EXIT_GOOD;
    }
  command = find_command (argv[1]);
  if (command == NULL)
    return refuse_command (argv[1]);
  return run_command (command, argc - 1, argv + 1);
}

int
main (int argc, char **argv)
{
  open_standard_files ();
  if (!tp_cli_allowed_begin ())
    return TP_EXIT_LIMIT;
  tp_cli_ending_begin ();
  map_large_blocks ();
  setlocale (LC_CTYPE, "");
  forget_environment ();
  tp_cli_no_memory_catch ();
  signal (SIGXFSZ, SIG_IGN); /* a file that may not grow is an error */
  return finish (run_arguments (argc, argv));
}
