/* hint-plan.c: see hint-plan.h. */
#include "config.h"

#include "cli/hint-plan.h"

#include <string.h>

#include "calib/rates.h"
#include "cli/hint-words.h"
#include "cli/planning.h"
#include "format/gzip.h"
#include "format/plan-json.h"
#include "ir/rate-text.h"
#include "ir/types.h"

#define PLAN_MAX_BYTES (64 << 20) /* of one that is looked into */
#define MOST_DEVICES 16       /* of a plan */

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

json_t *
tp_hint_read_plan (const char *path)
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

char *
tp_hint_find_graph_of (const char *path, const json_t *plan)
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
  json_t *plan = tp_hint_read_plan (path);
  char *graph = tp_hint_find_graph_of (path, plan);

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
      tp_hint_add_option (line, name, json_string_value (value));
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
find_dim (const TpCli *cli, const char *name)
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
add_plan_dims (GString *line, const TpCommand *command, const json_t *plan,
               const TpCli *cli)
{
  gboolean is_optimize = strcmp (command->name, "optimize") == 0;
  json_t *value;
  const char *name;

  json_object_foreach (json_object_get (plan, "dims"), name, value)
    {
      const char *typed = find_dim (cli, name);
      g_autofree char *text = NULL;

      if (json_is_integer (value) && typed == NULL)
        text = g_strdup_printf ("%s=%" JSON_INTEGER_FORMAT, name,
                                json_integer_value (value));
      else if (json_is_string (value) && is_optimize)
        text = g_strdup_printf ("%s=%s%s%s", name, json_string_value (value),
                                typed == NULL ? "" : ",",
                                typed == NULL ? "" : typed);
      if (text != NULL)
        tp_hint_add_option (line, "dim", text);
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

  tp_hint_add_option (line, option, text);
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

/* As readers of plans take them. */
static gboolean
read_rate (const json_t *row, TpRate *out_rate)
{
  gint64 parts[6] = { 0 };
  gsize n = json_array_size (row);

  if (n < 5 || n > G_N_ELEMENTS (parts))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      parts[i] = json_integer_value (json_array_get (row, i));
      if (parts[i] < TP_RATE_NONE || parts[i] > TP_RATE_MAX)
        return FALSE;
    }
  *out_rate = (TpRate){ parts[0], parts[1], parts[2], parts[3],
                        parts[4] == 1, parts[5] == 1 };
  return parts[1] >= 0 && parts[2] >= 0 && parts[4] >= 0 && parts[4] <= 1
         && parts[5] >= 0 && parts[5] <= 1
         && (parts[0] < 0 || parts[1] <= parts[0]);
}

/* One for each device. */
static gboolean
has_rates (const json_t *plan)
{
  const json_t *rows = json_object_get (plan, "rates");
  gsize n = json_array_size (rows);
  TpRate rate;

  for (gsize i = 0; i < n; i++)
    if (!read_rate (json_array_get (rows, i), &rate))
      return FALSE;
  return n > 0 && n <= MOST_DEVICES
         && n == json_array_size (json_object_get (plan, "devices"));
}

/* DEVICE=@text, unless the device has that anyway. */
static void
add_rate (GString *line, const char *option, const char *device,
          const char *text, const char *anyway)
{
  g_autofree char *whole = NULL;

  if (text == NULL || g_strcmp0 (text, anyway) == 0)
    return;
  whole = g_strdup_printf ("%s=%s", device, text);
  tp_hint_add_option (line, option, whole);
}

static void
add_plan_rates (GString *line, const json_t *plan)
{
  const json_t *rows = json_object_get (plan, "rates");
  const json_t *devices = json_object_get (plan, "devices");

  for (gsize i = 0; i < json_array_size (rows); i++)
    {
      const char *device = json_string_value (json_array_get (devices, i));
      g_autofree char *watts = NULL, *price = NULL;
      g_autofree char *usual_watts = NULL, *usual_price = NULL;
      TpRate rate, usual;

      if (device == NULL)
        continue;
      read_rate (json_array_get (rows, i), &rate);
      tp_calib_find_rate (NULL, device, &usual);
      watts = tp_rate_format_watts (&rate);
      price = tp_rate_format_price (&rate);
      usual_watts = tp_rate_format_watts (&usual);
      usual_price = tp_rate_format_price (&usual);
      if (tp_cli_planning.watts == NULL && !rate.is_measured)
        add_rate (line, "watts", device, watts, usual_watts);
      if (tp_cli_planning.prices == NULL)
        add_rate (line, "price", device, price, usual_price);
    }
}

/* What is least, and how figures are looked up. */
static void
add_plan_aims (GString *line, const TpCommand *command, const json_t *plan)
{
  const char *objective
      = json_string_value (json_object_get (plan, "objective"));

  if (tp_cli_planning.objective == NULL && objective != NULL
      && strcmp (objective, "time") != 0
      && tp_hint_has_option (command, "objective"))
    tp_hint_add_option (line, "objective", objective);
  if (!tp_cli_planning.is_exact && tp_hint_has_option (command, "exact")
      && json_is_true (json_object_get (plan, "exact")))
    tp_hint_add_option (line, "exact", NULL);
  if (!tp_cli_planning.trusts_estimates
      && tp_hint_has_option (command, "trust-estimates")
      && json_is_true (json_object_get (plan, "trust_estimates")))
    tp_hint_add_option (line, "trust-estimates", NULL);
  if (tp_cli_planning.accuracy == NULL
      && tp_hint_has_option (command, "accuracy")
      && g_strcmp0 (json_string_value (json_object_get (plan, "accuracy")),
                    TP_PLAN_RELAXED) == 0)
    tp_hint_add_option (line, "accuracy", "relaxed");
  if (tp_hint_has_option (command, "watts") && has_rates (plan))
    add_plan_rates (line, plan);
}

void
tp_hint_add_plan (GString *line, const TpCommand *command, const json_t *plan,
                  const TpCli *cli, unsigned given)
{
  unsigned uses = command->uses & ~given;
  g_autofree char *devices = join_names (json_object_get (plan, "devices"));
  gint64 n_threads = json_integer_value (json_object_get (plan, "threads"));

  if (command->uses & TP_USES_DIMS)
    add_plan_dims (line, command, plan, cli);
  if ((uses & TP_USES_DEVICES) && *devices != 0)
    tp_hint_add_option (line, "devices", devices);
  if ((uses & TP_USES_THREADS) && n_threads > 0)
    tp_hint_add_number (line, "threads", n_threads);
  if (uses & TP_USES_PASSES)
    add_plan_list (line, "no-pass", json_object_get (plan, "no_pass"));
  if ((command->uses & TP_USES_PASSES) && !(given & TP_USES_STATES))
    {
      add_plan_list (line, "state", json_object_get (plan, "states"));
      add_plan_list (line, "value", json_object_get (plan, "values"));
    }
  if ((command->uses & TP_USES_DIMS) && cli->cut[0] == NULL)
    add_plan_list (line, "outputs", json_object_get (plan, "outputs"));
  if (tp_cli_planning.pins == NULL && tp_hint_has_option (command, "pin"))
    add_plan_list (line, "pin", json_object_get (plan, "pins"));
  if (tp_cli_planning.no_fuse == NULL
      && tp_hint_has_option (command, "no-fuse"))
    add_plan_list (line, "no-fuse", json_object_get (plan, "no_fuse"));
  if (tp_cli_planning.memory_limits == NULL
      && tp_cli_planning.memory_reserves == NULL
      && tp_hint_has_option (command, "mem-limit"))
    add_plan_memory (line, plan);
  if (tp_cli_planning.micro_batches == NULL
      && tp_hint_has_option (command, "micro-batches"))
    add_plan_micro_batches (line, json_object_get (plan, "micro_batches"));
  if (!tp_cli_planning.streams_weights
      && tp_hint_has_option (command, "stream-weights")
      && json_object_get (plan, "streamed") != NULL)
    tp_hint_add_option (line, "stream-weights", NULL);
  add_plan_aims (line, command, plan);
}
