/* op-det.c: Det: determinants of the matrices that the last two dimensions are. */
#include "config.h"

#include "ir/guard.h"
#include "ops/op-util.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 4           /* of a matrix in a kernel */

static gboolean
det_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  const TpTensor *x = inputs[0];

  if (tp_dtype_is_integer (x->dtype))
    return tp_op_fail (node, error, "input 0 is %s, determinants are of reals",
                       tp_dtype_get_name (x->dtype));
  if (x->rank < 2 || x->dims[x->rank - 1] != x->dims[x->rank - 2])
    {
      g_autofree char *text = tp_dims_to_text (x->rank, x->dims);

      return tp_op_fail (node, error, "input 0 is %s, its last two dimensions must be "
                         "equal", text);
    }
  tp_shape_copy (&outputs[0], x);
  outputs[0].rank -= 2;
  return TRUE;
}

/* Expression: the element in that row and column. */
static int
load_element (TpLowering *lowering, int row, int column)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);

  memcpy (load->stride, x->strides, (x->rank - 2) * sizeof x->strides[0]);
  load->offset = row * x->strides[x->rank - 2] + column * x->strides[x->rank - 1];
  return tp_lowering_last_load (lowering);
}

/* Expressions. */
typedef struct
{
  TpNest *nest;
  int elements[MOST_ROWS][MOST_ROWS];
  int dets[1 << MOST_ROWS];   /* of the first rows and the columns of these bits */
} Minors;

/* Expression: that of the first rows and the columns @set, along the last of them, @row. */
static int
expand (const Minors *self, int row, guint set)
{
  TpNest *nest = self->nest;
  gboolean is_plus = TRUE;
  int sum = -1;

  for (int column = MOST_ROWS - 1; column >= 0; column--)
    {
      int product;

      if ((set & (1u << column)) == 0)
        continue;
      product = self->elements[row][column];
      if (row > 0)
        product = tp_nest_binary (nest, TP_EXPR_MUL, product,
                                  self->dets[set & ~(1u << column)]);
      if (sum < 0)
        sum = product;
      else
        sum = tp_nest_binary (nest, is_plus ? TP_EXPR_ADD : TP_EXPR_SUB, sum, product);
      is_plus = !is_plus;
    }
  return sum;
}

static int
count_bits (guint set)
{
  int n = 0;

  for (; set != 0; set &= set - 1)
    n++;
  return n;
}

/* Each minor of the first rows once. */
static gboolean
det_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
           GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  gint64 n = x->dims[x->rank - 1];
  Minors minors = { .nest = lowering.nest };
  guint all;

  if (n < 1 || n > MOST_ROWS)
    return tp_op_refuse (node, error, "kernels have determinants of 1 to %d rows, it has "
                         "%" G_GINT64_FORMAT ": only the device ref runs it, where it is "
                         "named (--devices cpu,ref)", MOST_ROWS, n);
  all = (1u << n) - 1;
  tp_lowering_add_output_axes (&lowering);
  for (int i = 0; i < n * n; i++)
    minors.elements[i / n][i % n] = load_element (&lowering, i / (int) n, i % (int) n);
  for (guint set = 1; set <= all; set++) /* subsets come before */
    minors.dets[set] = expand (&minors, count_bits (set) - 1, set);
  return tp_lowering_finish (&lowering, minors.dets[all]);
}

/* Swaps what is greatest in the column of row @at up to there; returns whether any was. */
static gboolean
pivot (double *rows, gint64 n, gint64 at)
{
  gint64 best = at;

  for (gint64 i = at + 1; i < n; i++)
    if (fabs (rows[i * n + at]) > fabs (rows[best * n + at]))
      best = i;
  for (gint64 k = 0; best != at && k < n; k++)
    {
      double kept = rows[at * n + k];

      rows[at * n + k] = rows[best * n + k];
      rows[best * n + k] = kept;
    }
  return best != at;
}

/* By elimination; @rows are spoilt. */
static double
eliminate (double *rows, gint64 n)
{
  double det = 1.0;

  for (gint64 at = 0; at < n; at++)
    {
      det = pivot (rows, n, at) ? -det : det;
      det *= rows[at * n + at];
      for (gint64 i = at + 1; i < n && rows[at * n + at] != 0.0; i++)
        tp_reference_add_scaled (rows + i * n + at, rows + at * n + at,
                                 -rows[i * n + at] / rows[at * n + at], n - at);
    }
  return det;
}

static void
det_reference (const TpNode *node, const TpRefTensor *const *inputs,
               TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gint64 n = x->dims[x->rank - 1];
  g_autofree double *rows = tp_new (double, n * n + 1);

  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      memcpy (rows, x->data + i * n * n, n * n * sizeof rows[0]);
      outputs[0].data[i] = eliminate (rows, n);
    }
}

const TpOp tp_op_det = {
  .name = "Det",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .tolerance = 1e-5,
  .infer = det_infer,
  .lower = det_lower,
  .reference = det_reference,
};
