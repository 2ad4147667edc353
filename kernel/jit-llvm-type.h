/* jit-llvm-type.h: the types of kernels as LLVM has them. */
#ifndef TP_KERNEL_JIT_LLVM_TYPE_H
#define TP_KERNEL_JIT_LLVM_TYPE_H

#include "ir/types.h"
#include "kernel/jit-llvm.h"

LLVMTypeRef tp_llvm_type (const TpLlvmEmitter *emitter, TpKind kind, int lanes);

/* Of @lanes elements in memory; narrow reals are integers there. */
LLVMTypeRef tp_llvm_memory_type (const TpLlvmEmitter *emitter, TpDtype dtype,
                                 int lanes);
LLVMValueRef tp_llvm_const_i32 (const TpLlvmEmitter *emitter, gint64 value);
LLVMValueRef tp_llvm_const_splat (LLVMValueRef scalar, int lanes);

#endif
