/* kernel-range.c: intervals of INDEX values in one pass, and the powers of two
 * that divide them: groups, items and counters are bounded, and so is what is
 * computed of them. The proof that indices stay in their buffers
 * (kernel-bounds.c) is another and finer matter. */
#include "config.h"

#include "kernel/kernel-range.h"

#include "ir/guard.h"
#include "kernel/kernel-ops.h"

#include <math.h>
#include <string.h>

static const TpRange full = { G_MININT64, G_MAXINT64 };

gboolean
tp_range_is_full (const TpRange *range)
{
  return range->lo == G_MININT64 && range->hi == G_MAXINT64;
}

/* --- arithmetic --------------------------------------------------------- */

static TpRange
add (TpRange a, TpRange b)
{
  TpRange sum;

  if (__builtin_add_overflow (a.lo, b.lo, &sum.lo)
      || __builtin_add_overflow (a.hi, b.hi, &sum.hi))
    return full;
  return sum;
}

static TpRange
subtract (TpRange a, TpRange b)
{
  TpRange rest;

  if (__builtin_sub_overflow (a.lo, b.hi, &rest.lo)
      || __builtin_sub_overflow (a.hi, b.lo, &rest.hi))
    return full;
  return rest;
}

static TpRange
multiply (TpRange a, TpRange b)
{
  gint64 a_ends[] = { a.lo, a.hi }, b_ends[] = { b.lo, b.hi }, end;
  TpRange product = { G_MAXINT64, G_MININT64 };

  for (int i = 0; i < 4; i++)
    {
      if (__builtin_mul_overflow (a_ends[i / 2], b_ends[i % 2], &end))
        return full;
      product.lo = MIN (product.lo, end);
      product.hi = MAX (product.hi, end);
    }
  return product;
}

static TpRange
divide (TpRange a, TpRange b)
{
  if (a.lo < 0 || b.lo < 1)
    return full;
  return (TpRange){ a.lo / b.hi, a.hi / b.lo };
}

/* The sign is that of the dividend. */
static TpRange
modulo (TpRange a, TpRange b)
{
  gint64 most = b.hi - 1;

  if (b.lo < 1)
    return full;
  return (TpRange){ a.lo < 0 ? -most : 0, MIN (MAX (a.hi, 0), most) };
}

/* Of the bits of what is not negative some remain. */
static TpRange
intersect (TpRange a, TpRange b)
{
  if (a.lo < 0 && b.lo < 0)
    return full;
  return (TpRange){ 0, a.lo < 0   ? b.hi
                       : b.lo < 0 ? a.hi
                                  : MIN (a.hi, b.hi) };
}

static TpRange
unite (TpRange a, TpRange b)
{
  return (TpRange){ MIN (a.lo, b.lo), MAX (a.hi, b.hi) };
}

/* --- values ------------------------------------------------------------- */

static TpRange
range_of_dtype (TpDtype dtype)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);

  return row->class == TP_CLASS_REAL ? full : (TpRange){ row->low, row->high };
}

/* The counter ends below its end, and it is more than its first one. */
static TpRange
range_of_counter (TpRange first, TpRange end)
{
  if (end.hi == G_MININT64 || end.hi - 1 < first.lo)
    return full; /* never runs */
  return (TpRange){ first.lo, end.hi - 1 };
}

/* The number that all lanes of a value are; FALSE: it is none, or no constant. */
static gboolean
get_real (const TpKernel *kernel, TpValue value, double *out)
{
  const TpInstr *instr = &kernel->instrs[value];

  if (instr->op == TP_I_SPLAT)
    instr = &kernel->instrs[instr->a];
  *out = instr->fimm;
  if (instr->op == TP_I_CONST_F64)
    memcpy (out, &instr->imm, sizeof *out);
  return tp_kind_is_real (instr->kind) && instr->a < 0 && !isnan (*out);
}

#define HELD 8 /* steps between what a value is held to and its integer */

/* What a real may be; besides no number. */
typedef struct
{
  double lo, hi;
  gboolean may_be_none;
} Reals;

/* Is @instr a step that moves bounds along: one that does not decrease where its first
 * operand grows, the other being @out_number? */
static gboolean
is_monotone (const TpKernel *kernel, const TpInstr *instr, double *out_number)
{
  gboolean is_alone = instr->op == TP_I_FFLOOR || instr->op == TP_I_FROUND;
  gboolean is_step = is_alone || instr->op == TP_I_FMIN || instr->op == TP_I_FMAX
                     || instr->op == TP_I_FADD;

  *out_number = 0.0;
  return is_step && (is_alone || get_real (kernel, instr->b, out_number))
         && isfinite (*out_number);
}

/* Rounded as the machine does it. */
static double
step_real (const TpInstr *instr, double x, double number)
{
  switch (instr->op)
    {
    case TP_I_FFLOOR:
      return floor (x);
    case TP_I_FROUND:
      return rint (x);
    case TP_I_FMIN:
      return MIN (x, number);
    case TP_I_FMAX:
      return MAX (x, number);
    default:
      return instr->kind == TP_KIND_F32 ? (float) x + (float) number : x + number;
    }
}

/* Min and max give the second operand, the number, where the first is none. */
static void
move_bounds (Reals *reals, const TpInstr *instr, double number)
{
  gboolean is_extremum = instr->op == TP_I_FMIN || instr->op == TP_I_FMAX;

  reals->lo = step_real (instr, reals->lo, number);
  reals->hi = step_real (instr, reals->hi, number);
  if (!is_extremum || !reals->may_be_none)
    return;
  reals->lo = MIN (reals->lo, number);
  reals->hi = MAX (reals->hi, number);
  reals->may_be_none = FALSE;
}

/* Of the integer that a real becomes, which was held to numbers. */
static TpRange
range_of_real (const TpKernel *kernel, TpValue value)
{
  const TpInstr *steps[HELD];
  double numbers[HELD];
  int n = 0;
  Reals reals = { -INFINITY, INFINITY, TRUE };

  for (; n < HELD; n++)
    {
      steps[n] = &kernel->instrs[value];
      if (!is_monotone (kernel, steps[n], &numbers[n]))
        break;
      value = steps[n]->a;
    }
  while (n-- > 0)
    move_bounds (&reals, steps[n], numbers[n]);
  if (reals.may_be_none || reals.lo < -0x1p62 || reals.hi > 0x1p62)
    return full;
  return (TpRange){ (gint64) reals.lo, (gint64) reals.hi };
}

static TpRange
range_of_leaf (const TpKernel *kernel, const TpInstr *instr)
{
  switch (instr->op)
    {
    case TP_I_CONST_INDEX:
      return (TpRange){ instr->imm, instr->imm };
    case TP_I_GROUP:
      return (TpRange){ 0, kernel->n_groups - 1 };
    case TP_I_ITEM:
      return (TpRange){ 0, kernel->local_size - 1 };
    case TP_I_ITERATION:
      return (TpRange){ 0, kernel->n_iterations - 1 };
    case TP_I_LOAD:
      return unite ((TpRange){ 0, 0 }, /* where the mask is off */
                    range_of_dtype (kernel->buffers[instr->buffer].dtype));
    case TP_I_I32_TO_INDEX:
      return (TpRange){ G_MININT32, G_MAXINT32 };
    default:
      return full;
    }
}

static TpRange
range_of (const TpKernel *kernel, const TpInstr *instr, const TpRange *ranges)
{
  TpRange a = instr->a >= 0 ? ranges[instr->a] : full;
  TpRange b = instr->b >= 0 ? ranges[instr->b] : full;

  switch (instr->op)
    {
    case TP_I_IADD:
      return add (a, b);
    case TP_I_ISUB:
      return subtract (a, b);
    case TP_I_IMUL:
      return multiply (a, b);
    case TP_I_IDIV:
      return divide (a, b);
    case TP_I_IMOD:
      return modulo (a, b);
    case TP_I_IAND:
      return intersect (a, b);
    case TP_I_IMIN:
      return (TpRange){ MIN (a.lo, b.lo), MIN (a.hi, b.hi) };
    case TP_I_IMAX:
      return (TpRange){ MAX (a.lo, b.lo), MAX (a.hi, b.hi) };
    case TP_I_LANE_MAX:
    case TP_I_LANE_MIN:
    case TP_I_SPLAT:
    case TP_I_EXTRACT:
      return a;
    case TP_I_INSERT:
    case TP_I_ZIP:
    case TP_I_UNZIP:
      return unite (a, b);
    case TP_I_SELECT:
      return unite (b, ranges[instr->c]);
    case TP_I_FOR:
      return range_of_counter (a, b);
    case TP_I_REAL_TO_INDEX:
      return range_of_real (kernel, instr->a);
    default:
      return range_of_leaf (kernel, instr);
    }
}

TpRange *
tp_kernel_get_ranges (const TpKernel *kernel)
{
  TpRange *ranges = tp_new (TpRange, kernel->n_instrs + 1);

  for (int i = 0; i < kernel->n_instrs; i++)
    ranges[i] = kernel->instrs[i].kind == TP_KIND_INDEX
                    ? range_of (kernel, &kernel->instrs[i], ranges)
                    : full;
  return ranges;
}

/* --- multiples ---------------------------------------------------------- */

#define MULTIPLE_MAX (G_GINT64_CONSTANT (1) << 20)

static gint64
multiple_of_number (gint64 x)
{
  return x == 0 ? MULTIPLE_MAX : MIN (x & -x, MULTIPLE_MAX);
}

/* Powers of two divide what has wrapped, too. */
static gint64
multiple_of (const TpKernel *kernel, const TpInstr *instr,
             const gint64 *multiples)
{
  gint64 a = instr->a >= 0 ? multiples[instr->a] : 1;
  gint64 b = instr->b >= 0 ? multiples[instr->b] : 1;
  gint64 divisor;

  switch (instr->op)
    {
    case TP_I_CONST_INDEX:
      return instr->imm == G_MININT64 ? MULTIPLE_MAX
                                      : multiple_of_number (instr->imm);
    case TP_I_IADD:
    case TP_I_ISUB:
    case TP_I_IMIN:
    case TP_I_IMAX:
    case TP_I_IMOD:
      return MIN (a, b);
    case TP_I_IMUL:
      return MIN (a * b, MULTIPLE_MAX);
    case TP_I_IDIV:
      divisor = kernel->instrs[instr->b].op == TP_I_CONST_INDEX
                    ? kernel->instrs[instr->b].imm
                    : 0;
      return divisor > 0 && a % divisor == 0 ? a / divisor : 1;
    case TP_I_SELECT:
      return MIN (b, multiples[instr->c]);
    case TP_I_FOR:
      return MIN (a, multiple_of_number (instr->imm));
    default:
      return 1;
    }
}

gint64 *
tp_kernel_get_multiples (const TpKernel *kernel)
{
  gint64 *multiples = tp_new (gint64, kernel->n_instrs + 1);

  for (int i = 0; i < kernel->n_instrs; i++)
    multiples[i] =
        kernel->instrs[i].kind == TP_KIND_INDEX && kernel->instrs[i].lanes == 1
            ? multiple_of (kernel, &kernel->instrs[i], multiples)
            : 1;
  return multiples;
}
