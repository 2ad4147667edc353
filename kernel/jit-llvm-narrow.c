/* jit-llvm-narrow.c: reals of 16 bits are float32 in registers. The processor
 * converts float16 where it can; where LLVM would call a function, which nobody
 * links, integers do it, and bfloat16 everywhere. Both give the same bits. */
#include "config.h"

#include "kernel/jit-llvm-narrow.h"

#include "kernel/jit-llvm-type.h"

#define SIGN 0x80000000u
#define INFINITE 0x7f800000u

/* Of float16, as float32 has them: the distance of both biases, what rounds to
 * infinity for certain, the least normal number, and 0.5, whose last digit is that
 * of the least float16. */
#define HALF_BIAS (112u << 23)
#define HALF_END 0x47800000u
#define HALF_NORMAL 0x38800000u
#define HALF_UNIT 0x3f000000u

/* Values of one access: all have as many lanes. */
typedef struct
{
  LLVMBuilderRef builder;
  int lanes;
  LLVMTypeRef bits, real;     /* i32, float */
  LLVMTypeRef narrow, half;   /* i16, half */
} Lanes;

static LLVMTypeRef
widen_type (LLVMTypeRef scalar, int lanes)
{
  return lanes == 1 ? scalar : LLVMVectorType (scalar, lanes);
}

static Lanes
lanes_of (TpLlvmEmitter *emitter, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf (value);
  LLVMContextRef context = emitter->context;
  int n = LLVMGetTypeKind (type) == LLVMVectorTypeKind
              ? (int) LLVMGetVectorSize (type)
              : 1;

  return (Lanes){ emitter->builder, n,
                  tp_llvm_type (emitter, TP_KIND_I32, n),
                  tp_llvm_type (emitter, TP_KIND_F32, n),
                  widen_type (LLVMInt16TypeInContext (context), n),
                  widen_type (LLVMHalfTypeInContext (context), n) };
}

static LLVMValueRef
number (const Lanes *lanes, guint32 value)
{
  LLVMTypeRef type = lanes->lanes == 1 ? lanes->bits
                                       : LLVMGetElementType (lanes->bits);

  return tp_llvm_const_splat (LLVMConstInt (type, value, FALSE), lanes->lanes);
}

static LLVMValueRef
as_real (const Lanes *lanes, LLVMValueRef bits)
{
  return LLVMBuildBitCast (lanes->builder, bits, lanes->real, "");
}

static LLVMValueRef
as_bits (const Lanes *lanes, LLVMValueRef real)
{
  return LLVMBuildBitCast (lanes->builder, real, lanes->bits, "");
}

static LLVMValueRef
shift (const Lanes *lanes, LLVMValueRef bits, int by)
{
  return by > 0 ? LLVMBuildShl (lanes->builder, bits, number (lanes, by), "")
                : LLVMBuildLShr (lanes->builder, bits, number (lanes, -by), "");
}

static LLVMValueRef
add (const Lanes *lanes, LLVMValueRef bits, guint32 value)
{
  return LLVMBuildAdd (lanes->builder, bits, number (lanes, value), "");
}

static LLVMValueRef
mask (const Lanes *lanes, LLVMValueRef bits, guint32 value)
{
  return LLVMBuildAnd (lanes->builder, bits, number (lanes, value), "");
}

/* @bits < @end ? @below : @otherwise, unsigned. */
static LLVMValueRef
choose (const Lanes *lanes, LLVMValueRef bits, guint32 end, LLVMValueRef below,
        LLVMValueRef otherwise)
{
  LLVMValueRef is_below = LLVMBuildICmp (lanes->builder, LLVMIntULT, bits,
                                         number (lanes, end), "");

  return LLVMBuildSelect (lanes->builder, is_below, below, otherwise, "");
}

/* ---- to float32 -------------------------------------------------------- */

/* The exponent gets the other bias; that of infinity and NaN gets it twice, and a
 * denormal is told by its distance from the least normal number. */
static LLVMValueRef
widen_half (const Lanes *lanes, LLVMValueRef wide)
{
  LLVMBuilderRef builder = lanes->builder;
  LLVMValueRef sign = shift (lanes, mask (lanes, wide, 0x8000), 16);
  LLVMValueRef size = shift (lanes, mask (lanes, wide, 0x7fff), 13);
  LLVMValueRef finite = add (lanes, size, HALF_BIAS);
  LLVMValueRef least = as_real (lanes, number (lanes, HALF_NORMAL));
  LLVMValueRef denormal = LLVMBuildFSub (
      builder, as_real (lanes, add (lanes, size, HALF_NORMAL)), least, "");

  size = choose (lanes, size, 0x7c00u << 13,
                 choose (lanes, size, 0x400u << 13, as_bits (lanes, denormal),
                         finite),
                 add (lanes, finite, HALF_BIAS));
  return as_real (lanes, LLVMBuildOr (builder, size, sign, ""));
}

LLVMValueRef
tp_llvm_widen_real (TpLlvmEmitter *emitter, TpDtype dtype, LLVMValueRef bits)
{
  Lanes lanes = lanes_of (emitter, bits);
  gboolean is_half = dtype == TPLAN_DTYPE_FLOAT16;
  LLVMValueRef wide;

  if (is_half && emitter->has.half)
    return LLVMBuildFPExt (
        lanes.builder, LLVMBuildBitCast (lanes.builder, bits, lanes.half, ""),
        lanes.real, "");
  wide = LLVMBuildZExt (lanes.builder, bits, lanes.bits, "");
  return is_half ? widen_half (&lanes, wide)
                 : as_real (&lanes, shift (&lanes, wide, 16));
}

/* ---- from float32 ------------------------------------------------------ */

/* Drops @n digits of what lies between infinities; the carry goes where it
 * should. */
static LLVMValueRef
drop_digits (const Lanes *lanes, LLVMValueRef bits, int n)
{
  LLVMValueRef odd = mask (lanes, shift (lanes, bits, -n), 1);

  bits = add (lanes, bits, (1u << (n - 1)) - 1);
  return shift (lanes, LLVMBuildAdd (lanes->builder, bits, odd, ""), -n);
}

/* A denormal is rounded by a sum, whose last digit has its worth. */
static LLVMValueRef
narrow_half (const Lanes *lanes, LLVMValueRef size)
{
  LLVMValueRef unit = as_real (lanes, number (lanes, HALF_UNIT));
  LLVMValueRef normal
      = drop_digits (lanes, add (lanes, size, -HALF_BIAS), 13);
  LLVMValueRef denormal = as_bits (
      lanes, LLVMBuildFAdd (lanes->builder, as_real (lanes, size), unit, ""));
  LLVMValueRef special = choose (lanes, size, INFINITE + 1,
                                 number (lanes, 0x7c00), number (lanes, 0x7e00));

  denormal = add (lanes, denormal, -HALF_UNIT);
  return choose (lanes, size, HALF_END,
                 choose (lanes, size, HALF_NORMAL, denormal, normal), special);
}

LLVMValueRef
tp_llvm_narrow_real (TpLlvmEmitter *emitter, TpDtype dtype, LLVMValueRef value)
{
  Lanes lanes = lanes_of (emitter, value);
  gboolean is_half = dtype == TPLAN_DTYPE_FLOAT16;
  LLVMValueRef bits, sign, size;

  if (is_half && emitter->has.half)
    return LLVMBuildBitCast (
        lanes.builder, LLVMBuildFPTrunc (lanes.builder, value, lanes.half, ""),
        lanes.narrow, "");
  bits = as_bits (&lanes, value);
  sign = shift (&lanes, mask (&lanes, bits, SIGN), -16);
  size = mask (&lanes, bits, ~SIGN);
  size = is_half ? narrow_half (&lanes, size)
                 : choose (&lanes, size, INFINITE + 1,
                           drop_digits (&lanes, size, 16),
                           number (&lanes, 0x7fc0));
  return LLVMBuildTrunc (lanes.builder,
                         LLVMBuildOr (lanes.builder, size, sign, ""),
                         lanes.narrow, "");
}
