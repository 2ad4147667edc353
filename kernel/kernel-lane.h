/* kernel-lane.h: a lane of a value, for the interpreter. */
#ifndef TP_KERNEL_KERNEL_LANE_H
#define TP_KERNEL_KERNEL_LANE_H

#include "kernel/kernel.h"

typedef union
{
  gint64 i; /* INDEX; I32 sign-extended; MASK 0 or 1 */
  float f;  /* F32 */
  double d; /* F64 */
} TpLane;

/* What @instr makes of a lane of each of its operands, the first of which is of
 * @kind. */
TpLane tp_lane_compute (const TpInstr *instr, TpKind kind, TpLane x, TpLane y,
                        TpLane z);

#endif
