/* jit-llvm-integer.h: arithmetic of INDEX and I32 lanes as LLVM IR. */
#ifndef TP_KERNEL_JIT_LLVM_INTEGER_H
#define TP_KERNEL_JIT_LLVM_INTEGER_H

#include "kernel/jit-llvm.h"
#include "kernel/kernel.h"

/* INDEX and I32 arithmetic and comparisons, and operations on masks. */
LLVMValueRef tp_llvm_emit_integer (TpLlvmEmitter *emitter, const TpInstr *instr,
                                   LLVMValueRef a, LLVMValueRef b);

#endif
