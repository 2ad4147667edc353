/* jit-llvm-integer.h: arithmetic of INDEX and I32 lanes as LLVM IR, and how wide
 * INDEX lanes are. */
#ifndef TP_KERNEL_JIT_LLVM_INTEGER_H
#define TP_KERNEL_JIT_LLVM_INTEGER_H

#include "kernel/jit-llvm.h"
#include "kernel/kernel.h"

/* Whether @value, INDEX lanes, is held in 32 bits: ranges show that they lie there.
 * What has one lane is not, for addresses are made of it. */
gboolean tp_llvm_is_narrow (const TpLlvmEmitter *emitter, TpValue value);
/* That of @value as it is held. */
LLVMTypeRef tp_llvm_get_type (const TpLlvmEmitter *emitter, TpValue value);
/* @value; what is INDEX of 32 bits or of 64, as asked for. */
LLVMValueRef tp_llvm_get_value (TpLlvmEmitter *emitter, TpValue value,
                                gboolean is_narrow);

/* INDEX and I32 arithmetic and comparisons, and operations on masks;
 * INDEX of either width. */
LLVMValueRef tp_llvm_emit_integer (TpLlvmEmitter *emitter, const TpInstr *instr,
                                   LLVMValueRef a, LLVMValueRef b);

#endif
