/* kernel-bounds.c: proves that every index stays in its buffer.
 *
 * INDEX and I32 values become affine forms over atoms (groups, items, counters,
 * quotients, minima, ...). Loops, quotients and minima state facts about their
 * atoms, and so do the conditions of ifs and of masks; lanes are an atom too,
 * so that a mask `iota < n` bounds what a masked access touches. */
#include "config.h"

#include "codegen/kernel-affine.h"
#include "codegen/kernel-bounds.h"
#include "codegen/kernel-ops.h"

#include <string.h>

typedef struct
{
  const TpKernel *kernel;
  TpSolver *solver;
  TpAffine *forms;     /* per value; INDEX and I32 */
  TpAffine *counts;    /* per FOR: how often its body ran before */
  TpAffine *quotients; /* per IMOD and IDIV: its quotient */
  int *match;
  TpAffine lane[17]; /* by width */
  TpAffine active;   /* the lane of the access being checked */
  int at;
  GError **error;
} Prover;

static gboolean G_GNUC_PRINTF (2, 3)
    fail (const Prover *prover, const char *format, ...)
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

static gint64
lower (Prover *prover, const TpAffine *form)
{
  return tp_solver_get_lower (prover->solver, form, TP_AFFINE_INFINITY - 1);
}

static gint64
upper (Prover *prover, const TpAffine *form)
{
  return tp_solver_get_upper (prover->solver, form, 1 - TP_AFFINE_INFINITY);
}

static void
assume_less (Prover *prover, const TpAffine *a, const TpAffine *b, int gap)
{
  TpAffine fact = tp_affine_add (b, a, -1);

  fact = tp_affine_shift (&fact, -gap);
  tp_solver_assume (prover->solver, &fact);
}

/* Any value of its kind. */
static TpAffine
fresh (Prover *prover, TpKind kind)
{
  if (kind == TP_KIND_I32)
    return tp_solver_add_atom (prover->solver, G_MININT32, G_MAXINT32);
  return tp_solver_add_atom (prover->solver, -TP_AFFINE_INFINITY,
                             TP_AFFINE_INFINITY);
}

/* @form with the lane of @lanes wide vectors replaced by @with. */
static TpAffine
replace_lane (const Prover *prover, const TpAffine *form, int lanes,
              const TpAffine *with)
{
  const TpAffine *lane = &prover->lane[lanes];
  TpAffine result;

  for (int i = 0; i < form->n; i++)
    if (lane->n > 0 && form->atom[i] == lane->atom[0])
      {
        result = tp_affine_add (form, lane, -form->coef[i]);
        return tp_affine_add (&result, with, form->coef[i]);
      }
  return *form;
}

/* --- conditions --------------------------------------------------------- */

static void assume_mask (Prover *prover, TpValue mask, gboolean is_true);

static void
assume_compare (Prover *prover, const TpInstr *instr, gboolean is_true)
{
  TpAffine a, b;

  if (prover->kernel->instrs[instr->a].kind == TP_KIND_F32)
    return;
  a = replace_lane (prover, &prover->forms[instr->a], instr->lanes,
                    &prover->active);
  b = replace_lane (prover, &prover->forms[instr->b], instr->lanes,
                    &prover->active);
  if (instr->op == TP_I_ILESS && is_true)
    assume_less (prover, &a, &b, 1);
  else if (instr->op == TP_I_ILESS)
    assume_less (prover, &b, &a, 0);
  else if (is_true)
    {
      assume_less (prover, &a, &b, 0);
      assume_less (prover, &b, &a, 0);
    }
}

static void
assume_mask (Prover *prover, TpValue mask, gboolean is_true)
{
  const TpInstr *instr = &prover->kernel->instrs[mask];

  switch (instr->op)
    {
    case TP_I_ILESS:
    case TP_I_IEQUAL:
      assume_compare (prover, instr, is_true);
      break;
    case TP_I_MNOT:
      assume_mask (prover, instr->a, !is_true);
      break;
    case TP_I_SPLAT:
      assume_mask (prover, instr->a, is_true);
      break;
    case TP_I_MAND:
    case TP_I_MOR:
      if (is_true == (instr->op == TP_I_MAND))
        {
          assume_mask (prover, instr->a, is_true);
          assume_mask (prover, instr->b, is_true);
        }
      break;
    default:
      break;
    }
}

/* --- arithmetic --------------------------------------------------------- */

static TpAffine
multiply (Prover *prover, const TpAffine *a, const TpAffine *b)
{
  gint64 lo = G_MAXINT64, hi = G_MININT64, product;
  gint64 a_ends[2], b_ends[2];

  if (b->n == 0 && !b->is_unknown)
    return tp_affine_scale (a, b->constant);
  if (a->n == 0 && !a->is_unknown)
    return tp_affine_scale (b, a->constant);
  a_ends[0] = lower (prover, a);
  a_ends[1] = upper (prover, a);
  b_ends[0] = lower (prover, b);
  b_ends[1] = upper (prover, b);
  for (int i = 0; i < 4; i++)
    {
      if (__builtin_mul_overflow (a_ends[i / 2], b_ends[i % 2], &product))
        return fresh (prover, TP_KIND_INDEX);
      lo = MIN (lo, product);
      hi = MAX (hi, product);
    }
  return tp_solver_add_atom (prover->solver, lo, hi);
}

/* x = c whole + rest with 0 <= rest < c for sure: then whole is x / c. */
static gboolean
divide_evenly (Prover *prover, const TpAffine *x, gint64 c, TpAffine *out_whole)
{
  TpAffine whole = tp_affine_constant (x->constant / c);
  TpAffine rest = tp_affine_constant (x->constant % c);

  for (int i = 0; i < x->n; i++)
    {
      TpAffine *part = x->coef[i] % c == 0 ? &whole : &rest;

      part->atom[part->n] = x->atom[i];
      part->coef[part->n++] = part == &whole ? x->coef[i] / c : x->coef[i];
    }
  if (x->is_unknown || lower (prover, &rest) < 0 || upper (prover, &rest) >= c)
    return FALSE;
  *out_whole = whole;
  return TRUE;
}

/* x / c, rounded down. */
static TpAffine
quotient (Prover *prover, const TpAffine *x, gint64 c)
{
  TpAffine whole, multiple;
  gint64 lo, hi;

  if (divide_evenly (prover, x, c, &whole))
    return whole;
  lo = lower (prover, x);
  hi = upper (prover, x);
  if (lo < 0 || hi >= TP_AFFINE_INFINITY)
    return fresh (prover, TP_KIND_INDEX);
  whole = tp_solver_add_atom (prover->solver, lo / c, hi / c);
  multiple = tp_affine_scale (&whole, c);
  assume_less (prover, &multiple, x, 0);
  multiple = tp_affine_shift (&multiple, c - 1);
  assume_less (prover, x, &multiple, 0);
  return whole;
}

/* The quotient of this IDIV or IMOD; taken from the other one of the pair when
 * it came just before, so that c (x / c) + x % c is x. */
static TpAffine
shared_quotient (Prover *prover, const TpInstr *instr, gint64 c)
{
  const TpInstr *instrs = prover->kernel->instrs;
  const TpAffine *x = &prover->forms[instr->a];

  for (int i = prover->at - 1; i >= 0; i--)
    {
      if (instrs[i].op == TP_I_FOR || instrs[i].op == TP_I_IF
          || instrs[i].op == TP_I_END_FOR || instrs[i].op == TP_I_END_IF)
        break;
      if ((instrs[i].op == TP_I_IDIV || instrs[i].op == TP_I_IMOD)
          && instrs[i].a == instr->a && instrs[i].b == instr->b)
        return prover->quotients[i];
    }
  return quotient (prover, x, c);
}

static TpAffine
remainder_of (Prover *prover, const TpAffine *x, const TpAffine *whole,
              gint64 c)
{
  TpAffine rest = tp_affine_add (x, whole, -c), atom;

  if (rest.n == 0 && !rest.is_unknown)
    return rest;
  atom = tp_solver_add_atom (prover->solver, 0, c - 1);
  assume_less (prover, &rest, &atom, 0);
  assume_less (prover, &atom, &rest, 0);
  return atom;
}

static TpAffine
divide (Prover *prover, const TpInstr *instr)
{
  const TpAffine *x = &prover->forms[instr->a];
  const TpAffine *y = &prover->forms[instr->b];

  if (y->is_unknown || y->n > 0 || y->constant <= 0)
    {
      TpAffine *bound = (TpAffine *)(instr->op == TP_I_IDIV ? x : y);
      gint64 hi = upper (prover, bound);

      return tp_solver_add_atom (prover->solver, 0, hi);
    }
  prover->quotients[prover->at] = shared_quotient (prover, instr, y->constant);
  if (instr->op == TP_I_IDIV)
    return prover->quotients[prover->at];
  return remainder_of (prover, x, &prover->quotients[prover->at], y->constant);
}

/* @form, as an atom of its own where its interval took a search. */
static TpAffine
bounded (Prover *prover, const TpAffine *form, gint64 lo, gint64 hi)
{
  TpAffine atom;

  if (form->n <= 1)
    return *form;
  atom = tp_solver_add_atom (prover->solver, lo, hi);
  assume_less (prover, &atom, form, 0);
  assume_less (prover, form, &atom, 0);
  return atom;
}

static TpAffine
extremum (Prover *prover, const TpInstr *instr)
{
  const TpAffine *a = &prover->forms[instr->a], *b = &prover->forms[instr->b];
  gboolean is_min = instr->op == TP_I_IMIN;
  gint64 a_lo = lower (prover, a), b_lo = lower (prover, b);
  gint64 a_hi = upper (prover, a), b_hi = upper (prover, b);
  TpAffine atom;

  if (a_hi <= b_lo)
    return bounded (prover, is_min ? a : b, is_min ? a_lo : b_lo,
                    is_min ? a_hi : b_hi);
  if (b_hi <= a_lo)
    return bounded (prover, is_min ? b : a, is_min ? b_lo : a_lo,
                    is_min ? b_hi : a_hi);
  if (is_min)
    atom =
        tp_solver_add_atom (prover->solver, MIN (a_lo, b_lo), MIN (a_hi, b_hi));
  else
    atom =
        tp_solver_add_atom (prover->solver, MAX (a_lo, b_lo), MAX (a_hi, b_hi));
  assume_less (prover, is_min ? &atom : a, is_min ? a : &atom, 0);
  assume_less (prover, is_min ? &atom : b, is_min ? b : &atom, 0);
  return atom;
}

/* Either side, each under its half of the condition. */
static TpAffine
choose (Prover *prover, const TpInstr *instr)
{
  gint64 lo[2], hi[2];

  prover->active = prover->lane[instr->lanes];
  for (int i = 0; i < 2; i++)
    {
      const TpAffine *side = &prover->forms[i == 0 ? instr->b : instr->c];

      tp_solver_open (prover->solver);
      assume_mask (prover, instr->a, i == 0);
      lo[i] = lower (prover, side);
      hi[i] = upper (prover, side);
      tp_solver_close (prover->solver);
    }
  return tp_solver_add_atom (prover->solver, MIN (lo[0], lo[1]),
                             MAX (hi[0], hi[1]));
}

static TpAffine
bits_of (Prover *prover, const TpInstr *instr)
{
  const TpAffine *a = &prover->forms[instr->a], *b = &prover->forms[instr->b];

  if (b->is_unknown || b->n > 0 || b->constant < 0)
    return fresh (prover, TP_KIND_I32);
  if (instr->op == TP_I_ISHL)
    return tp_affine_scale (a, G_GINT64_CONSTANT (1) << (b->constant & 31));
  return tp_solver_add_atom (prover->solver, 0, b->constant);
}

/* --- loops -------------------------------------------------------------- */

static TpAffine
counter (Prover *prover, const TpInstr *instr)
{
  const TpAffine *first = &prover->forms[instr->a];
  TpAffine room = tp_affine_add (&prover->forms[instr->b], first, -1), count;
  gint64 hi;

  room = tp_affine_shift (&room, -1);
  hi = upper (prover, &room);
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
carried (Prover *prover, const TpInstr *instr)
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
  return fresh (prover, instr->kind);
}

/* --- values ------------------------------------------------------------- */

static TpAffine
form_of (Prover *prover, const TpInstr *instr)
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
    case TP_I_IOTA:
      return prover->lane[instr->lanes];
    case TP_I_IADD:
      return tp_affine_add (a, b, 1);
    case TP_I_ISUB:
      return tp_affine_add (a, b, -1);
    case TP_I_IMUL:
      return multiply (prover, a, b);
    case TP_I_IDIV:
    case TP_I_IMOD:
      return divide (prover, instr);
    case TP_I_IMIN:
    case TP_I_IMAX:
      return extremum (prover, instr);
    case TP_I_ISHL:
    case TP_I_IAND:
      return bits_of (prover, instr);
    case TP_I_SELECT:
      return choose (prover, instr);
    case TP_I_INDEX_TO_I32:
    case TP_I_SPLAT:
      return *a;
    case TP_I_EXTRACT:
      lane = tp_affine_constant (instr->imm);
      return replace_lane (prover, a, prover->kernel->instrs[instr->a].lanes,
                           &lane);
    case TP_I_FOR:
      return counter (prover, instr);
    case TP_I_CARRY:
      return carried (prover, instr);
    default:
      return fresh (prover, instr->kind);
    }
}

/* I32 values wrap: one that may is any. */
static TpAffine
wrapped (Prover *prover, const TpAffine *form)
{
  if (lower (prover, form) < G_MININT32 || upper (prover, form) > G_MAXINT32)
    return fresh (prover, TP_KIND_I32);
  return *form;
}

/* --- checks ------------------------------------------------------------- */

static gboolean
check_division (Prover *prover, const TpInstr *instr)
{
  if (instr->kind != TP_KIND_INDEX)
    return TRUE;
  if (lower (prover, &prover->forms[instr->a]) < 0)
    return fail (prover, "the dividend may be negative");
  if (lower (prover, &prover->forms[instr->b]) < 1)
    return fail (prover, "the divisor may be zero or negative");
  return TRUE;
}

static gboolean
check_access (Prover *prover, const TpInstr *instr)
{
  gint64 n = prover->kernel->buffers[instr->buffer].n_elements, lo, hi;
  TpValue mask = instr->op == TP_I_LOAD ? instr->b : instr->c;
  TpAffine index;

  tp_solver_open (prover->solver);
  /* Later than all others, so that whatever the mask says bounds it. */
  prover->active = tp_solver_add_atom (prover->solver, 0, instr->lanes - 1);
  index = tp_affine_add (&prover->forms[instr->a], &prover->active, 1);
  if (mask >= 0)
    assume_mask (prover, mask, TRUE);
  lo = tp_solver_get_lower (prover->solver, &index, 0);
  hi = tp_solver_get_upper (prover->solver, &index, n - 1);
  tp_solver_close (prover->solver);
  if (lo < 0)
    return lo <= -TP_AFFINE_INFINITY
               ? fail (prover, "the index has no lower bound")
               : fail (prover,
                       "the index may be %" G_GINT64_FORMAT " in buffer %d", lo,
                       instr->buffer);
  if (hi >= n)
    return hi >= TP_AFFINE_INFINITY
               ? fail (prover, "the index has no upper bound")
               : fail (prover,
                       "the index may be %" G_GINT64_FORMAT
                       " in buffer %d of %" G_GINT64_FORMAT " elements",
                       hi, instr->buffer, n);
  return TRUE;
}

static gboolean
check_instr (Prover *prover, const TpInstr *instr)
{
  switch (instr->op)
    {
    case TP_I_IDIV:
    case TP_I_IMOD:
      return check_division (prover, instr);
    case TP_I_LOAD:
    case TP_I_STORE:
      return check_access (prover, instr);
    default:
      return TRUE;
    }
}

static void
visit (Prover *prover, const TpInstr *instr)
{
  TpAffine *form = &prover->forms[prover->at];

  if (instr->op == TP_I_END_FOR || instr->op == TP_I_END_IF)
    tp_solver_close (prover->solver);
  if (instr->op == TP_I_FOR || instr->op == TP_I_IF)
    tp_solver_open (prover->solver);
  prover->active = prover->lane[1];
  if (instr->op == TP_I_IF)
    assume_mask (prover, instr->a, TRUE);
  if (instr->op == TP_I_YIELD)
    return;
  if (instr->kind == TP_KIND_INDEX || instr->kind == TP_KIND_I32)
    *form = form_of (prover, instr);
  if (instr->kind == TP_KIND_I32)
    *form = wrapped (prover, form);
  for (int i = prover->at - 1;
       instr->op == TP_I_END_FOR && instr[i - prover->at].op == TP_I_YIELD; i--)
    prover->forms[i] = fresh (prover, instr[i - prover->at].kind);
}

gboolean
tp_kernel_verify_bounds (const TpKernel *kernel, GError **error)
{
  g_autoptr (TpSolver) solver = tp_solver_new ();
  g_autofree TpAffine *forms = g_new0 (TpAffine, kernel->n_instrs + 1);
  g_autofree TpAffine *counts = g_new0 (TpAffine, kernel->n_instrs + 1);
  g_autofree TpAffine *quotients = g_new0 (TpAffine, kernel->n_instrs + 1);
  g_autofree int *match = tp_kernel_match_regions (kernel);
  Prover prover = {
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
