/* kernel-affine.c: eliminates atoms from an affine form, the latest first, by
 * the facts known of them: Fourier-Motzkin in the order of definition. Facts
 * bound an atom by earlier ones (a counter by the ends of its loop, a quotient
 * by its dividend), so every chain ends at constants. */
#include "config.h"

#include "kernel/kernel-affine.h"

#include "ir/array.h"
#include "ir/types.h"

#include <string.h>

#define INF TP_AFFINE_INFINITY
#define MAX_STEPS 3000 /* per question; then intervals must do */

typedef struct
{
  gint64 lo, hi;
  int facts; /* newest fact whose latest atom this is; -1 */
} Atom;

typedef struct
{
  TpAffine form; /* >= 0 */
  int next;      /* older fact of the same atom; -1 */
} Fact;

typedef struct
{
  guint n_atoms, n_facts;
} Mark;

struct TpSolver
{
  TpArray *atoms; /* Atom */
  TpArray *facts; /* Fact */
  TpArray *marks; /* Mark */
  int n_steps;
};

TpSolver *
tp_solver_new (void)
{
  TpSolver *solver = g_new0 (TpSolver, 1);

  solver->atoms = tp_array_new (sizeof (Atom));
  solver->facts = tp_array_new (sizeof (Fact));
  solver->marks = tp_array_new (sizeof (Mark));
  return solver;
}

void
tp_solver_free (TpSolver *solver)
{
  tp_array_unref (solver->atoms);
  tp_array_unref (solver->facts);
  tp_array_unref (solver->marks);
  g_free (solver);
}

static Atom *
atom_at (const TpSolver *solver, int i)
{
  return &tp_array_index (solver->atoms, Atom, i);
}

static Fact *
fact_at (const TpSolver *solver, int i)
{
  return &tp_array_index (solver->facts, Fact, i);
}

/* --- forms -------------------------------------------------------------- */

TpAffine
tp_affine_constant (gint64 constant)
{
  TpAffine form = { .constant = constant };

  form.is_unknown = constant >= INF || constant <= -INF;
  return form;
}

static void
append_term (TpAffine *form, int atom, gint64 coef)
{
  if (coef == 0)
    return;
  if (form->n == TP_AFFINE_TERMS || coef >= INF || coef <= -INF)
    {
      form->is_unknown = TRUE;
      return;
    }
  form->atom[form->n] = atom;
  form->coef[form->n++] = coef;
}

/* x + factor * y into *out; FALSE: out of range. */
static gboolean
multiply_add (gint64 x, gint64 y, gint64 factor, gint64 *out)
{
  gint64 product;

  return !__builtin_mul_overflow (y, factor, &product)
         && !__builtin_add_overflow (x, product, out)
         && *out<INF && * out> - INF;
}

TpAffine
tp_affine_add (const TpAffine *a, const TpAffine *b, gint64 factor)
{
  TpAffine sum = { .is_unknown = a->is_unknown || b->is_unknown };
  int i = 0, j = 0;
  gint64 coef = 0;

  sum.is_unknown |=
      !multiply_add (a->constant, b->constant, factor, &sum.constant);
  while (!sum.is_unknown && (i < a->n || j < b->n))
    if (j == b->n || (i < a->n && a->atom[i] < b->atom[j]))
      {
        append_term (&sum, a->atom[i], a->coef[i]);
        i++;
      }
    else
      {
        gboolean is_both = i < a->n && a->atom[i] == b->atom[j];

        sum.is_unknown |=
            !multiply_add (is_both ? a->coef[i] : 0, b->coef[j], factor, &coef);
        append_term (&sum, b->atom[j], coef);
        i += is_both;
        j++;
      }
  return sum;
}

TpAffine
tp_affine_scale (const TpAffine *a, gint64 factor)
{
  TpAffine zero = tp_affine_constant (0);

  return tp_affine_add (&zero, a, factor);
}

TpAffine
tp_affine_shift (const TpAffine *a, gint64 constant)
{
  TpAffine other = tp_affine_constant (constant);

  return tp_affine_add (a, &other, 1);
}

/* --- atoms and facts ---------------------------------------------------- */

TpAffine
tp_solver_add_atom (TpSolver *solver, gint64 lo, gint64 hi)
{
  Atom atom = { .lo = MAX (lo, -INF), .hi = MIN (hi, INF), .facts = -1 };
  TpAffine form = { .n = 1, .coef = { 1 } };

  form.atom[0] = solver->atoms->len;
  tp_array_append_val (solver->atoms, atom);
  return form;
}

static gint64
divide_down (gint64 x, gint64 y)
{
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

void
tp_solver_assume (TpSolver *solver, const TpAffine *form)
{
  Fact fact = { .form = *form };
  gint64 divisor = 0;
  Atom *atom;

  if (form->is_unknown || form->n == 0)
    return;
  for (int i = 0; i < form->n; i++)
    divisor = tp_gcd (divisor, form->coef[i]);
  for (int i = 0; i < form->n; i++)
    fact.form.coef[i] /= divisor;
  fact.form.constant = divide_down (form->constant, divisor);
  atom = atom_at (solver, form->atom[form->n - 1]);
  fact.next = atom->facts;
  atom->facts = solver->facts->len;
  tp_array_append_val (solver->facts, fact);
}

void
tp_solver_open (TpSolver *solver)
{
  Mark mark = { solver->atoms->len, solver->facts->len };

  tp_array_append_val (solver->marks, mark);
}

void
tp_solver_close (TpSolver *solver)
{
  Mark mark = tp_array_index (solver->marks, Mark, solver->marks->len - 1);

  tp_array_set_size (solver->marks, solver->marks->len - 1);
  for (int i = solver->facts->len - 1; i >= (int)mark.n_facts; i--)
    {
      const Fact *fact = fact_at (solver, i);

      atom_at (solver, fact->form.atom[fact->form.n - 1])->facts = fact->next;
    }
  tp_array_set_size (solver->facts, mark.n_facts);
  tp_array_set_size (solver->atoms, mark.n_atoms);
}

/* --- bounds ------------------------------------------------------------- */

/* By the intervals of the atoms alone. */
static gint64
interval_upper (const TpSolver *solver, const TpAffine *form)
{
  gint64 sum = form->constant, end;

  for (int i = 0; i < form->n; i++)
    {
      const Atom *atom = atom_at (solver, form->atom[i]);

      end = form->coef[i] > 0 ? atom->hi : atom->lo;
      if (end >= INF || end <= -INF
          || !multiply_add (sum, end, form->coef[i], &sum))
        return INF;
    }
  return sum;
}

static gint64 find_upper (TpSolver *solver, const TpAffine *form,
                          gint64 enough);

/* Eliminates the last atom of @form by @fact: with form = c t + r and
 * fact = -f t + q >= 0, f form <= f r + c q. */
static gint64
upper_by_fact (TpSolver *solver, const TpAffine *form, const TpAffine *fact,
               gint64 enough)
{
  gint64 c = form->coef[form->n - 1], f = fact->coef[fact->n - 1], divisor;
  TpAffine scaled, sum;
  gint64 upper;

  if ((c > 0) == (f > 0))
    return INF;
  divisor = tp_gcd (c, f);
  f = ABS (f) / divisor;
  scaled = tp_affine_scale (form, f);
  sum = tp_affine_add (&scaled, fact, ABS (c) / divisor);
  if (sum.is_unknown || !multiply_add (f - 1, enough, f, &enough))
    return INF;
  upper = find_upper (solver, &sum, enough);
  return upper >= INF ? INF : divide_down (upper, f);
}

static gint64
upper_by_interval (TpSolver *solver, const TpAffine *form, gint64 enough)
{
  TpAffine rest = *form;
  int last = --rest.n;
  const Atom *atom = atom_at (solver, form->atom[last]);
  gint64 end = form->coef[last] > 0 ? atom->hi : atom->lo;

  if (end >= INF || end <= -INF
      || !multiply_add (rest.constant, end, form->coef[last], &rest.constant))
    return INF;
  return find_upper (solver, &rest, enough);
}

/* Stops looking once the bound is not above @enough. */
static gint64
find_upper (TpSolver *solver, const TpAffine *form, gint64 enough)
{
  gint64 best = interval_upper (solver, form), upper;

  if (form->n == 0 || best <= enough || ++solver->n_steps > MAX_STEPS)
    return best;
  upper = upper_by_interval (solver, form, enough);
  best = MIN (best, upper);
  for (int i = atom_at (solver, form->atom[form->n - 1])->facts;
       i >= 0 && best > enough; i = fact_at (solver, i)->next)
    {
      upper = upper_by_fact (solver, form, &fact_at (solver, i)->form, enough);
      best = MIN (best, upper);
    }
  return best;
}

gint64
tp_solver_get_upper (TpSolver *solver, const TpAffine *form, gint64 enough)
{
  solver->n_steps = 0;
  return form->is_unknown ? INF : find_upper (solver, form, enough);
}

gint64
tp_solver_get_lower (TpSolver *solver, const TpAffine *form, gint64 enough)
{
  TpAffine negated = tp_affine_scale (form, -1);

  return -tp_solver_get_upper (solver, &negated, -enough);
}
