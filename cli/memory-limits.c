/* memory-limits.c: see memory-limits.h. */
#include "config.h"

#include "cli/memory-limits.h"

#include "api/graph.h"
#include "api/plan.h"
#include "cli/device-bytes.h"
#include "cli/micro-batches.h"
#include "cli/text.h"
#include "ir/plan-memory.h"
#include "ir/pools.h"

gboolean
tp_cli_is_limited (const TplanPlan *plan)
{
  const TpPlan *it = tp_api_get_plan (plan);

  return it->memory_proof != NULL && it->share_proof == NULL;
}

gboolean
tp_cli_is_bound_of_fitting (const TplanPlan *handle)
{
  return tp_plan_has_fit_bound (tp_api_get_plan (handle));
}

/* What the cheapest plan of all takes on each device. */
static gint64 *
count_free (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (handle));
  g_autoptr (TpGroups) groups = tp_plan_find_cheapest_groups (plan);
  g_autofree int *places = g_new (int, plan->n_placements + 1);
  TpPlaced placed
      = { plan->n_devices, tp_plan_get_host (plan), places, groups,
          plan->costs->is_mapped };
  g_autoptr (TpExecution) execution = NULL;
  gint64 *bytes = g_new0 (gint64, plan->n_devices + 1);

  for (int i = 0; i < plan->n_placements; i++)
    places[plan->placements[i].node] = plan->placements[i].cheapest;
  execution = tp_execution_new (graph, &placed, NULL);
  for (int i = 0; i < plan->n_devices && execution != NULL; i++)
    if (!tp_size_add (execution->memory[i].arena_bytes,
                      execution->memory[i].weight_bytes, &bytes[i]))
      bytes[i] = G_MAXINT64;
  return bytes;
}

static void
append_reserve (GString *text, gint64 bytes)
{
  g_autofree char *amount = tp_cli_format_bytes (bytes);

  g_string_append_printf (text, " (beside %s for kernels)", amount);
}

static gint64
get_reserve (const TpPlan *plan, int row)
{
  return plan->memory_reserves == NULL ? 0 : plan->memory_reserves[row];
}

static char *
format_limits (const TpPlan *plan)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < tp_pools_count_rows (plan->costs); i++)
    {
      g_autofree char *amount
          = tp_cli_format_bytes (plan->memory_limits[i]);

      if (plan->memory_limits[i] > 0)
        g_string_append_printf (
            text, "%s%s %s %s", text->len == 0 ? "" : ", ", amount,
            i < plan->n_devices ? "on" : "together in memory",
            tp_pools_get_name (plan->costs, i));
      if (get_reserve (plan, i) > 0)
        append_reserve (text, get_reserve (plan, i));
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* By device, then by pool. */
static json_t *
rows_to_json (const TpPlan *plan, const gint64 *rows)
{
  json_t *object = json_object ();

  for (int i = 0; i < tp_pools_count_rows (plan->costs); i++)
    json_object_set_new (object, tp_pools_get_name (plan->costs, i),
                         json_integer (rows[i]));
  return object;
}

static gboolean
is_least (const TpPlan *plan)
{
  if (plan->span_proof != NULL)
    return plan->span_proof->span_ns == plan->span_proof->bound_ns;
  if (plan->load_proof != NULL)
    return plan->load_proof->load_ns == plan->load_proof->bound_ns;
  if (plan->rate_proof != NULL)
    return plan->rate_proof->cost == tp_rate_proof_get_bound (plan->rate_proof);
  return plan->share_proof == NULL || plan->bound_ns == plan->cost_ns;
}

/* Whether what is proved is of what fits. */
static gboolean
knows_limits (const TpPlan *plan)
{
  if (plan->span_proof != NULL)
    return plan->span_proof->room != NULL;
  if (plan->rate_proof != NULL)
    return plan->rate_proof->room != NULL;
  return plan->load_proof != NULL && plan->load_proof->room != NULL;
}

/* How they are kept, where what the cheapest of all would take is not known. */
static char *
format_kept (const TplanPlan *handle, const char *limits)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autofree char *least = tp_cli_format_time (plan->bound_ns);
  const char *how = is_least (plan)        ? "the cheapest plan keeps to"
                    : knows_limits (plan)  ? "the plan keeps to"
                        : "the plan keeps to; the bound is without";

  if (tp_cli_is_bound_of_fitting (handle))
    return g_strdup_printf ("%s, which the plan keeps to; without, none costs "
                            "less than %s%s", limits, least,
                            tp_cli_with (plan));
  return g_strdup_printf ("%s, which %s%s", limits, how, tp_cli_with (plan));
}

char *
tp_cli_format_limits (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autofree char *limits = NULL, *cost = NULL, *needs = NULL;
  g_autofree gint64 *bytes = NULL;

  if (plan->memory_limits == NULL)
    return NULL;
  limits = format_limits (plan);
  if (!tp_cli_is_limited (handle))
    return format_kept (handle, limits);
  bytes = count_free (handle);
  cost = tp_cli_format_time (plan->bound_ns);
  needs = tp_cli_format_device_bytes (plan, bytes);
  return g_strdup_printf (
      "%s: without, %s (%.1f %% less)%s, which needs %s", limits, cost,
      plan->cost_ns > 0
          ? 100.0 * (double) (plan->cost_ns - plan->bound_ns)
                / (double) plan->cost_ns
          : 0.0,
      tp_cli_with (plan), needs);
}

json_t *
tp_cli_limits_to_json (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autofree gint64 *bytes = NULL;
  json_t *object;

  if (plan->memory_limits == NULL)
    return json_null ();
  object = json_pack ("{s:o}", "limits",
                      rows_to_json (plan, plan->memory_limits));
  if (plan->memory_reserves != NULL)
    json_object_set_new (object, "reserves",
                         rows_to_json (plan, plan->memory_reserves));
  if (!tp_cli_is_limited (handle))
    return object;
  bytes = count_free (handle);
  json_object_set_new (object, "free_cost_ns", json_integer (plan->bound_ns));
  json_object_set_new (object, "free_bytes",
                       tp_cli_device_bytes_to_json (plan, bytes));
  return object;
}
