/* jit-llvm.h: inside the LLVM module: kernels as LLVM IR. */
#ifndef TP_KERNEL_JIT_LLVM_H
#define TP_KERNEL_JIT_LLVM_H

#include "kernel/kernel-ops.h"
#include "kernel/kernel-range.h"

#include <llvm-c/Core.h>

/* Adds a function of type TpJitFunc called @name to @module. @kernel is
 * verified and has a local_size of 1. */
void tp_llvm_emit_kernel (LLVMModuleRef module, const TpKernel *kernel,
                          const char *name);

/* jit-llvm-emit.c and jit-llvm-value.c share: */
typedef struct
{
  const TpKernel *kernel;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  LLVMValueRef *values;       /* per instruction; NULL for none */
  LLVMValueRef *bases;        /* element * per buffer */
  LLVMValueRef zero_slot;     /* int64 *: where masked-off scalars read */
  const TpRange *ranges;      /* per value */
} TpLlvmEmitter;

LLVMTypeRef tp_llvm_type (const TpLlvmEmitter *emitter, TpKind kind, int lanes);
/* Of @lanes elements in memory. */
LLVMTypeRef tp_llvm_memory_type (const TpLlvmEmitter *emitter, TpDtype dtype,
                                 int lanes);
LLVMValueRef tp_llvm_const_splat (LLVMValueRef scalar, int lanes);
LLVMValueRef tp_llvm_emit_value (TpLlvmEmitter *emitter, const TpInstr *instr);
/* INDEX and I32 arithmetic and comparisons, and operations on masks. */
LLVMValueRef tp_llvm_emit_integer (TpLlvmEmitter *emitter, const TpInstr *instr,
                                   LLVMValueRef a, LLVMValueRef b);
LLVMValueRef tp_llvm_emit_load (TpLlvmEmitter *emitter, const TpInstr *instr);
void tp_llvm_emit_store (TpLlvmEmitter *emitter, const TpInstr *instr);

#endif
