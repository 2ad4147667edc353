/* plan-read-costs.c: the table of costs inside a plan. */
#include "config.h"

#include "format/plan-read-costs.h"

#include "format/plan-read-rated.h"
#include "format/plan-read-span.h"
#include "format/plan-read.h"
#include "ir/guard.h"

#include <string.h>

/* Reasons repeat and live as long as the program; a file must not grow them
 * without bound. */
#define READ_MAX_REASON_BYTES 200
#define READ_MAX_REASONS 64
#define READ_MAX_POOL_BYTES 64

/* One of the tables: a row of a cost per device. */
typedef struct
{
  const char *key;
  int n_rows, n_columns;
  TpCost *cells;
} Table;

static gboolean
read_reason (TpPlanPlace place, GHashTable *reasons, TpCost *cost,
             GError **error)
{
  const char *text = json_string_value (place.json);

  cost->time_ns = TP_COST_NONE;
  if (json_is_null (place.json))
    return TRUE;
  if (strlen (text) > READ_MAX_REASON_BYTES)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "too long a reason");
  cost->reason = g_intern_string (text);
  g_hash_table_add (reasons, (gpointer) cost->reason);
  if (g_hash_table_size (reasons) > READ_MAX_REASONS)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "too many reasons");
  return TRUE;
}

/* FALSE: there is no room for it. */
static gboolean
take_measured (TpCost *cost, gint64 measured_ns)
{
  cost->measured_ns = measured_ns;
  return cost->measured_ns == measured_ns;
}

/* What stands behind time and spread: "estimated", or what was measured. */
static gboolean
read_origin (TpPlanPlace place, TpCost *cost, GError **error)
{
  const char *note = json_string_value (place.json);
  gint64 measured_ns;

  cost->is_estimated = g_strcmp0 (note, "estimated") == 0;
  if (place.json == NULL || cost->is_estimated)
    return TRUE;
  if (!json_is_integer (place.json))
    return tp_plan_read_fail (place.reader, error, place.path, "not a cost");
  if (!tp_plan_read_integer (place, 1, &measured_ns, error))
    return FALSE;
  return take_measured (cost, measured_ns)
         || tp_plan_read_fail (place.reader, error, place.path, "too large");
}

static gboolean
read_cost (TpPlanPlace place, GHashTable *reasons, TpCost *cost, GError **error)
{
  const json_t *json = place.json;
  gsize n = json_array_size (json);

  *cost = (TpCost) { 0 };
  if (json_is_null (json) || json_is_string (json))
    return read_reason (place, reasons, cost, error);
  if (n != 2 && n != 3)
    return tp_plan_read_fail (place.reader, error, place.path, "not a cost");
  return tp_plan_read_integer (
             tp_plan_place_enter (place, json_array_get (json, 0)), 0,
             &cost->time_ns, error)
         && tp_plan_read_integer (
             tp_plan_place_enter (place, json_array_get (json, 1)), 0,
             &cost->spread_ns, error)
         && read_origin (tp_plan_place_enter (place, json_array_get (json, 2)),
                         cost, error);
}

/* [time, spread], with what is behind them. */
static gboolean
scan_cost (TpPlanScan *line, TpCost *cost)
{
  gint64 measured_ns;

  *cost = (TpCost){ 0 };
  if (!tp_plan_scan_text (line, "[")
      || !tp_plan_scan_number (line, 0, &cost->time_ns)
      || !tp_plan_scan_text (line, ", ")
      || !tp_plan_scan_number (line, 0, &cost->spread_ns))
    return FALSE;
  if (tp_plan_scan_text (line, "]"))
    return TRUE;
  if (!tp_plan_scan_text (line, ", "))
    return FALSE;
  cost->is_estimated = tp_plan_scan_text (line, "\"estimated\"");
  return (cost->is_estimated
          || (tp_plan_scan_number (line, 1, &measured_ns)
              && take_measured (cost, measured_ns)))
         && tp_plan_scan_text (line, "]");
}

/* No figure: without a reason, or for that of the row @before. */
static gboolean
scan_reason (TpPlanScan *line, const TpCost *before, TpCost *cost)
{
  *cost = (TpCost){ .time_ns = TP_COST_NONE };
  if (tp_plan_scan_text (line, "null"))
    return TRUE;
  if (before == NULL || before->time_ns != TP_COST_NONE
      || before->reason == NULL || !tp_plan_scan_name (line, before->reason))
    return FALSE;
  cost->reason = before->reason;
  return TRUE;
}

/* The next of @rows, where all of it is figures, or reasons known from @before. */
static gboolean
scan_costs (TpPlanRows *rows, int n, const TpCost *before, TpCost *cells)
{
  TpPlanScan line;

  if (!tp_plan_rows_take (rows, &line))
    return FALSE;
  for (int k = 0; k < n; k++)
    if (!tp_plan_scan_text (&line, k == 0 ? "  [" : ", ")
        || !(scan_cost (&line, &cells[k])
             || scan_reason (&line, before == NULL ? NULL : &before[k],
                             &cells[k])))
      return tp_plan_rows_put_back (rows, &line);
  return tp_plan_scan_text (&line, "]") || tp_plan_rows_put_back (rows, &line);
}

static gboolean
read_table (TpPlanPlace root, GHashTable *reasons, const Table *table,
            GError **error)
{
  g_auto (TpPlanRows) rows = { 0 };

  if (!tp_plan_read_rows (root, table->key, table->n_rows, &rows, error))
    return FALSE;
  for (int i = 0; i < rows.n; i++)
    {
      TpCost *cells = table->cells + (gsize) i * table->n_columns;
      char path[64];
      TpPlanPlace place = { root.reader, path, NULL };
      const json_t *row;

      if (scan_costs (&rows, table->n_columns,
                      i == 0 ? NULL : cells - table->n_columns, cells))
        continue;
      row = place.json = tp_plan_rows_next (&rows);
      g_snprintf (path, sizeof path, "%s[%d]", table->key, i);
      if ((int) json_array_size (row) != table->n_columns)
        return tp_plan_read_fail (place.reader, error, path,
                                  "not a list of %d costs", table->n_columns);
      for (int k = 0; k < table->n_columns; k++)
        if (!read_cost (tp_plan_place_enter (place, json_array_get (row, k)),
                        reasons, &cells[k], error))
          return FALSE;
    }
  return TRUE;
}

/* Figures that were not measured say nothing of kernels. */
static gboolean
read_kernels (TpPlanPlace root, TpCosts *costs, GError **error)
{
  int n = costs->n_nodes + costs->n_groups;
  TpPlanPlace place = { root.reader, "kernels", NULL };
  json_t *list;

  if (json_object_get (root.json, "kernels") == NULL)
    return TRUE;
  if (!tp_plan_read_list (root, "kernels", n, &list, error))
    return FALSE;
  costs->kernels = tp_new0 (int, n + 1);
  for (int i = 0; i < n; i++)
    {
      gint64 number;

      place.json = json_array_get (list, i);
      if (!tp_plan_read_integer (place, 0, &number, error))
        return FALSE;
      if (number > n)
        return tp_plan_read_fail (root.reader, error, "kernels",
                                  "%" G_GINT64_FORMAT " is above %d", number,
                                  n);
      costs->kernels[i] = (int) number;
    }
  return TRUE;
}

/* One number for each cell; at least @low. */
static gboolean
read_numbers (TpPlanPlace place, int n, gint64 low, gint64 *numbers,
              GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (place, place.path, n, &list, error))
    return FALSE;
  for (int i = 0; i < n; i++)
    if (!tp_plan_read_integer (
            tp_plan_place_enter (place, json_array_get (list, i)), low,
            &numbers[i], error))
      return FALSE;
  return TRUE;
}

static TpPlanPlace
get_list (TpPlanPlace root, const char *key)
{
  return (TpPlanPlace){ root.reader, key, root.json };
}

/* All of it or nothing. */
static gboolean
read_errors (TpPlanPlace root, TpCosts *costs, GError **error)
{
  int n = costs->n_devices;

  if (json_object_get (root.json, "factors") == NULL)
    return TRUE;
  costs->errors = tp_cost_errors_new (n);
  return read_numbers (get_list (root, "factors"), n, 1,
                       costs->errors->factors, error)
         && read_numbers (get_list (root, "wholes"), n, 0,
                          costs->errors->n_wholes, error)
         && read_numbers (get_list (root, "covariances"), n * n,
                          -TP_PLAN_MAX_NUMBER, costs->errors->covariances,
                          error)
         && tp_plan_read_number (root, "run_variance",
                                 &costs->errors->run_variance, error)
         && tp_plan_read_number (root, "wholes_until_us",
                                 &costs->errors->until_us, error);
}

/* Plans made when device 0 was always the host do not say so. */
static gboolean
read_host (TpPlanPlace root, TpCosts *costs, GError **error)
{
  TpPlanPlace host
      = { root.reader, "host", json_object_get (root.json, "host") };

  if (host.json == NULL)
    return TRUE;
  costs->host = TP_COSTS_HOST;
  return json_is_null (host.json)
         || tp_plan_read_name (host, root.reader->devices, &costs->host,
                               error);
}

/* What is streamed comes from where the weights are. */
static gboolean
check_streamed (TpPlanPlace root, const TpPlan *plan, GError **error)
{
  int host = plan->costs->host;

  return plan->streamed == NULL
         || (host != TP_COSTS_HOST
             && strcmp (plan->devices[host], plan->streamed_from) == 0)
         || tp_plan_read_fail (root.reader, error, "streamed.from",
                               "not the device of host memory");
}

/* Said only where it is so. */
static gboolean
read_truth (TpPlanPlace root, const char *key, gboolean *out, GError **error)
{
  const json_t *at = json_object_get (root.json, key);

  *out = json_is_true (at);
  return at == NULL || json_is_true (at)
         || tp_plan_read_fail (root.reader, error, key,
                               "neither true nor left out");
}

static gboolean
read_silicon (TpPlanPlace root, TpCosts *costs, GError **error)
{
  if (!read_truth (root, "same_silicon", &costs->is_same_silicon, error)
      || !read_truth (root, "own_processors", &costs->has_own_processors,
                      error))
    return FALSE;
  return costs->is_same_silicon || !costs->has_own_processors
         || tp_plan_read_fail (root.reader, error, "own_processors",
                               "without same_silicon");
}

gboolean
tp_plan_read_pools (TpPlanPlace root, int n, char **out_pools, GError **error)
{
  json_t *list;

  if (json_object_get (root.json, "memory_pools") == NULL)
    return TRUE;
  if (!tp_plan_read_list (root, "memory_pools", n, &list, error))
    return FALSE;
  for (int i = 0; i < n; i++)
    {
      const char *name = json_string_value (json_array_get (list, i));

      if (name != NULL && (*name == 0 || strlen (name) > READ_MAX_POOL_BYTES))
        return tp_plan_read_fail (root.reader, error, "memory_pools",
                                  "not the name of a memory");
      out_pools[i] = g_strdup (name);
    }
  return TRUE;
}

/* One at most: what passes between two would be copied. */
static gboolean
read_mapped (TpPlanPlace root, TpCosts *costs, GError **error)
{
  json_t *list;
  int n_mapped = 0;

  if (json_object_get (root.json, "mapped") == NULL)
    return TRUE;
  if (!tp_plan_read_list (root, "mapped", costs->n_devices, &list, error))
    return FALSE;
  costs->is_mapped = tp_new0 (gboolean, costs->n_devices + 1);
  for (int i = 0; i < costs->n_devices; i++)
    {
      const json_t *it = json_array_get (list, i);

      costs->is_mapped[i] = json_is_true (it);
      n_mapped += json_is_true (it);
      if (!json_is_boolean (it) || (json_is_true (it) && i == costs->host))
        return tp_plan_read_fail (root.reader, error, "mapped",
                                  "not true or false, or true of the host");
    }
  return (n_mapped == 1 && costs->host != TP_COSTS_HOST)
         || tp_plan_read_fail (root.reader, error, "mapped",
                               "not one device, or there is no host");
}

gboolean
tp_plan_read_costs (TpPlanPlace root, const TpCostRows *rows, TpPlan *plan,
                    GError **error)
{
  g_autoptr (GHashTable) reasons = g_hash_table_new (NULL, NULL);
  TpCosts *costs
      = tp_costs_new_sized (plan->n_devices,
                            (const char *const *) plan->devices, rows);
  int n = costs->n_devices;
  const Table tables[] = {
    { "op_costs", costs->n_nodes, n, costs->nodes },
    { "group_costs", costs->n_groups, n, costs->groups },
    { "to_device_costs", costs->n_tensors, n, costs->feeds },
    { "to_host_costs", costs->n_tensors, n, costs->fetches },
  };

  plan->costs = costs;
  costs->is_simulated = plan->is_simulated;
  if (!read_host (root, costs, error) || !check_streamed (root, plan, error)
      || !read_silicon (root, costs, error)
      || !tp_plan_read_pools (root, n, costs->pools, error)
      || !read_mapped (root, costs, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    if (!read_table (root, reasons, &tables[i], error))
      return FALSE;
  if (!read_kernels (root, costs, error) || !read_errors (root, costs, error)
      || !tp_plan_read_rates (root, costs, error)
      || !tp_plan_read_speeds (root, costs, error))
    return FALSE;
  tp_costs_seal (costs);
  if (strcmp (costs->digest, plan->costs_digest) == 0)
    return TRUE;
  return tp_plan_read_fail (root.reader, error, "costs_sha256",
                            "%s, but the costs are %s", plan->costs_digest,
                            costs->digest);
}
