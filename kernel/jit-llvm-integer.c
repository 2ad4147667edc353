/* jit-llvm-integer.c: arithmetic of INDEX and I32 lanes as LLVM IR. INDEX
 * wraps, and its division is defined for all operands; where ranges show that
 * neither matters, as with addresses, the plain instructions are emitted. Where they
 * show that vectors of INDEX lie in 32 bits, they are vectors of those: twice as many
 * fit into a register, and CPUs can do more with them. */
#include "config.h"

#include "kernel/jit-llvm-integer.h"

#include "kernel/jit-llvm-type.h"
#include "kernel/jit-llvm-value.h"
#include "kernel/jit-llvm.h"

gboolean
tp_llvm_is_narrow (const TpLlvmEmitter *emitter, TpValue value)
{
  const TpInstr *instr = &emitter->kernel->instrs[value];
  const TpRange *range = &emitter->ranges[value];

  return instr->kind == TP_KIND_INDEX && instr->lanes > 1
         && range->lo >= G_MININT32 && range->hi <= G_MAXINT32;
}

LLVMTypeRef
tp_llvm_get_type (const TpLlvmEmitter *emitter, TpValue value)
{
  const TpInstr *instr = &emitter->kernel->instrs[value];

  return tp_llvm_type (emitter,
                       tp_llvm_is_narrow (emitter, value) ? TP_KIND_I32
                                                          : instr->kind,
                       instr->lanes);
}

LLVMValueRef
tp_llvm_get_value (TpLlvmEmitter *emitter, TpValue value, gboolean is_narrow)
{
  const TpInstr *instr = &emitter->kernel->instrs[value];
  LLVMTypeRef type
      = tp_llvm_type (emitter, is_narrow ? TP_KIND_I32 : TP_KIND_INDEX,
                      instr->lanes);

  return instr->kind == TP_KIND_INDEX
             ? LLVMBuildIntCast2 (emitter->builder, emitter->values[value],
                                  type, TRUE, "")
             : emitter->values[value];
}

/* In every lane, of the type of @like. */
static LLVMValueRef
number (LLVMValueRef like, int lanes, gint64 value)
{
  LLVMTypeRef type = LLVMTypeOf (like);

  return tp_llvm_const_splat (
      LLVMConstInt (lanes == 1 ? type : LLVMGetElementType (type), value, TRUE),
      lanes);
}

/* The result cannot leave the range that its lanes have. */
static gboolean
is_small (const TpLlvmEmitter *emitter, const TpInstr *instr)
{
  return instr->kind == TP_KIND_INDEX
         && !tp_range_is_full (
             &emitter->ranges[instr - emitter->kernel->instrs]);
}

static LLVMValueRef
emit_unsigned (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef a,
               LLVMValueRef b)
{
  return instr->op == TP_I_IDIV ? LLVMBuildUDiv (emitter->builder, a, b, "")
                                : LLVMBuildURem (emitter->builder, a, b, "");
}

static LLVMValueRef
emit_signed (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef a,
             LLVMValueRef b)
{
  return instr->op == TP_I_IDIV ? LLVMBuildSDiv (emitter->builder, a, b, "")
                                : LLVMBuildSRem (emitter->builder, a, b, "");
}

/* By 0 and by -1 the CPU would trap, or may: there it divides by 1, which is
 * right for what remains of x / -1, and the rest is chosen. */
static LLVMValueRef
emit_guarded (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef a,
              LLVMValueRef b)
{
  LLVMBuilderRef builder = emitter->builder;
  LLVMValueRef zero = number (b, instr->lanes, 0);
  LLVMValueRef is_zero = LLVMBuildICmp (builder, LLVMIntEQ, b, zero, "");
  LLVMValueRef is_minus =
      LLVMBuildICmp (builder, LLVMIntEQ, b, number (b, instr->lanes, -1), "");
  LLVMValueRef is_odd = LLVMBuildOr (builder, is_zero, is_minus, ""), result;

  b = LLVMBuildSelect (builder, is_odd, number (b, instr->lanes, 1), b, "");
  result = emit_signed (emitter, instr, a, b);
  if (instr->op == TP_I_IMOD)
    return result;
  result = LLVMBuildSelect (builder, is_minus,
                            LLVMBuildSub (builder, zero, a, ""), result, "");
  return LLVMBuildSelect (builder, is_zero, zero, result, "");
}

static LLVMValueRef
emit_division (TpLlvmEmitter *emitter, const TpInstr *instr, LLVMValueRef a,
               LLVMValueRef b)
{
  const TpRange *x = &emitter->ranges[instr->a];
  const TpRange *y = &emitter->ranges[instr->b];

  if (instr->kind == TP_KIND_I32 || (x->lo >= 0 && y->lo > 0))
    return emit_unsigned (emitter, instr, a, b);
  if (y->lo > 0 || y->hi < -1)
    return emit_signed (emitter, instr, a, b);
  return emit_guarded (emitter, instr, a, b);
}

LLVMValueRef
tp_llvm_emit_integer (TpLlvmEmitter *emitter, const TpInstr *instr,
                      LLVMValueRef a, LLVMValueRef b)
{
  LLVMBuilderRef builder = emitter->builder;
  gboolean is_plain = is_small (emitter, instr);
  LLVMValueRef less;

  switch (instr->op)
    {
    case TP_I_IADD:
      return (is_plain ? LLVMBuildNSWAdd : LLVMBuildAdd) (builder, a, b, "");
    case TP_I_ISUB:
      return (is_plain ? LLVMBuildNSWSub : LLVMBuildSub) (builder, a, b, "");
    case TP_I_IMUL:
      return (is_plain ? LLVMBuildNSWMul : LLVMBuildMul) (builder, a, b, "");
    case TP_I_IDIV:
    case TP_I_IMOD:
      return emit_division (emitter, instr, a, b);
    case TP_I_IMIN:
    case TP_I_IMAX:
      less = LLVMBuildICmp (builder, LLVMIntSLT, a, b, "");
      return instr->op == TP_I_IMIN ? LLVMBuildSelect (builder, less, a, b, "")
                                    : LLVMBuildSelect (builder, less, b, a, "");
    case TP_I_ISHL:
      b = LLVMBuildAnd (builder, b, number (b, instr->lanes, 31), "");
      return LLVMBuildShl (builder, a, b, "");
    case TP_I_ISHR:
      b = LLVMBuildAnd (builder, b, number (b, instr->lanes, 31), "");
      return LLVMBuildLShr (builder, a, b, "");
    case TP_I_IAND:
    case TP_I_MAND:
      return LLVMBuildAnd (builder, a, b, "");
    case TP_I_IXOR:
      return LLVMBuildXor (builder, a, b, "");
    case TP_I_MOR:
      return LLVMBuildOr (builder, a, b, "");
    case TP_I_ILESS:
      return LLVMBuildICmp (builder, LLVMIntSLT, a, b, "");
    default: /* IEQUAL */
      return LLVMBuildICmp (builder, LLVMIntEQ, a, b, "");
    }
}
