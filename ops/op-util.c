/* op-util.c: what the files of ops share. */
#include "config.h"

#include "ops/op-util.h"

#include "ir/graph-value.h"
#include "ir/guard.h"

#include <math.h>
#include <string.h>

const TpAttrSpec tp_attrs_axis[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpAttrSpec tp_attrs_alpha[] = {
  { "alpha", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

/* ---- errors ------------------------------------------------------------ */

static gboolean
op_error (const TpNode *node, TplanError code, GError **error,
          const char *format, va_list args)
{
  g_autofree char *what = g_strdup_vprintf (format, args);

  g_set_error (error, TPLAN_ERROR, code, "op '%s': %s", node->name, what);
  return FALSE;
}

gboolean
tp_op_fail (const TpNode *node, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  op_error (node, TPLAN_ERROR_INPUT, error, format, args);
  va_end (args);
  return FALSE;
}

gboolean
tp_op_refuse (const TpNode *node, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  op_error (node, TPLAN_ERROR_UNSUPPORTED, error, format, args);
  va_end (args);
  return FALSE;
}

gboolean
tp_node_check_indices (const TpNode *node, const TpTensor *indices,
                       GError **error)
{
  if (tp_dtype_get (indices->dtype)->is_index)
    return TRUE;
  return tp_op_fail (node, error, "input 1 is %s, indices are integers",
                     tp_dtype_get_name (indices->dtype));
}

char *
tp_dims_to_text (int rank, const gint64 *dims)
{
  GString *text = g_string_new ("[");

  for (int i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            dims[i]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* ---- shapes ------------------------------------------------------------ */

gboolean
tp_node_has_input (const TpNode *node, int i)
{
  return i < node->n_inputs && node->inputs[i] >= 0;
}

gboolean
tp_axis_resolve (const TpNode *node, gint64 axis, int rank, int *out_axis,
                 GError **error)
{
  if (axis < -rank || axis >= rank)
    return tp_op_fail (node, error,
                       "axis %" G_GINT64_FORMAT " is not in %d..%d", axis,
                       -rank, rank - 1);
  *out_axis = axis < 0 ? axis + rank : axis;
  return TRUE;
}

gboolean
tp_node_get_axis (const TpNode *node, gint64 fallback, int rank, int *out_axis,
                  GError **error)
{
  return tp_axis_resolve (node, tp_node_get_int (node, "axis", fallback), rank,
                          out_axis, error);
}

void
tp_shape_copy (TpShape *shape, const TpTensor *tensor)
{
  shape->dtype = tensor->dtype;
  shape->rank = tensor->rank;
  memcpy (shape->dims, tensor->dims, tensor->rank * sizeof shape->dims[0]);
}

gboolean
tp_input_get_ints (const TpNode *node, const TpTensor *const *inputs, int i,
                   TpInts *out, GError **error)
{
  const TpTensor *input = inputs[i];
  g_autofree double *values = NULL;

  if (!tp_tensor_is_constant (input))
    return tp_op_refuse (node, error,
                         "input %d ('%s') must be a constant: fold it when "
                         "exporting",
                         i, input->name);
  if (input->rank > 1 || input->count > out->max)
    return tp_op_fail (node, error,
                       "input %d ('%s') has rank %d and %" G_GINT64_FORMAT
                       " elements, expected a list of at most %d",
                       i, input->name, input->rank, input->count, out->max);
  values = tp_new (double, input->count + 1);
  tp_tensor_write_doubles (input, values);
  for (int k = 0; k < input->count; k++)
    {
      if (!(values[k] >= -9.3e18 && values[k] <= 9.3e18))
        return tp_op_fail (node, error, "input %d ('%s') holds %g", i,
                           input->name, values[k]);
      out->values[k] = values[k] >= 9.2e18    ? G_MAXINT64
                       : values[k] <= -9.2e18 ? G_MININT64
                                              : (gint64)values[k];
    }
  out->n = input->count;
  return TRUE;
}

gboolean
tp_infer_one_dtype (const TpNode *node, const TpTensor *const *inputs,
                    GError **error)
{
  for (int i = 1; i < node->n_inputs; i++)
    if (inputs[i] != NULL && inputs[i]->dtype != inputs[0]->dtype)
      return tp_op_fail (node, error, "input %d is %s, input 0 is %s", i,
                         tp_dtype_get_name (inputs[i]->dtype),
                         tp_dtype_get_name (inputs[0]->dtype));
  return TRUE;
}

gboolean
tp_infer_alike (const TpNode *node, const TpTensor *const *inputs,
                GError **error)
{
  const TpDtypeRow *row = tp_dtype_get (inputs[0]->dtype);

  for (int i = 1; i < node->n_inputs; i++)
    if (inputs[i] != NULL
        && (tp_dtype_get (inputs[i]->dtype)->class != row->class
            || tp_dtype_get (inputs[i]->dtype)->compute != row->compute))
      return tp_op_fail (node, error, "input %d is %s, which is not computed as "
                         "%s of input 0 is: cast it", i,
                         tp_dtype_get_name (inputs[i]->dtype),
                         tp_dtype_get_name (inputs[0]->dtype));
  return TRUE;
}

gboolean
tp_infer_same (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  tp_shape_copy (&outputs[0], inputs[0]);
  return TRUE;
}

static gboolean
shape_broadcast (const TpNode *node, TpShape *shape, const TpTensor *input,
                 GError **error)
{
  TpShape wide = *shape;

  wide.rank = MAX (shape->rank, input->rank);
  for (int i = 0; i < wide.rank; i++)
    {
      int k = i - (wide.rank - shape->rank);
      int j = i - (wide.rank - input->rank);
      gint64 a = k < 0 ? 1 : shape->dims[k];
      gint64 b = j < 0 ? 1 : input->dims[j];

      if (a != b && a != 1 && b != 1)
        {
          g_autofree char *first = tp_dims_to_text (shape->rank, shape->dims);
          g_autofree char *second = tp_dims_to_text (input->rank, input->dims);

          return tp_op_fail (node, error, "shapes %s and %s do not broadcast",
                             first, second);
        }
      wide.dims[i] = a == 1 ? b : a;
    }
  *shape = wide;
  return TRUE;
}

gboolean
tp_infer_broadcast_any (const TpNode *node, const TpTensor *const *inputs,
                        TpShape *outputs, GError **error)
{
  tp_shape_copy (&outputs[0], inputs[0]);
  for (int i = 1; i < node->n_inputs; i++)
    {
      if (inputs[i] == NULL)
        return tp_op_fail (node, error, "input %d may not be left out", i);
      if (!shape_broadcast (node, &outputs[0], inputs[i], error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_infer_broadcast (const TpNode *node, const TpTensor *const *inputs,
                    TpShape *outputs, GError **error)
{
  return tp_infer_broadcast_any (node, inputs, outputs, error)
         && tp_infer_one_dtype (node, inputs, error);
}

/* Where dimension 0 of input @i of @rank dimensions meets the output. */
static int
align (const TpNode *node, int i, int rank, int out_rank)
{
  return node->op->align != NULL ? node->op->align (node, i, rank, out_rank)
                                 : out_rank - rank;
}

/* ---- lowering ---------------------------------------------------------- */

int
tp_lowered_get_tensor (TpLowered *lowered, const TpGraph *graph, int tensor)
{
  const TpTensor *t = &graph->tensors[tensor];

  for (int i = 0; i < lowered->n_operands; i++)
    if (lowered->operands[i].tensor == tensor)
      return i;
  return tp_lowered_add_operand (
      lowered, &(TpOperand){ .tensor = tensor,
                             .dtype = t->dtype,
                             .n_elements = t->count,
                             .is_constant = tp_tensor_is_constant (t) });
}

TpLowering
tp_lowering_new_output (const TpGraph *graph, const TpNode *node,
                        TpLowered *lowered, int i)
{
  TpLowering lowering = { graph, node, lowered,
                          &graph->tensors[node->outputs[i]], tp_nest_new () };

  lowering.nest->store.operand =
      tp_lowered_get_tensor (lowered, graph, node->outputs[i]);
  lowering.nest->store.dtype = lowering.out->dtype;
  return lowering;
}

TpLowering
tp_lowering_new (const TpGraph *graph, const TpNode *node, TpLowered *lowered)
{
  return tp_lowering_new_output (graph, node, lowered, 0);
}

void
tp_lowering_clear (TpLowering *lowering)
{
  g_clear_pointer (&lowering->nest, tp_nest_free);
}

const TpTensor *
tp_lowering_get_input (const TpLowering *lowering, int i)
{
  if (!tp_node_has_input (lowering->node, i))
    return NULL;
  return &lowering->graph->tensors[lowering->node->inputs[i]];
}

int
tp_lowering_add_axis (TpLowering *lowering, gint64 extent, gint64 stride)
{
  int axis = tp_nest_add_axis (lowering->nest, extent, FALSE);

  lowering->nest->store.stride[axis] = stride;
  return axis;
}

void
tp_lowering_add_output_axes (TpLowering *lowering)
{
  const TpTensor *out = lowering->out;

  for (int i = 0; i < out->rank; i++)
    tp_lowering_add_axis (lowering, out->dims[i], out->strides[i]);
}

int
tp_lowering_add_reduce_axis (TpLowering *lowering, gint64 extent)
{
  return extent == 1 ? -1 : tp_nest_add_axis (lowering->nest, extent, TRUE);
}

TpAccess *
tp_lowering_add_load (TpLowering *lowering, int i)
{
  int operand = tp_lowered_get_tensor (lowering->lowered, lowering->graph,
                                       lowering->node->inputs[i]);
  TpAccess *load = tp_nest_add_load (lowering->nest, operand);

  load->dtype = lowering->lowered->operands[operand].dtype;
  return load;
}

int
tp_lowering_last_load (TpLowering *lowering)
{
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

int
tp_lowering_copy_dense (const TpLowering *like, int i, gint64 *out_strides)
{
  g_auto (TpLowering) copy
      = tp_lowering_new (like->graph, like->node, like->lowered);
  const TpTensor *x = tp_lowering_get_input (&copy, i);
  int to = tp_lowered_add_scratch (copy.lowered, x->dtype, x->count);
  TpAccess *load = tp_lowering_add_load (&copy, i);
  gint64 step = 1;

  memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
  copy.nest->store = (TpAccess){ .operand = to, .dtype = x->dtype, .index = -1 };
  for (int k = x->rank - 1; k >= 0; step *= x->dims[k--])
    out_strides[k] = step;
  for (int k = 0; k < x->rank; k++)
    tp_lowering_add_axis (&copy, x->dims[k], out_strides[k]);
  tp_lowering_finish (&copy, tp_lowering_last_load (&copy));
  return to;
}

void
tp_access_pick (TpAccess *load, const TpTensor *x, int axis, int index)
{
  load->index = index;
  load->index_stride = x->strides[axis];
  load->index_extent = x->dims[axis];
}

/* The number that constant @input of one element is. */
static int
lowering_const (TpLowering *lowering, const TpTensor *input)
{
  double value = 0.0;
  gint64 memory = 0, exact = 0; /* a double may be too narrow */

  if (!tp_dtype_is_integer (input->dtype))
    {
      tp_tensor_write_doubles (input, &value);
      return tp_nest_convert (lowering->nest,
                              tp_nest_const (lowering->nest, value),
                              input->dtype);
    }
  tp_tensor_write_value (input, &memory);
  tp_dtype_get (input->dtype)->load_integers (&memory, 1, 1, &exact);
  return tp_nest_const_integer (lowering->nest, exact);
}

int
tp_lowering_load_broadcast (TpLowering *lowering, int i)
{
  const TpTensor *input = tp_lowering_get_input (lowering, i);
  TpAccess *load = NULL;
  int first = 0;

  if (tp_tensor_is_constant (input) && input->count == 1)
    return lowering_const (lowering, input);
  load = tp_lowering_add_load (lowering, i);
  first = align (lowering->node, i, input->rank, lowering->out->rank);
  for (int k = 0; k < input->rank; k++)
    if (input->dims[k] != 1)
      load->stride[first + k] = input->strides[k];
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

int
tp_lowering_number_points (TpLowering *lowering)
{
  const TpTensor *out = lowering->out;
  TpAccess *load = tp_nest_add_load (
      lowering->nest, tp_lowered_add_iota (lowering->lowered, out->count));
  gint64 step = 1;

  load->dtype = TPLAN_DTYPE_INT64;
  for (int i = out->rank - 1; i >= 0; step *= out->dims[i--])
    load->stride[i] = step;
  return tp_lowering_last_load (lowering);
}

int
tp_lowering_reduce (TpLowering *lowering, TpCombiner combiner, int expr)
{
  TpNest *nest = lowering->nest;

  if (combiner == TP_COMBINE_PLACE && nest->exprs[expr].is_double)
    expr = tp_nest_unary (nest, TP_EXPR_ORDER, expr);
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      return tp_nest_stage (nest, tp_nest_add_stage (nest, combiner, expr));
  return expr;
}

gboolean
tp_lowering_finish (TpLowering *lowering, int result)
{
  TpNest *nest = lowering->nest;

  /* of numbers alone, or of what is 0 or 1, a real is single */
  if (!nest->exprs[result].is_integer
      && !tp_dtype_is_integer (nest->store.dtype))
    result = tp_nest_convert (nest, result, nest->store.dtype);
  nest->result = result;
  tp_lowered_take_nest (lowering->lowered, g_steal_pointer (&lowering->nest));
  return TRUE;
}

gboolean
tp_lower_map (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  g_autofree int *x = tp_new (int, node->n_inputs + 1);

  tp_lowering_add_output_axes (&lowering);
  for (int i = 0; i < node->n_inputs; i++)
    x[i] = tp_node_has_input (node, i)
               ? tp_lowering_load_broadcast (&lowering, i)
               : -1;
  return tp_lowering_finish (&lowering,
                             node->op->map_expr (node, lowering.nest, x));
}

gboolean
tp_lower_pass (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  tp_lowering_add_output_axes (&lowering);
  return tp_lowering_finish (&lowering,
                             tp_lowering_load_broadcast (&lowering, 0));
}

/* ---- references -------------------------------------------------------- */

gint64
tp_dims_product (const gint64 *dims, int first, int end)
{
  gint64 product = 1;

  for (int i = first; i < end; i++)
    product *= dims[i];
  return product;
}

gboolean
tp_dims_next (int rank, const gint64 *dims, gint64 *at)
{
  for (int i = rank - 1; i >= 0; i--)
    {
      if (++at[i] < dims[i])
        return TRUE;
      at[i] = 0;
    }
  return FALSE;
}

/* Where in row-major @input the element broadcast to @at lies, when dimension 0
 * meets that of @at[0]. */
static gint64
broadcast_index (const TpRefTensor *input, const gint64 *at)
{
  gint64 index = 0;

  for (int i = 0; i < input->rank; i++)
    index = index * input->dims[i] + (input->dims[i] == 1 ? 0 : at[i]);
  return index;
}

/* By fours, which a compiler that is told to be quick makes vectors of. */
#define STEP 4

void
tp_reference_add_scaled (double *restrict out, const double *restrict x,
                         double factor, gint64 n)
{
  gint64 i = 0;

  for (; i + STEP <= n; i += STEP)
    for (int k = 0; k < STEP; k++)
      out[i + k] += factor * x[i + k];
  for (; i < n; i++)
    out[i] += factor * x[i];
}

double
tp_reference_get_broadcast (const TpRefTensor *input, const TpRefTensor *out,
                            const gint64 *at)
{
  return input->data[broadcast_index (input, at + out->rank - input->rank)];
}

double
tp_reference_to_integer (double value, TpDtype dtype)
{
  value = trunc (value);
  if (!isfinite (value))
    return 0.0;
  if (fabs (value) >= 0x1p53)
    return value;
  return (double)tp_dtype_wrap (dtype, (gint64)value);
}

/* Where the element of input @i lies that meets the one at @at of @out. */
static gint64
map_index (const TpNode *node, int i, const TpRefTensor *input,
           const TpRefTensor *out, const gint64 *at)
{
  return broadcast_index (input, at + align (node, i, input->rank, out->rank));
}

void
tp_reference_map (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  TpRefTensor *out = &outputs[0];
  g_autofree double *x = tp_new0 (double, node->n_inputs + 1);
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 k = 0; k < out->count; k++)
    {
      for (int i = 0; i < node->n_inputs; i++)
        if (inputs[i] != NULL)
          x[i] = inputs[i]->data[inputs[i]->count == out->count
                                     ? k
                                     : map_index (node, i, inputs[i], out, at)];
      out->data[k] = node->op->map_value (node, x);
      if (tp_dtype_is_integer (out->dtype))
        out->data[k] = tp_reference_to_integer (out->data[k], out->dtype);
      tp_dims_next (out->rank, out->dims, at);
    }
}

void
tp_reference_map_integers (const TpNode *node, const TpRefTensor *const *inputs,
                           TpRefTensor *outputs)
{
  TpRefTensor *out = &outputs[0];
  g_autofree gint64 *x = tp_new0 (gint64, node->n_inputs + 1);
  gint64 at[TP_MAX_RANK] = { 0 };
  /* CastLike takes but the type of the other. */
  int n = (node->op->flags & TP_OP_COPIES) != 0 ? 1 : node->n_inputs;

  for (gint64 k = 0; k < out->count; k++)
    {
      for (int i = 0; i < n; i++)
        if (inputs[i] != NULL)
          x[i] = inputs[i]->integers[map_index (node, i, inputs[i], out, at)];
      out->integers[k]
          = tp_dtype_wrap (out->dtype, node->op->map_integer (node, x));
      tp_dims_next (out->rank, out->dims, at);
    }
}

void
tp_reference_copy (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  memcpy (outputs[0].data, inputs[0]->data, outputs[0].count * sizeof (double));
}
