/* op-interpolate.c: Interpolate: weighted sums of elements named along one
 * dimension.
 *
 *   y[.., o, ..] = sum over t of weights[t, o] * x[.., indices[t, o], ..]
 *
 * What one dimension of a Resize is; put into graphs by tp_graph_simplify (). */
#include "config.h"

#include "ops/resize.h"

#include <string.h>

#define MAX_UNROLLED 4        /* taps that are loaded one by one */

enum
{
  X,
  INDICES,
  WEIGHTS,
};

static gboolean
interpolate_infer (const TpNode *node, const TpTensor *const *inputs,
                   TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[X];
  const TpTensor *indices = inputs[INDICES];
  const TpTensor *weights = inputs[WEIGHTS];
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  if (tp_dtype_is_integer (x->dtype)
      || tp_dtype_get (weights->dtype)->compute
             != tp_dtype_get (x->dtype)->compute)
    return tp_op_fail (node, error, "%s is weighted by %s, both must be reals "
                       "computed alike", tp_dtype_get_name (x->dtype),
                       tp_dtype_get_name (weights->dtype));
  if (!tp_node_check_indices (node, indices, error))
    return FALSE;
  if (indices->rank != 2 || weights->rank != 2
      || indices->dims[0] != weights->dims[0]
      || indices->dims[1] != weights->dims[1] || indices->dims[0] < 1
      || indices->dims[0] > TP_RESIZE_MAX_TAPS)
    return tp_op_fail (node, error, "indices and weights must be of one shape, "
                       "at most %d for each of the outputs",
                       TP_RESIZE_MAX_TAPS);
  tp_shape_copy (&outputs[0], x);
  outputs[0].dims[axis] = indices->dims[1];
  return TRUE;
}

/* Expression: an element of input @i, which has a list for each place along @axis:
 * element @tap, or where @taps is an axis each of it. */
static int
load_tap (TpLowering *lowering, int i, int axis, int tap, int taps)
{
  const TpTensor *table = tp_lowering_get_input (lowering, i);
  TpAccess *load = tp_lowering_add_load (lowering, i);

  load->offset = tap * table->strides[0];
  load->stride[axis] = table->strides[1];
  if (taps >= 0)
    load->stride[taps] = table->strides[0];
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static int
load_named (TpLowering *lowering, int axis, int index)
{
  const TpTensor *x = tp_lowering_get_input (lowering, X);
  TpAccess *load = tp_lowering_add_load (lowering, X);

  memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
  load->stride[axis] = 0;
  tp_access_pick (load, x, axis, index);
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

/* Expression: what is named, weighed; arguments as of load_tap (). */
static int
weigh_tap (TpLowering *lowering, int axis, int tap, int taps)
{
  int index = load_tap (lowering, INDICES, axis, tap, taps);
  int weight = load_tap (lowering, WEIGHTS, axis, tap, taps);

  return tp_nest_binary (lowering->nest, TP_EXPR_MUL,
                         load_named (lowering, axis, index), weight);
}

static gboolean
interpolate_lower (const TpGraph *graph, const TpNode *node,
                   TpLowered *lowered, GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, X);
  int n_taps = tp_lowering_get_input (&lowering, INDICES)->dims[0];
  int sum = -1, taps = -1;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  if (x->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty", x->name);
  tp_lowering_add_output_axes (&lowering);
  if (n_taps > MAX_UNROLLED)
    {
      taps = tp_lowering_add_reduce_axis (&lowering, n_taps);
      sum = tp_lowering_reduce (&lowering, TP_COMBINE_SUM,
                                weigh_tap (&lowering, axis, 0, taps));
      return tp_lowering_finish (&lowering, sum);
    }
  for (int i = 0; i < n_taps; i++)
    {
      int part = weigh_tap (&lowering, axis, i, -1);

      sum = i == 0 ? part
                   : tp_nest_binary (lowering.nest, TP_EXPR_ADD, sum, part);
    }
  return tp_lowering_finish (&lowering, sum);
}

/* Indices out of range name zeros. */
static void
interpolate_reference (const TpNode *node, const TpRefTensor *const *inputs,
                       TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[X];
  const TpRefTensor *indices = inputs[INDICES];
  gint64 extent = 0;
  gint64 n_out = indices->dims[1];
  gint64 n = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, NULL))
    g_assert_not_reached ();
  extent = x->dims[axis];
  n = tp_dims_product (x->dims, axis + 1, x->rank);
  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      double sum = 0.0;

      for (gint64 at = i / n % n_out; at < indices->count; at += n_out)
        {
          double named = indices->data[at];
          double value = 0.0;

          named += named < 0 ? extent : 0;
          if (named >= 0 && named < extent)
            value = x->data[(i / n / n_out * extent + (gint64) named) * n
                            + i % n];
          sum += value * inputs[WEIGHTS]->data[at];
        }
      outputs[0].data[i] = sum;
    }
}

const TpOp tp_op_interpolate = {
  .name = "Interpolate",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = tp_attrs_axis,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 1e-5,
  .infer = interpolate_infer,
  .lower = interpolate_lower,
  .reference = interpolate_reference,
};
