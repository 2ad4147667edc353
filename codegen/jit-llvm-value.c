/* jit-llvm-value.c: the values and memory accesses of a kernel as LLVM IR. */
#include "config.h"

#include "codegen/jit-llvm.h"

#include <string.h>

#define MAX_LANES 16

LLVMTypeRef
tp_llvm_type (const TpLlvmEmitter *emitter, TpKind kind, int lanes)
{
  LLVMTypeRef scalar =
      kind == TP_KIND_INDEX  ? LLVMInt64TypeInContext (emitter->context)
      : kind == TP_KIND_I32  ? LLVMInt32TypeInContext (emitter->context)
      : kind == TP_KIND_MASK ? LLVMInt1TypeInContext (emitter->context)
                             : LLVMFloatTypeInContext (emitter->context);

  return lanes == 1 ? scalar : LLVMVectorType (scalar, lanes);
}

static LLVMValueRef
const_int (const TpLlvmEmitter *emitter, gint64 value)
{
  return LLVMConstInt (LLVMInt32TypeInContext (emitter->context), value, TRUE);
}

static LLVMValueRef
const_splat (LLVMValueRef scalar, int lanes)
{
  LLVMValueRef parts[MAX_LANES];

  for (int i = 0; i < lanes; i++)
    parts[i] = scalar;
  return lanes == 1 ? scalar : LLVMConstVector (parts, lanes);
}

/* Calls the intrinsic @name overloaded on the type of @args[0]. */
static LLVMValueRef
call_intrinsic (TpLlvmEmitter *emitter, const char *name, LLVMValueRef *args,
                int n_args)
{
  unsigned id = LLVMLookupIntrinsicID (name, strlen (name));
  LLVMTypeRef type = LLVMTypeOf (args[0]);
  LLVMValueRef function =
      LLVMGetIntrinsicDeclaration (emitter->module, id, &type, 1);

  return LLVMBuildCall2 (emitter->builder,
                         LLVMIntrinsicGetType (emitter->context, id, &type, 1),
                         function, args, n_args, "");
}

/* --- leaves and lanes --------------------------------------------------- */

static LLVMValueRef
emit_leaf (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  LLVMTypeRef scalar = tp_llvm_type (emitter, instr->kind, 1);
  LLVMValueRef parts[MAX_LANES];
  guint32 bits;

  switch (instr->op)
    {
    case TP_I_GROUP:
      return LLVMGetParam (emitter->function, 1);
    case TP_I_IOTA:
      for (int i = 0; i < instr->lanes; i++)
        parts[i] = const_int (emitter, i);
      return instr->lanes == 1 ? parts[0]
                               : LLVMConstVector (parts, instr->lanes);
    case TP_I_CONST_F32:
      /* By its bits: a double would lose the payload of a NaN. */
      memcpy (&bits, &instr->fimm, sizeof bits);
      return const_splat (
          LLVMConstBitCast (const_int (emitter, (gint32)bits), scalar),
          instr->lanes);
    default: /* constants; ITEM is 0 */
      return const_splat (LLVMConstInt (scalar, instr->imm, TRUE),
                          instr->lanes);
    }
}

static LLVMValueRef
shuffle (TpLlvmEmitter *emitter, LLVMValueRef vector, int first, int n)
{
  LLVMValueRef parts[MAX_LANES];

  for (int i = 0; i < n; i++)
    parts[i] = const_int (emitter, first + i);
  return LLVMBuildShuffleVector (emitter->builder, vector,
                                 LLVMGetUndef (LLVMTypeOf (vector)),
                                 LLVMConstVector (parts, n), "");
}

static LLVMValueRef
emit_splat (TpLlvmEmitter *emitter, LLVMValueRef scalar, const TpInstr *instr)
{
  LLVMTypeRef type = tp_llvm_type (emitter, instr->kind, instr->lanes);
  LLVMTypeRef mask_type = tp_llvm_type (emitter, TP_KIND_I32, instr->lanes);
  LLVMValueRef vector =
      LLVMBuildInsertElement (emitter->builder, LLVMGetUndef (type), scalar,
                              const_int (emitter, 0), "");

  return LLVMBuildShuffleVector (emitter->builder, vector, LLVMGetUndef (type),
                                 LLVMConstNull (mask_type), "");
}

/* x < y ? x : y is exactly MINPS, and so for MAXPS. */
static LLVMValueRef
emit_extremum (TpLlvmEmitter *emitter, gboolean is_max, LLVMValueRef x,
               LLVMValueRef y)
{
  LLVMValueRef first = LLVMBuildFCmp (
      emitter->builder, is_max ? LLVMRealOGT : LLVMRealOLT, x, y, "");

  return LLVMBuildSelect (emitter->builder, first, x, y, "");
}

static LLVMValueRef
emit_reduction (TpLlvmEmitter *emitter, TpInstrOp op, LLVMValueRef value)
{
  int n = LLVMGetVectorSize (LLVMTypeOf (value));
  LLVMValueRef low, high;

  for (n /= 2; n >= 1; n /= 2)
    {
      if (n > 1)
        {
          low = shuffle (emitter, value, 0, n);
          high = shuffle (emitter, value, n, n);
        }
      else
        {
          low = LLVMBuildExtractElement (emitter->builder, value,
                                         const_int (emitter, 0), "");
          high = LLVMBuildExtractElement (emitter->builder, value,
                                          const_int (emitter, 1), "");
        }
      value = op == TP_I_LANE_SUM
                  ? LLVMBuildFAdd (emitter->builder, low, high, "")
                  : emit_extremum (emitter, op == TP_I_LANE_MAX, low, high);
    }
  return value;
}

static LLVMValueRef
emit_across (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  LLVMValueRef a = emitter->values[instr->a];

  switch (instr->op)
    {
    case TP_I_SPLAT:
      return emit_splat (emitter, a, instr);
    case TP_I_EXTRACT:
      return LLVMBuildExtractElement (emitter->builder, a,
                                      const_int (emitter, instr->imm), "");
    case TP_I_INSERT:
      return LLVMBuildInsertElement (emitter->builder, a,
                                     emitter->values[instr->b],
                                     const_int (emitter, instr->imm), "");
    default:
      return emit_reduction (emitter, instr->op, a);
    }
}

/* --- arithmetic --------------------------------------------------------- */

/* Addresses cannot overflow (the verifier bounds them), I32 lanes wrap. */
static LLVMValueRef
emit_integer (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef a,
              LLVMValueRef b)
{
  LLVMBuilderRef builder = emitter->builder;
  gboolean is_index = instr->kind == TP_KIND_INDEX;
  LLVMValueRef less;

  switch (instr->op)
    {
    case TP_I_IADD:
      return (is_index ? LLVMBuildNSWAdd : LLVMBuildAdd) (builder, a, b, "");
    case TP_I_ISUB:
      return (is_index ? LLVMBuildNSWSub : LLVMBuildSub) (builder, a, b, "");
    case TP_I_IMUL:
      return (is_index ? LLVMBuildNSWMul : LLVMBuildMul) (builder, a, b, "");
    case TP_I_IDIV:
      return LLVMBuildUDiv (builder, a, b, "");
    case TP_I_IMOD:
      return LLVMBuildURem (builder, a, b, "");
    case TP_I_IMIN:
    case TP_I_IMAX:
      less = LLVMBuildICmp (builder, LLVMIntSLT, a, b, "");
      return instr->op == TP_I_IMIN ? LLVMBuildSelect (builder, less, a, b, "")
                                    : LLVMBuildSelect (builder, less, b, a, "");
    case TP_I_ISHL:
      b = LLVMBuildAnd (
          builder, b, const_splat (const_int (emitter, 31), instr->lanes), "");
      return LLVMBuildShl (builder, a, b, "");
    case TP_I_IAND:
    case TP_I_MAND:
      return LLVMBuildAnd (builder, a, b, "");
    case TP_I_MOR:
      return LLVMBuildOr (builder, a, b, "");
    case TP_I_ILESS:
      return LLVMBuildICmp (builder, LLVMIntSLT, a, b, "");
    default: /* IEQUAL */
      return LLVMBuildICmp (builder, LLVMIntEQ, a, b, "");
    }
}

static LLVMValueRef
emit_float (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef *args)
{
  LLVMBuilderRef builder = emitter->builder;

  switch (instr->op)
    {
    case TP_I_FADD:
      return LLVMBuildFAdd (builder, args[0], args[1], "");
    case TP_I_FSUB:
      return LLVMBuildFSub (builder, args[0], args[1], "");
    case TP_I_FMUL:
      return LLVMBuildFMul (builder, args[0], args[1], "");
    case TP_I_FDIV:
      return LLVMBuildFDiv (builder, args[0], args[1], "");
    case TP_I_FMIN:
    case TP_I_FMAX:
      return emit_extremum (emitter, instr->op == TP_I_FMAX, args[0], args[1]);
    case TP_I_FMA:
      return call_intrinsic (emitter, "llvm.fma", args, 3);
    case TP_I_FNEG:
      return LLVMBuildFNeg (builder, args[0], "");
    case TP_I_FABS:
      return call_intrinsic (emitter, "llvm.fabs", args, 1);
    case TP_I_FSQRT:
      return call_intrinsic (emitter, "llvm.sqrt", args, 1);
    case TP_I_FFLOOR:
      return call_intrinsic (emitter, "llvm.floor", args, 1);
    default: /* FROUND: to nearest even, as the mode is */
      return call_intrinsic (emitter, "llvm.rint", args, 1);
    }
}

LLVMValueRef
tp_llvm_emit_value (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  const TpInstrInfo *info = tp_instr_get_info (instr->op);
  LLVMTypeRef type = tp_llvm_type (emitter, instr->kind, instr->lanes);
  const TpValue operands[] = { instr->a, instr->b, instr->c };
  LLVMBuilderRef builder = emitter->builder;
  LLVMValueRef args[3] = { NULL };

  for (int i = 0; i < 3; i++)
    if (operands[i] >= 0)
      args[i] = emitter->values[operands[i]];
  if (info->operands[0] == '\0')
    return emit_leaf (emitter, instr);
  if (!info->is_lanewise)
    return emit_across (emitter, instr);
  switch (instr->op)
    {
    case TP_I_SELECT:
      return LLVMBuildSelect (builder, args[0], args[1], args[2], "");
    case TP_I_MNOT:
      return LLVMBuildNot (builder, args[0], "");
    case TP_I_FLESS:
      return LLVMBuildFCmp (builder, LLVMRealOLT, args[0], args[1], "");
    case TP_I_FEQUAL:
      return LLVMBuildFCmp (builder, LLVMRealOEQ, args[0], args[1], "");
    case TP_I_INDEX_TO_I32:
      return LLVMBuildTrunc (builder, args[0], type, "");
    case TP_I_F32_TO_I32:
      return LLVMBuildFPToSI (builder, args[0], type, "");
    case TP_I_I32_TO_F32:
      return LLVMBuildSIToFP (builder, args[0], type, "");
    case TP_I_AS_I32:
    case TP_I_AS_F32:
      return LLVMBuildBitCast (builder, args[0], type, "");
    default:
      break;
    }
  return instr->kind == TP_KIND_F32
             ? emit_float (emitter, instr, args)
             : emit_integer (emitter, instr, args[0], args[1]);
}

/* --- memory ------------------------------------------------------------- */

static LLVMValueRef
emit_address (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  LLVMTypeRef type = tp_llvm_type (emitter, TP_KIND_F32, instr->lanes);
  LLVMValueRef pointer = LLVMBuildInBoundsGEP2 (
      emitter->builder, LLVMFloatTypeInContext (emitter->context),
      emitter->bases[instr->buffer], &emitter->values[instr->a], 1, "");

  return LLVMBuildBitCast (emitter->builder, pointer, LLVMPointerType (type, 0),
                           "");
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
  LLVMTypeRef type
      = LLVMPointerType (LLVMInt8TypeInContext (emitter->context), 0);
  LLVMTypeRef i32 = LLVMInt32TypeInContext (emitter->context);
  unsigned id = LLVMLookupIntrinsicID ("llvm.prefetch", 13);
  LLVMValueRef index = emitter->values[instr->a], pointer;
  LLVMValueRef args[] = { NULL, LLVMConstInt (i32, 0, FALSE),
                          LLVMConstInt (i32, 3, FALSE),
                          LLVMConstInt (i32, 1, FALSE) };

  index = LLVMBuildAdd (emitter->builder, index,
                        LLVMConstInt (LLVMTypeOf (index), instr->imm, FALSE),
                        "");
  pointer = LLVMBuildGEP2 (emitter->builder,
                           LLVMFloatTypeInContext (emitter->context),
                           emitter->bases[instr->buffer], &index, 1, "");
  args[0] = LLVMBuildBitCast (emitter->builder, pointer, type, "");
  LLVMBuildCall2 (emitter->builder,
                  LLVMIntrinsicGetType (emitter->context, id, &type, 1),
                  LLVMGetIntrinsicDeclaration (emitter->module, id, &type, 1),
                  args, 4, "");
}

LLVMValueRef
tp_llvm_emit_load (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  LLVMTypeRef type = tp_llvm_type (emitter, TP_KIND_F32, instr->lanes);
  LLVMValueRef pointer = emit_address (emitter, instr), load;
  LLVMTypeRef types[] = { type, LLVMTypeOf (pointer) };
  LLVMValueRef args[] = { pointer, const_int (emitter, 4), NULL,
                          LLVMConstNull (type) };

  if (instr->imm > 0)
    emit_prefetch (emitter, instr);
  if (instr->b >= 0 && instr->lanes > 1)
    {
      args[2] = emitter->values[instr->b];
      return call_masked (emitter, "llvm.masked.load", types, args);
    }
  if (instr->b >= 0)
    pointer = LLVMBuildSelect (emitter->builder, emitter->values[instr->b],
                               pointer, emitter->zero_slot, "");
  load = LLVMBuildLoad2 (emitter->builder, type, pointer, "");
  LLVMSetAlignment (load, 4);
  return load;
}

static void
emit_scalar_store (TpLlvmEmitter *emitter, const TpInstr *instr,
                   LLVMValueRef pointer)
{
  LLVMBasicBlockRef then, end;

  then = LLVMAppendBasicBlockInContext (emitter->context, emitter->function,
                                        "store");
  end = LLVMAppendBasicBlockInContext (emitter->context, emitter->function,
                                       "stored");
  LLVMBuildCondBr (emitter->builder, emitter->values[instr->c], then, end);
  LLVMPositionBuilderAtEnd (emitter->builder, then);
  LLVMBuildStore (emitter->builder, emitter->values[instr->b], pointer);
  LLVMBuildBr (emitter->builder, end);
  LLVMPositionBuilderAtEnd (emitter->builder, end);
}

void
tp_llvm_emit_store (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  LLVMValueRef value = emitter->values[instr->b];
  LLVMValueRef pointer = emit_address (emitter, instr);
  LLVMTypeRef types[] = { LLVMTypeOf (value), LLVMTypeOf (pointer) };
  LLVMValueRef args[] = { value, pointer, const_int (emitter, 4), NULL };

  if (instr->c >= 0 && instr->lanes > 1)
    {
      args[3] = emitter->values[instr->c];
      call_masked (emitter, "llvm.masked.store", types, args);
    }
  else if (instr->c >= 0)
    emit_scalar_store (emitter, instr, pointer);
  else
    LLVMSetAlignment (LLVMBuildStore (emitter->builder, value, pointer), 4);
}
