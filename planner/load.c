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
 *
 * What no weights can prove is for a tree: placements cannot be mixed, but with an op
 * on the one device, and then on the other, each with weights of its own, more is
 * proved (A. H. Land and A. G. Doig, An automatic method of solving discrete
 * programming problems, 1960). The node whose bound is lowest is taken next. What the
 * tree may do is counted, in cuts of ops and flows of its proof. */
#include "config.h"

#include "planner/load.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/load-bound.h"
#include "planner/load-weights.h"

#include <string.h>

#define MAX_ENGINES TP_LOAD_MAX_ENGINES
#define MOVES (1 << 20)
#define TREE_ARCS (1 << 16)   /* in the proof, about */

/* How much is tried. */
typedef struct
{
  int min_cuts, max_cuts;     /* of the root */
  int cut_nodes;              /* ops over all of them, if not for min_cuts */
  int tree_cuts;              /* of another node, at most */
  int tree_nodes;             /* ops over all of those */
  int tree_ops;               /* of more there is no tree */
} Limits;

static const Limits of_cuts = { 6, 40, 1 << 21, 24, 1 << 18, G_MAXINT };
static const Limits of_shares = { 4, 30, 1 << 13, 6, 1 << 13, 300 };

typedef struct
{
  int parent;                 /* -1: the root */
  int op, device;             /* fixed below the parent */
  gint64 bound;
  gint64 weights[MAX_ENGINES]; /* that prove it */
  int branch;                 /* op of its two children; -1: it is an end */
  int first_child;
} Node;

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
  TpArray *nodes;             /* Node */
  gint8 *fixed;               /* [op]: device; -1: it is free */
  guint8 *met;                /* [op]: devices of its rows, a bit for each */
  gint64 work_left;           /* of the tree, in ops over all cuts */
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
  g_clear_pointer (&search->nodes, tp_array_unref);
  g_clear_pointer (&search->fixed, g_free);
  g_clear_pointer (&search->met, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static const Limits *
get_limits (const Search *search)
{
  return search->problem->n_devices > 2 ? &of_shares : &of_cuts;
}

/* ---- cuts ---------------------------------------------------------------- */

static void
add_row (Search *search, const guint8 *devices)
{
  TpLoadRow row = { { 0 } };

  tp_load_model_sum (&search->model, devices, row.loads);
  tp_array_append_val (search->rows, row);
  for (int i = 0; i < search->problem->graph->n_nodes; i++)
    search->met[i] |= (guint8) (1u << devices[i]);
}

/* What no weighted sum of loads is below; of its placement are the devices. */
static gint64
cut (Search *search, const gint64 *weights)
{
  search->work_left -= search->problem->graph->n_nodes;
  return tp_load_bound_find (search->problem, weights, search->fixed,
                             search->devices);
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
try_weights (Search *search, const gint64 *weights)
{
  gint64 least = find_least (search, weights);
  gint64 value = cut (search, weights);
  gint64 sum = tp_load_sum_weights (&search->model, weights);
  gint64 bound = value / sum + (value % sum > 0);

  if (bound > search->bound)
    {
      search->bound = bound;
      memmove (search->weights, weights, sizeof search->weights);
    }
  offer_cut (search);
  return value < least;
}

static void
search_weights (Search *search, int n_cuts)
{
  double weights[MAX_ENGINES];

  for (int i = 0; i < n_cuts && search->bound < get_load (search); i++)
    {
      gboolean is_pulled = i % 2 == 1;
      gint64 whole[MAX_ENGINES] = { 0 };

      tp_load_find_weights (search->rows, search->model.n_engines, weights);
      if (is_pulled)
        tp_load_pull_weights (&search->model, search->weights, weights);
      tp_load_round_weights (&search->model, weights, search->total, whole);
      if (!try_weights (search, whole) && !is_pulled)
        return;
    }
}

/* ---- the tree ------------------------------------------------------------ */

static Node *
get_node (const Search *search, int index)
{
  return &tp_array_index (search->nodes, Node, index);
}

static void
fix_path (Search *search, int index)
{
  memset (search->fixed, -1, (gsize) search->problem->graph->n_nodes);
  for (; get_node (search, index)->parent >= 0;
       index = get_node (search, index)->parent)
    {
      const Node *node = get_node (search, index);

      tp_problem_move (search->problem, &node->op, node->device,
                       (guint8 *) search->fixed);
    }
}

/* Rows are of placements with fixed ops where they are: others say nothing here. */
static void
start_rows (Search *search)
{
  int n = search->problem->graph->n_nodes;

  tp_array_set_size (search->rows, 0);
  memset (search->met, 0, (gsize) n);
  for (int device = 0; device < search->problem->n_devices; device++)
    {
      tp_problem_gather (search->problem, device, search->devices);
      for (int i = 0; i < n; i++)
        if (search->fixed[i] >= 0)
          search->devices[i] = (guint8) search->fixed[i];
      offer_cut (search);
    }
}

/* From the weights of the node above, which prove as much here. */
static void
try_node (Search *search, int index)
{
  Node *node = get_node (search, index);

  fix_path (search, index);
  start_rows (search);
  search->bound = -1;
  try_weights (search, node->weights);
  search_weights (search, get_limits (search)->tree_cuts);
  node->bound = search->bound;
  memcpy (node->weights, search->weights, sizeof node->weights);
}

static gboolean
may_be (const Search *search, int op, int device)
{
  return tp_problem_node_cost (search->problem, op, device) != TP_COST_NONE;
}

/* Whether @op may be on several devices, whatever others are on. */
static gboolean
may_branch (const Search *search, int op)
{
  int n = 0;

  if (search->fixed[op] >= 0 || !tp_problem_leads (search->problem, op))
    return FALSE;
  for (int d = 0; d < search->problem->n_devices; d++)
    n += may_be (search, op, d);
  return n > 1;
}

/* The longest that it takes on any device, with what is to be where it is. */
static gint64
find_time (const Search *search, int op)
{
  int n;
  const int *ops = tp_problem_get_together (search->problem, &op, &n);
  gint64 most = 0;

  for (int d = 0; d < search->problem->n_devices; d++)
    {
      gint64 sum = 0;

      if (!may_be (search, op, d))
        continue;
      for (int i = 0; i < n; i++)
        sum += tp_problem_node_cost (search->problem, ops[i], d);
      most = MAX (most, sum);
    }
  return most;
}

static gboolean
is_met_once (const Search *search, int op)
{
  guint set = search->met[op];

  return (set & (set - 1)) == 0;
}

/* The longest of those that placements disagree about, or else of all; -1: none. */
static int
choose_op (const Search *search, gboolean is_any)
{
  gint64 most = -1;
  int found = -1;

  for (int i = 0; i < search->problem->graph->n_nodes; i++)
    {
      gint64 time;

      if ((!is_any && is_met_once (search, i)) || !may_branch (search, i))
        continue;
      time = find_time (search, i);
      if (time <= most)
        continue;
      most = time;
      found = i;
    }
  return found >= 0 || is_any ? found : choose_op (search, TRUE);
}

/* Placements of the node were met last. FALSE: no op is free. */
static gboolean
branch (Search *search, int index)
{
  Node below = *get_node (search, index);
  int op = choose_op (search, FALSE);

  if (op < 0)
    return FALSE;
  get_node (search, index)->branch = op;
  get_node (search, index)->first_child = (int) search->nodes->len;
  below.parent = index;
  below.op = op;
  for (below.device = 0; below.device < search->problem->n_devices;
       below.device++)
    if (may_be (search, op, below.device))
      tp_array_append_val (search->nodes, below);
  return TRUE;
}

/* The end with the lowest bound. */
static int
find_lowest (const Search *search)
{
  int found = -1;

  for (int i = 0; i < (int) search->nodes->len; i++)
    if (get_node (search, i)->branch < 0
        && (found < 0
            || get_node (search, i)->bound < get_node (search, found)->bound))
      found = i;
  return found;
}

/* Until what is proved is what the best placement carries, or enough was done. The
 * root is done, and what is in its rows was met. */
static void
search_tree (Search *search)
{
  const Limits *limits = get_limits (search);
  Node root = { .parent = -1, .op = -1, .branch = -1, .bound = search->bound };
  guint most = (guint) (2 * TREE_ARCS
                         / (1 + 2 * (guint) search->problem->graph->n_tensors));
  int index = 0;

  memcpy (root.weights, search->weights, sizeof root.weights);
  tp_array_append_val (search->nodes, root);
  search->work_left = search->problem->graph->n_nodes > limits->tree_ops
                          ? 0
                          : limits->tree_nodes;
  while (get_node (search, index)->bound < get_load (search)
         && search->work_left > 0 && search->nodes->len < most)
    {
      if (index > 0)
        try_node (search, index);
      if (get_node (search, index)->bound < get_load (search)
          && !branch (search, index))
        break;
      index = find_lowest (search);
    }
  search->bound = MIN (get_node (search, find_lowest (search))->bound,
                       get_load (search));
}

/* ---- the proof ----------------------------------------------------------- */

/* Whether it stands after all others below its parent. */
static gboolean
is_last (const Search *search, const Node *node)
{
  for (int d = node->device + 1; d < search->problem->n_devices; d++)
    if (may_be (search, node->op, d))
      return FALSE;
  return TRUE;
}

/* What comes after node @index, device after device; -1: it was the last. */
static int
find_next (const Search *search, int index)
{
  while (index > 0 && is_last (search, get_node (search, index)))
    index = get_node (search, index)->parent;
  return index > 0 ? index + 1 : -1;
}

/* As far down as it takes to prove the bound. */
static void
fill_tree (Search *search, TpLoadProof *proof)
{
  gsize n = search->nodes->len;
  g_autoptr (TpArray) flows = tp_array_new (sizeof (gint64));

  proof->tree = tp_new (int, n);
  proof->weights = tp_new0 (gint64, n * proof->n_engines);
  proof->share_units = tp_new0 (gint64, n);
  for (int index = 0; index >= 0;)
    {
      const Node *node = get_node (search, index);
      gboolean is_end = node->branch < 0 || node->bound >= search->bound;

      proof->tree[proof->n_entries++] = is_end ? TP_LOAD_END : node->branch;
      fix_path (search, index);
      if (is_end)
        tp_load_bound_prove (search->problem, node->weights, search->fixed,
                             proof, flows);
      index = is_end ? find_next (search, index) : node->first_child;
    }
  proof->n_flows = (int) flows->len;
  proof->flows = tp_array_steal (flows);
}

/* ---- all ----------------------------------------------------------------- */

static void
search_init (Search *search, const TpProblem *problem)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;

  search->problem = problem;
  tp_load_model_init (&search->model, problem);
  search->rows = tp_array_new (sizeof (TpLoadRow));
  search->devices = tp_new0 (guint8, n);
  search->previous = tp_new0 (guint8, n);
  search->nodes = tp_array_new (sizeof (Node));
  search->met = tp_new0 (guint8, n);
  search->fixed = tp_new (gint8, n);
  memset (search->fixed, -1, n);
  search->total = tp_load_bound_get_total (problem);
  search->best = (TpLoadBest){
    .model = &search->model,
    .devices = tp_new0 (guint8, n),
    .loads = tp_new0 (gint64, MAX_ENGINES),
    .work_left = MOVES * MAX (problem->n_devices - 1, 1),
  };
  search->bound = -1;
  tp_problem_gather (problem, 0, search->best.devices);
  tp_load_model_sum (&search->model, search->best.devices,
                     search->best.loads);
  add_row (search, search->best.devices);
}

static void
search_all (Search *search)
{
  int n = search->problem->graph->n_nodes;
  const Limits *limits = get_limits (search);

  memcpy (search->previous, search->best.devices, n);
  for (int d = 1; d < search->problem->n_devices; d++)
    {
      tp_problem_gather (search->problem, d, search->devices);
      offer_cut (search);
    }
  search_weights (search, CLAMP (limits->cut_nodes / (n + 1),
                                 limits->min_cuts, limits->max_cuts));
  if (search->bound < get_load (search) || search->best.excess > 0)
    tp_load_best_improve (&search->best);
  search_tree (search);
}

/* One device: all there is is on it. */
static void
search_alone (Search *search)
{
  int busiest = tp_load_model_find_busiest (&search->model,
                                            search->best.loads);

  for (int e = 0; e < search->model.n_engines; e++)
    search->weights[e]
        = e == busiest || tp_costs_is_one_engine (search->problem->costs);
  search->bound = search->best.loads[busiest];
  search_tree (search);
}

static TpLoadProof *
make_proof (Search *search)
{
  int n = search->model.n_engines;
  g_autoptr (TpLoadProof) proof = tp_load_proof_new (n);

  proof->load_ns = get_load (search);
  proof->bound_ns = search->bound;
  memcpy (proof->loads, search->best.loads, sizeof (gint64) * n);
  fill_tree (search, proof);
  return g_steal_pointer (&proof);
}

TpLoadProof *
tp_load_solve_within (const TpProblem *problem, TpLoadRoom *room,
                      guint8 *devices, gint64 *out_excess, GError **error)
{
  g_auto (Search) search = { 0 };

  if (!tp_load_bound_check (problem, error))
    return NULL;
  search_init (&search, problem);
  search.best.room = room;
  if (room != NULL)
    search.best.excess = room->find_excess (room->data, search.best.devices);
  if (room != NULL && room->start != NULL)
    tp_load_best_offer (&search.best, room->start);
  if (problem->n_devices == 1)
    search_alone (&search);
  else
    search_all (&search);
  memcpy (devices, search.best.devices, problem->graph->n_nodes);
  *out_excess = search.best.excess;
  return make_proof (&search);
}

TpLoadProof *
tp_load_solve (const TpProblem *problem, guint8 *devices, GError **error)
{
  gint64 excess;

  return tp_load_solve_within (problem, NULL, devices, &excess, error);
}
