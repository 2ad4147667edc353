/* maxflow.c: the residual graph in CSR form, and what is read off a maximum
 * flow. The methods that find one are in maxflow-trees.c and maxflow-levels.c. */
#include "config.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/maxflow-levels.h"
#include "planner/maxflow-private.h"
#include "planner/maxflow-trees.h"

TpFlow *
tp_flow_new (int n_vertices)
{
  g_autoptr (TpFlow) flow = g_new0 (TpFlow, 1);

  flow->n_vertices = n_vertices;
  flow->source_capacity = tp_new0 (gint64, n_vertices);
  flow->sink_capacity = tp_new0 (gint64, n_vertices);
  flow->pairs = tp_array_new (sizeof (Pair));
  flow->path = tp_array_new (sizeof (int));
  flow->effort = TP_FLOW_EFFORT;
  flow->scans_left = G_MAXINT64;
  return g_steal_pointer (&flow);
}

void
tp_flow_free (TpFlow *flow)
{
  if (flow == NULL)
    return;
  g_free (flow->source_capacity);
  g_free (flow->sink_capacity);
  g_free (flow->terminal);
  tp_array_unref (flow->pairs);
  g_free (flow->first);
  g_free (flow->arcs);
  g_free (flow->pair_arc);
  g_free (flow->pair_capacity);
  g_free (flow->level);
  g_free (flow->stamp);
  g_free (flow->current);
  g_free (flow->untried);
  tp_array_unref (flow->path);
  g_free (flow->is_sink);
  g_free (flow->most);
  g_free (flow->listed);
  g_free (flow->place);
  g_free (flow->n_usable);
  g_free (flow);
}

void
tp_flow_add_terminal (TpFlow *flow, int v, gint64 from_source, gint64 to_sink)
{
  g_assert (v >= 0 && v < flow->n_vertices);
  g_assert (from_source >= 0 && to_sink >= 0 && flow->arcs == NULL);
  flow->source_capacity[v] += from_source;
  flow->sink_capacity[v] += to_sink;
}

void
tp_flow_add_pair (TpFlow *flow, int u, int v, gint64 capacity, gint64 reverse)
{
  Pair pair = { u, v, capacity, reverse };

  g_assert (u >= 0 && u < flow->n_vertices && v >= 0 && v < flow->n_vertices);
  g_assert (u != v && capacity >= 0 && reverse >= 0 && flow->arcs == NULL);
  tp_array_append_val (flow->pairs, pair);
  flow->n_pairs++;
}

void
tp_flow_set_effort (TpFlow *flow, gint64 scans_per_item)
{
  flow->effort = scans_per_item;
}

gboolean
tp_flow_has_switched (const TpFlow *flow)
{
  return flow->has_switched;
}

/* Arcs sorted by tail: by counting, so in the order they were added. Of the pairs their
 * capacities are kept. */
static void
build_arcs (TpFlow *flow)
{
  int n = flow->n_vertices, n_pairs = flow->n_pairs;
  const Pair *pairs = (const Pair *) flow->pairs->data;
  g_autofree int *next = tp_new (int, n + 1);

  g_assert (n_pairs <= G_MAXINT / 2);
  flow->first = tp_new0 (int, n + 2);
  flow->arcs = tp_new (Arc, 2 * (gsize) n_pairs + 1);
  flow->pair_arc = tp_new (int, n_pairs + 1);
  flow->pair_capacity = tp_new (gint64, n_pairs + 1);
  for (int k = 0; k < n_pairs; k++)
    {
      flow->first[pairs[k].u + 1]++;
      flow->first[pairs[k].v + 1]++;
    }
  for (int v = 0; v < n; v++)
    flow->first[v + 1] += flow->first[v];
  for (int v = 0; v < n; v++)
    next[v] = flow->first[v];
  for (int k = 0; k < n_pairs; k++)
    {
      int a = next[pairs[k].u]++, b = next[pairs[k].v]++;

      flow->arcs[a] = (Arc){ pairs[k].v, b, pairs[k].capacity, pairs[k].reverse };
      flow->arcs[b] = (Arc){ pairs[k].u, a, pairs[k].reverse, pairs[k].capacity };
      flow->pair_arc[k] = a;
      flow->pair_capacity[k] = pairs[k].capacity;
    }
  g_clear_pointer (&flow->pairs, tp_array_unref);
}

static void
solve_by_levels (TpFlow *flow)
{
  g_autofree int *roots = tp_new (int, flow->n_vertices + 1);
  g_autoptr (TpArray) reached = tp_array_new (sizeof (int));
  int n_roots = 0;

  flow->has_switched = TRUE;
  for (int v = 0; v < flow->n_vertices; v++)
    if (flow->terminal[v] < 0)
      roots[n_roots++] = v;
  tp_flow_block (flow, roots, n_roots, TRUE, reached);
}

gint64
tp_flow_solve (TpFlow *flow)
{
  g_assert (flow->arcs == NULL);
  build_arcs (flow);
  flow->terminal = tp_new (gint64, flow->n_vertices + 1);
  for (int v = 0; v < flow->n_vertices; v++)
    flow->terminal[v] = flow->source_capacity[v] - flow->sink_capacity[v];
  return tp_flow_resume (flow);
}

/* What goes from a vertex with some from the source straight to one with some to
 * the sink needs no search. */
static void
push_straight (TpFlow *flow)
{
  for (int v = 0; v < flow->n_vertices; v++)
    for (int a = flow->first[v];
         a < flow->first[v + 1] && flow->terminal[v] > 0; a++)
      {
        int w = flow->arcs[a].head;
        gint64 amount = MIN (flow->terminal[v], flow->arcs[a].residual);

        amount = MIN (amount, -flow->terminal[w]);
        if (amount <= 0)
          continue;
        tp_flow_push (flow, a, amount);
        flow->terminal[v] -= amount;
        flow->terminal[w] += amount;
      }
}

gint64
tp_flow_resume (TpFlow *flow)
{
  gint64 value = 0;

  push_straight (flow);
  if (!tp_flow_grow_trees (flow))
    solve_by_levels (flow);
  for (int v = 0; v < flow->n_vertices; v++)
    {
      gint64 from_source, to_sink;

      tp_flow_get_terminal (flow, v, &from_source, &to_sink);
      value += to_sink;
    }
  return value;
}

TpFlow *
tp_flow_dup (const TpFlow *flow)
{
  g_autoptr (TpFlow) copy = tp_flow_new (0);
  gsize n = flow->n_vertices, n_pairs = flow->n_pairs;

  g_assert (flow->arcs != NULL);
  copy->n_vertices = flow->n_vertices;
  copy->effort = flow->effort;
  copy->has_switched = flow->has_switched;
  copy->n_pairs = flow->n_pairs;
  copy->source_capacity
      = tp_memdup (flow->source_capacity, n * sizeof (gint64));
  copy->sink_capacity = tp_memdup (flow->sink_capacity, n * sizeof (gint64));
  copy->terminal = tp_memdup (flow->terminal, (n + 1) * sizeof (gint64));
  copy->first = tp_memdup (flow->first, (n + 2) * sizeof (int));
  copy->arcs = tp_memdup (flow->arcs, (2 * n_pairs + 1) * sizeof (Arc));
  copy->pair_arc = tp_memdup (flow->pair_arc, (n_pairs + 1) * sizeof (int));
  copy->pair_capacity
      = tp_memdup (flow->pair_capacity, (n_pairs + 1) * sizeof (gint64));
  return g_steal_pointer (&copy);
}

void
tp_flow_raise_terminal (TpFlow *flow, int v, gint64 from_source,
                        gint64 to_sink)
{
  g_assert (from_source >= 0 && to_sink >= 0 && flow->arcs != NULL);
  flow->source_capacity[v] += from_source;
  flow->sink_capacity[v] += to_sink;
  flow->terminal[v] += from_source - to_sink;
}

void
tp_flow_raise_pair (TpFlow *flow, int pair, gint64 capacity, gint64 reverse)
{
  Arc *arc = &flow->arcs[flow->pair_arc[pair]];
  Arc *sister = &flow->arcs[arc->sister];

  g_assert (capacity >= 0 && reverse >= 0);
  flow->pair_capacity[pair] += capacity;
  arc->residual += capacity;
  sister->reverse += capacity;
  arc->reverse += reverse;
  sister->residual += reverse;
}

void
tp_flow_set_terminal (TpFlow *flow, int v, gint64 from_source, gint64 to_sink)
{
  g_assert (from_source >= 0 && to_sink >= 0 && flow->arcs != NULL);
  flow->source_capacity[v] = from_source;
  flow->sink_capacity[v] = to_sink;
  flow->terminal[v] = from_source - to_sink;
}

void
tp_flow_set_pair (TpFlow *flow, int pair, gint64 capacity, gint64 reverse)
{
  Arc *arc = &flow->arcs[flow->pair_arc[pair]];
  Arc *sister = &flow->arcs[arc->sister];

  g_assert (capacity >= 0 && reverse >= 0);
  flow->pair_capacity[pair] = capacity;
  arc->residual = sister->reverse = capacity;
  arc->reverse = sister->residual = reverse;
}

void
tp_flow_settle (TpFlow *flow)
{
  for (int k = 0; k < flow->n_pairs; k++)
    flow->pair_capacity[k] = tp_flow_get_pair (flow, k);
  g_clear_pointer (&flow->arcs, g_free);
  g_clear_pointer (&flow->first, g_free);
  g_clear_pointer (&flow->pair_arc, g_free);
}

gint64
tp_flow_get_pair (const TpFlow *flow, int pair)
{
  if (flow->arcs == NULL)
    return flow->pair_capacity[pair];
  return flow->pair_capacity[pair] - flow->arcs[flow->pair_arc[pair]].residual;
}

void
tp_flow_get_terminal (const TpFlow *flow, int v, gint64 *out_from_source,
                      gint64 *out_to_sink)
{
  *out_from_source = flow->source_capacity[v] - MAX (flow->terminal[v], 0);
  *out_to_sink = flow->sink_capacity[v] + MIN (flow->terminal[v], 0);
}

void
tp_flow_get_sink_side (const TpFlow *flow, guint8 *out_is_sink)
{
  g_autofree int *stack = tp_new (int, flow->n_vertices + 1);
  int n_stack = 0;

  for (int v = 0; v < flow->n_vertices; v++)
    {
      out_is_sink[v] = flow->terminal[v] < 0;
      if (out_is_sink[v])
        stack[n_stack++] = v;
    }
  while (n_stack > 0)
    {
      int v = stack[--n_stack];

      for (int a = flow->first[v]; a < flow->first[v + 1]; a++)
        {
          int u = flow->arcs[a].head;

          if (out_is_sink[u] || flow->arcs[a].reverse == 0)
            continue;
          out_is_sink[u] = TRUE;
          stack[n_stack++] = u;
        }
    }
}
