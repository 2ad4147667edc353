/* check-digest.c: see check-digest.h.
 *
 * Of all that is checked, a sixth to a fifth is the digest of the costs, and
 * nothing else needs it: where there are many figures another thread works on it
 * meanwhile, one of its own or one that has nothing else to do. */
#include "config.h"

#include "planner/check/check-digest.h"

/* A thread takes some 50 us to start, a figure 20 ns. */
#define MANY_FIGURES 50000

static void
compute (gpointer data)
{
  TpCheckerDigest *self = data;

  self->digest = tp_costs_compute_digest (self->costs);
}

void
tp_checker_digest_begin (TpCheckerDigest *self, const TpCosts *costs,
                         gboolean has_help)
{
  gint64 n_rows = (gint64) costs->n_nodes + costs->n_groups
                  + 2 * (gint64) costs->n_tensors;

  self->costs = costs;
  tp_beside_begin (&self->beside, compute, self, "to check a plan",
                   !has_help && n_rows * costs->n_devices >= MANY_FIGURES);
}

void
tp_checker_digest_help (TpCheckerDigest *self)
{
  tp_beside_help (&self->beside);
}

/* Where memory ran out beside, it is computed, or refused, by who waits for it. */
const char *
tp_checker_digest_end (TpCheckerDigest *self)
{
  if (!tp_beside_end (&self->beside, NULL))
    compute (self);
  return self->digest;
}

void
tp_checker_digest_clear (TpCheckerDigest *self)
{
  tp_beside_clear (&self->beside);
  g_clear_pointer (&self->digest, g_free);
}
