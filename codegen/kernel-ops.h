/* kernel-ops.h: what each instruction of the kernel IR takes and gives; shared
 * by the builder, the verifier, the text dump and the back ends. */
#ifndef TP_CODEGEN_KERNEL_OPS_H
#define TP_CODEGEN_KERNEL_OPS_H

#include "codegen/kernel.h"

/* Operand kinds, one letter each: X index, I i32, F f32, M mask, N index or
 * i32, T any; equal letters of N and T mean equal kinds. The result may also be
 * V (none). */
typedef struct
{
  const char *name;           /* in texts */
  const char *operands;       /* of a, b, c; an optional mask is not listed */
  char result;
  gboolean is_pure;           /* may be shared between equal uses */
  gboolean is_lanewise;       /* operands and result have equal lanes */
} TpInstrInfo;

const TpInstrInfo *tp_instr_get_info (TpInstrOp op);
const char *tp_kind_get_name (TpKind kind);

/* Per instruction its partner: FOR and END_FOR, IF and END_IF, CARRY and
 * YIELD; -1 for others. The regions must be well formed. */
int *tp_kernel_match_regions (const TpKernel *kernel);

#endif
