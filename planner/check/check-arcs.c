/* check-arcs.c: see check-arcs.h.
 *
 * Arcs are numbered by families, so that one that comes twice is told without
 * sorting or hashing: a file could make the keys of a hash collide. */
#include "config.h"

#include "planner/check/check-arcs.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"

#include <string.h>

#define INFINITE TP_CHECKER_INFINITE
#define ABSENT TP_CHECKER_ABSENT

/* What an arc stands for; each is there once a device. */
enum
{
  OWN,    /* an op: what it costs there */
  MADE,   /* a tensor: its copy to there, from where it is made */
  CALLER, /* a tensor: the caller shares that copy */
  READER, /* a reader of a tensor: shares that copy */
  GAIN,   /* a group: what it saves there */
  MEMBER, /* an op: of a group that saves there */
  BOUND,  /* an op: of a colocation, from it and to it */
};

static TpCheckerArc
new_arc (const TpCheckerArcs *arcs, int family, gint64 index, int device)
{
  return (TpCheckerArc){ .number = arcs->bases[family] + 2 * index + device };
}

/* @capacity, if it @is_there. */
static TpCheckerArc
fill_arc (TpCheckerArc arc, gboolean is_there, gint64 capacity)
{
  arc.capacity = is_there ? capacity : ABSENT;
  return arc;
}

static const TpTensorOutline *
get_tensor (const TpCheckerArcs *arcs, int tensor)
{
  return &arcs->checker->tensors[tensor];
}

/* Whether the caller, who is at the host, shares a copy of @tensor on @device. */
static gboolean
is_shared (const TpCheckerArcs *arcs, int tensor, int device)
{
  const TpTensorOutline *it = get_tensor (arcs, tensor);

  return it->is_output && it->producer >= 0
         && arcs->checker->costs->host == device;
}

/* Of a copy of @tensor to @device: from the other one, or from the caller who
 * feeds it. */
static gint64
copy_cost (const TpCheckerArcs *arcs, int tensor, int device)
{
  int from = get_tensor (arcs, tensor)->producer < 0 ? TP_COSTS_HOST
                                                     : 1 - device;

  return tp_checker_copy_cost (arcs->checker, tensor, from, device);
}

/* Whether the copy of @tensor to @device is a vertex. */
static gboolean
has_copy (const TpCheckerArcs *arcs, int tensor, int device)
{
  const TpTensorOutline *it = get_tensor (arcs, tensor);

  return !arcs->copies[tensor].is_plain && !it->is_resident
         && copy_cost (arcs, tensor, device) > 0
         && (it->n_readers > 0 || is_shared (arcs, tensor, device));
}

/* The place of @node among the readers of @tensor, or -1. */
static int
find_reader (const TpTensorOutline *tensor, int node)
{
  int low = 0, high = tensor->n_readers;

  while (low < high)
    {
      int middle = low + (high - low) / 2;

      if (tensor->readers[middle] == node)
        return middle;
      if (tensor->readers[middle] < node)
        low = middle + 1;
      else
        high = middle;
    }
  return -1;
}

static gint64
gain_of (const TpCheckerArcs *arcs, int group, int device)
{
  return arcs->checker->gains[2 * (gsize) group + device];
}

/* What the caller pays to get @tensor from @device; with a host, its copy there
 * is shared instead. */
static gint64
fetch_cost (const TpCheckerArcs *arcs, int tensor, int device)
{
  if (tensor < 0 || !get_tensor (arcs, tensor)->is_output)
    return 0;
  return tp_checker_copy_cost (arcs->checker, tensor, device, TP_COSTS_HOST);
}

/* ---- each kind of arc -------------------------------------------------- */

/* Of @node on @device, whatever is where: with no host, the caller gets its
 * outputs from there. */
static TpCheckerArc
own_arc (const TpCheckerArcs *arcs, int node, int device)
{
  const TpChecker *checker = arcs->checker;
  TpCheckerArc arc = new_arc (arcs, OWN, node, device);
  const TpNodeOutline *it;

  arc.capacity = tp_checker_node_cost (checker, node, device);
  if (arc.capacity == TP_COST_NONE)
    arc.capacity = INFINITE;
  if (arc.capacity == INFINITE || checker->costs->host >= 0)
    return arc;
  it = &checker->nodes[node];
  for (int i = 0; i < it->n_outputs; i++)
    arc.capacity += fetch_cost (arcs, it->outputs[i], device);
  return arc;
}

static TpCheckerArc
source_to_node (const TpCheckerArcs *arcs, int unused, int node)
{
  return own_arc (arcs, node, 1);
}

static TpCheckerArc
node_to_sink (const TpCheckerArcs *arcs, int node, int unused)
{
  return own_arc (arcs, node, 0);
}

static TpCheckerArc
node_to_node (const TpCheckerArcs *arcs, int from, int to)
{
  int device = from < to ? 1 : 0; /* whoever makes a tensor comes first */
  TpCheckerPlain plain = arcs->plains[device == 1 ? from : to];

  if (plain.reader != (device == 1 ? to : from))
    return (TpCheckerArc){ ABSENT, 0 };
  return fill_arc (new_arc (arcs, MADE, plain.tensor, device), TRUE,
                   copy_cost (arcs, plain.tensor, device));
}

/* Between a copy on @device and what makes it: @node, or the caller (-1). */
static TpCheckerArc
made_arc (const TpCheckerArcs *arcs, int tensor, int node, int device)
{
  return fill_arc (new_arc (arcs, MADE, tensor, device),
                   get_tensor (arcs, tensor)->producer == node
                       && has_copy (arcs, tensor, device),
                   copy_cost (arcs, tensor, device));
}

static TpCheckerArc
reader_arc (const TpCheckerArcs *arcs, int tensor, int node, int device)
{
  int place = find_reader (get_tensor (arcs, tensor), node);

  return fill_arc (new_arc (arcs, READER,
                            (gint64) arcs->copies[tensor].first + place,
                            device),
                   place >= 0 && has_copy (arcs, tensor, device), INFINITE);
}

static TpCheckerArc
caller_arc (const TpCheckerArcs *arcs, int tensor, int device)
{
  return fill_arc (new_arc (arcs, CALLER, tensor, device),
                   has_copy (arcs, tensor, device)
                       && is_shared (arcs, tensor, device),
                   INFINITE);
}

static TpCheckerArc
node_to_second (const TpCheckerArcs *arcs, int node, int tensor)
{
  return made_arc (arcs, tensor, node, 1);
}

static TpCheckerArc
source_to_second (const TpCheckerArcs *arcs, int unused, int tensor)
{
  return made_arc (arcs, tensor, -1, 1);
}

static TpCheckerArc
second_to_node (const TpCheckerArcs *arcs, int tensor, int node)
{
  return reader_arc (arcs, tensor, node, 1);
}

static TpCheckerArc
second_to_sink (const TpCheckerArcs *arcs, int tensor, int unused)
{
  return caller_arc (arcs, tensor, 1);
}

static TpCheckerArc
first_to_node (const TpCheckerArcs *arcs, int tensor, int node)
{
  return made_arc (arcs, tensor, node, 0);
}

static TpCheckerArc
first_to_sink (const TpCheckerArcs *arcs, int tensor, int unused)
{
  return made_arc (arcs, tensor, -1, 0);
}

static TpCheckerArc
node_to_first (const TpCheckerArcs *arcs, int node, int tensor)
{
  return reader_arc (arcs, tensor, node, 0);
}

static TpCheckerArc
source_to_first (const TpCheckerArcs *arcs, int unused, int tensor)
{
  return caller_arc (arcs, tensor, 0);
}

static TpCheckerArc
gain_arc (const TpCheckerArcs *arcs, int group, int device)
{
  return fill_arc (new_arc (arcs, GAIN, group, device), TRUE,
                   gain_of (arcs, group, device));
}

/* @node is in one group at most. */
static TpCheckerArc
member_arc (const TpCheckerArcs *arcs, int group, int node, int device)
{
  return fill_arc (new_arc (arcs, MEMBER, node, device),
                   arcs->checker->group_of[node] == group
                       && gain_of (arcs, group, device) > 0,
                   INFINITE);
}

static TpCheckerArc
source_to_first_gain (const TpCheckerArcs *arcs, int unused, int group)
{
  return gain_arc (arcs, group, 0);
}

static TpCheckerArc
first_gain_to_node (const TpCheckerArcs *arcs, int group, int node)
{
  return member_arc (arcs, group, node, 0);
}

static TpCheckerArc
second_gain_to_sink (const TpCheckerArcs *arcs, int group, int unused)
{
  return gain_arc (arcs, group, 1);
}

static TpCheckerArc
node_to_second_gain (const TpCheckerArcs *arcs, int node, int group)
{
  return member_arc (arcs, group, node, 1);
}

static TpCheckerArc
bound_arc (const TpCheckerArcs *arcs, int colocation, int node, int way)
{
  return fill_arc (new_arc (arcs, BOUND, node, way),
                   arcs->together[node] == colocation, INFINITE);
}

static TpCheckerArc
together_to_node (const TpCheckerArcs *arcs, int colocation, int node)
{
  return bound_arc (arcs, colocation, node, 0);
}

static TpCheckerArc
node_to_together (const TpCheckerArcs *arcs, int node, int colocation)
{
  return bound_arc (arcs, colocation, node, 1);
}

typedef TpCheckerArc (*Kind) (const TpCheckerArcs *arcs, int from, int to);

/* NULL: no such arcs. */
static const Kind kinds[TP_N_CUT_VERTICES][TP_N_CUT_VERTICES] = {
  [TP_CUT_SOURCE][TP_CUT_NODE] = source_to_node,
  [TP_CUT_NODE][TP_CUT_SINK] = node_to_sink,
  [TP_CUT_NODE][TP_CUT_NODE] = node_to_node,
  [TP_CUT_SOURCE][TP_CUT_ON_SECOND] = source_to_second,
  [TP_CUT_NODE][TP_CUT_ON_SECOND] = node_to_second,
  [TP_CUT_ON_SECOND][TP_CUT_NODE] = second_to_node,
  [TP_CUT_ON_SECOND][TP_CUT_SINK] = second_to_sink,
  [TP_CUT_ON_FIRST][TP_CUT_NODE] = first_to_node,
  [TP_CUT_ON_FIRST][TP_CUT_SINK] = first_to_sink,
  [TP_CUT_NODE][TP_CUT_ON_FIRST] = node_to_first,
  [TP_CUT_SOURCE][TP_CUT_ON_FIRST] = source_to_first,
  [TP_CUT_SOURCE][TP_CUT_WHOLE_FIRST] = source_to_first_gain,
  [TP_CUT_WHOLE_FIRST][TP_CUT_NODE] = first_gain_to_node,
  [TP_CUT_NODE][TP_CUT_WHOLE_SECOND] = node_to_second_gain,
  [TP_CUT_WHOLE_SECOND][TP_CUT_SINK] = second_gain_to_sink,
  [TP_CUT_TOGETHER][TP_CUT_NODE] = together_to_node,
  [TP_CUT_NODE][TP_CUT_TOGETHER] = node_to_together,
};

TpCheckerArc
tp_checker_arcs_find (const TpCheckerArcs *arcs, TpCutVertex from,
                      TpCutVertex to)
{
  Kind kind = kinds[from.kind][to.kind];

  return kind == NULL ? (TpCheckerArc){ ABSENT, 0 }
                      : kind (arcs, from.index, to.index);
}

int
tp_checker_arcs_count_copies (const TpCheckerArcs *arcs, TpCutVertex from,
                              TpCutVertex to)
{
  gboolean is_from_op = from.kind == TP_CUT_NODE;
  gboolean is_to_op = to.kind == TP_CUT_NODE;
  const TpNodeOutline *node;
  int n = 0, device = is_to_op ? 1 : 0;

  if (from.kind == TP_CUT_ON_FIRST || to.kind == TP_CUT_ON_SECOND
      || (is_from_op && is_to_op))
    return 1;
  if (arcs->checker->costs->host >= 0
      || !((from.kind == TP_CUT_SOURCE && is_to_op)
           || (is_from_op && to.kind == TP_CUT_SINK)))
    return 0;
  node = &arcs->checker->nodes[is_to_op ? to.index : from.index];
  for (int i = 0; i < node->n_outputs; i++)
    n += fetch_cost (arcs, node->outputs[i], device) > 0;
  return n;
}

/* ---- making ------------------------------------------------------------ */

/* Returns the readers of all tensors. */
static int
gather_copies (TpCheckerArcs *arcs)
{
  const TpChecker *checker = arcs->checker;
  int n = checker->graph->n_tensors, first = 0;

  arcs->copies = tp_new0 (TpCheckerCopies, n + 1);
  arcs->plains = tp_new (TpCheckerPlain, checker->graph->n_nodes + 1);
  memset (arcs->plains, -1,
          sizeof (TpCheckerPlain) * (gsize) checker->graph->n_nodes);
  for (int i = 0; i < n; i++)
    {
      const TpTensorOutline *it = &checker->tensors[i];
      TpCheckerCopies *copies = &arcs->copies[i];

      copies->first = first;
      first += it->n_readers;
      if (it->is_resident)
        continue;
      copies->is_plain = it->producer >= 0 && it->n_readers == 1
                         && !it->is_output
                         && checker->nodes[it->producer].n_outputs == 1;
      if (copies->is_plain)
        arcs->plains[it->producer] = (TpCheckerPlain){ i, it->readers[0] };
    }
  return first;
}

static void
gather_together (TpCheckerArcs *arcs)
{
  const TpGraph *graph = arcs->checker->graph;

  arcs->together = tp_new (int, graph->n_nodes + 1);
  memset (arcs->together, -1, sizeof (int) * (gsize) graph->n_nodes);
  for (int i = 0; i < graph->n_colocations; i++)
    for (int k = 0; k < graph->colocations[i].n_nodes; k++)
      arcs->together[graph->colocations[i].nodes[k]] = i;
}

void
tp_checker_arcs_init (TpCheckerArcs *arcs, const TpChecker *checker)
{
  int n_nodes = checker->graph->n_nodes, n_tensors = checker->graph->n_tensors;
  gint64 sizes[] = { [OWN] = n_nodes,   [MADE] = n_tensors,
                     [CALLER] = n_tensors, [READER] = 0,
                     [GAIN] = checker->costs->n_groups, [MEMBER] = n_nodes,
                     [BOUND] = n_nodes };

  *arcs = (TpCheckerArcs){ .checker = checker };
  sizes[READER] = gather_copies (arcs);
  gather_together (arcs);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      arcs->bases[i] = arcs->n_numbers;
      arcs->n_numbers += 2 * sizes[i];
    }
}

void
tp_checker_arcs_clear (TpCheckerArcs *arcs)
{
  g_clear_pointer (&arcs->copies, g_free);
  g_clear_pointer (&arcs->plains, g_free);
  g_clear_pointer (&arcs->together, g_free);
}
