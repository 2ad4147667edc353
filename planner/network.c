/* network.c: costs as capacities.
 *
 * H. S. Stone, Multiprocessor scheduling with the aid of network flow
 * algorithms, 1977, with two additions. A tensor read by several ops is copied
 * once: its copies are vertices of their own, "h<tensor>" (there is one on the
 * second device) and "d<tensor>" (there is one on the first), tied to the readers
 * by infinite arcs. A group that gains by running as one is a vertex too,
 * "g<group>c" and "g<group>d", whose arc is cut when not all members are there.
 *
 *   s->n       cost on the second device   n->t        cost on the first
 *   p->v, v->p copies of a tensor with one reader
 *   p->h       copy to the second device   h->v        infinite, each reader
 *   d->p       copy to the first device    v->d        infinite, each reader
 *   s->h       feeding the second device   d->t        feeding the first
 *   s->d, h->t infinite: a graph output is read on the host, the first device or
 *              the second; with no host, fetching it from where it was made is
 *              a part of s->n and n->t
 *   s->gc      gain on the first device    gc->n       infinite, each member
 *   gd->t      gain on the second          n->gd       infinite, each member
 *   k->n, n->k infinite, each of what is to be on one device
 *
 * None comes twice, and of capacity 0 are arcs of nodes alone. Each has a place among
 * the flows of the proof, which is that of the graph, whatever things cost. */
#include "config.h"

#include "planner/network-private.h"

#include "ir/guard.h"

static void
count_arc (TpNetwork *network, const NetArc *arc)
{
  network->sum += MAX (arc->capacity, 0) + MAX (arc->reverse, 0);
  network->n_copies += arc->n_copies + arc->n_reverse_copies;
}

static void
add_arc (TpNetwork *network, NetArc arc)
{
  if (arc.capacity == 0 && arc.reverse == 0)
    return;
  count_arc (network, &arc);
  tp_array_append_val (network->arcs, arc);
}

static void
add_infinite (TpNetwork *network, int from, int to, guint place)
{
  add_arc (network, (NetArc){ from, to, INFINITE, 0, 0, 0, place });
}

/* The first of @n places that come next. */
static guint
take_places (TpNetwork *network, guint n)
{
  network->n_places += n;
  return network->n_places - n;
}

static int
add_vertex (TpNetwork *network, TpCutVertex name, int near)
{
  Vertex vertex = { name, near };

  tp_array_append_val (network->vertices, vertex);
  return VERTEX_NODES + network->problem->graph->n_nodes
         + (int) network->vertices->len - 1;
}

/* What is paid when @node is on @device, whatever else is where. */
static NetArc
get_own_arc (const TpNetwork *network, int node, int device)
{
  const TpProblem *problem = network->problem;
  const TpNode *it = &problem->graph->nodes[node];
  int vertex = VERTEX_NODES + node;
  NetArc arc = { .from = device == 1 ? VERTEX_SOURCE : vertex,
                 .to = device == 1 ? vertex : VERTEX_SINK,
                 .capacity = tp_problem_node_cost (problem, node, device),
                 .place = 2 * (guint) node + (device == 0) };

  if (arc.capacity == TP_COST_NONE)
    {
      arc.capacity = INFINITE;
      return arc;
    }
  for (int i = 0; i < it->n_outputs; i++)
    if (it->outputs[i] >= 0)
      {
        gint64 fetch
            = tp_problem_fetch_cost (problem, it->outputs[i], device);

        arc.capacity += fetch;
        arc.n_copies += fetch > 0;
      }
  return arc;
}

static guint
count_own_arcs (const TpNetwork *network)
{
  return 2 * (guint) network->problem->graph->n_nodes;
}

guint
tp_network_count_arcs (const TpNetwork *network)
{
  return count_own_arcs (network) + network->arcs->len;
}

NetArc
tp_network_get_arc (const TpNetwork *network, guint index)
{
  guint n_own = count_own_arcs (network);

  return index < n_own
             ? get_own_arc (network, (int) (index / 2), index % 2 == 0)
             : tp_array_index (network->arcs, NetArc, index - n_own);
}

static void
count_own_costs (TpNetwork *network)
{
  for (guint k = 0; k < count_own_arcs (network); k++)
    {
      NetArc arc = tp_network_get_arc (network, k);

      count_arc (network, &arc);
    }
}

/* Whether the caller reads @tensor on @device: its copy there is the one that
 * ops read. Inputs have never left the caller. */
static gboolean
is_read_by_caller (const TpNetwork *network, const TpTensor *tensor, int device)
{
  return tensor->is_output && tensor->producer >= 0
         && network->problem->costs->host == device;
}

/* Whether one arc each way does for its copies: nothing else could share it. */
static gboolean
is_plain (const TpGraph *graph, const TpTensor *tensor)
{
  const TpNode *maker;
  int n_made = 0;

  if (tensor->producer < 0 || tensor->n_consumers != 1 || tensor->is_output)
    return FALSE;
  maker = &graph->nodes[tensor->producer];
  for (int i = 0; i < maker->n_outputs; i++)
    n_made += maker->outputs[i] >= 0;
  return n_made == 1;
}

static gboolean
has_caller (const TpTensor *tensor)
{
  return tensor->is_output && tensor->producer >= 0;
}

/* Of one of its copies: from where it is made, to the caller and to each reader. */
static guint
count_copy_places (const TpTensor *tensor)
{
  return 1 + has_caller (tensor) + (guint) tensor->n_consumers;
}

guint
tp_network_count_flows (const TpGraph *graph, int index)
{
  const TpTensor *tensor = &graph->tensors[index];

  if (tp_tensor_is_resident (tensor))
    return 0;
  return is_plain (graph, tensor) ? 2 : 2 * count_copy_places (tensor);
}

/* Paid once when the producer is not on the second device and any reader is. */
static void
add_copy_on_second (TpNetwork *network, int index, int producer, gint64 cost)
{
  const TpTensor *tensor = &network->problem->graph->tensors[index];
  guint place = take_places (network, count_copy_places (tensor));
  guint first = place + 1 + has_caller (tensor);
  gboolean is_kept = is_read_by_caller (network, tensor, 1);
  int copy;

  if (cost == 0 || (tensor->n_consumers == 0 && !is_kept))
    return;
  copy = add_vertex (network, (TpCutVertex){ TP_CUT_ON_SECOND, index },
                     MAX (tensor->producer, 0));
  add_arc (network, (NetArc){ producer, copy, cost, 0, 1, 0, place });
  if (is_kept)
    add_infinite (network, copy, VERTEX_SINK, place + 1);
  for (int k = 0; k < tensor->n_consumers; k++)
    add_infinite (network, copy, VERTEX_NODES + tensor->consumers[k],
                  first + (guint) k);
}

static void
add_copy_on_first (TpNetwork *network, int index, int producer, gint64 cost)
{
  const TpTensor *tensor = &network->problem->graph->tensors[index];
  guint place = take_places (network, count_copy_places (tensor));
  guint first = place + 1 + has_caller (tensor);
  gboolean is_kept = is_read_by_caller (network, tensor, 0);
  int copy;

  if (cost == 0 || (tensor->n_consumers == 0 && !is_kept))
    return;
  copy = add_vertex (network, (TpCutVertex){ TP_CUT_ON_FIRST, index },
                     MAX (tensor->producer, 0));
  if (is_kept)
    add_infinite (network, VERTEX_SOURCE, copy, place + 1);
  for (int k = 0; k < tensor->n_consumers; k++)
    add_infinite (network, VERTEX_NODES + tensor->consumers[k], copy,
                  first + (guint) k);
  add_arc (network, (NetArc){ copy, producer, cost, 0, 1, 0, place });
}

static void
add_input (TpNetwork *network, int index)
{
  const TpProblem *problem = network->problem;

  add_copy_on_second (network, index, VERTEX_SOURCE,
                      tp_problem_edge_cost (problem, index, TP_COSTS_HOST, 1));
  add_copy_on_first (network, index, VERTEX_SINK,
                     tp_problem_edge_cost (problem, index, TP_COSTS_HOST, 0));
}

static void
add_tensors (TpNetwork *network)
{
  const TpProblem *problem = network->problem;

  for (int i = 0; i < problem->graph->n_tensors; i++)
    {
      const TpTensor *tensor = &problem->graph->tensors[i];
      int producer = VERTEX_NODES + tensor->producer;
      gint64 there, back;

      if (tp_tensor_is_resident (tensor))
        continue;
      there = tp_problem_edge_cost (problem, i, 0, 1);
      back = tp_problem_edge_cost (problem, i, 1, 0);
      if (tensor->producer < 0)
        add_input (network, i);
      else if (is_plain (problem->graph, tensor))
        add_arc (network,
                 (NetArc){ producer, VERTEX_NODES + tensor->consumers[0],
                           there, back, there > 0, back > 0,
                           take_places (network, 2) });
      else
        {
          add_copy_on_second (network, i, producer, there);
          add_copy_on_first (network, i, producer, back);
        }
    }
}

static void
add_gain_on_second (TpNetwork *network, int index, gint64 gain)
{
  const TpGroup *group = &network->problem->groups->groups[index];
  guint place = take_places (network, 1 + (guint) group->n_nodes);
  int helper;

  if (gain == 0)
    return;
  helper = add_vertex (network, (TpCutVertex){ TP_CUT_WHOLE_SECOND, index },
                       group->nodes[0]);
  for (int k = 0; k < group->n_nodes; k++)
    add_infinite (network, VERTEX_NODES + group->nodes[k], helper,
                  place + 1 + (guint) k);
  add_arc (network, (NetArc){ helper, VERTEX_SINK, gain, 0, 0, 0, place });
}

static void
add_gain_on_first (TpNetwork *network, int index, gint64 gain)
{
  const TpGroup *group = &network->problem->groups->groups[index];
  guint place = take_places (network, 1 + (guint) group->n_nodes);
  int helper;

  if (gain == 0)
    return;
  helper = add_vertex (network, (TpCutVertex){ TP_CUT_WHOLE_FIRST, index },
                       group->nodes[0]);
  add_arc (network, (NetArc){ VERTEX_SOURCE, helper, gain, 0, 0, 0, place });
  for (int k = 0; k < group->n_nodes; k++)
    add_infinite (network, helper, VERTEX_NODES + group->nodes[k],
                  place + 1 + (guint) k);
}

static void
add_group (TpNetwork *network, int index)
{
  gint64 first = tp_problem_get_gain (network->problem, index, 0);
  gint64 second = tp_problem_get_gain (network->problem, index, 1);

  add_gain_on_second (network, index, second);
  add_gain_on_first (network, index, first);
  network->constant += first + second;
}

static void
add_colocation (TpNetwork *network, int index)
{
  const TpColocation *it = &network->problem->graph->colocations[index];
  int vertex = add_vertex (network, (TpCutVertex){ TP_CUT_TOGETHER, index },
                           it->nodes[0]);

  for (int k = 0; k < it->n_nodes; k++)
    add_arc (network, (NetArc){ VERTEX_NODES + it->nodes[k], vertex, INFINITE,
                                INFINITE, 0, 0, take_places (network, 2) });
}

static gint64
to_finite (const TpNetwork *network, gint64 capacity)
{
  return capacity == INFINITE ? network->sum + 1 : capacity;
}

static int
count_vertices (const TpNetwork *network)
{
  return network->problem->graph->n_nodes + (int) network->vertices->len;
}

/* Each op is followed by its helpers: on large graphs the search misses the
 * cache less. */
static void
number_vertices (TpNetwork *network)
{
  int n_nodes = network->problem->graph->n_nodes;
  const Vertex *extra = (const Vertex *) network->vertices->data;
  g_autofree int *next = tp_new0 (int, n_nodes + 2);

  network->flow_vertex = tp_new (int, count_vertices (network) + 1);
  for (int i = 0; i < n_nodes; i++)
    next[i + 1]++;
  for (guint k = 0; k < network->vertices->len; k++)
    next[extra[k].near + 1]++;
  for (int i = 0; i < n_nodes; i++)
    next[i + 1] += next[i];
  for (int i = 0; i < n_nodes; i++)
    network->flow_vertex[i] = next[i]++;
  for (guint k = 0; k < network->vertices->len; k++)
    network->flow_vertex[n_nodes + (int) k] = next[extra[k].near]++;
}

static int
to_flow (const TpNetwork *network, int vertex)
{
  return network->flow_vertex[vertex - VERTEX_NODES];
}

static void
build_flow (TpNetwork *network)
{
  number_vertices (network);
  network->flow = tp_flow_new (count_vertices (network));
  for (guint k = 0; k < tp_network_count_arcs (network); k++)
    {
      NetArc arc = tp_network_get_arc (network, k);
      gint64 capacity = to_finite (network, arc.capacity);

      if (arc.from == VERTEX_SOURCE)
        tp_flow_add_terminal (network->flow, to_flow (network, arc.to),
                              capacity, 0);
      else if (arc.to == VERTEX_SINK)
        tp_flow_add_terminal (network->flow, to_flow (network, arc.from), 0,
                              capacity);
      else
        tp_flow_add_pair (network->flow, to_flow (network, arc.from),
                          to_flow (network, arc.to), capacity,
                          to_finite (network, arc.reverse));
    }
}

TpNetwork *
tp_network_new (const TpProblem *problem)
{
  g_autoptr (TpNetwork) network = g_new0 (TpNetwork, 1);

  network->problem = problem;
  network->vertices = tp_array_new (sizeof (Vertex));
  network->arcs = tp_array_new (sizeof (NetArc));
  network->n_places = count_own_arcs (network);
  count_own_costs (network);
  add_tensors (network);
  for (int i = 0; i < problem->costs->n_groups; i++)
    add_group (network, i);
  for (int i = 0; i < problem->graph->n_colocations; i++)
    add_colocation (network, i);
  build_flow (network);
  return g_steal_pointer (&network);
}

void
tp_network_free (TpNetwork *network)
{
  if (network == NULL)
    return;
  tp_array_unref (network->vertices);
  tp_array_unref (network->arcs);
  g_free (network->flow_vertex);
  g_free (network->is_sink);
  tp_flow_free (network->flow);
  g_free (network);
}

static void
take_cut (TpNetwork *network, gint64 value)
{
  network->value = value;
  network->is_sink = tp_new0 (guint8, count_vertices (network) + 1);
  tp_flow_get_sink_side (network->flow, network->is_sink);
}

gint64
tp_network_solve (TpNetwork *network)
{
  take_cut (network, tp_flow_solve (network->flow));
  return network->value;
}

/* What @price on every copy adds to an arc; to an infinite one, all of it. */
static gint64
get_raise (const TpNetwork *network, gint64 capacity, int n_copies)
{
  return network->price
         * (capacity == INFINITE ? network->n_copies : n_copies);
}

static void
raise_flow (TpNetwork *network)
{
  int pair = 0;

  for (guint k = 0; k < tp_network_count_arcs (network); k++)
    {
      NetArc arc = tp_network_get_arc (network, k);
      gint64 more = get_raise (network, arc.capacity, arc.n_copies);

      if (arc.from == VERTEX_SOURCE)
        tp_flow_raise_terminal (network->flow, to_flow (network, arc.to),
                                more, 0);
      else if (arc.to == VERTEX_SINK)
        tp_flow_raise_terminal (network->flow, to_flow (network, arc.from),
                                0, more);
      else
        tp_flow_raise_pair (
            network->flow, pair++, more,
            get_raise (network, arc.reverse, arc.n_reverse_copies));
    }
}

TpNetwork *
tp_network_raise (const TpNetwork *solved, gint64 price)
{
  g_autoptr (TpNetwork) network = g_new0 (TpNetwork, 1);

  g_assert (solved->price == 0 && price >= 0
            && price <= tp_network_get_max_price (solved));
  *network = *solved;
  network->price = price;
  network->sum += price * network->n_copies;
  tp_array_ref (network->vertices);
  tp_array_ref (network->arcs);
  network->is_sink = NULL; /* these are not shared */
  network->flow = NULL;
  network->flow_vertex = NULL;
  network->flow_vertex
      = tp_memdup (solved->flow_vertex,
                   sizeof (int) * ((gsize) count_vertices (solved) + 1));
  network->flow = tp_flow_dup (solved->flow);
  raise_flow (network);
  take_cut (network, tp_flow_resume (network->flow));
  return g_steal_pointer (&network);
}

gint64
tp_network_get_max_price (const TpNetwork *network)
{
  return (TP_PROBLEM_LIMIT - 1 - MIN (network->sum, TP_PROBLEM_LIMIT - 1))
         / (network->n_copies + 1);
}

gint64
tp_network_get_price (const TpNetwork *network)
{
  return network->price;
}

gint64
tp_network_get_value (const TpNetwork *network)
{
  return network->value;
}

int
tp_network_get_device (const TpNetwork *network, int node)
{
  return network->is_sink[network->flow_vertex[node]];
}

gint64
tp_network_get_constant (const TpNetwork *network)
{
  return network->constant;
}

void
tp_network_force_all (TpNetwork *network, const guint8 *is_wanted,
                      gint64 scans, TpFlowForced *out)
{
  gsize n = (gsize) count_vertices (network) + 1;
  g_autofree guint8 *wanted = tp_new0 (guint8, n);
  g_autofree TpFlowForced *forced = tp_new (TpFlowForced, n);
  int n_nodes = network->problem->graph->n_nodes;

  for (int i = 0; i < n_nodes; i++)
    wanted[network->flow_vertex[i]] = is_wanted[i];
  tp_flow_force_all (network->flow, wanted, network->sum - network->value,
                     scans, forced);
  for (int i = 0; i < n_nodes; i++)
    out[i] = forced[network->flow_vertex[i]];
}

void
tp_network_settle (TpNetwork *network)
{
  tp_flow_settle (network->flow);
}

/* Flow from @arc->from to @arc->to; negative: the other way. */
static gint64
get_net_flow (const TpNetwork *network, const NetArc *arc, int *pair)
{
  gint64 from_source, to_sink;

  if (arc->from != VERTEX_SOURCE && arc->to != VERTEX_SINK)
    return tp_flow_get_pair (network->flow, (*pair)++);
  tp_flow_get_terminal (
      network->flow,
      to_flow (network, arc->from == VERTEX_SOURCE ? arc->to : arc->from),
      &from_source, &to_sink);
  return arc->from == VERTEX_SOURCE ? from_source : to_sink;
}

gint64 *
tp_network_dup_flows (const TpNetwork *network, int *out_n)
{
  gint64 *flows = tp_new0 (gint64, (gsize) network->n_places + 1);
  int pair = 0;

  for (guint k = 0; k < tp_network_count_arcs (network); k++)
    {
      NetArc arc = tp_network_get_arc (network, k);
      gint64 flow = get_net_flow (network, &arc, &pair);

      if (flow != 0)
        flows[arc.place + (flow < 0)] = ABS (flow);
    }
  *out_n = (int) network->n_places;
  return flows;
}
