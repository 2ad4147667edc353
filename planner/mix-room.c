/* mix-room.c: see mix-room.h.
 *
 * Side by side graphs take the sum of what each takes. What is known of limits is of one
 * graph, in which one op runs after the other, and of all of them as one that is less: the
 * arenas of all but one. So limits of that are lowered by what was too much. */
#include "config.h"

#include "planner/mix-room.h"

#include "ir/guard.h"
#include "ir/memory-peak.h"
#include "ir/pools.h"
#include "planner/share.h"

#include <string.h>

#define MAX_TRIES 4

void
tp_mix_room_init (TpMixRoom *room, const TpMix *mix, const TpMixUnion *all,
                  const gint64 *limits)
{
  gsize n_rows = (gsize) tp_pools_count_rows (all->costs);

  *room = (TpMixRoom){ mix, all, limits, NULL, NULL, NULL };
  room->parts = tp_new0 (TpMixRoomPart, (gsize) mix->n_parts);
  for (int i = 0; i < mix->n_parts; i++)
    {
      const TpMixPart *part = &mix->parts[i];
      TpMixRoomPart *own = &room->parts[i];

      own->problem = tp_problem_new (part->graph, part->plan->all_groups,
                                     part->plan->costs, part->plan->objective,
                                     NULL);
      g_assert (own->problem != NULL);
      tp_limit_layout_init (&own->layout, own->problem);
    }
  room->bytes = tp_new0 (gint64, (gsize) all->costs->n_devices + 1);
  room->lower = tp_memdup (limits, sizeof (gint64) * n_rows);
}

void
tp_mix_room_clear (TpMixRoom *room)
{
  for (int i = 0; room->parts != NULL && i < room->mix->n_parts; i++)
    {
      tp_limit_layout_clear (&room->parts[i].layout);
      g_clear_pointer (&room->parts[i].problem, tp_problem_free);
    }
  g_clear_pointer (&room->parts, g_free);
  g_clear_pointer (&room->bytes, g_free);
  g_clear_pointer (&room->lower, g_free);
}

/* ---- what fits -------------------------------------------------------------- */

static gint64
get_part (const TpMixRoom *room, int part, const guint8 *devices, int device)
{
  const gint8 *own = (const gint8 *) devices + room->all->first[part].node;

  return tp_limit_layout_get_needed (&room->parts[part].layout, own, device);
}

static void
count (TpMixRoom *room, const guint8 *devices)
{
  for (int d = 0; d < room->all->costs->n_devices; d++)
    {
      room->bytes[d] = 0;
      for (int i = 0; i < room->mix->n_parts; i++)
        if (!tp_size_add (room->bytes[d], get_part (room, i, devices, d),
                          &room->bytes[d]))
          room->bytes[d] = G_MAXINT64;
    }
}

/* Of what was counted, in @row. */
static gint64
find_missing (const TpMixRoom *room, int row)
{
  return tp_pools_find_missing (room->all->costs, room->limits, row,
                                room->bytes);
}

gint64
tp_mix_room_find_excess (gpointer data, const guint8 *devices)
{
  TpMixRoom *room = data;
  gint64 sum = 0;

  count (room, devices);
  for (int row = 0; row < tp_pools_count_rows (room->all->costs); row++)
    sum += MIN (find_missing (room, row), TP_PLAN_MAX_NUMBER / 16);
  return sum;
}

/* FALSE: nothing would be left. */
static gboolean
lower_limits (TpMixRoom *room)
{
  for (int row = 0; row < tp_pools_count_rows (room->all->costs); row++)
    {
      gint64 missing = find_missing (room, row);

      if (missing > 0 && missing >= room->lower[row])
        return FALSE;
      room->lower[row] -= missing;
    }
  return TRUE;
}

gboolean
tp_mix_room_find (TpMixRoom *room, const TpProblem *problem, guint8 *devices)
{
  TpProblem lower = *problem;

  lower.limits = room->lower;
  for (int i = 0; i < MAX_TRIES; i++)
    {
      memset (devices, 0, (gsize) problem->graph->n_nodes);
      if (!tp_share_find_any (&lower, devices, NULL))
        return FALSE;
      if (tp_mix_room_find_excess (room, devices) == 0)
        return TRUE;
      if (!lower_limits (room))
        return FALSE;
    }
  return FALSE;
}

/* ---- what does not ---------------------------------------------------------- */

/* Of the devices of @row and the parts those that take most together. */
static void
find_largest (const TpMixRoom *room, const guint8 *devices, int row,
              int *out_part, int *out_device)
{
  gint64 most = -1;

  for (int d = 0; d < room->all->costs->n_devices; d++)
    for (int i = 0; i < room->mix->n_parts; i++)
      if (tp_pools_is_in (room->all->costs, row, d)
          && get_part (room, i, devices, d) > most)
        {
          most = get_part (room, i, devices, d);
          *out_part = i;
          *out_device = d;
        }
}

/* What of @row takes most of it, and when; g_free (). */
static char *
describe_row (TpMixRoom *room, const guint8 *devices, int row)
{
  int part = 0, device = 0;
  const TpExecution *execution;
  g_autofree char *peak = NULL;

  find_largest (room, devices, row, &part, &device);
  execution = tp_limit_layout_get (
      &room->parts[part].layout,
      (const gint8 *) devices + room->all->first[part].node);
  if (execution == NULL)
    return g_strdup ("");
  peak = tp_memory_peak_describe (execution, device);
  return g_strdup_printf (
      ", %" G_GINT64_FORMAT " of them '%s'%s%s, %s",
      get_part (room, part, devices, device), room->mix->parts[part].name,
      row < room->all->costs->n_devices ? "" : " on ",
      row < room->all->costs->n_devices ? "" : room->all->costs->devices[device],
      peak);
}

gboolean
tp_mix_room_fail (TpMixRoom *room, const guint8 *nearest, GError **error)
{
  const TpCosts *costs = room->all->costs;
  g_autofree char *largest = NULL;
  gint64 missing;
  int worst = 0;

  count (room, nearest);
  for (int row = 1; row < tp_pools_count_rows (costs); row++)
    if (find_missing (room, row) > find_missing (room, worst))
      worst = row;
  missing = find_missing (room, worst);
  largest = describe_row (room, nearest, worst);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
               "no placement was found in which arenas and weights of all %d "
               "graphs fit; the nearest: '%s' needs %" G_GINT64_FORMAT
               " bytes, %" G_GINT64_FORMAT " more than the limit of %"
               G_GINT64_FORMAT "%s: allow more, or plan fewer graphs",
               room->mix->n_parts, tp_pools_get_name (costs, worst),
               room->limits[worst] + missing, missing, room->limits[worst],
               largest);
  return FALSE;
}
