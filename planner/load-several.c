/* load-several.c: see load-several.h.
 *
 * As on two devices (load.c), any weights of engines prove a bound: the weighted mean of
 * what engines carry is at most what the busiest does. Its least is no cut here, but the
 * shares of ops bound it from below (share-climb.c), and what cuts find there
 * (share-move.c) is a candidate. Weights are those of the placements met so far, every
 * second time halfway to the best yet. */
#include "config.h"

#include "planner/load-several.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/limit-layout.h"
#include "planner/limit.h"
#include "planner/load-move.h"
#include "planner/load-weights.h"
#include "planner/load.h"
#include "planner/share-move.h"
#include "planner/share-tree.h"
#include "planner/share.h"

#include <string.h>

#define MIN_WEIGHTS 64        /* coarser ones prove little */
#define MAX_ROUNDS 30
#define MIN_ROUNDS 4
#define ROUND_OPS (1 << 13)   /* over all rounds, if not for MIN_ROUNDS */
#define MOVES (1 << 21)
#define ROOM_WORK (1 << 22)   /* as of TpLoadRoom */

typedef struct
{
  const TpProblem *problem;
  TpLoadModel model;
  TpLoadBest best;
  TpArray *rows;              /* TpLoadRow: of placements met */
  gint64 total;               /* what weights add up to, rounding apart */
  guint8 *devices;            /* of the last round */
  guint8 *previous;           /* of the one before */
  TpLoadProof *proof;         /* being made; its weights are the best */
} Search;

static void
search_clear (Search *search)
{
  tp_load_model_clear (&search->model);
  g_free (search->best.devices);
  g_free (search->best.loads);
  tp_array_unref (search->rows);
  g_free (search->devices);
  g_free (search->previous);
  tp_load_proof_free (search->proof);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static void
search_init (Search *search, const TpProblem *problem)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;
  int n_engines;

  search->problem = problem;
  tp_load_model_init (&search->model, problem);
  n_engines = search->model.n_engines;
  search->rows = tp_array_new (sizeof (TpLoadRow));
  search->total = CLAMP (TP_PROBLEM_LIMIT / MAX (problem->sum, 1), MIN_WEIGHTS,
                         TP_LOAD_WEIGHTS);
  search->devices = tp_new0 (guint8, n);
  search->previous = tp_new0 (guint8, n);
  search->best = (TpLoadBest){ .model = &search->model,
                               .devices = tp_new0 (guint8, n),
                               .loads = tp_new0 (gint64, n_engines + 1),
                               .work_left = MOVES };
  search->proof = tp_load_proof_new (n_engines);
  search->proof->bound_ns = -1;
  search->proof->n_bounds = 1;
  search->proof->n_arcs_of = tp_new0 (int, 1);
  search->proof->weights = tp_new0 (gint64, (gsize) n_engines + 1);
}

/* ---- placements ----------------------------------------------------------- */

static gint64
get_load (const Search *search)
{
  return search->best.loads[tp_load_model_find_busiest (&search->model,
                                                       search->best.loads)];
}

static void
add_row (Search *search, const guint8 *devices)
{
  TpLoadRow row = { { 0 } };

  tp_load_model_sum (&search->model, devices, row.loads);
  tp_array_append_val (search->rows, row);
}

static void
offer (Search *search)
{
  int n = search->problem->graph->n_nodes;

  tp_load_best_offer (&search->best, search->devices);
  tp_load_best_walk (&search->best, search->previous, search->devices);
  tp_load_best_walk (&search->best, search->devices, search->previous);
  memcpy (search->previous, search->devices, n);
  add_row (search, search->devices);
}

/* Of the first placement. */
static void
take_room (Search *search)
{
  TpLoadRoom *room = search->best.room;

  if (room == NULL)
    return;
  search->best.excess = room->find_excess (room->data, search->best.devices);
  if (room->start != NULL)
    tp_load_best_offer (&search->best, room->start);
}

/* All that can on one device, each in turn. */
static gboolean
start (Search *search, GError **error)
{
  g_autoptr (TpShareModel) model
      = tp_share_model_new (search->problem, error);

  if (model == NULL)
    return FALSE;
  for (int d = 0; d < search->problem->n_devices; d++)
    {
      tp_share_move_start (model, d, search->devices);
      tp_share_model_spread (model, search->devices);
      if (d == 0)
        {
          memcpy (search->best.devices, search->devices,
                  search->problem->graph->n_nodes);
          tp_load_model_sum (&search->model, search->devices,
                             search->best.loads);
          take_room (search);
          memcpy (search->previous, search->devices,
                  search->problem->graph->n_nodes);
        }
      offer (search);
    }
  return TRUE;
}

/* ---- weights -------------------------------------------------------------- */

/* Keeps what proves more than was proved so far. */
static void
keep_bound (Search *search, const gint64 *weights, gint64 bound,
            const TpShareProof *shares)
{
  TpLoadProof *proof = search->proof;

  if (bound <= proof->bound_ns)
    return;
  proof->bound_ns = bound;
  memcpy (proof->weights, weights,
          sizeof (gint64) * search->model.n_engines);
  proof->share_unit = shares->unit;
  tp_load_proof_take_shares (proof,
                             tp_share_bound_copy (shares->bounds->pdata[0]));
}

/* FALSE: costs are too large, which *error says. */
static gboolean
try_weights (Search *search, const gint64 *weights, GError **error)
{
  g_autoptr (TpProblem) weighed = tp_problem_weigh (search->problem, weights);
  g_autoptr (TpShareModel) model = tp_share_model_new (weighed, error);
  g_autoptr (TpShareProof) shares = NULL;
  gint64 cost, least, sum = tp_load_sum_weights (&search->model, weights);

  if (model == NULL)
    return FALSE;
  shares = tp_share_tree_climb (model, search->devices, &cost, &least);
  keep_bound (search, weights, least / sum + (least % sum > 0), shares);
  offer (search);
  return TRUE;
}

static gboolean
search_weights (Search *search, GError **error)
{
  int n_ops = search->problem->graph->n_nodes + 1;
  int n_rounds = CLAMP (ROUND_OPS / n_ops, MIN_ROUNDS, MAX_ROUNDS);

  if (tp_costs_is_one_engine (search->problem->costs))
    n_rounds = 1;             /* there is one choice of weights */

  for (int i = 0;
       i < n_rounds && search->proof->bound_ns < get_load (search); i++)
    {
      double weights[TP_LOAD_MAX_ENGINES];
      gint64 whole[TP_LOAD_MAX_ENGINES] = { 0 };

      tp_load_find_weights (search->rows, search->model.n_engines, weights);
      if (i % 2 == 1)
        tp_load_pull_weights (&search->model, search->proof->weights, weights);
      tp_load_round_weights (&search->model, weights, search->total, whole);
      if (!try_weights (search, whole, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- all of it ------------------------------------------------------------ */

TpLoadProof *
tp_load_several_solve (const TpProblem *problem, TpLoadRoom *room,
                       guint8 *devices, gint64 *out_excess, GError **error)
{
  g_auto (Search) search = { 0 };
  TpLoadProof *proof;

  search_init (&search, problem);
  if (problem->sum > TP_PROBLEM_LIMIT / MIN_WEIGHTS)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                   "all costs together reach 2^56, too much to be weighted: "
                   "mend the costs");
      return NULL;
    }
  search.best.room = room;
  if (!start (&search, error) || !search_weights (&search, error))
    return NULL;
  tp_load_best_improve (&search.best);
  memcpy (devices, search.best.devices, problem->graph->n_nodes);
  *out_excess = search.best.excess;
  proof = search.proof;
  proof->load_ns = get_load (&search);
  proof->bound_ns = MIN (proof->bound_ns, proof->load_ns);
  memcpy (proof->loads, search.best.loads,
          sizeof (gint64) * search.model.n_engines);
  return g_steal_pointer (&search.proof);
}

/* ---- limits of memory ------------------------------------------------------ */

static gint64
find_excess (gpointer layout, const guint8 *devices)
{
  return tp_limit_layout_get_over (layout, (const gint8 *) devices);
}

/* What is proved holds of all placements, whether they fit or not. */
static TpLoadProof *
solve_within (const TpProblem *problem, guint8 *devices, GError **error)
{
  g_autofree guint8 *start
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  g_auto (TpLimitLayout) layout = { 0 };
  TpLoadRoom room = { find_excess, &layout, ROOM_WORK, start };
  g_autoptr (TpLoadProof) proof = NULL;
  gint64 excess;

  if (!tp_share_find (problem, start, error))
    return NULL;
  tp_limit_layout_init (&layout, problem);
  proof = tp_load_several_solve (problem, &room, devices, &excess, error);
  if (proof == NULL || excess == 0)
    return g_steal_pointer (&proof);
  tp_limit_fail (problem, (const gint8 *) devices, FALSE, error);
  return NULL;
}

/* With the plan that is cheapest for one run by itself, and its proof, as on two
 * devices. */
static gboolean
load_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
            guint8 *cheapest, GError **error)
{
  TpProblem free = *problem;
  gint64 excess;

  free.limits = NULL;
  plan->load_proof = problem->limits == NULL
                         ? tp_load_several_solve (problem, NULL, devices, &excess,
                                                  error)
                         : solve_within (problem, devices, error);
  return plan->load_proof != NULL
         && tp_solver_share.solve (&free, plan, cheapest, cheapest, error);
}

const TpSolver tp_solver_load_several = {
  .name = "weighted-shares",
  .max_devices = TP_SHARE_MAX_DEVICES,
  .kinds = TP_OBJECTIVE_MAX,
  .keeps_limits = TRUE,
  .certificate = TP_PLAN_WEIGHTED_SHARES,
  .solve = load_solve,
};
