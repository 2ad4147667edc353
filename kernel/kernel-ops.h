/* kernel-ops.h: what each instruction of the kernel IR takes and gives; shared
 * by the builder, the verifier, the text dump and the back ends. */
#ifndef TP_KERNEL_KERNEL_OPS_H
#define TP_KERNEL_KERNEL_OPS_H

#include "kernel/kernel.h"

/* Operand kinds, one letter each: X index, I i32, F f32, E f64, M mask, N index or
 * i32, R f32 or f64, D (data) index, f32 or f64, T any; equal letters of N, R, D and
 * T mean equal kinds. The result may also be V (none). */
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
gboolean tp_kind_is_real (TpKind kind);              /* F32 or F64 */
/* Of an MMA. */
TpMma tp_instr_get_mma (const TpInstr *instr);
gboolean tp_instr_is_load (const TpInstr *instr); /* LOAD or LOAD4 */
/* Of memory, that a load or a store is of. */
int tp_instr_count_elements (const TpInstr *instr);

/* Of an element when it is loaded. */
TpKind tp_kernel_buffer_get_kind (const TpKernelBuffer *buffer);
gint64 tp_kernel_buffer_get_bytes (const TpKernelBuffer *buffer);

/* Only such kernels take the iteration as an argument in OpenCL C. */
gboolean tp_kernel_uses_iteration (const TpKernel *kernel);

/* INDEX division as every back end has it: truncating; by 0 it gives 0. */
gint64 tp_index_divide (gint64 x, gint64 y);
gint64 tp_index_modulo (gint64 x, gint64 y);

/* Per instruction its partner: FOR and END_FOR, IF and END_IF, CARRY and
 * YIELD; -1 for others. The regions must be well formed. */
int *tp_kernel_match_regions (const TpKernel *kernel);

#endif
