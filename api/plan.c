/* plan.c: plans, with the tables their queries hand out made once. */
#include "config.h"

#include "api/plan.h"

#include "api/bind.h"
#include "api/graph.h"
#include "api/load.h"
#include "api/objects.h"
#include "format/plan-json.h"
#include "format/plan-load.h"
#include "format/plan-save.h"
#include "ir/guard.h"
#include "ir/name-hash.h"
#include "ir/plan-reason.h"
#include "planner/margin.h"

#include <string.h>

#define PLAN_IN_MEMORY "plan" /* what messages call it */

static void
fill_devices (TplanPlan *wrap)
{
  const TpPlan *plan = wrap->plan;

  wrap->devices = tp_new0 (TplanDevice, plan->n_devices + 1);
  for (int i = 0; i < plan->n_devices; i++)
    {
      wrap->devices[i].name = plan->devices[i];
      wrap->devices[i].peak_bytes = plan->peak_bytes[i];
      wrap->devices[i].weight_bytes = plan->weight_bytes[i];
    }
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];

      wrap->devices[it->device].n_ops++;
      wrap->devices[it->device].time_ns += it->time_ns;
    }
}

static const char *
get_op (const TplanPlan *wrap, int place)
{
  return wrap->graph->ops[wrap->plan->placements[place].node];
}

/* At most half full: a map of so many names takes eight times as much. */
static void
fill_slots (TplanPlan *wrap)
{
  gsize n_slots = 2;

  while (n_slots / 2 < (gsize) wrap->plan->n_placements)
    n_slots *= 2;
  wrap->mask = n_slots - 1;
  wrap->slots = tp_new0 (int, n_slots);
  for (int i = 0; i < wrap->plan->n_placements; i++)
    {
      gsize at = tp_name_hash (get_op (wrap, i)) & wrap->mask;

      while (wrap->slots[at] != 0)
        at = (at + 1) & wrap->mask;
      wrap->slots[at] = i + 1;
    }
}

/* NULL: no op has this name. */
static const TpPlacement *
find_place (const TplanPlan *wrap, const char *op)
{
  gsize at = tp_name_hash (op) & wrap->mask;

  while (wrap->slots[at] != 0
         && strcmp (get_op (wrap, wrap->slots[at] - 1), op) != 0)
    at = (at + 1) & wrap->mask;
  return wrap->slots[at] == 0 ? NULL
                              : &wrap->plan->placements[wrap->slots[at] - 1];
}

static const char *
get_place (const TpPlan *plan, int device)
{
  return device == TP_COSTS_HOST ? TP_PLAN_HOST : plan->devices[device];
}

static void
fill_transfers (TplanPlan *wrap)
{
  const TpPlan *plan = wrap->plan;

  wrap->transfers = tp_new0 (TplanTransfer, plan->n_transfers + 1);
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];

      wrap->transfers[i] = (TplanTransfer){
        .tensor = wrap->graph->graph->tensors[it->tensor].name,
        .from = get_place (plan, it->from),
        .to = get_place (plan, it->to),
        .size_bytes = it->size_bytes,
        .time_ns = it->time_ns,
      };
    }
}

int
tp_api_pick_threads (const TpPlan *plan, int n_threads)
{
  return n_threads > 0 ? n_threads : plan->origin.n_threads;
}

TplanPlan *
tp_api_wrap_plan (TpPlan *plan, TplanGraph *graph)
{
  g_autoptr (TplanPlan) wrap = g_new0 (TplanPlan, 1);

  wrap->plan = plan;
  wrap->graph = graph;
  fill_devices (wrap);
  fill_slots (wrap);
  fill_transfers (wrap);
  return g_steal_pointer (&wrap);
}

void
tplan_plan_free (TplanPlan *plan)
{
  if (plan == NULL)
    return;
  g_free (plan->slots);
  g_free (plan->devices);
  g_free (plan->transfers);
  tp_ledger_unref (plan->ledger);
  tp_plan_unref (plan->plan);
  tplan_graph_free (plan->graph);
  g_free (plan);
}

typedef struct
{
  const TpPlanSource *source;
  const TplanLoadOptions *options;
  GError **error;
  TplanPlan *plan;
} LoadCall;

static void
load_call (gpointer data)
{
  LoadCall *call = data;
  g_auto (TpLoad) load = { 0 };
  g_autoptr (TpPlan) plan = NULL;
  g_autoptr (TplanGraph) wrap = NULL;
  TpGraph *graph = NULL;

  if (!tp_load_init (&load, call->options, call->error))
    return;
  plan = tp_plan_read_from (call->source, &load.options, &graph, call->error);
  if (plan == NULL)
    return;
  wrap = tp_api_wrap_graph_of (graph, plan);
  call->plan = tp_api_wrap_plan (g_steal_pointer (&plan),
                                 g_steal_pointer (&wrap));
}

static TplanPlan *
read_plan (const TpPlanSource *source, const TplanLoadOptions *options,
           GError **error)
{
  LoadCall call = { source, options, error, NULL };

  tp_guard (load_call, &call, "to read this plan", error);
  return call.plan;
}

TplanPlan *
tplan_plan_load_full (const char *path, const char *graph_path,
                      const TplanLoadOptions *options, GError **error)
{
  const TpPlanSource source = { .path = path, .graph_path = graph_path };

  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (tp_load_is_of_plan (options), NULL);
  return read_plan (&source, options, error);
}

TplanPlan *
tplan_plan_new_from_bytes (GBytes *bytes, GBytes *graph,
                           const TplanLoadOptions *options, GError **error)
{
  const TpPlanSource source
      = { .path = PLAN_IN_MEMORY, .bytes = bytes, .graph = graph };

  g_return_val_if_fail (bytes != NULL, NULL);
  g_return_val_if_fail (tp_load_is_of_plan (options), NULL);
  return read_plan (&source, options, error);
}

TplanPlan *
tplan_plan_load (const char *path, const char *graph_path, GError **error)
{
  return tplan_plan_load_full (path, graph_path, NULL, error);
}

typedef struct
{
  const TplanPlan *plan;
  const char *path;
  GError **error;
  gboolean is_done;
  GBytes *bytes;
} PlanCall;

static void
save_call (gpointer data)
{
  PlanCall *call = data;

  call->is_done = tp_plan_save (call->plan->plan, call->plan->graph->graph,
                                call->path, call->error);
}

static void
write_call (gpointer data)
{
  PlanCall *call = data;
  char *text = tp_plan_to_json (call->plan->plan, call->plan->graph->graph);

  call->bytes = g_bytes_new_take (text, strlen (text));
}

GBytes *
tplan_plan_to_bytes (const TplanPlan *plan, GError **error)
{
  PlanCall call = { .plan = plan, .error = error };

  g_return_val_if_fail (plan != NULL, NULL);
  tp_guard (write_call, &call, "to write this plan", error);
  return call.bytes;
}

gboolean
tplan_plan_save (const TplanPlan *plan, const char *path, GError **error)
{
  PlanCall call = { .plan = plan, .path = path, .error = error };

  g_return_val_if_fail (plan != NULL && path != NULL, FALSE);
  tp_guard (save_call, &call, "to write this plan", error);
  return call.is_done;
}

const TpPlan *
tp_api_get_plan (const TplanPlan *plan)
{
  return plan->plan;
}

gboolean
tp_api_find_margins (TplanPlan *plan, GError **error)
{
  return tp_place_margins (plan->plan, plan->graph->graph, error);
}

gboolean
tp_api_check_plan (const TplanPlan *plan, GPtrArray *reasons)
{
  return tp_bind_check_all (plan->plan, plan->graph->graph, reasons);
}

gboolean
tp_api_check_table (const TplanPlan *plan, const char *path,
                    GPtrArray *reasons, GError **error)
{
  return tp_bind_check_table (plan->plan, plan->graph->graph, path, reasons,
                              error);
}

static void
check_call (gpointer data)
{
  PlanCall *call = data;
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;

  call->is_done = tp_api_check_plan (call->plan, reasons);
  if (call->is_done)
    return;
  g_ptr_array_add (reasons, NULL);
  text = g_strjoinv ("; ", (char **) reasons->pdata);
  g_set_error (call->error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "the plan is not valid: %s: optimize again", text);
}

gboolean
tplan_plan_check (const TplanPlan *plan, GError **error)
{
  PlanCall call = { .plan = plan, .error = error };

  g_return_val_if_fail (plan != NULL, FALSE);
  tp_guard (check_call, &call, "to check this plan", error);
  return call.is_done;
}

const TplanGraph *
tplan_plan_get_graph (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);
  return plan->graph;
}

gint64
tplan_plan_get_cost_ns (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);
  return plan->plan->cost_ns;
}

gint64
tplan_plan_get_run_ns (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);
  return tp_plan_get_run_ns (plan->plan);
}

gboolean
tplan_plan_get_interval_ns (const TplanPlan *plan, gint64 *out_low_ns,
                            gint64 *out_high_ns)
{
  gboolean is_known;
  gint64 low_ns, high_ns;

  g_return_val_if_fail (plan != NULL, FALSE);
  is_known = tp_plan_get_interval (plan->plan, &low_ns, &high_ns);
  if (out_low_ns != NULL)
    *out_low_ns = low_ns;
  if (out_high_ns != NULL)
    *out_high_ns = high_ns;
  return is_known;
}

gint64
tplan_plan_get_bound_ns (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);
  return tp_plan_get_fit_bound_ns (plan->plan);
}

int
tplan_plan_count_estimated (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);
  return plan->plan->n_estimated;
}

const TplanDevice *
tplan_plan_get_devices (const TplanPlan *plan, int *out_n)
{
  g_return_val_if_fail (plan != NULL, NULL);
  tp_set_n (out_n, plan->plan->n_devices);
  return plan->devices;
}

const char *
tplan_plan_find_device (const TplanPlan *plan, const char *op)
{
  const TpPlacement *it;

  g_return_val_if_fail (plan != NULL && op != NULL, NULL);
  it = find_place (plan, op);
  return it == NULL ? NULL : plan->plan->devices[it->device];
}

const char *
tplan_plan_find_reason (const TplanPlan *plan, const char *op)
{
  const TpPlacement *it;

  g_return_val_if_fail (plan != NULL && op != NULL, NULL);
  it = find_place (plan, op);
  return it == NULL ? NULL
                    : tp_reason_get_name (tp_plan_find_reason (
                          plan->plan, plan->graph->graph, it, NULL));
}

const TplanTransfer *
tplan_plan_get_transfers (const TplanPlan *plan, int *out_n)
{
  g_return_val_if_fail (plan != NULL, NULL);
  tp_set_n (out_n, plan->plan->n_transfers);
  return plan->transfers;
}
