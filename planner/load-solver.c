/* load-solver.c: see load-solver.h. */
#include "config.h"

#include "planner/load-solver.h"

#include "ir/guard.h"
#include "planner/cut.h"
#include "planner/limit-layout.h"
#include "planner/limit.h"
#include "planner/load-anneal.h"
#include "planner/load-room.h"
#include "planner/load.h"
#include "planner/room-tree.h"
#include "planner/share-model.h"
#include "planner/share.h"

#define MOVES (1 << 20)       /* as of TpLoadBest */
#define ROOM_WORK (1 << 22)   /* as of TpLoadRoom */

static gint64
find_excess (gpointer layout, const guint8 *devices)
{
  return tp_limit_layout_get_over (layout, (const gint8 *) devices);
}

/* Better placements, where there is a gap; what is proved stays. */
static void
anneal (const TpProblem *problem, guint8 *devices, TpLoadProof *proof)
{
  g_auto (TpLoadModel) model = { 0 };
  TpLoadBest best = { .model = &model, .devices = devices,
                      .loads = proof->loads };

  if (problem->n_devices < 2
      || tp_load_proof_get_bound (proof) == proof->load_ns)
    return;
  tp_load_model_init (&model, problem);
  tp_load_best_anneal (&best);
  best.work_left = MOVES;
  tp_load_best_improve (&best);
  proof->load_ns = proof->loads[tp_load_model_find_busiest (&model, best.loads)];
}

/* Where weights alone leave a gap. */
static void
search_tree (const TpProblem *problem, TpLoadRoom *room, guint8 *devices,
             TpLoadProof *proof)
{
  g_auto (TpLoadModel) model = { 0 };
  const TpRoomPart part = { problem, 1, 0 };
  TpLoadBest best = { &model, devices, proof->loads, 0, room, 0, 0, 0 };

  if (problem->n_devices < 2
      || tp_load_proof_get_bound (proof) == proof->load_ns)
    return;
  tp_load_model_init (&model, problem);
  room->work_left = ROOM_WORK;
  tp_room_tree_search (problem, &part, 1, &best, proof);
}

static TpLoadProof *
solve_free (const TpProblem *problem, guint8 *devices, GError **error)
{
  g_autoptr (TpLoadProof) proof = tp_load_solve (problem, devices, error);

  if (proof != NULL)
    anneal (problem, devices, proof);
  return g_steal_pointer (&proof);
}

/* From the cheapest for one run that fits. What is proved holds of all placements, whether they fit or not. */
static TpLoadProof *
solve_within (const TpProblem *problem, guint8 *devices, GError **error)
{
  gsize n = problem->graph->n_nodes;
  g_autofree guint8 *start = tp_new0 (guint8, n + 1);
  g_auto (TpLimitLayout) layout = { 0 };
  TpLoadRoom room = { find_excess, &layout, ROOM_WORK, start, NULL };
  g_autoptr (TpLoadProof) proof = NULL;
  gint64 excess;

  if (!tp_share_find_any (problem, start, NULL))
    room.start = NULL;
  tp_limit_layout_init (&layout, problem);
  proof = tp_load_solve_within (problem, &room, devices, &excess, error);
  if (proof != NULL && excess == 0)
    {
      tp_load_room_search (problem, devices, &room, proof);
      search_tree (problem, &room, devices, proof);
    }
  if (proof == NULL || excess == 0)
    return g_steal_pointer (&proof);
  tp_limit_fail (problem, (const gint8 *) devices, FALSE, error);
  return NULL;
}

/* With the plan that is cheapest for one run by itself, and its proof: what is given
 * up for throughput is known as surely. Noise breaks no ties here. */
static gboolean
load_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
            guint8 *cheapest, GError **error)
{
  const TpSolver *cheap
      = problem->n_devices > 2 ? &tp_solver_share : &tp_solver_cut;
  TpProblem exact = *problem;

  exact.heeds_noise = FALSE;
  exact.limits = NULL;
  plan->load_proof = problem->limits == NULL
                         ? solve_free (problem, devices, error)
                         : solve_within (problem, devices, error);
  return plan->load_proof != NULL
         && cheap->solve (&exact, plan, cheapest, cheapest, error);
}

const TpSolver tp_solver_load = {
  .name = "weighted-cuts",
  .max_devices = 2,
  .kinds = TP_OBJECTIVE_MAX,
  .keeps_limits = TRUE,
  .certificate = TP_PLAN_WEIGHTED_CUT,
  .solve = load_solve,
};

const TpSolver tp_solver_load_several = {
  .name = "weighted-shares",
  .max_devices = TP_SHARE_MAX_DEVICES,
  .kinds = TP_OBJECTIVE_MAX,
  .keeps_limits = TRUE,
  .certificate = TP_PLAN_WEIGHTED_SHARES,
  .solve = load_solve,
};
