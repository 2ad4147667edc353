/* check-proof.c: does the flow prove that no plan is cheaper?
 *
 * Every placement is a cut of the network, and no cut is smaller than a flow.
 * So it is enough that the arcs are those that graph and costs demand, no more
 * and no fewer; that the flow keeps to their capacities and is conserved; and
 * that it is as large as the plan's own cut. A plan that breaks a tie has a
 * second flow for that: with a price on every copy, its own cut is the least.
 * Each arc is looked up by what its ends are: the table below is the network,
 * written a second time. */
#include "config.h"

#include "planner/check/check-proof.h"

#include "planner/check/check-costs.h"
#include "planner/check/check-vertex.h"

#include <string.h>

#define INFINITE (-1)
#define ABSENT 0 /* no arc has capacity 0 */

__extension__ typedef __int128 Wide;

/* One reader, and nothing else that could share the arc: no copies as vertices
 * are needed. */
static gboolean
is_plain (const TpChecker *checker, int tensor)
{
  const TpTensor *it = &checker->graph->tensors[tensor];

  return it->producer >= 0 && it->n_consumers == 1 && !it->is_output
         && checker->graph->nodes[it->producer].n_outputs == 1;
}

/* Whether the caller, who is at the host, shares a copy of @tensor on @device. */
static gboolean
is_shared (const TpChecker *checker, int tensor, int device)
{
  const TpTensor *it = &checker->graph->tensors[tensor];

  return it->is_output && it->producer >= 0 && checker->costs->host == device;
}

/* Of a copy to @device; inputs come from the caller, others from the other
 * device. */
static gint64
copy_cost (const TpChecker *checker, int tensor, int device)
{
  const TpTensor *it = &checker->graph->tensors[tensor];

  return tp_checker_copy_cost (
      checker, tensor, it->producer < 0 ? TP_COSTS_HOST : 1 - device, device);
}

/* Whether that copy is a vertex. */
static gboolean
has_copy (const TpChecker *checker, int tensor, int device)
{
  const TpTensor *it = &checker->graph->tensors[tensor];

  return !tp_tensor_is_constant (it) && !is_plain (checker, tensor)
         && (it->n_consumers > 0 || is_shared (checker, tensor, device))
         && copy_cost (checker, tensor, device) > 0;
}

static gboolean
reads (const TpChecker *checker, int node, int tensor)
{
  const TpTensor *it = &checker->graph->tensors[tensor];
  int low = 0, high = it->n_consumers;

  while (low < high)
    {
      int middle = low + (high - low) / 2;

      if (it->consumers[middle] == node)
        return TRUE;
      if (it->consumers[middle] < node)
        low = middle + 1;
      else
        high = middle;
    }
  return FALSE;
}

static gint64
gain_of (const TpChecker *checker, int group, int device)
{
  return checker->gains[2 * (gsize) group + device];
}

/* ---- capacity of each kind of arc -------------------------------------- */

/* Of @node on @device, whatever is where: with no host, the caller gets its
 * outputs from there. */
static gint64
own_cost (const TpChecker *checker, int node, int device)
{
  const TpNode *it = &checker->graph->nodes[node];
  gint64 cost = tp_checker_node_cost (checker, node, device);

  if (cost == TP_COST_NONE)
    return INFINITE;
  for (int i = 0; i < it->n_outputs && checker->costs->host < 0; i++)
    if (it->outputs[i] >= 0
        && checker->graph->tensors[it->outputs[i]].is_output)
      cost += tp_checker_copy_cost (checker, it->outputs[i], device,
                                    TP_COSTS_HOST);
  return cost;
}

static gint64
source_to_node (const TpChecker *checker, int unused, int node)
{
  return own_cost (checker, node, 1);
}

static gint64
node_to_sink (const TpChecker *checker, int node, int unused)
{
  return own_cost (checker, node, 0);
}

/* The plain tensor from one op to the other, or -1. */
static int
find_plain (const TpChecker *checker, int producer, int consumer)
{
  const TpNode *node = &checker->graph->nodes[producer];
  int tensor = node->n_outputs == 1 ? node->outputs[0] : -1;

  if (tensor < 0 || !is_plain (checker, tensor)
      || checker->graph->tensors[tensor].consumers[0] != consumer)
    return -1;
  return tensor;
}

static gint64
node_to_node (const TpChecker *checker, int from, int to)
{
  int tensor = find_plain (checker, from, to);

  if (tensor >= 0)
    return copy_cost (checker, tensor, 1);
  tensor = find_plain (checker, to, from);
  return tensor >= 0 ? copy_cost (checker, tensor, 0) : ABSENT;
}

/* Between a copy on @device and what makes it: @node, or the caller (-1). */
static gint64
copy_and_maker (const TpChecker *checker, int tensor, int node, int device)
{
  return has_copy (checker, tensor, device)
                 && checker->graph->tensors[tensor].producer == node
             ? copy_cost (checker, tensor, device)
             : ABSENT;
}

static gint64
copy_and_reader (const TpChecker *checker, int tensor, int node, int device)
{
  return has_copy (checker, tensor, device) && reads (checker, node, tensor)
             ? INFINITE
             : ABSENT;
}

static gint64
copy_and_caller (const TpChecker *checker, int tensor, int device)
{
  return has_copy (checker, tensor, device)
                 && is_shared (checker, tensor, device)
             ? INFINITE
             : ABSENT;
}

static gint64
node_to_second (const TpChecker *checker, int node, int tensor)
{
  return copy_and_maker (checker, tensor, node, 1);
}

static gint64
source_to_second (const TpChecker *checker, int unused, int tensor)
{
  return copy_and_maker (checker, tensor, -1, 1);
}

static gint64
second_to_node (const TpChecker *checker, int tensor, int node)
{
  return copy_and_reader (checker, tensor, node, 1);
}

static gint64
second_to_sink (const TpChecker *checker, int tensor, int unused)
{
  return copy_and_caller (checker, tensor, 1);
}

static gint64
first_to_node (const TpChecker *checker, int tensor, int node)
{
  return copy_and_maker (checker, tensor, node, 0);
}

static gint64
first_to_sink (const TpChecker *checker, int tensor, int unused)
{
  return copy_and_maker (checker, tensor, -1, 0);
}

static gint64
node_to_first (const TpChecker *checker, int node, int tensor)
{
  return copy_and_reader (checker, tensor, node, 0);
}

static gint64
source_to_first (const TpChecker *checker, int unused, int tensor)
{
  return copy_and_caller (checker, tensor, 0);
}

static gint64
source_to_first_gain (const TpChecker *checker, int unused, int group)
{
  return gain_of (checker, group, 0);
}

static gint64
first_gain_to_node (const TpChecker *checker, int group, int node)
{
  return gain_of (checker, group, 0) > 0 && checker->group_of[node] == group
             ? INFINITE
             : ABSENT;
}

static gint64
second_gain_to_sink (const TpChecker *checker, int group, int unused)
{
  return gain_of (checker, group, 1);
}

static gint64
node_to_second_gain (const TpChecker *checker, int node, int group)
{
  return gain_of (checker, group, 1) > 0 && checker->group_of[node] == group
             ? INFINITE
             : ABSENT;
}

typedef gint64 (*Capacity) (const TpChecker *checker, int from, int to);

/* [from - 'a'][to - 'a']; NULL: no such arcs. */
#define ARCS(from, to) [from - 'a'][to - 'a']
static const Capacity capacities[26][26] = {
  ARCS ('s', 'n') = source_to_node,
  ARCS ('n', 't') = node_to_sink,
  ARCS ('n', 'n') = node_to_node,
  ARCS ('s', 'h') = source_to_second,
  ARCS ('n', 'h') = node_to_second,
  ARCS ('h', 'n') = second_to_node,
  ARCS ('h', 't') = second_to_sink,
  ARCS ('d', 'n') = first_to_node,
  ARCS ('d', 't') = first_to_sink,
  ARCS ('n', 'd') = node_to_first,
  ARCS ('s', 'd') = source_to_first,
  ARCS ('s', 'c') = source_to_first_gain,
  ARCS ('c', 'n') = first_gain_to_node,
  ARCS ('n', 'e') = node_to_second_gain,
  ARCS ('e', 't') = second_gain_to_sink,
};

static gint64
find_capacity (const TpChecker *checker, TpCheckerVertex from,
               TpCheckerVertex to)
{
  Capacity capacity = capacities ARCS (from.kind, to.kind);

  return capacity == NULL ? ABSENT
                          : capacity (checker, from.index, to.index);
}

/* How many copies that cost anything are in the capacity of an arc that there
 * is. */
static int
count_copies (const TpChecker *checker, TpCheckerVertex from,
              TpCheckerVertex to)
{
  const TpNode *node;
  int n = 0, device = from.kind == 's' ? 1 : 0;

  if (from.kind == 'd' || to.kind == 'h'
      || (from.kind == 'n' && to.kind == 'n'))
    return 1;
  if (checker->costs->host >= 0 || (from.kind != 'n' && to.kind != 'n')
      || (from.kind != 's' && to.kind != 't'))
    return 0;
  node = &checker->graph->nodes[from.kind == 'n' ? from.index : to.index];
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0
        && checker->graph->tensors[node->outputs[i]].is_output)
      n += tp_checker_copy_cost (checker, node->outputs[i], device,
                                 TP_COSTS_HOST)
           > 0;
  return n;
}

/* ---- how many arcs there are ------------------------------------------- */

static gint64
count_tensor_arcs (const TpChecker *checker, int tensor)
{
  const TpTensor *it = &checker->graph->tensors[tensor];
  gint64 n = 0;

  for (int d = 0; d < 2; d++)
    if (is_plain (checker, tensor))
      n += copy_cost (checker, tensor, d) > 0;
    else if (has_copy (checker, tensor, d))
      n += 1 + it->n_consumers + (is_shared (checker, tensor, d) ? 1 : 0);
  return n;
}

static gint64
count_arcs (const TpChecker *checker)
{
  gint64 n = 0;

  for (int i = 0; i < checker->graph->n_nodes; i++)
    for (int d = 0; d < 2; d++)
      n += own_cost (checker, i, d) != 0;
  for (int i = 0; i < checker->graph->n_tensors; i++)
    n += count_tensor_arcs (checker, i);
  for (int g = 0; g < checker->costs->n_groups; g++)
    for (int d = 0; d < 2; d++)
      if (gain_of (checker, g, d) > 0)
        n += 1 + checker->plan->all_groups->groups[g].n_nodes;
  return n;
}

/* ---- the flow ---------------------------------------------------------- */

/* Of a vertex: in minus out; of the flow, and of that of the tie. */
typedef struct
{
  Wide flow, tie;
} Balance;

typedef struct
{
  Balance *balances;          /* [vertex] */
  gint64 n_vertices;
  gint64 *tails, *heads;      /* [arc]: vertices; -1: a bad one */
} Flow;

/* The flow of the tie, through arc @index. */
static gboolean
check_tie_flow (TpChecker *checker, int index, TpCheckerVertex from,
                TpCheckerVertex to)
{
  const TpArc *arc = &checker->plan->arcs[index];
  Wide price = checker->plan->tie_price_ns;
  gboolean is_infinite = price > 0 && arc->capacity == INFINITE;
  Wide capacity
      = price > 0
            ? arc->capacity + price * count_copies (checker, from, to)
            : 0;

  if (arc->tie_flow >= 0 && (is_infinite || arc->tie_flow <= capacity))
    return TRUE;
  return tp_checker_fail (checker,
                          "arcs[%d]: flow %" G_GINT64_FORMAT
                          " of the tie does not fit through %s -> %s",
                          index, arc->tie_flow, arc->from, arc->to);
}

static gboolean
check_arc (TpChecker *checker, Flow *flow, int index)
{
  const TpArc *arc = &checker->plan->arcs[index];
  TpCheckerVertex from, to;
  gint64 capacity, u, v;

  flow->tails[index] = -1;
  if (!tp_checker_parse_vertex (checker, arc->from, &from)
      || !tp_checker_parse_vertex (checker, arc->to, &to))
    return tp_checker_fail (checker, "arcs[%d]: no vertex '%s' or '%s'", index,
                            arc->from, arc->to);
  capacity = find_capacity (checker, from, to);
  if (capacity == ABSENT)
    return tp_checker_fail (checker, "arcs[%d]: no arc %s -> %s is called for",
                            index, arc->from, arc->to);
  if (arc->capacity != capacity)
    return tp_checker_fail (checker,
                            "arcs[%d]: %s -> %s should have capacity %"
                            G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                            index, arc->from, arc->to, capacity,
                            arc->capacity);
  if (arc->flow < 0 || (capacity != INFINITE && arc->flow > capacity))
    return tp_checker_fail (checker,
                            "arcs[%d]: flow %" G_GINT64_FORMAT
                            " does not fit through %s -> %s",
                            index, arc->flow, arc->from, arc->to);
  if (!check_tie_flow (checker, index, from, to))
    return FALSE;
  u = tp_checker_number_vertex (checker, from);
  v = tp_checker_number_vertex (checker, to);
  flow->tails[index] = u;
  flow->heads[index] = v;
  flow->balances[u].flow -= arc->flow;
  flow->balances[v].flow += arc->flow;
  flow->balances[u].tie -= arc->tie_flow;
  flow->balances[v].tie += arc->tie_flow;
  return TRUE;
}

/* Arcs by their tails, in the order of the list: @out_first[u] is the place of
 * the first from @u. Bad ones are left out. */
static int *
sort_by_tail (const Flow *flow, int n_arcs, int *out_first)
{
  int *sorted = g_new (int, n_arcs + 1);

  for (int i = 0; i < n_arcs; i++)
    if (flow->tails[i] >= 0)
      out_first[flow->tails[i] + 1]++;
  for (gint64 u = 0; u < flow->n_vertices; u++)
    out_first[u + 1] += out_first[u];
  for (int i = 0; i < n_arcs; i++)
    if (flow->tails[i] >= 0)
      sorted[out_first[flow->tails[i]]++] = i;
  for (gint64 u = flow->n_vertices; u > 0; u--)
    out_first[u] = out_first[u - 1];
  out_first[0] = 0;
  return sorted;
}

/* No hash: a file could make its keys collide. */
static void
check_each_once (TpChecker *checker, const Flow *flow)
{
  int n_arcs = checker->plan->n_arcs;
  g_autofree int *first = g_new0 (int, flow->n_vertices + 2);
  g_autofree int *sorted = sort_by_tail (flow, n_arcs, first);
  g_autofree gint64 *met = g_new0 (gint64, flow->n_vertices + 1);

  for (gint64 u = 0; u < flow->n_vertices; u++)
    for (int k = first[u]; k < first[u + 1]; k++)
      {
        const TpArc *arc = &checker->plan->arcs[sorted[k]];
        gint64 v = flow->heads[sorted[k]];

        if (met[v] == u + 1)
          tp_checker_fail (checker, "arcs[%d]: %s -> %s comes twice",
                           sorted[k], arc->from, arc->to);
        met[v] = u + 1;
      }
}

/* Whether the flow, or that of the tie, is conserved, and proves @expected. */
static void
check_balance (TpChecker *checker, const Flow *flow, gboolean is_tie,
               Wide expected)
{
  const Balance *all = flow->balances;
  Wide bound = -(is_tie ? all[0].tie : all[0].flow)
               - checker->plan->constant_ns;
  gint64 n_leaks = 0;

  for (gint64 v = 2; v < flow->n_vertices; v++)
    n_leaks += (is_tie ? all[v].tie : all[v].flow) != 0;
  if (n_leaks > 0)
    tp_checker_fail (checker,
                     "flow is not conserved at %" G_GINT64_FORMAT " vertices",
                     n_leaks);
  if (bound != expected)
    tp_checker_fail (checker, "a flow proves a bound of %.0f, not %.0f",
                     (double) bound, (double) expected);
}

static void
check_balances (TpChecker *checker, const Flow *flow)
{
  const TpPlan *plan = checker->plan;
  Wide price = plan->tie_price_ns;

  check_balance (checker, flow, FALSE, plan->bound_ns);
  if (price > 0)
    check_balance (checker, flow, TRUE,
                   plan->cost_ns + price * checker->n_copies);
}

static void
check_flow (TpChecker *checker)
{
  int n_arcs = checker->plan->n_arcs;
  gint64 n_expected = count_arcs (checker);
  Flow flow = {
    .n_vertices = 2 + (gint64) checker->graph->n_nodes
                  + 2 * (gint64) checker->graph->n_tensors
                  + 2 * (gint64) checker->costs->n_groups,
  };

  if (n_arcs != n_expected)
    tp_checker_fail (checker,
                     "the network has %" G_GINT64_FORMAT
                     " arcs, the proof lists %d",
                     n_expected, n_arcs);
  flow.balances = g_new0 (Balance, flow.n_vertices);
  flow.tails = g_new (gint64, n_arcs + 1);
  flow.heads = g_new (gint64, n_arcs + 1);
  for (int i = 0; i < n_arcs; i++)
    check_arc (checker, &flow, i);
  check_each_once (checker, &flow);
  check_balances (checker, &flow);
  g_free (flow.tails);
  g_free (flow.heads);
  g_free (flow.balances);
}

void
tp_checker_check_cut (TpChecker *checker)
{
  if (checker->costs->n_devices == 2)
    check_flow (checker);
  else if (checker->plan->n_arcs != 0)
    tp_checker_fail (checker, "a plan for one device has nothing to cut, but "
                              "%d arcs",
                     checker->plan->n_arcs);
}
