/* span-tasks.c: see span-tasks.h. List scheduling by upward ranks (H. Topcuoglu,
 * S. Hariri and M. Wu, Performance-effective and low-complexity task scheduling,
 * 2002), with time going on from the end of one task to the next. */
#include "config.h"

#include "planner/span-tasks.h"

#include "ir/guard.h"
#include "ir/interference.h"
#include "ir/load-proof.h"
#include "ir/units.h"
#include "planner/copies.h"

#include <string.h>

#define MAX_ENGINES TP_LOAD_MAX_ENGINES
#define FREE G_MAXINT64       /* an engine's end that has nothing to do */

__extension__ typedef __int128 Wide;

typedef struct TpSpanTask
{
  gint64 time_ns;             /* alone */
  gint64 rank;                /* from its start to the end of all after it */
  gint64 start, end;          /* -1: not begun */
  int engine;                 /* -1: takes no time, or is none */
  int n_before, n_left;       /* tasks it waits for: all, not done */
  int first_arc;              /* -1: none waits for it */
} Task;

typedef struct
{
  int to, next;               /* task; arc, or -1 */
} Arc;

void
tp_span_tasks_free (TpSpanTasks *tasks)
{
  if (tasks == NULL)
    return;
  g_clear_pointer (&tasks->transfers, tp_array_unref);
  g_clear_pointer (&tasks->arcs, tp_array_unref);
  g_free (tasks->unit_of);
  g_free (tasks->source_of);
  g_free (tasks->tasks);
  g_free (tasks);
}

gint64
tp_span_tasks_get_time (const TpSpanTasks *tasks, int task)
{
  return tasks->tasks[task].time_ns;
}

/* ---- tasks ---------------------------------------------------------------- */

static void
set_task (TpSpanTasks *tasks, int index, int engine, gint64 time_ns)
{
  gboolean is_one = tp_costs_is_one_engine (tasks->problem->costs);

  tasks->tasks[index].time_ns = time_ns;
  tasks->tasks[index].engine = time_ns == 0 ? -1 : is_one ? 0 : engine;
}

/* @from: -1: nothing to wait for. */
static void
add_arc (TpSpanTasks *tasks, int from, int to)
{
  Arc arc = { to, -1 };

  if (from < 0 || from == to)
    return;
  arc.next = tasks->tasks[from].first_arc;
  tasks->tasks[from].first_arc = (int) tasks->arcs->len;
  tasks->tasks[to].n_before++;
  tp_array_append_val (tasks->arcs, arc);
}

static void
add_group (TpSpanTasks *tasks, int index)
{
  const TpProblem *problem = tasks->problem;
  const TpGroup *group = &problem->groups->groups[index];
  int device = tp_problem_find_fused (problem, index, tasks->devices);
  int last = group->nodes[group->n_nodes - 1];
  gint64 time_ns = 0;

  if (device < 0)
    return;
  for (int i = 0; i < group->n_nodes; i++)
    {
      time_ns += tp_problem_node_cost (problem, group->nodes[i], device);
      tasks->unit_of[group->nodes[i]] = last;
      set_task (tasks, group->nodes[i], -1, 0);
    }
  set_task (tasks, last, device,
            time_ns - tp_problem_get_gain (problem, index, device));
}

static void
add_kernels (TpSpanTasks *tasks)
{
  const TpProblem *problem = tasks->problem;

  for (int i = 0; i < problem->graph->n_nodes; i++)
    {
      int device = tasks->devices[i];

      tasks->unit_of[i] = i;
      tasks->has_streams |= tp_node_is_stream (&problem->graph->nodes[i]);
      set_task (tasks, i, device, tp_problem_node_cost (problem, i, device));
    }
  for (int i = 0; i < problem->costs->n_groups; i++)
    add_group (tasks, i);
}

/* Whether half of a copy has anything to do there. */
static gboolean
is_away (const TpSpanTasks *tasks, int place)
{
  return place != TP_COSTS_HOST && place != tasks->problem->costs->host;
}

static void
add_transfer (TpSpanTasks *tasks, int index)
{
  const TpProblem *problem = tasks->problem;
  const TpTransfer *it = &tp_array_index (tasks->transfers, TpTransfer, index);
  int n = problem->n_devices;
  int fetch = problem->graph->n_nodes + 2 * index, feed = fetch + 1;
  int producer = problem->graph->tensors[it->tensor].producer;
  int before = producer < 0 ? -1 : tasks->unit_of[producer];

  if (is_away (tasks, it->from))
    {
      set_task (tasks, fetch, 2 * n + it->from,
                tp_problem_edge_cost (problem, it->tensor, it->from,
                                      TP_COSTS_HOST));
      add_arc (tasks, before, fetch);
      before = fetch;
    }
  if (is_away (tasks, it->to))
    {
      set_task (tasks, feed, n + it->to,
                tp_problem_edge_cost (problem, it->tensor, TP_COSTS_HOST,
                                      it->to));
      add_arc (tasks, before, feed);
      before = feed;
    }
  if (it->to != TP_COSTS_HOST)
    tasks->source_of[(gsize) it->tensor * n + it->to] = before;
}

/* What a node waits for: the makers of what it reads, or the copies of that. */
static void
add_inputs (TpSpanTasks *tasks, int index)
{
  const TpNode *node = &tasks->problem->graph->nodes[index];
  int device = tasks->devices[index], n = tasks->problem->n_devices;

  for (int k = 0; k < node->n_inputs; k++)
    {
      int tensor = node->inputs[k];
      int producer = tensor < 0
                         ? -1
                         : tasks->problem->graph->tensors[tensor].producer;

      if (tensor < 0)
        continue;
      if (producer >= 0 && tasks->devices[producer] == device)
        add_arc (tasks, tasks->unit_of[producer], tasks->unit_of[index]);
      else
        add_arc (tasks, tasks->source_of[(gsize) tensor * n + device],
                 tasks->unit_of[index]);
    }
}

TpSpanTasks *
tp_span_tasks_new (const TpProblem *problem, const guint8 *devices)
{
  g_autoptr (TpSpanTasks) tasks = tp_new0 (TpSpanTasks, 1);
  gsize n_nodes = (gsize) problem->graph->n_nodes;
  gsize n_places = (gsize) problem->graph->n_tensors * problem->n_devices;

  tasks->problem = problem;
  tasks->devices = devices;
  tasks->transfers = tp_copies_list (problem, devices);
  tasks->n_tasks = (int) (n_nodes + 2 * (gsize) tasks->transfers->len);
  tasks->unit_of = tp_new (int, n_nodes + 1);
  tasks->source_of = tp_new (int, n_places + 1);
  memset (tasks->source_of, -1, sizeof (int) * n_places);
  tasks->tasks = tp_new0 (Task, (gsize) tasks->n_tasks + 1);
  tasks->arcs = tp_array_new (sizeof (Arc));
  for (int i = 0; i < tasks->n_tasks; i++)
    tasks->tasks[i].engine = tasks->tasks[i].first_arc = -1;
  add_kernels (tasks);
  for (guint i = 0; i < tasks->transfers->len; i++)
    add_transfer (tasks, (int) i);
  for (int i = 0; i < problem->graph->n_nodes; i++)
    add_inputs (tasks, i);
  return g_steal_pointer (&tasks);
}

/* ---- ranks ---------------------------------------------------------------- */

/* Every task before those that wait for it. */
static void
list_tasks (TpSpanTasks *tasks, int *out)
{
  int n = 0;

  for (int i = 0; i < tasks->n_tasks; i++)
    {
      tasks->tasks[i].n_left = tasks->tasks[i].n_before;
      if (tasks->tasks[i].n_left == 0)
        out[n++] = i;
    }
  for (int i = 0; i < n; i++)
    for (int k = tasks->tasks[out[i]].first_arc; k >= 0;
         k = tp_array_index (tasks->arcs, Arc, k).next)
      {
        int to = tp_array_index (tasks->arcs, Arc, k).to;

        if (--tasks->tasks[to].n_left == 0)
          out[n++] = to;
      }
  g_assert (n == tasks->n_tasks);
}

static void
rank_tasks (TpSpanTasks *tasks)
{
  g_autofree int *order = tp_new (int, (gsize) tasks->n_tasks + 1);

  list_tasks (tasks, order);
  for (int i = tasks->n_tasks - 1; i >= 0; i--)
    {
      Task *task = &tasks->tasks[order[i]];

      task->rank = 0;
      for (int k = task->first_arc; k >= 0;
           k = tp_array_index (tasks->arcs, Arc, k).next)
        task->rank = MAX (task->rank,
                          tasks->tasks[tp_array_index (tasks->arcs, Arc, k).to]
                              .rank);
      task->rank += task->time_ns;
      task->n_left = task->n_before;
      task->start = task->end = -1;
    }
}

/* ---- the schedule --------------------------------------------------------- */

/* Tasks that could begin, as a heap: that of the highest rank is first. */
typedef struct
{
  TpArray *ready;             /* int */
  int running;                /* task, or -1 */
  Wide left;                  /* of it, in thousandths of a ns alone, where engines
                               * slow each other */
} Engine;

typedef struct
{
  TpSpanTasks *tasks;
  const int *speeds;          /* (nullable): as in the costs */
  int n_engines;
  Engine engines[MAX_ENGINES];
  int speed[MAX_ENGINES];     /* of each now, where there are speeds */
  TpArray *instant;           /* int: can begin, take no time */
  gint64 now, span;
  gint64 limit;               /* what ends no sooner is of no use */
  gboolean is_late;           /* it will not */
} Clock;

static void
clock_clear (Clock *clock)
{
  for (int e = 0; e < clock->n_engines; e++)
    g_clear_pointer (&clock->engines[e].ready, tp_array_unref);
  g_clear_pointer (&clock->instant, tp_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Clock, clock_clear)

static gboolean
is_before (const TpSpanTasks *tasks, int a, int b)
{
  gint64 first = tasks->tasks[a].rank, second = tasks->tasks[b].rank;

  return first != second ? first > second : a < b;
}

static void
push (Clock *clock, int task)
{
  int engine = clock->tasks->tasks[task].engine;
  TpArray *heap = engine < 0 ? clock->instant : clock->engines[engine].ready;
  guint at = heap->len;
  int *items;

  tp_array_append_val (heap, task);
  items = (int *) (void *) heap->data;
  if (engine < 0)
    return;
  for (; at > 0 && is_before (clock->tasks, task, items[(at - 1) / 2]);
       at = (at - 1) / 2)
    items[at] = items[(at - 1) / 2];
  items[at] = task;
}

static int
pop (Clock *clock, TpArray *heap)
{
  int *items = (int *) (void *) heap->data;
  int first = items[0], task = items[heap->len - 1];
  guint at = 0, child;

  tp_array_set_size (heap, heap->len - 1);
  for (; (child = 2 * at + 1) < heap->len; at = child)
    {
      if (child + 1 < heap->len
          && is_before (clock->tasks, items[child + 1], items[child]))
        child++;
      if (!is_before (clock->tasks, items[child], task))
        break;
      items[at] = items[child];
    }
  if (heap->len > 0)
    items[at] = task;
  return first;
}

static void
finish (Clock *clock, int index)
{
  TpSpanTasks *tasks = clock->tasks;

  for (int k = tasks->tasks[index].first_arc; k >= 0;
       k = tp_array_index (tasks->arcs, Arc, k).next)
    {
      int to = tp_array_index (tasks->arcs, Arc, k).to;

      if (--tasks->tasks[to].n_left == 0)
        push (clock, to);
    }
}

/* Ends what takes no time, and begins what can now. */
static void
begin (Clock *clock)
{
  while (clock->instant->len > 0)
    {
      int task = tp_array_index (clock->instant, int, clock->instant->len - 1);

      tp_array_set_size (clock->instant, clock->instant->len - 1);
      clock->tasks->tasks[task].start = clock->now;
      clock->tasks->tasks[task].end = clock->now;
      finish (clock, task);
    }
  for (int e = 0; e < clock->n_engines; e++)
    {
      Engine *engine = &clock->engines[e];
      Task *task;

      if (engine->running >= 0 || engine->ready->len == 0)
        continue;
      engine->running = pop (clock, engine->ready);
      task = &clock->tasks->tasks[engine->running];
      task->start = clock->now;
      task->end = clock->now + task->time_ns;
      engine->left = (Wide) task->time_ns * TP_SPEED_ALONE;
      clock->is_late |= clock->now + task->rank >= clock->limit;
    }
}

/* When what runs ends if all goes on like this: as soon as less than a ns of it,
 * alone, is left. */
static void
foresee (Clock *clock)
{
  gboolean is_busy[MAX_ENGINES] = { FALSE };

  if (clock->speeds == NULL)
    return;
  for (int e = 0; e < clock->n_engines; e++)
    is_busy[e] = clock->engines[e].running >= 0;
  tp_speeds_find (clock->speeds, clock->n_engines, is_busy, clock->speed);
  for (int e = 0; e < clock->n_engines; e++)
    if (is_busy[e])
      {
        Wide left = clock->engines[e].left - TP_SPEED_ALONE;

        left = left / clock->speed[e] + 1;
        clock->tasks->tasks[clock->engines[e].running].end
            = clock->now + (gint64) MIN (left, (Wide) FREE - 1 - clock->now);
      }
}

static gint64
find_end (const Clock *clock, int engine)
{
  int task = clock->engines[engine].running;

  return task < 0 ? FREE : clock->tasks->tasks[task].end;
}

static void
work_until (Clock *clock, gint64 next)
{
  for (int e = 0; clock->speeds != NULL && e < clock->n_engines; e++)
    clock->engines[e].left -= (Wide) clock->speed[e] * (next - clock->now);
  clock->now = clock->span = next;
}

/* To the next end; FALSE: all is done. */
static gboolean
go_on (Clock *clock)
{
  gint64 next = FREE;

  foresee (clock);
  for (int e = 0; e < clock->n_engines; e++)
    next = MIN (next, find_end (clock, e));
  if (next == FREE)
    return FALSE;
  work_until (clock, next);
  for (int e = 0; e < clock->n_engines; e++)
    if (find_end (clock, e) == next)
      {
        int task = clock->engines[e].running;

        clock->engines[e].running = -1;
        finish (clock, task);
      }
  return TRUE;
}

/* Of tasks with ranks. */
static gint64
run (TpSpanTasks *tasks, const int *speeds, gint64 limit)
{
  g_auto (Clock) clock = { .tasks = tasks, .limit = limit, .speeds = speeds,
                           .n_engines = 3 * tasks->problem->n_devices };

  clock.instant = tp_array_new (sizeof (int));
  for (int e = 0; e < clock.n_engines; e++)
    clock.engines[e] = (Engine){ tp_array_new (sizeof (int)), -1, 0 };
  for (int i = 0; i < tasks->n_tasks; i++)
    if (tasks->tasks[i].n_before == 0)
      push (&clock, i);
  do
    begin (&clock);
  while (!clock.is_late && go_on (&clock));
  return clock.is_late ? limit : clock.span;
}

gint64
tp_span_tasks_schedule_below (TpSpanTasks *tasks, gint64 limit)
{
  rank_tasks (tasks);
  return run (tasks, tp_costs_get_speeds (tasks->problem->costs), limit);
}

gint64
tp_span_tasks_schedule (TpSpanTasks *tasks)
{
  return tp_span_tasks_schedule_below (tasks, G_MAXINT64);
}

/* Of what follows from @tensor at once: a view, a copy. */
static gint64
find_rank_after (const TpSpanTasks *tasks, int tensor)
{
  const TpGraph *graph = tasks->problem->graph;
  int maker = graph->tensors[tensor].producer;

  return maker < 0 ? (graph->n_nodes + 2) * (gint64) (graph->n_nodes + 1)
                   : tasks->tasks[tasks->unit_of[maker]].rank - 1;
}

/* As an execution has it: a kernel before the copies of what it made, of views too, and
 * these before the next; what the caller gives comes first. */
static void
rank_by_place (TpSpanTasks *tasks)
{
  const TpGraph *graph = tasks->problem->graph;
  int n = graph->n_nodes;

  for (int i = 0; i < n; i++)
    tasks->tasks[i].rank = (n + 2) * (gint64) (n - i);
  for (int i = 0; i < n; i++)
    if (tp_node_is_view (&graph->nodes[i]) && tasks->unit_of[i] == i)
      tasks->tasks[i].rank = find_rank_after (tasks, graph->nodes[i].inputs[0]);
  for (int i = n; i < tasks->n_tasks; i++)
    tasks->tasks[i].rank = find_rank_after (
        tasks, tp_array_index (tasks->transfers, TpTransfer, (i - n) / 2).tensor);
}

/* Each Stream waits for the kernel before the one before its reader on the same device:
 * there is a weight in use then, and one on its way. What reads of a group stands after its
 * last op, so a kernel never waits for one that ends later in the plan: no circle. */
static void
buffer_streams (TpSpanTasks *tasks)
{
  const TpGraph *graph = tasks->problem->graph;
  int before[MAX_ENGINES / 3][2]; /* [device]: the last two */

  memset (before, -1, sizeof before);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      int *last = before[tasks->devices[i]];

      for (int k = 0; k < graph->nodes[i].n_inputs; k++)
        {
          int tensor = graph->nodes[i].inputs[k];
          int maker = tensor < 0 ? -1 : graph->tensors[tensor].producer;

          if (maker >= 0 && tp_node_is_stream (&graph->nodes[maker]))
            add_arc (tasks, last[0], maker);
        }
      if (tasks->unit_of[i] != i || tasks->tasks[i].engine < 0)
        continue;
      last[0] = last[1];
      last[1] = i;
    }
}

gint64
tp_span_tasks_schedule_as (TpSpanTasks *tasks, TpSpanOrder order)
{
  gboolean is_in_turn = order == TP_SPAN_IN_TURN;

  if (order == TP_SPAN_BUFFERED)
    buffer_streams (tasks);
  rank_tasks (tasks);
  if (order != TP_SPAN_BY_RANK)
    rank_by_place (tasks);
  for (int i = 0; i < tasks->n_tasks && is_in_turn; i++)
    tasks->tasks[i].engine = 0;
  return run (tasks,
              is_in_turn ? NULL : tp_costs_get_speeds (tasks->problem->costs),
              G_MAXINT64);
}

/* Where they are not what starts and times say. */
static void
note_ends (const TpSpanTasks *tasks, TpSpanProof *proof)
{
  int n = proof->n_nodes;

  if (tp_costs_get_speeds (tasks->problem->costs) == NULL)
    return;
  tp_span_proof_add_ends (proof);
  for (int i = 0; i < n; i++)
    proof->ends[i] = tasks->tasks[tasks->unit_of[i]].end;
  for (int i = 0; i < proof->n_transfers; i++)
    {
      gboolean has_fetch = proof->fetch_starts[i] >= 0;
      gboolean has_feed = proof->feed_starts[i] >= 0;

      proof->fetch_ends[i] = has_fetch ? tasks->tasks[n + 2 * i].end : -1;
      proof->feed_ends[i] = has_feed ? tasks->tasks[n + 2 * i + 1].end : -1;
    }
}

TpSpanProof *
tp_span_tasks_dup_proof (const TpSpanTasks *tasks)
{
  int n = tasks->problem->graph->n_nodes, n_copies = (int) tasks->transfers->len;
  g_autoptr (TpSpanProof) proof = tp_span_proof_new (n, n_copies);

  for (int i = 0; i < n; i++)
    proof->starts[i] = tasks->tasks[tasks->unit_of[i]].start;
  for (int i = 0; i < n_copies; i++)
    {
      const TpTransfer *it = &tp_array_index (tasks->transfers, TpTransfer, i);

      proof->fetch_starts[i] = is_away (tasks, it->from)
                                   ? tasks->tasks[n + 2 * i].start
                                   : -1;
      proof->feed_starts[i] = is_away (tasks, it->to)
                                  ? tasks->tasks[n + 2 * i + 1].start
                                  : -1;
    }
  for (int i = 0; i < tasks->n_tasks; i++)
    proof->span_ns = MAX (proof->span_ns, tasks->tasks[i].end);
  note_ends (tasks, proof);
  return g_steal_pointer (&proof);
}
