/* micro.c: see micro.h. */
#include "config.h"

#include "api/micro.h"

#include "ir/guard.h"
#include "ir/plan.h"

#define MOST_PARTS 32         /* that follow one another */
#define MOST_MOVES 8          /* of samples from one part to another */
#define NOISE_PARTS 100

typedef struct
{
  TpMicroSearch *search;
  TpRoadTaken *best;
  gint64 best_ns;             /* what is kept costs less; G_MAXINT64: there
                               * is no plan yet */
} Search;

static void
keep_better (Search *self, TpRoadTaken *taken, gint64 cost_ns)
{
  if (cost_ns >= self->best_ns)
    return;
  self->best_ns = cost_ns;
  tp_road_taken_clear (self->best);
  *self->best = *taken;
  *taken = (TpRoadTaken){ NULL };
}

/* Not an error: no plan fits, or the batch cannot be split, or figures are not to be
 * used. */
static gboolean
bear (Search *self, GError *local, GError **error)
{
  if (local == NULL
      || g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE))
    return TRUE;
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_STALE))
    {
      self->search->n_unmeasured = G_MAXINT;
      return TRUE;
    }
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_USAGE))
    {
      g_free (self->search->refusal);
      self->search->refusal = g_strdup (local->message);
      return TRUE;
    }
  g_propagate_error (error, g_error_copy (local));
  return FALSE;
}

/* *@out_cost_ns: of what was found; G_MAXINT64: nothing was. */
static gboolean
attempt (Search *self, const TpMicroBatches *micro_batches,
         gint64 *out_cost_ns, GError **error)
{
  TpMicroSearch *search = self->search;
  g_auto (TpRoadTaken) taken = { NULL };
  g_autoptr (GError) local = NULL;

  *out_cost_ns = G_MAXINT64;
  if (search->refusal != NULL)
    return TRUE;
  if (!search->take (search->data, micro_batches, &taken, &local))
    return bear (self, local, error);
  search->n_unmeasured
      = MAX (search->n_unmeasured, taken.notes.n_unmeasured);
  *out_cost_ns = tp_road_taken_get_cost (&taken);
  keep_better (self, &taken, *out_cost_ns);
  return TRUE;
}

/* ---- one after the other ------------------------------------------------- */

static gboolean
try_equal (Search *self, int n, gint64 *out_cost_ns, GError **error)
{
  g_auto (TpMicroBatches) parts
      = tp_micro_batches_new_equal (self->search->batch, n);

  return attempt (self, &parts, out_cost_ns, error);
}

/* None foretells what the next costs: where some do not fit, smaller ones may. */
static gboolean
search_in_turn (Search *self, GError **error)
{
  gint64 most = MIN (MOST_PARTS, self->search->batch), cost_ns;

  for (int n = 2; n <= most; n *= 2)
    if (!try_equal (self, n, &cost_ns, error))
      return FALSE;
  return TRUE;
}

/* ---- side by side -------------------------------------------------------- */

/* Samples a second; 0: some op cannot run there. */
static double
find_speed (const TpMicroSearch *search, int device)
{
  double time_ns = 0;

  for (int i = 0; i < search->costs->n_nodes; i++)
    {
      const TpCost *cost = tp_costs_node (search->costs, i, device);

      if (cost->time_ns == TP_COST_NONE)
        return 0;
      time_ns += cost->time_ns;
    }
  return search->batch * 1e9 / MAX (time_ns, 1);
}

/* Of each device that gets any; n is less than two where there is nothing to share. */
static TpMicroBatches
share_out (const TpMicroSearch *search)
{
  int n_devices = search->costs->n_devices;
  TpMicroBatches parts = { 0, tp_new0 (gint64, n_devices + 1) };
  gint64 rest = search->batch;
  double sum = 0;

  for (int i = 0; i < n_devices; i++)
    sum += find_speed (search, i);
  for (int i = 0; i < n_devices && sum > 0; i++)
    {
      double speed = find_speed (search, i);
      gint64 share
          = MIN (rest, (gint64) (search->batch * speed / sum + 0.5));

      if (share < 1)
        continue;
      parts.sizes[parts.n++] = share;
      rest -= share;
    }
  if (parts.n > 0)
    parts.sizes[0] += rest;
  return parts;
}

/* Samples that go from one part to another. */
typedef struct
{
  TpMicroBatches *parts;
  gint64 cost_ns;             /* with @parts as they are */
  gint64 *from, *to;
  gint64 step;
} Move;

/* As long as that is cheaper. */
static gboolean
move_some (Search *self, Move *move, GError **error)
{
  for (int i = 0; i < MOST_MOVES && *move->from > move->step; i++)
    {
      gint64 cost_ns;

      *move->from -= move->step;
      *move->to += move->step;
      if (!attempt (self, move->parts, &cost_ns, error))
        return FALSE;
      if (cost_ns >= move->cost_ns)
        {
          *move->from += move->step;
          *move->to -= move->step;
          return TRUE;
        }
      move->cost_ns = cost_ns;
    }
  return TRUE;
}

/* Between any two, in ever smaller steps. */
static gboolean
balance (Search *self, TpMicroBatches *parts, gint64 cost_ns, GError **error)
{
  Move move = { .parts = parts, .cost_ns = cost_ns };

  for (move.step = MAX (self->search->batch / 8, 1); move.step > 0;
       move.step /= 2)
    for (int i = 0; i < parts->n * parts->n; i++)
      {
        move.from = &parts->sizes[i / parts->n];
        move.to = &parts->sizes[i % parts->n];
        if (move.from != move.to && !move_some (self, &move, error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
search_side_by_side (Search *self, GError **error)
{
  g_auto (TpMicroBatches) parts = share_out (self->search);
  gint64 most = MIN (4, self->search->batch), cost_ns;

  for (int n = 2; n <= most; n *= 2)
    if (!try_equal (self, n, &cost_ns, error))
      return FALSE;
  if (parts.n < 2)
    return TRUE;
  return attempt (self, &parts, &cost_ns, error)
         && balance (self, &parts, cost_ns, error);
}

gboolean
tp_micro_search (TpMicroSearch *search, TpRoadTaken *best, GError **error)
{
  gint64 whole_ns = tp_road_taken_get_cost (best);
  Search self = { search, best, whole_ns };

  if (best->plan != NULL) /* less is noise, and not worth more ops */
    self.best_ns -= whole_ns / NOISE_PARTS;
  if (search->batch < 2)
    {
      search->refusal = g_strdup ("the model has no batch of two or more");
      return TRUE;
    }
  return search->is_side_by_side ? search_side_by_side (&self, error)
                                 : search_in_turn (&self, error);
}

void
tp_micro_search_clear (TpMicroSearch *search)
{
  g_clear_pointer (&search->refusal, g_free);
}
