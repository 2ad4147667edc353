/* kernel-verify.c: is a kernel well formed? Kinds, lanes, scopes, regions and
 * buffers here; every index against its buffer in kernel-bounds.c. */
#include "config.h"

#include "kernel/kernel-verify.h"

#include "ir/guard.h"
#include "kernel/kernel-bounds.h"
#include "kernel/kernel-ops.h"
#include "kernel/kernel-range.h"
#include "kernel/kernel-uniform.h"

#include <stdarg.h>
#include <string.h>

#define MAX_DEPTH 64

typedef struct
{
  const TpKernel *kernel;
  int at; /* instruction being checked */
  int depth;
  int open[MAX_DEPTH]; /* FOR's and IF's */
  int *scope;          /* per value: its region; -1 the kernel; -2 out of
                        * scope, or not yet in it */
  GError **error;
} Verifier;

static gboolean G_GNUC_PRINTF (2, 3)
    fail (const Verifier *verifier, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (
      verifier->error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
      "kernel '%s', %%%d (%s): %s", verifier->kernel->name, verifier->at,
      tp_instr_get_info (verifier->kernel->instrs[verifier->at].op)->name,
      what);
  return FALSE;
}

static int
current_region (const Verifier *verifier)
{
  return verifier->depth > 0 ? verifier->open[verifier->depth - 1] : -1;
}

static gboolean
is_visible (const Verifier *verifier, TpValue value)
{
  if (value < 0 || value >= verifier->at || verifier->scope[value] == -2)
    return FALSE;
  if (verifier->scope[value] == -1)
    return TRUE;
  for (int i = 0; i < verifier->depth; i++)
    if (verifier->open[i] == verifier->scope[value])
      return TRUE;
  return FALSE;
}

/* --- kinds and lanes ---------------------------------------------------- */

static gboolean
letter_fits (char letter, TpKind kind)
{
  switch (letter)
    {
    case 'X':
      return kind == TP_KIND_INDEX;
    case 'I':
      return kind == TP_KIND_I32;
    case 'F':
      return kind == TP_KIND_F32;
    case 'E':
      return kind == TP_KIND_F64;
    case 'R':
      return tp_kind_is_real (kind);
    case 'M':
      return kind == TP_KIND_MASK;
    case 'N':
      return kind == TP_KIND_INDEX || kind == TP_KIND_I32;
    case 'D':
      return kind == TP_KIND_INDEX || tp_kind_is_real (kind);
    case 'V':
      return kind == TP_KIND_VOID;
    default:
      return kind != TP_KIND_VOID;
    }
}

static gboolean
is_shared (char letter)
{
  return letter == 'N' || letter == 'R' || letter == 'D' || letter == 'T';
}

static gboolean
check_operands (Verifier *verifier)
{
  const TpInstr *instrs = verifier->kernel->instrs;
  const TpInstr *instr = &instrs[verifier->at];
  const TpInstrInfo *info = tp_instr_get_info (instr->op);
  const TpValue args[] = { instr->a, instr->b, instr->c };
  TpKind shared = TP_KIND_VOID;
  int n = strlen (info->operands);

  for (int i = 0; i < 3; i++)
    {
      char letter = i < n ? info->operands[i] : 'M';

      if (i >= n && args[i] < 0)
        continue;
      if (i >= n && instr->op != TP_I_LOAD && instr->op != TP_I_STORE)
        return fail (verifier, "too many operands");
      if (!is_visible (verifier, args[i]))
        return fail (verifier, "operand %d (%%%d) is not in scope", i, args[i]);
      if (!letter_fits (letter, instrs[args[i]].kind))
        return fail (verifier, "operand %d is of kind %s", i,
                     tp_kind_get_name (instrs[args[i]].kind));
      if (info->is_lanewise && instrs[args[i]].lanes != instr->lanes)
        return fail (verifier, "operand %d has %d lanes, the result %d", i,
                     instrs[args[i]].lanes, instr->lanes);
      if (is_shared (letter))
        {
          if (shared != TP_KIND_VOID && shared != instrs[args[i]].kind)
            return fail (verifier, "operands of two kinds");
          shared = instrs[args[i]].kind;
        }
    }
  if (!letter_fits (info->result, instr->kind)
      || (is_shared (info->result) && shared != TP_KIND_VOID
          && instr->kind != shared))
    return fail (verifier, "result of kind %s", tp_kind_get_name (instr->kind));
  return TRUE;
}

/* Lanes of the instructions that mix widths. */
static gboolean
lanes_fit (const TpKernel *kernel, const TpInstr *instr)
{
  int a = instr->a >= 0 ? kernel->instrs[instr->a].lanes : 1;
  int b = instr->b >= 0 ? kernel->instrs[instr->b].lanes : 1;
  int c = instr->c >= 0 ? kernel->instrs[instr->c].lanes : 1;

  switch (instr->op)
    {
    case TP_I_GROUP:
    case TP_I_ITEM:
    case TP_I_ITERATION:
      return instr->lanes == 1;
    case TP_I_SPLAT:
      return a == 1;
    case TP_I_EXTRACT:
      return instr->lanes == 1 && instr->imm >= 0 && instr->imm < a;
    case TP_I_INSERT:
      return a == instr->lanes && b == 1 && instr->imm >= 0 && instr->imm < a;
    case TP_I_ZIP:
    case TP_I_UNZIP:
      return a > 1 && a == b && instr->lanes == a
             && (instr->imm == 0 || instr->imm == 1);
    case TP_I_LANE_SUM:
    case TP_I_LANE_MAX:
    case TP_I_LANE_MIN:
      return instr->lanes == 1;
    case TP_I_LOAD4:
      return a == 1;
    case TP_I_LOAD:
      return a == 1 && (instr->b < 0 || b == instr->lanes);
    case TP_I_MMA:
      return a == 1 && b == 1 && c == TP_MMA_LANES && instr->lanes == c;
    case TP_I_STORE:
      return a == 1 && b == instr->lanes && (instr->c < 0 || c == instr->lanes);
    case TP_I_FOR:
      return a == 1 && b == 1 && instr->lanes == 1;
    case TP_I_CARRY:
      return a == instr->lanes;
    case TP_I_YIELD:
      return a == instr->lanes && b == instr->lanes;
    case TP_I_IF:
      return a == 1;
    default:
      return TRUE;
    }
}

static gboolean
check_lanes (Verifier *verifier)
{
  const TpInstr *instr = &verifier->kernel->instrs[verifier->at];
  int n = instr->lanes;

  if (n != 1 && n != 4 && n != 8 && n != 16)
    return fail (verifier, "%d lanes; there are 1, 4, 8 or 16", n);
  if (!lanes_fit (verifier->kernel, instr))
    return fail (verifier, "lanes of the operands do not fit");
  return TRUE;
}

static gboolean
check_mma (Verifier *verifier)
{
  const TpKernel *kernel = verifier->kernel;
  TpMma mma = tp_instr_get_mma (&kernel->instrs[verifier->at]);

  for (int i = 0; i < 2; i++)
    if (mma.buffers[i] < 0 || mma.buffers[i] >= kernel->n_buffers
        || kernel->buffers[mma.buffers[i]].space != TP_SPACE_LOCAL
        || kernel->buffers[mma.buffers[i]].dtype != TPLAN_DTYPE_FLOAT32)
      return fail (verifier, "buffer %d is no local memory of float32",
                   mma.buffers[i]);
    else if (mma.pitches[i] % 2 != 0)
      return fail (verifier, "pitch %d is odd", mma.pitches[i]);
  return kernel->local_size % TP_MMA_WAVE == 0
         || fail (verifier, "%d work-items are no waves of %d",
                  kernel->local_size, TP_MMA_WAVE);
}

static gboolean
check_buffer (Verifier *verifier)
{
  const TpKernel *kernel = verifier->kernel;
  const TpInstr *instr = &kernel->instrs[verifier->at];
  const TpKernelBuffer *buffer;
  TpKind kind;

  if (instr->op == TP_I_MMA)
    return check_mma (verifier);
  if (!tp_instr_is_load (instr) && instr->op != TP_I_STORE)
    return TRUE;
  if (instr->buffer < 0 || instr->buffer >= kernel->n_buffers)
    return fail (verifier, "no buffer %d", instr->buffer);
  buffer = &kernel->buffers[instr->buffer];
  if (instr->op == TP_I_LOAD4)
    return buffer->dtype == TPLAN_DTYPE_INT8
           || buffer->dtype == TPLAN_DTYPE_UINT8
           || fail (verifier, "buffer %d holds %s, not int8 or uint8",
                    instr->buffer, tp_dtype_get_name (buffer->dtype));
  kind = instr->op == TP_I_LOAD ? instr->kind : kernel->instrs[instr->b].kind;
  if (kind != tp_kernel_buffer_get_kind (buffer))
    return fail (verifier, "buffer %d holds %s, not %s", instr->buffer,
                 tp_dtype_get_name (buffer->dtype), tp_kind_get_name (kind));
  if (instr->op == TP_I_STORE && !buffer->is_written)
    return fail (verifier, "buffer %d is not declared written", instr->buffer);
  return TRUE;
}

/* --- regions ------------------------------------------------------------ */

static gboolean
check_for (Verifier *verifier)
{
  const TpInstr *instr = &verifier->kernel->instrs[verifier->at];

  if (verifier->depth == MAX_DEPTH)
    return fail (verifier, "more than %d nested regions", MAX_DEPTH);
  if (instr->op == TP_I_FOR && instr->imm <= 0)
    return fail (verifier, "step %" G_GINT64_FORMAT, instr->imm);
  verifier->open[verifier->depth++] = verifier->at;
  verifier->scope[verifier->at] = instr->op == TP_I_FOR ? verifier->at : -2;
  return TRUE;
}

static gboolean
check_carry (Verifier *verifier)
{
  const TpKernel *kernel = verifier->kernel;
  int region = current_region (verifier);
  TpInstrOp before =
      verifier->at > 0 ? kernel->instrs[verifier->at - 1].op : TP_I_END_IF;

  if (before != TP_I_FOR && before != TP_I_CARRY)
    return fail (verifier, "does not follow its loop's head");
  if (kernel->instrs[verifier->at].a >= region)
    return fail (verifier, "initial value made inside the loop");
  verifier->scope[verifier->at] = region;
  return TRUE;
}

static gboolean
check_yield (Verifier *verifier)
{
  const TpKernel *kernel = verifier->kernel;
  const TpInstr *instr = &kernel->instrs[verifier->at];
  int region = current_region (verifier), first = verifier->at;

  while (kernel->instrs[first - 1].op == TP_I_YIELD)
    first--;
  if (region < 0 || kernel->instrs[region].op != TP_I_FOR
      || kernel->instrs[instr->a].op != TP_I_CARRY
      || instr->a != region + 1 + verifier->at - first)
    return fail (verifier, "is not in the order of its loop's carries");
  if (verifier->at + 1 == kernel->n_instrs
      || (instr[1].op != TP_I_YIELD && instr[1].op != TP_I_END_FOR))
    return fail (verifier, "is not at the end of its loop");
  verifier->scope[verifier->at] = -2;
  return TRUE;
}

/* The yields become visible behind the loop. */
static gboolean
check_end (Verifier *verifier)
{
  const TpInstr *instrs = verifier->kernel->instrs;
  int region = current_region (verifier), n_carries = 0, n_yields = 0;
  TpInstrOp head = instrs[verifier->at].op == TP_I_END_FOR ? TP_I_FOR : TP_I_IF;

  if (region < 0 || instrs[region].op != head)
    return fail (verifier, "closes no region");
  verifier->depth--;
  verifier->scope[verifier->at] = -2;
  if (head == TP_I_IF)
    return TRUE;
  while (instrs[region + 1 + n_carries].op == TP_I_CARRY)
    n_carries++;
  while (instrs[verifier->at - 1 - n_yields].op == TP_I_YIELD)
    {
      n_yields++;
      verifier->scope[verifier->at - n_yields] = current_region (verifier);
    }
  if (n_carries != n_yields)
    return fail (verifier, "%d carries and %d yields", n_carries, n_yields);
  return TRUE;
}

static gboolean
check_region (Verifier *verifier)
{
  switch (verifier->kernel->instrs[verifier->at].op)
    {
    case TP_I_FOR:
    case TP_I_IF:
      return check_for (verifier);
    case TP_I_CARRY:
      return check_carry (verifier);
    case TP_I_YIELD:
      return check_yield (verifier);
    case TP_I_END_FOR:
    case TP_I_END_IF:
      return check_end (verifier);
    default:
      verifier->scope[verifier->at] = current_region (verifier);
      return TRUE;
    }
}

static gboolean
check_instrs (Verifier *verifier)
{
  const TpKernel *kernel = verifier->kernel;

  for (verifier->at = 0; verifier->at < kernel->n_instrs; verifier->at++)
    if (!check_operands (verifier) || !check_lanes (verifier)
        || !check_buffer (verifier) || !check_region (verifier))
      return FALSE;
  if (verifier->depth > 0)
    {
      verifier->at = current_region (verifier);
      return fail (verifier, "is not closed");
    }
  return TRUE;
}

static gboolean
check_buffers (const TpKernel *kernel, GError **error)
{
  gint64 bytes;

  for (int i = 0; i < kernel->n_buffers; i++)
    if (!tp_size_mul (kernel->buffers[i].n_elements, 8, &bytes))
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                     "kernel '%s': size of buffer %d overflows", kernel->name,
                     i);
        return FALSE;
      }
  return TRUE;
}

/* Pairs that MMA reads at once begin at even elements. */
static gboolean
check_pairs (Verifier *verifier)
{
  const TpKernel *kernel = verifier->kernel;
  g_autofree gint64 *multiples = NULL;

  for (verifier->at = 0; verifier->at < kernel->n_instrs; verifier->at++)
    {
      const TpInstr *instr = &kernel->instrs[verifier->at];

      if (instr->op != TP_I_MMA)
        continue;
      if (multiples == NULL)
        multiples = tp_kernel_get_multiples (kernel);
      if (multiples[instr->a] % 2 != 0 || multiples[instr->b] % 2 != 0)
        return fail (verifier, "an index that may be odd");
    }
  return TRUE;
}

gboolean
tp_kernel_verify (const TpKernel *kernel, GError **error)
{
  Verifier verifier = { .kernel = kernel, .error = error };
  g_autofree int *scope = tp_new (int, kernel->n_instrs + 1);

  if (kernel->n_groups < 1 || kernel->local_size < 1
      || kernel->n_iterations < 1)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "kernel '%s' has no work-items", kernel->name);
      return FALSE;
    }
  verifier.scope = scope;
  return check_buffers (kernel, error) && check_instrs (&verifier)
         && check_pairs (&verifier)
         && tp_kernel_verify_barriers (kernel, error)
         && tp_kernel_verify_bounds (kernel, error);
}
