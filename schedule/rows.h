/* rows.h: a product whose rows are reduced and multiplied again: scores, their
 * softmax, and the values weighted by it.
 *
 *   scores[o, i, j] = sum over k of  q * k                 a contraction
 *   weights         = of each row (o, i), along j          a reduction that covers j
 *   result          = sum over j of  weights[o, i, j] * v  a contraction
 *
 * A group takes all of that for a block of rows i, so that neither scores nor
 * weights leave its scratch. Blocks of B rows start at min (block * B, rows - B):
 * the last one may do some rows of its neighbour again, and is as large as all. */
#ifndef TP_SCHEDULE_ROWS_H
#define TP_SCHEDULE_ROWS_H

#include "schedule/contract-plan.h"
#include "schedule/reduce.h"

/* A contraction over the rows of a block: @start, where that begins, is an axis of
 * its own, and strides in scratch are those of the block. */
typedef struct
{
  TpContract *c;              /* (owned) of all rows; another axis of M is outer */
  int row_axis, start_axis;
  int n_outer, outer[TP_NEST_MAX_AXES]; /* besides, the innermost first */
} TpRowsProduct;

/* What three nests are. */
typedef struct
{
  const TpTarget *target;
  int scratch;                /* source: the scores, and then the weights */
  gint64 n_rows, n_columns;   /* of scores, per outer point */
  gint64 pitch;               /* of a row in scratch */
  gint64 n_outer_points;
  TpReduce *reduce;
  int reduce_row_axis;
  TpRowsProduct products[2];
} TpRows;

/* NULL: they are none of that. */
TpRows *tp_rows_new (const TpBuild *build, TpNest *const *nests, int n);
void tp_rows_free (TpRows *rows); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRows, tp_rows_free)

/* @product for blocks of @n rows. */
TpContract *tp_rows_product_dup (const TpRowsProduct *product, gint64 n);

#endif
