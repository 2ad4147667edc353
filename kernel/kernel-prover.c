/* kernel-prover.c: arithmetic and conditions on what is known of values. */
#include "config.h"

#include "kernel/kernel-prover.h"

#include "kernel/kernel-ops.h"

gint64
tp_prover_lower (TpProver *prover, const TpAffine *form)
{
  return tp_solver_get_lower (prover->solver, form, TP_AFFINE_INFINITY - 1);
}

gint64
tp_prover_upper (TpProver *prover, const TpAffine *form)
{
  return tp_solver_get_upper (prover->solver, form, 1 - TP_AFFINE_INFINITY);
}

static void
assume_less (TpProver *prover, const TpAffine *a, const TpAffine *b, int gap)
{
  TpAffine fact = tp_affine_add (b, a, -1);

  fact = tp_affine_shift (&fact, -gap);
  tp_solver_assume (prover->solver, &fact);
}

TpAffine
tp_prover_fresh (TpProver *prover, TpKind kind, int lanes)
{
  if (lanes > 1)
    return (TpAffine){ .is_unknown = TRUE };
  if (kind == TP_KIND_I32)
    return tp_solver_add_atom (prover->solver, G_MININT32, G_MAXINT32);
  return tp_solver_add_atom (prover->solver, -TP_AFFINE_INFINITY,
                             TP_AFFINE_INFINITY);
}

TpAffine
tp_prover_replace_lane (const TpProver *prover, const TpAffine *form, int lanes,
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

static void
assume_compare (TpProver *prover, const TpInstr *instr, gboolean is_true)
{
  TpAffine a, b;

  if (tp_kind_is_real (prover->kernel->instrs[instr->a].kind))
    return;
  a = tp_prover_replace_lane (prover, &prover->forms[instr->a], instr->lanes,
                              &prover->active);
  b = tp_prover_replace_lane (prover, &prover->forms[instr->b], instr->lanes,
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

void
tp_prover_assume_mask (TpProver *prover, TpValue mask, gboolean is_true)
{
  const TpInstr *instr = &prover->kernel->instrs[mask];

  switch (instr->op)
    {
    case TP_I_ILESS:
    case TP_I_IEQUAL:
      assume_compare (prover, instr, is_true);
      break;
    case TP_I_MNOT:
      tp_prover_assume_mask (prover, instr->a, !is_true);
      break;
    case TP_I_SPLAT:
      tp_prover_assume_mask (prover, instr->a, is_true);
      break;
    case TP_I_MAND:
    case TP_I_MOR:
      if (is_true == (instr->op == TP_I_MAND))
        {
          tp_prover_assume_mask (prover, instr->a, is_true);
          tp_prover_assume_mask (prover, instr->b, is_true);
        }
      break;
    default:
      break;
    }
}

/* --- arithmetic --------------------------------------------------------- */

TpAffine
tp_prover_multiply (TpProver *prover, const TpAffine *a, const TpAffine *b)
{
  gint64 lo = G_MAXINT64, hi = G_MININT64, product;
  gint64 a_ends[2], b_ends[2];

  if (b->n == 0 && !b->is_unknown)
    return tp_affine_scale (a, b->constant);
  if (a->n == 0 && !a->is_unknown)
    return tp_affine_scale (b, a->constant);
  a_ends[0] = tp_prover_lower (prover, a);
  a_ends[1] = tp_prover_upper (prover, a);
  b_ends[0] = tp_prover_lower (prover, b);
  b_ends[1] = tp_prover_upper (prover, b);
  for (int i = 0; i < 4; i++)
    {
      if (__builtin_mul_overflow (a_ends[i / 2], b_ends[i % 2], &product))
        return tp_prover_fresh (prover, TP_KIND_INDEX, 1);
      lo = MIN (lo, product);
      hi = MAX (hi, product);
    }
  return tp_solver_add_atom (prover->solver, lo, hi);
}

/* x = c whole + rest with 0 <= rest < c for sure: then whole is x / c. */
static gboolean
divide_evenly (TpProver *prover, const TpAffine *x, gint64 c,
               TpAffine *out_whole)
{
  TpAffine whole = tp_affine_constant (x->constant / c);
  TpAffine rest = tp_affine_constant (x->constant % c);

  for (int i = 0; i < x->n; i++)
    {
      TpAffine *part = x->coef[i] % c == 0 ? &whole : &rest;

      part->atom[part->n] = x->atom[i];
      part->coef[part->n++] = part == &whole ? x->coef[i] / c : x->coef[i];
    }
  if (x->is_unknown || tp_prover_lower (prover, &rest) < 0
      || tp_prover_upper (prover, &rest) >= c)
    return FALSE;
  *out_whole = whole;
  return TRUE;
}

/* x / c; of what is not below 0. */
static TpAffine
quotient (TpProver *prover, const TpAffine *x, gint64 c)
{
  TpAffine whole, multiple;
  gint64 lo, hi;

  lo = tp_prover_lower (prover, x);
  hi = tp_prover_upper (prover, x);
  if (lo < 0)
    return tp_prover_fresh (prover, TP_KIND_INDEX, 1);
  if (divide_evenly (prover, x, c, &whole))
    return whole;
  if (hi >= TP_AFFINE_INFINITY)
    return tp_prover_fresh (prover, TP_KIND_INDEX, 1);
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
shared_quotient (TpProver *prover, const TpInstr *instr, gint64 c)
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
remainder_of (TpProver *prover, const TpAffine *x, const TpAffine *whole,
              gint64 c)
{
  TpAffine rest = tp_affine_add (x, whole, -c), atom;

  if (tp_prover_lower (prover, x) < 0)
    return tp_solver_add_atom (prover->solver, 1 - c, c - 1);
  if (rest.n == 0 && !rest.is_unknown)
    return rest;
  atom = tp_solver_add_atom (prover->solver, 0, c - 1);
  assume_less (prover, &rest, &atom, 0);
  assume_less (prover, &atom, &rest, 0);
  return atom;
}

TpAffine
tp_prover_divide (TpProver *prover, const TpInstr *instr)
{
  const TpAffine *x = &prover->forms[instr->a];
  const TpAffine *y = &prover->forms[instr->b];

  if (tp_prover_lower (prover, y) < 1)
    return tp_prover_fresh (prover, instr->kind, 1);
  if (y->n > 0)
    {
      const TpAffine *bound = instr->op == TP_I_IDIV ? x : y;
      gint64 hi = tp_prover_upper (prover, bound);

      return tp_prover_lower (prover, x) < 0
                 ? tp_prover_fresh (prover, instr->kind, 1)
                 : tp_solver_add_atom (prover->solver, 0, hi);
    }
  prover->quotients[prover->at] = shared_quotient (prover, instr, y->constant);
  if (instr->op == TP_I_IDIV)
    return prover->quotients[prover->at];
  return remainder_of (prover, x, &prover->quotients[prover->at], y->constant);
}

/* @form, as an atom of its own where its interval took a search. */
static TpAffine
bounded (TpProver *prover, const TpAffine *form, gint64 lo, gint64 hi)
{
  TpAffine atom;

  if (form->n <= 1)
    return *form;
  atom = tp_solver_add_atom (prover->solver, lo, hi);
  assume_less (prover, &atom, form, 0);
  assume_less (prover, form, &atom, 0);
  return atom;
}

TpAffine
tp_prover_extremum (TpProver *prover, const TpInstr *instr)
{
  const TpAffine *a = &prover->forms[instr->a], *b = &prover->forms[instr->b];
  gboolean is_min = instr->op == TP_I_IMIN;
  gint64 a_lo = tp_prover_lower (prover, a), b_lo = tp_prover_lower (prover, b);
  gint64 a_hi = tp_prover_upper (prover, a), b_hi = tp_prover_upper (prover, b);
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
TpAffine
tp_prover_choose (TpProver *prover, const TpInstr *instr)
{
  gint64 lo[2], hi[2];

  prover->active = prover->lane[instr->lanes];
  for (int i = 0; i < 2; i++)
    {
      const TpAffine *side = &prover->forms[i == 0 ? instr->b : instr->c];

      tp_solver_open (prover->solver);
      tp_prover_assume_mask (prover, instr->a, i == 0);
      lo[i] = tp_prover_lower (prover, side);
      hi[i] = tp_prover_upper (prover, side);
      tp_solver_close (prover->solver);
    }
  return tp_solver_add_atom (prover->solver, MIN (lo[0], lo[1]),
                             MAX (hi[0], hi[1]));
}

TpAffine
tp_prover_bits_of (TpProver *prover, const TpInstr *instr)
{
  const TpAffine *a = &prover->forms[instr->a], *b = &prover->forms[instr->b];

  if (b->is_unknown || b->n > 0 || b->constant < 0)
    return tp_prover_fresh (prover, instr->kind, 1);
  if (instr->op == TP_I_ISHL)
    return tp_affine_scale (a, G_GINT64_CONSTANT (1) << (b->constant & 31));
  return tp_solver_add_atom (prover->solver, 0, b->constant);
}
