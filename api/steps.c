/* steps.c: what a session does in a run, beside what was foretold of it. */
#include "config.h"

#include "api/steps.h"

#include "ir/guard.h"
#include "ir/plan-reason.h"

typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  const TpPlacement **placements; /* [node] */
  int *n_ops;                 /* [node]: of the group whose first it is */
  gint64 *spreads_ns;         /* [node]: with all of that group */
} Foretold;

static void
add_group (Foretold *foretold, const TpGroup *group)
{
  int first = group->nodes[0];
  gint64 spread_ns = 0;

  for (int i = 0; i < group->n_nodes; i++)
    {
      first = MIN (first, group->nodes[i]);
      spread_ns += foretold->spreads_ns[group->nodes[i]];
    }
  foretold->n_ops[first] = group->n_nodes;
  foretold->spreads_ns[first] = spread_ns;
}

static void
foretold_init (Foretold *foretold, const TpPlan *plan, const TpGraph *graph)
{
  foretold->plan = plan;
  foretold->graph = graph;
  foretold->placements = tp_new0 (const TpPlacement *, graph->n_nodes + 1);
  foretold->n_ops = tp_new0 (int, graph->n_nodes + 1);
  foretold->spreads_ns = tp_new0 (gint64, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    foretold->n_ops[i] = 1;
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];

      foretold->placements[it->node] = it;
      foretold->spreads_ns[it->node] = it->spread_ns;
    }
  for (int i = 0; plan->groups != NULL && i < plan->groups->n_groups; i++)
    if (!plan->groups->groups[i].is_claimed)
      add_group (foretold, &plan->groups->groups[i]);
}

static void
foretold_clear (Foretold *foretold)
{
  g_free (foretold->placements);
  g_free (foretold->n_ops);
  g_free (foretold->spreads_ns);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Foretold, foretold_clear)

static void
set_op (const Foretold *foretold, int node, TplanStep *step)
{
  const TpPlacement *it = foretold->placements[node];

  step->op = foretold->graph->nodes[node].name;
  step->n_ops = foretold->n_ops[node];
  step->spread_ns = foretold->spreads_ns[node];
  if (it == NULL || foretold->plan->costs == NULL)
    return; /* a plan for the host alone, where others failed */
  step->reason = tp_reason_get_name (
      tp_plan_find_reason (foretold->plan, foretold->graph, it, NULL));
}

TplanStep *
tp_steps_foretell (const TpSession *session, const TpPlan *plan,
                   const TpGraph *graph)
{
  int n;
  const TpSessionStep *from = tp_session_get_steps (session, &n);
  g_autofree TplanStep *steps = tp_new0 (TplanStep, n + 1);
  g_auto (Foretold) foretold = { 0 };

  foretold_init (&foretold, plan, graph);
  for (int i = 0; i < n; i++)
    {
      steps[i].device = from[i].device == TP_COSTS_HOST
                            ? TP_PLAN_HOST
                            : plan->devices[from[i].device];
      steps[i].predicted_ns = from[i].predicted_ns;
      if (from[i].node >= 0)
        set_op (&foretold, from[i].node, &steps[i]);
      else
        steps[i].tensor = graph->tensors[from[i].tensor].name;
    }
  return g_steal_pointer (&steps);
}

void
tp_steps_measure (const TpSession *session, TplanStep *steps)
{
  int n;
  const TpSessionStep *from = tp_session_get_steps (session, &n);

  for (int i = 0; i < n; i++)
    steps[i].measured_ns = from[i].measured_ns;
}
