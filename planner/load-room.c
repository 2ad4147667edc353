/* load-room.c: see load-room.h. What is found on the way to a bound is a candidate. */
#include "config.h"

#include "planner/load-room.h"

#include "ir/guard.h"
#include "planner/room-bound.h"

#include <string.h>

#define ROUNDS 2              /* on two devices */

/* A placement that fits, which may be the best. */
static void
offer (TpRoomBound *bound, const guint8 *fitting, guint8 *devices,
       TpLoadProof *proof)
{
  gint64 loads[TP_LOAD_MAX_ENGINES] = { 0 }, load;

  tp_load_model_sum (&bound->model, fitting, loads);
  load = loads[tp_load_model_find_busiest (&bound->model, loads)];
  if (load >= proof->load_ns)
    return;
  proof->load_ns = load;
  memcpy (proof->loads, loads, sizeof (gint64) * (gsize) proof->n_engines);
  memcpy (devices, fitting, bound->problem->graph->n_nodes);
}

void
tp_load_room_search (const TpProblem *problem, guint8 *devices,
                     TpLoadProof *proof)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;
  g_autofree guint8 *fitting = tp_new0 (guint8, n);
  g_auto (TpRoomBound) bound = { 0 };

  tp_room_bound_init (&bound, problem, FALSE);
  tp_room_bound_meet (&bound, devices);
  for (int n_left = tp_room_bound_count_climbs (problem, ROUNDS); n_left > 0;
       n_left--)
    {
      gint64 known = bound.proof == NULL ? proof->bound_ns
                                         : bound.proof->bound_ns;

      if (known >= proof->load_ns
          || !tp_room_bound_climb (&bound, proof->bound_ns, proof->load_ns,
                                   fitting))
        break;
      offer (&bound, fitting, devices, proof);
    }
  proof->room = g_steal_pointer (&bound.proof);
  if (proof->room != NULL)
    proof->room->bound_ns = MIN (proof->room->bound_ns, proof->load_ns);
}
