/* tiles-model.c: a unit issues for UNIT_ITEMS items at once and hides its latencies
 * where BUSY_ITEMS are at hand; a result too small for that is cut finer, or K is cut
 * into parts. */
#include "config.h"

#include "schedule/tiles-model.h"

#define UNIT_ITEMS 64
#define BUSY_ITEMS 256
#define PARTS_COST 4000.0 /* a kernel more */
#define ALONE_FACTOR 1.2  /* no other group fills the waits at barriers */

gboolean
tp_tiles_is_alone (const TpTarget *target, int n_registers, int local_size,
                   gint64 local_bytes)
{
  return 2 * local_bytes > target->local_bytes
         || 2 * n_registers * local_size > TP_TILES_UNIT_REGISTERS;
}

double
tp_tiles_model (const TpTarget *target, const TpTilesWork *work)
{
  double waves = work->groups / target->n_units;
  double time = work->item * MAX (work->pressure * work->pressure, 1.0)
                * MAX (MAX (waves, 1.0) * work->local_size / UNIT_ITEMS,
                       BUSY_ITEMS / UNIT_ITEMS);

  if (work->is_alone)
    time *= ALONE_FACTOR;
  if (work->n_parts == 1)
    return time;
  return time + PARTS_COST
         + 2.0 * TP_TILES_STORE_COST * work->n_parts * work->points
               / (target->n_units * UNIT_ITEMS);
}
