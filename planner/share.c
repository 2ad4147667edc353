/* share.c: placements on three devices and more.
 *
 * There the least cost is no cut, and finding it is hard. Cuts find cheap
 * placements (share-move.c), a bound says that none is cheaper (share-climb.c), and
 * a tree of choices closes gaps between the two (share-tree.c). */
#include "config.h"

#include "planner/share.h"

#include "ir/guard.h"
#include "planner/limit.h"
#include "planner/share-price.h"
#include "planner/share-room.h"
#include "planner/share-sweep.h"
#include "planner/share-tie.h"
#include "planner/share-tree.h"

#include <string.h>

/* What those that fit cost at least: by sweeps, or by shares, whichever is more, and more
 * than what all do. */
static void
take_proof (TpPlan *plan, TpMemoryProof **swept)
{
  TpShareProof *shares = plan->share_proof;
  gint64 least = shares->room == NULL ? plan->bound_ns : shares->room_ns;

  if (*swept == NULL || (*swept)->bound_ns <= MAX (least, plan->bound_ns))
    return;
  plan->memory_proof = g_steal_pointer (swept);
  g_clear_pointer (&shares->room, tp_share_bound_free);
  tp_array_set_size (shares->prices, 0);
  shares->room_ns = 0;
}

/* What sweeps leave open is searched from the start, and then from what they found if
 * that is cheaper: moves lead elsewhere. */
static void
search_on (TpShareModel *model, TpPlan *plan, const guint8 *cheapest,
           TpShareRoom *room)
{
  g_autoptr (TpShareRoom) other = tp_share_room_new (model, cheapest);

  tp_share_room_start (other);
  tp_share_room_offer_pairs (other);
  tp_share_room_search (other);
  if (tp_share_room_take (other, tp_share_room_get_best (room)))
    tp_share_room_search (other);
  tp_share_price_search (model->problem, cheapest, other, plan->bound_ns,
                         plan->share_proof);
  tp_share_room_improve (other);
  tp_share_room_take (room, tp_share_room_get_best (other));
}

/* Of what is part of a larger search a bound is wanted most, and what sweeps find will
 * do. */
static gboolean
is_enough (const TpProblem *problem, const TpMemoryProof *swept,
           const TpShareRoom *room)
{
  gint64 cost = tp_share_room_get_cost (room);

  return swept != NULL
         && (swept->bound_ns >= cost
             || (problem->is_part && cost != TP_COST_NONE));
}

/* In place of @devices, which takes too much. The bound stays that of all
 * placements; of those that fit there is one beside it. */
static gboolean
keep_limits (TpShareModel *model, TpPlan *plan, guint8 *devices,
             GError **error)
{
  g_autoptr (TpShareRoom) room = tp_share_room_new (model, devices);
  g_autoptr (TpMemoryProof) swept = NULL;

  tp_share_room_start (room);
  if (model->problem->n_cuts == 0)
    swept = tp_share_sweep (model->problem, room);
  if (!is_enough (model->problem, swept, room))
    search_on (model, plan, devices, room);
  memcpy (devices, tp_share_room_get_best (room), model->n_ops);
  take_proof (plan, &swept);
  return tp_share_room_get_cost (room) != TP_COST_NONE
         || tp_limit_fail (model->problem, (const gint8 *) devices,
                           tp_plan_get_fit_bound_ns (plan) == TP_COST_NONE,
                           error);
}

/* Limits of memory are kept by what is cheapest, noise or not. */
static gboolean
share_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
             guint8 *cheapest, GError **error)
{
  g_autoptr (TpShareModel) model = tp_share_model_new (problem, error);
  gint64 cost;

  if (model == NULL)
    return FALSE;
  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int d = 0; d < problem->n_devices; d++)
      plan->constant_ns += tp_problem_get_gain (problem, i, d);
  plan->share_proof
      = tp_share_tree_search (model, devices, &cost, &plan->bound_ns);
  memcpy (cheapest, devices, problem->graph->n_nodes);
  if (problem->limits != NULL)
    return keep_limits (model, plan, devices, error);
  if (problem->heeds_noise)
    plan->tie_price_ns = tp_share_tie_break (problem, cheapest, devices);
  return TRUE;
}

gboolean
tp_share_find_any (const TpProblem *problem, guint8 *devices, GError **error)
{
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *cheapest
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);

  return problem->n_devices > 2
             ? share_solve (problem, plan, devices, cheapest, error)
             : tp_limit_find (problem, devices, error);
}

/* By the first bound: what the op costs elsewhere is that much above the least of
 * all, at least. */
static void
share_fill_margins (const TpProblem *problem, TpPlan *plan)
{
  g_autoptr (TpShareModel) model = tp_share_model_new (problem, NULL);
  g_auto (TpShareState) state = { 0 };
  g_autofree guint8 *devices = tp_new0 (guint8, plan->n_placements + 1);
  g_autofree gint64 *margins = tp_new0 (gint64, plan->n_placements + 1);
  gint64 bound;

  if (model == NULL || plan->share_proof == NULL
      || plan->share_proof->bounds->len == 0
      || plan->share_proof->unit != model->unit)
    return;
  for (int i = 0; i < plan->n_placements; i++)
    devices[i] = (guint8) plan->placements[i].device;
  tp_share_state_init (&state, model);
  tp_share_tree_recall (plan->share_proof->bounds->pdata[0], model->unit,
                        &state);
  bound = tp_share_state_bound (&state);
  tp_share_state_find_margins (&state, devices, margins);
  for (int i = 0; i < plan->n_placements; i++)
    {
      TpPlacement *it = &plan->placements[i];
      int lead = model->leads[i];

      if ((state.sets[lead] & (state.sets[lead] - 1)) == 0)
        continue;
      it->margin_ns = MAX (bound + margins[lead] - plan->cost_ns, 0);
      it->is_margin_least = TRUE;
    }
}

const TpSolver tp_solver_share = {
  .name = "shares",
  .max_devices = TP_SHARE_MAX_DEVICES,
  .kinds = TP_OBJECTIVE_SUM,
  .keeps_limits = TRUE,
  .allows_changes = TRUE,
  .certificate = TP_PLAN_SHARE_TREE,
  .solve = share_solve,
  .fill_margins = share_fill_margins,
};
