/* near.c: see near.h. */
#include "config.h"

#include "calib/near.h"

#include "calib/probe.h"
#include "calib/samples.h"
#include "calib/seat.h"

#define WAIT_US (40 * G_USEC_PER_SEC)
#define LOOK_US (G_USEC_PER_SEC / 4)
#define SHARED_NS 150         /* there and back through a shared cache: 50 to 140 */

void
tp_near_init (TpNear *self, int n_threads, gint64 known_ns)
{
  self->n_threads = n_threads;
  self->least_ns = known_ns;
  self->seen_ns = 0;
  self->is_expected = known_ns == 0 && tp_probe_is_cache_shared ();
  self->waited_us = 0;
  self->is_near = TRUE;
  if (self->is_expected)
    self->least_ns = SHARED_NS;
}

void
tp_near_note (TpNear *self, gint64 handover_ns)
{
  if (handover_ns == 0)
    return;
  if (self->seen_ns == 0 || handover_ns < self->seen_ns)
    self->seen_ns = handover_ns;
  self->is_near = !tp_samples_are_apart (handover_ns, self->least_ns);
  if (!self->is_near)
    return;
  if (self->is_expected || self->least_ns == 0)
    self->least_ns = handover_ns;
  self->least_ns = MIN (self->least_ns, handover_ns);
  self->is_expected = FALSE;
}

static gboolean
look (TpNear *self)
{
  TpSeat seat;
  gint64 handover_ns;

  tp_seat_take (&seat);
  handover_ns = tp_probe_handover_ns (self->n_threads);
  tp_seat_leave (&seat);
  tp_near_note (self, handover_ns);
  return self->is_near;
}

void
tp_near_wait (TpNear *self, TpPrecedence *precedence, TpChannel *channel)
{
  if (self->waited_us >= WAIT_US || look (self))
    return;
  tp_precedence_leave (precedence);
  while (self->waited_us < WAIT_US && !tp_channel_must_stop (channel)
         && !look (self))
    {
      g_usleep (LOOK_US);
      self->waited_us += LOOK_US;
      g_atomic_int_inc (&channel->beat->beat);
    }
  tp_precedence_take (precedence);
}

void
tp_near_conclude (TpNear *self)
{
  if (self->is_expected)
    self->least_ns = self->seen_ns;
  self->is_expected = FALSE;
}
