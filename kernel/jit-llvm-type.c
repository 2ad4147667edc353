/* jit-llvm-type.c: the types of kernels as LLVM has them. */
#include "config.h"

#include "kernel/jit-llvm-type.h"

#define MAX_LANES 16

LLVMTypeRef
tp_llvm_type (const TpLlvmEmitter *emitter, TpKind kind, int lanes)
{
  LLVMTypeRef scalar =
      kind == TP_KIND_INDEX  ? LLVMInt64TypeInContext (emitter->context)
      : kind == TP_KIND_I32  ? LLVMInt32TypeInContext (emitter->context)
      : kind == TP_KIND_MASK ? LLVMInt1TypeInContext (emitter->context)
      : kind == TP_KIND_F64  ? LLVMDoubleTypeInContext (emitter->context)
                             : LLVMFloatTypeInContext (emitter->context);

  return lanes == 1 ? scalar : LLVMVectorType (scalar, lanes);
}

LLVMTypeRef
tp_llvm_memory_type (const TpLlvmEmitter *emitter, TpDtype dtype, int lanes)
{
  LLVMTypeRef scalar =
      dtype == TPLAN_DTYPE_FLOAT64
          ? LLVMDoubleTypeInContext (emitter->context)
      : dtype == TPLAN_DTYPE_FLOAT32
          ? LLVMFloatTypeInContext (emitter->context)
          : LLVMIntTypeInContext (emitter->context,
                                  8 * (unsigned)tp_dtype_get_size (dtype));

  return lanes == 1 ? scalar : LLVMVectorType (scalar, lanes);
}

LLVMValueRef
tp_llvm_const_i32 (const TpLlvmEmitter *emitter, gint64 value)
{
  return LLVMConstInt (LLVMInt32TypeInContext (emitter->context), value, TRUE);
}

LLVMValueRef
tp_llvm_const_splat (LLVMValueRef scalar, int lanes)
{
  LLVMValueRef parts[MAX_LANES];

  for (int i = 0; i < lanes; i++)
    parts[i] = scalar;
  return lanes == 1 ? scalar : LLVMConstVector (parts, lanes);
}
