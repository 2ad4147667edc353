/* unpack.h: a sum over products with what is made of a packed constant, such as
 * weights of some bits:
 *
 *   result[m, n] = sum over i, j of  factor (n, i) * (x * w (q[n, i, j]) + ...)
 *
 * w is no load, so this is no contraction to others. Vectors run along n, of which
 * constants are packed; what is made of them serves all rows m of a tile. The factor,
 * which the innermost axes do not walk, is multiplied by their sum. */
#ifndef TP_SCHEDULE_UNPACK_H
#define TP_SCHEDULE_UNPACK_H

#include "schedule/build.h"

#define TP_UNPACK_MAX_TERMS 16

/* A product of two expressions, or one alone. */
typedef struct
{
  int a, b;                   /* b: -1, none */
  gboolean is_negative;
} TpUnpackTerm;

/* What a nest is. */
typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  int n_axis, row_axis;       /* row_axis: -1, one row */
  int n_outer, outer[TP_NEST_MAX_AXES];
  int n_loops, loops[TP_NEST_MAX_AXES]; /* reduce axes, outer to inner */
  int n_walked;               /* of these, those the factor walks: the first ones */
  int factor;                 /* expression, or -1 */
  int n_terms;
  TpUnpackTerm terms[TP_UNPACK_MAX_TERMS];
  gint64 n_rows, n_total, n_outer_points;
} TpUnpack;

/* NULL: it is none of that. */
TpUnpack *tp_unpack_new (const TpBuild *build, const TpNest *nest);
void tp_unpack_free (TpUnpack *unpack); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpUnpack, tp_unpack_free)

#endif
