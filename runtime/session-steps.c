/* session-steps.c: what the caller sees of the actions of a run, and what the plan
 * foretold for each. */
#include "config.h"

#include "runtime/session-steps.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/map.h"
#include "runtime/session-private.h"

typedef struct
{
  TpSession *session;
  gint64 *node_ns;            /* per node, as the plan has it */
  TpMap *transfers;           /* (root, device) -> 1 + its number in the plan */
} Foretold;

/* The tensor of @root on its way to @to. */
static gpointer
get_transfer_key (const TpSession *session, int root, int to)
{
  return GSIZE_TO_POINTER ((gsize) root * (session->plan->n_devices + 1) + to
                           - TP_COSTS_HOST);
}

static void
foretold_init (Foretold *foretold, TpSession *session)
{
  const TpPlan *plan = session->plan;
  const int *roots = session->execution->roots;

  foretold->session = session;
  foretold->node_ns = tp_new0 (gint64, session->graph->n_nodes + 1);
  foretold->transfers
      = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);
  for (int i = 0; i < plan->n_placements; i++)
    foretold->node_ns[plan->placements[i].node] = tp_plan_get_op_ns (plan, i);
  for (int i = plan->n_transfers - 1; i >= 0; i--)
    {
      const TpTransfer *it = &plan->transfers[i];

      if (it->tensor >= 0 && it->tensor < session->graph->n_tensors)
        tp_map_insert (
            foretold->transfers,
            get_transfer_key (session, roots[it->tensor], it->to),
            GINT_TO_POINTER (i + 1));
    }
}

static void
foretold_clear (Foretold *foretold)
{
  g_free (foretold->node_ns);
  tp_map_free (foretold->transfers);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Foretold, foretold_clear)

static gint64
foretell_unit (const Foretold *foretold, const TpPlacedUnit *unit)
{
  gint64 time_ns = 0;

  for (int i = 0; i < unit->n_nodes; i++)
    time_ns += foretold->node_ns[unit->nodes[i]];
  return time_ns;
}

static gint64
foretell_transfer (const Foretold *foretold, int tensor, int to)
{
  const TpSession *session = foretold->session;
  int number = GPOINTER_TO_INT (tp_map_lookup (
      foretold->transfers,
      get_transfer_key (session, session->execution->roots[tensor], to)));

  return number > 0 ? tp_plan_get_transfer_ns (session->plan, number - 1) : 0;
}

/* Whether @action copies from one memory to another. */
static gboolean
is_transfer (const TpAction *action)
{
  return action->kind == TP_DO_MOVE
         || ((action->kind == TP_DO_FEED || action->kind == TP_DO_FETCH)
             && action->from != action->to);
}

static void
add_step (const Foretold *foretold, int index)
{
  TpSession *session = foretold->session;
  const TpExecution *execution = session->execution;
  const TpAction *action = &execution->actions[index];
  TpSessionStep step = { .node = -1, .tensor = -1, .planned_ns = -1,
                         .begin_ns = -1, .planned_feed_ns = -1,
                         .feed_begin_ns = -1 };

  session->step_of[index] = -1;
  if (action->kind == TP_DO_LAUNCH)
    {
      const TpPlacedUnit *unit = &execution->units->units[action->unit];

      step.node = unit->nodes[0];
      step.device = unit->device;
      step.predicted_ns = foretell_unit (foretold, unit);
    }
  else if (is_transfer (action))
    {
      step.tensor = action->tensor;
      step.from = action->from;
      step.device = action->to;
      step.predicted_ns
          = foretell_transfer (foretold, action->tensor, action->to);
    }
  else
    return;
  session->step_of[index] = session->steps->len;
  tp_array_append_val (session->steps, step);
}

void
tp_session_make_steps (TpSession *session)
{
  g_auto (Foretold) foretold = { NULL };

  foretold_init (&foretold, session);
  for (int i = 0; i < session->execution->n_actions; i++)
    add_step (&foretold, i);
}
