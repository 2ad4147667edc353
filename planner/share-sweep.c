/* share-sweep.c: see share-sweep.h. As on two devices (limit-peaks.c); what fits is kept
 * by others. */
#include "config.h"

#include "planner/share-sweep.h"

#include "planner/limit-peaks.h"

static gint64
get_cost (gpointer data)
{
  return tp_share_room_get_cost (data);
}

static gboolean
offer (gpointer data, const gint8 *devices)
{
  return tp_share_room_take (data, (const guint8 *) devices);
}

static void
search (gpointer data, const gint8 *devices)
{
  tp_share_room_offer (data, (const guint8 *) devices);
}

static gint64
get_over (gpointer data, const gint8 *devices)
{
  return tp_share_room_get_over (data, (const guint8 *) devices);
}

TpMemoryProof *
tp_share_sweep (const TpProblem *problem, TpShareRoom *room)
{
  g_auto (TpLimitHeld) held = { 0 };
  g_auto (TpLimitScope) scope = { 0 };
  const TpLimitKeeper keeper = { get_cost, offer, search, get_over, room };

  tp_limit_held_init (&held, problem);
  return tp_limit_scope_init (&scope, problem, &held)
             ? tp_limit_peaks_search (&scope, &keeper)
             : NULL;
}
