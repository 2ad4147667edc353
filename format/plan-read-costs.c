/* plan-read-costs.c: the table of costs inside a plan. */
#include "config.h"

#include "format/plan-read-costs.h"

#include "format/plan-read.h"

#include <string.h>

/* Reasons repeat and live as long as the program; a file must not grow them
 * without bound. */
#define READ_MAX_REASON_BYTES 200
#define READ_MAX_REASONS 64

static gboolean
read_reason (const TpPlanReader *reader, GHashTable *reasons,
             const json_t *value, const char *place, TpCost *cost,
             GError **error)
{
  const char *text = json_string_value (value);

  cost->time_ns = TP_COST_NONE;
  if (json_is_null (value))
    return TRUE;
  if (strlen (text) > READ_MAX_REASON_BYTES)
    return tp_plan_read_fail (reader, error, place, "too long a reason");
  cost->reason = g_intern_string (text);
  g_hash_table_add (reasons, (gpointer) cost->reason);
  if (g_hash_table_size (reasons) > READ_MAX_REASONS)
    return tp_plan_read_fail (reader, error, place, "too many reasons");
  return TRUE;
}

static gboolean
read_cost (const TpPlanReader *reader, GHashTable *reasons,
           const json_t *value, const char *place, TpCost *cost,
           GError **error)
{
  gsize n = json_array_size (value);
  const char *note = json_string_value (json_array_get (value, 2));

  *cost = (TpCost) { 0 };
  if (json_is_null (value) || json_is_string (value))
    return read_reason (reader, reasons, value, place, cost, error);
  if ((n != 2 && n != 3)
      || (n == 3 && g_strcmp0 (note, "estimated") != 0))
    return tp_plan_read_fail (reader, error, place, "not a cost");
  cost->is_estimated = n == 3;
  return tp_plan_read_integer (reader, json_array_get (value, 0), 0, place,
                               &cost->time_ns, error)
         && tp_plan_read_integer (reader, json_array_get (value, 1), 0, place,
                                  &cost->spread_ns, error);
}

static gboolean
read_table (const TpPlanReader *reader, GHashTable *reasons,
            const json_t *root, const char *key, int rows, int columns,
            TpCost *table, GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (reader, root, key, rows, &list, error))
    return FALSE;
  for (int i = 0; i < rows; i++)
    {
      const json_t *row = json_array_get (list, i);
      char place[64];

      g_snprintf (place, sizeof place, "%s[%d]", key, i);
      if ((int) json_array_size (row) != columns)
        return tp_plan_read_fail (reader, error, place,
                                  "not a list of %d costs", columns);
      for (int k = 0; k < columns; k++)
        if (!read_cost (reader, reasons, json_array_get (row, k), place,
                        &table[(gsize) i * columns + k], error))
          return FALSE;
    }
  return TRUE;
}

/* Plans made when device 0 was always the host do not say so. */
static gboolean
read_host (const TpPlanReader *reader, const json_t *root, TpCosts *costs,
           GError **error)
{
  const json_t *host = json_object_get (root, "host");

  if (host == NULL)
    return TRUE;
  costs->host = TP_COSTS_HOST;
  return json_is_null (host)
         || tp_plan_read_name (reader, host, reader->devices, "host",
                               &costs->host, error);
}

gboolean
tp_plan_read_costs (const TpPlanReader *reader, const json_t *root,
                    TpPlan *plan, GError **error)
{
  g_autoptr (GHashTable) reasons = g_hash_table_new (NULL, NULL);
  TpCosts *costs
      = tp_costs_new (plan->n_devices, (const char *const *) plan->devices,
                      reader->graph, plan->all_groups);
  struct
  {
    const char *key;
    int rows;
    TpCost *table;
  } tables[] = {
    { "op_costs", costs->n_nodes, costs->nodes },
    { "group_costs", costs->n_groups, costs->groups },
    { "to_device_costs", costs->n_tensors, costs->feeds },
    { "to_host_costs", costs->n_tensors, costs->fetches },
  };

  plan->costs = costs;
  costs->is_simulated = plan->is_simulated;
  if (!read_host (reader, root, costs, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    if (!read_table (reader, reasons, root, tables[i].key, tables[i].rows,
                     costs->n_devices, tables[i].table, error))
      return FALSE;
  tp_costs_seal (costs);
  if (strcmp (costs->digest, plan->costs_digest) == 0)
    return TRUE;
  return tp_plan_read_fail (reader, error, "costs_sha256",
                            "%s, but the costs are %s", plan->costs_digest,
                            costs->digest);
}
