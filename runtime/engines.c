/* engines.c: see engines.h. An engine is handed from one run to the next by who
 * gives it back, so a younger run never overtakes one that waits.
 *
 * To wake a thread up takes some 50 us, in which the engine would be idle. So where runs
 * wait that may be done by others, the engine is handed to a thread of its own, once,
 * which does what they need it for and leaves them to the engine that they need next,
 * until nobody waits. Where one cannot be made each run has the engine itself. */
#include "config.h"

#include "runtime/engines.h"

#include "ir/clock.h"
#include "runtime/forked.h"

#include <pthread.h>
#include <signal.h>

#define NOBODY (-1)
#define SERVER (-2)           /* the thread of the engine */
#define NOTHING (-1)

typedef struct
{
  pthread_cond_t has_it;      /* what the run waits for is its own */
  gboolean is_joined;         /* somebody's */
  guint64 number;             /* of the run, by age */
  int waits_for;              /* engine, or NOTHING */
  TpEngineStep step;          /* (nullable): does what it waits for */
  gpointer run;
  gboolean is_done;           /* nothing of the run is left */
} Slot;

typedef struct
{
  TpEngines *engines;         /* (unowned) */
  int owner;                  /* slot, SERVER or NOBODY */
  gint64 busy_ns;
  gboolean has_thread;
  pthread_t thread;
  pthread_cond_t has_work;    /* the engine is its own, or all is over */
} Engine;

struct TpEngines
{
  gint ref_count;
  TpHome home;
  pthread_mutex_t lock;       /* over all below */
  int n_engines;
  Engine *all;
  gboolean is_closed;
  int n_slots;
  Slot **slots;               /* each stays where it is as others join */
  guint64 n_begun;
};

TpEngines *
tp_engines_new (int n_engines)
{
  TpEngines *engines = g_new0 (TpEngines, 1);

  engines->ref_count = 1;
  engines->home = tp_home_here ();
  engines->n_engines = n_engines;
  engines->all = g_new0 (Engine, n_engines + 1);
  pthread_mutex_init (&engines->lock, NULL);
  for (int i = 0; i < n_engines; i++)
    {
      engines->all[i].engines = engines;
      engines->all[i].owner = NOBODY;
      pthread_cond_init (&engines->all[i].has_work, NULL);
    }
  return engines;
}

/* No run of the parent is under way here. */
static void
start_anew (TpEngines *engines)
{
  pthread_mutex_init (&engines->lock, NULL);
  for (int i = 0; i < engines->n_engines; i++)
    {
      Engine *engine = &engines->all[i];

      engine->owner = NOBODY;
      engine->has_thread = FALSE;
      pthread_cond_init (&engine->has_work, NULL);
    }
  for (int i = 0; i < engines->n_slots; i++)
    {
      engines->slots[i]->waits_for = NOTHING;
      pthread_cond_init (&engines->slots[i]->has_it, NULL);
    }
}

static void
lock (TpEngines *engines)
{
  if (tp_home_move (&engines->home))
    {
      start_anew (engines);
      tp_home_moved (&engines->home);
    }
  pthread_mutex_lock (&engines->lock);
}

static void
stop_servers (TpEngines *engines)
{
  lock (engines);
  engines->is_closed = TRUE;
  for (int i = 0; i < engines->n_engines; i++)
    pthread_cond_signal (&engines->all[i].has_work);
  pthread_mutex_unlock (&engines->lock);
  for (int i = 0; i < engines->n_engines; i++)
    if (engines->all[i].has_thread)
      pthread_join (engines->all[i].thread, NULL);
}

static void
destroy_waits (TpEngines *engines)
{
  for (int i = 0; i < engines->n_engines; i++)
    pthread_cond_destroy (&engines->all[i].has_work);
  for (int i = 0; i < engines->n_slots; i++)
    pthread_cond_destroy (&engines->slots[i]->has_it);
  pthread_mutex_destroy (&engines->lock);
}

TpEngines *
tp_engines_ref (TpEngines *engines)
{
  g_atomic_int_inc (&engines->ref_count);
  return engines;
}

void
tp_engines_unref (TpEngines *engines)
{
  if (engines == NULL || !g_atomic_int_dec_and_test (&engines->ref_count))
    return;
  stop_servers (engines);
  destroy_waits (engines);
  for (int i = 0; i < engines->n_slots; i++)
    g_free (engines->slots[i]);
  g_free (engines->all);
  g_free (engines->slots);
  g_free (engines);
}

/* ---- who may run ---------------------------------------------------------- */

/* The first of @n slots in a row that are nobody's, or after all there are. */
static int
find_room (const TpEngines *engines, int n)
{
  int first = 0;

  for (int i = 0; i < engines->n_slots && i - first < n; i++)
    if (engines->slots[i]->is_joined)
      first = i + 1;
  return first;
}

static void
add_slots (TpEngines *engines, int n)
{
  engines->slots = g_renew (Slot *, engines->slots, n);
  for (; engines->n_slots < n; engines->n_slots++)
    {
      Slot *slot = g_new0 (Slot, 1);

      slot->waits_for = NOTHING;
      pthread_cond_init (&slot->has_it, NULL);
      engines->slots[engines->n_slots] = slot;
    }
}

int
tp_engines_join (TpEngines *engines, int n)
{
  int first;

  lock (engines);
  first = find_room (engines, n);
  if (first + n > engines->n_slots)
    add_slots (engines, first + n);
  for (int i = first; i < first + n; i++)
    engines->slots[i]->is_joined = TRUE;
  pthread_mutex_unlock (&engines->lock);
  return first;
}

void
tp_engines_leave (TpEngines *engines, int first, int n)
{
  lock (engines);
  for (int i = first; i < first + n; i++)
    engines->slots[i]->is_joined = FALSE;
  pthread_mutex_unlock (&engines->lock);
}

/* ---- who runs ------------------------------------------------------------- */

void
tp_engines_begin (TpEngines *engines, int slot)
{
  lock (engines);
  engines->slots[slot]->number = engines->n_begun++;
  pthread_mutex_unlock (&engines->lock);
}

/* The oldest that waits for @engine. */
static int
find_next (const TpEngines *engines, int engine)
{
  int next = NOBODY;

  for (int i = 0; i < engines->n_slots; i++)
    if (engines->slots[i]->waits_for == engine
        && (next == NOBODY
            || engines->slots[i]->number < engines->slots[next]->number))
      next = i;
  return next;
}

static gpointer serve (gpointer data);

/* Signals are for the threads of who called. */
static gboolean
start_server (Engine *engine)
{
  sigset_t all, before;
  int code;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  code = pthread_create (&engine->thread, NULL, serve, engine);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  engine->has_thread = code == 0;
  return code == 0;
}

static gboolean
has_server (Engine *engine)
{
  return engine->has_thread || start_server (engine);
}

/* To the oldest run that waits for @engine, or to who does it, if any waits. */
static void
hand_on (TpEngines *engines, int engine)
{
  Engine *it = &engines->all[engine];
  int next = find_next (engines, engine);

  it->owner = next;
  if (next == NOBODY)
    return;
  if (engines->slots[next]->step == NULL || !has_server (it))
    {
      pthread_cond_signal (&engines->slots[next]->has_it);
      return;
    }
  it->owner = SERVER;
  pthread_cond_signal (&it->has_work);
}

/* What comes next of the run at @slot, which has needed @engine. */
static void
leave_to (TpEngines *engines, int slot, int engine)
{
  Slot *it = engines->slots[slot];

  if (engine < 0)
    {
      it->is_done = TRUE;
      pthread_cond_signal (&it->has_it);
      return;
    }
  it->waits_for = engine;
  if (engines->all[engine].owner == NOBODY)
    hand_on (engines, engine);
}

/* The step of the oldest run that waits; FALSE: there is none to do here. */
static gboolean
serve_next (TpEngines *engines, int engine)
{
  int slot = find_next (engines, engine), next;
  Slot *it = slot == NOBODY ? NULL : engines->slots[slot];
  gint64 start_ns;

  if (it == NULL || it->step == NULL)
    return FALSE;
  it->waits_for = NOTHING;
  pthread_mutex_unlock (&engines->lock);
  start_ns = tp_clock_get_ns ();
  next = it->step (it->run);
  start_ns = tp_clock_get_ns () - start_ns;
  pthread_mutex_lock (&engines->lock);
  engines->all[engine].busy_ns += start_ns;
  leave_to (engines, slot, next);
  return TRUE;
}

static gpointer
serve (gpointer data)
{
  Engine *self = data;
  TpEngines *engines = self->engines;
  int engine = (int) (self - engines->all);

  pthread_mutex_lock (&engines->lock);
  while (!engines->is_closed)
    if (self->owner != SERVER)
      pthread_cond_wait (&self->has_work, &engines->lock);
    else if (!serve_next (engines, engine))
      hand_on (engines, engine);
  pthread_mutex_unlock (&engines->lock);
  return NULL;
}

gboolean
tp_engines_pass (TpEngines *engines, const TpEngineJob *job,
                 TpEngineHold *out_hold)
{
  Slot *it;
  int engine;

  lock (engines);
  it = engines->slots[job->slot];
  it->step = job->step;
  it->run = job->run;
  it->is_done = FALSE;
  it->waits_for = job->engine;
  if (engines->all[job->engine].owner == NOBODY)
    engines->all[job->engine].owner = job->slot;
  while (!it->is_done
         && (it->waits_for == NOTHING
             || engines->all[it->waits_for].owner != job->slot))
    pthread_cond_wait (&it->has_it, &engines->lock);
  engine = it->waits_for;
  it->waits_for = NOTHING;
  it->step = NULL;
  pthread_mutex_unlock (&engines->lock);
  *out_hold = (TpEngineHold){ engine < 0 ? NULL : engines, engine,
                              tp_clock_get_ns () };
  return engine >= 0;
}

TpEngineHold
tp_engines_take (TpEngines *engines, int engine, int slot)
{
  const TpEngineJob job = { engine, slot, NULL, NULL };
  TpEngineHold hold = { NULL, NOTHING, 0 };

  if (engine >= 0)
    tp_engines_pass (engines, &job, &hold);
  return hold;
}

void
tp_engine_hold_clear (TpEngineHold *hold)
{
  TpEngines *engines = hold->engines;
  gint64 time_ns;

  if (engines == NULL)
    return;
  time_ns = tp_clock_get_ns () - hold->since_ns;
  pthread_mutex_lock (&engines->lock);
  engines->all[hold->engine].busy_ns += time_ns;
  hand_on (engines, hold->engine);
  pthread_mutex_unlock (&engines->lock);
  hold->engines = NULL;
}

gint64
tp_engines_get_busy_ns (TpEngines *engines, int engine)
{
  gint64 busy_ns;

  lock (engines);
  busy_ns = engines->all[engine].busy_ns;
  pthread_mutex_unlock (&engines->lock);
  return busy_ns;
}

gboolean
tp_engines_is_waiting (TpEngines *engines, int slot)
{
  gboolean is_waiting;

  lock (engines);
  is_waiting = engines->slots[slot]->waits_for != NOTHING;
  pthread_mutex_unlock (&engines->lock);
  return is_waiting;
}
