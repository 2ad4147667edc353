/* hint.c: see hint.h. */
#include "config.h"

#include "cli/hint.h"

#include <glib/gstdio.h>
#include <jansson.h>
#include <string.h>

#include "cli/planning.h"
#include "format/gzip.h"
#include "ir/types.h"

#define PLAN_MAX_BYTES (64 << 20) /* of one that is looked into */
#define MOST_DEVICES 16       /* of a plan */

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

char *
tp_hint_quote (const char *word)
{
  static const char plain[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS
      "_-+=.,:/@%";

  return *word != 0 && word[strspn (word, plain)] == 0
             ? g_strdup (word)
             : g_shell_quote (word);
}

static void
add (GString *line, const char *word)
{
  g_autofree char *quoted = tp_hint_quote (word);

  g_string_append_printf (line, " %s", quoted);
}

static void
add_option (GString *line, const char *name, const char *value)
{
  g_string_append_printf (line, " --%s", name);
  if (value != NULL)
    add (line, value);
}

static void
add_number (GString *line, const char *name, gint64 value)
{
  g_string_append_printf (line, " --%s %" G_GINT64_FORMAT, name, value);
}

static gboolean
has_option (const TpCommand *command, const char *name)
{
  for (const GOptionEntry *it = command->options;
       it != NULL && it->long_name != NULL; it++)
    if (strcmp (it->long_name, name) == 0)
      return TRUE;
  return FALSE;
}

/* ---- what the plan says, where a model is wanted -------------------------- */

/* (nullable) The first of plans for several values, its dimension being all of
 * them, as text; takes @tiers. */
static json_t *
pick_tier (json_t *tiers)
{
  const char *name = json_string_value (json_object_get (tiers, "parameter"));
  json_t *plans = json_object_get (tiers, "plans"), *plan = NULL, *it;
  g_autoptr (GString) values = g_string_new (NULL);
  gsize i;

  json_array_foreach (plans, i, it)
    {
      const json_t *dims = json_object_get (it, "dims");
      const json_t *value
          = name == NULL ? NULL : json_object_get (dims, name);

      plan = plan == NULL && json_is_object (dims) ? json_incref (it) : plan;
      if (json_is_integer (value))
        g_string_append_printf (values, "%s%" JSON_INTEGER_FORMAT,
                                values->len == 0 ? "" : ",",
                                json_integer_value (value));
    }
  if (plan != NULL && values->len > 0)
    json_object_set_new (json_object_get (plan, "dims"), name,
                         json_string (values->str));
  json_decref (tiers);
  return plan;
}

/* (nullable) A plan that is cut short or no JSON says nothing. */
static json_t *
read_plan (const char *path)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);
  g_autoptr (GBytes) packed
      = file == NULL ? NULL : g_mapped_file_get_bytes (file);
  g_autoptr (GBytes) bytes = NULL;
  const char *text;
  gsize size = 0;
  json_t *plan;

  text = packed == NULL ? NULL : g_bytes_get_data (packed, &size);
  if (tp_gzip_is (text, size))
    {
      bytes = tp_gzip_unpack (path, packed, PLAN_MAX_BYTES, NULL);
      text = bytes == NULL ? NULL : g_bytes_get_data (bytes, &size);
    }
  plan = text == NULL || size > PLAN_MAX_BYTES
             ? NULL
             : json_loadb (text, size, 0, NULL);

  return json_is_array (json_object_get (plan, "plans")) ? pick_tier (plan)
                                                         : plan;
}

/* Where a plan's graph is, as the reader of plans finds it; NULL: nowhere. */
static char *
find_graph (const char *path, const json_t *plan)
{
  const char *graph = json_string_value (json_object_get (plan, "graph"));
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *beside
      = graph == NULL ? NULL : g_build_filename (folder, graph, NULL);

  if (tp_cli_planning.graph_path != NULL)
    return g_file_test (tp_cli_planning.graph_path, G_FILE_TEST_IS_REGULAR)
               ? g_strdup (tp_cli_planning.graph_path)
               : NULL;
  if (graph != NULL && g_file_test (graph, G_FILE_TEST_IS_REGULAR))
    return g_strdup (graph);
  return beside != NULL && g_file_test (beside, G_FILE_TEST_IS_REGULAR)
             ? g_steal_pointer (&beside)
             : NULL;
}

char *
tp_hint_find_graph (const char *path)
{
  json_t *plan = read_plan (path);
  char *graph = find_graph (path, plan);

  json_decref (plan);
  return graph;
}

static void
add_plan_list (GString *line, const char *name, const json_t *list)
{
  gsize i;
  json_t *value;

  json_array_foreach (list, i, value)
    if (json_is_string (value))
      add_option (line, name, json_string_value (value));
}

static void
add_plan_micro_batches (GString *line, const json_t *list)
{
  for (gsize i = 0; i < json_array_size (list); i++)
    g_string_append_printf (line, "%s%" JSON_INTEGER_FORMAT,
                            i == 0 ? " --micro-batches=" : ",",
                            json_integer_value (json_array_get (list, i)));
}

/* "cpu,opencl:0"; what is no name, or stands there twice, is left out. */
static char *
join_names (const json_t *list)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  gsize i;
  json_t *value;

  json_array_foreach (list, i, value)
    if (json_is_string (value)
        && !g_ptr_array_find_with_equal_func (names, json_string_value (value),
                                              g_str_equal, NULL))
      g_ptr_array_add (names, (char *) json_string_value (value));
  g_ptr_array_add (names, NULL);
  return g_strjoinv (",", (char **) names->pdata);
}

/* (nullable) The value typed for dimension @name. */
static const char *
find_dim (const char *name)
{
  gsize length = strlen (name);

  for (int i = 0; cli->dim_texts[i] != NULL; i++)
    if (strncmp (cli->dim_texts[i], name, length) == 0
        && cli->dim_texts[i][length] == '=')
      return cli->dim_texts[i] + length + 1;
  return NULL;
}

/* Plans for several values are for the one typed as well. */
static void
add_plan_dims (GString *line, const TpCommand *command, const json_t *plan)
{
  gboolean is_optimize = strcmp (command->name, "optimize") == 0;
  json_t *value;
  const char *name;

  json_object_foreach (json_object_get (plan, "dims"), name, value)
    {
      const char *typed = find_dim (name);
      g_autofree char *text = NULL;

      if (json_is_integer (value) && typed == NULL)
        text = g_strdup_printf ("%s=%" JSON_INTEGER_FORMAT, name,
                                json_integer_value (value));
      else if (json_is_string (value) && is_optimize)
        text = g_strdup_printf ("%s=%s%s%s", name, json_string_value (value),
                                typed == NULL ? "" : ",",
                                typed == NULL ? "" : typed);
      if (text != NULL)
        add_option (line, "dim", text);
    }
}

/* How often @name stands in @list before @end. */
static int
count_name (const json_t *list, const char *name, gsize end)
{
  int n = 0;

  for (gsize i = 0; i < end; i++)
    n += g_strcmp0 (json_string_value (json_array_get (list, i)), name) == 0;
  return n;
}

/* The device of @row (ir/pools.h), or the memory that several share; NULL: there is
 * none. */
static const char *
get_row_name (const json_t *plan, gsize row)
{
  const json_t *devices = json_object_get (plan, "devices");
  const json_t *pools = json_object_get (plan, "memory_pools");
  gsize n = json_array_size (devices), n_pools = json_array_size (pools);

  if (row < n)
    return json_string_value (json_array_get (devices, row));
  for (gsize i = 0; i < MIN (n_pools, MOST_DEVICES); i++)
    {
      const char *name = json_string_value (json_array_get (pools, i));

      if (name != NULL && count_name (pools, name, i) == 0
          && count_name (pools, name, MIN (n_pools, MOST_DEVICES)) > 1
          && row == n++)
        return name;
    }
  return NULL;
}

static void
add_size (GString *line, const char *option, const char *name, gint64 bytes)
{
  g_autofree char *text
      = g_strdup_printf ("%s=%" G_GINT64_FORMAT, name, bytes);

  add_option (line, option, text);
}

/* Limits with what is reserved of them, and that. */
static void
add_plan_memory (GString *line, const json_t *plan)
{
  const json_t *limits = json_object_get (plan, "memory_limits");
  const json_t *reserves = json_object_get (plan, "memory_reserves");
  gsize n = MIN (json_array_size (limits), 2 * MOST_DEVICES);

  for (gsize i = 0; i < n; i++)
    {
      const char *name = get_row_name (plan, i);
      gint64 limit = json_integer_value (json_array_get (limits, i));
      gint64 reserve = json_integer_value (json_array_get (reserves, i));

      if (name == NULL || limit <= 0 || reserve < 0
          || !tp_size_add (limit, reserve, &limit))
        continue;
      add_size (line, "mem-limit", name, limit);
      if (reserve > 0)
        add_size (line, "mem-reserve", name, reserve);
    }
}

/* What the plan was made with and @command takes, but for what is given anew. */
static void
add_plan_options (GString *line, const TpCommand *command, const json_t *plan)
{
  unsigned uses = command->uses & ~given;
  g_autofree char *devices = join_names (json_object_get (plan, "devices"));
  gint64 n_threads = json_integer_value (json_object_get (plan, "threads"));

  if (command->uses & TP_USES_DIMS)
    add_plan_dims (line, command, plan);
  if ((uses & TP_USES_DEVICES) && *devices != 0)
    add_option (line, "devices", devices);
  if ((uses & TP_USES_THREADS) && n_threads > 0)
    add_number (line, "threads", n_threads);
  if (uses & TP_USES_PASSES)
    add_plan_list (line, "no-pass", json_object_get (plan, "no_pass"));
  if (tp_cli_planning.pins == NULL && has_option (command, "pin"))
    add_plan_list (line, "pin", json_object_get (plan, "pins"));
  if (tp_cli_planning.no_fuse == NULL && has_option (command, "no-fuse"))
    add_plan_list (line, "no-fuse", json_object_get (plan, "no_fuse"));
  if (tp_cli_planning.memory_limits == NULL
      && tp_cli_planning.memory_reserves == NULL
      && has_option (command, "mem-limit"))
    add_plan_memory (line, plan);
  if (tp_cli_planning.micro_batches == NULL
      && has_option (command, "micro-batches"))
    add_plan_micro_batches (line, json_object_get (plan, "micro_batches"));
  if (!tp_cli_planning.streams_weights && has_option (command, "stream-weights")
      && json_object_get (plan, "streamed") != NULL)
    add_option (line, "stream-weights", NULL);
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
      add_option (line, name, values[i]);
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
      add_option (line, "dim", text);
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

      add_option (line, "limit", text);
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
    add_option (line, "devices", devices);
  if (both & TP_USES_THREADS)
    add_number (line, "threads", cli->device_options.n_threads);
  if (both & TP_USES_PASSES)
    add_each (line, "no-pass", cli->no_pass);
  if (both & TP_USES_COSTS)
    add_option (line, "cost", cli->cost_path);
  for (int i = 0; command == running && cli->outputs[i] != NULL; i++)
    {
      g_string_append (line, " -o");
      add (line, cli->outputs[i]);
    }
  if ((uses & TP_USES_GRAPH) && cli->follow_links)
    add_option (line, "follow-symlinks", NULL);
  if ((uses & TP_USES_GRAPH) && cli->copies_weights)
    add_option (line, "copy-weights", NULL);
  if (uses & TP_USES_GRAPH)
    add_limits (line);
}

/* Of planning, those that @command has too. */
static void
add_planning (GString *line, const TpCommand *command)
{
  static const GOptionEntry planning[] = { TP_PLANNING_OPTIONS, { 0 } };

  for (const GOptionEntry *it = planning; it->long_name != NULL; it++)
    if (!has_option (command, it->long_name))
      continue;
    else if (it->arg == G_OPTION_ARG_STRING_ARRAY)
      add_each (line, it->long_name, *(char ***) it->arg_data);
    else if (it->arg == G_OPTION_ARG_NONE && *(gboolean *) it->arg_data)
      add_option (line, it->long_name, NULL);
    else if (it->arg == G_OPTION_ARG_STRING && *(char **) it->arg_data != NULL)
      add_option (line, it->long_name, *(char **) it->arg_data);
}

/* ---- files ---------------------------------------------------------------- */

/* The model of plan @path; with -o, so that it is made again where it was. */
static gboolean
add_model_of (GString *line, const TpCommand *command, const char *path)
{
  json_t *plan = read_plan (path);
  g_autofree char *graph = find_graph (path, plan);

  if (graph != NULL)
    {
      add (line, graph);
      add_plan_options (line, command, plan);
    }
  if (graph != NULL && command != running
      && strcmp (command->name, "optimize") == 0)
    {
      g_string_append (line, " -f -o");
      add (line, path);
    }
  json_decref (plan);
  return graph != NULL;
}

/* What is no plan, where a plan comes first: whether it may be a model. */
static gboolean
may_be_model (const char *path)
{
  GStatBuf status;

  return !g_str_has_prefix (running->arguments, "PLAN")
         || (g_stat (path, &status) == 0 && S_ISREG (status.st_mode)
             && status.st_size > 0);
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
  add (line, path);
  if (is_plan && tp_cli_planning.graph_path != NULL
      && has_option (command, "graph"))
    add_option (line, "graph", tp_cli_planning.graph_path);
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
    add (line, words[i]);
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
