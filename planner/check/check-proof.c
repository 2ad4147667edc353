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

#include <string.h>

#define INFINITE (-1)
#define ABSENT 0 /* no arc has capacity 0 */

__extension__ typedef __int128 Wide;

/* Kinds: s, t; n: op; h, d: copy of a tensor on the second device, the first;
 * c, e: helper of a group on the first, the second. */
typedef struct
{
  char kind;
  int index;
} Vertex;

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

static const struct
{
  char from, to;
  gint64 (*capacity) (const TpChecker *checker, int from, int to);
} arc_kinds[] = {
  { 's', 'n', source_to_node },     { 'n', 't', node_to_sink },
  { 'n', 'n', node_to_node },       { 's', 'h', source_to_second },
  { 'n', 'h', node_to_second },     { 'h', 'n', second_to_node },
  { 'h', 't', second_to_sink },     { 'd', 'n', first_to_node },
  { 'd', 't', first_to_sink },      { 'n', 'd', node_to_first },
  { 's', 'd', source_to_first },    { 's', 'c', source_to_first_gain },
  { 'c', 'n', first_gain_to_node }, { 'n', 'e', node_to_second_gain },
  { 'e', 't', second_gain_to_sink },
};

static gint64
find_capacity (const TpChecker *checker, Vertex from, Vertex to)
{
  for (gsize i = 0; i < G_N_ELEMENTS (arc_kinds); i++)
    if (arc_kinds[i].from == from.kind && arc_kinds[i].to == to.kind)
      return arc_kinds[i].capacity (checker, from.index, to.index);
  return ABSENT;
}

/* How many copies that cost anything are in the capacity of an arc that there
 * is. */
static int
count_copies (const TpChecker *checker, Vertex from, Vertex to)
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

/* ---- names ------------------------------------------------------------- */

static gboolean
parse_number (const char *text, int limit, int *out, const char **out_rest)
{
  gint64 number = 0;

  if (!g_ascii_isdigit (*text) || (*text == '0' && g_ascii_isdigit (text[1])))
    return FALSE;
  for (; g_ascii_isdigit (*text) && number < limit; text++)
    number = 10 * number + (*text - '0');
  *out = (int) number;
  *out_rest = text;
  return number < limit;
}

static gboolean
parse_vertex (const TpChecker *checker, const char *name, Vertex *out)
{
  const char *rest = "";
  int limit = checker->graph->n_tensors;

  *out = (Vertex){ 0, 0 };
  if (name == NULL || strchr ("stnhdg", name[0]) == NULL || name[0] == 0)
    return FALSE;
  out->kind = name[0];
  if (name[0] == 's' || name[0] == 't')
    return name[1] == 0;
  if (name[0] == 'n')
    limit = checker->graph->n_nodes;
  if (name[0] == 'g')
    limit = checker->costs->n_groups;
  if (!parse_number (name + 1, limit, &out->index, &rest))
    return FALSE;
  if (name[0] == 'g')
    out->kind = *rest == 'c' ? 'c' : *rest == 'd' ? 'e' : 0;
  if (name[0] == 'g' && out->kind != 0)
    rest++;
  return out->kind != 0 && *rest == 0;
}

/* A number of its own for each vertex. */
static gint64
number_vertex (const TpChecker *checker, Vertex vertex)
{
  gint64 n_nodes = checker->graph->n_nodes;
  gint64 n_tensors = checker->graph->n_tensors;
  gint64 n_groups = checker->costs->n_groups;

  switch (vertex.kind)
    {
    case 's':
      return 0;
    case 't':
      return 1;
    case 'n':
      return 2 + vertex.index;
    case 'h':
      return 2 + n_nodes + vertex.index;
    case 'd':
      return 2 + n_nodes + n_tensors + vertex.index;
    case 'c':
      return 2 + n_nodes + 2 * n_tensors + vertex.index;
    default:
      return 2 + n_nodes + 2 * n_tensors + n_groups + vertex.index;
    }
}

/* ---- the flow ---------------------------------------------------------- */

typedef struct
{
  Wide *balance;              /* [vertex]: in minus out */
  Wide *tie_balance;          /* likewise, of the flow of the tie */
  gint64 n_vertices;
  gint64 *keys;               /* [arc] */
  GHashTable *seen;
} Flow;

/* The flow of the tie, through arc @index. */
static gboolean
check_tie_flow (TpChecker *checker, int index, Vertex from, Vertex to)
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
  Vertex from, to;
  gint64 capacity, u, v;

  if (!parse_vertex (checker, arc->from, &from)
      || !parse_vertex (checker, arc->to, &to))
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
  u = number_vertex (checker, from);
  v = number_vertex (checker, to);
  flow->keys[index] = u * flow->n_vertices + v;
  if (!g_hash_table_add (flow->seen, &flow->keys[index]))
    return tp_checker_fail (checker, "arcs[%d]: %s -> %s comes twice", index,
                            arc->from, arc->to);
  flow->balance[u] -= arc->flow;
  flow->balance[v] += arc->flow;
  flow->tie_balance[u] -= arc->tie_flow;
  flow->tie_balance[v] += arc->tie_flow;
  return TRUE;
}

/* Whether a flow is conserved, and proves @expected. */
static void
check_balance (TpChecker *checker, const Wide *balance, gint64 n_vertices,
               Wide expected)
{
  Wide bound = -balance[0] - checker->plan->constant_ns;
  gint64 n_leaks = 0;

  for (gint64 v = 2; v < n_vertices; v++)
    n_leaks += balance[v] != 0;
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

  check_balance (checker, flow->balance, flow->n_vertices, plan->bound_ns);
  if (price > 0)
    check_balance (checker, flow->tie_balance, flow->n_vertices,
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
  flow.balance = g_new0 (Wide, flow.n_vertices);
  flow.tie_balance = g_new0 (Wide, flow.n_vertices);
  flow.keys = g_new (gint64, n_arcs + 1);
  flow.seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (int i = 0; i < n_arcs; i++)
    check_arc (checker, &flow, i);
  check_balances (checker, &flow);
  g_hash_table_unref (flow.seen);
  g_free (flow.keys);
  g_free (flow.balance);
  g_free (flow.tie_balance);
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
