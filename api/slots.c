/* slots.c: see slots.h. */
#include "config.h"

#include "api/slots.h"

#include <pthread.h>

struct TpSlots
{
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

  pthread_mutex_init (&slots->lock, NULL);
  pthread_cond_init (&slots->changed, NULL);
  slots->n_slots = n_slots;
  slots->is_taken = g_new0 (gboolean, n_slots);
  return slots;
}

void
tp_slots_free (TpSlots *slots)
{
  if (slots == NULL)
    return;
  pthread_mutex_destroy (&slots->lock);
  pthread_cond_destroy (&slots->changed);
  g_free (slots->is_taken);
  g_free (slots);
}

int
tp_slots_take (TpSlots *slots)
{
  int slot = 0;

  pthread_mutex_lock (&slots->lock);
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
  pthread_mutex_lock (&slots->lock);
  slots->is_taken[slot] = FALSE;
  slots->n_taken--;
  pthread_cond_broadcast (&slots->changed);
  pthread_mutex_unlock (&slots->lock);
}

void
tp_slots_take_all (TpSlots *slots)
{
  pthread_mutex_lock (&slots->lock);
  slots->n_alone++;
  while (slots->is_alone || slots->n_taken > 0)
    pthread_cond_wait (&slots->changed, &slots->lock);
  slots->is_alone = TRUE;
  pthread_mutex_unlock (&slots->lock);
}

void
tp_slots_give_all (TpSlots *slots)
{
  pthread_mutex_lock (&slots->lock);
  slots->is_alone = FALSE;
  slots->n_alone--;
  pthread_cond_broadcast (&slots->changed);
  pthread_mutex_unlock (&slots->lock);
}
