/* complete.c: see complete.h. Commands and options are those of their tables, and
 * what an option takes is told by what its help calls it: so the completion of a
 * shell knows nothing, and is never out of date. */
#include "config.h"

#include "cli/complete.h"

#include "api/devices.h"
#include "api/road.h"
#include "cli/options.h"
#include "cli/mix-names.h"
#include "cli/model-names.h"
#include "cli/planning.h"
#include "cli/values.h"
#include "format/affinity.h"
#include "graph/pass.h"
#include "machine/machine.h"
#include "runtime/devices.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_S 2          /* nobody waits longer for a key */

typedef struct
{
  const TpCommand *command;
  TpCli *cli;                 /* as far as it is typed */
  const char *whole;          /* the word that is typed */
  const char *word;           /* what of it is completed: a value, or all */
  char **typed;               /* (nullable) the items of a list before the last, which
                               * are not offered again */
  GString *words;             /* one a line */
  char *files;                /* (nullable) files too, behind this */
} Line;

/* ---- what is offered -------------------------------------------------------- */

/* A name in a file of others may hold what a terminal obeys: nobody types that. */
static gboolean
is_plain (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return FALSE;
  for (const char *it = text; *it != 0; it = g_utf8_next_char (it))
    if (!g_unichar_isprint (g_utf8_get_char (it)))
      return FALSE;
  return TRUE;
}

/* "cpu" of "cpu,opencl:0,", "a=" of "a=5,". */
static gboolean
is_typed (const Line *line, const char *text)
{
  for (int i = 0; line->typed != NULL && line->typed[i] != NULL; i++)
    if (strcmp (line->typed[i], text) == 0
        || (g_str_has_suffix (text, "=")
            && g_str_has_prefix (line->typed[i], text)))
      return TRUE;
  return FALSE;
}

/* @prefix: of the value, before @text. */
static void
offer (Line *line, const char *prefix, const char *text, const char *summary)
{
  g_autofree char *value = g_strconcat (prefix, text, NULL);

  if (!g_str_has_prefix (value, line->word) || !is_plain (value)
      || is_typed (line, text))
    return;
  g_string_append_len (line->words, line->whole, line->word - line->whole);
  g_string_append_printf (line->words, "%s\t%s\n", value,
                          summary == NULL ? "" : summary);
}

static void
offer_all (Line *line, const char *prefix, const char *const *texts)
{
  for (int i = 0; texts != NULL && texts[i] != NULL; i++)
    offer (line, prefix, texts[i], NULL);
}

static void
offer_words (Line *line, const char *words)
{
  g_auto (GStrv) list = g_strsplit (words, " ", -1);

  offer_all (line, "", (const char *const *) list);
}

/* @prefix: of the value. */
static void
offer_files (Line *line, const char *prefix)
{
  g_autofree char *before
      = g_strndup (line->whole, line->word - line->whole);

  g_free (line->files);
  line->files = g_strconcat (before, prefix, NULL);
}

static void
ask_names (gpointer data, GString *out)
{
  g_autoptr (GPtrArray) names = tp_device_names ();

  (void) data;
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (out, "%s\n", (const char *) names->pdata[i]);
}

static void
offer_present (Line *line, const char *prefix, const char *suffix)
{
  g_autofree char *answer = tp_devices_ask (ask_names, NULL, NULL);
  g_auto (GStrv) names = g_strsplit (answer == NULL ? "" : answer, "\n", -1);

  for (int i = 0; names[i] != NULL; i++)
    if (*names[i] != 0)
      {
        g_autofree char *name = g_strconcat (names[i], suffix, NULL);

        offer (line, prefix, name, NULL);
      }
}

static void
offer_simulated (Line *line, const char *prefix)
{
  const char *const *machines = tp_machine_list ();
  int n;
  const TpDeviceOps *const *kinds = tp_device_list (&n);

  for (int i = 0; i < n; i++)
    for (int k = 0; kinds[i]->is_simulated && machines[k] != NULL; k++)
      {
        g_autoptr (TpMachine) machine = tp_machine_parse (machines[k], NULL);
        g_autofree char *name
            = g_strconcat (kinds[i]->name, ":", machines[k], NULL);

        offer (line, prefix, name,
               machine == NULL ? NULL : machine->description);
      }
}

/* Drivers are asked of nothing that is simulated. */
static void
offer_devices (Line *line, const char *prefix)
{
  const char *typed = g_str_has_prefix (line->word, prefix)
                          ? line->word + strlen (prefix) : "";

  if (!tp_device_is_simulated (typed))
    offer_present (line, prefix, "");
  offer_simulated (line, prefix);
}

/* ---- what the model says --------------------------------------------------------- */

/* (nullable) The file that is spoken of. */
static char *
find_model (const Line *line)
{
  const char *path = line->cli->args[0];

  if (path == NULL || line->command->verbs != NULL)
    return NULL;
  if (g_str_has_prefix (path, "~/"))
    return g_build_filename (g_get_home_dir (), path + 2, NULL);
  return g_strdup (path);
}

/* Op names are those of what is planned, which passes made of the file. */
static void
offer_ops_of (Line *line, const TplanGraph *graph, const char *suffix)
{
  int n;
  const char *const *ops = tplan_graph_get_ops (graph, &n);

  for (int i = 0; i < n; i++)
    {
      g_autofree char *text = g_strconcat (ops[i], suffix, NULL);

      offer (line, "", text, NULL);
    }
}

static void
offer_ops (Line *line, const char *suffix)
{
  g_autofree char *path = find_model (line);
  g_autoptr (GArray) dims = tp_cli_parse_dims (line->cli, NULL);
  g_autoptr (TplanGraph) graph = NULL;
  g_autoptr (TplanPlan) plan = NULL;

  if (path == NULL || dims == NULL
      || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return;
  if (tp_cli_is_plan (path))
    plan = tp_cli_load_plan (line->cli, path, NULL);
  else
    graph = tp_cli_load_model (line->cli, path, dims, NULL);
  if (plan != NULL)
    offer_ops_of (line, tplan_plan_get_graph (plan), suffix);
  else if (graph != NULL)
    offer_ops_of (line, graph, suffix);
}

static void
offer_names (Line *line, const char *prefix, const char *suffix,
             TpModelNames which)
{
  g_autofree char *path = find_model (line);
  g_autoptr (GPtrArray) names
      = tp_cli_list_model_names (line->cli, path, which);

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *text = g_strconcat (names->pdata[i], suffix, NULL);

      offer (line, prefix, text, NULL);
    }
}

/* ---- what an option takes ----------------------------------------------------- */

/* With @end, which ends a name in it; NULL: "". */
static char *
dup_until (const Line *line, const char *end)
{
  return g_strndup (line->word, end == NULL ? 0 : end + 1 - line->word);
}

/* "OP=DEVICE" */
static void
complete_pin (Line *line)
{
  g_autofree char *prefix = dup_until (line, strchr (line->word, '='));

  if (*prefix == 0)
    offer_ops (line, "=");
  else if (line->cli->devices != NULL)
    offer_all (line, prefix, (const char *const *) line->cli->devices);
  else
    offer_devices (line, prefix);
}

/* A device that is planned for, and what follows it. */
static void
complete_device (Line *line, const char *suffix)
{
  char **devices = line->cli->devices;

  for (int i = 0; devices != NULL && devices[i] != NULL; i++)
    offer (line, devices[i], suffix, NULL);
  if (devices == NULL)
    offer_present (line, "", suffix);
}

/* What stands before the last item of a list, which is completed. */
static char *
begin_item (Line *line)
{
  char *prefix = dup_until (line, strrchr (line->word, ','));

  g_strfreev (line->typed);
  line->typed = g_strsplit (prefix, ",", -1);
  return prefix;
}

/* "DEV=SIZE", "DEV=BUSY", "DEV=X/h" */
static void
complete_memory (Line *line)
{
  complete_device (line, "=");
}

/* "NAME=RATE" of the models given; more may follow a comma. */
static void
complete_rate (Line *line)
{
  g_autofree char *prefix = begin_item (line);
  g_auto (GStrv) names = tp_cli_name_models (line->cli->args);

  for (int i = 0; names[i] != NULL; i++)
    {
      g_autofree char *text = g_strconcat (names[i], "=", NULL);

      offer (line, prefix, text, NULL);
    }
}

/* Of plans of several graphs. */
static void
complete_part (Line *line)
{
  g_autofree char *path = find_model (line);
  g_autoptr (TplanMix) mix = path == NULL || !tp_cli_is_mix (path)
                                 ? NULL
                                 : tp_cli_load_mix (line->cli, path, NULL);
  int n = 0;
  const TplanMixPart *parts
      = mix == NULL ? NULL : tplan_mix_get_parts (mix, &n);

  for (int i = 0; i < n; i++)
    offer (line, "", parts[i].name, NULL);
}

/* "DEV>=N%time" */
static void
complete_share (Line *line)
{
  complete_device (line, ">=");
}

/* "copies=0.01..100" */
static void
complete_scale (Line *line)
{
  offer (line, "", "copies=0.01..100", "all copies");
  complete_device (line, "=");
}

/* "cpu,opencl:0": the last of a list; what is before it stays. */
static void
complete_list (Line *line)
{
  g_autofree char *prefix = begin_item (line);

  offer_devices (line, prefix);
}

/* "OUT=IN" */
static void
complete_state (Line *line)
{
  g_autofree char *prefix = dup_until (line, strchr (line->word, '='));

  offer_names (line, prefix, *prefix == 0 ? "=" : "",
               *prefix == 0 ? TP_NAMES_OUTPUTS : TP_NAMES_INPUTS);
}

/* "NAME,...": the last of a list */
static void
complete_outputs (Line *line)
{
  g_autofree char *prefix = begin_item (line);

  offer_names (line, prefix, "", TP_NAMES_MADE);
}

/* "NAME=N" */
static void
complete_dim (Line *line)
{
  offer_names (line, "", "=", TP_NAMES_DIMS);
}

/* "NAME=FILE" */
static void
complete_input (Line *line)
{
  g_autofree char *prefix = dup_until (line, strchr (line->word, '='));

  if (*prefix == 0)
    offer_names (line, "", "=", TP_NAMES_INPUTS);
  else
    offer_files (line, prefix);
}

static void
complete_file (Line *line)
{
  offer_files (line, "");
}

static void
complete_rule (Line *line)
{
  offer_all (line, "", tp_road_list_rules ());
}

static void
complete_runtime (Line *line)
{
  g_autofree const char **runtimes = tp_affinity_list ();

  offer_all (line, "", runtimes);
}

static void
complete_pass (Line *line)
{
  int n;
  const TpPass *const *passes = tp_pass_list (&n);

  for (int i = 0; i < n; i++)
    offer (line, "", passes[i]->name, passes[i]->summary);
}

/* By what the help calls the value; where that says too little, by the option and
 * by the command too. */
static const struct
{
  const char *value;
  const char *option;         /* (nullable) */
  const char *command;        /* (nullable) */
  void (*complete) (Line *line);
  const char *words;          /* where @complete is NULL; "": anything */
} values[] = {
  { "FILE", NULL, NULL, complete_file, NULL },
  { "DIR", NULL, NULL, complete_file, NULL },
  { "TABLE", NULL, NULL, complete_file, NULL },
  { "LIST", NULL, NULL, complete_list, NULL },
  { "OP=DEVICE", NULL, NULL, complete_pin, NULL },
  { "DEV=SIZE", NULL, NULL, complete_memory, NULL },
  { "DEV=NAME", NULL, NULL, complete_memory, NULL },
  { "DEV=BUSY", NULL, NULL, complete_memory, NULL },
  { "DEV=X/h", NULL, NULL, complete_memory, NULL },
  { "DEV>=N%time", NULL, NULL, complete_share, NULL },
  { "WHAT=LOW..HIGH", NULL, NULL, complete_scale, NULL },
  { "LOW..HIGH", NULL, NULL, NULL, "0.1..10" },
  { "NAME=FILE", NULL, NULL, complete_input, NULL },
  { "OUT=IN", NULL, NULL, complete_state, NULL },
  { "NAME=N", "dim", NULL, complete_dim, NULL },
  { "NAME=N", NULL, NULL, NULL, "" },
  { "NAME,...", NULL, NULL, complete_outputs, NULL },
  { "PASS", NULL, NULL, complete_pass, NULL },
  { "RULE", NULL, NULL, complete_rule, NULL },
  { "FORMAT", NULL, NULL, NULL, "table json csv" },
  { "WHEN", NULL, NULL, NULL, "auto always never" },
  { "LEVEL", "level", "calibrate", NULL, "measure tune" },
  { "LEVEL", NULL, NULL, NULL, "estimate measure" },
  { "WHAT", "stale", NULL, NULL, "warn fail" },
  { "WHAT", "order", NULL, NULL, "memory" },
  { "KEY", "sort", "explain", NULL, "time name gain" },
  { "KEY", "sort", "run", NULL, "time miss name" },
  { "NAME", "objective", NULL, NULL, "time throughput energy price makespan" },
  { "NAME", "part", NULL, complete_part, NULL },
  { "NAME=RATE", NULL, NULL, complete_rate, NULL },
  { "RUNTIME", NULL, NULL, complete_runtime, NULL },
  { "A,B", NULL, NULL, NULL, "time,energy time,price energy,price" },
  { NULL },
};

static void
complete_value (Line *line, const GOptionEntry *option)
{
  for (int i = 0; values[i].value != NULL; i++)
    if (g_strcmp0 (option->arg_description, values[i].value) == 0
        && (values[i].option == NULL
            || strcmp (values[i].option, option->long_name) == 0)
        && (values[i].command == NULL
            || strcmp (values[i].command, line->command->name) == 0))
      {
        if (values[i].complete != NULL)
          values[i].complete (line);
        else
          offer_words (line, values[i].words);
        return;
      }
}

static void
complete_option (Line *line)
{
  g_autoptr (GPtrArray) options = tp_cli_list_options (line->command);

  for (guint i = 0; i < options->len; i++)
    {
      const GOptionEntry *option = options->pdata[i];
      g_autofree char *name
          = g_strconcat ("--", option->long_name,
                         option->arg == G_OPTION_ARG_NONE ? "" : "=", NULL);

      /* "": of the program to itself; NULL: another spelling. */
      if (option->arg_description == NULL ? option->arg == G_OPTION_ARG_NONE
                                          : *option->arg_description != 0)
        offer (line, "", name, option->description);
    }
}

/* (nullable) The option @word is, "--pin" or "-p"; its value may follow. */
static const GOptionEntry *
find_option (const Line *line, const char *word)
{
  g_autoptr (GPtrArray) options = tp_cli_list_options (line->command);
  gsize length = strcspn (word, "=");

  for (guint i = 0; i < options->len; i++)
    {
      const GOptionEntry *option = options->pdata[i];
      gboolean is_long = strncmp (word, "--", 2) == 0
                         && strlen (option->long_name) == length - 2
                         && strncmp (option->long_name, word + 2, length - 2)
                                == 0;

      if (is_long
          || (strlen (word) == 2 && word[0] == '-'
              && word[1] == option->short_name))
        return option->arg == G_OPTION_ARG_NONE ? NULL : option;
    }
  return NULL;
}

/* ---- the line ------------------------------------------------------------------ */

/* What follows the options: a verb, an op of the plan, or a file. */
static void
complete_argument (Line *line)
{
  const TpCommand *command = line->command;

  if (command->verbs != NULL && line->cli->n_args == 0)
    offer_words (line, command->verbs);
  else if (line->cli->n_args == 1 && strstr (command->arguments, "[OP]"))
    offer_ops (line, "");
  else if (command->n_args_max > line->cli->n_args)
    offer_files (line, "");
}

/* The word behind the options @line->cli has been made of; @before: the word
 * before it, NULL: the command. */
static void
complete_word (Line *line, const char *before)
{
  const GOptionEntry *option
      = before == NULL ? NULL : find_option (line, before);
  const char *equals = strchr (line->word, '=');

  if (option != NULL)
    complete_value (line, option);
  else if (strncmp (line->word, "--", 2) == 0 && equals != NULL)
    {
      option = find_option (line, line->word);
      line->word = equals + 1;
      if (option != NULL)
        complete_value (line, option);
    }
  else if (line->word[0] == '-')
    complete_option (line);
  else
    complete_argument (line);
}

/* @words: those of the command, its name first, then what is typed. */
static void
complete_command (Line *line, int n_words, char **words)
{
  g_autofree char **typed = g_new0 (char *, n_words + 1);
  const char *before = n_words > 2 ? words[n_words - 2] : NULL;
  gboolean is_value = before != NULL && strchr (before, '=') == NULL
                      && find_option (line, before) != NULL;
  TpCli cli = { 0 };

  /* An option that waits for its value is not parsed. */
  memcpy (typed, words, (n_words - (is_value ? 2 : 1)) * sizeof *typed);
  tp_cli_parse_typed (&cli, line->command, n_words - (is_value ? 2 : 1),
                      typed);
  line->cli = &cli;
  complete_word (line, is_value ? before : NULL);
  tp_cli_clear (&cli);
}

static void
offer_commands (Line *line, const TpCommand *const *commands)
{
  for (int i = 0; commands[i] != NULL; i++)
    offer (line, "", commands[i]->name, commands[i]->summary);
  offer (line, "", "help", "Shows the options of a command");
  offer (line, "", "--help", "Shows the commands");
  offer (line, "", "--version", "Shows the version");
}

void
tp_cli_complete (const TpCommand *const *commands, int n_words, char **words)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *word = n_words == 0 ? "" : words[n_words - 1];
  Line line = { .whole = word, .word = word, .words = text };

  alarm (PATIENCE_S);
  for (int i = 0; n_words > 1 && commands[i] != NULL; i++)
    if (strcmp (words[0], commands[i]->name) == 0)
      line.command = commands[i];
  if (n_words <= 1 || (n_words == 2 && strcmp (words[0], "help") == 0))
    offer_commands (&line, commands);
  else if (line.command != NULL)
    complete_command (&line, n_words, words);
  printf ("%s%s\n%s", line.files == NULL ? "words" : "files ",
          line.files == NULL ? "" : line.files, text->str);
  g_free (line.files);
  g_strfreev (line.typed);
}
