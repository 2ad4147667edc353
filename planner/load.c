/* load.c: see load.h.
 *
 * For weights that add up to one, the weighted mean of what engines carry is at most
 * what the busiest carries; and the placement whose mean is least is a minimum cut, of
 * costs that are weighted. So every choice of weights proves a bound, and its cut is a
 * candidate. The best weights are those of a linear program whose rows are all
 * placements: here the placements met so far (J. E. Kelley, The cutting-plane method
 * for solving convex programs, 1960). As few placements say little of weights far
 * from those tried, every second cut is halfway to the best weights yet (W. Ben-Ameur
 * and J. Neto, Acceleration of cutting-plane and column generation algorithms, 2007).
 * What no weights can prove stays as a gap: placements cannot be mixed. */
#include "config.h"

#include "planner/load.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/cut.h"
#include "planner/load-move.h"
#include "planner/load-weights.h"
#include "planner/network.h"

#include <string.h>

#define MAX_ENGINES TP_LOAD_MAX_ENGINES
#define MIN_WEIGHTS 64        /* coarser ones prove little */
#define MAX_CUTS 40
#define MIN_CUTS 6
#define CUT_NODES (1 << 21)   /* over all cuts, if not for MIN_CUTS */
#define MOVES (1 << 20)

typedef struct
{
  const TpProblem *problem;
  TpLoadModel model;
  TpLoadBest best;
  TpArray *rows;              /* TpLoadRow: of placements met */
  gint64 total;               /* what weights add up to, rounding apart */
  guint8 *devices;            /* of the last cut */
  guint8 *previous;           /* of the one before */
  gint64 bound;
  gint64 weights[MAX_ENGINES]; /* that prove it */
} Search;

static void
search_clear (Search *search)
{
  tp_load_model_clear (&search->model);
  g_clear_pointer (&search->best.devices, g_free);
  g_clear_pointer (&search->best.loads, g_free);
  g_clear_pointer (&search->rows, tp_array_unref);
  g_clear_pointer (&search->devices, g_free);
  g_clear_pointer (&search->previous, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

/* ---- weights ------------------------------------------------------------- */

/* In whole numbers. Engines that are one have one weight. */
static void
round_weights (const Search *search, const double *weights, gint64 *out)
{
  for (int e = 0; e < search->model.n_engines; e++)
    out[e] = search->problem->costs->is_same_silicon
                 ? 1
                 : (gint64) (weights[e] * (double) search->total);
}

static gint64
sum_weights (const Search *search, const gint64 *weights)
{
  gint64 sum = 0;

  if (search->problem->costs->is_same_silicon)
    return weights[0];
  for (int e = 0; e < search->model.n_engines; e++)
    sum += weights[e];
  return sum;
}

/* ---- cuts ---------------------------------------------------------------- */

static void
add_row (Search *search, const guint8 *devices)
{
  TpLoadRow row = { { 0 } };

  tp_load_model_sum (&search->model, devices, row.loads);
  tp_array_append_val (search->rows, row);
}

/* What no weighted sum of loads is below; of its placement are the devices. */
static gint64
cut (Search *search, const gint64 *weights)
{
  g_autoptr (TpProblem) weighed = tp_problem_weigh (search->problem, weights);
  g_autoptr (TpNetwork) network = tp_network_new (weighed);
  gint64 value = tp_network_solve (network);

  for (int i = 0; i < search->problem->graph->n_nodes; i++)
    search->devices[i] = (guint8) tp_network_get_device (network, i);
  return value - tp_network_get_constant (network);
}

static void
offer_cut (Search *search)
{
  int n = search->problem->graph->n_nodes;

  tp_load_best_offer (&search->best, search->devices);
  tp_load_best_walk (&search->best, search->previous, search->devices);
  tp_load_best_walk (&search->best, search->devices, search->previous);
  memcpy (search->previous, search->devices, n);
  add_row (search, search->devices);
}

static gint64
get_load (const Search *search)
{
  return search->best.loads[tp_load_model_find_busiest (&search->model,
                                                       search->best.loads)];
}

/* The least weighted sum of loads of all rows. */
static gint64
find_least (const Search *search, const gint64 *weights)
{
  gint64 least = TP_COST_NONE;

  for (guint i = 0; i < search->rows->len; i++)
    {
      const TpLoadRow *row = &tp_array_index (search->rows, TpLoadRow, i);
      gint64 sum = 0;

      for (int e = 0; e < search->model.n_engines; e++)
        sum += weights[e] * row->loads[e];
      least = MIN (least, sum);
    }
  return least;
}

/* FALSE: its cut is no placement that rows did not tell of. */
static gboolean
try_weights (Search *search, const double *weights)
{
  gint64 whole[MAX_ENGINES] = { 0 };
  gint64 least, value, sum, bound;

  round_weights (search, weights, whole);
  least = find_least (search, whole);
  value = cut (search, whole);
  sum = sum_weights (search, whole);
  bound = value / sum + (value % sum > 0);
  if (bound > search->bound)
    {
      search->bound = bound;
      memcpy (search->weights, whole, sizeof whole);
    }
  offer_cut (search);
  return value < least;
}

/* Halfway to those of the best bound. */
static void
pull_weights (const Search *search, double *weights)
{
  double sum = (double) sum_weights (search, search->weights);

  for (int e = 0; e < search->model.n_engines; e++)
    weights[e] = (weights[e] + (double) search->weights[e] / sum) / 2;
}

static void
search_weights (Search *search, int n_cuts)
{
  double weights[MAX_ENGINES];

  for (int i = 0; i < n_cuts && search->bound < get_load (search); i++)
    {
      gboolean is_pulled = i % 2 == 1;

      tp_load_find_weights (search->rows, search->model.n_engines, weights);
      if (is_pulled)
        pull_weights (search, weights);
      if (!try_weights (search, weights) && !is_pulled)
        return;
    }
}

/* ---- all ----------------------------------------------------------------- */

/* Any placement: ops on @device where they may be. */
static void
fill_devices (const TpProblem *problem, int device, guint8 *out)
{
  for (int i = 0; i < problem->graph->n_nodes; i++)
    out[i] = (guint8) (tp_problem_node_cost (problem, i, device)
                               != TP_COST_NONE
                           ? device
                           : 1 - device);
}

static void
search_init (Search *search, const TpProblem *problem)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;

  search->problem = problem;
  tp_load_model_init (&search->model, problem);
  search->rows = tp_array_new (sizeof (TpLoadRow));
  search->devices = tp_new0 (guint8, n);
  search->previous = tp_new0 (guint8, n);
  search->total = MIN (TP_LOAD_WEIGHTS,
                       (TP_PROBLEM_LIMIT - 1) / (problem->sum + 1));
  search->best = (TpLoadBest){
    .model = &search->model,
    .devices = tp_new0 (guint8, n),
    .loads = tp_new0 (gint64, MAX_ENGINES),
    .work_left = MOVES,
  };
  search->bound = -1;
  fill_devices (problem, 0, search->best.devices);
  tp_load_model_sum (&search->model, search->best.devices,
                     search->best.loads);
  add_row (search, search->best.devices);
}

static void
search_all (Search *search)
{
  int n = search->problem->graph->n_nodes;
  int n_cuts = CLAMP (CUT_NODES / (n + 1), MIN_CUTS, MAX_CUTS);

  memcpy (search->previous, search->best.devices, n);
  fill_devices (search->problem, 1, search->devices);
  offer_cut (search);
  search_weights (search, n_cuts);
  if (search->bound < get_load (search))
    tp_load_best_improve (&search->best);
}

/* One device: all there is is on it. */
static void
search_alone (Search *search)
{
  int busiest = tp_load_model_find_busiest (&search->model,
                                            search->best.loads);

  for (int e = 0; e < search->model.n_engines; e++)
    search->weights[e]
        = e == busiest || search->problem->costs->is_same_silicon;
  search->bound = search->best.loads[busiest];
}

/* The arcs of the best weights. */
static void
fill_arcs (const Search *search, TpLoadProof *proof)
{
  g_autoptr (TpProblem) weighed
      = tp_problem_weigh (search->problem, search->weights);
  g_autoptr (TpNetwork) network = NULL;

  if (search->problem->n_devices == 1)
    return;
  network = tp_network_new (weighed);
  tp_network_solve (network);
  proof->arcs = tp_network_dup_arcs (network, NULL, &proof->n_arcs);
}

static TpLoadProof *
make_proof (const Search *search)
{
  int n = search->model.n_engines;
  g_autoptr (TpLoadProof) proof = tp_load_proof_new (n);

  proof->load_ns = get_load (search);
  proof->bound_ns = search->bound;
  memcpy (proof->loads, search->best.loads, sizeof (gint64) * n);
  memcpy (proof->weights, search->weights, sizeof (gint64) * n);
  fill_arcs (search, proof);
  return g_steal_pointer (&proof);
}

TpLoadProof *
tp_load_solve (const TpProblem *problem, guint8 *devices, GError **error)
{
  g_auto (Search) search = { 0 };

  if (problem->n_devices > 2)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "%d devices: the load of the busiest is made least for at "
                   "most 2: name fewer",
                   problem->n_devices);
      return NULL;
    }
  if (problem->sum > TP_PROBLEM_LIMIT / MIN_WEIGHTS)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                   "all costs together reach 2^56, too much to be weighted: "
                   "mend the costs");
      return NULL;
    }
  search_init (&search, problem);
  if (problem->n_devices == 1)
    search_alone (&search);
  else
    search_all (&search);
  memcpy (devices, search.best.devices, problem->graph->n_nodes);
  return make_proof (&search);
}

/* With the plan that is cheapest for one run by itself, and its proof: what is given
 * up for throughput is known as surely. Noise breaks no ties here. */
static gboolean
load_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
            guint8 *cheapest, GError **error)
{
  TpProblem exact = *problem;

  exact.heeds_noise = FALSE;
  plan->load_proof = tp_load_solve (problem, devices, error);
  return plan->load_proof != NULL
         && tp_solver_cut.solve (&exact, plan, cheapest, cheapest, error);
}

const TpSolver tp_solver_load = {
  .name = "weighted-cuts",
  .max_devices = 2,
  .kinds = TP_OBJECTIVE_MAX,
  .certificate = TP_PLAN_WEIGHTED_CUT,
  .solve = load_solve,
};
