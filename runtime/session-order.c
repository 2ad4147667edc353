/* session-order.c: see session-order.h. */
#include "config.h"

#include "runtime/session-order.h"

#include "ir/guard.h"
#include "ir/plan-schedule.h"
#include "runtime/engines.h"

#include <stdlib.h>

#define NONE (-1)

/* One who is waited for. */
typedef struct
{
  int task;
  int next;                   /* another of the same list; NONE: the last */
} Link;

typedef struct
{
  int writer;                 /* who wrote it last; NONE: nobody yet */
  int readers;                /* list of those who read it since */
} Access;

typedef struct
{
  const TpSession *session;
  TpSessionOrder *order;      /* being made */
  TpArray *links;             /* Link */
  int *before;                /* [task]: list of those it waits for */
  Access *accesses;           /* [storage] */
  int **tenants;              /* [device][page of its arena]: storage there, or
                               * NONE */
  int n_tenants;              /* devices with an array */
  int *evicted_by;            /* [storage]: who took its place last, or NONE */
  int *stagers;               /* [staging]: who used it last, or NONE */
  int *n_staged;              /* [device]: moves from there so far */
} Maker;

static int *
new_filled (gsize n)
{
  int *values = tp_new (int, n + 1);

  for (gsize i = 0; i < n; i++)
    values[i] = NONE;
  return values;
}

/* ---- who waits for whom ---------------------------------------------------- */

static int
push (Maker *maker, int task, int next)
{
  Link link = { task, next };

  tp_array_append_val (maker->links, link);
  return (int) maker->links->len - 1;
}

static const Link *
get_link (const Maker *maker, int at)
{
  return &tp_array_index (maker->links, Link, at);
}

static void
add_wait (Maker *maker, int task, int before)
{
  if (before != NONE && before != task)
    maker->before[task] = push (maker, before, maker->before[task]);
}

/* @task waits for all that is done with @storage so far. */
static void
wait_for_storage (Maker *maker, int task, int storage)
{
  const Access *it = &maker->accesses[storage];

  add_wait (maker, task, it->writer);
  for (int k = it->readers; k != NONE; k = get_link (maker, k)->next)
    add_wait (maker, task, get_link (maker, k)->task);
}

/* The pages of @storage are its own from now on. */
static void
move_in (Maker *maker, int task, int storage)
{
  const TpStorage *it = &maker->session->execution->storages[storage];
  int *pages = maker->tenants[it->device] + it->offset / TP_ARENA_ALIGN;
  gint64 n_pages = (it->size_bytes + TP_ARENA_ALIGN - 1) / TP_ARENA_ALIGN;

  for (gint64 i = 0; i < n_pages; i++)
    {
      int old = pages[i];

      pages[i] = storage;
      if (old == NONE || maker->evicted_by[old] == storage)
        continue;
      maker->evicted_by[old] = storage;
      wait_for_storage (maker, task, old);
    }
}

static const TpTensor *
get_tensor (const Maker *maker, int storage)
{
  const TpSession *session = maker->session;

  return &session->graph
              ->tensors[session->execution->storages[storage].tensor];
}

/* It has memory of its own, and no run changes it. */
static gboolean
is_constant (const Maker *maker, int storage)
{
  return maker->session->execution->storages[storage].is_constant
         && get_tensor (maker, storage)->state == 0;
}

/* What is next of a state may be written over it: after all who read what it was. */
static void
wait_for_state (Maker *maker, int task, int storage)
{
  const TpArray *states = maker->session->states;

  for (guint i = 0; i < states->len; i++)
    {
      const TpSessionState *it = &tp_array_index (states, TpSessionState, i);

      if (it->next == storage)
        wait_for_storage (maker, task, it->storage);
    }
}

static void
read_storage (Maker *maker, int task, int storage)
{
  Access *it = &maker->accesses[storage];

  if (is_constant (maker, storage))
    return;
  add_wait (maker, task, it->writer);
  it->readers = push (maker, task, it->readers);
}

static void
write_storage (Maker *maker, int task, int storage)
{
  Access *it = &maker->accesses[storage];

  if (is_constant (maker, storage))
    return;
  if (maker->session->execution->storages[storage].is_constant)
    wait_for_state (maker, task, storage);
  else if (it->writer == NONE)
    move_in (maker, task, storage);
  wait_for_storage (maker, task, storage);
  *it = (Access){ task, NONE };
}

static void
add_launch (Maker *maker, int task, const TpPlacedUnit *unit)
{
  const TpExecution *execution = maker->session->execution;

  for (int i = 0; i < unit->n_read + unit->n_written; i++)
    {
      int storage = tp_execution_find_storage (execution, unit->tensors[i],
                                               unit->device);

      if (i < unit->n_read)
        read_storage (maker, task, storage);
      else
        write_storage (maker, task, storage);
    }
}

/* Moves from a device use its two stagings in turn: each waits until the one before
 * the last has left its. */
static void
use_staging (Maker *maker, int index, int device)
{
  TpSessionTask *task = &maker->order->tasks[index];
  int staging = 2 * device + maker->n_staged[device] % 2;

  task->staging_offset = staging * maker->session->staging_bytes;
  add_wait (maker, index, maker->stagers[staging]);
  maker->stagers[staging] = index;
  if (task->part == TP_TASK_SECOND_HALF)
    maker->n_staged[device]++;
}

static void
add_task (Maker *maker, int index)
{
  const TpSessionTask *task = &maker->order->tasks[index];
  const TpExecution *execution = maker->session->execution;
  const TpAction *action = &execution->actions[task->action];

  if (action->kind == TP_DO_LAUNCH)
    add_launch (maker, index, &execution->units->units[action->unit]);
  if (task->part != TP_TASK_WHOLE)
    use_staging (maker, index, execution->storages[action->src].device);
  if (action->src >= 0 && task->part != TP_TASK_SECOND_HALF)
    read_storage (maker, index, action->src);
  if (action->dst >= 0 && task->part != TP_TASK_FIRST_HALF)
    write_storage (maker, index, action->dst);
}

/* ---- when the schedule has them -------------------------------------------- */

typedef struct
{
  gint64 time_ns;
  int task;
} Key;

/* -1: the schedule does not say. */
static gint64
get_planned_start (const TpSession *session, const TpSessionTask *task,
                   const int *transfers)
{
  const TpExecution *execution = session->execution;
  const TpSpanProof *proof = session->plan->span_proof;
  const TpAction *action = &execution->actions[task->action];
  int transfer;

  if (action->kind == TP_DO_LAUNCH)
    return proof->starts[execution->units->units[action->unit].nodes[0]];
  transfer = tp_plan_find_transfer (execution, transfers, action);
  if (transfer == NONE)
    return -1;
  if (task->engine < 0)
    return action->to == execution->host ? proof->fetch_starts[transfer]
                                         : proof->feed_starts[transfer];
  return task->engine % TP_ENGINE_KINDS == TP_ENGINE_FROM
             ? proof->fetch_starts[transfer]
             : proof->feed_starts[transfer];
}

static int
compare_keys (const void *a, const void *b)
{
  const Key *x = a, *y = b;

  if (x->time_ns != y->time_ns)
    return x->time_ns < y->time_ns ? -1 : 1;
  return x->task - y->task;
}

/* No task comes before one that it waits for: these are of smaller number, and of
 * no greater time. */
static void
sort_tasks (const Maker *maker)
{
  TpSessionOrder *order = maker->order;
  g_autofree int *transfers = tp_plan_index_transfers (
      maker->session->plan, maker->session->execution);
  g_autofree Key *keys = tp_new (Key, order->n_tasks + 1);

  for (int i = 0; i < order->n_tasks; i++)
    {
      const TpSessionTask *task = &order->tasks[i];
      gint64 time_ns = get_planned_start (maker->session, task, transfers);

      order->planned_ns[i] = time_ns;
      if (time_ns < 0)
        time_ns = maker->session->execution->actions[task->action].start_ns;
      for (int k = maker->before[i]; k != NONE; k = get_link (maker, k)->next)
        time_ns = MAX (time_ns, keys[get_link (maker, k)->task].time_ns);
      keys[i] = (Key){ time_ns, i };
    }
  qsort (keys, order->n_tasks, sizeof *keys, compare_keys);
  for (int i = 0; i < order->n_tasks; i++)
    order->order[i] = keys[i].task;
}

/* ---- lanes ----------------------------------------------------------------- */

static void
find_lanes (const TpSession *session, TpSessionOrder *order)
{
  int n_engines = session->execution->n_devices * TP_ENGINE_KINDS;
  g_autofree int *lanes = new_filled (n_engines);

  order->n_lanes = 1;
  for (int i = 0; i < order->n_tasks; i++)
    {
      int engine = order->tasks[i].engine;

      if (engine < 0
          || (engine % TP_ENGINE_KINDS == TP_ENGINE_KERNELS
              && session->devices[engine / TP_ENGINE_KINDS].info.is_host))
        continue; /* the caller's */
      if (lanes[engine] == NONE)
        lanes[engine] = order->n_lanes++;
      order->lane_of[i] = lanes[engine];
    }
}

typedef struct
{
  const Maker *maker;
  int *place_of;              /* [task]: in the order */
  int *latest;                /* [lane]: place of the last task to wait for */
  int *known;                 /* [lane * n_lanes + other]: place of the last task of
                               * the other lane that this one has waited for */
  int *sources, *targets;     /* who is waited for, by whom */
  int n_arcs;
} Thinner;

static void
thinner_clear (Thinner *thinner)
{
  g_free (thinner->place_of);
  g_free (thinner->latest);
  g_free (thinner->known);
  g_free (thinner->sources);
  g_free (thinner->targets);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Thinner, thinner_clear)

static void
thinner_init (Thinner *thinner, const Maker *maker)
{
  const TpSessionOrder *order = maker->order;
  gsize n_arcs = maker->links->len;

  thinner->maker = maker;
  thinner->place_of = new_filled (order->n_tasks);
  thinner->latest = new_filled (order->n_lanes);
  thinner->known = new_filled ((gsize) order->n_lanes * order->n_lanes);
  thinner->sources = tp_new (int, n_arcs + 1);
  thinner->targets = tp_new (int, n_arcs + 1);
  for (int i = 0; i < order->n_tasks; i++)
    thinner->place_of[order->order[i]] = i;
}

/* A lane keeps its order: of several tasks of another one the last is enough, and
 * none that its own earlier tasks have waited for. */
static void
thin_out (Thinner *thinner, int task)
{
  const Maker *maker = thinner->maker;
  TpSessionOrder *order = maker->order;
  int lane = order->lane_of[task];
  int *known = &thinner->known[(gsize) lane * order->n_lanes];

  for (int i = 0; i < order->n_lanes; i++)
    thinner->latest[i] = NONE;
  for (int k = maker->before[task]; k != NONE; k = get_link (maker, k)->next)
    {
      int before = get_link (maker, k)->task;
      int *latest = &thinner->latest[order->lane_of[before]];

      *latest = MAX (*latest, thinner->place_of[before]);
    }
  for (int i = 0; i < order->n_lanes; i++)
    if (i != lane && thinner->latest[i] > known[i])
      {
        known[i] = thinner->latest[i];
        thinner->sources[thinner->n_arcs] = order->order[known[i]];
        thinner->targets[thinner->n_arcs++] = task;
        order->n_waits[task]++;
      }
}

static void
list_waiters (const Maker *maker)
{
  TpSessionOrder *order = maker->order;
  g_auto (Thinner) thinner = { NULL };
  g_autofree int *ends = NULL;

  thinner_init (&thinner, maker);
  for (int i = 0; i < order->n_tasks; i++)
    thin_out (&thinner, order->order[i]);
  for (int i = 0; i < thinner.n_arcs; i++)
    order->first_waiter[thinner.sources[i] + 1]++;
  for (int i = 0; i < order->n_tasks; i++)
    order->first_waiter[i + 1] += order->first_waiter[i];
  order->waiters = tp_new (int, thinner.n_arcs + 1);
  ends = tp_memdup (order->first_waiter,
                    sizeof *ends * ((gsize) order->n_tasks + 1));
  for (int i = 0; i < thinner.n_arcs; i++)
    order->waiters[ends[thinner.sources[i]]++] = thinner.targets[i];
}

/* ---- all of it ------------------------------------------------------------- */

static void
maker_clear (Maker *maker)
{
  tp_array_unref (maker->links);
  g_free (maker->before);
  g_free (maker->accesses);
  for (int i = 0; i < maker->n_tenants; i++)
    g_free (maker->tenants[i]);
  g_free (maker->tenants);
  g_free (maker->evicted_by);
  g_free (maker->stagers);
  g_free (maker->n_staged);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Maker, maker_clear)

static void
maker_init (Maker *maker, const TpSession *session, TpSessionOrder *order)
{
  const TpExecution *execution = session->execution;

  maker->session = session;
  maker->order = order;
  maker->stagers = new_filled (2 * (gsize) execution->n_devices);
  maker->n_staged = tp_new0 (int, execution->n_devices + 1);
  maker->links = tp_array_new (sizeof (Link));
  maker->before = new_filled (order->n_tasks);
  maker->evicted_by = new_filled (execution->n_storages);
  maker->accesses = tp_new (Access, execution->n_storages + 1);
  for (int i = 0; i < execution->n_storages; i++)
    maker->accesses[i] = (Access){ NONE, NONE };
  maker->tenants = g_new0 (int *, execution->n_devices + 1);
  for (int i = 0; i < execution->n_devices; i++, maker->n_tenants++)
    maker->tenants[i] = new_filled (execution->memory[i].arena_bytes
                                    / TP_ARENA_ALIGN + 1);
}

static TpSessionOrder *
order_alloc (const TpSession *session)
{
  g_autoptr (TpSessionOrder) order = g_new0 (TpSessionOrder, 1);
  gsize n;

  order->tasks = tp_session_list_tasks (session, &order->n_tasks);
  n = (gsize) order->n_tasks + 1;
  order->lane_of = tp_new0 (int, n);
  order->order = tp_new0 (int, n);
  order->planned_ns = tp_new0 (gint64, n);
  order->n_waits = tp_new0 (int, n);
  order->first_waiter = tp_new0 (int, n);
  find_lanes (session, order);
  return g_steal_pointer (&order);
}

TpSessionOrder *
tp_session_order_new (const TpSession *session)
{
  g_autoptr (TpSessionOrder) order = order_alloc (session);
  g_auto (Maker) maker = { NULL };

  maker_init (&maker, session, order);
  for (int i = 0; i < order->n_tasks; i++)
    add_task (&maker, i);
  sort_tasks (&maker);
  list_waiters (&maker);
  return g_steal_pointer (&order);
}

void
tp_session_order_free (TpSessionOrder *order)
{
  if (order == NULL)
    return;
  g_free (order->tasks);
  g_free (order->lane_of);
  g_free (order->order);
  g_free (order->planned_ns);
  g_free (order->n_waits);
  g_free (order->first_waiter);
  g_free (order->waiters);
  g_free (order);
}
