/* op-integer-matmul.c: MatMulInteger and QLinearMatMul: products of matrices of small
 * integers. Zero points and scales are one, or of each row of the first matrix and of
 * each column of the other. */
#include "config.h"

#include "ops/op-integer.h"
#include "ops/op-matmul.h"
#include "ops/op-quantize.h"

/* ---- shapes ------------------------------------------------------------- */

/* One number; or one of each row, or column; or what broadcasts so. */
static gboolean
check_param (const TpNode *node, const TpTensor *const *inputs, int i, int of,
             GError **error)
{
  const TpTensor *param = tp_integer_get_tensor (node, inputs, i);
  const TpTensor *matrix = inputs[of];
  int own = of == 0 ? matrix->rank - 2 : matrix->rank - 1;
  gboolean is_fit = param == NULL || param->count == 1;

  if (!is_fit && matrix->rank >= 2 && param->rank == 1)
    is_fit = param->dims[0] == matrix->dims[own];
  else if (!is_fit && matrix->rank >= 2 && param->rank == matrix->rank)
    {
      is_fit = TRUE;
      for (int k = 0; k < param->rank; k++)
        is_fit = is_fit
                 && (param->dims[k] == 1
                     || (param->dims[k] == matrix->dims[k]
                         && (k < matrix->rank - 2 || k == own)));
    }
  if (is_fit)
    return TRUE;
  {
    g_autofree char *has = tp_dims_to_text (param->rank, param->dims);
    g_autofree char *goes = tp_dims_to_text (matrix->rank, matrix->dims);

    return tp_op_fail (node, error, "input %d has shape %s: it has one number, "
                       "or one for each %s of %s", i, has,
                       of == 0 ? "row" : "column", goes);
  }
}

static gboolean
integer_matmul_infer (const TpNode *node, const TpTensor *const *inputs,
                      TpShape *outputs, GError **error)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (node);

  return tp_integer_check_dtypes (node, inputs, &outputs[0], error)
         && tp_matmul_infer_shape (node, inputs, in->w, &outputs[0], error)
         && check_param (node, inputs, in->x_zero, 0, error)
         && check_param (node, inputs, in->w_zero, in->w, error)
         && check_param (node, inputs, in->x_scale, 0, error)
         && check_param (node, inputs, in->w_scale, in->w, error);
}

/* ---- nests -------------------------------------------------------------- */

/* Input @i, of the rows or of the columns; -1: left out. */
static int
load_param (TpLowering *lowering, int i, gboolean is_of_rows)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (lowering->node);
  const TpTensor *param = i < 0 ? NULL : tp_lowering_get_input (lowering, i);
  int row = tp_matmul_get_row (tp_lowering_get_input (lowering, 0),
                               tp_lowering_get_input (lowering, in->w));

  if (param == NULL)
    return -1;
  if (param->count == 1 || param->rank > 1 || !is_of_rows)
    return tp_lowering_load_broadcast (lowering, i);
  tp_lowering_add_load (lowering, i)->stride[row] = param->strides[0];
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static gboolean
integer_matmul_lower (const TpGraph *graph, const TpNode *node,
                      TpLowered *lowered, GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpIntegerInputs *in = tp_integer_get_inputs (node);
  const int zeros[] = { in->x_zero, in->w_zero };
  int factors[2], scales[2], sum;

  tp_matmul_add_loads (&lowering, in->w, factors);
  for (int i = 0; i < 2; i++)
    factors[i] = tp_nest_shift (lowering.nest, factors[i],
                                load_param (&lowering, zeros[i], i == 0));
  sum = tp_integer_sum (&lowering, tp_nest_binary (lowering.nest, TP_EXPR_MUL,
                                                   factors[0], factors[1]));
  scales[0] = load_param (&lowering, in->x_scale, TRUE);
  scales[1] = load_param (&lowering, in->w_scale, FALSE);
  return tp_lowering_finish (&lowering,
                             tp_integer_finish (&lowering, sum, scales));
}

/* ---- reference ---------------------------------------------------------- */

/* Of element @i of @matrix, whose rows (or columns, if it is the other) @param is of. */
static gint64
pick (const TpRefTensor *matrix, const TpRefTensor *param, gint64 i,
      gboolean is_of_rows)
{
  gint64 n = matrix->dims[matrix->rank - 1];
  gint64 m = matrix->rank > 1 ? matrix->dims[matrix->rank - 2] : 1;
  gint64 place = is_of_rows ? i / n % m : i % n, index = 0;
  gint64 batch = i / (m * n);

  if (param->rank < 2)
    return place;
  for (int k = 0; k < param->rank - 2; k++)
    {
      gint64 at = batch / tp_dims_product (matrix->dims, k + 1, matrix->rank - 2)
                  % matrix->dims[k];

      index = index * param->dims[k] + (param->dims[k] == 1 ? 0 : at);
    }
  n = param->dims[param->rank - (is_of_rows ? 2 : 1)];
  return index * n + (n == 1 ? 0 : place);
}

static gint64
pick_of_row (const TpRefTensor *matrix, const TpRefTensor *param, gint64 i)
{
  return pick (matrix, param, i, TRUE);
}

static gint64
pick_of_column (const TpRefTensor *matrix, const TpRefTensor *param, gint64 i)
{
  return pick (matrix, param, i, FALSE);
}

static double
pick_scale (const TpRefTensor *const *inputs, int i, const TpRefTensor *out,
            gint64 at, gboolean is_of_rows)
{
  if (i < 0)
    return 1.0;
  return inputs[i]->count == 1
             ? inputs[i]->data[0]
             : inputs[i]->data[pick (out, inputs[i], at, is_of_rows)];
}

static void
integer_matmul_reference (const TpNode *node, const TpRefTensor *const *inputs,
                          TpRefTensor *outputs)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (node);
  TpRefTensor x = *inputs[0], w = *inputs[in->w];
  TpRefTensor *out = &outputs[0];
  g_autofree double *x_values = tp_integer_shift (
      &x, tp_node_has_input (node, in->x_zero) ? inputs[in->x_zero] : NULL,
      pick_of_row);
  g_autofree double *w_values = tp_integer_shift (
      &w, tp_node_has_input (node, in->w_zero) ? inputs[in->w_zero] : NULL,
      pick_of_column);

  x.data = x_values;
  w.data = w_values;
  tp_matmul_reference (&x, &w, out->data);
  for (gint64 i = 0; i < out->count; i++)
    {
      double scales[] = { pick_scale (inputs, in->x_scale, out, i, TRUE),
                          pick_scale (inputs, in->w_scale, out, i, FALSE) };

      out->data[i]
          = tp_integer_requantize (node, inputs, out->data[i], scales);
    }
}

/* ---- records ------------------------------------------------------------ */

#define INTEGER_MATMUL                                                        \
  .kind = TP_OP_CONTRACT, .n_outputs_max = 1,                                 \
  .flags = TP_OP_ANY_STRIDES | TP_OP_OF_BYTES,                                \
  .tolerance = 0.0, .infer = integer_matmul_infer,                            \
  .lower = integer_matmul_lower, .reference = integer_matmul_reference

static const TpIntegerInputs plain = TP_INTEGER_PLAIN;

const TpOp tp_op_matmul_integer = {
  .name = "MatMulInteger",
  INTEGER_MATMUL,
  .n_inputs_min = 2,
  .n_inputs_max = 4,
  .data = &plain,
};

static const TpIntegerInputs quantized
    = { .w = 3, .x_zero = 2, .w_zero = 5, .x_scale = 1, .w_scale = 4,
        .y_scale = 6, .y_zero = 7, .bias = -1 };

const TpOp tp_op_qlinear_matmul = {
  .name = "QLinearMatMul",
  INTEGER_MATMUL,
  .n_inputs_min = 8,
  .n_inputs_max = 8,
  .data = &quantized,
};
