/* plan-replay.c: see plan-replay.h. */
#include "config.h"

#include "ir/plan-replay.h"

#include "ir/array.h"
#include "ir/guard.h"

#include <stdlib.h>
#include <string.h>

/* A kernel or a way of a copy, as the schedule has it. */
typedef struct
{
  gint64 start, end;
  int place;                  /* before those that could begin at the same moment */
  int work;                   /* its index; what there is of a group, of its first op */
  int first_before, n_before; /* what it waits for */
} Task;

typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  const TpWorks *works;
  int *unit_of;               /* [node]: the first op of its group in effect */
  int *last_of;               /* [node]: of that the last */
  int *source_of;             /* [tensor * n_devices + device]: the work that brings
                               * it there, or -1 */
  TpArray *tasks;             /* Task, each after what it waits for */
  int *rank_of;               /* [work]: its place in these, or -1 */
  int *by_end;                /* those that take time, the first to end first, of
                               * these by engine */
  int n_by_end;
  TpArray *before;            /* int: places in these */
  double *ends;               /* [place]: in a replica */
} Replay;

static void
replay_clear (Replay *replay)
{
  g_free (replay->unit_of);
  g_free (replay->last_of);
  g_free (replay->source_of);
  g_clear_pointer (&replay->tasks, tp_array_unref);
  g_free (replay->rank_of);
  g_free (replay->by_end);
  g_clear_pointer (&replay->before, tp_array_unref);
  g_free (replay->ends);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Replay, replay_clear)

static Task *
get_task (const Replay *replay, int place)
{
  return &tp_array_index (replay->tasks, Task, place);
}

/* ---- tasks ---------------------------------------------------------------- */

static void
add_task (Replay *replay, int work, int place, gint64 start)
{
  const TpSpanProof *proof = replay->plan->span_proof;
  int n = replay->graph->n_nodes, transfer = (work - n) / 2;
  const gint64 *ends = work < n            ? proof->ends
                       : (work - n) % 2    ? proof->feed_ends
                                           : proof->fetch_ends;
  Task task = { start, start + replay->works->works[work].time_ns, place, work,
                0, 0 };

  if (ends != NULL)
    task.end = ends[work < n ? work : transfer];
  tp_array_append_val (replay->tasks, task);
}

/* Copies come after the kernel that makes what they take, and before the next. */
static void
add_transfer (Replay *replay, int index)
{
  const TpSpanProof *proof = replay->plan->span_proof;
  const TpTransfer *it = &replay->plan->transfers[index];
  int maker = replay->graph->tensors[it->tensor].producer;
  int place = maker < 0 ? 0 : 3 * (replay->last_of[maker] + 1);
  int work = replay->graph->n_nodes + 2 * index, source = -1;

  if (proof->fetch_starts[index] >= 0)
    add_task (replay, source = work, place + 1, proof->fetch_starts[index]);
  if (proof->feed_starts[index] >= 0)
    add_task (replay, source = work + 1, place + 2, proof->feed_starts[index]);
  if (it->to != TP_COSTS_HOST)
    replay->source_of[(gsize) it->tensor * replay->plan->n_devices + it->to]
        = source >= 0 || maker < 0 ? source : replay->unit_of[maker];
}

static int
compare_tasks (const void *a, const void *b)
{
  const Task *first = a, *second = b;

  if (first->start != second->start)
    return first->start < second->start ? -1 : 1;
  if (first->end != second->end)
    return first->end < second->end ? -1 : 1;
  return (first->place > second->place) - (first->place < second->place);
}

static int
compare_ends (const void *a, const void *b, void *data)
{
  const Replay *replay = data;
  const Task *first = get_task (replay, *(const int *) a);
  const Task *second = get_task (replay, *(const int *) b);

  if (first->end != second->end)
    return first->end < second->end ? -1 : 1;
  return replay->works->works[first->work].engine
         - replay->works->works[second->work].engine;
}

static void
sort_tasks (Replay *replay)
{
  int n = (int) replay->tasks->len;

  if (n > 1)
    qsort (replay->tasks->data, (gsize) n, sizeof (Task), compare_tasks);
  replay->by_end = tp_new (int, (gsize) n + 1);
  for (int i = 0; i < n; i++)
    {
      const Task *task = get_task (replay, i);

      replay->rank_of[task->work] = i;
      if (task->end > task->start)
        replay->by_end[replay->n_by_end++] = i;
    }
  qsort_r (replay->by_end, (gsize) replay->n_by_end, sizeof (int),
           compare_ends, replay);
}

static void
list_tasks (Replay *replay)
{
  const TpGraph *graph = replay->graph;
  const TpGroups *groups = replay->plan->groups;

  for (int i = 0; i < graph->n_nodes; i++)
    replay->unit_of[i] = replay->last_of[i] = i;
  for (int g = 0; g < groups->n_groups; g++)
    for (int k = 0; k < groups->groups[g].n_nodes; k++)
      {
        const TpGroup *it = &groups->groups[g];

        replay->unit_of[it->nodes[k]] = it->nodes[0];
        replay->last_of[it->nodes[k]] = it->nodes[it->n_nodes - 1];
      }
  for (int i = 0; i < graph->n_nodes; i++)
    if (replay->unit_of[i] == i)
      add_task (replay, i, 3 * (replay->last_of[i] + 1),
                replay->plan->span_proof->starts[i]);
  for (int i = 0; i < replay->plan->n_transfers; i++)
    add_transfer (replay, i);
  sort_tasks (replay);
}

/* ---- what waits for what -------------------------------------------------- */

/* @work: -1: for nothing. */
static void
wait_for (Replay *replay, Task *task, int work)
{
  int before = work < 0 ? -1 : replay->rank_of[work];

  if (before < 0 || before >= replay->rank_of[task->work])
    return;
  tp_array_append_val (replay->before, before);
  task->n_before++;
}

static void
wait_for_inputs (Replay *replay, Task *task, int index)
{
  const TpNode *node = &replay->graph->nodes[index];
  int n = replay->plan->n_devices;
  int device = replay->plan->placements[index].device;

  for (int k = 0; k < node->n_inputs; k++)
    {
      int tensor = node->inputs[k];
      int maker = tensor < 0 ? -1 : replay->graph->tensors[tensor].producer;

      if (maker >= 0 && replay->plan->placements[maker].device == device)
        wait_for (replay, task, replay->unit_of[maker]);
      else if (tensor >= 0)
        wait_for (replay, task,
                  replay->source_of[(gsize) tensor * n + device]);
    }
}

/* A way waits for the maker of what it copies, and the second for the first. */
static void
wait_for_maker (Replay *replay, Task *task)
{
  int n = replay->graph->n_nodes, index = (task->work - n) / 2;
  int tensor = replay->plan->transfers[index].tensor;
  int maker = replay->graph->tensors[tensor].producer;

  if ((task->work - n) % 2 && replay->rank_of[task->work - 1] >= 0)
    wait_for (replay, task, task->work - 1);
  else if (maker >= 0)
    wait_for (replay, task, replay->unit_of[maker]);
}

/* What begins later than all that has ended waits for something else: what ends then. */
static void
wait_for_end (Replay *replay, Task *task)
{
  int low = 0, high = replay->n_by_end;

  for (int i = 0; i < task->n_before; i++)
    if (get_task (replay, tp_array_index (replay->before, int,
                                          task->first_before + i))->end
        >= task->start)
      return;
  while (low < high)
    {
      int middle = (low + high) / 2;

      if (get_task (replay, replay->by_end[middle])->end < task->start)
        low = middle + 1;
      else
        high = middle;
    }
  if (low < replay->n_by_end
      && get_task (replay, replay->by_end[low])->end == task->start)
    wait_for (replay, task, get_task (replay, replay->by_end[low])->work);
}

static void
list_waits (Replay *replay, const int *next_of)
{
  gboolean is_one = tp_costs_is_one_engine (replay->plan->costs);
  int latest[TP_LOAD_MAX_ENGINES];

  memset (latest, -1, sizeof latest);
  for (guint i = 0; i < replay->tasks->len; i++)
    {
      Task *task = get_task (replay, (int) i);
      int engine = replay->works->works[task->work].engine;

      task->first_before = (int) replay->before->len;
      if (task->work >= replay->graph->n_nodes)
        wait_for_maker (replay, task);
      else
        for (int node = task->work; node >= 0; node = next_of[node])
          wait_for_inputs (replay, task, node);
      if (engine >= 0)
        {
          int *last = &latest[is_one ? 0 : engine];

          wait_for (replay, task, *last);
          *last = task->work;
        }
      if (task->start > 0)
        wait_for_end (replay, task);
    }
}

/* [node]: the next op of its group in effect, or -1; g_free (). */
static int *
list_next (const Replay *replay)
{
  const TpGroups *groups = replay->plan->groups;
  gsize n = (gsize) replay->graph->n_nodes + 1;
  int *next_of = tp_new (int, n);

  memset (next_of, -1, n * sizeof (int));
  for (int g = 0; g < groups->n_groups; g++)
    for (int k = 1; k < groups->groups[g].n_nodes; k++)
      next_of[groups->groups[g].nodes[k - 1]] = groups->groups[g].nodes[k];
  return next_of;
}

static void
replay_init (Replay *replay)
{
  gsize n_nodes = (gsize) replay->graph->n_nodes + 1;
  gsize n_places
      = (gsize) replay->graph->n_tensors * replay->plan->n_devices + 1;
  g_autofree int *next_of = list_next (replay);

  replay->unit_of = tp_new (int, n_nodes);
  replay->last_of = tp_new (int, n_nodes);
  replay->source_of = tp_new (int, n_places);
  memset (replay->source_of, -1, n_places * sizeof (int));
  replay->rank_of = tp_new (int, (gsize) replay->works->n_works + 1);
  memset (replay->rank_of, -1,
          ((gsize) replay->works->n_works + 1) * sizeof (int));
  replay->tasks = tp_array_new (sizeof (Task));
  replay->before = tp_array_new (sizeof (int));
  list_tasks (replay);
  list_waits (replay, next_of);
  replay->ends = tp_new0 (double, (gsize) replay->tasks->len + 1);
}

/* ---- replicas ------------------------------------------------------------- */

/* When all is done. What is slowed by other engines is so as in the schedule. */
static double
run (Replay *replay, const TpReplicas *replicas)
{
  double last = 0;

  for (guint i = 0; i < replay->tasks->len; i++)
    {
      const Task *task = get_task (replay, (int) i);
      const TpWork *work = &replay->works->works[task->work];
      double start = 0;

      for (int k = 0; k < task->n_before; k++)
        start = MAX (start, replay->ends[tp_array_index (
                                replay->before, int, task->first_before + k)]);
      if (work->time_ns > 0)
        start += tp_replicas_get_ns (replicas, work)
                 * ((double) (task->end - task->start)
                    / (double) work->time_ns);
      replay->ends[i] = start;
      last = MAX (last, start);
    }
  return last;
}

void
tp_plan_find_span_interval (TpPlan *plan, const TpGraph *graph)
{
  TpSpanProof *proof = plan->span_proof;
  g_auto (TpReplicas) replicas = { 0 };
  g_auto (TpWorks) works = { 0 };
  g_auto (Replay) replay = { .plan = plan, .graph = graph, .works = &works };

  tp_replicas_init (&replicas, plan->costs);
  tp_replicas_list_works (&replicas, plan, graph, &works);
  if (!replicas.is_exact)
    replay_init (&replay);
  while (tp_replicas_next (&replicas))
    tp_replicas_tell (&replicas,
                      run (&replay, &replicas) - (double) proof->span_ns);
  tp_replicas_find_interval (&replicas, proof->span_ns, &proof->low_ns,
                             &proof->high_ns);
}
