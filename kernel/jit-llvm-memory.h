/* jit-llvm-memory.h: the memory accesses of a kernel as LLVM IR. */
#ifndef TP_KERNEL_JIT_LLVM_MEMORY_H
#define TP_KERNEL_JIT_LLVM_MEMORY_H

#include "ir/types.h"
#include "kernel/jit-llvm.h"
#include "kernel/kernel.h"

LLVMValueRef tp_llvm_emit_load (TpLlvmEmitter *emitter, const TpInstr *instr);
void tp_llvm_emit_store (TpLlvmEmitter *emitter, const TpInstr *instr);

#endif
