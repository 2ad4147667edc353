/* jit-llvm-emit.h: the control flow of a kernel as LLVM IR. */
#ifndef TP_KERNEL_JIT_LLVM_EMIT_H
#define TP_KERNEL_JIT_LLVM_EMIT_H

#include "kernel/jit-llvm.h"

/* Adds a function of type TpJitFunc called TP_OBJECT_ENTRY to @module. @kernel is
 * verified and has a local_size of 1. */
void tp_llvm_emit_kernel (LLVMModuleRef module, const TpKernel *kernel,
                          const TpLlvmFeatures *has);

#endif
