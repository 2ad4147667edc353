/* load-room.c: see load-room.h.
 *
 * As without limits (load.c) any weights of engines prove a bound: the least weighted sum
 * of loads, over what weights add up to. Here it is the least of what fits, which the
 * solvers within limits bound, of two devices or of more; and what they find is a
 * candidate. Weights are those of what was met so far and fits. */
#include "config.h"

#include "planner/load-room.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/limit.h"
#include "planner/load-bound.h"
#include "planner/load-model.h"
#include "planner/load-weights.h"
#include "planner/share.h"

#include <string.h>

#define MAX_ROUNDS 2
#define MAX_ENGINES TP_LOAD_MAX_ENGINES

typedef struct
{
  const TpProblem *problem;
  TpLoadModel model;
  TpArray *rows;              /* TpLoadRow: of placements that fit */
  guint8 *devices;            /* caller's: the best */
  TpLoadProof *proof;
} Search;

static void
search_clear (Search *search)
{
  tp_load_model_clear (&search->model);
  g_clear_pointer (&search->rows, tp_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

/* Of a placement that fits, which may be the best. */
static void
add_row (Search *search, const guint8 *devices)
{
  TpLoadProof *proof = search->proof;
  TpLoadRow row = { { 0 } };
  gint64 load;

  tp_load_model_sum (&search->model, devices, row.loads);
  tp_array_append_val (search->rows, row);
  load = row.loads[tp_load_model_find_busiest (&search->model, row.loads)];
  if (load >= proof->load_ns)
    return;
  proof->load_ns = load;
  memcpy (proof->loads, row.loads, sizeof (gint64) * proof->n_engines);
  memmove (search->devices, devices, search->problem->graph->n_nodes);
}

/* What none that fits is below, as weighted; 0: nothing is known. */
static gint64
get_bound (const TpPlan *plan)
{
  if (plan->memory_proof != NULL)
    return plan->memory_proof->bound_ns;
  return plan->share_proof != NULL && plan->share_proof->room != NULL
             ? plan->share_proof->room_ns
             : 0;
}

/* Takes what @plan, of weighted sums, proves, if that is more than before. */
static void
keep_bound (Search *search, const gint64 *weights, TpPlan *plan)
{
  TpLoadProof *proof = search->proof;
  gint64 sum = tp_load_sum_weights (&search->model, weights);
  gint64 least = get_bound (plan), bound = least / sum + (least % sum > 0);
  TpRoomProof *room;

  if (bound <= MAX (proof->bound_ns, tp_load_proof_get_bound (proof)))
    return;
  tp_room_proof_free (proof->room);
  proof->room = room = tp_room_proof_new (proof->n_engines);
  memcpy (room->weights, weights, sizeof (gint64) * (gsize) proof->n_engines);
  room->bound_ns = MIN (bound, proof->load_ns);
  room->tree = g_steal_pointer (&plan->memory_proof);
  if (room->tree != NULL)
    return;
  room->shares = g_steal_pointer (&plan->share_proof);
  tp_pointers_cut (room->shares->bounds, 0);
  tp_array_set_size (room->shares->entries, 0);
}

/* FALSE: nothing was found to fit. */
static gboolean
try_weights (Search *search, const gint64 *weights)
{
  gsize n = (gsize) search->problem->graph->n_nodes;
  g_autoptr (TpProblem) weighed = tp_problem_weigh (search->problem, weights);
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *devices = tp_new0 (guint8, n + 1);
  g_autofree guint8 *cheapest = tp_new0 (guint8, n + 1);
  const TpSolver *solver = search->problem->n_devices > 2 ? &tp_solver_share
                                                          : &tp_solver_limit;

  weighed->heeds_noise = FALSE;
  if (!solver->solve (weighed, plan, devices, cheapest, NULL))
    return FALSE;
  add_row (search, devices);
  keep_bound (search, weights, plan);
  return TRUE;
}

/* Whole, and at least 1: where nothing is gained no group is one kernel, and what is
 * between its ops is held. FALSE: they are those before. */
static gboolean
find_weights (const Search *search, gint64 *weights)
{
  double best[MAX_ENGINES];
  gint64 before[MAX_ENGINES];
  gsize size = sizeof (gint64) * (gsize) search->model.n_engines;

  memcpy (before, weights, size);
  tp_load_find_weights (search->rows, search->model.n_engines, best);
  tp_load_round_weights (&search->model, best,
                         tp_load_bound_get_total (search->problem) / 2,
                         weights);
  for (int e = 0; e < search->model.n_engines; e++)
    weights[e] = MAX (weights[e], 1);
  return memcmp (before, weights, size) != 0;
}

void
tp_load_room_search (const TpProblem *problem, guint8 *devices,
                     TpLoadProof *proof)
{
  g_auto (Search) search = { .problem = problem, .devices = devices,
                             .proof = proof };
  gint64 weights[MAX_ENGINES] = { 0 };

  tp_load_model_init (&search.model, problem);
  search.rows = tp_array_new (sizeof (TpLoadRow));
  add_row (&search, devices);
  for (int i = 0; i < (problem->n_devices > 2 ? 1 : MAX_ROUNDS); i++)
    if (tp_load_proof_get_bound (proof) >= proof->load_ns
        || !find_weights (&search, weights)
        || !try_weights (&search, weights))
      return;
}
