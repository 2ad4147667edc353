/* op-along.c: what adds up or multiplies along one dimension: CumSum, CumProd. */
#include "config.h"

#include "ops/op-along.h"
#include "ops/op-util.h"

TpRefRows
tp_ref_rows_new (const TpRefTensor *x, int axis)
{
  return (TpRefRows){ x->dims[axis], tp_dims_product (x->dims, axis + 1, x->rank),
                   x->dims[axis] == 0 ? 0 : x->count / x->dims[axis] };
}

gint64
tp_ref_rows_start (const TpRefRows *rows, gint64 row, gint64 n)
{
  return row / rows->step * n * rows->step + row % rows->step;
}

/* ---- CumSum, CumProd ------------------------------------------------------ */

/* Looking at all elements before each takes n^2 steps. */
#define MAX_CUMULATED 16384

/* In what the two differ. */
typedef struct
{
  TpCombiner combiner;
  double neutral;
} Cumulation;

static const Cumulation *
get_cumulation (const TpNode *node)
{
  return node->op->data;
}

static double
cumulate (const Cumulation *kind, double a, double b)
{
  return kind->combiner == TP_COMBINE_PROD ? a * b : a + b;
}

static guint64
cumulate_integers (const Cumulation *kind, guint64 a, guint64 b)
{
  return kind->combiner == TP_COMBINE_PROD ? a * b : a + b;
}

static gboolean
cumulate_infer (const TpNode *node, const TpTensor *const *inputs,
                TpShape *outputs, GError **error)
{
  gint64 axis = 0;
  TpInts list = { &axis, 1, 0 };
  int resolved = 0;

  if (!tp_input_get_ints (node, inputs, 1, &list, error))
    return FALSE;
  if (list.n != 1)
    return tp_op_fail (node, error, "input 1 is empty, one axis is needed");
  return tp_axis_resolve (node, axis, inputs[0]->rank, &resolved, error)
         && tp_infer_same (node, inputs, outputs, error);
}

/* out[i] is of x[i - k], k from 0 (1 when exclusive), where that is inside; from
 * the end x[i + k]. */
static gboolean
cumulate_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  const TpTensor *inputs[] = { x, tp_lowering_get_input (&lowering, 1) };
  gint64 sign = tp_node_get_int (node, "reverse", 0) != 0 ? 1 : -1;
  gint64 first = tp_node_get_int (node, "exclusive", 0) != 0 ? sign : 0;
  gint64 value = 0;
  TpInts list = { &value, 1, 0 };
  int axis = 0;
  int k = -1;
  TpAccess *load = NULL;

  if (!tp_input_get_ints (node, inputs, 1, &list, error)
      || !tp_axis_resolve (node, value, x->rank, &axis, error))
    return FALSE;
  if (x->dims[axis] > MAX_CUMULATED)
    return tp_op_refuse (node, error,
                         "dimension %d has %" G_GINT64_FORMAT
                         " elements, at most %d have kernels",
                         axis, x->dims[axis], MAX_CUMULATED);
  tp_lowering_add_output_axes (&lowering);
  k = tp_lowering_add_reduce_axis (&lowering, x->dims[axis]);
  load = tp_lowering_add_load (&lowering, 0);
  for (int i = 0; i < x->rank; i++)
    load->stride[i] = x->strides[i];
  load->offset = first * x->strides[axis];
  load->n_guards = 1;
  load->guards[0].coef[axis] = 1;
  load->guards[0].offset = first;
  load->guards[0].extent = x->dims[axis];
  load->fill = get_cumulation (node)->neutral;
  if (k >= 0)
    {
      load->stride[k] = sign * x->strides[axis];
      load->guards[0].coef[k] = sign;
    }
  return tp_lowering_finish (
      &lowering,
      tp_lowering_reduce (&lowering, get_cumulation (node)->combiner,
                          tp_nest_load (lowering.nest, 0)));
}

/* What both references walk: along @rows, from the end where @is_reverse; an
 * element has no part in its own where @is_exclusive. */
typedef struct
{
  TpRefRows rows;
  gboolean is_exclusive, is_reverse;
} Walk;

static Walk
walk_new (const TpNode *node, const TpRefTensor *x, gint64 dimension)
{
  int axis = 0;

  if (!tp_axis_resolve (node, dimension, x->rank, &axis, NULL))
    g_assert_not_reached ();
  return (Walk){ tp_ref_rows_new (x, axis),
                 tp_node_get_int (node, "exclusive", 0) != 0,
                 tp_node_get_int (node, "reverse", 0) != 0 };
}

/* Where element @i of row @row stands. */
static gint64
walk_find (const Walk *walk, gint64 row, gint64 i)
{
  const TpRefRows *rows = &walk->rows;

  return tp_ref_rows_start (rows, row, rows->n)
         + (walk->is_reverse ? rows->n - 1 - i : i) * rows->step;
}

static void
cumulate_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  Walk walk = walk_new (node, inputs[0], inputs[1]->data[0]);

  for (gint64 row = 0; row < walk.rows.n_rows; row++)
    {
      double all = get_cumulation (node)->neutral;

      for (gint64 i = 0; i < walk.rows.n; i++)
        {
          gint64 at = walk_find (&walk, row, i);
          double next = cumulate (get_cumulation (node), all,
                                  inputs[0]->data[at]);

          outputs[0].data[at] = walk.is_exclusive ? all : next;
          all = next;
        }
    }
}

static void
cumulate_reference_integer (const TpNode *node,
                            const TpRefTensor *const *inputs,
                            TpRefTensor *outputs)
{
  Walk walk = walk_new (node, inputs[0], inputs[1]->integers[0]);

  for (gint64 row = 0; row < walk.rows.n_rows; row++)
    {
      guint64 all = (guint64) get_cumulation (node)->neutral;

      for (gint64 i = 0; i < walk.rows.n; i++)
        {
          gint64 at = walk_find (&walk, row, i);
          guint64 next
              = cumulate_integers (get_cumulation (node), all,
                                   (guint64) inputs[0]->integers[at]);

          outputs[0].integers[at]
              = tp_dtype_wrap (outputs[0].dtype,
                               (gint64) (walk.is_exclusive ? all : next));
          all = next;
        }
    }
}

static const TpAttrSpec cumulate_attrs[] = {
  { "exclusive", TP_ATTR_INT, FALSE },
  { "reverse", TP_ATTR_INT, FALSE },
  { 0 },
};

static const Cumulation sum = { TP_COMBINE_SUM, 0.0 };
static const Cumulation product = { TP_COMBINE_PROD, 1.0 };

#define CUMULATION                                                            \
  .kind = TP_OP_REDUCE, .n_inputs_min = 2, .n_inputs_max = 2,                 \
  .n_outputs_max = 1, .attrs = cumulate_attrs, .tolerance = 1e-5,             \
  .infer = cumulate_infer, .lower = cumulate_lower,                           \
  .reference = cumulate_reference,                                            \
  .reference_integer = cumulate_reference_integer

const TpOp tp_op_cum_prod = { .name = "CumProd", .data = &product, CUMULATION };
const TpOp tp_op_cum_sum = { .name = "CumSum", .data = &sum, CUMULATION };
