/* main.c: the `tplan` program: the table of commands and of exit codes. */
#include "config.h"

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/text.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* The list of commands, in the order of --help. */
#define COMMANDS(X)                                                           \
  X (calibrate)                                                               \
  X (optimize)                                                                \
  X (run)                                                                     \
  X (bench)                                                                   \
  X (check)                                                                   \
  X (explain)                                                                 \
  X (sweep)                                                                   \
  X (view)                                                                    \
  X (info)                                                                    \
  X (convert)                                                                 \
  X (cost)                                                                    \
  X (devices)                                                                 \
  X (ops)

#define DECLARE(name) extern const TpCommand tp_command_##name;
#define POINTER(name) &tp_command_##name,
COMMANDS (DECLARE)
static const TpCommand *const commands[] = { COMMANDS (POINTER) };

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
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
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
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (name, commands[i]->name) == 0)
      return commands[i];
  return NULL;
}

/* A driver that caches what it compiles gets a folder of ours. */
static void
set_driver_cache (void)
{
  g_autofree char *path
      = g_build_filename (g_get_user_cache_dir (), "tplan", "pocl", NULL);

  if (g_getenv ("POCL_CACHE_DIR") == NULL
      && g_mkdir_with_parents (path, 0700) == 0)
    g_setenv ("POCL_CACHE_DIR", path, FALSE);
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
          "TPLAN_DRIVER_TIMEOUT" };

  if (getauxval (AT_SECURE) == 0)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_unsetenv (names[i]);
}

static int
report (const TpCli *cli, const GError *error)
{
  gboolean colour = tp_cli_has_colour (cli, stderr);
  g_autofree char *message = tp_cli_clean (error->message);

  fflush (stdout);
  fprintf (stderr, "%stplan:%s %s\n", colour ? "\033[1;31m" : "",
           colour ? "\033[0m" : "", message);
  return find_exit_code (error);
}

static int
run_command (const TpCommand *command, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  TpCli cli = { 0 };
  int code;

  if (tp_cli_parse (&cli, command, argc, argv, &error))
    command->run (&cli, &error);
  code = error == NULL ? cli.exit_code : report (&cli, error);
  tp_cli_clear (&cli);
  if ((fflush (stdout) != 0 || ferror (stdout)) && code == TP_EXIT_GOOD)
    {
      fputs ("tplan: cannot write the result to stdout\n", stderr);
      code = TP_EXIT_FAILED;
    }
  return code;
}

int
main (int argc, char **argv)
{
  const TpCommand *command;

  setlocale (LC_CTYPE, "");
  forget_environment ();
  if (argc < 2)
    {
      print_usage (stderr);
      return TP_EXIT_USAGE;
    }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0
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
  if (strcmp (argv[1], "help") == 0 && (command = find_command (argv[2])))
    {
      tp_cli_print_help (command);
      return TP_EXIT_GOOD;
    }
  command = find_command (argv[1]);
  if (command == NULL)
    {
      fprintf (stderr, "tplan: no command '%s': see `tplan --help`\n",
               argv[1]);
      return TP_EXIT_USAGE;
    }
  set_driver_cache ();
  return run_command (command, argc - 1, argv + 1);
}
