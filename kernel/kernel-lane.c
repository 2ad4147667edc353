/* kernel-lane.c: what instructions that go lane by lane make of one lane. */
#include "config.h"

#include "kernel/kernel-lane.h"

#include "kernel/kernel-ops.h"

#include <math.h>
#include <string.h>

static gint32
float_to_int (float x)
{
  return x >= -2147483648.0f && x < 2147483648.0f ? (gint32)x : G_MININT32;
}

static float
int_as_float (gint64 x)
{
  gint32 bits = (gint32)x;
  float y;

  memcpy (&y, &bits, sizeof y);
  return y;
}

static gint64
float_as_int (float x)
{
  gint32 bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

/* Truncating; NaN gives 0, what is out of range the end of it. */
static gint64
real_to_index (double x)
{
  if (isnan (x))
    return 0;
  if (x >= 0x1p63)
    return G_MAXINT64;
  return x < -0x1p63 ? G_MININT64 : (gint64)x;
}

static gint64
integer_lane (TpInstrOp op, gint64 x, gint64 y)
{
  switch (op)
    {
    case TP_I_IADD:
      return (gint64)((guint64)x + (guint64)y);
    case TP_I_ISUB:
      return (gint64)((guint64)x - (guint64)y);
    case TP_I_IMUL:
      return (gint64)((guint64)x * (guint64)y);
    case TP_I_IDIV:
      return tp_index_divide (x, y);
    case TP_I_IMOD:
      return tp_index_modulo (x, y);
    case TP_I_IMIN:
      return MIN (x, y);
    case TP_I_IMAX:
      return MAX (x, y);
    case TP_I_ISHL:
      return (gint64)((guint64)x << (y & 31));
    case TP_I_ISHR:
      return (guint32)x >> (y & 31);
    case TP_I_IAND:
    case TP_I_MAND:
      return x & y;
    case TP_I_IXOR:
      return x ^ y;
    case TP_I_MOR:
      return x | y;
    case TP_I_MNOT:
      return !x;
    case TP_I_ILESS:
      return x < y;
    case TP_I_IEQUAL:
      return x == y;
    default: /* between INDEX and I32 */
      return x;
    }
}

static gint64
dot_bytes (gint64 x, gint64 y, gint64 sum)
{
  for (int i = 0; i < 4; i++)
    sum += (gint64)(guint8)(x >> 8 * i) * (gint8)(y >> 8 * i);
  return (gint32)sum;
}

static double
double_lane (TpInstrOp op, double x, double y, double z)
{
  switch (op)
    {
    case TP_I_FADD:
      return x + y;
    case TP_I_FSUB:
      return x - y;
    case TP_I_FMUL:
      return x * y;
    case TP_I_FDIV:
      return x / y;
    case TP_I_FMIN:
      return x < y ? x : y;
    case TP_I_FMAX:
      return x > y ? x : y;
    case TP_I_FMA:
      return fma (x, y, z);
    case TP_I_FNEG:
      return -x;
    case TP_I_FABS:
      return fabs (x);
    case TP_I_FSQRT:
      return sqrt (x);
    case TP_I_FFLOOR:
      return floor (x);
    case TP_I_FROUND:
      return rint (x);
    case TP_I_FEXP:
      return exp (x);
    case TP_I_FLOG:
      return log (x);
    case TP_I_FTANH:
      return tanh (x);
    case TP_I_FERF:
      return erf (x);
    case TP_I_FSIN:
      return sin (x);
    case TP_I_FCOS:
      return cos (x);
    default: /* FPOW */
      return pow (x, y);
    }
}

/* A double has more than twice the digits of a float, so that what is rounded to the one
 * and then to the other is what would be rounded at once (S. A. Figueroa, When is double
 * rounding innocuous?, 1995); but for two operations in one. */
static float
float_lane (TpInstrOp op, float x, float y, float z)
{
  return op == TP_I_FMA ? fmaf (x, y, z) : (float) double_lane (op, x, y, z);
}

static gboolean
compare_reals (const TpInstr *instr, TpKind kind, TpLane x, TpLane y)
{
  double a = kind == TP_KIND_F64 ? x.d : x.f;
  double b = kind == TP_KIND_F64 ? y.d : y.f;

  return instr->op == TP_I_FLESS ? a < b : a == b;
}

TpLane
tp_lane_compute (const TpInstr *instr, TpKind kind, TpLane x, TpLane y, TpLane z)
{
  TpLane result = { .i = 0 };

  switch (instr->op)
    {
    case TP_I_SELECT:
      return x.i ? y : z;
    case TP_I_DOT4:
      result.i = dot_bytes (x.i, y.i, z.i);
      return result;
    case TP_I_FLESS:
    case TP_I_FEQUAL:
      result.i = compare_reals (instr, kind, x, y);
      return result;
    case TP_I_F32_TO_I32:
      result.i = float_to_int (x.f);
      return result;
    case TP_I_AS_I32:
      result.i = float_as_int (x.f);
      return result;
    case TP_I_REAL_TO_INDEX:
      result.i = real_to_index (kind == TP_KIND_F64 ? x.d : x.f);
      return result;
    case TP_I_I32_TO_F32:
    case TP_I_INDEX_TO_F32:
      result.f = (float)x.i;
      return result;
    case TP_I_INDEX_TO_F64:
      result.d = (double)x.i;
      return result;
    case TP_I_F64_TO_F32:
      result.f = (float)x.d;
      return result;
    case TP_I_F32_TO_F64:
      result.d = x.f;
      return result;
    case TP_I_AS_INDEX:
      result.i = x.i;
      return result;
    case TP_I_AS_F32:
      result.f = int_as_float (x.i);
      return result;
    default:
      break;
    }
  if (instr->kind == TP_KIND_F32)
    result.f = float_lane (instr->op, x.f, y.f, z.f);
  else if (instr->kind == TP_KIND_F64)
    result.d = double_lane (instr->op, x.d, y.d, z.d);
  else
    result.i = integer_lane (instr->op, x.i, y.i);
  if (instr->kind == TP_KIND_I32)
    result.i = (gint32)result.i;
  return result;
}
