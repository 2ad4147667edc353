/* kernel-bounds.c: proves that every index stays in its buffer.
 *
 * INDEX and I32 values become affine forms over atoms (groups, items, counters,
 * quotients, minima, ...). Loops, quotients and minima state facts about their
 * atoms, and so do the conditions of ifs and of masks; lanes are an atom too,
 * so that a mask `iota < n` bounds what a masked access touches. Forms are of
 * unbounded integers: a value that may wrap is an atom of its own. */
#include "config.h"

#include "kernel/kernel-bounds.h"

#include "ir/guard.h"
#include "kernel/kernel-ops.h"
#include "kernel/kernel-prover.h"

#include <string.h>

static gboolean G_GNUC_PRINTF (2, 3)
    fail (const TpProver *prover, const char *format, ...)
{
  const TpInstr *instr = &prover->kernel->instrs[prover->at];
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (prover->error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "kernel '%s', %%%d (%s): %s", prover->kernel->name, prover->at,
               tp_instr_get_info (instr->op)->name, what);
  return FALSE;
}

/* --- loops -------------------------------------------------------------- */

static TpAffine
counter (TpProver *prover, const TpInstr *instr)
{
  const TpAffine *first = &prover->forms[instr->a];
  TpAffine room = tp_affine_add (&prover->forms[instr->b], first, -1), count;
  gint64 hi;

  room = tp_affine_shift (&room, -1);
  hi = tp_prover_upper (prover, &room);
  if (hi < TP_AFFINE_INFINITY)
    hi = hi >= 0 ? hi / instr->imm : -1;
  count = tp_solver_add_atom (prover->solver, 0, hi);
  prover->counts[prover->at] = count;
  room = tp_affine_add (&room, &count, -instr->imm);
  tp_solver_assume (prover->solver, &room);
  return tp_affine_add (first, &count, instr->imm);
}

/* An index that moves by a constant in every round; others are unknown. */
static TpAffine
carried (TpProver *prover, const TpInstr *instr)
{
  const TpInstr *instrs = prover->kernel->instrs;
  const TpInstr *next = &instrs[instrs[prover->match[prover->at]].b];
  int loop = prover->at;

  while (instrs[loop].op != TP_I_FOR)
    loop--;
  if (instr->kind == TP_KIND_INDEX && next->op == TP_I_IADD
      && next->a == prover->at && instrs[next->b].op == TP_I_CONST_INDEX)
    return tp_affine_add (&prover->forms[instr->a], &prover->counts[loop],
                          instrs[next->b].imm);
  return tp_prover_fresh (prover, instr->kind, instr->lanes);
}

/* --- values ------------------------------------------------------------- */

static TpAffine
loaded (TpProver *prover, const TpInstr *instr)
{
  TpDtype dtype = prover->kernel->buffers[instr->buffer].dtype;
  const TpDtypeRow *row = tp_dtype_get (dtype);

  return row->class == TP_CLASS_REAL || tp_dtype_holds_results (dtype)
             ? tp_prover_fresh (prover, instr->kind, 1)
             : tp_solver_add_atom (prover->solver, row->low, row->high);
}

/* Lanes of a vector are known where they are an affine form of their number. */
static TpAffine
vector_form_of (TpProver *prover, const TpInstr *instr)
{
  const TpAffine *a = instr->a >= 0 ? &prover->forms[instr->a] : NULL;
  const TpAffine *b = instr->b >= 0 ? &prover->forms[instr->b] : NULL;

  switch (instr->op)
    {
    case TP_I_CONST_INDEX:
    case TP_I_CONST_I32:
      return tp_affine_constant (instr->imm);
    case TP_I_IOTA:
      return prover->lane[instr->lanes];
    case TP_I_IADD:
      return tp_affine_add (a, b, 1);
    case TP_I_ISUB:
      return tp_affine_add (a, b, -1);
    case TP_I_IMUL:
      if (b->n == 0 && !b->is_unknown)
        return tp_affine_scale (a, b->constant);
      break;
    case TP_I_SPLAT:
    case TP_I_INDEX_TO_I32:
    case TP_I_I32_TO_INDEX:
      return *a;
    default:
      break;
    }
  return tp_prover_fresh (prover, instr->kind, instr->lanes);
}

/* A lane of what is no affine form, but was held to numbers. */
static TpAffine
held_lane (TpProver *prover, const TpInstr *instr)
{
  const TpInstr *held = &prover->kernel->instrs[instr->a];
  gboolean is_index = instr->kind == TP_KIND_INDEX;
  gint64 lo = is_index ? -TP_AFFINE_INFINITY : G_MININT32;
  gint64 hi = is_index ? TP_AFFINE_INFINITY : G_MAXINT32;

  for (; held->op == TP_I_IMIN || held->op == TP_I_IMAX;
       held = &prover->kernel->instrs[held->a])
    {
      const TpAffine *bound = &prover->forms[held->b];

      if (bound->is_unknown || bound->n > 0)
        break;
      /* What is outside of what comes later is moved there. */
      if (held->op == TP_I_IMIN)
        hi = CLAMP (bound->constant, lo, hi);
      else
        lo = CLAMP (bound->constant, lo, hi);
    }
  return tp_solver_add_atom (prover->solver, lo, hi);
}

static TpAffine
form_of (TpProver *prover, const TpInstr *instr)
{
  const TpAffine *a = instr->a >= 0 ? &prover->forms[instr->a] : NULL;
  const TpAffine *b = instr->b >= 0 ? &prover->forms[instr->b] : NULL;
  TpAffine lane;

  switch (instr->op)
    {
    case TP_I_CONST_INDEX:
    case TP_I_CONST_I32:
      return tp_affine_constant (instr->imm);
    case TP_I_GROUP:
      return tp_solver_add_atom (prover->solver, 0,
                                 prover->kernel->n_groups - 1);
    case TP_I_ITEM:
      return tp_solver_add_atom (prover->solver, 0,
                                 prover->kernel->local_size - 1);
    case TP_I_ITERATION:
      return tp_solver_add_atom (prover->solver, 0,
                                 prover->kernel->n_iterations - 1);
    case TP_I_IOTA:
      return prover->lane[instr->lanes];
    case TP_I_IADD:
      return tp_affine_add (a, b, 1);
    case TP_I_ISUB:
      return tp_affine_add (a, b, -1);
    case TP_I_IMUL:
      return tp_prover_multiply (prover, a, b);
    case TP_I_IDIV:
    case TP_I_IMOD:
      return tp_prover_divide (prover, instr);
    case TP_I_IMIN:
    case TP_I_IMAX:
      return tp_prover_extremum (prover, instr);
    case TP_I_ISHL:
    case TP_I_IAND:
      return tp_prover_bits_of (prover, instr);
    case TP_I_SELECT:
      return tp_prover_choose (prover, instr);
    case TP_I_INDEX_TO_I32:
    case TP_I_I32_TO_INDEX:
      return *a;
    case TP_I_LOAD:
      return loaded (prover, instr);
    case TP_I_EXTRACT:
      if (a->is_unknown)
        return held_lane (prover, instr);
      lane = tp_affine_constant (instr->imm);
      return tp_prover_replace_lane (
          prover, a, prover->kernel->instrs[instr->a].lanes, &lane);
    case TP_I_FOR:
      return counter (prover, instr);
    case TP_I_CARRY:
      return carried (prover, instr);
    default:
      return tp_prover_fresh (prover, instr->kind, 1);
    }
}

static gboolean
lies_in (TpProver *prover, const TpAffine *form, gint64 lo, gint64 hi)
{
  return !form->is_unknown
         && tp_solver_get_lower (prover->solver, form, lo) >= lo
         && tp_solver_get_upper (prover->solver, form, hi) <= hi;
}

/* A value that may have wrapped is any. An atom alone did not. */
static TpAffine
wrapped (TpProver *prover, const TpInstr *instr, const TpAffine *form)
{
  gboolean is_atom = form->n == 1 && form->coef[0] == 1 && form->constant == 0;

  if (instr->kind == TP_KIND_I32
      && !lies_in (prover, form, G_MININT32, G_MAXINT32))
    return tp_prover_fresh (prover, TP_KIND_I32, instr->lanes);
  if (instr->kind == TP_KIND_INDEX && !is_atom
      && !lies_in (prover, form, 1 - TP_AFFINE_INFINITY,
                   TP_AFFINE_INFINITY - 1))
    return tp_prover_fresh (prover, TP_KIND_INDEX, instr->lanes);
  return *form;
}

/* --- checks ------------------------------------------------------------- */

/* Its counter must not wrap. */
static gboolean
check_loop (TpProver *prover, const TpInstr *instr)
{
  const TpAffine *end = &prover->forms[instr->b];

  if (tp_solver_get_upper (prover->solver, end, TP_AFFINE_INFINITY - 1)
      >= TP_AFFINE_INFINITY - instr->imm)
    return fail (prover, "the end of the loop has no upper bound");
  return TRUE;
}

/* Of buffer @buffer, @n_read elements from value @first on. */
static gboolean
check_elements (TpProver *prover, int buffer, TpValue first, gint64 n_read,
                TpValue mask)
{
  gint64 n = prover->kernel->buffers[buffer].n_elements, lo, hi;
  TpAffine index;

  tp_solver_open (prover->solver);
  /* Later than all others, so that whatever the mask says bounds it. */
  prover->active = tp_solver_add_atom (prover->solver, 0, n_read - 1);
  index = tp_affine_add (&prover->forms[first], &prover->active, 1);
  if (mask >= 0)
    tp_prover_assume_mask (prover, mask, TRUE);
  lo = tp_solver_get_lower (prover->solver, &index, 0);
  hi = tp_solver_get_upper (prover->solver, &index, n - 1);
  tp_solver_close (prover->solver);
  if (lo < 0)
    return lo <= -TP_AFFINE_INFINITY
               ? fail (prover, "the index has no lower bound")
               : fail (prover,
                       "the index may be %" G_GINT64_FORMAT " in buffer %d", lo,
                       buffer);
  if (hi >= n)
    return hi >= TP_AFFINE_INFINITY
               ? fail (prover, "the index has no upper bound")
               : fail (prover,
                       "the index may be %" G_GINT64_FORMAT
                       " in buffer %d of %" G_GINT64_FORMAT " elements",
                       hi, buffer, n);
  return TRUE;
}

static gboolean
check_access (TpProver *prover, const TpInstr *instr)
{
  return check_elements (prover, instr->buffer, instr->a,
                         tp_instr_count_elements (instr),
                         tp_instr_is_load (instr) ? instr->b : instr->c);
}

static gboolean
check_mma (TpProver *prover, const TpInstr *instr)
{
  TpMma mma = tp_instr_get_mma (instr);
  gint64 n[2];

  for (int i = 0; i < 2; i++)
    n[i] = (gint64) (TP_MMA_DEPTH - 1) * mma.pitches[i] + TP_MMA_SIDE;
  return check_elements (prover, mma.buffers[0], instr->a, n[0], -1)
         && check_elements (prover, mma.buffers[1], instr->b, n[1], -1);
}

static gboolean
check_instr (TpProver *prover, const TpInstr *instr)
{
  switch (instr->op)
    {
    case TP_I_FOR:
      return check_loop (prover, instr);
    case TP_I_LOAD:
    case TP_I_LOAD4:
    case TP_I_STORE:
      return check_access (prover, instr);
    case TP_I_MMA:
      return check_mma (prover, instr);
    default:
      return TRUE;
    }
}

static void
visit (TpProver *prover, const TpInstr *instr)
{
  TpAffine *form = &prover->forms[prover->at];

  if (instr->op == TP_I_END_FOR || instr->op == TP_I_END_IF)
    tp_solver_close (prover->solver);
  if (instr->op == TP_I_FOR || instr->op == TP_I_IF)
    tp_solver_open (prover->solver);
  prover->active = prover->lane[1];
  if (instr->op == TP_I_IF)
    tp_prover_assume_mask (prover, instr->a, TRUE);
  if (instr->op == TP_I_YIELD)
    return;
  if (instr->kind == TP_KIND_INDEX || instr->kind == TP_KIND_I32)
    {
      *form = (instr->lanes > 1 ? vector_form_of : form_of) (prover, instr);
      *form = wrapped (prover, instr, form);
    }
  for (int i = prover->at - 1;
       instr->op == TP_I_END_FOR && instr[i - prover->at].op == TP_I_YIELD; i--)
    prover->forms[i] = tp_prover_fresh (prover, instr[i - prover->at].kind,
                                        instr[i - prover->at].lanes);
}

gboolean
tp_kernel_verify_bounds (const TpKernel *kernel, GError **error)
{
  g_autoptr (TpSolver) solver = tp_solver_new ();
  g_autofree TpAffine *forms = tp_new0 (TpAffine, kernel->n_instrs + 1);
  g_autofree TpAffine *counts = tp_new (TpAffine, kernel->n_instrs + 1);
  g_autofree TpAffine *quotients = tp_new0 (TpAffine, kernel->n_instrs + 1);
  g_autofree int *match = tp_kernel_match_regions (kernel);
  TpProver prover = {
    .kernel = kernel,
    .solver = solver,
    .forms = forms,
    .counts = counts,
    .quotients = quotients,
    .match = match,
    .error = error,
  };

  for (int lanes = 4; lanes <= 16; lanes *= 2)
    prover.lane[lanes] = tp_solver_add_atom (solver, 0, lanes - 1);
  for (; prover.at < kernel->n_instrs; prover.at++)
    {
      const TpInstr *instr = &kernel->instrs[prover.at];

      if (!check_instr (&prover, instr))
        return FALSE;
      visit (&prover, instr);
    }
  return TRUE;
}
