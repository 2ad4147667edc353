/* hint.c: see hint.h. */
#include "config.h"

#include "cli/hint.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "cli/hint-plan.h"
#include "cli/hint-words.h"
#include "cli/planning.h"
#include "format/model-kinds.h"

static const TpCommand *const *commands;
static const TpCommand *running;
static const TpCli *cli;
static unsigned given;        /* as it was before any was taken away */

void
tp_hint_begin (const TpCommand *const *all, const TpCommand *command,
               const TpCli *typed)
{
  commands = all;
  running = command;
  cli = typed;
  given = typed->given;
}

/* ---- what was typed ------------------------------------------------------- */

static gboolean
takes_models (const TpCommand *command)
{
  return strstr (command->arguments, "MODEL") != NULL;
}

static gboolean
takes_plans (const TpCommand *command)
{
  return strstr (command->arguments, "PLAN") != NULL;
}

static gboolean
takes_files (const TpCommand *command)
{
  return takes_models (command) || takes_plans (command);
}

/* Whether what @line has of option @name replaces what was typed, for the same. */
static gboolean
is_replaced (const char *name)
{
  return strcmp (name, "mem-limit") == 0 || strcmp (name, "mem-reserve") == 0;
}

/* Whether @line has option @name already, for what @text, such as "N=8", gives a
 * value. */
static gboolean
has_value (const GString *line, const char *name, const char *text)
{
  const char *equals = strrchr (text, '=');
  int length = equals == NULL ? (int) strlen (text) : (int) (equals - text);
  g_autofree char *apart = g_strdup_printf (" --%s %.*s=", name, length, text);
  g_autofree char *joined = g_strdup_printf (" --%s=%.*s=", name, length, text);

  return strstr (line->str, apart) != NULL
         || strstr (line->str, joined) != NULL;
}

static void
add_each (GString *line, const char *name, char *const *values)
{
  for (int i = 0; values != NULL && values[i] != NULL; i++)
    if (!is_replaced (name) || !has_value (line, name, values[i]))
      tp_hint_add_option (line, name, values[i]);
}

/* Some commands take a dimension of several values; others get the first. */
static gboolean
takes_series (const TpCommand *command)
{
  return command == running || strcmp (command->name, "sweep") == 0
         || strcmp (command->name, "calibrate") == 0;
}

static void
add_dims (GString *line, const TpCommand *command)
{
  gboolean has_all = takes_series (command);

  for (int i = 0; cli->dim_texts[i] != NULL; i++)
    {
      g_autofree char *text = g_strdup (cli->dim_texts[i]);
      char *several = strstr (text, "..");

      if (has_value (line, "dim", text))
        continue;
      text[has_all ? strlen (text) : strcspn (text, ",")] = 0;
      if (!has_all && several != NULL)
        *several = 0;
      tp_hint_add_option (line, "dim", text);
    }
}

static void
add_limits (GString *line)
{
  for (guint i = 0; cli->limits != NULL && i < cli->limits->len; i++)
    {
      const TplanDim *limit = &g_array_index (cli->limits, TplanDim, i);
      g_autofree char *text = g_strdup_printf ("%s=%" G_GINT64_FORMAT,
                                               limit->name, limit->value);

      tp_hint_add_option (line, "limit", text);
    }
}

/* What shapes plans says nothing where there is no model. */
static void
add_common (GString *line, const TpCommand *command)
{
  const unsigned shapes = TP_USES_DEVICES | TP_USES_DIMS | TP_USES_PASSES;
  unsigned uses = takes_files (command) ? command->uses
                                        : command->uses & ~shapes;
  unsigned both = uses & given;
  g_autofree char *devices
      = cli->devices == NULL ? NULL : g_strjoinv (",", cli->devices);

  if (uses & TP_USES_DIMS)
    add_dims (line, command);
  if ((both & TP_USES_DEVICES) && devices != NULL)
    tp_hint_add_option (line, "devices", devices);
  if (both & TP_USES_THREADS)
    tp_hint_add_number (line, "threads", cli->device_options.n_threads);
  if (both & TP_USES_PASSES)
    add_each (line, "no-pass", cli->no_pass);
  if (uses & TP_USES_PASSES)
    {
      add_each (line, "state", cli->states);
      add_each (line, "value", cli->numbers);
    }
  if (uses & TP_USES_DIMS)
    add_each (line, "outputs", cli->cut);
  if (both & TP_USES_COSTS)
    tp_hint_add_option (line, "cost", cli->cost_path);
  for (int i = 0; command == running && cli->outputs[i] != NULL; i++)
    {
      g_string_append (line, " -o");
      tp_hint_add (line, cli->outputs[i]);
    }
  if ((uses & TP_USES_GRAPH) && cli->follow_links)
    tp_hint_add_option (line, "follow-symlinks", NULL);
  if ((uses & TP_USES_GRAPH) && cli->copies_weights)
    tp_hint_add_option (line, "copy-weights", NULL);
  if (uses & TP_USES_GRAPH)
    add_limits (line);
}

/* Of planning, those that @command has too. */
static void
add_planning (GString *line, const TpCommand *command)
{
  static const GOptionEntry planning[] = { TP_PLANNING_OPTIONS, { 0 } };

  for (const GOptionEntry *it = planning; it->long_name != NULL; it++)
    if (!tp_hint_has_option (command, it->long_name))
      continue;
    else if (it->arg == G_OPTION_ARG_STRING_ARRAY)
      add_each (line, it->long_name, *(char ***) it->arg_data);
    else if (it->arg == G_OPTION_ARG_NONE && *(gboolean *) it->arg_data)
      tp_hint_add_option (line, it->long_name, NULL);
    else if (it->arg == G_OPTION_ARG_STRING && *(char **) it->arg_data != NULL)
      tp_hint_add_option (line, it->long_name, *(char **) it->arg_data);
}

/* ---- files ---------------------------------------------------------------- */

/* The model of plan @path; with -o, so that it is made again where it was. */
static gboolean
add_model_of (GString *line, const TpCommand *command, const char *path)
{
  json_t *plan = tp_hint_read_plan (path);
  g_autofree char *graph = tp_hint_find_graph_of (path, plan);

  if (graph != NULL)
    {
      tp_hint_add (line, graph);
      tp_hint_add_plan (line, command, plan, cli, given);
    }
  if (graph != NULL && command != running
      && strcmp (command->name, "optimize") == 0)
    {
      g_string_append (line, " -f -o");
      tp_hint_add (line, path);
    }
  json_decref (plan);
  return graph != NULL;
}

/* Whether it begins as what is often taken for a model, such as a picture. */
static gboolean
is_known_other (const char *path)
{
  FILE *file = g_fopen (path, "re");
  char begin[64];
  gsize size = file == NULL ? 0 : fread (begin, 1, sizeof begin, file);

  if (file != NULL)
    fclose (file);
  return tp_model_kind_describe (begin, size) != NULL;
}

/* What is no plan, where a plan comes first: whether it may be a model. */
static gboolean
may_be_model (const char *path)
{
  GStatBuf status;

  return !g_str_has_prefix (running->arguments, "PLAN")
         || (g_stat (path, &status) == 0 && S_ISREG (status.st_mode)
             && status.st_size > 0 && !is_known_other (path));
}

/* The first of those typed that @command takes; FALSE: none was. */
static gboolean
add_file (GString *line, const TpCommand *command)
{
  const char *path = takes_files (running) ? cli->args[0] : NULL;
  gboolean is_plan = path != NULL && tp_cli_is_plan (path);

  if (path == NULL || !takes_files (command)
      || (!is_plan && !(takes_models (command) && takes_models (running)
                        && may_be_model (path))))
    return FALSE;
  if (is_plan && !takes_plans (command))
    return add_model_of (line, command, path);
  tp_hint_add (line, path);
  if (is_plan && tp_cli_planning.graph_path != NULL
      && tp_hint_has_option (command, "graph"))
    tp_hint_add_option (line, "graph", tp_cli_planning.graph_path);
  return TRUE;
}

/* ---- hints ---------------------------------------------------------------- */

static const TpCommand *
find_command (const char *name)
{
  for (int i = 0; commands[i] != NULL; i++)
    if (strcmp (commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

/* Whether a file, or what stands for it, is among @words. */
static gboolean
has_file (char *const *words)
{
  for (int i = 0; words[i] != NULL; i++)
    if (words[i][0] != '-')
      return TRUE;
  return FALSE;
}

/* "tplan VERB [WORD...]" as it can be typed; takes nothing. */
static char *
complete (const char *hint)
{
  g_auto (GStrv) words = NULL;
  g_autoptr (GString) line = NULL;
  const TpCommand *command;

  if (commands == NULL || !g_shell_parse_argv (hint, NULL, &words, NULL)
      || words[1] == NULL)
    return g_strdup (hint);
  command = find_command (words[1]);
  if (command == NULL
      || g_strv_contains ((const char *const *) words, "--help"))
    return g_strdup (hint);
  line = g_string_new ("tplan ");
  g_string_append (line, command->name);
  if (!has_file (words + 2) && !add_file (line, command)
      && command->n_args_min > 0)
    return g_strdup_printf ("tplan %s --help", command->name);
  for (int i = 2; words[i] != NULL; i++)
    tp_hint_add (line, words[i]);
  add_common (line, command);
  add_planning (line, command);
  return g_string_free (g_steal_pointer (&line), FALSE);
}

char *
tp_hint_complete (const char *text)
{
  static const char begin[] = "`tplan ";
  g_autoptr (GString) whole = g_string_new (NULL);
  const char *at, *end;

  while ((at = strstr (text, begin)) != NULL
         && (end = strchr (at + 1, '`')) != NULL)
    {
      g_autofree char *hint = g_strndup (at + 1, end - at - 1);
      g_autofree char *done = complete (hint);

      g_string_append_len (whole, text, at + 1 - text);
      g_string_append (whole, done);
      g_string_append_c (whole, '`');
      text = end + 1;
    }
  g_string_append (whole, text);
  return g_string_free (g_steal_pointer (&whole), FALSE);
}
