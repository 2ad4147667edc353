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

#endif
