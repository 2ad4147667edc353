/* check-digest.c: see check-digest.h.
 *
 * Of all that is checked, a sixth to a fifth is the digest of the costs, and
 * nothing else needs it: where there are many figures another thread works on it
 * meanwhile. */
#include "config.h"

#include "planner/check/check-digest.h"

#include "ir/guard.h"

/* A thread takes some 50 us to start, a figure 20 ns. */
#define MANY_FIGURES 50000

static void
compute (gpointer data)
{
  TpCheckerDigest *self = data;

  self->digest = tp_costs_compute_digest (self->costs);
}

/* Where memory runs out here, it is computed, or refused, by who waits for it. */
static gpointer
work (gpointer data)
{
  tp_guard (compute, data, "to check a plan", NULL);
  return NULL;
}

void
tp_checker_digest_begin (TpCheckerDigest *self, const TpCosts *costs)
{
  gint64 n_rows = (gint64) costs->n_nodes + costs->n_groups
                  + 2 * (gint64) costs->n_tensors;

  self->costs = costs;
  if (n_rows * costs->n_devices >= MANY_FIGURES
      && g_get_num_processors () > 1)
    self->thread = g_thread_try_new ("digest", work, self, NULL);
}

static void
wait_for_it (TpCheckerDigest *self)
{
  if (self->thread != NULL)
    g_thread_join (g_steal_pointer (&self->thread));
}

const char *
tp_checker_digest_end (TpCheckerDigest *self)
{
  wait_for_it (self);
  if (self->digest == NULL)
    compute (self);
  return self->digest;
}

void
tp_checker_digest_clear (TpCheckerDigest *self)
{
  wait_for_it (self);
  g_clear_pointer (&self->digest, g_free);
}
