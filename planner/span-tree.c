/* span-tree.c: see span-tree.h. Where all ops come before or after one, a run is
 * before it and then after it, so that what each part takes at least adds up: over
 * devices of such ops it is a shortest path. The parts on that path are looked at
 * more closely, each in the end whose bound is least, by an op on the one device and
 * then on the other (A. H. Land and A. G. Doig, An automatic method of solving
 * discrete programming problems, 1960). */
#include "config.h"

#include "planner/span-tree.h"

#include "ir/guard.h"

#include <string.h>

#define WORK (1 << 21)        /* ops over all bounds */
#define MAX_NODES (1 << 14)
#define MAX_SUM (G_GINT64_CONSTANT (1) << 58) /* of costs: bounds add up */

typedef struct
{
  int parent;                 /* -1: a root */
  int op, device;             /* fixed below the parent */
  int depth;
  gint64 bound;
  int first_child;            /* of all, by device; -1: it is an end */
  int next;                   /* of the same root, or -1 */
} Node;

void
tp_span_tree_free (TpSpanTree *tree)
{
  if (tree == NULL)
    return;
  tp_span_stage_clear (&tree->stage);
  tp_span_stages_free (tree->stages);
  g_clear_pointer (&tree->nodes, tp_array_unref);
  g_free (tree->roots);
  g_free (tree->lowest);
  g_free (tree->reach);
  g_free (tree->via);
  g_free (tree->chosen);
  g_free (tree->allowed);
  g_free (tree);
}

/* ---- nodes ---------------------------------------------------------------- */

/* Of a tree: a stage, and the devices of the ops at which it starts and ends. */
typedef struct
{
  int stage, from, to;        /* 0 where there is no such op */
} Part;

static Node *
get_node (const TpSpanTree *tree, int index)
{
  return &tp_array_index (tree->nodes, Node, index);
}

static int *
get_root (const TpSpanTree *tree, Part part)
{
  gsize n = (gsize) tree->problem->n_devices;

  return &tree->roots[((gsize) part.stage * n + part.from) * n + part.to];
}

/* The op at which @stage ends; -1: none. */
static int
get_waist (const TpSpanTree *tree, int stage)
{
  return stage >= 0 && stage < tree->stages->n_waists
             ? tree->stages->waists[stage]
             : -1;
}

/* Whether @waist (-1: there is none) may be on @device. */
static gboolean
may_be (const TpSpanTree *tree, int waist, int device)
{
  return waist < 0 ? device == 0
                   : tp_problem_node_cost (tree->problem, waist, device)
                         != TP_COST_NONE;
}

/* Ops on the way to @index are where it has them. */
static void
fix (TpSpanTree *tree, Part part, int index)
{
  int start = get_waist (tree, part.stage - 1);
  int end = get_waist (tree, part.stage);

  if (start >= 0)
    tree->stage.may[start] = (guint8) (1u << part.from);
  if (end >= 0)
    tree->stage.may[end] = (guint8) (1u << part.to);
  for (; get_node (tree, index)->parent >= 0;
       index = get_node (tree, index)->parent)
    tree->stage.may[get_node (tree, index)->op]
        = (guint8) (1u << get_node (tree, index)->device);
}

static void
release (TpSpanTree *tree, int stage)
{
  int start = get_waist (tree, stage - 1);
  int first = tree->stages->first_op[stage];

  if (start >= 0)
    tree->stage.may[start] = tree->allowed[start];
  memcpy (&tree->stage.may[first], &tree->allowed[first],
          (gsize) (tree->stages->first_op[stage + 1] - first));
}

/* Of a bound of @n_ops, in ops of two devices: of each its devices are looked at. */
static int
find_work (const TpProblem *problem, int n_ops)
{
  return (int) MIN ((gint64) n_ops * problem->n_devices / 2, WORK);
}

/* Adds it behind @node, and finds its bound. */
static void
add_node (TpSpanTree *tree, Part part, Node node)
{
  int index = (int) tree->nodes->len;
  const int *first = tree->stages->first_op;

  node.first_child = -1;
  tp_array_append_val (tree->nodes, node);
  fix (tree, part, index);
  get_node (tree, index)->bound = tp_span_stage_find (&tree->stage, part.stage);
  release (tree, part.stage);
  tree->work_left -= find_work (
      tree->problem, first[part.stage + 1] - first[part.stage] + 8);
}

/* ---- the shortest path ---------------------------------------------------- */

static int *
get_lowest (const TpSpanTree *tree, Part part)
{
  return &tree->lowest[get_root (tree, part) - tree->roots];
}

/* The end with the lowest bound, of several the one that fixes most. */
static void
update_lowest (TpSpanTree *tree, Part part)
{
  int found = -1;

  for (int i = *get_root (tree, part); i >= 0; i = get_node (tree, i)->next)
    {
      const Node *it = get_node (tree, i);
      const Node *best = found < 0 ? NULL : get_node (tree, found);

      if (it->first_child < 0
          && (best == NULL || it->bound < best->bound
              || (it->bound == best->bound && it->depth > best->depth)))
        found = i;
    }
  *get_lowest (tree, part) = found;
}

/* The least of all ways to have the op that ends @stage on @to. */
static void
reach (TpSpanTree *tree, int stage, int to)
{
  int n = tree->problem->n_devices;
  gsize at = (gsize) stage * n + to;

  tree->reach[at] = TP_COST_NONE;
  for (int from = 0; from < n; from++)
    {
      Part part = { stage, from, to };
      gint64 sum;

      if (*get_root (tree, part) < 0)
        continue;
      sum = get_node (tree, *get_lowest (tree, part))->bound
            + (stage == 0 ? 0 : tree->reach[at - to - n + from]);
      if (sum >= tree->reach[at])
        continue;
      tree->reach[at] = sum;
      tree->via[at] = (guint8) from;
    }
}

/* Again, from @stage on. */
static void
find_path (TpSpanTree *tree, int stage)
{
  int last = tree->stages->n_waists, n = tree->problem->n_devices;
  const gint64 *ends = &tree->reach[(gsize) last * n];

  for (; stage <= last; stage++)
    for (int to = 0; to < n; to++)
      reach (tree, stage, to);
  tree->bound_ns = ends[0];
  for (int i = last, to = 0; i >= 0; i--)
    {
      tree->chosen[i] = (guint8) to;
      to = tree->via[(gsize) i * n + to];
    }
}

static Part
get_chosen (const TpSpanTree *tree, int stage)
{
  return (Part){ stage, stage == 0 ? 0 : tree->chosen[stage - 1],
                 tree->chosen[stage] };
}

/* ---- all trees ------------------------------------------------------------ */

static void
add_roots (TpSpanTree *tree, int stage)
{
  int n = tree->problem->n_devices;

  for (int i = 0; i < n * n; i++)
    {
      Part part = { stage, i / n, i % n };
      gboolean is_part = may_be (tree, get_waist (tree, stage - 1), part.from)
                         && may_be (tree, get_waist (tree, stage), part.to);

      *get_root (tree, part) = is_part ? (int) tree->nodes->len : -1;
      if (is_part)
        add_node (tree, part, (Node){ .parent = -1, .op = -1, .next = -1 });
      update_lowest (tree, part);
    }
}

/* Whether others want what @node of group @index makes. */
static gboolean
leaves (const TpSpanTree *tree, int index, int node)
{
  const TpGraph *graph = tree->problem->graph;

  for (int k = 0; k < graph->nodes[node].n_outputs; k++)
    {
      int tensor = graph->nodes[node].outputs[k];
      const TpTensor *it = tensor < 0 ? NULL : &graph->tensors[tensor];

      if (it != NULL && it->is_output)
        return TRUE;
      for (int c = 0; it != NULL && c < it->n_consumers; c++)
        if (tree->stages->group_of[it->consumers[c]] != index)
          return TRUE;
    }
  return FALSE;
}

/* Whether a group has several results: what is proved of stages takes it that only what
 * the last op makes leaves one. */
static gboolean
has_several_results (const TpSpanTree *tree)
{
  const TpProblem *problem = tree->problem;

  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int k = 0; k + 1 < problem->groups->groups[i].n_nodes; k++)
      if (leaves (tree, i, problem->groups->groups[i].nodes[k]))
        return TRUE;
  return FALSE;
}

TpSpanTree *
tp_span_tree_new (const TpProblem *problem)
{
  g_autoptr (TpSpanTree) tree = tp_new0 (TpSpanTree, 1);
  gsize n_devices = (gsize) problem->n_devices, n;

  tree->problem = problem;
  tree->stages = tp_span_stages_new (problem);
  tree->nodes = tp_array_new (sizeof (Node));
  tree->work_left = WORK;
  if (n_devices == 1 || tp_costs_is_one_engine (problem->costs)
      || problem->sum >= MAX_SUM || has_several_results (tree)
      || find_work (problem, problem->graph->n_nodes)
             > tree->work_left / (int) (2 * n_devices * n_devices))
    return g_steal_pointer (&tree);
  n = (gsize) tree->stages->n_waists + 1;
  tp_span_stage_init (&tree->stage, problem, tree->stages);
  tree->allowed
      = tp_memdup (tree->stage.may, (gsize) problem->graph->n_nodes + 1);
  tree->roots = tp_new (int, n_devices * n_devices * n);
  tree->lowest = tp_new (int, n_devices * n_devices * n);
  tree->reach = tp_new (gint64, n_devices * n);
  tree->via = tp_new0 (guint8, n_devices * n);
  tree->chosen = tp_new0 (guint8, n);
  for (int i = 0; i < (int) n; i++)
    add_roots (tree, i);
  find_path (tree, 0);
  return g_steal_pointer (&tree);
}

/* ---- growth --------------------------------------------------------------- */

/* How long @op takes, with its group if it has one. */
static gint64
find_weight (const TpSpanTree *tree, int op)
{
  int group = tree->stages->group_of[op];
  const TpGroup *it
      = group < 0 ? NULL : &tree->problem->groups->groups[group];
  gint64 sum = 0;

  for (int i = 0; i < (it == NULL ? 1 : it->n_nodes); i++)
    for (int d = 0; d < tree->problem->n_devices; d++)
      {
        gint64 cost = tp_problem_node_cost (
            tree->problem, it == NULL ? op : it->nodes[i], d);

        sum += cost == TP_COST_NONE ? 0 : cost;
      }
  return sum;
}

static gboolean
is_free (const TpSpanTree *tree, int op)
{
  guint set = tree->stage.may[op];

  return (set & (set - 1)) != 0;
}

/* Of those that are free, one of what takes longest; -1: none is. What is free is as
 * fix () left it. */
static int
choose_op (const TpSpanTree *tree, int stage)
{
  gint64 most = -1;
  int found = -1;

  for (int i = tree->stages->first_op[stage];
       i < tree->stages->first_op[stage + 1]; i++)
    {
      gint64 weight = is_free (tree, i) ? find_weight (tree, i) : -1;

      if (weight <= most)
        continue;
      most = weight;
      found = i;
    }
  return found;
}

/* In its lowest end. FALSE: no op is free there. */
static gboolean
branch (TpSpanTree *tree, Part part)
{
  int index = *get_lowest (tree, part), n = (int) tree->nodes->len;
  int root = *get_root (tree, part);
  Node below = { .parent = index, .depth = get_node (tree, index)->depth + 1 };

  fix (tree, part, index);
  below.op = choose_op (tree, part.stage);
  release (tree, part.stage);
  if (below.op < 0)
    return FALSE;
  get_node (tree, index)->first_child = n;
  for (below.device = 0; below.device < tree->problem->n_devices; below.device++)
    {
      if (!may_be (tree, below.op, below.device))
        continue;
      below.next = get_node (tree, root)->next;
      get_node (tree, root)->next = (int) tree->nodes->len;
      add_node (tree, part, below);
    }
  update_lowest (tree, part);
  return TRUE;
}

/* Each part on the path. FALSE: nothing is left to do there. */
static gboolean
branch_all (TpSpanTree *tree)
{
  gboolean has_grown = FALSE;

  for (int i = 0; i <= tree->stages->n_waists && tree->work_left > 0; i++)
    if (branch (tree, get_chosen (tree, i)))
      has_grown = TRUE;
  return has_grown;
}

gboolean
tp_span_tree_grow (TpSpanTree *tree, gint64 target)
{
  if (tree->bound_ns == 0 || tree->bound_ns >= target || tree->work_left <= 0
      || tree->nodes->len >= MAX_NODES || !branch_all (tree))
    return FALSE;
  find_path (tree, 0);
  return TRUE;
}

void
tp_span_tree_fill_devices (const TpSpanTree *tree, guint8 *devices)
{
  for (int i = 0; i <= tree->stages->n_waists && tree->bound_ns > 0; i++)
    {
      Part part = get_chosen (tree, i);
      int waist = get_waist (tree, i);

      if (waist >= 0)
        devices[waist] = (guint8) part.to;
      for (int k = *get_lowest (tree, part); get_node (tree, k)->parent >= 0;
           k = get_node (tree, k)->parent)
        devices[get_node (tree, k)->op] = (guint8) get_node (tree, k)->device;
    }
}

/* ---- the proof ------------------------------------------------------------ */

/* Whether it is the last below its parent. */
static gboolean
is_last (const TpSpanTree *tree, const Node *node)
{
  return node->device + 1u
         == g_bit_storage (tree->allowed[node->op]);
}

/* What comes after node @index, device after device; -1: it was the last. */
static int
find_next (const TpSpanTree *tree, int index)
{
  while (get_node (tree, index)->parent >= 0
         && is_last (tree, get_node (tree, index)))
    index = get_node (tree, index)->parent;
  return get_node (tree, index)->parent >= 0 ? index + 1 : -1;
}

/* As far down as its bound needs. */
static void
add_entries (TpSpanTree *tree, Part part, TpArray *entries)
{
  int index = *get_root (tree, part);
  gint64 bound
      = index < 0 ? 0 : get_node (tree, *get_lowest (tree, part))->bound;

  while (index >= 0)
    {
      Node *node = get_node (tree, index);
      int first = node->first_child;
      gboolean is_end = first < 0 || node->bound == bound;
      int entry = is_end ? TP_SPAN_END : get_node (tree, first)->op;

      tp_array_append_val (entries, entry);
      index = is_end ? find_next (tree, index) : first;
    }
}

/* Not NULL where there is none. */
static int *
dup_ints (const int *from, gsize n)
{
  int *copy = tp_new (int, n + 1);

  if (n > 0)
    memcpy (copy, from, n * sizeof (int));
  return copy;
}

void
tp_span_tree_fill_proof (TpSpanTree *tree, TpSpanProof *proof)
{
  g_autoptr (TpArray) entries = tp_array_new (sizeof (int));
  int n = tree->stages->n_waists, n_devices = tree->problem->n_devices;
  int n_parts = n_devices * n_devices;

  if (tree->bound_ns <= proof->bound_ns)
    return;
  for (int i = 0; i < n_parts * (n + 1); i++)
    add_entries (tree,
                 (Part){ i / n_parts, i / n_devices % n_devices, i % n_devices },
                 entries);
  proof->bound_ns = tree->bound_ns;
  proof->n_waists = n;
  proof->waists = dup_ints (tree->stages->waists, (gsize) n);
  proof->n_entries = (int) entries->len;
  proof->tree = dup_ints ((const int *) (void *) entries->data, entries->len);
}
