/* network-lines.c: see network-lines.h.
 *
 * What is A + x B is A + B for x = 1 and A + 2 B for x = 2, so q A + p B is 2 q - p times
 * the one and p - q times the other. The arcs stay; what they can take is set anew. */
#include "config.h"

#include "planner/network-lines.h"

#include "ir/guard.h"
#include "planner/network-private.h"

__extension__ typedef __int128 Wide;

struct TpNetworkLines
{
  TpNetwork *first;           /* (unowned); its flow is that of the last x */
  const TpNetwork *second;    /* (unowned) */
  guint8 *is_sink;
};

static gboolean
are_alike (const TpNetwork *a, const TpNetwork *b)
{
  if (tp_network_count_arcs (a) != tp_network_count_arcs (b)
      || a->vertices->len != b->vertices->len)
    return FALSE;
  for (guint k = 0; k < tp_network_count_arcs (a); k++)
    {
      NetArc x = tp_network_get_arc (a, k), y = tp_network_get_arc (b, k);

      if (x.from != y.from || x.to != y.to
          || (x.capacity == INFINITE) != (y.capacity == INFINITE)
          || (x.reverse == INFINITE) != (y.reverse == INFINITE))
        return FALSE;
    }
  return TRUE;
}

void
tp_network_lines_free (TpNetworkLines *lines)
{
  if (lines == NULL)
    return;
  g_free (lines->is_sink);
  g_free (lines);
}

TpNetworkLines *
tp_network_lines_new (TpNetwork *first, const TpNetwork *second)
{
  g_autoptr (TpNetworkLines) lines = NULL;
  gsize n = (gsize) first->problem->graph->n_nodes + first->vertices->len + 1;

  if (!are_alike (first, second))
    return NULL;
  lines = g_new0 (TpNetworkLines, 1);
  lines->first = first;
  lines->second = second;
  lines->is_sink = tp_new0 (guint8, n);
  tp_flow_solve (first->flow);
  return g_steal_pointer (&lines);
}

/* ---- one x ---------------------------------------------------------------- */

typedef struct
{
  gint64 first, second;       /* so many times each */
  gint64 infinite;
} Blend;

static gint64
blend_number (const Blend *blend, gint64 first, gint64 second)
{
  return (gint64) ((Wide) first * blend->first + (Wide) second * blend->second);
}

static gint64
blend_capacity (const Blend *blend, gint64 first, gint64 second)
{
  return first == INFINITE ? blend->infinite
                           : blend_number (blend, first, second);
}

static void
set_pairs (TpNetworkLines *lines, const Blend *blend)
{
  const TpNetwork *network = lines->first;
  int pair = 0;

  for (guint k = 0; k < network->arcs->len; k++) /* ends of nodes are no pairs */
    {
      const NetArc *arc = &tp_array_index (network->arcs, NetArc, k);
      const NetArc *twin = &tp_array_index (lines->second->arcs, NetArc, k);

      if (arc->from != VERTEX_SOURCE && arc->to != VERTEX_SINK)
        tp_flow_set_pair (
            network->flow, pair++,
            blend_capacity (blend, arc->capacity, twin->capacity),
            blend_capacity (blend, arc->reverse, twin->reverse));
    }
}

/* A vertex may have several arcs from the source, or to the sink. */
static void
set_terminals (TpNetworkLines *lines, const Blend *blend)
{
  const TpNetwork *network = lines->first;
  gsize n = (gsize) network->problem->graph->n_nodes + network->vertices->len;
  g_autofree gint64 *ends = tp_new0 (gint64, 2 * n + 1);
  const int *numbers = network->flow_vertex;

  for (guint k = 0; k < tp_network_count_arcs (network); k++)
    {
      NetArc arc = tp_network_get_arc (network, k);
      NetArc twin = tp_network_get_arc (lines->second, k);
      gint64 capacity = blend_capacity (blend, arc.capacity, twin.capacity);

      if (arc.from == VERTEX_SOURCE)
        ends[2 * numbers[arc.to - VERTEX_NODES]] += capacity;
      else if (arc.to == VERTEX_SINK)
        ends[2 * numbers[arc.from - VERTEX_NODES] + 1] += capacity;
    }
  for (gsize v = 0; v < n; v++)
    tp_flow_set_terminal (network->flow, (int) v, ends[2 * v],
                          ends[2 * v + 1]);
}

gint64
tp_network_lines_solve (TpNetworkLines *lines, gint64 p, gint64 q,
                        guint8 *devices)
{
  const TpNetwork *network = lines->first;
  Blend blend = { .first = 2 * q - p, .second = p - q };
  gint64 value;

  blend.infinite
      = blend_number (&blend, network->sum, lines->second->sum) + 1;
  set_pairs (lines, &blend);
  set_terminals (lines, &blend);
  value = tp_flow_resume (network->flow);
  tp_flow_get_sink_side (network->flow, lines->is_sink);
  for (int i = 0; i < network->problem->graph->n_nodes; i++)
    devices[i] = lines->is_sink[network->flow_vertex[i]];
  return value
         - blend_number (&blend, network->constant, lines->second->constant);
}
