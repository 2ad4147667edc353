/* ranges.c: see ranges.h. */
#include "config.h"

#include "api/ranges.h"

#include "api/graph.h"
#include "api/plan.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "planner/between.h"
#include "planner/envelope.h"

#include <string.h>

typedef struct
{
  const TplanPlan *const *plans;
  const gint64 *values;
  int n;
  GError **error;
  TpRanges *ranges;
} FindCall;

/* Of TpRange, which it owns. */
typedef struct
{
  TpArray *list;
  TpRanges *out;
} Found;

void
tp_ranges_free (TpRanges *ranges)
{
  if (ranges == NULL)
    return;
  for (int i = 0; i < ranges->n_ranges; i++)
    g_free (ranges->ranges[i].devices);
  g_free (ranges->ranges);
  g_free (ranges);
}

static void
found_clear (Found *found)
{
  for (guint i = 0; found->list != NULL && i < found->list->len; i++)
    g_free (tp_array_index (found->list, TpRange, i).devices);
  g_clear_pointer (&found->list, tp_array_unref);
  g_clear_pointer (&found->out, tp_ranges_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Found, found_clear)

static TpBetweenEnd
get_end (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);

  return (TpBetweenEnd){ tp_api_get_graph (tplan_plan_get_graph (handle)),
                         plan->all_groups, plan->costs };
}

/* The last range goes on to @range where its placement does. */
static gboolean
goes_on (const Found *found, const TpRange *range, int n_nodes)
{
  const TpRange *last;

  if (found->list->len == 0)
    return FALSE;
  last = &tp_array_index (found->list, TpRange, found->list->len - 1);
  return last->devices != NULL
         && memcmp (last->devices, range->devices, n_nodes) == 0;
}

/* What was found between @low and @high, for x from 0 to 1; takes its devices. */
static void
add_pieces (Found *found, TpEnvelope *envelope, double low, double high,
            int n_nodes)
{
  for (int i = 0; i < envelope->n_pieces; i++)
    {
      TpPiece *piece = &envelope->pieces[i];
      TpRange range = { .from = low + piece->from * (high - low),
                        .to = low + piece->to * (high - low),
                        .cost_from_ns = tp_piece_get_cost (piece, piece->from),
                        .cost_to_ns = tp_piece_get_cost (piece, piece->to),
                        .devices = piece->devices,
                        .n_copies = piece->n_copies };

      if (goes_on (found, &range, n_nodes))
        {
          TpRange *last
              = &tp_array_index (found->list, TpRange, found->list->len - 1);

          last->to = range.to;
          last->cost_to_ns = range.cost_to_ns;
          continue;
        }
      tp_array_append_val (found->list, range);
      piece->devices = NULL;
    }
  found->out->n_plans += envelope->n_plans;
  found->out->is_proved &= envelope->is_proved;
}

static gboolean
add_between (Found *found, const FindCall *call, int index)
{
  const TpBetweenEnd low = get_end (call->plans[index]);
  const TpBetweenEnd high = get_end (call->plans[index + 1]);
  double from = (double) call->values[index];
  double to = (double) call->values[index + 1];
  g_auto (TpBetween) between = { .groups = NULL };
  g_autoptr (TpEnvelope) envelope = NULL;
  const char *reason = tp_between_init (&between, &low, &high);

  if (reason != NULL)
    {
      TpRange gap = { .from = from, .to = to, .reason = reason };

      tp_array_append_val (found->list, gap);
      return TRUE;
    }
  envelope = tp_envelope_find (&between.lines, 0, 1, call->error);
  if (envelope != NULL)
    add_pieces (found, envelope, from, to, low.graph->n_nodes);
  return envelope != NULL;
}

static void
find_call (gpointer data)
{
  FindCall *call = data;
  g_auto (Found) found
      = { tp_array_new (sizeof (TpRange)), g_new0 (TpRanges, 1) };

  found.out->is_proved = TRUE;
  for (int i = 0; i + 1 < call->n; i++)
    if (!add_between (&found, call, i))
      return;
  found.out->n_ranges = (int) found.list->len;
  found.out->ranges = tp_array_steal (found.list);
  call->ranges = g_steal_pointer (&found.out);
}

gboolean
tp_api_has_ranges (const TplanPlan *plan)
{
  return strcmp (tp_api_get_plan (plan)->objective, "time") == 0
         && tp_api_get_plan (plan)->memory_limits == NULL;
}

TpRanges *
tp_api_find_ranges (const TplanPlan *const *plans, const gint64 *values, int n,
                    GError **error)
{
  FindCall call = { plans, values, n, error, NULL };

  tp_guard (find_call, &call, "to plan between values", error);
  return call.ranges;
}
