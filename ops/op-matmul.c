/* op-matmul.c: products of matrices. */
#include "config.h"

#include "ops/op-matmul.h"

#include "ir/guard.h"

#include <string.h>

/* A vector counts as a row on the left and as a column on the right; the
 * dimension put in is left out of the result. */
typedef struct
{
  int rank; /* of a, b and the result, after promotion */
  gint64 m, n, k;
  gint64 a[TP_MAX_RANK];
  gint64 b[TP_MAX_RANK];
  gboolean is_a_vector, is_b_vector;
} MatMul;

static gboolean
matmul_promote (const gint64 *dims, int rank, int wide, gboolean is_left,
                gint64 *out)
{
  gboolean is_vector = rank == 1;

  for (int i = 0; i < wide; i++)
    out[i] = 1;
  if (is_vector)
    out[is_left ? wide - 1 : wide - 2] = dims[0];
  else
    memcpy (out + wide - rank, dims, rank * sizeof dims[0]);
  return is_vector;
}

static MatMul
matmul_new (int a_rank, const gint64 *a, int b_rank, const gint64 *b)
{
  MatMul mm = { .rank = MAX (2, MAX (a_rank, b_rank)) };

  mm.is_a_vector = matmul_promote (a, a_rank, mm.rank, TRUE, mm.a);
  mm.is_b_vector = matmul_promote (b, b_rank, mm.rank, FALSE, mm.b);
  mm.m = mm.a[mm.rank - 2];
  mm.k = mm.a[mm.rank - 1];
  mm.n = mm.b[mm.rank - 1];
  return mm;
}

gboolean
tp_matmul_infer_shape (const TpNode *node, const TpTensor *const *inputs,
                       int second, TpShape *out, GError **error)
{
  const TpTensor *a = inputs[0];
  const TpTensor *b = inputs[second];
  MatMul mm;

  if (a->rank == 0 || b->rank == 0)
    return tp_op_fail (node, error, "input %d is a scalar",
                       a->rank != 0 ? second : 0);
  mm = matmul_new (a->rank, a->dims, b->rank, b->dims);
  if (mm.k != mm.b[mm.rank - 2])
    return tp_op_fail (node, error,
                       "input 0 has %" G_GINT64_FORMAT
                       " columns, input %d has %" G_GINT64_FORMAT " rows",
                       mm.k, second, mm.b[mm.rank - 2]);
  out->rank = 0;
  for (int i = 0; i < mm.rank - 2; i++)
    {
      if (mm.a[i] != mm.b[i] && mm.a[i] != 1 && mm.b[i] != 1)
        return tp_op_fail (node, error,
                           "batch dimension %d is %" G_GINT64_FORMAT
                           " and %" G_GINT64_FORMAT,
                           i, mm.a[i], mm.b[i]);
      out->dims[out->rank++] = mm.a[i] == 1 ? mm.b[i] : mm.a[i];
    }
  if (!mm.is_a_vector)
    out->dims[out->rank++] = mm.m;
  if (!mm.is_b_vector)
    out->dims[out->rank++] = mm.n;
  return TRUE;
}

static gboolean
matmul_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  outputs[0].dtype = inputs[0]->dtype;
  return tp_matmul_infer_shape (node, inputs, 1, &outputs[0], error)
         && tp_infer_one_dtype (node, inputs, error);
}

/* Strides of the batch dimensions of @input in the first axes. */
static void
matmul_set_batch (TpAccess *load, const TpTensor *input, int n_batch)
{
  int own = input->rank - 2;

  for (int i = 0; i < own; i++)
    if (input->dims[i] != 1)
      load->stride[n_batch - own + i] = input->strides[i];
}

int
tp_matmul_get_row (const TpTensor *a, const TpTensor *b)
{
  return MAX (2, MAX (a->rank, b->rank)) - 2;
}

/* The two factors, which are laid out as @a and @b. */
static void
add_loads (TpLowering *lowering, int second, const TpTensor *a,
           const TpTensor *b, int *out_factors)
{
  int n_batch = tp_matmul_get_row (a, b);
  int column = n_batch + (a->rank > 1); /* axis of the result's columns */
  int k = -1;
  TpAccess *load = NULL;

  tp_lowering_add_output_axes (lowering);
  k = tp_lowering_add_reduce_axis (lowering, a->dims[a->rank - 1]);
  load = tp_lowering_add_load (lowering, 0);
  matmul_set_batch (load, a, n_batch);
  if (a->rank > 1)
    load->stride[n_batch] = a->strides[a->rank - 2];
  if (k >= 0)
    load->stride[k] = a->strides[a->rank - 1];
  load = tp_lowering_add_load (lowering, second);
  matmul_set_batch (load, b, n_batch);
  if (b->rank > 1)
    load->stride[column] = b->strides[b->rank - 1];
  if (k >= 0)
    load->stride[k] = b->strides[b->rank > 1 ? b->rank - 2 : 0];
  out_factors[0] = tp_nest_load (lowering->nest, 0);
  out_factors[1] = tp_nest_load (lowering->nest, 1);
}

void
tp_matmul_add_loads (TpLowering *lowering, int second, int *out_factors)
{
  add_loads (lowering, second, tp_lowering_get_input (lowering, 0),
             tp_lowering_get_input (lowering, second), out_factors);
}

/* Expression: the product of inputs 0 and 1, which are laid out as @a and @b. */
static int
matmul_expr (TpLowering *lowering, const TpTensor *a, const TpTensor *b)
{
  int factors[2];

  add_loads (lowering, 1, a, b, factors);
  return tp_lowering_reduce (lowering, TP_COMBINE_SUM,
                             tp_nest_binary (lowering->nest, TP_EXPR_MUL,
                                             factors[0], factors[1]));
}

static gboolean
matmul_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  return tp_lowering_finish (
      &lowering, matmul_expr (&lowering, tp_lowering_get_input (&lowering, 0),
                              tp_lowering_get_input (&lowering, 1)));
}

static void
matmul_add_product (const MatMul *mm, const double *a, const double *b,
                    double *out)
{
  memset (out, 0, mm->m * mm->n * sizeof *out);
  for (gint64 i = 0; i < mm->m; i++)
    for (gint64 k = 0; k < mm->k; k++)
      tp_reference_add_scaled (out + i * mm->n, b + k * mm->n,
                               a[i * mm->k + k], mm->n);
}

void
tp_matmul_reference (const TpRefTensor *x, const TpRefTensor *y, double *out)
{
  MatMul mm = matmul_new (x->rank, x->dims, y->rank, y->dims);
  gint64 at[TP_MAX_RANK] = { 0 };
  gint64 batch[TP_MAX_RANK];

  for (int i = 0; i < mm.rank - 2; i++)
    batch[i] = MAX (mm.a[i], mm.b[i]);
  do
    {
      gint64 a = 0;
      gint64 b = 0;

      for (int i = 0; i < mm.rank - 2; i++)
        {
          a = a * mm.a[i] + (mm.a[i] == 1 ? 0 : at[i]);
          b = b * mm.b[i] + (mm.b[i] == 1 ? 0 : at[i]);
        }
      matmul_add_product (&mm, x->data + a * mm.m * mm.k,
                          y->data + b * mm.k * mm.n, out);
      out += mm.m * mm.n;
    }
  while (tp_dims_next (mm.rank - 2, batch, at));
}

static void
matmul_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  tp_matmul_reference (inputs[0], inputs[1], outputs[0].data);
}

static gint64
count_sums (const TpTensor *output, gint64 n_terms)
{
  gint64 n;

  return tp_size_mul (output->count, n_terms, &n) ? n : G_MAXINT64;
}

static gint64
matmul_count_products (const TpNode *node, const TpTensor *const *inputs,
                       const TpTensor *output)
{
  return count_sums (output, inputs[0]->dims[inputs[0]->rank - 1]);
}

const TpOp tp_op_matmul = {
  .name = "MatMul",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .flags = TP_OP_ANY_STRIDES,
  .tolerance = 1e-5,
  .infer = matmul_infer,
  .lower = matmul_lower,
  .reference = matmul_reference,
  .products = TP_PRODUCT (TP_MOVES (0) | TP_MOVES (1)),
  .count_products = matmul_count_products,
};

/* ---- Gemm: alpha * a' b' + beta * c ------------------------------------- */

typedef struct
{
  gboolean is_a_transposed, is_b_transposed;
  double alpha, beta;
} Gemm;

static Gemm
gemm_new (const TpNode *node)
{
  return (Gemm){ tp_node_get_int (node, "transA", 0) != 0,
                 tp_node_get_int (node, "transB", 0) != 0,
                 tp_node_get_float (node, "alpha", 1.0),
                 tp_node_get_float (node, "beta", 1.0) };
}

static gboolean
gemm_check_c (const TpNode *node, const TpTensor *c, const TpShape *out,
              GError **error)
{
  for (int i = 0; c != NULL && i < c->rank; i++)
    {
      int k = out->rank - c->rank + i;

      if (k < 0 || (c->dims[i] != 1 && c->dims[i] != out->dims[k]))
        {
          g_autofree char *own = tp_dims_to_text (c->rank, c->dims);
          g_autofree char *wanted = tp_dims_to_text (out->rank, out->dims);

          return tp_op_fail (node, error,
                             "input 2 has shape %s, which does not broadcast "
                             "to %s",
                             own, wanted);
        }
    }
  return TRUE;
}

static gboolean
gemm_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  Gemm gemm = gemm_new (node);
  const TpTensor *a = inputs[0];
  const TpTensor *b = inputs[1];
  TpShape *out = &outputs[0];

  for (int i = 0; i < 2; i++)
    if (inputs[i]->rank != 2)
      return tp_op_fail (node, error,
                         "input %d has rank %d, Gemm wants 2: put a Flatten "
                         "before it",
                         i, inputs[i]->rank);
  if (a->dims[!gemm.is_a_transposed] != b->dims[gemm.is_b_transposed])
    return tp_op_fail (node, error,
                       "input 0 has %" G_GINT64_FORMAT
                       " columns, input 1 has %" G_GINT64_FORMAT
                       " rows (transA = %d, transB = %d)",
                       a->dims[!gemm.is_a_transposed],
                       b->dims[gemm.is_b_transposed], gemm.is_a_transposed,
                       gemm.is_b_transposed);
  out->dtype = a->dtype;
  out->rank = 2;
  out->dims[0] = a->dims[gemm.is_a_transposed];
  out->dims[1] = b->dims[!gemm.is_b_transposed];
  return gemm_check_c (node, node->n_inputs > 2 ? inputs[2] : NULL, out, error)
         && tp_infer_one_dtype (node, inputs, error);
}

static int
gemm_scale (TpNest *nest, int expr, double factor)
{
  if (factor == 1.0)
    return expr;
  return tp_nest_binary (nest, TP_EXPR_MUL, expr, tp_nest_const (nest, factor));
}

static gboolean
gemm_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
            GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  Gemm gemm = gemm_new (node);
  const TpTensor *a = tp_lowering_get_input (&lowering, 0);
  const TpTensor *b = tp_lowering_get_input (&lowering, 1);
  TpNest *nest = lowering.nest;
  TpAccess *load = NULL;
  int k = -1;
  int result = -1;

  tp_lowering_add_output_axes (&lowering);
  k = tp_lowering_add_reduce_axis (&lowering, a->dims[!gemm.is_a_transposed]);
  load = tp_lowering_add_load (&lowering, 0);
  load->stride[0] = a->strides[gemm.is_a_transposed];
  if (k >= 0)
    load->stride[k] = a->strides[!gemm.is_a_transposed];
  load = tp_lowering_add_load (&lowering, 1);
  load->stride[1] = b->strides[!gemm.is_b_transposed];
  if (k >= 0)
    load->stride[k] = b->strides[gemm.is_b_transposed];
  result = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                           tp_nest_load (nest, 1));
  result = tp_lowering_reduce (&lowering, TP_COMBINE_SUM, result);
  result = gemm_scale (nest, result, gemm.alpha);
  if (tp_node_has_input (node, 2) && gemm.beta != 0.0)
    result = tp_nest_binary (
        nest, TP_EXPR_ADD, result,
        gemm_scale (nest, tp_lowering_load_broadcast (&lowering, 2),
                    gemm.beta));
  return tp_lowering_finish (&lowering, result);
}

/* Row @i of the product, along the rows of @b: columns miss the cache. */
static void
gemm_get_row (const Gemm *gemm, const TpRefTensor *a, const TpRefTensor *b,
              gint64 i, double *out)
{
  gint64 n_sum = a->dims[!gemm->is_a_transposed];
  gint64 n = b->dims[!gemm->is_b_transposed];
  const double *x = a->data + (gemm->is_a_transposed ? i : i * a->dims[1]);
  gint64 x_step = gemm->is_a_transposed ? a->dims[1] : 1;

  memset (out, 0, n * sizeof *out);
  if (gemm->is_b_transposed)
    for (gint64 j = 0; j < n; j++)
      for (gint64 k = 0; k < n_sum; k++)
        out[j] += x[k * x_step] * b->data[j * n_sum + k];
  else
    for (gint64 k = 0; k < n_sum; k++)
      tp_reference_add_scaled (out, b->data + k * n, x[k * x_step], n);
}

static double
gemm_get_c (const TpRefTensor *c, gint64 i, gint64 j)
{
  gint64 at[2] = { i, j };
  gint64 index = 0;

  for (int k = 0; k < c->rank; k++)
    index = index * c->dims[k] + (c->dims[k] == 1 ? 0 : at[2 - c->rank + k]);
  return c->data[index];
}

static void
gemm_reference (const TpNode *node, const TpRefTensor *const *inputs,
                TpRefTensor *outputs)
{
  Gemm gemm = gemm_new (node);
  TpRefTensor *out = &outputs[0];

  for (gint64 i = 0; i < out->dims[0]; i++)
    {
      double *row = &out->data[i * out->dims[1]];

      gemm_get_row (&gemm, inputs[0], inputs[1], i, row);
      for (gint64 j = 0; j < out->dims[1]; j++)
        {
          row[j] *= gemm.alpha;
          if (tp_node_has_input (node, 2))
            row[j] += gemm.beta * gemm_get_c (inputs[2], i, j);
        }
    }
}

static const TpAttrSpec gemm_attrs[] = {
  { "alpha", TP_ATTR_FLOAT, FALSE },
  { "beta", TP_ATTR_FLOAT, FALSE },
  { "transA", TP_ATTR_INT, FALSE },
  { "transB", TP_ATTR_INT, FALSE },
  { "broadcast", TP_ATTR_INT, FALSE }, /* before opset 7; so is it always */
  { 0 },
};

static gint64
gemm_count_products (const TpNode *node, const TpTensor *const *inputs,
                     const TpTensor *output)
{
  return count_sums (output,
                     inputs[0]->dims[gemm_new (node).is_a_transposed ? 0 : 1]);
}

const TpOp tp_op_gemm = {
  .name = "Gemm",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 2,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = gemm_attrs,
  .tolerance = 1e-5,
  .infer = gemm_infer,
  .lower = gemm_lower,
  .reference = gemm_reference,
  .count_products = gemm_count_products,
  .products = TP_PRODUCT (TP_MOVES (0) | TP_MOVES (1), TP_MOVES (2)),
};

/* ---- FusedMatMul: alpha * a' b', of ONNX Runtime ------------------------- */

/* One value per dimension of input @i, in the order in which the product has them:
 * transBatchA puts the first behind the others of the batch, and transA makes the
 * last two change places then. */
static void
turn_list (const TpNode *node, int i, int rank, gint64 *values)
{
  const char *batch = i == 0 ? "transBatchA" : "transBatchB";
  gint64 first = values[0];
  gint64 last = 0;

  if (rank < 2)
    return;
  if (tp_node_get_int (node, batch, 0) != 0)
    {
      memmove (values, values + 1, (rank - 2) * sizeof values[0]);
      values[rank - 2] = first;
    }
  if (tp_node_get_int (node, i == 0 ? "transA" : "transB", 0) == 0)
    return;
  last = values[rank - 1];
  values[rank - 1] = values[rank - 2];
  values[rank - 2] = last;
}

typedef struct
{
  TpTensor tensor;            /* to be read only where this is */
  gint64 dims[TP_MAX_RANK], strides[TP_MAX_RANK];
} Turned;

static void
turn (const TpNode *node, int i, const TpTensor *x, Turned *turned)
{
  gsize size = x->rank * sizeof x->dims[0];

  turned->tensor = *x;
  turned->tensor.dims = memcpy (turned->dims, x->dims, size);
  turned->tensor.strides = memcpy (turned->strides, x->strides, size);
  turn_list (node, i, x->rank, turned->dims);
  turn_list (node, i, x->rank, turned->strides);
}

static gboolean
fused_matmul_infer (const TpNode *node, const TpTensor *const *inputs,
                    TpShape *outputs, GError **error)
{
  Turned a, b;

  turn (node, 0, inputs[0], &a);
  turn (node, 1, inputs[1], &b);
  if (tp_dtype_is_integer (inputs[0]->dtype))
    return tp_op_fail (node, error, "input 0 is %s, must be of reals",
                       tp_dtype_get_name (inputs[0]->dtype));
  return matmul_infer (node, (const TpTensor *[]){ &a.tensor, &b.tensor },
                       outputs, error);
}

static gboolean
fused_matmul_lower (const TpGraph *graph, const TpNode *node,
                    TpLowered *lowered, GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  Turned a, b;

  turn (node, 0, tp_lowering_get_input (&lowering, 0), &a);
  turn (node, 1, tp_lowering_get_input (&lowering, 1), &b);
  return tp_lowering_finish (
      &lowering, gemm_scale (lowering.nest, matmul_expr (&lowering, &a.tensor, &b.tensor),
                             tp_node_get_float (node, "alpha", 1.0)));
}

/* @x turned, element by element; what it points to is the caller's. */
static TpRefTensor
turn_values (const TpNode *node, int i, const TpRefTensor *x)
{
  TpRefTensor turned = *x;
  gint64 strides[TP_MAX_RANK] = { 0 }, at[TP_MAX_RANK] = { 0 };
  gint64 stride = 1;

  for (int k = x->rank - 1; k >= 0; stride *= x->dims[k--])
    strides[k] = stride;
  turn_list (node, i, x->rank, turned.dims);
  turn_list (node, i, x->rank, strides);
  turned.data = tp_new (double, x->count);
  for (gint64 k = 0; k < x->count; k++)
    {
      gint64 source = 0;

      for (int d = 0; d < x->rank; d++)
        source += at[d] * strides[d];
      turned.data[k] = x->data[source];
      tp_dims_next (x->rank, turned.dims, at);
    }
  return turned;
}

static void
fused_matmul_reference (const TpNode *node, const TpRefTensor *const *inputs,
                        TpRefTensor *outputs)
{
  double alpha = tp_node_get_float (node, "alpha", 1.0);
  TpRefTensor a = turn_values (node, 0, inputs[0]);
  g_autofree double *a_data = a.data;
  TpRefTensor b = turn_values (node, 1, inputs[1]);
  g_autofree double *b_data = b.data;

  matmul_reference (node, (const TpRefTensor *[]){ &a, &b }, outputs);
  for (gint64 i = 0; i < outputs[0].count; i++)
    outputs[0].data[i] *= alpha;
}

static const TpAttrSpec fused_matmul_attrs[] = {
  { "alpha", TP_ATTR_FLOAT, FALSE },     { "transA", TP_ATTR_INT, FALSE },
  { "transB", TP_ATTR_INT, FALSE },      { "transBatchA", TP_ATTR_INT, FALSE },
  { "transBatchB", TP_ATTR_INT, FALSE }, { 0 },
};

const TpOp tp_op_fused_matmul = {
  .name = "com.microsoft.FusedMatMul",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = fused_matmul_attrs,
  .flags = TP_OP_ANY_STRIDES,
  .tolerance = 1e-5,
  .infer = fused_matmul_infer,
  .lower = fused_matmul_lower,
  .reference = fused_matmul_reference,
};
