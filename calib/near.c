/* near.c: see near.h. */
#include "config.h"

#include "calib/near.h"

#include "calib/patience.h"
#include "calib/samples.h"
#include "calib/seat.h"
#include "runtime/pool.h"

#define LOOK_US (G_USEC_PER_SEC / 4)
#define FEWEST_LOOKS 12
#define SHARED_NS 150         /* there and back through a shared cache: 50 to 140 */
#define ALONE 1000            /* nothing of a core is shared */

void
tp_near_init (TpNear *self, int n_threads, const TpProcessors *known,
              gboolean is_brief)
{
  *self = (TpNear){ .n_threads = n_threads, .least = *known, .is_near = TRUE,
                    .known_contention = known->contention,
                    .known_fma_ns = known->fma_ns,
                    .limit_us = is_brief ? tp_patience_get_brief_wait_us ()
                                         : tp_patience_get_wait_us () };
  tp_pool_prepare (n_threads, NULL); /* without it one probe finds no other */
  self->expects_handover
      = known->handover_ns == 0 && tp_probe_is_cache_shared ();
  if (self->expects_handover)
    self->least.handover_ns = SHARED_NS;
  self->expects_crowding = known->crowding == 0 && tp_probe_has_own_cores ();
  if (self->expects_crowding)
    self->least.crowding = ALONE;
}

/* What was only expected gives way to what is seen, unless that is worse. */
static void
learn (TpNear *self, const TpProcessors *part, gboolean *is_expected,
       gint64 *least)
{
  if ((part->handover_ns == 0 && part->crowding == 0)
      || tp_samples_are_apart (part, &self->least))
    return;
  if (*is_expected)
    *least = 0;
  *is_expected = FALSE;
  tp_samples_note_least (&self->least, part);
}

/* Others use the cores more or less, all the time. What a quarter of the looks were
 * below is as much alone as one is often enough to be measured; the very least may
 * be luck, and where one is hardly ever alone it foretells nothing. */
static void
note_contention (TpNear *self, gint64 contention)
{
  TpProcessors usual = { 0 };
  int n = 0;

  if (contention <= 0)
    return;
  self->looks[MIN (contention, TP_NEAR_MOST)]++;
  if (++self->n_looks < FEWEST_LOOKS)
    return;
  while (n * 4 < self->n_looks)
    n += self->looks[++usual.contention];
  self->least.contention = self->known_contention;
  tp_samples_note_least (&self->least, &usual);
}

/* The first figures of a table say at which clock all are told. */
static void
note_clock (TpNear *self, gint64 fma_ns)
{
  if (fma_ns <= 0 || self->known_fma_ns > 0)
    return;
  self->fma_sum += (double) fma_ns;
  self->least.fma_ns = (gint64) (self->fma_sum / ++self->n_fma);
}

/* Nearer to each other than anybody wants to be. */
static gboolean
are_on_one_core (const TpNear *self, const TpProcessors *processors)
{
  const TpProcessors crowding = { .crowding = processors->crowding };

  return tp_samples_are_apart (&crowding, &self->least);
}

void
tp_near_note (TpNear *self, const TpProcessors *processors)
{
  gboolean is_one_core = are_on_one_core (self, processors);
  const TpProcessors handover
      = { .handover_ns = is_one_core ? 0 : processors->handover_ns };
  const TpProcessors crowding = { .crowding = processors->crowding };

  tp_samples_note_least (&self->seen, &handover);
  tp_samples_note_least (&self->seen, &crowding);
  if (is_one_core)
    self->own_handover_ns = processors->handover_ns;
  note_contention (self, processors->contention);
  note_clock (self, processors->fma_ns);
  self->is_near = !tp_samples_are_apart (processors, &self->least);
  learn (self, &handover, &self->expects_handover, &self->least.handover_ns);
  learn (self, &crowding, &self->expects_crowding, &self->least.crowding);
}

static gboolean
look (TpNear *self)
{
  TpProcessors processors;
  TpSeat seat;

  tp_seat_take (&seat);
  tp_probe_processors (self->n_threads, &processors);
  tp_seat_leave (&seat);
  tp_near_note (self, &processors);
  return self->is_near;
}

void
tp_near_wait (TpNear *self, TpPrecedence *precedence, TpChannel *channel)
{
  if (self->waited_us >= self->limit_us || look (self))
    return;
  tp_precedence_leave (precedence);
  while (self->waited_us < self->limit_us && !tp_channel_must_stop (channel)
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
  if (self->expects_handover)
    {
      self->in_vain.handover_ns = self->least.handover_ns;
      self->least.handover_ns = self->seen.handover_ns > 0
                                    ? self->seen.handover_ns
                                    : self->own_handover_ns;
    }
  if (self->expects_crowding)
    {
      self->in_vain.crowding = self->least.crowding;
      self->least.crowding = self->seen.crowding;
    }
  self->expects_handover = self->expects_crowding = FALSE;
}
