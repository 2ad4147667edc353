/* check-fusion.c: which groups the rules of docs/planner.md give.
 *
 * Written from its words. Of each op it is found which op comes right before it in
 * its group and which right after; what a chain is follows from there, by walks over
 * all ops in their order and back. */
#include "config.h"

#include "planner/check/check-fusion.h"

#include "ir/compare.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "ir/outline.h"
#include "planner/check/check-parts.h"
#include "planner/check/check-shapes.h"

#include <string.h>

/* Sets of kinds. Elementwise is the kind of a chain of such ops alone; others have
 * that of the one op that is not. */
#define KIND(kind) (1u << (kind))
#define ELEMENTWISE KIND (TP_OP_MAP)
#define SEVERAL 0 /* of what attention joins: nothing is joined to that */

/* They are kept in bytes: walks over all ops wait for memory. */
G_STATIC_ASSERT (KIND (TP_OP_OPAQUE) <= G_MAXUINT8);
G_STATIC_ASSERT (TP_CHECKER_MAX_FUSED <= G_MAXUINT8);

/* What of its chain lies on one side of an op, with itself. */
typedef struct
{
  guint8 n;
  guint8 kind;
} Side;

typedef struct
{
  const TpGraph *graph;
  const TpTensorOutline *tensors;
  const TpNodeOutline *nodes;
  guint8 *kinds;              /* [node]: of itself */
  int *alone_to;              /* [node]: what it goes to alone; -1: nothing */
  int *handed_to;             /* [node]: likewise, and need not be stored */
  int *giver, *next_giver;    /* [node]: one that is handed to it; another that is
                               * handed where this is; -1: none */
  int *before, *after;        /* [node]: next to it in its chain; -1: none */
  Side *up, *down;            /* [node]: of all before it, and after it */
  gboolean is_second;         /* reading */
  gboolean pairs_elementwise; /* a rule does */
  gboolean has_joins;         /* some op puts others together */
  gboolean has_reductions;
  const char *const *devices; /* (nullable) */
  gboolean *is_made;          /* [group with a given cost]: by rules, too */
} Fusion;

typedef struct Rule Rule;
struct Rule
{
  const char *name;
  guint before, after;        /* kinds of the chains that it joins in pairs */
  gboolean is_backward;       /* the last op first */
  /* Joins others to the chain that has @node. NULL: puts wholes together. */
  void (*join) (Fusion *fusion, const Rule *rule, int node);
};

static void
fusion_clear (Fusion *fusion)
{
  g_free (fusion->kinds);
  g_free (fusion->alone_to);
  g_free (fusion->handed_to);
  g_free (fusion->giver);
  g_free (fusion->next_giver);
  g_free (fusion->before);
  g_free (fusion->after);
  g_free (fusion->up);
  g_free (fusion->down);
  g_free (fusion->is_made);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fusion, fusion_clear)

/* ---- values -------------------------------------------------------------- */

static gboolean
puts_together (const Fusion *fusion, int node)
{
  const TpOp *op = fusion->nodes[node].op;

  return op != NULL && (op->flags & TP_OP_JOINS);
}

/* The tensor that it alone makes; -1: it makes several, or nothing that is read. */
static inline int
get_result (const Fusion *fusion, int node)
{
  const TpNodeOutline *it = &fusion->nodes[node];

  return it->n_outputs == 1 ? it->outputs[0] : -1;
}

static TpDtype
get_dtype (const Fusion *fusion, int node)
{
  return fusion->tensors[get_result (fusion, node)].dtype;
}

static int
get_maker (const Fusion *fusion, int tensor)
{
  return tensor < 0 ? -1 : fusion->tensors[tensor].producer;
}

/* Whether @reader takes @tensor as one of a group may. */
static gboolean
is_read_so (const Fusion *fusion, int reader, int tensor)
{
  const TpNodeOutline *it = &fusion->nodes[reader];
  int n = 0;

  if (fusion->kinds[reader] == ELEMENTWISE)
    return tp_checker_are_of_shape (fusion->graph, tensor,
                                     get_result (fusion, reader));
  for (int i = 0; i < it->n_inputs; i++)
    n += it->inputs[i] == tensor;
  return n == 1 && (it->inputs[0] == tensor || puts_together (fusion, reader));
}

/* Which group with a given cost has it; NULL: none that counts. */
static const TpGivenGroup *
get_given (const Fusion *fusion, int node)
{
  const TpGraph *graph = fusion->graph;
  int index = fusion->devices == NULL || graph->n_groups == 0
                  ? -1
                  : graph->group_of[node];
  const TpGivenGroup *it = index < 0 ? NULL : &graph->groups[index];

  for (int i = 0; it != NULL && i < it->figures->n_costs; i++)
    if (g_strv_contains (fusion->devices, it->figures->costs[i].device))
      return it;
  return NULL;
}

/* "goes to it alone": what, of an op; -1: nothing */
static int
find_reader (const Fusion *fusion, int maker)
{
  int tensor = get_result (fusion, maker), reader;
  const TpTensorOutline *value;

  if (tensor < 0)
    return -1;
  value = &fusion->tensors[tensor];
  if (value->n_readers != 1 || value->is_output || value->is_state)
    return -1;
  reader = value->readers[0];
  return get_result (fusion, reader) >= 0
                 && tp_checker_have_common_device (fusion->graph, maker, reader)
                 && get_given (fusion, maker) == get_given (fusion, reader)
                 && is_read_so (fusion, reader, tensor)
             ? reader
             : -1;
}

/* Whether it is asked for rounding, which would be left out. */
static gboolean
rounds (const Fusion *fusion, int node)
{
  const TpNodeOutline *it = &fusion->nodes[node];
  TpDtype to = get_dtype (fusion, node);

  return it->op != NULL && (it->op->flags & TP_OP_COPIES) && it->inputs[0] >= 0
         && fusion->tensors[it->inputs[0]].dtype != to
         && tp_dtype_get (to)->class == TP_CLASS_REAL
         && !tp_dtype_holds_results (to);
}

/* "need not be stored" */
static gboolean
need_not_be_stored (const Fusion *fusion, int maker)
{
  return tp_dtype_hands_on (get_dtype (fusion, maker))
         && !rounds (fusion, maker);
}

static void
find_readers (Fusion *fusion)
{
  for (int i = 0; i < fusion->graph->n_nodes; i++)
    {
      int reader = find_reader (fusion, i);

      fusion->alone_to[i] = reader;
      if (reader < 0 || !need_not_be_stored (fusion, i))
        continue;
      fusion->handed_to[i] = reader;
      fusion->next_giver[i] = fusion->giver[reader];
      fusion->giver[reader] = i;
    }
}

/* ---- views --------------------------------------------------------------- */

/* Whether @reader may read what is before @maker, a view that is handed to it. */
static gboolean
is_read_through (const Fusion *fusion, int maker, int reader)
{
  const TpNodeOutline *view = &fusion->nodes[maker];

  return fusion->kinds[maker] == KIND (TP_OP_VIEW)
         && fusion->kinds[reader] == ELEMENTWISE && !view->is_stream
         && view->inputs[0] >= 0
         && tp_checker_merges (fusion->graph, view->inputs[0],
                               get_result (fusion, maker));
}

/* ---- chains -------------------------------------------------------------- */

/* A view within a chain does nothing. */
static inline guint
get_part_kind (const Fusion *fusion, int node)
{
  return fusion->kinds[node] == KIND (TP_OP_VIEW)
                 && fusion->after[node] >= 0
             ? ELEMENTWISE
             : fusion->kinds[node];
}

static inline Side
add_side (const Fusion *fusion, int node, const Side *rest)
{
  Side side = { 1, get_part_kind (fusion, node) };

  if (rest == NULL)
    return side;
  side.n += rest->n;
  if (side.kind == ELEMENTWISE)
    side.kind = rest->kind;
  else if (rest->kind != ELEMENTWISE)
    side.kind = SEVERAL;
  return side;
}

static inline void
look_up (Fusion *fusion, int node)
{
  int before = fusion->before[node];

  fusion->up[node]
      = add_side (fusion, node, before < 0 ? NULL : &fusion->up[before]);
}

static inline void
look_down (Fusion *fusion, int node)
{
  int after = fusion->after[node];

  fusion->down[node]
      = add_side (fusion, node, after < 0 ? NULL : &fusion->down[after]);
}

static void
put_behind (Fusion *fusion, int before, int after)
{
  fusion->after[before] = after;
  fusion->before[after] = before;
}

/* Of chains the one whose last op is latest, in the second reading earliest. */
static inline gboolean
is_rather (const Fusion *fusion, int maker, int last)
{
  return maker >= 0
         && (last < 0 || (fusion->is_second ? maker < last : maker > last));
}

/* Puts the chain of which @node is the first behind the one that @rule joins to it. */
static void
try_pair (Fusion *fusion, const Rule *rule, int node)
{
  int last = -1, last_view = -1;

  if (fusion->before[node] >= 0 || !(rule->after & fusion->down[node].kind))
    return;
  for (int giver = fusion->giver[node]; giver >= 0;
       giver = fusion->next_giver[giver])
    {
      int view = is_read_through (fusion, giver, node) ? giver : -1;
      int maker = view < 0 ? giver
                           : get_maker (fusion, fusion->nodes[view].inputs[0]);

      if (!is_rather (fusion, maker, last) || !(rule->before & fusion->up[maker].kind)
          || fusion->handed_to[maker] != (view >= 0 ? view : node)
          || fusion->up[maker].n + (view >= 0) + fusion->down[node].n
                 > TP_CHECKER_MAX_FUSED)
        continue;
      last = maker;
      last_view = view;
    }
  if (last < 0)
    return;
  put_behind (fusion, last_view >= 0 ? last_view : last, node);
  if (last_view >= 0)
    put_behind (fusion, last, last_view);
}

/* Between two contractions a reduction, row by row. */
static void
try_three (Fusion *fusion, const Rule *rule, int node)
{
  const TpNodeOutline *it = &fusion->nodes[node];
  int last = fusion->handed_to[node], first;

  if (fusion->kinds[node] != KIND (TP_OP_REDUCE) || last < 0
      || fusion->before[node] >= 0 || fusion->after[node] >= 0
      || fusion->before[last] >= 0 || it->n_inputs < 1)
    return;
  first = get_maker (fusion, it->inputs[0]);
  if (first < 0 || fusion->up[first].kind != KIND (TP_OP_CONTRACT)
      || fusion->down[last].kind != KIND (TP_OP_CONTRACT)
      || fusion->handed_to[first] != node
      || !tp_checker_are_of_shape (fusion->graph, get_result (fusion, first),
                                   get_result (fusion, node))
      || fusion->up[first].n + 1 + fusion->down[last].n
             > TP_CHECKER_MAX_FUSED)
    return;
  put_behind (fusion, first, node);
  put_behind (fusion, node, last);
}

static const Rule rules[] = {
  { "epilogue",
    KIND (TP_OP_CONTRACT) | KIND (TP_OP_WINDOW) | KIND (TP_OP_REDUCE)
        | KIND (TP_OP_MOVE),
    ELEMENTWISE, FALSE, try_pair },
  { "prologue", ELEMENTWISE, KIND (TP_OP_CONTRACT), TRUE, try_pair },
  { "pointwise", ELEMENTWISE, ELEMENTWISE, FALSE, try_pair },
  { "attention", 0, 0, FALSE, try_three },
  { "concat", 0, 0, FALSE, NULL },
};
#define N_RULES ((int) G_N_ELEMENTS (rules))

/* A walk in the order of ops looks up what is before them as it goes. */
static void
apply (Fusion *fusion, const Rule *rule)
{
  int n = fusion->graph->n_nodes;

  if (rule->join == try_three && !fusion->has_reductions)
    return;
  for (int i = 0; i < n && rule->is_backward; i++)
    look_up (fusion, i);
  for (int i = n - 1; i >= 0; i--)
    {
      look_down (fusion, i);
      if (rule->is_backward)
        rule->join (fusion, rule, i);
    }
  for (int i = 0; i < n && !rule->is_backward; i++)
    {
      rule->join (fusion, rule, i);
      if (fusion->before[i] >= 0)
        look_up (fusion, fusion->before[i]);
      look_up (fusion, i);
    }
}

/* ---- wholes -------------------------------------------------------------- */

/* The first op of the chain that writes what @join reads as @tensor; -1: no chain
 * may. */
static int
find_part (const Fusion *fusion, int join, int tensor)
{
  const guint kinds = ELEMENTWISE | KIND (TP_OP_REDUCE) | KIND (TP_OP_CONTRACT)
                      | KIND (TP_OP_WINDOW) | KIND (TP_OP_MOVE);
  int head = get_maker (fusion, tensor);

  if (head < 0 || fusion->alone_to[head] != join
      || (fusion->after[join] >= 0 && !need_not_be_stored (fusion, head)))
    return -1;
  while (fusion->before[head] >= 0)
    head = fusion->before[head];
  return !puts_together (fusion, head)
                 && (fusion->kinds[head] & kinds)
             ? head
             : -1;
}

static int
list_chain (const Fusion *fusion, int head, int *nodes)
{
  int n = 0;

  for (int i = head; i >= 0; i = fusion->after[i])
    nodes[n++] = i;
  return n;
}

/* What rules make of ops of a group with a given cost is that, or nothing. */
static void
add_made (Fusion *fusion, const int *nodes, int n, TpGroups *groups)
{
  const TpGraph *graph = fusion->graph;

  if (get_given (fusion, nodes[0]) == NULL)
    tp_groups_add (groups, nodes, n);
  else if (tp_graph_find_group (graph, nodes, n) != NULL)
    fusion->is_made[graph->group_of[nodes[0]]] = TRUE;
}

static void
add_whole (Fusion *fusion, int join, TpGroups *wholes)
{
  const TpNodeOutline *it = &fusion->nodes[join];
  int nodes[TP_CHECKER_MAX_FUSED];
  int n_own = list_chain (fusion, join, nodes), n = n_own;

  for (int i = 0; i < it->n_inputs; i++)
    {
      int head = find_part (fusion, join, it->inputs[i]);

      if (head >= 0 && n + fusion->down[head].n <= TP_CHECKER_MAX_FUSED)
        n += list_chain (fusion, head, nodes + n);
    }
  qsort (nodes, n, sizeof nodes[0], tp_compare_int);
  if (n > n_own)
    add_made (fusion, nodes, n, wholes);
}

/* ---- all ----------------------------------------------------------------- */

static void
fusion_init (Fusion *fusion, const TpGraph *graph)
{
  gsize n = (gsize) graph->n_nodes + 1;

  fusion->graph = graph;
  fusion->tensors = tp_graph_get_outline (graph)->tensors;
  fusion->nodes = tp_graph_get_outline (graph)->nodes;
  fusion->kinds = tp_new (guint8, n);
  fusion->alone_to = tp_new (int, n);
  fusion->handed_to = tp_new (int, n);
  fusion->giver = tp_new (int, n);
  fusion->next_giver = tp_new (int, n);
  fusion->before = tp_new (int, n);
  fusion->after = tp_new (int, n);
  fusion->up = tp_new0 (Side, n);
  fusion->down = tp_new0 (Side, n);
  fusion->is_made = tp_new0 (gboolean, graph->n_groups + 1);
  memset (fusion->handed_to, -1, n * sizeof (int));
  memset (fusion->giver, -1, n * sizeof (int));
  for (int i = 0; i < graph->n_nodes; i++)
    {
      fusion->kinds[i] = KIND (fusion->nodes[i].kind);
      fusion->has_joins |= puts_together (fusion, i);
      fusion->has_reductions |= fusion->nodes[i].kind == TP_OP_REDUCE;
    }
  find_readers (fusion);
}

const char *
tp_checker_get_rule (int index)
{
  return index < N_RULES ? rules[index].name : NULL;
}

static void
add_chains (Fusion *fusion, TpGroups *groups)
{
  for (int i = 0; i < fusion->graph->n_nodes; i++)
    {
      int nodes[TP_CHECKER_MAX_FUSED], n;

      if (fusion->before[i] >= 0 || fusion->after[i] < 0)
        continue;
      n = list_chain (fusion, i, nodes);
      if (get_given (fusion, i) == NULL)
        tp_checker_add_parts (fusion->kinds, fusion->pairs_elementwise, nodes, n, groups);
      add_made (fusion, nodes, n, groups);
    }
}

static void
add_given (const Fusion *fusion, TpGroups *groups)
{
  for (int i = 0; i < fusion->graph->n_groups; i++)
    {
      const TpGivenGroup *it = &fusion->graph->groups[i];

      if (get_given (fusion, it->nodes[0]) == it)
        tp_groups_add_copy (groups, &(TpGroup){ .n_nodes = it->n_nodes, .nodes = it->nodes,
                                                .is_claimed = !fusion->is_made[i] });
    }
}

static gboolean
is_torn (const Fusion *fusion, int node)
{
  int giver = fusion->giver[node], reader = fusion->handed_to[node];

  if (giver < 0)
    return FALSE;
  if (fusion->kinds[node] == ELEMENTWISE)
    return fusion->next_giver[giver] >= 0;
  return fusion->kinds[node] == KIND (TP_OP_REDUCE) && reader >= 0
         && fusion->kinds[reader] == ELEMENTWISE;
}

static void
find_torn (const Fusion *fusion, TpCheckerReadings *readings)
{
  int n = fusion->graph->n_nodes;

  readings->is_torn = tp_new (gboolean, (gsize) n + 1);
  for (int i = 0; i < n; i++)
    {
      readings->is_torn[i] = is_torn (fusion, i);
      readings->has_second |= readings->is_torn[i];
    }
}

void
tp_checker_readings_clear (TpCheckerReadings *readings)
{
  g_clear_pointer (&readings->groups, tp_groups_free);
  g_clear_pointer (&readings->given, tp_groups_free);
  g_clear_pointer (&readings->is_torn, g_free);
}

/* In the second reading what ends with elementwise ops comes after other pairs. */
static gboolean
is_of_turn (const Rule *rule, gboolean is_second, int turn)
{
  gboolean is_late = rule->after == ELEMENTWISE && rule->before != ELEMENTWISE;

  return turn == (!is_second ? 0 : rule->join != try_pair ? 2 : is_late);
}

/* Returns whether wholes are put together, once all are applied. */
static gboolean
apply_all (Fusion *fusion, const char *const *left_out)
{
  gboolean has_wholes = FALSE;

  for (int i = 0; i < 3 * N_RULES; i++)
    {
      const Rule *rule = &rules[i % N_RULES];

      if (!is_of_turn (rule, fusion->is_second, i / N_RULES)
          || (left_out != NULL && g_strv_contains (left_out, rule->name)))
        continue;
      fusion->pairs_elementwise
          |= rule->before == ELEMENTWISE && rule->after == ELEMENTWISE;
      if (rule->join == NULL)
        has_wholes = fusion->has_joins;
      else
        apply (fusion, rule);
    }
  return has_wholes;
}

/* What is handed to whom is the same in both readings, and found once. */
static void
read_once (Fusion *fusion, const char *const *left_out, gboolean is_second,
           TpGroups *groups)
{
  int n_nodes = fusion->graph->n_nodes, n_before = groups->n_groups;
  gboolean has_wholes;

  fusion->is_second = is_second;
  memset (fusion->before, -1, (gsize) n_nodes * sizeof (int));
  memset (fusion->after, -1, (gsize) n_nodes * sizeof (int));
  has_wholes = apply_all (fusion, left_out);
  for (int i = n_nodes - 1; i >= 0 && has_wholes; i--)
    look_down (fusion, i);
  add_chains (fusion, groups);
  for (int i = 0; i < n_nodes && has_wholes; i++)
    if (puts_together (fusion, i))
      add_whole (fusion, i, groups);
  for (int i = n_before; i < groups->n_groups; i++)
    groups->groups[i].is_second = is_second;
}

void
tp_checker_read_rules (const TpGraph *graph, const char *const *left_out,
                       const char *const *devices,
                       TpCheckerReadings *out_readings)
{
  g_auto (Fusion) fusion = { .devices = devices };

  fusion_init (&fusion, graph);
  *out_readings = (TpCheckerReadings){ .groups = tp_groups_new (),
                                       .given = tp_groups_new () };
  find_torn (&fusion, out_readings);
  read_once (&fusion, left_out, FALSE, out_readings->groups);
  add_given (&fusion, out_readings->given);
  if (out_readings->has_second)
    read_once (&fusion, left_out, TRUE, out_readings->groups);
}
