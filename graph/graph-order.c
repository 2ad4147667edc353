/* graph-order.c: see graph-order.h.
 *
 * Which order takes least is hard to find. Two rules are tried, and what they give is
 * kept where it takes less than the order of the file:
 *
 * - Of all ops that may run, the one after which least is alive. That is short-sighted,
 *   and right where branches shrink.
 * - R. Sethi and J. D. Ullman, The generation of optimal code for arithmetic
 *   expressions, 1970: of what an op reads, that is made first which wants most memory
 *   beside what it leaves. That is the best for trees, and graphs are like trees in
 *   parts. */
#include "config.h"

#include "graph/graph-order.h"

#include "graph/graph-sort.h"
#include "ir/guard.h"
#include "ir/name-hash.h"
#include "ir/types.h"
#include "ir/units.h"

#include <string.h>

#define MAX_LOOKS (G_GINT64_CONSTANT (1) << 26) /* at ops that may run: half a second */

typedef struct
{
  const TpGraph *graph;
  int *roots;                 /* [tensor]: what it is a view of, or itself */
  int *uses;                  /* [root]: ops that read it, and the caller */
  int *left;                  /* likewise, of those that have not run */
  int *pending;               /* [node]: tensors it reads that are not made */
  int *seen;                  /* [root]: the op that looked at it last */
  int *order;                 /* nodes that have run */
  int n;
  gint64 live, peak;
} Run;

static void
run_clear (Run *run)
{
  g_free (run->roots);
  g_free (run->uses);
  g_free (run->left);
  g_free (run->pending);
  g_free (run->seen);
  g_free (run->order);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

/* Of @node, input @i: what it reads; -1: nothing that comes and goes, or that it read
 * as another input. */
static int
get_read (Run *run, const TpNode *node, int i)
{
  int index = (int) (node - run->graph->nodes);
  int root = node->inputs[i] < 0 ? -1 : run->roots[node->inputs[i]];

  if (root < 0 || tp_tensor_is_resident (&run->graph->tensors[root])
      || run->seen[root] == index)
    return -1;
  run->seen[root] = index;
  return root;
}

static void
forget_seen (Run *run)
{
  memset (run->seen, -1, sizeof (int) * (run->graph->n_tensors + 1));
}

/* Views hold nothing, and are held by whoever reads them. */
static void
count_uses (Run *run)
{
  const TpGraph *graph = run->graph;

  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];

      for (int k = 0; k < node->n_outputs && tp_node_is_view (node); k++)
        run->roots[node->outputs[k]] = run->roots[node->inputs[0]];
      for (int k = 0; k < node->n_inputs && !tp_node_is_view (node); k++)
        {
          int root = get_read (run, node, k);

          if (root >= 0)
            run->uses[root]++;
        }
    }
  for (int i = 0; i < graph->n_outputs; i++)
    run->uses[run->roots[graph->outputs[i]]]++;
  forget_seen (run);
}

static void
run_init (Run *run, const TpGraph *graph)
{
  gsize n_tensors = (gsize) graph->n_tensors + 1;
  gsize n_nodes = (gsize) graph->n_nodes + 1;

  *run = (Run){ .graph = graph };
  run->roots = tp_new (int, n_tensors);
  run->uses = tp_new0 (int, n_tensors);
  run->left = tp_new (int, n_tensors);
  run->seen = tp_new (int, n_tensors);
  run->pending = tp_new (int, n_nodes);
  run->order = tp_new (int, n_nodes);
  for (int i = 0; i < graph->n_tensors; i++)
    run->roots[i] = i;
  forget_seen (run);
  count_uses (run);
}

static void
hold (Run *run, int root)
{
  if (!tp_size_add (run->live, run->graph->tensors[root].size_bytes,
                    &run->live))
    run->live = G_MAXINT64 / 2;
  run->peak = MAX (run->peak, run->live);
}

/* Nothing has run, and the caller's tensors are there. */
static void
run_begin (Run *run)
{
  const TpGraph *graph = run->graph;

  memcpy (run->left, run->uses, sizeof (int) * graph->n_tensors);
  forget_seen (run);
  run->n = 0;
  run->live = run->peak = 0;
  memset (run->pending, 0, sizeof (int) * graph->n_nodes);
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].producer >= 0)
      for (int k = 0; k < graph->tensors[i].n_consumers; k++)
        run->pending[graph->tensors[i].consumers[k]]++;
    else if (!tp_tensor_is_resident (&graph->tensors[i])
             && run->uses[i] > 0)
      hold (run, i);
}

static void
release (Run *run, int root)
{
  run->live -= run->graph->tensors[root].size_bytes;
}

/* Appends to @ready (nullable) the ops that may run now. */
static void
run_node (Run *run, int index, TpArray *ready)
{
  const TpNode *node = &run->graph->nodes[index];
  gboolean is_view = tp_node_is_view (node);

  run->order[run->n++] = index;
  for (int i = 0; i < node->n_outputs && !is_view; i++)
    hold (run, node->outputs[i]);
  for (int i = 0; i < node->n_inputs && !is_view; i++)
    {
      int root = get_read (run, node, i);

      if (root >= 0 && --run->left[root] == 0)
        release (run, root);
    }
  for (int i = 0; i < node->n_outputs; i++)
    {
      const TpTensor *it = &run->graph->tensors[node->outputs[i]];

      if (!is_view && run->left[node->outputs[i]] == 0)
        release (run, node->outputs[i]);
      for (int k = 0; k < it->n_consumers && ready != NULL; k++)
        if (--run->pending[it->consumers[k]] == 0)
          tp_array_append_val (ready, it->consumers[k]);
    }
}

static gint64
run_all (Run *run, const int *order)
{
  run_begin (run);
  for (int i = 0; i < run->graph->n_nodes; i++)
    run_node (run, order == NULL ? i : order[i], NULL);
  return run->peak;
}

/* ---- the one that frees most ---------------------------------------------- */

/* What is alive more once @index has run. */
static gint64
find_growth (Run *run, int index)
{
  const TpNode *node = &run->graph->nodes[index];
  gint64 growth = 0;

  if (tp_node_is_view (node))
    return G_MININT64 / 2; /* at once: it takes nothing */
  for (int i = 0; i < node->n_outputs; i++)
    if (run->uses[node->outputs[i]] > 0)
      growth += run->graph->tensors[node->outputs[i]].size_bytes;
  for (int i = 0; i < node->n_inputs; i++)
    {
      int root = get_read (run, node, i);

      if (root >= 0 && run->left[root] == 1)
        growth -= run->graph->tensors[root].size_bytes;
    }
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      run->seen[run->roots[node->inputs[i]]] = -1; /* to be asked again */
  return growth;
}

/* Of equals the first in the file. */
static guint
pick_least (Run *run, const TpArray *ready)
{
  gint64 least = G_MAXINT64;
  guint found = 0;

  for (guint i = 0; i < ready->len; i++)
    {
      int node = tp_array_index (ready, int, i);
      gint64 growth = find_growth (run, node);

      if (growth > least
          || (growth == least && node > tp_array_index (ready, int, found)))
        continue;
      least = growth;
      found = i;
    }
  return found;
}

/* FALSE: too many may run at once. */
static gboolean
run_greedily (Run *run)
{
  g_autoptr (TpArray) ready = tp_array_new (sizeof (int));
  gint64 looks_left = MAX_LOOKS;

  run_begin (run);
  for (int i = 0; i < run->graph->n_nodes; i++)
    if (run->pending[i] == 0)
      tp_array_append_val (ready, i);
  while (ready->len > 0 && looks_left > 0)
    {
      guint at = pick_least (run, ready);
      int node = tp_array_index (ready, int, at);

      looks_left -= ready->len;
      tp_array_remove_index (ready, at);
      run_node (run, node, ready);
    }
  return run->n == run->graph->n_nodes;
}

/* ---- in turn -------------------------------------------------------------- */

/* What makes the inputs of an op. */
typedef struct
{
  int node;
  gint64 bytes;               /* that it leaves */
  gint64 need;                /* at most, to make them */
} Maker;

static int
compare_makers (const void *a, const void *b)
{
  const Maker *x = a, *y = b;
  gint64 first = x->need - x->bytes, second = y->need - y->bytes;

  if (first != second)
    return first > second ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static gint64
sum_outputs (const TpGraph *graph, int index)
{
  const TpNode *node = &graph->nodes[index];
  gint64 sum = 0;

  for (int i = 0; i < node->n_outputs && !tp_node_is_view (node); i++)
    if (!tp_size_add (sum, graph->tensors[node->outputs[i]].size_bytes, &sum))
      sum = G_MAXINT64 / 4;
  return MIN (sum, G_MAXINT64 / 4);
}

/* Into @makers, the one that wants most first; @needs: [node]. */
static int
list_makers (const TpGraph *graph, int index, const gint64 *needs,
             Maker *makers)
{
  const TpNode *node = &graph->nodes[index];
  int n = 0;

  for (int i = 0; i < node->n_inputs; i++)
    {
      int maker = node->inputs[i] < 0
                      ? -1 : graph->tensors[node->inputs[i]].producer;

      if (maker >= 0)
        makers[n++] = (Maker){ maker, sum_outputs (graph, maker),
                               needs[maker] };
    }
  qsort (makers, n, sizeof *makers, compare_makers);
  return n;
}

/* [node]: what making all that it needs takes, if nothing is shared. */
static gint64 *
find_needs (const TpGraph *graph, Maker *makers)
{
  gint64 *needs = tp_new0 (gint64, (gsize) graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    {
      int n = list_makers (graph, i, needs, makers);
      gint64 held = 0, most = 0;

      for (int k = 0; k < n; k++)
        {
          most = MAX (most, MIN (held + makers[k].need, G_MAXINT64 / 4));
          held = MIN (held + makers[k].bytes, G_MAXINT64 / 4);
        }
      needs[i] = MAX (most, MIN (held + sum_outputs (graph, i),
                                 G_MAXINT64 / 4));
    }
  return needs;
}

enum { NEW, BEGUN, DONE };

/* After what it needs, in turn; a chain of a million ops is no problem. */
static void
visit (Run *run, int root, const gint64 *needs, Maker *makers, guint8 *states)
{
  g_autoptr (TpArray) stack = tp_array_new (sizeof (int));

  tp_array_append_val (stack, root);
  while (stack->len > 0)
    {
      int node = tp_array_index (stack, int, stack->len - 1);

      if (states[node] == NEW)
        {
          states[node] = BEGUN;
          for (int i = list_makers (run->graph, node, needs, makers); i > 0; i--)
            if (states[makers[i - 1].node] == NEW)
              tp_array_append_val (stack, makers[i - 1].node);
          continue;
        }
      tp_array_set_size (stack, stack->len - 1);
      if (states[node] == BEGUN)
        run_node (run, node, NULL);
      states[node] = DONE;
    }
}

/* Most inputs that any op has. */
static int
find_most_inputs (const TpGraph *graph)
{
  int most = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    most = MAX (most, graph->nodes[i].n_inputs);
  return most;
}

static void
run_in_turn (Run *run)
{
  const TpGraph *graph = run->graph;
  g_autofree Maker *makers
      = tp_new (Maker, (gsize) find_most_inputs (graph) + 1);
  g_autofree gint64 *needs = find_needs (graph, makers);
  g_autofree guint8 *states = tp_new0 (guint8, (gsize) graph->n_nodes + 1);

  run_begin (run);
  for (int i = 0; i < graph->n_outputs; i++)
    if (graph->tensors[graph->outputs[i]].producer >= 0)
      visit (run, graph->tensors[graph->outputs[i]].producer, needs, makers,
             states);
  for (int i = 0; i < graph->n_nodes; i++)
    visit (run, i, needs, makers, states);
}

/* ---- all ------------------------------------------------------------------ */

gint64
tp_graph_order_find_peak (const TpGraph *graph, const int *order)
{
  g_auto (Run) run = { 0 };

  run_init (&run, graph);
  return run_all (&run, order);
}

int *
tp_graph_order_find (const TpGraph *graph)
{
  g_auto (Run) run = { 0 };
  g_autofree int *best = NULL;
  gint64 least;

  run_init (&run, graph);
  least = run_all (&run, NULL);
  best = tp_memdup (run.order, sizeof (int) * ((gsize) graph->n_nodes + 1));
  if (run_greedily (&run) && run.peak < least)
    {
      least = run.peak;
      memcpy (best, run.order, sizeof (int) * graph->n_nodes);
    }
  run_in_turn (&run);
  if (run.peak < least)
    memcpy (best, run.order, sizeof (int) * graph->n_nodes);
  return g_steal_pointer (&best);
}

/* ---- graphs and files ----------------------------------------------------- */

TpGraph *
tp_graph_order (const TpGraph *graph, GError **error)
{
  g_autofree int *order = tp_graph_order_find (graph);
  g_autoptr (TpDraft) draft = tp_draft_new_from_graph (graph);

  tp_array_set_size (draft->nodes, 0);
  for (int i = 0; i < graph->n_nodes; i++)
    tp_array_append_vals (draft->nodes, &graph->nodes[order[i]], 1);
  return tp_draft_finish (draft, error);
}

typedef struct
{
  int order;                  /* -1: before all that is in the graph */
  guint index;                /* in the file */
} Place;

static int
compare_places (const void *a, const void *b)
{
  const Place *x = a, *y = b;

  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* When what is called so is made; plus 1. */
static TpMap *
map_results (const TpGraph *graph)
{
  g_autofree int *order = tp_graph_order_find (graph);
  g_autoptr (TpMap) map = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);

  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[order[i]];

      for (int k = 0; k < node->n_outputs; k++)
        tp_map_insert (map, (gpointer) graph->tensors[node->outputs[k]].name,
                       GINT_TO_POINTER (i + 1));
    }
  return g_steal_pointer (&map);
}

/* Of op @index: by its results; of what was folded away, or is not needed, right after
 * what it reads. */
static int
find_order (TpDraft *draft, int index, const TpMap *results,
            const Place *places)
{
  const TpNode *node = tp_draft_node (draft, index);
  int order = -1;

  for (int i = 0; i < node->n_outputs; i++)
    {
      const char *name = tp_draft_tensor (draft, node->outputs[i])->name;
      gpointer found = tp_map_lookup (results, name);

      if (found != NULL)
        return GPOINTER_TO_INT (found) - 1;
    }
  for (int i = 0; i < node->n_inputs; i++)
    {
      int maker = node->inputs[i] < 0
                      ? -1 : tp_draft_tensor (draft, node->inputs[i])->producer;

      if (maker >= 0)
        order = MAX (order, places[maker].order);
    }
  return order;
}

gboolean
tp_draft_order (TpDraft *draft, const TpGraph *graph, GError **error)
{
  g_autoptr (TpMap) results = map_results (graph);
  g_autoptr (TpArray) nodes = tp_array_new (sizeof (TpNode));
  g_autofree Place *places = tp_new (Place, (gsize) draft->nodes->len + 1);
  guint n;

  if (!tp_draft_sort (draft, error))
    return FALSE;
  n = draft->nodes->len;
  for (guint i = 0; i < n; i++)
    places[i] = (Place){ find_order (draft, i, results, places), i };
  if (n > 0)
    qsort (places, n, sizeof *places, compare_places);
  for (guint i = 0; i < n; i++)
    tp_array_append_vals (nodes, tp_draft_node (draft, places[i].index), 1);
  tp_array_set_size (draft->nodes, 0);
  tp_array_append_vals (draft->nodes, nodes->data, nodes->len);
  return tp_draft_sort (draft, error);
}
