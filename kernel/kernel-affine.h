/* kernel-affine.h: bounds of affine forms over integers ("atoms") of which
 * inequalities are known: what proves that no index leaves its buffer. */
#ifndef TP_KERNEL_KERNEL_AFFINE_H
#define TP_KERNEL_KERNEL_AFFINE_H

#include <glib.h>

#define TP_AFFINE_TERMS 16
#define TP_AFFINE_INFINITY (G_GINT64_CONSTANT (1) << 62)

/* constant + sum coef[i] * atom[i], atoms ascending, no zero coefficient; or
 * anything at all, where something overflowed or had too many terms. */
typedef struct
{
  gboolean is_unknown;
  int n;
  int atom[TP_AFFINE_TERMS];
  gint64 coef[TP_AFFINE_TERMS];
  gint64 constant;
} TpAffine;

typedef struct TpSolver TpSolver;

TpSolver *tp_solver_new (void);
void tp_solver_free (TpSolver *solver);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpSolver, tp_solver_free)

TpAffine tp_affine_constant (gint64 constant);
/* a + factor * b */
TpAffine tp_affine_add (const TpAffine *a, const TpAffine *b, gint64 factor);
TpAffine tp_affine_scale (const TpAffine *a, gint64 factor);
TpAffine tp_affine_shift (const TpAffine *a, gint64 constant);

/* A new atom in [lo, hi]; later than all before. */
TpAffine tp_solver_add_atom (TpSolver *solver, gint64 lo, gint64 hi);
/* @form >= 0 from now on: bounds its latest atom. */
void tp_solver_assume (TpSolver *solver, const TpAffine *form);

/* Atoms and facts since the open are forgotten by the close. */
void tp_solver_open (TpSolver *solver);
void tp_solver_close (TpSolver *solver);

/* Proved bounds; infinite where there is none. The search ends early with one
 * that is as good as @enough: the infinity of the other side asks for the best
 * that can be found. */
gint64 tp_solver_get_lower (TpSolver *solver, const TpAffine *form,
                            gint64 enough);
gint64 tp_solver_get_upper (TpSolver *solver, const TpAffine *form,
                            gint64 enough);

#endif
