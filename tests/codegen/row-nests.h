/* row-nests.h: nests over the rows of a matrix: what reduces, normalizes and
 * transposes them. */
#ifndef TP_TESTS_ROW_NESTS_H
#define TP_TESTS_ROW_NESTS_H

#include "nest/nest.h"

typedef enum
{
  ROW_SUM,                    /* also ROW_MAX: another combiner */
  ROW_MAX,
  ROW_PROD,
  ROW_SOFTMAX,
  ROW_NORM,                   /* (x - mean) / sqrt (variance + 1e-5) * scale */
  ROW_TRANSPOSE,
} RowKind;

typedef struct
{
  RowKind kind;
  gint64 rows, cols;
  gboolean is_turned;         /* columns lie in memory one after the other */
  gint64 batch;               /* of matrices; 0: 1 */
} RowCase;

/* @data: a RowCase. */
TpLowered *new_rows (gconstpointer data);

/* Scores q * k scaled, their rows normalized by @kind, and these times v: three
 * nests, with scratch between them. */
typedef struct
{
  RowKind kind;               /* ROW_SOFTMAX or ROW_NORM */
  gint64 heads, rows, cols, depth, width; /* width: of v and the result */
  gboolean has_mask;          /* a number per column is added to scores */
  gboolean is_shared;         /* all heads have the same k and v */
  gboolean is_turned;         /* k lies as q, a row per column of scores */
  gboolean is_interleaved;    /* heads of a row lie one after the other */
  gboolean is_stepped;        /* a number per difference of column and row is added */
} AttentionCase;

/* @data: an AttentionCase. */
TpLowered *new_attention (gconstpointer data);

#endif
