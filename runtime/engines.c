/* engines.c: see engines.h. An engine is handed from one run to the next by who
 * gives it back, so a younger run never overtakes one that waits. */
#include "config.h"

#include "runtime/engines.h"

#include "ir/guard.h"

#include <pthread.h>

#define NOBODY (-1)
#define NOTHING (-1)

typedef struct
{
  pthread_cond_t has_it;      /* what the run waits for is its own */
  guint64 number;             /* of the run, by age */
  int waits_for;              /* engine, or NOTHING */
} Slot;

struct TpEngines
{
  pthread_mutex_t lock;       /* over all below */
  int *owners;                /* [engine]: slot, or NOBODY */
  int n_slots;
  Slot *slots;
  guint64 n_begun;
};

TpEngines *
tp_engines_new (int n_engines, int n_slots)
{
  g_autofree int *owners = tp_new0 (int, n_engines + 1);
  g_autofree Slot *slots = tp_new0 (Slot, n_slots + 1);
  TpEngines *engines = g_new0 (TpEngines, 1);

  engines->owners = g_steal_pointer (&owners);
  engines->slots = g_steal_pointer (&slots);
  engines->n_slots = n_slots;
  pthread_mutex_init (&engines->lock, NULL);
  for (int i = 0; i < n_engines; i++)
    engines->owners[i] = NOBODY;
  for (int i = 0; i < n_slots; i++)
    {
      engines->slots[i].waits_for = NOTHING;
      pthread_cond_init (&engines->slots[i].has_it, NULL);
    }
  return engines;
}

void
tp_engines_free (TpEngines *engines)
{
  if (engines == NULL)
    return;
  for (int i = 0; i < engines->n_slots; i++)
    pthread_cond_destroy (&engines->slots[i].has_it);
  pthread_mutex_destroy (&engines->lock);
  g_free (engines->owners);
  g_free (engines->slots);
  g_free (engines);
}

void
tp_engines_begin (TpEngines *engines, int slot)
{
  pthread_mutex_lock (&engines->lock);
  engines->slots[slot].number = engines->n_begun++;
  pthread_mutex_unlock (&engines->lock);
}

TpEngineHold
tp_engines_take (TpEngines *engines, int engine, int slot)
{
  Slot *it = &engines->slots[slot];

  if (engine < 0)
    return (TpEngineHold){ NULL, NOTHING };
  pthread_mutex_lock (&engines->lock);
  if (engines->owners[engine] == NOBODY)
    engines->owners[engine] = slot;
  it->waits_for = engine;
  while (engines->owners[engine] != slot)
    pthread_cond_wait (&it->has_it, &engines->lock);
  it->waits_for = NOTHING;
  pthread_mutex_unlock (&engines->lock);
  return (TpEngineHold){ engines, engine };
}

/* The oldest that waits for @engine. */
static int
find_next (const TpEngines *engines, int engine)
{
  int next = NOBODY;

  for (int i = 0; i < engines->n_slots; i++)
    if (engines->slots[i].waits_for == engine
        && (next == NOBODY
            || engines->slots[i].number < engines->slots[next].number))
      next = i;
  return next;
}

void
tp_engine_hold_clear (TpEngineHold *hold)
{
  TpEngines *engines = hold->engines;
  int next;

  if (engines == NULL)
    return;
  pthread_mutex_lock (&engines->lock);
  next = find_next (engines, hold->engine);
  engines->owners[hold->engine] = next;
  if (next != NOBODY)
    pthread_cond_signal (&engines->slots[next].has_it);
  pthread_mutex_unlock (&engines->lock);
  hold->engines = NULL;
}

gboolean
tp_engines_is_waiting (TpEngines *engines, int slot)
{
  gboolean is_waiting;

  pthread_mutex_lock (&engines->lock);
  is_waiting = engines->slots[slot].waits_for != NOTHING;
  pthread_mutex_unlock (&engines->lock);
  return is_waiting;
}
