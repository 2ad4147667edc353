/* check-replay.c: see check-replay.h. The schedule is read as a graph: what waits for
 * what, because it needs it, because the engine was busy, or because nothing else tells
 * why it began so late. In replicas all ends as late as this makes it. */
#include "config.h"

#include "planner/check/check-replay.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/check/check-replicas.h"

#include <stdlib.h>
#include <string.h>

/* Things: ops, of a group in effect its first; then two ways for each transfer. */
typedef struct
{
  TpChecker *checker;
  int n_ops, n_things;
  gboolean *is_there;         /* [thing] */
  gint64 *starts, *ends;      /* [thing] */
  int *thing_of;              /* [op]: the first of its group in effect */
  int *bringer_of;            /* [tensor * n_devices + device]: thing, or -1 */
  TpCheckerFigure *figures;   /* [thing] */
  TpArray *arcs;              /* Arc */
  int *order;                 /* things, each after those it waits for */
  int n_ordered;
  TpArray *busy;              /* Busy */
} Graph;

typedef struct
{
  int from, to;
} Arc;

typedef struct
{
  int thing, engine;
  gint64 start, end;
} Busy;

static void
graph_clear (Graph *graph)
{
  g_free (graph->is_there);
  g_free (graph->starts);
  g_free (graph->ends);
  g_free (graph->thing_of);
  g_free (graph->bringer_of);
  g_free (graph->figures);
  g_free (graph->order);
  g_clear_pointer (&graph->arcs, tp_array_unref);
  g_clear_pointer (&graph->busy, tp_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Graph, graph_clear)

static void
add_arc (Graph *graph, int from, int to)
{
  Arc arc = { from, to };

  if (from >= 0 && from != to)
    tp_array_append_val (graph->arcs, arc);
}

/* ---- things --------------------------------------------------------------- */

/* @told: (nullable): its end. */
static void
put (Graph *graph, int thing, gint64 start, const gint64 *told)
{
  const TpCheckerFigure *figure = &graph->figures[thing];

  graph->is_there[thing] = TRUE;
  graph->starts[thing] = start;
  graph->ends[thing]
      = told != NULL ? *told : start + (gint64) figure->time_ns;
  if (figure->engine >= 0)
    {
      Busy busy = { thing,
                    tp_costs_is_one_engine (graph->checker->costs)
                        ? 0 : figure->engine,
                    start, graph->ends[thing] };

      tp_array_append_val (graph->busy, busy);
    }
}

static void
put_ops (Graph *graph)
{
  const TpPlan *plan = graph->checker->plan;
  const TpSpanProof *proof = plan->span_proof;

  for (int i = 0; i < graph->n_ops; i++)
    graph->thing_of[i] = i;
  for (int g = 0; g < plan->groups->n_groups; g++)
    for (int k = 0; k < plan->groups->groups[g].n_nodes; k++)
      graph->thing_of[plan->groups->groups[g].nodes[k]]
          = plan->groups->groups[g].nodes[0];
  for (int i = 0; i < graph->n_ops; i++)
    if (graph->thing_of[i] == i)
      put (graph, i, proof->starts[i],
           proof->ends == NULL ? NULL : &proof->ends[i]);
}

/* And what its ways wait for. */
static void
put_transfer (Graph *graph, int index)
{
  const TpChecker *checker = graph->checker;
  const TpTransfer *it = &checker->plan->transfers[index];
  const TpSpanProof *proof = checker->plan->span_proof;
  int maker = checker->tensors[it->tensor].producer;
  int last = maker < 0 ? -1 : graph->thing_of[maker];
  int fetch = graph->n_ops + 2 * index, feed = fetch + 1;

  if (proof->fetch_starts[index] != -1)
    {
      put (graph, fetch, proof->fetch_starts[index],
           proof->fetch_ends == NULL ? NULL : &proof->fetch_ends[index]);
      add_arc (graph, last, fetch);
      last = fetch;
    }
  if (proof->feed_starts[index] != -1)
    {
      put (graph, feed, proof->feed_starts[index],
           proof->feed_ends == NULL ? NULL : &proof->feed_ends[index]);
      add_arc (graph, last, feed);
      last = feed;
    }
  if (it->to != TP_COSTS_HOST)
    graph->bringer_of[(gsize) it->tensor * checker->costs->n_devices + it->to]
        = last;
}

/* ---- waits ---------------------------------------------------------------- */

static void
join_inputs (Graph *graph, int op)
{
  const TpChecker *checker = graph->checker;
  const TpNode *node = &checker->graph->nodes[op];
  int n = checker->costs->n_devices, device = checker->devices[op];

  for (int k = 0; k < node->n_inputs; k++)
    {
      int tensor = node->inputs[k];
      int maker = tensor < 0 ? -1 : checker->tensors[tensor].producer;

      if (tensor < 0)
        continue;
      add_arc (graph,
               maker >= 0 && checker->devices[maker] == device
                   ? graph->thing_of[maker]
                   : graph->bringer_of[(gsize) tensor * n + device],
               graph->thing_of[op]);
    }
}

static int
compare_engines (const void *a, const void *b)
{
  const Busy *first = a, *second = b;

  if (first->engine != second->engine)
    return first->engine - second->engine;
  return (first->start > second->start) - (first->start < second->start);
}

static int
compare_ends (const void *a, const void *b)
{
  const Busy *first = a, *second = b;

  if (first->end != second->end)
    return first->end < second->end ? -1 : 1;
  return first->engine - second->engine;
}

static void
join_engines (Graph *graph)
{
  TpArray *busy = graph->busy;

  if (busy->len > 1)
    qsort (busy->data, busy->len, sizeof (Busy), compare_engines);
  for (guint i = 1; i < busy->len; i++)
    {
      const Busy *it = &tp_array_index (busy, Busy, i);

      if (it[-1].engine == it->engine)
        add_arc (graph, it[-1].thing, it->thing);
    }
}

/* Of the busy, in the order of ends: on the lowest engine what ends then; -1: nothing. */
static int
find_ending (const Graph *graph, gint64 moment)
{
  const Busy key = { 0, -1, 0, moment };
  guint low = 0, high = graph->busy->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (compare_ends (&tp_array_index (graph->busy, Busy, middle), &key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low < graph->busy->len
                 && tp_array_index (graph->busy, Busy, low).end == moment
             ? tp_array_index (graph->busy, Busy, low).thing
             : -1;
}

/* What begins later than anything that it waits for ends has waited for what ends then. */
static void
join_late (Graph *graph)
{
  g_autofree gint64 *ready = tp_new0 (gint64, (gsize) graph->n_things + 1);

  for (guint i = 0; i < graph->arcs->len; i++)
    {
      Arc arc = tp_array_index (graph->arcs, Arc, i);

      ready[arc.to] = MAX (ready[arc.to], graph->ends[arc.from]);
    }
  if (graph->busy->len > 1)
    qsort (graph->busy->data, graph->busy->len, sizeof (Busy), compare_ends);
  for (int i = 0; i < graph->n_things; i++)
    if (graph->is_there[i] && graph->starts[i] > ready[i])
      add_arc (graph, find_ending (graph, graph->starts[i]), i);
}

/* ---- order ---------------------------------------------------------------- */

static int
compare_arcs (const void *a, const void *b)
{
  const Arc *first = a, *second = b;

  return first->from - second->from;
}

/* Arcs by where they begin; [thing]: the first of them. g_free () it. */
static int *
sort_arcs (Graph *graph)
{
  TpArray *arcs = graph->arcs;
  int *first = tp_new0 (int, (gsize) graph->n_things + 2);

  if (arcs->len > 1)
    qsort (arcs->data, arcs->len, sizeof (Arc), compare_arcs);
  for (guint i = 0; i < arcs->len; i++)
    first[tp_array_index (arcs, Arc, i).from + 1]++;
  for (int i = 0; i < graph->n_things; i++)
    first[i + 1] += first[i];
  return first;
}

/* FALSE: things wait for each other. */
static gboolean
put_in_order (Graph *graph, const int *first)
{
  g_autofree int *n_left = tp_new0 (int, (gsize) graph->n_things + 1);

  for (guint i = 0; i < graph->arcs->len; i++)
    n_left[tp_array_index (graph->arcs, Arc, i).to]++;
  for (int i = 0; i < graph->n_things; i++)
    if (n_left[i] == 0)
      graph->order[graph->n_ordered++] = i;
  for (int i = 0; i < graph->n_ordered; i++)
    for (int k = first[graph->order[i]]; k < first[graph->order[i] + 1]; k++)
      {
        int to = tp_array_index (graph->arcs, Arc, k).to;

        if (--n_left[to] == 0)
          graph->order[graph->n_ordered++] = to;
      }
  return graph->n_ordered == graph->n_things;
}

/* ---- replicas ------------------------------------------------------------- */

/* What engines slow, they slow as in the schedule. */
static double
find_time (const Graph *graph, const TpCheckerReplicas *replicas, int thing,
           int replica)
{
  const TpCheckerFigure *figure = &graph->figures[thing];
  double told = (double) (graph->ends[thing] - graph->starts[thing]);

  return figure->engine < 0
             ? 0
             : tp_checker_replicas_get (replicas, figure, replica) * told
                   / figure->time_ns;
}

static double
replay (const Graph *graph, const TpCheckerReplicas *replicas,
        const int *first, int replica)
{
  g_autofree double *ready = tp_new0 (double, (gsize) graph->n_things + 1);
  double last = 0;

  for (int i = 0; i < graph->n_ordered; i++)
    {
      int thing = graph->order[i];
      double end = ready[thing] + find_time (graph, replicas, thing, replica);

      last = MAX (last, end);
      for (int k = first[thing]; k < first[thing + 1]; k++)
        {
          int to = tp_array_index (graph->arcs, Arc, k).to;

          ready[to] = MAX (ready[to], end);
        }
    }
  return last;
}

static void
graph_init (Graph *graph, TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  gsize n_places
      = (gsize) checker->graph->n_tensors * checker->costs->n_devices;
  gsize n;

  graph->checker = checker;
  graph->n_ops = plan->n_placements;
  graph->n_things = plan->n_placements + 2 * plan->n_transfers;
  n = (gsize) graph->n_things + 1;
  graph->is_there = tp_new0 (gboolean, n);
  graph->starts = tp_new0 (gint64, n);
  graph->ends = tp_new0 (gint64, n);
  graph->thing_of = tp_new0 (int, n);
  graph->bringer_of = tp_new (int, n_places + 1);
  memset (graph->bringer_of, -1, sizeof (int) * n_places);
  graph->order = tp_new0 (int, n);
  graph->arcs = tp_array_new (sizeof (Arc));
  graph->busy = tp_array_new (sizeof (Busy));
}

void
tp_checker_check_replay (TpChecker *checker)
{
  const TpSpanProof *proof = checker->plan->span_proof;
  const gint64 told[] = { proof->low_ns, proof->high_ns };
  g_auto (TpCheckerReplicas) replicas = { 0 };
  g_auto (Graph) graph = { 0 };
  g_autofree int *first = NULL;

  graph_init (&graph, checker);
  tp_checker_replicas_init (&replicas, checker->costs);
  graph.figures = tp_checker_replicas_list (&replicas, checker);
  tp_checker_replicas_close (&replicas);
  put_ops (&graph);
  for (int i = 0; i < checker->plan->n_transfers; i++)
    put_transfer (&graph, i);
  for (int i = 0; i < graph.n_ops; i++)
    join_inputs (&graph, i);
  join_engines (&graph);
  join_late (&graph);
  first = sort_arcs (&graph);
  if (!put_in_order (&graph, first))
    {
      tp_checker_fail (checker, "what the schedule does waits for each other");
      return;
    }
  for (int r = 0; r < replicas.n; r++)
    replicas.totals[r] = replay (&graph, &replicas, first, r);
  tp_checker_replicas_check (&replicas, checker, proof->span_ns, told);
}
