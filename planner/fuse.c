/* fuse.c: which nodes could run as one kernel.
 *
 * A group is a chain in which every value but the last is read once, by the
 * next node: no other node can notice that it was never stored. It holds any
 * number of MAPs and at most one node of another kind, its anchor; or three of
 * them, if a rule says so; and views before maps, where they merge axes only.
 * Chains start as single nodes; a rule says which may be
 * joined. Rules are tried in order, so what an earlier one took is not there for
 * a later one: the chains are disjoint, and whether one pays is for the planner to
 * say. The rules are read twice, the second time in another order: a map that is
 * handed several values can go with one of who makes them only.
 *
 * Then come wholes: a chain whose first node only puts together what it reads, and
 * the chains that make it. Each of these is in one whole or in none. Which of a
 * whole and its chains are offered, or of a chain and its parts on either side of where
 * its kinds meet, is said once times are known (offer.h).
 *
 * Last are groups of which the graph says what they cost as one. Rules join nothing
 * across their edges, and what they join within is the group itself or no group. */
#include "config.h"

#include "planner/fuse.h"

#include "ir/compare.h"
#include "ir/costs.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "ir/units.h"
#include "planner/bundles.h"
#include "planner/fuse-parts.h"
#include "planner/fuse-torn.h"
#include "planner/fuse-value.h"

#include <pthread.h>
#include <string.h>

#define MAX_GROUP 32 /* nodes: bounds the size of a kernel */

/* Of a chain: the kind of its anchor. */
#define KIND_NO_ANCHOR TP_OP_MAP

typedef struct
{
  const char *name;
  /* Whether a chain with anchor @before may go on with one with anchor @after.
   * At most one of them is not KIND_NO_ANCHOR. */
  gboolean (*matches) (TpOpKind before, TpOpKind after);
  gboolean is_backward;       /* last node first: chains grow at their head */
  /* Or whether a node of kind @between may join such chains. */
  gboolean (*matches_three) (TpOpKind before, TpOpKind between, TpOpKind after);
  /* Or whether a chain with anchor @part may write its part of what a node makes
   * that joins several. */
  gboolean (*joins) (TpOpKind part);
  gboolean yields;            /* to the others of pairs, in the second reading */
} FuseRule;

/* Conv + Relu, Concat + BatchNormalization + Relu, Softmax + Mul, ... */
static gboolean
epilogue_matches (TpOpKind before, TpOpKind after)
{
  return after == KIND_NO_ANCHOR
         && (before == TP_OP_CONTRACT || before == TP_OP_WINDOW
             || before == TP_OP_REDUCE || before == TP_OP_MOVE);
}

/* BatchNormalization + Relu + Conv, where nothing before took the maps. */
static gboolean
prologue_matches (TpOpKind before, TpOpKind after)
{
  return before == KIND_NO_ANCHOR && after == TP_OP_CONTRACT;
}

static gboolean
pointwise_matches (TpOpKind before, TpOpKind after)
{
  return before == KIND_NO_ANCHOR && after == KIND_NO_ANCHOR;
}

/* MatMul + Mul + Add + Softmax + MatMul */
static gboolean
attention_matches (TpOpKind before, TpOpKind between, TpOpKind after)
{
  return before == TP_OP_CONTRACT && between == TP_OP_REDUCE
         && after == TP_OP_CONTRACT;
}

/* (Conv + Relu, MaxPool, x) Concat */
static gboolean
concat_joins (TpOpKind part)
{
  return part != TP_OP_VIEW && part != TP_OP_RECURRENT && part != TP_OP_OPAQUE;
}

static const FuseRule rules[] = {
  { .name = "epilogue", .matches = epilogue_matches, .yields = TRUE },
  { .name = "prologue", .matches = prologue_matches, .is_backward = TRUE },
  { .name = "pointwise", .matches = pointwise_matches },
  { .name = "attention", .matches_three = attention_matches },
  { .name = "concat", .joins = concat_joins },
};

typedef struct
{
  const TpGraph *graph;
  int *next;                  /* in the chain; -1: last */
  int *head;                  /* of the chain; right for its last node */
  int *tail;                  /* right for the first */
  int *size;                  /* right for the first */
  TpOpKind *anchor;           /* right for the first and the last */
  gboolean (*joins) (TpOpKind part); /* of the rule for wholes; NULL: none are */
  gboolean *is_inside;        /* of a whole; right for the first */
  gboolean joins_maps;        /* some rule does */
  gboolean is_second;         /* the second reading of the rules */
  guint8 *counts;             /* [group that the graph gives]: it is one */
  guint8 *is_made;            /* [likewise]: by rules, too */
} Chains;

static int
find_given (const Chains *chains, int node)
{
  return tp_fuse_find_given (chains->graph, chains->counts, node);
}

static gboolean
is_for_one (const Chains *chains, const TpNode *producer,
            const TpNode *consumer)
{
  return tp_fuse_is_for_one (chains->graph, producer, consumer)
         && !tp_fuse_are_parted (chains->graph, chains->counts, producer, consumer);
}

/* Whether the value between @producer and @consumer need not exist. */
static gboolean
is_private_value (const Chains *chains, const TpNode *producer,
                  const TpNode *consumer)
{
  return is_for_one (chains, producer, consumer)
         && tp_fuse_hands_on (chains->graph, producer);
}

/* A view of one reader that maps can be fused through. */
static gboolean
is_transparent (const Chains *chains, int node, int consumer)
{
  const TpGraph *graph = chains->graph;
  const TpNode *view = &graph->nodes[node];

  return tp_fuse_get_kind (view) == TP_OP_VIEW && !tp_node_is_stream (view)
         && chains->head[node] == node
         && tp_fuse_get_kind (&graph->nodes[consumer]) == TP_OP_MAP
         && is_private_value (chains, view, &graph->nodes[consumer])
         && view->inputs[0] >= 0
         && tp_fuse_merges_dims (&graph->tensors[view->inputs[0]],
                         &graph->tensors[view->outputs[0]]);
}

/* Who makes @tensor for @consumer; -1: nobody. @out_view: what it is read through,
 * or -1. */
static int
find_producer (const Chains *chains, int tensor, int consumer, int *out_view)
{
  const TpGraph *graph = chains->graph;
  int producer = tensor < 0 ? -1 : graph->tensors[tensor].producer;

  *out_view = -1;
  if (producer < 0 || !is_transparent (chains, producer, consumer))
    return producer;
  *out_view = producer;
  return graph->tensors[graph->nodes[producer].inputs[0]].producer;
}

/* @view: between them, or -1. */
static gboolean
may_join (const Chains *chains, const FuseRule *rule, int producer, int view,
          int consumer)
{
  const TpGraph *graph = chains->graph;
  int reader = view >= 0 ? view : consumer;
  int head;

  if (chains->next[producer] >= 0)
    return FALSE;
  head = chains->head[producer];
  return chains->size[head] + (view >= 0) + chains->size[consumer] <= MAX_GROUP
         && rule->matches (chains->anchor[producer],
                           chains->anchor[consumer])
         && is_private_value (chains, &graph->nodes[producer],
                              &graph->nodes[reader]);
}

static void
join (Chains *chains, int producer, int consumer)
{
  int head = chains->head[producer], tail = chains->tail[consumer];
  TpOpKind anchor = chains->anchor[producer] == KIND_NO_ANCHOR
                        ? chains->anchor[consumer]
                        : chains->anchor[producer];

  chains->next[producer] = consumer;
  chains->size[head] += chains->size[consumer];
  chains->tail[head] = tail;
  chains->head[tail] = head;
  chains->head[consumer] = head;
  chains->anchor[head] = chains->anchor[tail] = anchor;
}

/* Of several producers the last: its value is fresh, and the chain of another
 * would have to wait for it. The second time the first. @best: so far, or -1. */
static gboolean
is_preferred (const Chains *chains, int producer, int best)
{
  return producer >= 0
         && (best < 0 || (chains->is_second ? producer < best : producer > best));
}

static void
try_consumer (Chains *chains, const FuseRule *rule, int consumer)
{
  const TpGraph *graph = chains->graph;
  const TpNode *node = &graph->nodes[consumer];
  int best = -1, best_view = -1;

  if (chains->head[consumer] != consumer)
    return;
  for (int i = 0; i < node->n_inputs; i++)
    {
      int view = -1;
      int producer = find_producer (chains, node->inputs[i], consumer, &view);

      if (!is_preferred (chains, producer, best)
          || !may_join (chains, rule, producer, view, consumer))
        continue;
      best = producer;
      best_view = view;
    }
  if (best < 0)
    return;
  if (best_view >= 0)
    {
      chains->anchor[best_view] = KIND_NO_ANCHOR;
      join (chains, best, best_view);
      best = best_view;
    }
  join (chains, best, consumer);
}

/* The node that alone reads what @node makes, as large as what @node reads first, or
 * -1: @node is done row by row, and its rows are there for one other only. */
static int
find_row_reader (const TpGraph *graph, int node)
{
  const TpNode *self = &graph->nodes[node];
  const TpTensor *out = NULL;

  if (self->n_inputs < 1 || self->inputs[0] < 0 || self->n_outputs != 1
      || self->outputs[0] < 0)
    return -1;
  out = &graph->tensors[self->outputs[0]];
  if (out->n_consumers != 1
      || !tp_fuse_has_equal_dims (&graph->tensors[self->inputs[0]], out))
    return -1;
  return out->consumers[0];
}

/* The first chain is all before @node, the last one starts with who reads it. */
static void
try_between (Chains *chains, const FuseRule *rule, int node)
{
  const TpGraph *graph = chains->graph;
  int after = chains->size[node] == 1 && chains->head[node] == node
                  ? find_row_reader (graph, node)
                  : -1;
  int before = after < 0 ? -1
                         : graph->tensors[graph->nodes[node].inputs[0]].producer;
  int head = 0;

  if (before < 0 || chains->next[before] >= 0 || chains->next[node] >= 0
      || chains->head[after] != after)
    return;
  head = chains->head[before];
  if (chains->size[head] + 1 + chains->size[after] <= MAX_GROUP
      && rule->matches_three (chains->anchor[before], chains->anchor[node],
                              chains->anchor[after])
      && is_private_value (chains, &graph->nodes[before], &graph->nodes[node])
      && is_private_value (chains, &graph->nodes[node], &graph->nodes[after]))
    {
      join (chains, before, node);
      join (chains, node, after);
      /* there are no more than these three: it begins no other */
      chains->anchor[head] = chains->anchor[chains->tail[head]]
          = tp_fuse_get_kind (&graph->nodes[node]);
    }
}

static void
apply_rule (Chains *chains, const FuseRule *rule)
{
  int n = rule->joins == NULL ? chains->graph->n_nodes : 0;

  if (rule->joins != NULL)
    chains->joins = rule->joins;
  chains->joins_maps |= rule->matches != NULL
                        && rule->matches (KIND_NO_ANCHOR, KIND_NO_ANCHOR);
  for (int i = 0; i < n; i++)
    if (rule->matches_three != NULL)
      try_between (chains, rule, i);
    else
      try_consumer (chains, rule, rule->is_backward ? n - 1 - i : i);
}

static void
chains_init (Chains *chains, const TpGraph *graph)
{
  int n = graph->n_nodes;

  chains->graph = graph;
  chains->next = tp_new (int, n + 1);
  chains->head = tp_new (int, n + 1);
  chains->tail = tp_new (int, n + 1);
  chains->size = tp_new (int, n + 1);
  chains->anchor = tp_new (TpOpKind, n + 1);
  chains->is_inside = tp_new0 (gboolean, n + 1);
  chains->counts = tp_new0 (guint8, graph->n_groups + 1);
  chains->is_made = tp_new0 (guint8, graph->n_groups + 1);
  for (int i = 0; i < n; i++)
    {
      chains->next[i] = -1;
      chains->head[i] = chains->tail[i] = i;
      chains->size[i] = 1;
      chains->anchor[i] = tp_fuse_get_kind (&graph->nodes[i]);
    }
}

static void
chains_clear (Chains *chains)
{
  g_free (chains->next);
  g_free (chains->head);
  g_free (chains->tail);
  g_free (chains->size);
  g_free (chains->anchor);
  g_free (chains->is_inside);
  g_free (chains->counts);
  g_free (chains->is_made);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Chains, chains_clear)

/* The nodes of the chain that begins at @head, which @nodes has room for. */
static int
list_chain (const Chains *chains, int head, int *nodes)
{
  int n = 0;

  for (int i = head; i >= 0; i = chains->next[i])
    nodes[n++] = i;
  return n;
}

/* Adds one that rules make, unless it is of a group that the graph gives. */
static void
add_group (const Chains *chains, const int *nodes, int n, TpGroups *groups)
{
  int given = find_given (chains, nodes[0]);

  if (given < 0)
    tp_groups_add (groups, nodes, n);
  else if (tp_graph_find_group (chains->graph, nodes, n) != NULL)
    chains->is_made[given] = TRUE;
}

/* ---- wholes ------------------------------------------------------------ */

/* The first node of the chain that may write what @join reads as @tensor where that
 * has it; -1: there is none. Where nothing comes after, it is stored as it would be. */
static int
find_part (const Chains *chains, int tensor, int join)
{
  const TpGraph *graph = chains->graph;
  int last = tensor < 0 ? -1 : graph->tensors[tensor].producer;
  int head = last < 0 ? -1 : chains->head[last];

  return last >= 0 && chains->next[last] < 0
                 && chains->joins (chains->anchor[last])
                 && !tp_fuse_joins (&graph->nodes[head])
                 && is_for_one (chains, &graph->nodes[last],
                                &graph->nodes[join])
                 && (chains->size[join] == 1
                     || tp_fuse_hands_on (graph, &graph->nodes[last]))
             ? head
             : -1;
}

/* As many of its parts as there is room for. */
static void
add_whole (Chains *chains, int join, TpGroups *groups)
{
  const TpNode *node = &chains->graph->nodes[join];
  int nodes[MAX_GROUP];
  int n = list_chain (chains, join, nodes);

  for (int i = 0; i < node->n_inputs; i++)
    {
      int head = find_part (chains, node->inputs[i], join);

      if (head < 0 || n + chains->size[head] > MAX_GROUP)
        continue;
      n += list_chain (chains, head, nodes + n);
      chains->is_inside[head] = chains->is_inside[join] = TRUE;
    }
  if (!chains->is_inside[join])
    return;
  qsort (nodes, n, sizeof nodes[0], tp_compare_int);
  add_group (chains, nodes, n, groups);
}

static void
add_wholes (Chains *chains, TpGroups *groups)
{
  for (int i = 0; i < chains->graph->n_nodes && chains->joins != NULL; i++)
    if (tp_fuse_joins (&chains->graph->nodes[i]) && chains->head[i] == i)
      add_whole (chains, i, groups);
}

/* ---- groups ------------------------------------------------------------ */

static void
add_chains (const Chains *chains, gboolean with_inside, TpGroups *groups)
{
  for (int i = 0; i < chains->graph->n_nodes; i++)
    {
      int nodes[MAX_GROUP], n;

      if (chains->head[i] != i || chains->size[i] <= 1
          || (!with_inside && chains->is_inside[i]))
        continue;
      n = list_chain (chains, i, nodes);
      if (with_inside && find_given (chains, i) < 0)
        tp_fuse_add_parts (chains->graph, chains->joins_maps, nodes, n, groups);
      add_group (chains, nodes, n, groups);
    }
}

static void
add_given (const Chains *chains, TpGroups *groups)
{
  for (int i = 0; i < chains->graph->n_groups; i++)
    if (chains->counts[i])
      {
        const TpGivenGroup *given = &chains->graph->groups[i];
        const TpGroup group
            = { .n_nodes = given->n_nodes, .nodes = given->nodes,
                .is_claimed = !chains->is_made[i] };

        tp_groups_add_copy (groups, &group);
      }
}

/* When @rule is applied: in the first reading all are in order. */
static int
get_turn (const Chains *chains, const FuseRule *rule)
{
  return !chains->is_second ? 0 : rule->matches == NULL ? 2 : rule->yields;
}

/* Of the rules alone. @chains: with all that counts. */
static TpGroups *
find (Chains *chains, const char *const *disabled, gboolean with_inside)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autoptr (TpGroups) wholes = tp_groups_new ();

  for (int turn = 0; turn < 3; turn++)
    for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
      if (get_turn (chains, &rules[i]) == turn
          && (disabled == NULL || !g_strv_contains (disabled, rules[i].name)))
        apply_rule (chains, &rules[i]);
  add_wholes (chains, wholes);
  add_chains (chains, with_inside, groups);
  for (int i = 0; i < wholes->n_groups; i++)
    tp_groups_add_copy (groups, &wholes->groups[i]);
  return g_steal_pointer (&groups);
}

static TpGroups *
find_again (const Chains *before, const char *const *disabled)
{
  g_auto (Chains) chains = { NULL };

  chains_init (&chains, before->graph);
  memcpy (chains.counts, before->counts, before->graph->n_groups);
  chains.is_second = TRUE;
  return find (&chains, disabled, TRUE);
}

TpGroups *
tp_fuse_find (const TpGraph *graph, const char *const *disabled)
{
  g_auto (Chains) chains = { NULL };

  chains_init (&chains, graph);
  return find (&chains, disabled, FALSE);
}

TpGroups *
tp_fuse_find_all (const TpGraph *graph, const char *const *disabled,
                  const char *const *devices)
{
  g_auto (Chains) chains = { NULL };
  g_autoptr (TpGroups) groups = NULL, second = NULL, family = NULL;
  g_autofree guint8 *is_torn = NULL;
  gboolean has_torn = FALSE;

  chains_init (&chains, graph);
  for (int i = 0; i < graph->n_groups && devices != NULL; i++)
    chains.counts[i] = tp_given_group_counts (&graph->groups[i], devices);
  groups = find (&chains, disabled, TRUE);
  is_torn = tp_fuse_find_torn (graph, chains.counts, &has_torn);
  if (has_torn)
    {
      second = find_again (&chains, disabled);
      family = tp_bundles_join (groups, second, is_torn, graph->n_nodes);
    }
  else
    family = g_steal_pointer (&groups);
  add_given (&chains, family);
  return g_steal_pointer (&family);
}

static const char *names[G_N_ELEMENTS (rules) + 1];

static void
make_names (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    names[i] = rules[i].name;
}

const char *const *
tp_fuse_list (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_names);
  return names;
}
