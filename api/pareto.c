/* pareto.c: see pareto.h. */
#include "config.h"

#include "api/pareto.h"

#include "api/graph.h"
#include "api/plan.h"
#include "ir/guard.h"
#include "ir/plan-memory.h"
#include "planner/break-even.h"
#include "planner/pareto.h"

#include <string.h>

typedef struct
{
  const TplanPlan *plan;
  const TpAim *aims;
  GError **error;
  TpPareto *pareto;
} FindCall;

/* What a plan remembers of how it was asked for. */
static void
sign (TpPlan *plan, const TpPlan *as, const TpGraph *graph)
{
  g_free (plan->graph_path);
  plan->graph_path = g_strdup (as->graph_path);
  g_clear_pointer (&plan->dims, tp_dims_unref);
  if (as->dims != NULL)
    plan->dims = tp_dims_ref (as->dims);
  plan->pins = tp_strdupv ((const char *const *) as->pins);
  plan->no_pass = g_strdupv (as->no_pass);
  plan->ties = g_strdupv (as->ties);
  plan->numbers = g_strdupv (as->numbers);
  plan->no_fuse = g_strdupv (as->no_fuse);
  plan->micro_batches = tp_micro_batches_copy (&as->micro_batches);
  plan->streamed = tp_strdupv ((const char *const *) as->streamed);
  plan->streamed_from = g_strdup (as->streamed_from);
  plan->origin = as->origin;
  plan->origin.facts = g_strdupv (as->origin.facts);
  plan->origin.machine = g_strdup (as->origin.machine);
  tp_plan_count_memory (plan, graph);
}

static void
find_call (gpointer data)
{
  FindCall *call = data;
  const TpPlan *as = tp_api_get_plan (call->plan);
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (call->plan));

  call->pareto = tp_pareto_find (graph, as->all_groups, as->costs, call->aims,
                                 call->error);
  for (int i = 0; call->pareto != NULL && i < call->pareto->n_points; i++)
    sign (call->pareto->plans[i], as, graph);
}

TpPareto *
tp_api_find_pareto (const TplanPlan *plan, const TpAim *aims, GError **error)
{
  FindCall call = { plan, aims, error, NULL };

  if (strcmp (tp_api_get_plan (plan)->objective, "time") != 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "all points are made of time, energy and price: leave out "
                 "--objective");
  else if (tp_api_get_plan (plan)->memory_limits != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "all points are not made within limits of memory: leave out "
                 "--mem-limit and --mem-reserve");
  else
    tp_guard (find_call, &call, "to find all points", error);
  return call.pareto;
}

typedef struct
{
  const TplanPlan *plan;
  TpBreakEven *out;
  GError **error;
  gboolean is_good;
} EvenCall;

static void
even_call (gpointer data)
{
  EvenCall *call = data;
  const TpPlan *plan = tp_api_get_plan (call->plan);

  call->is_good = tp_break_even_find (
      tp_api_get_graph (tplan_plan_get_graph (call->plan)), plan->all_groups,
      plan->costs, call->out, call->error);
}

gboolean
tp_api_find_break_even (const TplanPlan *plan, TpBreakEven *out,
                        GError **error)
{
  EvenCall call = { plan, out, error, FALSE };

  tp_guard (even_call, &call, "to find the price at which a device pays",
            error);
  return call.is_good;
}
