/* jit-llvm.h: inside the LLVM module: kernels as LLVM IR. */
#ifndef TP_KERNEL_JIT_LLVM_H
#define TP_KERNEL_JIT_LLVM_H

#include <llvm-c/Core.h>

#include "kernel/kernel-ops.h"
#include "kernel/kernel-range.h"

/* What the processor has that kernels use by name. */
typedef struct
{
  gboolean half;              /* conversions of float16 */
  gboolean is_x86;
  gboolean avx2, avx512bw;
  gboolean dots, wide_dots;   /* of bytes: up to 8 lanes; 16 of them */
} TpLlvmFeatures;

/* What the files of jit-llvm share: */
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
  TpLlvmFeatures has;
} TpLlvmEmitter;

#endif
