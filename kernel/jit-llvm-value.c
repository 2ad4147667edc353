/* jit-llvm-value.c: the values of a kernel as LLVM IR. */
#include "config.h"

#include "kernel/jit-llvm-value.h"

#include "kernel/jit-llvm-bytes.h"
#include "kernel/jit-llvm-integer.h"
#include "kernel/jit-llvm-type.h"
#include "kernel/jit-llvm.h"

#include <string.h>

#define MAX_LANES 16

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
  TpValue self = (TpValue)(instr - emitter->kernel->instrs);
  LLVMTypeRef scalar = tp_llvm_type (
      emitter, tp_llvm_is_narrow (emitter, self) ? TP_KIND_I32 : instr->kind, 1);
  LLVMValueRef parts[MAX_LANES];
  guint32 bits;

  switch (instr->op)
    {
    case TP_I_GROUP:
      return LLVMGetParam (emitter->function, 1);
    case TP_I_ITERATION:
      return LLVMGetParam (emitter->function, 3);
    case TP_I_IOTA:
      for (int i = 0; i < instr->lanes; i++)
        parts[i] = tp_llvm_const_i32 (emitter, i);
      return instr->lanes == 1 ? parts[0]
                               : LLVMConstVector (parts, instr->lanes);
    case TP_I_CONST_F32:
      /* By its bits: a double would lose the payload of a NaN. */
      memcpy (&bits, &instr->fimm, sizeof bits);
      return tp_llvm_const_splat (
          LLVMConstBitCast (tp_llvm_const_i32 (emitter, (gint32)bits), scalar),
          instr->lanes);
    case TP_I_CONST_F64:
      return tp_llvm_const_splat (
          LLVMConstBitCast (
              LLVMConstInt (LLVMInt64TypeInContext (emitter->context),
                            instr->imm, TRUE),
              scalar),
          instr->lanes);
    default: /* constants; ITEM is 0 */
      return tp_llvm_const_splat (LLVMConstInt (scalar, instr->imm, TRUE),
                                  instr->lanes);
    }
}

static LLVMValueRef
shuffle (TpLlvmEmitter *emitter, LLVMValueRef vector, int first, int n)
{
  LLVMValueRef parts[MAX_LANES];

  for (int i = 0; i < n; i++)
    parts[i] = tp_llvm_const_i32 (emitter, first + i);
  return LLVMBuildShuffleVector (emitter->builder, vector,
                                 LLVMGetUndef (LLVMTypeOf (vector)),
                                 LLVMConstVector (parts, n), "");
}

static LLVMValueRef
emit_splat (TpLlvmEmitter *emitter, LLVMValueRef scalar, const TpInstr *instr)
{
  LLVMTypeRef mask_type = tp_llvm_type (emitter, TP_KIND_I32, instr->lanes);
  LLVMTypeRef type = LLVMVectorType (LLVMTypeOf (scalar), instr->lanes);
  LLVMValueRef vector =
      LLVMBuildInsertElement (emitter->builder, LLVMGetUndef (type), scalar,
                              tp_llvm_const_i32 (emitter, 0), "");

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

/* One step of a sum, maximum or minimum over lanes. */
static LLVMValueRef
combine (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef x,
         LLVMValueRef y)
{
  LLVMBuilderRef builder = emitter->builder;
  gboolean is_max = instr->op == TP_I_LANE_MAX;
  LLVMValueRef first;

  if (instr->op == TP_I_LANE_SUM)
    return tp_kind_is_real (instr->kind) ? LLVMBuildFAdd (builder, x, y, "")
                                         : LLVMBuildAdd (builder, x, y, "");
  if (tp_kind_is_real (instr->kind))
    return emit_extremum (emitter, is_max, x, y);
  first = LLVMBuildICmp (builder, is_max ? LLVMIntSGT : LLVMIntSLT, x, y, "");
  return LLVMBuildSelect (builder, first, x, y, "");
}

static LLVMValueRef
emit_reduction (TpLlvmEmitter *emitter, const TpInstr *instr,
                LLVMValueRef value)
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
                                         tp_llvm_const_i32 (emitter, 0), "");
          high = LLVMBuildExtractElement (emitter->builder, value,
                                          tp_llvm_const_i32 (emitter, 1), "");
        }
      value = combine (emitter, instr, low, high);
    }
  return value;
}

/* Lanes of the first operand count from 0, those of the second from @n. */
static LLVMValueRef
emit_shuffle (TpLlvmEmitter *emitter, const TpInstr *instr, gboolean is_narrow)
{
  LLVMValueRef lanes[MAX_LANES];
  int n = instr->lanes, first = instr->imm * n / 2;

  for (int i = 0; i < n; i++)
    lanes[i] = tp_llvm_const_i32 (emitter, instr->op == TP_I_ZIP
                                       ? first + i / 2 + i % 2 * n
                                       : 2 * i + instr->imm);
  return LLVMBuildShuffleVector (
      emitter->builder, tp_llvm_get_value (emitter, instr->a, is_narrow),
      tp_llvm_get_value (emitter, instr->b, is_narrow),
      LLVMConstVector (lanes, n), "");
}

/* Sums may need more bits than what they are of. */
static gboolean
is_across_narrow (const TpLlvmEmitter *emitter, const TpInstr *instr)
{
  TpValue self = (TpValue)(instr - emitter->kernel->instrs);

  switch (instr->op)
    {
    case TP_I_SPLAT:
    case TP_I_INSERT:
    case TP_I_ZIP:
    case TP_I_UNZIP:
      return tp_llvm_is_narrow (emitter, self);
    case TP_I_LANE_SUM:
      return FALSE;
    default:
      return tp_llvm_is_narrow (emitter, instr->a);
    }
}

static LLVMValueRef
emit_across (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  gboolean is_narrow = is_across_narrow (emitter, instr);
  LLVMValueRef a = tp_llvm_get_value (emitter, instr->a, is_narrow);

  switch (instr->op)
    {
    case TP_I_SPLAT:
      return emit_splat (emitter, a, instr);
    case TP_I_EXTRACT:
      return LLVMBuildExtractElement (emitter->builder, a,
                                      tp_llvm_const_i32 (emitter, instr->imm), "");
    case TP_I_INSERT:
      return LLVMBuildInsertElement (
          emitter->builder, a, tp_llvm_get_value (emitter, instr->b, is_narrow),
          tp_llvm_const_i32 (emitter, instr->imm), "");
    case TP_I_ZIP:
    case TP_I_UNZIP:
      return emit_shuffle (emitter, instr, is_narrow);
    default:
      return emit_reduction (emitter, instr, a);
    }
}

/* --- arithmetic --------------------------------------------------------- */

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

/* Lane by lane, of a function that is linked to the kernel. */
static LLVMValueRef
emit_call (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef *args)
{
  static const char *const names[] = { "exp", "log", "tanh", "erf",
                                       "sin", "cos", "pow" };
  const char *name = names[instr->op - TP_I_FEXP];
  LLVMTypeRef real = tp_llvm_type (emitter, TP_KIND_F64, 1);
  LLVMTypeRef types[] = { real, real };
  int n_args = instr->b >= 0 ? 2 : 1;
  LLVMTypeRef type = LLVMFunctionType (real, types, n_args, FALSE);
  LLVMValueRef function = LLVMGetNamedFunction (emitter->module, name);
  LLVMValueRef result, lane, parts[2];

  if (function == NULL)
    function = LLVMAddFunction (emitter->module, name, type);
  if (instr->lanes == 1)
    return LLVMBuildCall2 (emitter->builder, type, function, args, n_args, "");
  result = LLVMGetUndef (tp_llvm_type (emitter, TP_KIND_F64, instr->lanes));
  for (int i = 0; i < instr->lanes; i++)
    {
      for (int k = 0; k < n_args; k++)
        parts[k] = LLVMBuildExtractElement (emitter->builder, args[k],
                                            tp_llvm_const_i32 (emitter, i), "");
      lane = LLVMBuildCall2 (emitter->builder, type, function, parts, n_args,
                             "");
      result = LLVMBuildInsertElement (emitter->builder, result, lane,
                                       tp_llvm_const_i32 (emitter, i), "");
    }
  return result;
}

/* To INDEX: only what is in range is converted, for the rest would be poison.
 */
static LLVMValueRef
emit_truncation (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef x)
{
  LLVMBuilderRef builder = emitter->builder;
  LLVMTypeRef index = tp_llvm_type (emitter, TP_KIND_INDEX, 1);
  LLVMTypeRef real =
      tp_llvm_type (emitter, emitter->kernel->instrs[instr->a].kind, 1);
  int lanes = instr->lanes;
  LLVMValueRef end = tp_llvm_const_splat (LLVMConstReal (real, 0x1p63), lanes);
  LLVMValueRef start =
      tp_llvm_const_splat (LLVMConstReal (real, -0x1p63), lanes);
  LLVMValueRef is_low, is_high, is_in, result;

  is_low = LLVMBuildFCmp (builder, LLVMRealOLT, x, start, "");
  is_high = LLVMBuildFCmp (builder, LLVMRealOGE, x, end, "");
  is_in =
      LLVMBuildAnd (builder, LLVMBuildFCmp (builder, LLVMRealOGE, x, start, ""),
                    LLVMBuildFCmp (builder, LLVMRealOLT, x, end, ""), "");
  x = LLVMBuildSelect (builder, is_in, x, LLVMConstNull (LLVMTypeOf (x)), "");
  result = LLVMBuildFPToSI (builder, x,
                            tp_llvm_type (emitter, TP_KIND_INDEX, lanes), "");
  result = LLVMBuildSelect (
      builder, is_high,
      tp_llvm_const_splat (LLVMConstInt (index, G_MAXINT64, TRUE), lanes),
      result, "");
  return LLVMBuildSelect (
      builder, is_low,
      tp_llvm_const_splat (LLVMConstInt (index, G_MININT64, TRUE), lanes),
      result, "");
}

/* Whether INDEX @value lies in 32 bits, in which CPUs convert more at a time. */
static gboolean
is_in_32_bits (const TpLlvmEmitter *emitter, TpValue value)
{
  const TpRange *range = &emitter->ranges[value];

  return range->lo >= G_MININT32 && range->hi <= G_MAXINT32;
}

/* Between INDEX and reals. */
static LLVMValueRef
emit_index_conversion (TpLlvmEmitter *emitter, const TpInstr *instr,
                       LLVMValueRef x)
{
  TpValue self = (TpValue)(instr - emitter->kernel->instrs);
  LLVMTypeRef narrow = tp_llvm_type (emitter, TP_KIND_I32, instr->lanes);
  LLVMBuilderRef builder = emitter->builder;

  if (instr->op != TP_I_REAL_TO_INDEX)
    return LLVMBuildSIToFP (
        builder,
        tp_llvm_get_value (emitter, instr->a,
                           is_in_32_bits (emitter, instr->a)),
        tp_llvm_get_type (emitter, self), "");
  return is_in_32_bits (emitter, self)
             ? LLVMBuildFPToSI (builder, x, narrow, "")
             : emit_truncation (emitter, instr, x);
}

/* Between kinds; NULL: @instr does something else. */
static LLVMValueRef
emit_conversion (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef x)
{
  LLVMTypeRef type = tp_llvm_type (emitter, instr->kind, instr->lanes);
  LLVMBuilderRef builder = emitter->builder;

  switch (instr->op)
    {
    case TP_I_INDEX_TO_I32:
    case TP_I_I32_TO_INDEX:
      return LLVMBuildIntCast2 (builder, x, type, TRUE, "");
    case TP_I_F32_TO_I32:
      return LLVMBuildFPToSI (builder, x, type, "");
    case TP_I_REAL_TO_INDEX:
    case TP_I_INDEX_TO_F32:
    case TP_I_INDEX_TO_F64:
      return emit_index_conversion (emitter, instr, x);
    case TP_I_F64_TO_F32:
      return LLVMBuildFPTrunc (builder, x, type, "");
    case TP_I_F32_TO_F64:
      return LLVMBuildFPExt (builder, x, type, "");
    case TP_I_I32_TO_F32:
      return LLVMBuildSIToFP (builder, x, type, "");
    case TP_I_AS_I32:
    case TP_I_AS_F32:
    case TP_I_AS_INDEX:
      return LLVMBuildBitCast (builder, x, type, "");
    default:
      return NULL;
    }
}

/* Whether @instr, of lanes, can be done in 32 bits: what goes in and what comes out
 * lies there. Some bits of what does not are among the lower ones still. */
static gboolean
is_done_narrow (const TpLlvmEmitter *emitter, const TpInstr *instr)
{
  const TpValue operands[] = { instr->a, instr->b, instr->c,
                               (TpValue)(instr - emitter->kernel->instrs) };
  const TpInstr *instrs = emitter->kernel->instrs;

  if (instr->op == TP_I_IAND)
    return tp_llvm_is_narrow (emitter, operands[3]);
  for (int i = 0; i < 4; i++)
    if (operands[i] >= 0 && instrs[operands[i]].kind == TP_KIND_INDEX
        && !tp_llvm_is_narrow (emitter, operands[i]))
      return FALSE;
  return TRUE;
}

static LLVMValueRef
emit_lanewise (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  gboolean is_narrow = is_done_narrow (emitter, instr);
  const TpValue operands[] = { instr->a, instr->b, instr->c };
  LLVMBuilderRef builder = emitter->builder;
  LLVMValueRef args[3] = { NULL }, converted;

  for (int i = 0; i < 3; i++)
    if (operands[i] >= 0)
      args[i] = tp_llvm_get_value (emitter, operands[i], is_narrow);
  converted = emit_conversion (emitter, instr, args[0]);
  if (converted != NULL)
    return converted;
  switch (instr->op)
    {
    case TP_I_DOT4:
      return tp_llvm_emit_dot4 (emitter, instr->lanes, args);
    case TP_I_SELECT:
      return LLVMBuildSelect (builder, args[0], args[1], args[2], "");
    case TP_I_MNOT:
      return LLVMBuildNot (builder, args[0], "");
    case TP_I_FLESS:
      return LLVMBuildFCmp (builder, LLVMRealOLT, args[0], args[1], "");
    case TP_I_FEQUAL:
      return LLVMBuildFCmp (builder, LLVMRealOEQ, args[0], args[1], "");
    default:
      break;
    }
  if (instr->op >= TP_I_FEXP && instr->op <= TP_I_FPOW)
    return emit_call (emitter, instr, args);
  return tp_kind_is_real (instr->kind)
             ? emit_float (emitter, instr, args)
             : tp_llvm_emit_integer (emitter, instr, args[0], args[1]);
}

LLVMValueRef
tp_llvm_emit_value (TpLlvmEmitter *emitter, const TpInstr *instr)
{
  const TpInstrInfo *info = tp_instr_get_info (instr->op);
  TpValue self = (TpValue)(instr - emitter->kernel->instrs);
  LLVMValueRef value;

  if (info->operands[0] == '\0')
    return emit_leaf (emitter, instr);
  value = info->is_lanewise ? emit_lanewise (emitter, instr)
                            : emit_across (emitter, instr);
  return instr->kind == TP_KIND_INDEX
             ? LLVMBuildIntCast2 (emitter->builder, value,
                                  tp_llvm_get_type (emitter, self), TRUE, "")
             : value;
}
