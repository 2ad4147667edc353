/* contract-tile.h: the micro-kernel of contractions. */
#ifndef TP_SCHEDULE_CONTRACT_TILE_H
#define TP_SCHEDULE_CONTRACT_TILE_H

#include "schedule/contract-plan.h"
#include "schedule/emit.h"

/* One tile: @rows x @cols points, @vectors vectors of which the last has
 * @active lanes. @x_buffer and @x_base: where x is read. @kept_buffer: for sums, if
 * the plan keeps them. */
typedef struct
{
  int rows, cols, vectors, active;
  int x_buffer;
  int kept_buffer;
  TpValue x_base, w_base;
} TpContractTile;

void tp_contract_emit_tile (const TpContractPlan *plan, TpEmit *emit,
                            const TpContractTile *tile);

#endif
