/* tiles-copy.h: what a step of K needs of one side: from global memory to
 * registers, and on to local memory. */
#ifndef TP_SCHEDULE_TILES_COPY_H
#define TP_SCHEDULE_TILES_COPY_H

#include "schedule/tiles-place.h"

typedef struct
{
  const TpTilePlan *plan;
  int side;
  int buffers[2];                  /* of the kernel, in local memory: of each digit */
  TpValue k[TP_TILES_MAX_COPIES];  /* unit along K within the step */
  TpValue at[TP_TILES_MAX_COPIES]; /* element of local memory */
  TpSpanPlace places[TP_TILES_MAX_COPIES];
  TpValue is_copied; /* mask; -1: every item copies */
} TpTileCopy;

/* Before the loop over K: which elements this item copies. @block: number of
 * the block along the side. */
void tp_tile_copy_init (TpTileCopy *copy, const TpTilePlan *plan, int side,
                        TpEmit *emit, TpValue block);
void tp_tile_copy_load (const TpTileCopy *copy, TpEmit *emit, TpValue step,
                        TpValue *out_values);
/* @first: element of local memory where the buffer begins. */
void tp_tile_copy_store (const TpTileCopy *copy, TpEmit *emit, TpValue first,
                         const TpValue *values);

#endif
