/* plan-schedule.c: see plan-schedule.h. */
#include "config.h"

#include "ir/plan-schedule.h"

#include "ir/guard.h"

#include <stdlib.h>

#define NONE (-1)

/* ---- transfers ------------------------------------------------------------- */

static gsize
get_place (const TpExecution *execution, int tensor, int to)
{
  return execution->roots[tensor] * ((gsize) execution->n_devices + 1)
         + (gsize) (to - TP_COSTS_HOST);
}

int *
tp_plan_index_transfers (const TpPlan *plan, const TpExecution *execution)
{
  gsize n = (gsize) execution->graph->n_tensors * (execution->n_devices + 1);
  int *index = tp_new (int, n + 1);

  for (gsize i = 0; i < n; i++)
    index[i] = NONE;
  for (int i = plan->n_transfers - 1; i >= 0; i--)
    {
      const TpTransfer *it = &plan->transfers[i];

      if (it->tensor >= 0 && it->tensor < execution->graph->n_tensors
          && it->to >= TP_COSTS_HOST && it->to < execution->n_devices)
        index[get_place (execution, it->tensor, it->to)] = i;
    }
  return index;
}

int
tp_plan_find_transfer (const TpExecution *execution, const int *index,
                       const TpAction *action)
{
  return action->unit >= 0 || action->from == action->to
             ? NONE
             : index[get_place (execution, action->tensor, action->to)];
}

/* ---- times ----------------------------------------------------------------- */

typedef struct
{
  const TpPlan *plan;
  TpExecution *execution;
  gint64 *node_ns;            /* [node]: as the plan has it */
  int *transfers;
  gint64 *written_ns;         /* [storage]: when its last writer so far ends */
  gint64 *used_ns;            /* [storage]: when the last user so far ends */
} Timer;

static void
timer_clear (Timer *timer)
{
  g_free (timer->node_ns);
  g_free (timer->transfers);
  g_free (timer->written_ns);
  g_free (timer->used_ns);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Timer, timer_clear)

static void
timer_init (Timer *timer, const TpPlan *plan, TpExecution *execution)
{
  timer->plan = plan;
  timer->execution = execution;
  timer->node_ns = tp_new0 (gint64, execution->graph->n_nodes + 1);
  timer->transfers = tp_plan_index_transfers (plan, execution);
  timer->written_ns = tp_new0 (gint64, execution->n_storages + 1);
  timer->used_ns = tp_new0 (gint64, execution->n_storages + 1);
  for (int i = 0; i < plan->n_placements; i++)
    timer->node_ns[plan->placements[i].node] = plan->placements[i].time_ns;
}

/* Times are as the plan's file has them: sums may be too large. */
static gint64
add_times (gint64 a, gint64 b)
{
  return a > G_MAXINT64 - b ? G_MAXINT64 : a + b;
}

static void
time_launch (const Timer *timer, TpAction *action)
{
  const TpPlacedUnit *unit = &timer->execution->units->units[action->unit];
  const TpSpanProof *proof = timer->plan->span_proof;

  action->start_ns = proof->starts[unit->nodes[0]];
  action->end_ns = action->start_ns;
  if (proof->ends != NULL)
    {
      action->end_ns = MAX (action->start_ns, proof->ends[unit->nodes[0]]);
      return;
    }
  for (int i = 0; i < unit->n_nodes; i++)
    action->end_ns = add_times (action->end_ns, timer->node_ns[unit->nodes[i]]);
}

/* Plans may have none, or those of another graph, which is found out later. */
static gboolean
has_figures (const TpPlan *plan, const TpTransfer *it)
{
  return plan->costs != NULL && it->tensor < plan->costs->n_tensors
         && it->to < plan->costs->n_devices;
}

/* When the last half of it ends; without figures, when both would from then on. */
static gint64
find_copy_end (const TpPlan *plan, int transfer)
{
  const TpSpanProof *proof = plan->span_proof;
  const TpTransfer *it = &plan->transfers[transfer];
  gint64 fetch_ns = proof->fetch_starts[transfer];
  gint64 feed_ns = proof->feed_starts[transfer];

  if (proof->ends != NULL)
    return MAX (proof->fetch_ends[transfer], proof->feed_ends[transfer]);
  if (fetch_ns < 0 || feed_ns < 0 || !has_figures (plan, it))
    return add_times (MAX (MAX (fetch_ns, feed_ns), 0), it->time_ns);
  return add_times (feed_ns, tp_costs_copy (plan->costs, it->tensor,
                                            TP_COSTS_HOST, it->to).time_ns);
}

/* Of one that passes through the host: from the first half to the end of the
 * second. */
static void
time_copy (const Timer *timer, TpAction *action)
{
  const TpSpanProof *proof = timer->plan->span_proof;
  int i = tp_plan_find_transfer (timer->execution, timer->transfers, action);

  action->start_ns = action->end_ns = 0;
  if (i < 0)
    return;
  action->start_ns = MAX (proof->fetch_starts[i] >= 0 ? proof->fetch_starts[i]
                                                      : proof->feed_starts[i],
                          0);
  action->end_ns = MAX (action->start_ns, find_copy_end (timer->plan, i));
}

/* ---- what is used ---------------------------------------------------------- */

typedef void (*UseFunc) (Timer *timer, int action, int storage,
                         gboolean is_write);

static void
use_all (Timer *timer, int index, UseFunc use)
{
  const TpExecution *execution = timer->execution;
  const TpAction *action = &execution->actions[index];
  const TpPlacedUnit *unit
      = action->unit >= 0 ? &execution->units->units[action->unit] : NULL;

  for (int i = 0; unit != NULL && i < unit->n_read + unit->n_written; i++)
    use (timer, index,
         tp_execution_find_storage (execution, unit->tensors[i], unit->device),
         i >= unit->n_read);
  if (action->src >= 0)
    use (timer, index, action->src, FALSE);
  if (action->dst >= 0)
    use (timer, index, action->dst, TRUE);
}

/* It begins when who writes what it reads has ended, and who uses what it
 * writes. */
static void
hold_back (Timer *timer, int index, int storage, gboolean is_write)
{
  gint64 *start_ns = &timer->execution->actions[index].start_ns;

  *start_ns = MAX (*start_ns, is_write ? timer->used_ns[storage]
                                       : timer->written_ns[storage]);
}

static void
note_use (Timer *timer, int index, int storage, gboolean is_write)
{
  gint64 end_ns = timer->execution->actions[index].end_ns;

  timer->used_ns[storage] = MAX (timer->used_ns[storage], end_ns);
  if (is_write)
    timer->written_ns[storage] = end_ns;
}

static void
time_actions (Timer *timer)
{
  for (int i = 0; i < timer->execution->n_actions; i++)
    {
      TpAction *action = &timer->execution->actions[i];
      gint64 time_ns;

      if (action->unit >= 0)
        time_launch (timer, action);
      else
        time_copy (timer, action);
      time_ns = MAX (action->end_ns - action->start_ns, 0);
      use_all (timer, i, hold_back);
      action->end_ns = add_times (action->start_ns, time_ns);
      use_all (timer, i, note_use);
    }
}

/* ---- order and memory ------------------------------------------------------- */

typedef struct
{
  TpAction action;
  int index;
} Key;

static int
compare_keys (const void *a, const void *b)
{
  const Key *x = a, *y = b;

  if (x->action.start_ns != y->action.start_ns)
    return x->action.start_ns < y->action.start_ns ? -1 : 1;
  return x->index - y->index;
}

/* Those that wait for one another have times that do not decrease, and of equal
 * times keep their order. */
static void
sort_actions (TpExecution *execution)
{
  g_autofree Key *keys = tp_new (Key, execution->n_actions + 1);

  for (int i = 0; i < execution->n_actions; i++)
    keys[i] = (Key){ execution->actions[i], i };
  qsort (keys, execution->n_actions, sizeof *keys, compare_keys);
  for (int i = 0; i < execution->n_actions; i++)
    execution->actions[i] = keys[i].action;
}

/* The last action that begins before @index ends: itself, or one after it. */
static int
find_last_beside (const TpExecution *execution, int index)
{
  const TpAction *actions = execution->actions;
  int low = index, high = execution->n_actions;

  while (high - low > 1)
    {
      int middle = low + (high - low) / 2;

      if (actions[middle].start_ns < actions[index].end_ns)
        low = middle;
      else
        high = middle;
    }
  return low;
}

static void
keep_alive (Timer *timer, int index, int storage, gboolean is_write)
{
  TpStorage *it = &timer->execution->storages[storage];

  if (is_write && it->first < 0)
    it->first = index;
  it->last = MAX (it->last, find_last_beside (timer->execution, index));
}

void
tp_plan_order_execution (const TpPlan *plan, TpExecution *execution)
{
  g_auto (TpScratch) scratch = { 0 };
  g_auto (Timer) timer = { NULL };

  timer_init (&timer, plan, execution);
  time_actions (&timer);
  sort_actions (execution);
  for (int i = 0; i < execution->n_storages; i++)
    execution->storages[i].first = execution->storages[i].last = -1;
  for (int i = 0; i < execution->n_actions; i++)
    use_all (&timer, i, keep_alive);
  for (int i = 0; i < execution->n_devices; i++)
    tp_execution_lay_out (execution, i, &scratch);
}
