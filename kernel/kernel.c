/* kernel.c: the builder of kernels: appends instructions, folds constants and
 * shares equal pure values that are in scope. */
#include "config.h"

#include "kernel/kernel-ops.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "kernel/kernel-share.h"

#include <math.h>
#include <string.h>

struct TpKernelBuilder
{
  int n_allocated;    /* instructions */
  TpSharing sharing;  /* pure values in scope */
  TpArray *loops;     /* int: open FOR's, innermost last */
};

TpKernel *
tp_kernel_new (const char *name)
{
  g_autoptr (TpKernel) kernel = g_new0 (TpKernel, 1);
  TpKernelBuilder *builder = g_new0 (TpKernelBuilder, 1);

  kernel->builder = builder;
  kernel->name = g_strdup (name);
  kernel->n_groups = 1;
  kernel->local_size = 1;
  kernel->n_iterations = 1;
  tp_sharing_init (&builder->sharing);
  builder->loops = tp_array_new (sizeof (int));
  return g_steal_pointer (&kernel);
}

void
tp_kernel_free (TpKernel *kernel)
{
  if (kernel == NULL)
    return;
  tp_sharing_clear (&kernel->builder->sharing);
  tp_array_unref (kernel->builder->loops);
  g_free (kernel->builder);
  g_free (kernel->name);
  g_free (kernel->instrs);
  g_free (kernel->buffers);
  g_free (kernel);
}

int
tp_kernel_add_buffer (TpKernel *kernel, TpSpace space, TpDtype dtype,
                      gint64 n_elements, gboolean is_written)
{
  int n = kernel->n_buffers;

  /* Globals come first: they are the arguments. */
  g_assert (space == TP_SPACE_LOCAL || n == 0
            || kernel->buffers[n - 1].space == TP_SPACE_GLOBAL);
  kernel->buffers = tp_renew (TpKernelBuffer, kernel->buffers, n + 1);
  kernel->n_buffers = n + 1;
  kernel->buffers[n] = (TpKernelBuffer){ .space = space,
                                         .dtype = dtype,
                                         .n_elements = n_elements,
                                         .is_written = is_written };
  return n;
}

/* --- appending --------------------------------------------------------- */

static const TpInstr *
instr_of (const TpKernel *kernel, TpValue value)
{
  g_assert (value >= 0 && value < kernel->n_instrs);
  return &kernel->instrs[value];
}

static TpValue
append (TpKernel *kernel, TpInstr instr)
{
  TpKernelBuilder *builder = kernel->builder;

  if (kernel->n_instrs == builder->n_allocated)
    {
      int n = MAX (64, 2 * builder->n_allocated);

      kernel->instrs = tp_renew (TpInstr, kernel->instrs, n);
      builder->n_allocated = n;
    }
  kernel->instrs[kernel->n_instrs] = instr;
  return kernel->n_instrs++;
}

/* Appends a pure instruction, or finds the equal one in scope. */
static TpValue
share (TpKernel *kernel, TpInstr instr)
{
  TpSharing *sharing = &kernel->builder->sharing;
  TpValue value = tp_sharing_find (sharing, kernel->instrs, &instr);

  if (value >= 0)
    return value;
  value = append (kernel, instr);
  tp_sharing_add (sharing, kernel->instrs, value);
  return value;
}

static TpInstr
instr_make (TpInstrOp op, TpKind kind, int lanes, TpValue a, TpValue b)
{
  return (TpInstr){
    .op = op, .kind = kind, .lanes = lanes, .a = a, .b = b, .c = -1
  };
}

/* --- leaves ------------------------------------------------------------ */

TpValue
tp_k_index (TpKernel *kernel, gint64 value)
{
  TpInstr instr = instr_make (TP_I_CONST_INDEX, TP_KIND_INDEX, 1, -1, -1);

  instr.imm = value;
  return share (kernel, instr);
}

TpValue
tp_k_i32 (TpKernel *kernel, int lanes, gint32 value)
{
  TpInstr instr = instr_make (TP_I_CONST_I32, TP_KIND_I32, lanes, -1, -1);

  instr.imm = value;
  return share (kernel, instr);
}

TpValue
tp_k_f32 (TpKernel *kernel, int lanes, float value)
{
  TpInstr instr = instr_make (TP_I_CONST_F32, TP_KIND_F32, lanes, -1, -1);

  instr.fimm = value;
  return share (kernel, instr);
}

/* A constant's bits. */
static double
get_f64 (const TpInstr *instr)
{
  double value;

  memcpy (&value, &instr->imm, sizeof value);
  return value;
}

TpValue
tp_k_f64 (TpKernel *kernel, int lanes, double value)
{
  TpInstr instr = instr_make (TP_I_CONST_F64, TP_KIND_F64, lanes, -1, -1);

  memcpy (&instr.imm, &value, sizeof value);
  return share (kernel, instr);
}

TpValue
tp_k_group (TpKernel *kernel)
{
  return share (kernel, instr_make (TP_I_GROUP, TP_KIND_INDEX, 1, -1, -1));
}

TpValue
tp_k_item (TpKernel *kernel)
{
  return share (kernel, instr_make (TP_I_ITEM, TP_KIND_INDEX, 1, -1, -1));
}

TpValue
tp_k_iteration (TpKernel *kernel)
{
  return share (kernel, instr_make (TP_I_ITERATION, TP_KIND_INDEX, 1, -1, -1));
}

TpValue
tp_k_iota (TpKernel *kernel, int lanes)
{
  return share (kernel, instr_make (TP_I_IOTA, TP_KIND_I32, lanes, -1, -1));
}

/* --- folding ----------------------------------------------------------- */

/* In every lane. */
static TpValue
index_lanes (TpKernel *kernel, int lanes, gint64 value)
{
  TpInstr instr = instr_make (TP_I_CONST_INDEX, TP_KIND_INDEX, lanes, -1, -1);

  instr.imm = value;
  return share (kernel, instr);
}

static gboolean
is_const (const TpKernel *kernel, TpValue value, gint64 *out)
{
  const TpInstr *instr = instr_of (kernel, value);

  if (instr->op != TP_I_CONST_INDEX)
    return FALSE;
  *out = instr->imm;
  return TRUE;
}

static gboolean
fold_constants (TpInstrOp op, gint64 x, gint64 y, gint64 *out)
{
  switch (op)
    {
    case TP_I_IADD:
      return !__builtin_add_overflow (x, y, out);
    case TP_I_ISUB:
      return !__builtin_sub_overflow (x, y, out);
    case TP_I_IMUL:
      return !__builtin_mul_overflow (x, y, out);
    case TP_I_IDIV:
      *out = tp_index_divide (x, y);
      return TRUE;
    case TP_I_IMOD:
      *out = tp_index_modulo (x, y);
      return TRUE;
    case TP_I_IMIN:
      *out = MIN (x, y);
      return TRUE;
    case TP_I_IMAX:
      *out = MAX (x, y);
      return TRUE;
    default:
      return FALSE;
    }
}

/* x op y for a constant y; -1: nothing to fold. */
static TpValue
fold_right (TpKernel *kernel, TpInstrOp op, TpValue x, gint64 y)
{
  const TpInstr *left = instr_of (kernel, x);
  TpValue inner = left->a;
  int lanes = left->lanes;
  gint64 z, sum;

  if (((op == TP_I_IADD || op == TP_I_ISUB) && y == 0)
      || ((op == TP_I_IMUL || op == TP_I_IDIV) && y == 1))
    return x;
  if ((op == TP_I_IMUL && y == 0) || (op == TP_I_IMOD && y == 1))
    return index_lanes (kernel, lanes, 0);
  if (op == TP_I_ISUB && y != G_MININT64)
    return tp_k_binary (kernel, TP_I_IADD, x, index_lanes (kernel, lanes, -y));
  if ((op == TP_I_IADD || op == TP_I_IMUL) && left->op == op
      && is_const (kernel, left->b, &z) && fold_constants (op, z, y, &sum))
    return tp_k_binary (kernel, op, inner, index_lanes (kernel, lanes, sum));
  return -1;
}

static gboolean
is_commutative (TpInstrOp op)
{
  return op == TP_I_IADD || op == TP_I_IMUL || op == TP_I_IMIN
         || op == TP_I_IMAX;
}

static TpValue
fold_index (TpKernel *kernel, TpInstrOp op, TpValue a, TpValue b)
{
  int lanes = instr_of (kernel, a)->lanes;
  gint64 x, y, result;

  if (is_const (kernel, b, &y))
    {
      if (is_const (kernel, a, &x) && fold_constants (op, x, y, &result))
        return index_lanes (kernel, lanes, result);
      return fold_right (kernel, op, a, y);
    }
  if (is_const (kernel, a, &x) && is_commutative (op))
    return tp_k_binary (kernel, op, b, a);
  if (a == b && (op == TP_I_IMIN || op == TP_I_IMAX))
    return a;
  if (a == b && op == TP_I_ISUB)
    return index_lanes (kernel, lanes, 0);
  return -1;
}

/* --- values ------------------------------------------------------------ */

static TpKind
result_kind (char letter, TpKind operand)
{
  switch (letter)
    {
    case 'X':
      return TP_KIND_INDEX;
    case 'I':
      return TP_KIND_I32;
    case 'F':
      return TP_KIND_F32;
    case 'E':
      return TP_KIND_F64;
    case 'M':
      return TP_KIND_MASK;
    case 'V':
      return TP_KIND_VOID;
    default:
      return operand;
    }
}

TpValue
tp_k_unary (TpKernel *kernel, TpInstrOp op, TpValue a)
{
  const TpInstrInfo *info = tp_instr_get_info (op);
  TpInstr left = *instr_of (kernel, a);
  gboolean is_reduction = !info->is_lanewise;

  g_assert (info->is_pure && strlen (info->operands) == 1);
  if (is_reduction && left.lanes == 1)
    return a;
  if (op == TP_I_INDEX_TO_I32 && left.op == TP_I_CONST_INDEX
      && left.imm == (gint32)left.imm)
    return tp_k_i32 (kernel, left.lanes, (gint32)left.imm);
  if (op == TP_I_I32_TO_INDEX && left.op == TP_I_CONST_I32)
    return index_lanes (kernel, left.lanes, left.imm);
  /* PoCL 3.1 makes some kernels that round a constant, and have loops, end after the
   * first one. */
  if (op == TP_I_FROUND && left.op == TP_I_CONST_F32)
    return tp_k_f32 (kernel, left.lanes, rintf ((float)left.fimm));
  if (op == TP_I_FROUND && left.op == TP_I_CONST_F64)
    return tp_k_f64 (kernel, left.lanes, rint (get_f64 (&left)));
  return share (kernel, instr_make (op, result_kind (info->result, left.kind),
                                    is_reduction ? 1 : left.lanes, a, -1));
}

TpValue
tp_k_binary (TpKernel *kernel, TpInstrOp op, TpValue a, TpValue b)
{
  const TpInstrInfo *info = tp_instr_get_info (op);
  const TpInstr *left = instr_of (kernel, a);
  TpValue folded;

  g_assert (info->is_pure && info->is_lanewise && strlen (info->operands) == 2);
  g_assert (left->kind == instr_of (kernel, b)->kind
            && left->lanes == instr_of (kernel, b)->lanes);
  if (left->kind == TP_KIND_INDEX)
    {
      folded = fold_index (kernel, op, a, b);
      if (folded >= 0)
        return folded;
      left = instr_of (kernel, a);
    }
  return share (kernel, instr_make (op, result_kind (info->result, left->kind),
                                    left->lanes, a, b));
}

static TpValue
multiply_add (TpKernel *kernel, TpInstrOp op, TpValue a, TpValue b, TpValue c)
{
  TpInstr sum = *instr_of (kernel, c);
  TpInstr instr = instr_make (op, sum.kind, sum.lanes, a, b);

  instr.c = c;
  return share (kernel, instr);
}

TpValue
tp_k_fma (TpKernel *kernel, TpValue a, TpValue b, TpValue c)
{
  return multiply_add (kernel, TP_I_FMA, a, b, c);
}

TpValue
tp_k_dot4 (TpKernel *kernel, TpValue a, TpValue b, TpValue c)
{
  return multiply_add (kernel, TP_I_DOT4, a, b, c);
}

/* Is @mask a comparison of constants? */
static gboolean
is_decided (const TpKernel *kernel, TpValue mask, gboolean *out_is_true)
{
  const TpInstr *instr = instr_of (kernel, mask);
  gint64 x, y;

  if ((instr->op != TP_I_ILESS && instr->op != TP_I_IEQUAL)
      || !is_const (kernel, instr->a, &x) || !is_const (kernel, instr->b, &y))
    return FALSE;
  *out_is_true = instr->op == TP_I_ILESS ? x < y : x == y;
  return TRUE;
}

TpValue
tp_k_select (TpKernel *kernel, TpValue mask, TpValue b, TpValue c)
{
  const TpInstr *value = instr_of (kernel, b);
  TpInstr instr = instr_make (TP_I_SELECT, value->kind, value->lanes, mask, b);
  gboolean is_true;

  if (b == c)
    return b;
  if (is_decided (kernel, mask, &is_true))
    return is_true ? b : c;
  instr.c = c;
  return share (kernel, instr);
}

TpValue
tp_k_splat (TpKernel *kernel, TpValue a, int lanes)
{
  TpInstr instr = *instr_of (kernel, a);

  g_assert (instr.lanes == 1);
  if (lanes == 1)
    return a;
  if (instr.op == TP_I_CONST_INDEX)
    return index_lanes (kernel, lanes, instr.imm);
  if (instr.op == TP_I_CONST_F32)
    return tp_k_f32 (kernel, lanes, instr.fimm);
  if (instr.op == TP_I_CONST_F64)
    return tp_k_f64 (kernel, lanes, get_f64 (&instr));
  if (instr.op == TP_I_CONST_I32)
    return tp_k_i32 (kernel, lanes, (gint32)instr.imm);
  return share (kernel, instr_make (TP_I_SPLAT, instr.kind, lanes, a, -1));
}

TpValue
tp_k_extract (TpKernel *kernel, TpValue a, int lane)
{
  TpInstr vector = *instr_of (kernel, a);

  g_assert (lane >= 0 && lane < vector.lanes);
  if (vector.lanes == 1)
    return a;
  if (vector.op == TP_I_SPLAT)
    return vector.a;
  TpInstr instr = instr_make (TP_I_EXTRACT, vector.kind, 1, a, -1);

  instr.imm = lane;
  return share (kernel, instr);
}

TpValue
tp_k_insert (TpKernel *kernel, TpValue a, TpValue scalar, int lane)
{
  TpInstr vector = *instr_of (kernel, a);

  g_assert (lane >= 0 && lane < vector.lanes);
  if (vector.lanes == 1)
    return scalar;
  TpInstr instr =
      instr_make (TP_I_INSERT, vector.kind, vector.lanes, a, scalar);

  instr.imm = lane;
  return share (kernel, instr);
}

static TpValue
shuffle (TpKernel *kernel, TpInstrOp op, TpValue a, TpValue b, gboolean which)
{
  TpInstr first = *instr_of (kernel, a);
  TpInstr instr = instr_make (op, first.kind, first.lanes, a, b);

  g_assert (first.lanes > 1 && first.lanes == instr_of (kernel, b)->lanes);
  instr.imm = which != FALSE;
  return share (kernel, instr);
}

TpValue
tp_k_zip (TpKernel *kernel, TpValue a, TpValue b, gboolean is_upper)
{
  return shuffle (kernel, TP_I_ZIP, a, b, is_upper);
}

TpValue
tp_k_unzip (TpKernel *kernel, TpValue a, TpValue b, gboolean is_odd)
{
  return shuffle (kernel, TP_I_UNZIP, a, b, is_odd);
}

/* --- memory and regions ------------------------------------------------ */

TpValue
tp_k_load (TpKernel *kernel, int buffer, TpValue index, int lanes, TpValue mask)
{
  TpInstr instr = instr_make (
      TP_I_LOAD, tp_kernel_buffer_get_kind (&kernel->buffers[buffer]), lanes,
      index, mask);

  instr.buffer = buffer;
  return append (kernel, instr);
}

TpValue
tp_k_load4 (TpKernel *kernel, int buffer, TpValue index, int lanes)
{
  TpInstr instr = instr_make (TP_I_LOAD4, TP_KIND_I32, lanes, index, -1);

  instr.buffer = buffer;
  return append (kernel, instr);
}

TpValue
tp_k_mma (TpKernel *kernel, const TpMma *mma, TpValue a, TpValue b, TpValue c)
{
  TpInstr instr = instr_make (TP_I_MMA, TP_KIND_F32, TP_MMA_LANES, a, b);

  instr.c = c;
  instr.buffer = mma->buffers[0];
  instr.imm = (gint64) mma->buffers[1] << 48 | (gint64) mma->pitches[0] << 24
              | mma->pitches[1];
  return append (kernel, instr);
}

void
tp_k_set_ahead (TpKernel *kernel, TpValue load, gint64 ahead)
{
  kernel->instrs[load].imm = ahead;
}

void
tp_k_store (TpKernel *kernel, int buffer, TpValue index, TpValue value,
            TpValue mask)
{
  TpInstr instr = instr_make (TP_I_STORE, TP_KIND_VOID,
                              instr_of (kernel, value)->lanes, index, value);

  instr.c = mask;
  instr.buffer = buffer;
  append (kernel, instr);
}

void
tp_k_barrier (TpKernel *kernel)
{
  append (kernel, instr_make (TP_I_BARRIER, TP_KIND_VOID, 1, -1, -1));
}

TpValue
tp_k_for (TpKernel *kernel, TpValue first, TpValue end, gint64 step)
{
  TpInstr instr = instr_make (TP_I_FOR, TP_KIND_INDEX, 1, first, end);
  TpValue value;

  g_assert (step > 0);
  instr.imm = step;
  value = append (kernel, instr);
  tp_array_append_val (kernel->builder->loops, value);
  tp_sharing_open (&kernel->builder->sharing);
  return value;
}

TpValue
tp_k_carry (TpKernel *kernel, TpValue initial)
{
  const TpInstr *value = instr_of (kernel, initial);

  g_assert (instr_of (kernel, kernel->n_instrs - 1)->op == TP_I_FOR
            || instr_of (kernel, kernel->n_instrs - 1)->op == TP_I_CARRY);
  return append (
      kernel, instr_make (TP_I_CARRY, value->kind, value->lanes, initial, -1));
}

void
tp_k_end_for (TpKernel *kernel, const TpValue *next, int n, TpValue *out_finals)
{
  TpArray *loops = kernel->builder->loops;
  TpValue first_carry;

  g_assert (loops->len > 0);
  first_carry = tp_array_index (loops, int, loops->len - 1) + 1;
  tp_array_set_size (loops, loops->len - 1);
  for (int i = 0; i < n; i++)
    {
      TpInstr carry = *instr_of (kernel, first_carry + i);

      g_assert (carry.op == TP_I_CARRY);
      out_finals[i] =
          append (kernel, instr_make (TP_I_YIELD, carry.kind, carry.lanes,
                                      first_carry + i, next[i]));
    }
  append (kernel, instr_make (TP_I_END_FOR, TP_KIND_VOID, 1, -1, -1));
  tp_sharing_close (&kernel->builder->sharing, kernel->instrs);
}

void
tp_k_if (TpKernel *kernel, TpValue condition)
{
  append (kernel, instr_make (TP_I_IF, TP_KIND_VOID, 1, condition, -1));
  tp_sharing_open (&kernel->builder->sharing);
}

void
tp_k_end_if (TpKernel *kernel)
{
  append (kernel, instr_make (TP_I_END_IF, TP_KIND_VOID, 1, -1, -1));
  tp_sharing_close (&kernel->builder->sharing, kernel->instrs);
}
