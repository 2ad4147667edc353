/* slots.c: see slots.h. */
#include "config.h"

#include "api/slots.h"

#include "runtime/forked.h"

#include <pthread.h>
#include <string.h>

struct TpSlots
{
  TpHome home;
  pthread_mutex_t lock;       /* over all below */
  pthread_cond_t changed;
  int n_slots, n_taken;
  int n_alone;                /* who want all, or have them */
  gboolean is_alone;          /* one has them */
  gboolean *is_taken;         /* [slot] */
};

TpSlots *
tp_slots_new (int n_slots)
{
  TpSlots *slots = g_new0 (TpSlots, 1);

  slots->home = tp_home_here ();
  pthread_mutex_init (&slots->lock, NULL);
  pthread_cond_init (&slots->changed, NULL);
  slots->n_slots = n_slots;
  slots->is_taken = g_new0 (gboolean, n_slots);
  return slots;
}

/* Who had slots in the parent does not run here. */
static void
start_anew (TpSlots *slots)
{
  pthread_mutex_init (&slots->lock, NULL);
  pthread_cond_init (&slots->changed, NULL);
  slots->n_taken = slots->n_alone = 0;
  slots->is_alone = FALSE;
  memset (slots->is_taken, 0, slots->n_slots * sizeof *slots->is_taken);
}

static void
lock (TpSlots *slots)
{
  if (tp_home_move (&slots->home))
    {
      start_anew (slots);
      tp_home_moved (&slots->home);
    }
  pthread_mutex_lock (&slots->lock);
}

void
tp_slots_free (TpSlots *slots)
{
  if (slots == NULL)
    return;
  lock (slots);               /* to wait in vain for who is not here is to hang */
  pthread_mutex_unlock (&slots->lock);
  pthread_mutex_destroy (&slots->lock);
  pthread_cond_destroy (&slots->changed);
  g_free (slots->is_taken);
  g_free (slots);
}

int
tp_slots_take (TpSlots *slots)
{
  int slot = 0;

  lock (slots);
  while (slots->n_alone > 0 || slots->n_taken == slots->n_slots)
    pthread_cond_wait (&slots->changed, &slots->lock);
  while (slots->is_taken[slot])
    slot++;
  slots->is_taken[slot] = TRUE;
  slots->n_taken++;
  pthread_mutex_unlock (&slots->lock);
  return slot;
}

void
tp_slots_give (TpSlots *slots, int slot)
{
  lock (slots);
  slots->is_taken[slot] = FALSE;
  slots->n_taken--;
  pthread_cond_broadcast (&slots->changed);
  pthread_mutex_unlock (&slots->lock);
}

void
tp_slots_take_all (TpSlots *slots)
{
  lock (slots);
  slots->n_alone++;
  while (slots->is_alone || slots->n_taken > 0)
    pthread_cond_wait (&slots->changed, &slots->lock);
  slots->is_alone = TRUE;
  pthread_mutex_unlock (&slots->lock);
}

void
tp_slots_give_all (TpSlots *slots)
{
  lock (slots);
  slots->is_alone = FALSE;
  slots->n_alone--;
  pthread_cond_broadcast (&slots->changed);
  pthread_mutex_unlock (&slots->lock);
}
