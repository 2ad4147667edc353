/* engines.c: see engines.h. An engine is handed from one run to the next by who
 * gives it back, so a younger run never overtakes one that waits. */
#include "config.h"

#include "runtime/engines.h"

#include "ir/clock.h"

#include <pthread.h>

#define NOBODY (-1)
#define NOTHING (-1)

typedef struct
{
  pthread_cond_t has_it;      /* what the run waits for is its own */
  gboolean is_joined;         /* somebody's */
  guint64 number;             /* of the run, by age */
  int waits_for;              /* engine, or NOTHING */
} Slot;

struct TpEngines
{
  gint ref_count;
  pthread_mutex_t lock;       /* over all below */
  int *owners;                /* [engine]: slot, or NOBODY */
  gint64 *busy_ns;            /* [engine] */
  int n_slots;
  Slot **slots;               /* each stays where it is as others join */
  guint64 n_begun;
};

TpEngines *
tp_engines_new (int n_engines)
{
  TpEngines *engines = g_new0 (TpEngines, 1);

  engines->ref_count = 1;
  engines->owners = g_new0 (int, n_engines + 1);
  engines->busy_ns = g_new0 (gint64, n_engines + 1);
  pthread_mutex_init (&engines->lock, NULL);
  for (int i = 0; i < n_engines; i++)
    engines->owners[i] = NOBODY;
  return engines;
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
  for (int i = 0; i < engines->n_slots; i++)
    {
      pthread_cond_destroy (&engines->slots[i]->has_it);
      g_free (engines->slots[i]);
    }
  pthread_mutex_destroy (&engines->lock);
  g_free (engines->owners);
  g_free (engines->busy_ns);
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

  pthread_mutex_lock (&engines->lock);
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
  pthread_mutex_lock (&engines->lock);
  for (int i = first; i < first + n; i++)
    engines->slots[i]->is_joined = FALSE;
  pthread_mutex_unlock (&engines->lock);
}

/* ---- who runs ------------------------------------------------------------- */

void
tp_engines_begin (TpEngines *engines, int slot)
{
  pthread_mutex_lock (&engines->lock);
  engines->slots[slot]->number = engines->n_begun++;
  pthread_mutex_unlock (&engines->lock);
}

TpEngineHold
tp_engines_take (TpEngines *engines, int engine, int slot)
{
  Slot *it;

  if (engine < 0)
    return (TpEngineHold){ NULL, NOTHING, 0 };
  pthread_mutex_lock (&engines->lock);
  it = engines->slots[slot];
  if (engines->owners[engine] == NOBODY)
    engines->owners[engine] = slot;
  it->waits_for = engine;
  while (engines->owners[engine] != slot)
    pthread_cond_wait (&it->has_it, &engines->lock);
  it->waits_for = NOTHING;
  pthread_mutex_unlock (&engines->lock);
  return (TpEngineHold){ engines, engine, tp_clock_get_ns () };
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

void
tp_engine_hold_clear (TpEngineHold *hold)
{
  TpEngines *engines = hold->engines;
  gint64 time_ns;
  int next;

  if (engines == NULL)
    return;
  time_ns = tp_clock_get_ns () - hold->since_ns;
  pthread_mutex_lock (&engines->lock);
  engines->busy_ns[hold->engine] += time_ns;
  next = find_next (engines, hold->engine);
  engines->owners[hold->engine] = next;
  if (next != NOBODY)
    pthread_cond_signal (&engines->slots[next]->has_it);
  pthread_mutex_unlock (&engines->lock);
  hold->engines = NULL;
}

gint64
tp_engines_get_busy_ns (TpEngines *engines, int engine)
{
  gint64 busy_ns;

  pthread_mutex_lock (&engines->lock);
  busy_ns = engines->busy_ns[engine];
  pthread_mutex_unlock (&engines->lock);
  return busy_ns;
}

gboolean
tp_engines_is_waiting (TpEngines *engines, int slot)
{
  gboolean is_waiting;

  pthread_mutex_lock (&engines->lock);
  is_waiting = engines->slots[slot]->waits_for != NOTHING;
  pthread_mutex_unlock (&engines->lock);
  return is_waiting;
}
