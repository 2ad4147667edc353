/* limit-tree.c: see limit-tree.h.
 *
 * A. H. Land and A. G. Doig, An automatic method of solving discrete programming
 * problems, 1960. The node whose bound is lowest is taken next. It is done with
 * where ops fixed so far already hold too much, or where none below is cheaper
 * than the best; else the op that holds most, of those that the cheapest mix of
 * placements has on both devices, is fixed to either. */
#include "config.h"

#include "planner/limit-tree.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/pointers.h"
#include "planner/limit-climb.h"
#include "planner/limit-questions.h"

#include <string.h>

/* Of prices: at the root, and below, where they are about right already. */
#define ROOT_TRIES 100
#define TRIES 12

#define PROBES 400            /* of an op and a device: about what a cut takes */
#define PROBE_CUTS 2          /* as much of a node, at most */

#define TINY 1e-6             /* a part of a mix that is none */

#define MAX_SHARES (1 << 18)  /* in all bounds kept: some MB of a plan */

typedef struct
{
  int parent;                 /* -1: the root */
  int op, device;             /* fixed below the parent */
  gint64 value;               /* none below costs less */
  TpProofKind kind;
  int index, step;            /* as in TpProofEntry */
  int first_child;            /* BRANCH: of two */
} Node;

typedef struct
{
  TpLimitClimber climber;
  TpArray *nodes;             /* Node */
  TpArray *heap;              /* int: open nodes, the lowest value first */
  TpPointers *bounds;         /* TpMemoryBound */
  gint64 n_shares;
  gint8 *fixed;               /* of the node at hand */
} Tree;

static Node *
get_node (const Tree *tree, int index)
{
  return &tp_array_index (tree->nodes, Node, index);
}

/* ---- the open ones ------------------------------------------------------ */

static gboolean
is_before (const Tree *tree, int a, int b)
{
  gint64 x = get_node (tree, a)->value, y = get_node (tree, b)->value;

  return x < y || (x == y && a > b); /* of equal ones the deeper */
}

static void
swap (int *a, int *b)
{
  int kept = *a;

  *a = *b;
  *b = kept;
}

static void
heap_push (Tree *tree, int node)
{
  guint at = tree->heap->len;
  int *heap;

  tp_array_append_val (tree->heap, node);
  heap = (int *) (void *) tree->heap->data;
  for (; at > 0 && is_before (tree, heap[at], heap[(at - 1) / 2]);
       at = (at - 1) / 2)
    swap (&heap[at], &heap[(at - 1) / 2]);
}

static int
heap_pop (Tree *tree)
{
  int *heap = (int *) (void *) tree->heap->data, top = heap[0];
  guint n = tree->heap->len - 1, at = 0;

  heap[0] = heap[n];
  tp_array_set_size (tree->heap, n);
  while (2 * at + 1 < n)
    {
      guint child = 2 * at + 1;

      if (child + 1 < n && is_before (tree, heap[child + 1], heap[child]))
        child++;
      if (!is_before (tree, heap[child], heap[at]))
        break;
      swap (&heap[child], &heap[at]);
      at = child;
    }
  return top;
}

/* ---- nodes -------------------------------------------------------------- */

/* Ops that may be in one place only are there from the start. */
static void
fix_path (Tree *tree, int node)
{
  const TpLimitModel *model = tree->climber.model;

  for (int i = 0; i < model->n_ops; i++)
    tree->fixed[i] = tp_limit_model_may_move (model, i) ? TP_LIMIT_FREE
                     : model->costs->own[2 * (gsize) i] == TP_COST_NONE;
  for (; get_node (tree, node)->parent >= 0;
       node = get_node (tree, node)->parent)
    tp_limit_model_set (model, tree->fixed, get_node (tree, node)->op,
                        get_node (tree, node)->device);
}

static int
add_bound (Tree *tree, TpLimitCut *cut)
{
  tree->n_shares += cut->bound->shares->len + 1;
  tp_pointers_add (tree->bounds, g_steal_pointer (&cut->bound));
  return (int) tree->bounds->len - 1;
}

static void
add_node (Tree *tree, int parent, int op, int device, gint64 value)
{
  const Node *above = get_node (tree, parent);
  Node node = { .parent = parent, .op = op, .device = device, .value = value,
                .kind = TP_PROOF_BOUND, .index = above->index };

  tp_array_append_val (tree->nodes, node);
}

static void
add_child (Tree *tree, int parent, int op, int device, gint64 value)
{
  add_node (tree, parent, op, device, value);
  if (value < tree->climber.best->cost)
    heap_push (tree, (int) tree->nodes->len - 1);
}

/* ---- what a node says --------------------------------------------------- */

static gboolean
is_device_full (const Tree *tree, Node *node, int device)
{
  const TpLimitModel *model = tree->climber.model;
  int step;

  if (model->limits[device] == 0
      || tp_limit_held_peak (&model->held, tree->fixed, device, &step)
             <= model->limits[device])
    return FALSE;
  node->kind = TP_PROOF_FULL;
  node->index = device;
  node->step = step;
  return TRUE;
}

static gboolean
is_full (const Tree *tree, Node *node)
{
  return is_device_full (tree, node, 0) || is_device_full (tree, node, 1);
}

/* @op is on @device, or too much is held there: a node for either below @index, of
 * which the one with @op there, @full, is done with. Returns the other. */
static int
add_forced (Tree *tree, int index, const Node *full)
{
  int child = (int) tree->nodes->len;
  gint64 value = get_node (tree, index)->value;

  for (int k = 0; k < 2; k++)
    add_node (tree, index, full->op, k, value);
  get_node (tree, index)->kind = TP_PROOF_BRANCH;
  get_node (tree, index)->first_child = child;
  get_node (tree, index)->index = full->op;
  get_node (tree, child + full->device)->kind = TP_PROOF_FULL;
  get_node (tree, child + full->device)->index = full->index;
  get_node (tree, child + full->device)->step = full->step;
  tp_limit_model_set (tree->climber.model, tree->fixed, full->op,
                      1 - full->device);
  return child + 1 - full->device;
}

/* Whether its unit can be fixed, and is asked for by this op. */
static gboolean
is_free (const Tree *tree, int op)
{
  return tree->fixed[op] == TP_LIMIT_FREE
         && tp_limit_model_is_choice (tree->climber.model, op);
}

/* Free ops that are too much on a device by themselves, with those fixed so far, are
 * fixed to the other, each under the one before; until there are none, or
 * @probes_left of an op and a device are spent. Returns the node below them all. */
static int
fix_full_ops (Tree *tree, int index, int *probes_left)
{
  const TpLimitModel *model = tree->climber.model;
  gboolean is_new = TRUE;

  while (is_new)
    {
      is_new = FALSE;
      for (int i = 0; i < model->n_ops && *probes_left > 0; i++)
        for (int d = 0; d < 2 && is_free (tree, i); d++)
          {
            Node full = { .op = i, .device = d };

            if (model->limits[d] == 0)
              continue;
            *probes_left -= 1;
            tp_limit_model_set (model, tree->fixed, i, d);
            if (!is_device_full (tree, &full, d))
              {
                tp_limit_model_set (model, tree->fixed, i, TP_LIMIT_FREE);
                continue;
              }
            index = add_forced (tree, index, &full);
            is_new = TRUE;
          }
    }
  return index;
}

static int
force_ops (Tree *tree, int index)
{
  int n_cuts = MIN (index == 0 ? tree->climber.cuts_left / 4 : PROBE_CUTS,
                    tree->climber.cuts_left);
  int probes_left = n_cuts * PROBES;

  index = fix_full_ops (tree, index, &probes_left);
  tree->climber.cuts_left -= n_cuts - probes_left / PROBES;
  return index;
}

/* Whether memory alone rules out all that is below: each of @devices (a bit for
 * each) at the step at which @like holds most there. */
static gboolean
is_ruled_out (Tree *tree, int index, const gint8 *like, guint devices)
{
  TpLimitClimber *climber = &tree->climber;
  g_autoptr (TpArray) prices
      = tp_array_new (sizeof (TpMemoryPrice));
  g_autoptr (TpLimitCut) cut = NULL;

  for (int d = 0; d < 2; d++)
    {
      TpMemoryPrice price
          = { d, 0, MIN (G_GINT64_CONSTANT (1) << 30, climber->max_price) };

      if (climber->model->limits[d] == 0 || !(devices & 1u << d))
        continue;
      tp_limit_held_peak (&climber->model->held, like, d, &price.step);
      tp_array_append_val (prices, price);
    }
  cut = tp_limit_cut_new (climber->model, prices, FALSE, tree->fixed);
  climber->cuts_left--;
  if (cut->value <= 0)
    return FALSE;
  get_node (tree, index)->value = TP_COST_NONE;
  get_node (tree, index)->index = add_bound (tree, cut);
  return TRUE;
}

/* [op]: what it holds, by the prices; where there are none, bytes where most is
 * held too much. */
static gint64 *
weigh_ops (const Tree *tree, int index, const TpLimitClimb *climb)
{
  const TpLimitModel *model = tree->climber.model;
  const TpMemoryBound *bound
      = tree->bounds->pdata[get_node (tree, index)->index];
  g_autofree gint64 *weights = tp_new (gint64, model->n_ops + 1);
  g_autofree gint64 *shares = tp_new (gint64, model->n_ops + 1);

  tp_limit_held_share (&model->held, MAX (climb->device, 0), MAX (climb->step, 0),
                        weights);
  for (int i = 0; i < model->n_ops && bound->prices->len > 0; i++)
    weights[i] = 0;
  for (guint row = 0; row < bound->prices->len; row++)
    {
      const TpMemoryPrice *it
          = &tp_array_index (bound->prices, TpMemoryPrice, row);

      tp_limit_held_share (&model->held, it->device, it->step, shares);
      for (int i = 0; i < model->n_ops; i++)
        weights[i] += MIN (tp_limit_price (it->price, shares[i]),
                           TP_PROBLEM_LIMIT / 8);
    }
  return g_steal_pointer (&weights);
}

static gboolean
is_undecided (const TpLimitClimb *climb, int op)
{
  return MIN (climb->parts[op], 1 - climb->parts[op]) > TINY;
}

static double
weigh_unit (const Tree *tree, const gint64 *weights, int op)
{
  TpColocation unit = tp_limit_model_get_unit (tree->climber.model, &op);
  double sum = 0;

  for (int i = 0; i < unit.n_nodes; i++)
    sum += (double) weights[unit.nodes[i]];
  return sum;
}

/* Of the free units that the mix of placements has on both devices, or else of all, the
 * first op of the one that weighs most; -1: none is free. */
static int
choose_op (const Tree *tree, const TpLimitClimb *climb, const gint64 *weights,
           gboolean is_any)
{
  double most = 0;
  int found = -1;

  for (int i = 0; i < tree->climber.model->n_ops; i++)
    {
      double weight;

      if (!is_free (tree, i) || !(is_any || is_undecided (climb, i)))
        continue;
      weight = weigh_unit (tree, weights, i);
      if (found >= 0 && weight <= most)
        continue;
      found = i;
      most = weight;
    }
  return found < 0 && !is_any ? choose_op (tree, climb, weights, TRUE) : found;
}

/* Where rows of prices see nothing wrong but the layout does. */
static void
look_at_layout (const Tree *tree, TpLimitClimb *climb)
{
  const TpLimitModel *model = tree->climber.model;

  if (climb->device >= 0)
    return;
  climb->device = tp_limit_layout_find_over (&tree->climber.best->layout,
                                             climb->under);
  if (climb->device >= 0)
    tp_limit_held_peak (&model->held, climb->under, climb->device, &climb->step);
}

static void
branch (Tree *tree, int index, TpLimitClimb *climb)
{
  g_autofree gint64 *weights = NULL;
  int op;

  look_at_layout (tree, climb);
  weights = weigh_ops (tree, index, climb);
  op = choose_op (tree, climb, weights, FALSE);
  if (op < 0)
    {
      get_node (tree, index)->kind = TP_PROOF_PLACED;
      return;
    }
  for (int d = 0; d < 2; d++)
    add_child (tree, index, op, d,
               tp_limit_cut_find_value (climb->cut, tree->fixed, op, d));
  get_node (tree, index)->kind = TP_PROOF_BRANCH;
  get_node (tree, index)->first_child = (int) tree->nodes->len - 2;
  get_node (tree, index)->index = op;
}

/* Below @index nothing is cheaper with an op where the bound is that of the best or
 * more: it is fixed to its other device, each under the one before. Returns the
 * node below them all. */
static int
fix_dear_ops (Tree *tree, int index, TpLimitClimb *climb)
{
  const TpLimitBest *best = tree->climber.best;

  for (int i = 0; i < tree->climber.model->n_ops; i++)
    for (int d = 0; d < 2 && is_free (tree, i); d++)
      {
        int child;

        if (tp_limit_cut_find_value (climb->cut, tree->fixed, i, d)
            < best->cost)
          continue;
        child = (int) tree->nodes->len;
        for (int k = 0; k < 2; k++)
          add_node (tree, index, i, k,
                    tp_limit_cut_find_value (climb->cut, tree->fixed, i, k));
        get_node (tree, index)->kind = TP_PROOF_BRANCH;
        get_node (tree, index)->first_child = child;
        get_node (tree, index)->index = i;
        tp_limit_model_set (tree->climber.model, tree->fixed, i, 1 - d);
        index = child + 1 - d;
      }
  return index;
}

static gboolean
is_hopeless (Tree *tree, int index, const TpLimitClimb *climb)
{
  return climb->is_hopeless
         && (is_ruled_out (tree, index, climb->found, 1u << climb->device)
             || is_ruled_out (tree, index, climb->found, 3));
}

/* Where no row is, the layout may be: what was offered would be the best. */
static gboolean
is_over (const Tree *tree, const TpLimitClimb *climb)
{
  return climb->device >= 0
         || tp_limit_model_cost (tree->climber.model, climb->under)
                < tree->climber.best->cost;
}

static void
visit (Tree *tree, int index)
{
  g_auto (TpLimitClimb) climb = { 0 };
  const TpArray *prices;
  gboolean is_root = index == 0;

  tree->climber.n_tries = is_root ? ROOT_TRIES : TRIES;
  fix_path (tree, index);
  if (is_full (tree, get_node (tree, index)))
    return;
  index = force_ops (tree, index);
  if (is_full (tree, get_node (tree, index)))
    return;
  prices = ((TpMemoryBound *) tree->bounds->pdata[get_node (tree, index)
                                                      ->index])->prices;
  tp_limit_climb_init (&climb, &tree->climber, tree->fixed, prices);
  if (is_root || climb.cut->value >= get_node (tree, index)->value)
    {
      get_node (tree, index)->value = climb.cut->value;
      get_node (tree, index)->index = add_bound (tree, climb.cut);
    }
  if (is_over (tree, &climb) && tree->climber.best->work_left > 0)
    {
      tp_limit_best_search (tree->climber.best, climb.under);
      tp_limit_best_search (tree->climber.best, climb.found);
    }
  if (get_node (tree, index)->value >= tree->climber.best->cost
      || is_hopeless (tree, index, &climb))
    return;
  if (climb.cut->bound != NULL)
    get_node (tree, index)->index = add_bound (tree, climb.cut);
  index = fix_dear_ops (tree, index, &climb);
  if (!is_full (tree, get_node (tree, index)))
    branch (tree, index, &climb);
}

/* ---- the proof ---------------------------------------------------------- */

/* The number that bound @index has in the proof, where it is put. */
static int
take_bound (Tree *tree, int index, int *numbers, TpMemoryProof *proof)
{
  if (numbers[index] < 0)
    {
      numbers[index] = (int) proof->bounds->len;
      tp_pointers_add (proof->bounds,
                       g_steal_pointer (&tree->bounds->pdata[index]));
    }
  return numbers[index];
}

/* What the end of a branch allows: TP_COST_NONE: nothing. */
static gint64
find_end_value (Tree *tree, int index)
{
  const Node *node = get_node (tree, index);

  if (node->kind == TP_PROOF_FULL)
    return TP_COST_NONE;
  if (node->kind == TP_PROOF_BOUND)
    return node->value;
  fix_path (tree, index);
  if (tp_limit_layout_get_over (&tree->climber.best->layout, tree->fixed) > 0)
    return TP_COST_NONE;
  return tp_limit_model_cost (tree->climber.model, tree->fixed);
}

static void
write_entry (Tree *tree, int index, int *numbers, TpMemoryProof *proof)
{
  const Node *node = get_node (tree, index);
  TpProofEntry entry
      = { .kind = node->kind, .index = node->index, .step = node->step };
  gint64 value;

  if (node->kind == TP_PROOF_BOUND)
    entry.index = take_bound (tree, node->index, numbers, proof);
  if (node->kind == TP_PROOF_PLACED)
    entry.index = 0;
  tp_array_append_val (proof->entries, entry);
  if (node->kind == TP_PROOF_BRANCH)
    return;
  value = find_end_value (tree, index);
  proof->bound_ns = MIN (proof->bound_ns, value);
}

static TpMemoryProof *
write_proof (Tree *tree)
{
  g_autoptr (TpMemoryProof) proof = tp_memory_proof_new ();
  g_autoptr (TpArray) stack = tp_array_new (sizeof (int));
  g_autofree int *numbers = tp_new (int, tree->bounds->len + 1);
  int at = 0;

  memset (numbers, -1, sizeof (int) * (tree->bounds->len + 1));
  proof->bound_ns = tree->climber.best->cost;
  tp_array_append_val (stack, at);
  while (stack->len > 0)
    {
      at = tp_array_index (stack, int, stack->len - 1);
      tp_array_set_size (stack, stack->len - 1);
      write_entry (tree, at, numbers, proof);
      for (int d = 1; d >= 0 && get_node (tree, at)->kind == TP_PROOF_BRANCH;
           d--)
        {
          int child = get_node (tree, at)->first_child + d;

          tp_array_append_val (stack, child);
        }
    }
  return g_steal_pointer (&proof);
}

static void
tree_clear (Tree *tree)
{
  tp_limit_climber_clear (&tree->climber);
  tp_array_unref (tree->nodes);
  tp_array_unref (tree->heap);
  tp_pointers_free (tree->bounds);
  g_free (tree->fixed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tree, tree_clear)

TpMemoryProof *
tp_limit_tree_search (TpLimitBest *best, int n_cuts)
{
  const TpLimitModel *model = best->model;
  g_auto (Tree) tree = {
    .nodes = tp_array_new (sizeof (Node)),
    .heap = tp_array_new (sizeof (int)),
    .bounds = tp_pointers_new ((GDestroyNotify) tp_memory_bound_free),
  };
  Node root = { .parent = -1, .kind = TP_PROOF_BOUND, .value = G_MININT64 };

  tp_limit_climber_init (&tree.climber, best, n_cuts);
  tree.fixed = tp_new0 (gint8, model->n_ops + 1);
  tp_pointers_add (tree.bounds, tp_memory_bound_new ());
  tp_array_append_val (tree.nodes, root);
  heap_push (&tree, 0);
  while (tree.heap->len > 0 && tree.climber.cuts_left > 0
         && tree.n_shares < MAX_SHARES)
    {
      int index = heap_pop (&tree);

      if (get_node (&tree, index)->value < best->cost)
        visit (&tree, index);
    }
  return write_proof (&tree);
}
