/* integer-answers.h: what each op makes of integers that no double holds, told in 128
 * bits. */
#ifndef TP_TESTS_INTEGER_ANSWERS_H
#define TP_TESTS_INTEGER_ANSWERS_H

#include <glib.h>

#define MOST 64               /* elements of any tensor here */

typedef struct
{
  const char *name, *shape;
  const gint64 *values;
  int n;
  gboolean is_index;          /* int64 whatever is tried */
} IntegerInput;

typedef struct
{
  const char *op, *reads, *attrs;
  gboolean has_kernels;       /* else only `ref` runs it */
  int opset;
  int (*tell) (gint64 *out);  /* how many */
} IntegerCase;

extern const IntegerInput integer_inputs[];
extern const IntegerCase integer_cases[];
extern const int n_integer_inputs, n_integer_cases;
extern const char integer_constants[]; /* of a model, as JSON */

/* The inputs are of int32, or else of int64, from now on. */
void integer_answers_set (gboolean is_narrow);

/* Of int64 alone: its constants are far away. */
gboolean integer_case_is_wide (const IntegerCase *it);

#endif
