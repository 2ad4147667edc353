/* stream.c: see stream.h. */
#include "config.h"

#include "api/stream.h"

#include "api/graph.h"
#include "api/plan.h"
#include "graph/graph-stream.h"
#include "ir/guard.h"
#include "ir/pools.h"
#include "ir/units.h"

#include <stdlib.h>

#define LEAST_BYTES 65536     /* of a weight: a copy of less is all latency */
#define N_STEPS 4             /* of keeping some, at most */

/* What a plan sends of a weight. */
typedef struct
{
  int weight;
  int device;                 /* to this one alone; else -1 */
  gint64 size_bytes;
  gint64 time_ns;             /* of its copies in a run; 0: there are none */
} Sent;

typedef struct
{
  TpStreamSearch *search;
  TpRoadTaken *best;
  guint8 *is_streamed;        /* [tensor] */
} Search;

/* What is streamed now; strings are the graph's. */
static const char **
list_names (const Search *self)
{
  const TpGraph *graph = self->search->graph;
  const char **names = tp_new0 (const char *, graph->n_tensors + 1);
  int n = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    if (self->is_streamed[i])
      names[n++] = graph->tensors[i].name;
  return names;
}

static void
keep_better (Search *self, TpRoadTaken *taken)
{
  if (tp_road_taken_get_cost (self->best) <= tp_road_taken_get_cost (taken))
    return;
  tp_road_taken_clear (self->best);
  *self->best = *taken;
  *taken = (TpRoadTaken){ NULL };
}

/* ---- what to keep ------------------------------------------------------- */

/* What a run of @plan takes, [device]. */
static gint64 *
sum_used (const TpPlan *plan)
{
  gint64 *used = tp_new0 (gint64, plan->n_devices + 1);

  for (int i = 0; i < plan->n_devices; i++)
    if (!tp_size_add (plan->peak_bytes[i], plan->weight_bytes[i], &used[i]))
      used[i] = G_MAXINT64;
  return used;
}

static gboolean
is_within (const Search *self, const TpCosts *costs, const gint64 *used)
{
  for (int row = 0; row < tp_pools_count_rows (costs); row++)
    if (tp_pools_find_missing (costs, self->search->limits, row, used) > 0)
      return FALSE;
  return TRUE;
}

/* Counts @it in @used where it can be kept on its device. */
static gboolean
take_room (const Search *self, const TpCosts *costs, const Sent *it,
           gint64 *used)
{
  gint64 before;

  if (it->device < 0)
    return FALSE;
  before = used[it->device];
  if (tp_size_add (before, it->size_bytes, &used[it->device])
      && is_within (self, costs, used))
    return TRUE;
  used[it->device] = before;
  return FALSE;
}

/* What saves most for its bytes first; then in the order of the graph. */
static int
compare_sent (const void *a, const void *b)
{
  const Sent *x = a, *y = b;
  double gain_x = (double) x->time_ns / MAX (x->size_bytes, 1);
  double gain_y = (double) y->time_ns / MAX (y->size_bytes, 1);

  if (gain_x != gain_y)
    return gain_x > gain_y ? -1 : 1;
  return (x->weight > y->weight) - (x->weight < y->weight);
}

/* [weight]: what @taken sends of it; to several devices, or none: @device is -1. */
static Sent *
sum_sent (const Search *self, const TpRoadTaken *taken)
{
  const TpPlan *plan = tp_api_get_plan (taken->plan);
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (taken->plan));
  int n = self->search->graph->n_tensors;
  Sent *sent = tp_new0 (Sent, n + 1);

  for (int i = 0; i < n; i++)
    sent[i] = (Sent){ i, -1, graph->tensors[i].size_bytes, 0 };
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];
      int weight = tp_graph_find_streamed (graph, it->tensor);

      if (weight < 0)
        continue;
      sent[weight].device = sent[weight].time_ns == 0
                                    || sent[weight].device == it->to
                                ? it->to
                                : -1;
      sent[weight].time_ns += MAX (it->time_ns, 1);
    }
  return sent;
}

/* Streams less than @taken does: not what nobody is sent, nor what there is room for
 * where it is sent. FALSE: it would be the same. */
static gboolean
keep_some (Search *self, const TpRoadTaken *taken)
{
  const TpPlan *plan = tp_api_get_plan (taken->plan);
  g_autofree gint64 *used = sum_used (plan);
  g_autofree Sent *sent = sum_sent (self, taken);
  int n = self->search->graph->n_tensors;
  gboolean is_other = FALSE;

  qsort (sent, n, sizeof sent[0], compare_sent);
  for (int i = 0; i < n; i++)
    {
      const Sent *it = &sent[i];

      if (!self->is_streamed[it->weight]
          || (it->time_ns > 0 && !take_room (self, plan->costs, it, used)))
        continue;
      self->is_streamed[it->weight] = FALSE;
      is_other = TRUE;
    }
  return is_other;
}

/* ---- the search --------------------------------------------------------- */

static gboolean
find_weights (Search *self)
{
  const TpGraph *graph = self->search->graph;
  gboolean has_any = FALSE;

  for (int i = 0; i < graph->n_tensors; i++)
    {
      self->is_streamed[i] = graph->tensors[i].size_bytes >= LEAST_BYTES
                             && tp_graph_can_stream (graph, i);
      has_any |= self->is_streamed[i];
    }
  return has_any;
}

/* No plan in @out: none fits, or only by figures that are not to be used. */
static gboolean
attempt (Search *self, TpRoadTaken *out, GError **error)
{
  g_autofree const char **names = list_names (self);
  g_autoptr (GError) local = NULL;

  if (names[0] == NULL
      || self->search->take (self->search->data, names, out, &local)
      || g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE))
    return TRUE;
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_STALE))
    {
      self->search->n_unmeasured = G_MAXINT;
      return TRUE;
    }
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

gboolean
tp_stream_search (TpStreamSearch *search, TpRoadTaken *best, GError **error)
{
  g_autofree guint8 *is_streamed
      = tp_new0 (guint8, search->graph->n_tensors + 1);
  Search self = { search, best, is_streamed };
  gboolean goes_on = find_weights (&self);
  gint64 last_ns = G_MAXINT64;

  for (int step = 0; goes_on && step <= N_STEPS; step++)
    {
      g_auto (TpRoadTaken) taken = { NULL };
      gint64 cost_ns;

      if (!attempt (&self, &taken, error))
        return FALSE;
      if (taken.plan == NULL)
        break;
      if (step == 0)
        search->n_unmeasured = taken.notes.n_unmeasured;
      cost_ns = tp_road_taken_get_cost (&taken);
      goes_on = cost_ns < last_ns && keep_some (&self, &taken);
      last_ns = cost_ns;
      keep_better (&self, &taken);
    }
  return TRUE;
}
