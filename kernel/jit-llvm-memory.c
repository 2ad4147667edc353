/* jit-llvm-memory.c: the memory accesses of a kernel as LLVM IR. */
#include "config.h"

#include "kernel/jit-llvm-memory.h"

#include "kernel/jit-llvm-integer.h"
#include "kernel/jit-llvm-narrow.h"
#include "kernel/jit-llvm-type.h"

#include <string.h>

static TpDtype
dtype_of (const TpLlvmEmitter *emitter, const TpInstr *instr)
{
  return emitter->kernel->buffers[instr->buffer].dtype;
}

static LLVMTypeRef
access_type (const TpLlvmEmitter *emitter, const TpInstr *instr, int lanes)
{
  return tp_llvm_memory_type (emitter, dtype_of (emitter, instr), lanes);
}

static int
alignment_of (const TpLlvmEmitter *emitter, const TpInstr *instr)
{
  return (int)tp_dtype_get_size (dtype_of (emitter, instr));
}

/* A pointer to @type. */
static LLVMValueRef
emit_address (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMTypeRef type)
{
  LLVMValueRef pointer = LLVMBuildInBoundsGEP2 (
      emitter->builder, access_type (emitter, instr, 1),
      emitter->bases[instr->buffer], &emitter->values[instr->a], 1, "");

  return LLVMBuildBitCast (emitter->builder, pointer, LLVMPointerType (type, 0),
                           "");
}

/* An element in memory as a value. */
static LLVMValueRef
widen (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef element)
{
  TpValue self = (TpValue)(instr - emitter->kernel->instrs);
  LLVMTypeRef type = tp_llvm_get_type (emitter, self);
  TpDtype dtype = dtype_of (emitter, instr);

  if (tp_dtype_holds_results (dtype))
    return element;
  if (!tp_dtype_is_integer (dtype))
    return tp_llvm_widen_real (emitter, dtype, element);
  return tp_dtype_get (dtype)->low < 0
             ? LLVMBuildSExt (emitter->builder, element, type, "")
             : LLVMBuildZExt (emitter->builder, element, type, "");
}

/* And back: what is stored. */
static LLVMValueRef
narrow (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  LLVMTypeRef type = access_type (emitter, instr, instr->lanes);
  LLVMBuilderRef builder = emitter->builder;
  LLVMValueRef value = emitter->values[instr->b];
  TpDtype dtype = dtype_of (emitter, instr);

  if (tp_dtype_holds_results (dtype))
    return tp_llvm_get_value (emitter, instr->b, FALSE);
  if (!tp_dtype_is_integer (dtype))
    return tp_llvm_narrow_real (emitter, dtype, value);
  if (tp_dtype_get (dtype)->class != TP_CLASS_BOOL)
    return LLVMBuildIntCast2 (builder, value, type, TRUE, "");
  value = LLVMBuildICmp (builder, LLVMIntNE, value,
                         LLVMConstNull (LLVMTypeOf (value)), "");
  return LLVMBuildZExt (builder, value, type, "");
}

/* llvm.masked.load (pointer, align, mask, passthru) and
 * llvm.masked.store (value, pointer, align, mask) */
static LLVMValueRef
call_masked (TpLlvmEmitter *emitter, const char *name, LLVMTypeRef *types,
             LLVMValueRef *args)
{
  unsigned id = LLVMLookupIntrinsicID (name, strlen (name));
  LLVMValueRef function =
      LLVMGetIntrinsicDeclaration (emitter->module, id, types, 2);

  return LLVMBuildCall2 (emitter->builder,
                         LLVMIntrinsicGetType (emitter->context, id, types, 2),
                         function, args, 4, "");
}

/* llvm.prefetch (pointer, read, near, data): of what lies imm elements on. */
static void
emit_prefetch (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  LLVMTypeRef type =
      LLVMPointerType (LLVMInt8TypeInContext (emitter->context), 0);
  LLVMTypeRef i32 = LLVMInt32TypeInContext (emitter->context);
  unsigned id = LLVMLookupIntrinsicID ("llvm.prefetch", 13);
  LLVMValueRef index = emitter->values[instr->a], pointer;
  LLVMValueRef args[] = { NULL, LLVMConstInt (i32, 0, FALSE),
                          LLVMConstInt (i32, 3, FALSE),
                          LLVMConstInt (i32, 1, FALSE) };

  index =
      LLVMBuildAdd (emitter->builder, index,
                    LLVMConstInt (LLVMTypeOf (index), instr->imm, FALSE), "");
  pointer = LLVMBuildGEP2 (emitter->builder, access_type (emitter, instr, 1),
                           emitter->bases[instr->buffer], &index, 1, "");
  args[0] = LLVMBuildBitCast (emitter->builder, pointer, type, "");
  LLVMBuildCall2 (
      emitter->builder, LLVMIntrinsicGetType (emitter->context, id, &type, 1),
      LLVMGetIntrinsicDeclaration (emitter->module, id, &type, 1), args, 4, "");
}

/* All without a mask. */
static LLVMValueRef
emit_plain_load (TpLlvmEmitter *emitter, const TpInstr *instr,
                 LLVMTypeRef type, LLVMValueRef pointer)
{
  LLVMValueRef load = LLVMBuildLoad2 (emitter->builder, type, pointer, "");

  LLVMSetAlignment (load, alignment_of (emitter, instr));
  return load;
}

LLVMValueRef
tp_llvm_emit_load (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  gboolean is_fours = instr->op == TP_I_LOAD4;
  LLVMTypeRef type = is_fours ? tp_llvm_type (emitter, instr->kind, instr->lanes)
                              : access_type (emitter, instr, instr->lanes);
  LLVMValueRef pointer = emit_address (emitter, instr, type), load, zero;
  LLVMTypeRef types[] = { type, LLVMTypeOf (pointer) };
  int alignment = alignment_of (emitter, instr);
  LLVMValueRef args[] = { pointer, tp_llvm_const_i32 (emitter, alignment), NULL,
                          LLVMConstNull (type) };

  if (instr->imm > 0)
    emit_prefetch (emitter, instr);
  if (is_fours)
    return emit_plain_load (emitter, instr, type, pointer);
  if (instr->b >= 0 && instr->lanes > 1)
    {
      args[2] = emitter->values[instr->b];
      load = call_masked (emitter, "llvm.masked.load", types, args);
      return widen (emitter, instr, load);
    }
  if (instr->b >= 0)
    {
      zero =
          LLVMBuildBitCast (emitter->builder, emitter->zero_slot, types[1], "");
      pointer = LLVMBuildSelect (emitter->builder, emitter->values[instr->b],
                                 pointer, zero, "");
    }
  load = emit_plain_load (emitter, instr, type, pointer);
  return widen (emitter, instr, load);
}

static void
emit_scalar_store (TpLlvmEmitter *emitter, const TpInstr *instr,
                   LLVMValueRef value, LLVMValueRef pointer)
{
  LLVMBasicBlockRef then, end;

  then = LLVMAppendBasicBlockInContext (emitter->context, emitter->function,
                                        "store");
  end = LLVMAppendBasicBlockInContext (emitter->context, emitter->function,
                                       "stored");
  LLVMBuildCondBr (emitter->builder, emitter->values[instr->c], then, end);
  LLVMPositionBuilderAtEnd (emitter->builder, then);
  LLVMBuildStore (emitter->builder, value, pointer);
  LLVMBuildBr (emitter->builder, end);
  LLVMPositionBuilderAtEnd (emitter->builder, end);
}

void
tp_llvm_emit_store (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  LLVMValueRef value = narrow (emitter, instr);
  LLVMValueRef pointer = emit_address (emitter, instr, LLVMTypeOf (value));
  LLVMTypeRef types[] = { LLVMTypeOf (value), LLVMTypeOf (pointer) };
  int alignment = alignment_of (emitter, instr);
  LLVMValueRef args[] = { value, pointer, tp_llvm_const_i32 (emitter, alignment),
                          NULL };

  if (instr->c >= 0 && instr->lanes > 1)
    {
      args[3] = emitter->values[instr->c];
      call_masked (emitter, "llvm.masked.store", types, args);
    }
  else if (instr->c >= 0)
    emit_scalar_store (emitter, instr, value, pointer);
  else
    LLVMSetAlignment (LLVMBuildStore (emitter->builder, value, pointer),
                      alignment);
}
