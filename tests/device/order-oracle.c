/* order-oracle.c: see order-oracle.h. */
#include "config.h"

#include "order-oracle.h"

#include "runtime/session-private.h"

/* ---- bytes that tasks touch ------------------------------------------------- */

typedef struct
{
  int task;
  int memory;                 /* a device; n_devices: staging */
  int storage;                /* there; -1: staging */
  gint64 begin, end;
  gboolean is_write;
} Touch;

/* Where @storage is, which is of a state or what is next of one: behind all devices and
 * staging, and two that are one in one place. */
static int
find_state_memory (const TpSession *session, int storage)
{
  for (guint i = 0; i < session->states->len; i++)
    {
      const TpSessionState *it
          = &tp_array_index (session->states, TpSessionState, i);

      if (it->is_in_place && it->next == storage)
        storage = it->storage;
    }
  return session->execution->n_devices + 1 + storage;
}

static void
touch_storage (GArray *touches, const TpSession *session, Touch touch,
               int storage)
{
  const TpStorage *it = &session->execution->storages[storage];

  if (it->is_constant && session->graph->tensors[it->tensor].state == 0)
    return;
  touch.memory = it->is_constant ? find_state_memory (session, storage)
                                 : it->device;
  touch.storage = storage;
  touch.begin = it->is_constant ? 0 : it->offset;
  touch.end = touch.begin + it->size_bytes;
  g_array_append_val (touches, touch);
}

static void
touch_staging (GArray *touches, const TpSession *session, Touch touch,
               gint64 offset)
{
  touch.memory = session->execution->n_devices;
  touch.storage = -1;
  touch.begin = offset;
  touch.end = offset + session->staging_bytes;
  g_array_append_val (touches, touch);
}

static void
touch_unit (GArray *touches, const TpSession *session, int task,
            const TpPlacedUnit *unit)
{
  for (int i = 0; i < unit->n_read + unit->n_written; i++)
    touch_storage (touches, session,
                   (Touch){ .task = task, .is_write = i >= unit->n_read },
                   tp_execution_find_storage (session->execution,
                                              unit->tensors[i], unit->device));
}

static GArray *
list_touches (const TpSession *session, const TpSessionOrder *order)
{
  const TpExecution *execution = session->execution;
  GArray *touches = g_array_new (FALSE, FALSE, sizeof (Touch));

  for (int i = 0; i < order->n_tasks; i++)
    {
      const TpSessionTask *task = &order->tasks[i];
      const TpAction *action = &execution->actions[task->action];
      gboolean reads = task->part != TP_TASK_SECOND_HALF;
      gboolean writes = task->part != TP_TASK_FIRST_HALF;

      if (action->unit >= 0)
        touch_unit (touches, session, i,
                    &execution->units->units[action->unit]);
      if (action->src >= 0 && reads)
        touch_storage (touches, session, (Touch){ .task = i }, action->src);
      if (action->dst >= 0 && writes)
        touch_storage (touches, session,
                       (Touch){ .task = i, .is_write = TRUE }, action->dst);
      if (task->part != TP_TASK_WHOLE)
        touch_staging (touches, session,
                       (Touch){ .task = i, .is_write = reads },
                       task->staging_offset);
    }
  return touches;
}

/* [before * n + after]: whether the order holds @before to end before @after. */
static guint8 *
find_held (const TpSessionOrder *order)
{
  gsize n = order->n_tasks;
  guint8 *is_held = g_new0 (guint8, n * n + 1);
  g_autofree int *last = g_new (int, order->n_lanes);

  for (int i = 0; i < order->n_lanes; i++)
    last[i] = -1;
  for (gsize i = 0; i < n; i++)
    {
      int task = order->order[i];
      int before = last[order->lane_of[task]];

      last[order->lane_of[task]] = task;
      for (gsize k = 0; before >= 0 && k < n; k++)
        is_held[k * n + task] |= is_held[k * n + before]
                                 || k == (gsize) before;
      for (int w = order->first_waiter[task]; w < order->first_waiter[task + 1];
           w++)
        for (gsize k = 0; k < n; k++)
          is_held[k * n + order->waiters[w]]
              |= is_held[k * n + task] || k == (gsize) task;
    }
  return is_held;
}

static gboolean
do_clash (const Touch *a, const Touch *b)
{
  return a->task != b->task && a->memory == b->memory && a->begin < b->end
         && b->begin < a->end && (a->is_write || b->is_write);
}

/* Likewise: whether bytes make @after wait for @before, or for one that does. */
static guint8 *
find_needs (const TpSession *session, const TpSessionOrder *order)
{
  g_autoptr (GArray) touches = list_touches (session, order);
  gsize n = order->n_tasks;
  guint8 *needs = g_new0 (guint8, n * n + 1);

  for (guint i = 0; i < touches->len; i++)
    for (guint k = 0; k < touches->len; k++)
      {
        const Touch *a = &g_array_index (touches, Touch, i);
        const Touch *b = &g_array_index (touches, Touch, k);

        if (a->task < b->task && do_clash (a, b))
          needs[a->task * n + b->task] = TRUE;
      }
  for (gsize to = 0; to < n; to++)
    for (gsize by = to; by-- > 0;)
      for (gsize from = 0; needs[by * n + to] && from < by; from++)
        needs[from * n + to] |= needs[from * n + by];
  return needs;
}

/* Returns how many pairs of tasks are not in order by their lane alone. */
static int
check_bytes (const TpSessionOrder *order, const guint8 *needs)
{
  g_autofree guint8 *is_held = find_held (order);
  gsize n = order->n_tasks;
  int n_across = 0;

  for (gsize from = 0; from < n; from++)
    for (gsize to = 0; to < n; to++)
      if (needs[from * n + to])
        {
          g_assert_true (is_held[from * n + to]);
          n_across += order->lane_of[from] != order->lane_of[to];
        }
  return n_across;
}

static gboolean
is_delayed (const TpSessionOrder *order, const guint8 *needs, int task,
            gint64 until_ns)
{
  for (int k = 0; k < order->n_tasks; k++)
    if (needs[(gsize) k * order->n_tasks + task]
        && (order->planned_ns[k] >= until_ns || order->planned_ns[k] < 0))
      return TRUE;
  return FALSE;
}

/* Of two tasks in a row the second was planned first only where it needs something
 * that was planned no sooner than the first, or not at all. */
static void
check_schedule (const TpSessionOrder *order, const guint8 *needs)
{
  for (int i = 0; i + 1 < order->n_tasks; i++)
    {
      int first = order->order[i], second = order->order[i + 1];
      gint64 first_ns = order->planned_ns[first];
      gint64 second_ns = order->planned_ns[second];

      if (second_ns >= 0 && second_ns < first_ns)
        g_assert_true (is_delayed (order, needs, second, first_ns));
    }
}

static void
check_waits (const TpSessionOrder *order)
{
  g_autofree int *n_waits = g_new0 (int, order->n_tasks + 1);
  g_autofree guint8 *is_seen = g_new0 (guint8, order->n_tasks + 1);

  for (int i = 0; i < order->first_waiter[order->n_tasks]; i++)
    n_waits[order->waiters[i]]++;
  for (int i = 0; i < order->n_tasks; i++)
    {
      g_assert_cmpint (order->n_waits[i], ==, n_waits[i]);
      g_assert_false (is_seen[order->order[i]]);
      is_seen[order->order[i]] = TRUE;
    }
}

/* ---- places ------------------------------------------------------------------ */

typedef struct
{
  gint64 begin_ns, end_ns;
} Life;

static Life *
find_lives (const TpSession *session, const TpSessionOrder *order)
{
  const TpExecution *execution = session->execution;
  g_autoptr (GArray) touches = list_touches (session, order);
  Life *lives = g_new (Life, execution->n_storages + 1);

  for (int i = 0; i < execution->n_storages; i++)
    {
      const TpStorage *it = &execution->storages[i];

      lives[i] = (Life){ G_MAXINT64, -1 };
      for (guint k = 0; k < touches->len; k++)
        {
          const Touch *touch = &g_array_index (touches, Touch, k);
          const TpAction *action
              = &execution->actions[order->tasks[touch->task].action];

          if (touch->storage != i || it->is_constant)
            continue;
          g_assert_cmpint (it->device, ==, touch->memory);
          lives[i].begin_ns = MIN (lives[i].begin_ns, action->start_ns);
          lives[i].end_ns = MAX (lives[i].end_ns, action->end_ns);
        }
    }
  return lives;
}

/* What is to be alive at once has no byte in common: so memory is not in the way of
 * the schedule. */
static void
check_places (const TpSession *session, const TpSessionOrder *order)
{
  const TpExecution *execution = session->execution;
  g_autofree Life *lives = find_lives (session, order);

  for (int i = 0; i < execution->n_storages; i++)
    for (int k = 0; k < i; k++)
      {
        const TpStorage *a = &execution->storages[i];
        const TpStorage *b = &execution->storages[k];

        if (a->device == b->device && !a->is_constant && !b->is_constant
            && a->offset < b->offset + b->size_bytes
            && b->offset < a->offset + a->size_bytes)
          g_assert_true (lives[i].end_ns <= lives[k].begin_ns
                         || lives[k].end_ns <= lives[i].begin_ns);
      }
}

int
order_check (const TpSession *session, const TpSessionOrder *order)
{
  g_autofree guint8 *needs = find_needs (session, order);

  check_waits (order);
  check_schedule (order, needs);
  check_places (session, order);
  return check_bytes (order, needs);
}
