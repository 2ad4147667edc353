/* envelope.c: a plan's figures, as one thing of them changes. */
#include "config.h"

#include "api/envelope.h"

#include "api/graph.h"
#include "api/plan.h"
#include "ir/guard.h"
#include "planner/envelope.h"
#include "planner/scale.h"

#include <string.h>

typedef struct
{
  const TplanPlan *plan;
  const TpScale *scale;
  GError **error;
  TpEnvelope *envelope;
} FindCall;

static void
find_call (gpointer data)
{
  FindCall *call = data;
  const TpPlan *plan = tp_api_get_plan (call->plan);
  g_auto (TpLines) lines
      = { .graph = tp_api_get_graph (tplan_plan_get_graph (call->plan)),
          .groups = plan->all_groups };

  if (tp_scale_make_lines (call->scale, plan->costs, &lines, call->error))
    call->envelope = tp_envelope_find (&lines, call->scale->low,
                                       call->scale->high, call->error);
}

TpEnvelope *
tp_api_find_envelope (const TplanPlan *plan, const TpScale *scale,
                      GError **error)
{
  FindCall call = { plan, scale, error, NULL };
  const char *objective = tp_scale_get_objective (scale);

  if (strcmp (tp_api_get_plan (plan)->objective, objective) != 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "these plans are made for objective '%s' only: leave out "
                 "--objective", objective);
  else if (tp_api_get_plan (plan)->memory_limits != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "plans with limits of memory are not made as one thing changes: "
                 "leave out --mem-limit and --mem-reserve");
  else
    tp_guard (find_call, &call, "to make all plans", error);
  return call.envelope;
}
