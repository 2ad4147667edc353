/* jit-llvm-narrow.h: reals of 16 bits in memory, as LLVM IR. */
#ifndef TP_KERNEL_JIT_LLVM_NARROW_H
#define TP_KERNEL_JIT_LLVM_NARROW_H

#include "ir/dtype.h"
#include "kernel/jit-llvm.h"

/* @bits of one element of @dtype or of a vector as float32, which is exact. */
LLVMValueRef tp_llvm_widen_real (TpLlvmEmitter *emitter, TpDtype dtype,
                                 LLVMValueRef bits);
/* And back, to the nearest, ties to even. */
LLVMValueRef tp_llvm_narrow_real (TpLlvmEmitter *emitter, TpDtype dtype,
                                  LLVMValueRef value);

#endif
