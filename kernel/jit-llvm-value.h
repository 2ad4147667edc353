/* jit-llvm-value.h: the values of a kernel as LLVM IR. */
#ifndef TP_KERNEL_JIT_LLVM_VALUE_H
#define TP_KERNEL_JIT_LLVM_VALUE_H

#include "ir/types.h"
#include "kernel/jit-llvm.h"
#include "kernel/kernel.h"

LLVMValueRef tp_llvm_emit_value (TpLlvmEmitter *emitter, const TpInstr *instr);

#endif
