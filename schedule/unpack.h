/* unpack.h: a sum over products with what is made of a packed constant, such as
 * weights of some bits:
 *
 *   result[m, n] = sum over i, j of  factor (n, i) * (x * w (q[n, i, j]) + ...)
 *
 * w is no load, so this is no contraction to others. Vectors run along n, of which
 * constants are packed; what is made of them serves all rows m of a tile. The factor,
 * which the innermost axes do not walk, is multiplied by their sum. Where x is bytes, that
 * sum may be one of dot products. */
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

#define TP_UNPACK_MAX_PARTS 4

/* Terms whose x is bytes, and whose weights are bits of bytes, and maybe one that is the
 * same for all of them, such as the share of a zero point:
 *
 *   sum over j of (w (q[n, j]) * x[m, j] + .. + still (m, n))
 *
 * Products are summed up by fours, in integers that float32 holds. */
typedef struct
{
  int n_parts;                /* terms of bytes; 0: they are none of that */
  int axis;                   /* j, the innermost one, a multiple of four */
  int q_load;
  int still;                  /* term; -1: none */
  struct
  {
    int x_load;
    int shift;                /* of a byte of q, before the bits of @mask are taken */
    guint8 mask;
  } parts[TP_UNPACK_MAX_PARTS];
} TpUnpackDots;

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
  TpUnpackDots dots;          /* where the factor walks all loops but the innermost */
  gint64 n_rows, n_total, n_outer_points;
} TpUnpack;

/* NULL: it is none of that. */
TpUnpack *tp_unpack_new (const TpBuild *build, const TpNest *nest);
void tp_unpack_free (TpUnpack *unpack); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpUnpack, tp_unpack_free)

#endif
