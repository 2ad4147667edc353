/* pareto.c: see pareto.h. */
#include "config.h"

#include "api/pareto.h"

#include "api/graph.h"
#include "api/plan.h"
#include "ir/guard.h"
#include "ir/plan-memory.h"
#include "ir/pools.h"
#include "planner/break-even.h"
#include "planner/pareto.h"

#include <string.h>

typedef struct
{
  const TplanPlan *plan;
  int n_aims;
  const TpAim *aims;
  GError **error;
  TpPareto *pareto;
} FindCall;

/* As @plan was made: within what it keeps to and what devices have. g_free (). */
static gint64 *
list_limits (const TpPlan *plan)
{
  gint64 *limits = tp_pools_list_memory (plan->costs);

  for (int i = 0; i < tp_pools_count_rows (plan->costs); i++)
    {
      gint64 asked = plan->memory_limits == NULL ? 0 : plan->memory_limits[i];

      if (asked > 0)
        limits[i] = limits[i] > 0 ? MIN (limits[i], asked) : asked;
    }
  return limits;
}

/* What it keeps to is said by those that it does not make dearer, too. */
static void
sign_limits (TpPlan *plan, const TpPlan *as)
{
  gsize size = sizeof (gint64) * (gsize) tp_pools_count_rows (as->costs);

  if (plan->memory_limits == NULL && as->memory_limits != NULL)
    plan->memory_limits = tp_memdup (as->memory_limits, size);
  if (as->memory_reserves != NULL)
    plan->memory_reserves = tp_memdup (as->memory_reserves, size);
}

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
  plan->cut = g_strdupv (as->cut);
  plan->no_fuse = g_strdupv (as->no_fuse);
  plan->micro_batches = tp_micro_batches_copy (&as->micro_batches);
  plan->streamed = tp_strdupv ((const char *const *) as->streamed);
  plan->streamed_from = g_strdup (as->streamed_from);
  plan->origin = as->origin;
  plan->origin.facts = g_strdupv (as->origin.facts);
  plan->origin.machine = g_strdup (as->origin.machine);
  sign_limits (plan, as);
  tp_plan_count_memory (plan, graph);
}

static void
find_call (gpointer data)
{
  FindCall *call = data;
  const TpPlan *as = tp_api_get_plan (call->plan);
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (call->plan));
  g_autofree gint64 *limits = list_limits (as);
  const TpParetoTask task = { graph, as->all_groups, as->costs,
                              limits, call->n_aims, call->aims };

  call->pareto = tp_pareto_find (&task, call->error);
  for (int i = 0; call->pareto != NULL && i < call->pareto->n_points; i++)
    sign (call->pareto->plans[i], as, graph);
}

TpPareto *
tp_api_find_pareto (const TplanPlan *plan, int n_aims, const TpAim *aims,
                    GError **error)
{
  FindCall call = { plan, n_aims, aims, error, NULL };

  if (strcmp (tp_api_get_plan (plan)->objective, "time") != 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "all points are made of time, energy and price: leave out "
                 "--objective");
  else
    tp_guard (find_call, &call, "to find all points", error);
  return call.pareto;
}

typedef struct
{
  const TplanPlan *plan;
  int device;
  TpBreakEven *out;
  GError **error;
  gboolean is_good;
} EvenCall;

static void
even_call (gpointer data)
{
  EvenCall *call = data;
  const TpPlan *plan = tp_api_get_plan (call->plan);
  g_autofree gint64 *limits = list_limits (plan);
  const TpBreakEvenTask task
      = { tp_api_get_graph (tplan_plan_get_graph (call->plan)),
          plan->all_groups, plan->costs, limits };

  call->is_good
      = tp_break_even_find (&task, call->device, call->out, call->error);
}

gboolean
tp_api_find_break_even (const TplanPlan *plan, int device, TpBreakEven *out,
                        GError **error)
{
  EvenCall call = { plan, device, out, error, FALSE };

  tp_guard (even_call, &call, "to find the price at which a device pays",
            error);
  return call.is_good;
}
