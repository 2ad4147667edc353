/* plane.h: windows that slide over planes in rows: convolutions with one filter per
 * channel, and maxima, where columns are contiguous in x and in the result.
 *
 *   y[p, i, j] = over r, c of  f (x[p, step * i + reach * r, step' * j + reach' * c])
 *
 * A group stages rows of a plane in its scratch, with their padding, so that no
 * vector along j meets a border. Columns lie there by their remainder to step',
 * those of one remainder side by side, so that every vector is contiguous. */
#ifndef TP_SCHEDULE_PLANE_H
#define TP_SCHEDULE_PLANE_H

#include "schedule/emit.h"

#define TP_PLANE_MAX_STEP 4
#define TP_PLANE_MAX_SUMS 16  /* vectors of a tile */

/* Rows or columns of x, by unit: step * out + reach * tap. */
typedef struct
{
  int out, tap;               /* axes of the nest; -1: none */
  int carrier;                /* one of them, that walks one unit at a time; -1: there
                               * is one unit only */
  gint64 n_out, n_taps;
  gint64 step, reach;
  gint64 lo, hi;              /* units within x, of those that windows meet */
} TpPlaneDim;

typedef struct
{
  const TpTarget *target;
  gboolean is_rival;          /* as in TpBuild */
  TpNest *nest;               /* (owned) */
  int x_load, x_expr;         /* what is staged; within the stage */
  double fill;                /* of it, where guards fail */
  TpPlaneDim rows, cols;
  int n_outer, outer[TP_NEST_MAX_AXES]; /* spatial axes besides: planes */
  gint64 n_planes;
} TpPlane;

/* How a plane is computed. */
typedef struct
{
  const TpPlane *plane;
  int lanes, vectors, tile;   /* a tile is so many rows of so many vectors */
  gint64 block;               /* rows of the result per group: all, or whole tiles */
  gint64 n_blocks;
  gint64 planes;              /* per group */
  gint64 n_staged;            /* rows */
  gint64 phase_pitch;         /* elements of a row of one remainder */
  gint64 row_pitch;
} TpPlanePlan;

#endif
