/* options.c: options common to commands: flag, else environment, else file
 * (cli/conf-file.h). */
#include "config.h"

#include "cli/options.h"

#include "api/child.h"
#include "api/costs-elsewhere.h"
#include "calib/patience.h"
#include "cli/cli.h"
#include "cli/conf-file.h"
#include "cli/drivers.h"
#include "cli/progress.h"
#include "cli/short-options.h"
#include "cli/values.h"
#include "ir/near-name.h"
#include "runtime/pool.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMNS 80

/* Where GOption puts what it reads; one command runs in one process. */
static struct
{
  char **outputs;
  char **dims;
  char **limits;
  char **no_pass;
  char **states;
  char **numbers;
  char **cut;
  char *timeout;
  char *driver_timeout;
  char *cache;
  gboolean follow_links, copies_weights;
  char *format;
  char *devices;
  char *colour;
  char *cost;
  gboolean force, quiet, verbose, help;
  int threads;
  gint64 seed;
  char **rest;
} given;

typedef struct
{
  unsigned uses;              /* shown when the command uses any; 0: always */
  GOptionEntry entry;
} CommonOption;

static const CommonOption common[] = {
  { TP_USES_OUTPUT,
    { "output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.outputs,
      "write FILE; its suffix says the kind, - is stdout", "FILE" } },
  { TP_USES_FILES,
    { "output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &given.outputs,
      "write FILE; its suffix says the kind", "FILE" } },
  { TP_USES_OUTPUT | TP_USES_FILES | TP_USES_FORCE,
    { "force", 'f', 0, G_OPTION_ARG_NONE, &given.force,
      "overwrite existing files", NULL } },
  { TP_USES_DEVICES,
    { "devices", 'd', 0, G_OPTION_ARG_STRING, &given.devices,
      "devices to use, such as cpu,opencl:0 or sim:NAME", "LIST" } },
  { TP_USES_DEVICES,
    { "device", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &given.devices,
      NULL, NULL } },
  { TP_USES_THREADS,
    { "threads", 't', 0, G_OPTION_ARG_INT, &given.threads,
      "threads of the cpu device", "N" } },
  { TP_USES_DIMS,
    { "dim", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.dims,
      "value of a symbolic dimension; --outputs=NAME,...", "NAME=N" } },
  { TP_USES_DIMS,
    { "outputs", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING_ARRAY,
      &given.cut, NULL, "NAME,..." } },
  { TP_USES_PASSES,
    { "no-pass", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.no_pass,
      "a pass to leave out; --state=OUT=IN --value=NAME=N", "PASS" } },
  { TP_USES_PASSES,
    { "state", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING_ARRAY,
      &given.states, NULL, "OUT=IN" } },
  { TP_USES_PASSES,
    { "value", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING_ARRAY,
      &given.numbers, NULL, "NAME=N" } },
  { TP_USES_GRAPH,
    { "limit", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING_ARRAY,
      &given.limits, NULL, "NAME=N" } },
  { TP_USES_GRAPH,
    { "follow-symlinks", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE,
      &given.follow_links, NULL, NULL } },
  { TP_USES_GRAPH,
    { "copy-weights", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE,
      &given.copies_weights, NULL, NULL } },
  { TP_USES_GRAPH,
    { "timeout", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &given.timeout,
      NULL, "TIME" } },
  { TP_USES_THREADS,
    { "driver-timeout", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING,
      &given.driver_timeout, NULL, "TIME" } },
  { TP_USES_THREADS,
    { "cache", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &given.cache,
      NULL, "DIR" } },
  { TP_USES_COSTS,
    { "cost", 0, 0, G_OPTION_ARG_FILENAME, &given.cost,
      "cost table to use instead of the user's", "FILE" } },
  { TP_USES_SEED,
    { "seed", 0, 0, G_OPTION_ARG_INT64, &given.seed,
      "seed of random inputs", "N" } },
  { TP_USES_FORMAT,
    { "format", 0, 0, G_OPTION_ARG_STRING, &given.format,
      "table (default), json or csv", "FORMAT" } },
  { 0,
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &given.quiet,
      "say nothing but results and errors", NULL } },
  { 0,
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &given.verbose,
      "say more", NULL } },
  { 0,
    { "color", 0, 0, G_OPTION_ARG_STRING, &given.colour,
      "auto (default), always or never", "WHEN" } },
  { 0, { "help", 'h', 0, G_OPTION_ARG_NONE, &given.help, "show this", NULL } },
};

static gboolean
is_used (const CommonOption *option, const TpCommand *command)
{
  return option->uses == 0 || (option->uses & command->uses) != 0;
}

static void
print_entry (const GOptionEntry *entry)
{
  g_autofree char *name = NULL;

  if (entry->flags & G_OPTION_FLAG_HIDDEN)
    return;
  name = g_strdup_printf ("--%s%s%s", entry->long_name,
                          entry->arg_description == NULL ? "" : "=",
                          entry->arg_description == NULL
                              ? ""
                              : entry->arg_description);
  if (entry->short_name != 0)
    printf ("  -%c, %-22s %s\n", entry->short_name, name, entry->description);
  else
    printf ("      %-22s %s\n", name, entry->description);
}

/* On one line with the summary where there is room. */
static void
print_details (const TpCommand *command)
{
  const char *details = command->details == NULL ? "" : command->details;
  gsize length = strlen (command->summary) + strlen (details) + strlen (". ");
  gboolean fits = strchr (details, '\n') == NULL && length <= HELP_COLUMNS;

  printf ("%s.%s%s\n", command->summary,
          *details == 0 ? "" : fits ? " " : "\n", details);
}

void
tp_cli_print_help (const TpCommand *command)
{
  printf ("Usage: tplan %s [OPTION...]%s%s\n", command->name,
          *command->arguments == 0 ? "" : " ", command->arguments);
  print_details (command);
  for (const GOptionEntry *it = command->options;
       it != NULL && it->long_name != NULL; it++)
    print_entry (it);
  for (gsize i = 0; i < G_N_ELEMENTS (common); i++)
    if (common[i].uses != 0 && is_used (&common[i], command))
      print_entry (&common[i].entry);
  if (command->uses & TP_USES_RATES)
    puts ("  --exact --watts=DEV=BUSY[:IDLE] --price=DEV=X/h[:use] "
          "--mem-reserve=DEV=SIZE");
  if (command->uses & TP_USES_GRAPH)
    printf ("  --limit=NAME=N --timeout=TIME --follow-symlinks --copy-weights");
  if (command->uses & TP_USES_THREADS)
    printf ("%s--cache=DIR", command->uses & TP_USES_GRAPH ? " " : "  ");
  if (command->uses & (TP_USES_GRAPH | TP_USES_THREADS))
    fputs ("\n", stdout);
  printf ("  -q, --quiet  -v, --verbose  --color=WHEN  -h, --help%s\n",
          command->uses & TP_USES_THREADS ? "  --driver-timeout=TIME" : "");
}

static gboolean
parse_choice (const char *what, const char *text, const char *const *choices,
              int *out_index, GError **error)
{
  g_autofree char *list = NULL, *near = NULL;

  for (int i = 0; choices[i] != NULL; i++)
    if (strcmp (text, choices[i]) == 0)
      {
        *out_index = i;
        return TRUE;
      }
  list = g_strjoinv (", ", (char **) choices);
  near = tp_near_name_ask (text, choices);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s '%s' is none of %s%s", what, text, list, near);
  return FALSE;
}

/* What a flag, else a variable, else the configuration says. */
typedef struct
{
  char *text;                 /* NULL: nothing */
  const char *place;          /* NULL: a flag, which the error has anyway */
} Setting;

static void
setting_clear (Setting *setting)
{
  g_free (setting->text);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Setting, setting_clear)

static Setting
choose (char *flag, const char *variable, GKeyFile *config, const char *key)
{
  const char *set = variable == NULL ? NULL : g_getenv (variable);

  if (flag != NULL)
    return (Setting){ flag, NULL };
  if (set != NULL && *set != 0)
    return (Setting){ g_strdup (set), variable };
  return (Setting){ g_key_file_get_string (config, TP_CONF_GROUP, key, NULL),
                    "tplan.conf" };
}

/* @is_good, and of what is not it is said where it stands. */
static gboolean
end_setting (const Setting *setting, gboolean is_good, GError **error)
{
  if (!is_good && setting->place != NULL)
    g_prefix_error (error, "%s: ", setting->place);
  return is_good;
}

static gboolean
parse_threads (const char *text, int *out_threads, GError **error)
{
  guint64 threads = 0;

  if (!g_ascii_string_to_unsigned (text, 10, 0, TP_POOL_MAX_THREADS, &threads,
                                   NULL))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s threads: give 1 to %d, or 0 for all", text,
                   TP_POOL_MAX_THREADS);
      return FALSE;
    }
  *out_threads = (int) threads;
  return TRUE;
}

static gboolean
apply_threads (TpCli *cli, GKeyFile *config, GError **error)
{
  g_auto (Setting) setting
      = choose (given.threads == 0 ? NULL
                                   : g_strdup_printf ("%d", given.threads),
                "TPLAN_THREADS", config, "threads");

  return setting.text == NULL
         || end_setting (&setting,
                         parse_threads (setting.text,
                                        &cli->device_options.n_threads, error),
                         error);
}

static gboolean
apply_limits (TpCli *cli, GError **error)
{
  g_auto (GStrv) limits = g_steal_pointer (&given.limits);
  g_autofree char *timeout = g_steal_pointer (&given.timeout);
  gint64 time_ns;

  cli->limits = tp_cli_values_new ();
  for (int i = 0; limits != NULL && limits[i] != NULL; i++)
    if (!tp_cli_parse_limit (limits[i], cli->limits, error))
      return FALSE;
  if (timeout == NULL)
    return TRUE;
  if (!tp_cli_parse_time (timeout, &time_ns, error))
    return FALSE;
  tp_cli_start_timeout (time_ns);
  return TRUE;
}

static gboolean
apply_driver_timeout (GKeyFile *config, GError **error)
{
  g_auto (Setting) setting
      = choose (g_steal_pointer (&given.driver_timeout),
                "TPLAN_DRIVER_TIMEOUT", config, "driver-timeout");
  gint64 time_ns;

  if (setting.text == NULL)
    return TRUE;
  if (!tp_cli_parse_time (setting.text, &time_ns, error))
    return end_setting (&setting, FALSE, error);
  tp_child_set_deadline (time_ns);
  return TRUE;
}

/* Whoever opens a device in this process, or in a child, finds it so. */
static void
apply_cache (GKeyFile *config)
{
  g_auto (Setting) place = choose (g_steal_pointer (&given.cache),
                                   "TPLAN_CACHE_DIR", config, "cache");

  g_setenv ("TPLAN_CACHE_DIR", place.text != NULL ? place.text : "user", TRUE);
}

/* Of @choices, the place; -1 where nothing is said. */
static gboolean
apply_choice (const Setting *setting, const char *what,
              const char *const *choices, int *out_choice, GError **error)
{
  *out_choice = -1;
  return setting->text == NULL
         || end_setting (setting,
                         parse_choice (what, setting->text, choices,
                                       out_choice, error),
                         error);
}

static gboolean
apply_looks (TpCli *cli, GKeyFile *config, GError **error)
{
  static const char *const formats[] = { "table", "json", "csv", NULL };
  static const char *const colours[] = { "never", "always", "auto", NULL };
  g_auto (Setting) format
      = choose (g_steal_pointer (&given.format), NULL, config, "format");
  g_auto (Setting) colour
      = choose (g_steal_pointer (&given.colour), NULL, config, "color");
  int choice;

  if (!apply_choice (&format, "format", formats, &choice, error))
    return FALSE;
  cli->format = choice < 0 ? TP_FORMAT_TABLE : choice;
  if (!apply_choice (&colour, "color", colours, &choice, error))
    return FALSE;
  cli->colour = choice == 2 ? -1 : choice;
  return TRUE;
}

static gboolean
apply_devices (TpCli *cli, GKeyFile *config, GError **error)
{
  g_auto (Setting) devices = choose (g_steal_pointer (&given.devices),
                                     "TPLAN_DEVICES", config, "devices");

  return devices.text == NULL
         || end_setting (&devices,
                         tp_cli_split_devices (devices.text, &cli->devices, error),
                         error);
}

static gboolean
apply (TpCli *cli, GKeyFile *config, GError **error)
{
  cli->cost_path = choose (g_steal_pointer (&given.cost), "TPLAN_COST", config,
                           "cost").text;
  apply_cache (config);
  return apply_looks (cli, config, error) && apply_devices (cli, config, error)
         && apply_limits (cli, error) && apply_driver_timeout (config, error)
         && apply_threads (cli, config, error)
         && tp_patience_check (error);
}

/* Before they are taken; what is configured is no flag. */
static unsigned
find_given (void)
{
  return (given.devices != NULL ? TP_USES_DEVICES : 0)
         | (given.threads != 0 ? TP_USES_THREADS : 0)
         | (given.dims != NULL ? TP_USES_DIMS : 0)
         | (given.no_pass != NULL ? TP_USES_PASSES : 0)
         | (given.states != NULL || given.numbers != NULL ? TP_USES_STATES : 0)
         | (given.cost != NULL ? TP_USES_COSTS : 0)
         | (given.format != NULL ? TP_USES_FORMAT : 0);
}

static void
take_given (TpCli *cli)
{
  cli->given = find_given ();
  cli->outputs = given.outputs != NULL ? g_steal_pointer (&given.outputs)
                                       : g_new0 (char *, 1);
  cli->dim_texts = given.dims != NULL ? g_steal_pointer (&given.dims)
                                      : g_new0 (char *, 1);
  cli->no_pass = given.no_pass != NULL ? g_steal_pointer (&given.no_pass)
                                       : g_new0 (char *, 1);
  cli->states = given.states != NULL ? g_steal_pointer (&given.states)
                                     : g_new0 (char *, 1);
  cli->numbers = given.numbers != NULL ? g_steal_pointer (&given.numbers)
                                       : g_new0 (char *, 1);
  cli->cut = given.cut != NULL ? g_steal_pointer (&given.cut)
                               : g_new0 (char *, 1);
  cli->args = given.rest != NULL ? g_steal_pointer (&given.rest)
                                 : g_new0 (char *, 1);
  cli->n_args = (int) g_strv_length (cli->args);
  cli->is_forced = given.force;
  cli->follow_links = given.follow_links;
  cli->copies_weights = given.copies_weights;
  cli->is_quiet = given.quiet;
  cli->is_verbose = given.verbose;
  cli->seed = given.seed;
}

static gboolean
check_arguments (const TpCli *cli, const TpCommand *command, GError **error)
{
  if (cli->n_args >= command->n_args_min
      && cli->n_args <= command->n_args_max)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s takes %s, not %d arguments: see `tplan %s --help`",
               command->name,
               *command->arguments == 0 ? "nothing" : command->arguments,
               cli->n_args, command->name);
  return FALSE;
}

static GOptionContext *
make_context (const TpCommand *command)
{
  GOptionContext *context = g_option_context_new (NULL);
  const GOptionEntry rest[] = {
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.rest, NULL,
      NULL },
    { 0 },
  };

  g_option_context_set_help_enabled (context, FALSE);
  for (gsize i = 0; i < G_N_ELEMENTS (common); i++)
    {
      const GOptionEntry entries[] = { common[i].entry, { 0 } };

      if (is_used (&common[i], command))
        g_option_context_add_main_entries (context, entries, NULL);
    }
  if (command->options != NULL)
    g_option_context_add_main_entries (context, command->options, NULL);
  g_option_context_add_main_entries (context, rest, NULL);
  return context;
}

GPtrArray *
tp_cli_list_options (const TpCommand *command)
{
  GPtrArray *list = g_ptr_array_new ();

  for (const GOptionEntry *it = command->options;
       it != NULL && it->long_name != NULL; it++)
    g_ptr_array_add (list, (gpointer) it);
  for (gsize i = 0; i < G_N_ELEMENTS (common); i++)
    if (is_used (&common[i], command))
      g_ptr_array_add (list, (gpointer) &common[i].entry);
  return list;
}

/* "" or what it asks: of the options of @command, hidden ones too. */
static char *
ask_option (const TpCommand *command, const char *typed)
{
  g_autoptr (GPtrArray) options = tp_cli_list_options (command);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *bare = g_strndup (typed, strcspn (typed, "="));
  const char *found;

  for (guint i = 0; i < options->len; i++)
    g_ptr_array_add (names,
                     (char *) ((const GOptionEntry *) options->pdata[i])->long_name);
  g_ptr_array_add (names, NULL);
  found = tp_near_name_find (bare, (const char *const *) names->pdata);
  return found == NULL ? g_strdup ("")
                       : g_strdup_printf (" (did you mean --%s?)", found);
}

/* GLib says no more than "Unknown option --thread=4". */
static void
set_option_error (const TpCommand *command, const GError *given_error,
                  GError **error)
{
  const char *typed = strstr (given_error->message, "--");
  g_autofree char *near = NULL;

  if (typed == NULL
      || !g_error_matches (given_error, G_OPTION_ERROR,
                           G_OPTION_ERROR_UNKNOWN_OPTION))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s: %s: see `tplan %s --help`", command->name,
                   given_error->message, command->name);
      return;
    }
  near = ask_option (command, typed + 2);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s: no option %s%s: see `tplan %s --help`", command->name,
               typed, near, command->name);
}

/* Fills what is given. */
static gboolean
parse_words (GOptionContext *context, const TpCommand *command, int argc,
             char **argv, GError **error)
{
  g_autoptr (GPtrArray) options = tp_cli_list_options (command);
  g_autoptr (GPtrArray) words = tp_short_options_split (options, argc, argv);
  g_autofree char **rest = g_memdup2 (words->pdata, words->len * sizeof *rest);
  int n = (int) words->len - 1;

  return tp_short_options_check (options, words, error)
         && g_option_context_parse (context, &n, &rest, error);
}

gboolean
tp_cli_parse (TpCli *cli, const TpCommand *command, int argc, char **argv,
              GError **error)
{
  g_autoptr (GOptionContext) context = make_context (command);
  g_autoptr (GKeyFile) config = NULL;
  g_autoptr (GError) local = NULL;
  gboolean good;

  cli->colour = -1;
  good = parse_words (context, command, argc, argv, &local);
  take_given (cli);
  if (!good)
    {
      set_option_error (command, local, error);
      return FALSE;
    }
  if (given.help)
    {
      tp_cli_print_help (command);
      return FALSE;
    }
  config = tp_conf_load (cli, error);
  return config != NULL && check_arguments (cli, command, error)
         && apply (cli, config, error);
}

void
tp_cli_parse_typed (TpCli *cli, const TpCommand *command, int argc,
                    char **argv)
{
  g_autoptr (GOptionContext) context = make_context (command);
  g_autoptr (GKeyFile) config = g_key_file_new ();

  g_option_context_set_ignore_unknown_options (context, TRUE);
  parse_words (context, command, argc, argv, NULL);
  take_given (cli);
  cli->is_quiet = TRUE;
  apply (cli, config, NULL);
}

TplanCosts *
tp_cli_get_costs (TpCli *cli, GError **error)
{
  if (cli->costs != NULL)
    return cli->costs;
  if (cli->machine_path != NULL)
    {
      cli->costs = tp_costs_of_elsewhere (
          cli->machine_path, (const char *const *) cli->devices,
          cli->device_options.n_threads, error);
      return cli->costs;
    }
  tp_cli_meet_drivers (cli, (const char *const *) cli->devices);
  cli->costs = tplan_costs_open (cli->cost_path,
                                 (const char *const *) cli->devices,
                                 cli->device_options.n_threads, error);
  return cli->costs;
}

void
tp_cli_clear (TpCli *cli)
{
  g_strfreev (cli->args);
  g_strfreev (cli->outputs);
  g_strfreev (cli->devices);
  g_strfreev (cli->dim_texts);
  g_strfreev (cli->no_pass);
  g_strfreev (cli->states);
  g_strfreev (cli->numbers);
  g_strfreev (cli->cut);
  g_free (cli->cost_path);
  g_clear_pointer (&cli->limits, g_array_unref);
  tplan_costs_close (cli->costs);
}
