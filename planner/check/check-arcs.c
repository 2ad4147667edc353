/* check-arcs.c: see check-arcs.h.
 *
 * Their numbers are those of docs/plan-format.md: things that arcs are of come one after
 * the other, and of each the arcs for the second device before as many for the first. */
#include "config.h"

#include "planner/check/check-arcs.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"

#include <string.h>

#define INFINITE TP_CHECKER_INFINITE
#define ABSENT TP_CHECKER_ABSENT

/* Number @place of @n for @device, of what has its arcs from @first on. */
static TpCheckerArc
new_arc (gint64 first, int device, gint64 n, gint64 place)
{
  return (TpCheckerArc){ .number = first + (1 - device) * n + place };
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
  TpCheckerArc arc = new_arc (2 * (gint64) node, device, 1, 0);
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
  return fill_arc (new_arc (arcs->copies[plain.tensor].first, device, 1, 0),
                   TRUE, copy_cost (arcs, plain.tensor, device));
}

static gboolean
has_caller (const TpCheckerArcs *arcs, int tensor)
{
  const TpTensorOutline *it = get_tensor (arcs, tensor);

  return it->is_output && it->producer >= 0;
}

/* Of the copy of @tensor to @device. */
static TpCheckerArc
new_copy_arc (const TpCheckerArcs *arcs, int tensor, int device, int place)
{
  return new_arc (arcs->copies[tensor].first, device,
                  1 + has_caller (arcs, tensor)
                      + get_tensor (arcs, tensor)->n_readers,
                  place);
}

/* Between a copy on @device and what makes it: @node, or the caller (-1). */
static TpCheckerArc
made_arc (const TpCheckerArcs *arcs, int tensor, int node, int device)
{
  return fill_arc (new_copy_arc (arcs, tensor, device, 0),
                   get_tensor (arcs, tensor)->producer == node
                       && has_copy (arcs, tensor, device),
                   copy_cost (arcs, tensor, device));
}

static TpCheckerArc
reader_arc (const TpCheckerArcs *arcs, int tensor, int node, int device)
{
  int place = find_reader (get_tensor (arcs, tensor), node);

  return fill_arc (new_copy_arc (arcs, tensor, device,
                                 1 + has_caller (arcs, tensor) + place),
                   place >= 0 && has_copy (arcs, tensor, device), INFINITE);
}

static TpCheckerArc
caller_arc (const TpCheckerArcs *arcs, int tensor, int device)
{
  return fill_arc (new_copy_arc (arcs, tensor, device, 1),
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
new_group_arc (const TpCheckerArcs *arcs, int group, int device, int place)
{
  return new_arc (arcs->groups[group], device,
                  1 + arcs->checker->plan->all_groups->groups[group].n_nodes,
                  place);
}

static TpCheckerArc
gain_arc (const TpCheckerArcs *arcs, int group, int device)
{
  return fill_arc (new_group_arc (arcs, group, device, 0), TRUE,
                   gain_of (arcs, group, device));
}

/* @node is in one group at most. */
static TpCheckerArc
member_arc (const TpCheckerArcs *arcs, int group, int node, int device)
{
  return fill_arc (new_group_arc (arcs, group, device,
                                  1 + arcs->members[node]),
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

/* There is one each way. */
static TpCheckerArc
bound_arc (const TpCheckerArcs *arcs, int colocation, int node, int back)
{
  return fill_arc ((TpCheckerArc){ .number = arcs->bound[node] + back },
                   arcs->together[node] == colocation, INFINITE);
}

static TpCheckerArc
together_to_node (const TpCheckerArcs *arcs, int colocation, int node)
{
  return bound_arc (arcs, colocation, node, 1);
}

static TpCheckerArc
node_to_together (const TpCheckerArcs *arcs, int node, int colocation)
{
  return bound_arc (arcs, colocation, node, 0);
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

/* ---- all of them -------------------------------------------------------- */

typedef struct
{
  const TpCheckerArcs *arcs;
  TpCheckerVisit visit;
  gpointer data;
} Walk;

/* From @from to @to if @device is the second, else the other way. */
static gboolean
visit (const Walk *walk, int device, TpCutVertex from, TpCutVertex to)
{
  return device == 1 ? walk->visit (walk->data, from, to)
                     : walk->visit (walk->data, to, from);
}

/* What @device is to a vertex: that it is not there costs what flows from here. */
static TpCutVertex
get_end (int device)
{
  return (TpCutVertex){ device == 1 ? TP_CUT_SOURCE : TP_CUT_SINK, 0 };
}

static TpCutVertex
name_op (int node)
{
  return (TpCutVertex){ TP_CUT_NODE, node };
}

static gboolean
visit_op (const Walk *walk, int node)
{
  return visit (walk, 1, get_end (1), name_op (node))
         && visit (walk, 0, get_end (0), name_op (node));
}

static gboolean
visit_copy (const Walk *walk, int tensor, int device)
{
  const TpTensorOutline *it = get_tensor (walk->arcs, tensor);
  const TpCutVertex copy
      = { device == 1 ? TP_CUT_ON_SECOND : TP_CUT_ON_FIRST, tensor };
  gboolean is_good = visit (
      walk, device, it->producer < 0 ? get_end (device) : name_op (it->producer),
      copy);

  if (is_good && has_caller (walk->arcs, tensor))
    is_good = visit (walk, device, copy, get_end (1 - device));
  for (int i = 0; i < it->n_readers && is_good; i++)
    is_good = visit (walk, device, copy, name_op (it->readers[i]));
  return is_good;
}

static gboolean
visit_tensor (const Walk *walk, int tensor)
{
  const TpTensorOutline *it = get_tensor (walk->arcs, tensor);

  if (it->is_resident)
    return TRUE;
  if (!walk->arcs->copies[tensor].is_plain)
    return visit_copy (walk, tensor, 1) && visit_copy (walk, tensor, 0);
  return visit (walk, 1, name_op (it->producer), name_op (it->readers[0]))
         && visit (walk, 0, name_op (it->producer), name_op (it->readers[0]));
}

/* What is gained on a device is lost where an op flows to the other. */
static gboolean
visit_gain (const Walk *walk, int group, int device)
{
  const TpGroup *it = &walk->arcs->checker->plan->all_groups->groups[group];
  const TpCutVertex gain
      = { device == 1 ? TP_CUT_WHOLE_SECOND : TP_CUT_WHOLE_FIRST, group };
  gboolean is_good = visit (walk, 1 - device, get_end (1 - device), gain);

  for (int i = 0; i < it->n_nodes && is_good; i++)
    is_good = visit (walk, 1 - device, gain, name_op (it->nodes[i]));
  return is_good;
}

static gboolean
visit_colocation (const Walk *walk, int index)
{
  const TpColocation *it = &walk->arcs->checker->graph->colocations[index];
  const TpCutVertex self = { TP_CUT_TOGETHER, index };
  gboolean is_good = TRUE;

  for (int i = 0; i < it->n_nodes && is_good; i++)
    is_good = visit (walk, 1, name_op (it->nodes[i]), self)
              && visit (walk, 0, name_op (it->nodes[i]), self);
  return is_good;
}

gboolean
tp_checker_arcs_walk (const TpCheckerArcs *arcs, TpCheckerVisit each,
                      gpointer data)
{
  const TpChecker *checker = arcs->checker;
  const Walk walk = { arcs, each, data };
  gboolean is_good = TRUE;

  for (int i = 0; i < checker->graph->n_nodes && is_good; i++)
    is_good = visit_op (&walk, i);
  for (int i = 0; i < checker->graph->n_tensors && is_good; i++)
    is_good = visit_tensor (&walk, i);
  for (int i = 0; i < checker->costs->n_groups && is_good; i++)
    is_good = visit_gain (&walk, i, 1) && visit_gain (&walk, i, 0);
  for (int i = 0; i < checker->graph->n_colocations && is_good; i++)
    is_good = visit_colocation (&walk, i);
  return is_good;
}

/* ---- making ------------------------------------------------------------ */

/* Whether @tensor is all that its maker makes, for one reader that is no caller. */
static gboolean
is_plain (const TpChecker *checker, const TpTensorOutline *tensor)
{
  const TpNodeOutline *maker;
  int n_made = 0;

  if (tensor->producer < 0 || tensor->n_readers != 1 || tensor->is_output)
    return FALSE;
  maker = &checker->nodes[tensor->producer];
  for (int i = 0; i < maker->n_outputs; i++)
    n_made += maker->outputs[i] >= 0;
  return n_made == 1;
}

/* Those of tensors; and what ops make for one reader. */
static void
number_copies (TpCheckerArcs *arcs)
{
  const TpChecker *checker = arcs->checker;
  int n = checker->graph->n_tensors;

  arcs->copies = tp_new0 (TpCheckerCopies, n + 1);
  arcs->plains = tp_new (TpCheckerPlain, checker->graph->n_nodes + 1);
  memset (arcs->plains, -1,
          sizeof (TpCheckerPlain) * (gsize) checker->graph->n_nodes);
  for (int i = 0; i < n; i++)
    {
      const TpTensorOutline *it = &checker->tensors[i];
      TpCheckerCopies *copies = &arcs->copies[i];

      copies->first = arcs->n_numbers;
      if (it->is_resident)
        continue;
      copies->is_plain = is_plain (checker, it);
      arcs->n_numbers
          += copies->is_plain
                 ? 2
                 : 2 * ((gint64) 1 + has_caller (arcs, i) + it->n_readers);
      if (copies->is_plain)
        arcs->plains[it->producer] = (TpCheckerPlain){ i, it->readers[0] };
    }
}

static void
number_groups (TpCheckerArcs *arcs)
{
  const TpGroups *groups = arcs->checker->plan->all_groups;
  int n = arcs->checker->costs->n_groups;

  arcs->groups = tp_new0 (gint64, (gsize) n + 1);
  arcs->members = tp_new0 (int, (gsize) arcs->checker->graph->n_nodes + 1);
  for (int i = 0; i < n; i++)
    {
      arcs->groups[i] = arcs->n_numbers;
      arcs->n_numbers += 2 * ((gint64) 1 + groups->groups[i].n_nodes);
      for (int k = 0; k < groups->groups[i].n_nodes; k++)
        arcs->members[groups->groups[i].nodes[k]] = k;
    }
}

static void
number_together (TpCheckerArcs *arcs)
{
  const TpGraph *graph = arcs->checker->graph;

  arcs->together = tp_new (int, graph->n_nodes + 1);
  arcs->bound = tp_new0 (gint64, (gsize) graph->n_nodes + 1);
  memset (arcs->together, -1, sizeof (int) * (gsize) graph->n_nodes);
  for (int i = 0; i < graph->n_colocations; i++)
    for (int k = 0; k < graph->colocations[i].n_nodes; k++)
      {
        int node = graph->colocations[i].nodes[k];

        arcs->together[node] = i;
        arcs->bound[node] = arcs->n_numbers;
        arcs->n_numbers += 2;
      }
}

void
tp_checker_arcs_init (TpCheckerArcs *arcs, const TpChecker *checker)
{
  *arcs = (TpCheckerArcs){ .checker = checker };
  arcs->n_numbers = 2 * (gint64) checker->graph->n_nodes;
  number_copies (arcs);
  number_groups (arcs);
  number_together (arcs);
}

void
tp_checker_arcs_clear (TpCheckerArcs *arcs)
{
  g_clear_pointer (&arcs->copies, g_free);
  g_clear_pointer (&arcs->plains, g_free);
  g_clear_pointer (&arcs->groups, g_free);
  g_clear_pointer (&arcs->members, g_free);
  g_clear_pointer (&arcs->together, g_free);
  g_clear_pointer (&arcs->bound, g_free);
}
