/* tiles-model.h: the time of products in register tiles on a GPU, by registers, local
 * memory, units and waits. It is counted in multiply-adds of one item. */
#ifndef TP_SCHEDULE_TILES_MODEL_H
#define TP_SCHEDULE_TILES_MODEL_H

#include "kernel/target.h"

#define TP_TILES_LOCAL_COST 4.0 /* reading a vector of local memory */
#define TP_TILES_COPY_COST 6.0  /* an element alone, or a vector, on its way */
#define TP_TILES_WAIT_COST 60.0 /* for a step of K that is not fetched ahead */
#define TP_TILES_STORE_COST 8.0 /* of a result */

#define TP_TILES_UNIT_REGISTERS 65536

typedef struct
{
  double item;                /* what an item does */
  double groups;
  double points;              /* results */
  gint64 n_parts;             /* of K, added up by a kernel more */
  int local_size;             /* items of a group */
  double pressure;            /* above 1: too many registers */
  gboolean is_alone;          /* no other group fits on a unit beside one */
} TpTilesWork;

/* Whether no second group of @local_size items, of so many registers each and so much
 * local memory together, fits on a unit. */
gboolean tp_tiles_is_alone (const TpTarget *target, int n_registers, int local_size,
                            gint64 local_bytes);
double tp_tiles_model (const TpTarget *target, const TpTilesWork *work);

#endif
