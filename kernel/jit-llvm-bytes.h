/* jit-llvm-bytes.h: dot products of bytes as LLVM IR. */
#ifndef TP_KERNEL_JIT_LLVM_BYTES_H
#define TP_KERNEL_JIT_LLVM_BYTES_H

#include "kernel/jit-llvm.h"

/* DOT4 of three values of @lanes lanes. */
LLVMValueRef tp_llvm_emit_dot4 (TpLlvmEmitter *emitter, int lanes,
                                const LLVMValueRef *args);

#endif
