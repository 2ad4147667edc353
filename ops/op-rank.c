/* op-rank.c: where along one dimension the greatest or the least is: ArgMax, ArgMin, and
 * what devices run in their place, each with one input more: the positions 0, 1, ..
 * along that dimension (graph/pass-rank.c). */
#include "config.h"

#include "ops/op-along.h"
#include "ops/op-rank.h"
#include "ops/op-util.h"

#define POSITIONS(node) ((node)->n_inputs - 1)

/* ---- positions ----------------------------------------------------------- */

/* Whether the last input is the positions along dimension @axis of input 0. */
static gboolean
check_positions (const TpNode *node, const TpTensor *const *inputs, int axis,
                 GError **error)
{
  const TpTensor *positions = inputs[POSITIONS (node)];
  gint64 n = inputs[0]->dims[axis];

  return (positions != NULL && positions->dtype == TPLAN_DTYPE_FLOAT32
          && positions->rank == 1 && positions->dims[0] == n)
         || tp_op_fail (node, error,
                        "input %d is not float32 [%" G_GINT64_FORMAT
                        "]: positions along dimension %d are needed",
                        POSITIONS (node), n, axis);
}

/* Expression: the position along nest axis @along; 0 where there is none. */
static int
load_position (TpLowering *lowering, int along)
{
  int i = POSITIONS (lowering->node);
  TpAccess *load = tp_lowering_add_load (lowering, i);

  if (along >= 0)
    load->stride[along] = tp_lowering_get_input (lowering, i)->strides[0];
  return tp_lowering_last_load (lowering);
}

/* ---- ArgMax, ArgMin ------------------------------------------------------ */

static gboolean
arg_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  const TpTensor *x = inputs[0];
  TpShape *out = &outputs[0];
  gboolean keeps_dims = tp_node_get_int (node, "keepdims", 1) != 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  if (x->dims[axis] == 0)
    return tp_op_fail (node, error, "dimension %d of input 0 is empty", axis);
  out->dtype = TPLAN_DTYPE_INT64;
  out->rank = 0;
  for (int i = 0; i < x->rank; i++)
    if (i != axis)
      out->dims[out->rank++] = x->dims[i];
    else if (keeps_dims)
      out->dims[out->rank++] = 1;
  return TRUE;
}

/* Data: what the wanted one is, and the sign that makes it the greatest. */
typedef struct
{
  TpCombiner combiner;
  double sign;
} Kind;

static void
arg_reference (const TpNode *node, const TpRefTensor *const *inputs,
               TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  const Kind *kind = node->op->data;
  gboolean is_last = tp_node_get_int (node, "select_last_index", 0) != 0;
  int axis = 0;
  TpRefRows rows;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, NULL))
    g_assert_not_reached ();
  rows = tp_ref_rows_new (x, axis);
  for (gint64 row = 0; row < rows.n_rows; row++)
    {
      const double *values = x->data + tp_ref_rows_start (&rows, row, rows.n);
      gint64 best = 0;

      for (gint64 i = 1; i < rows.n; i++)
        {
          double gain = kind->sign * (values[i * rows.step]
                                         - values[best * rows.step]);

          if (gain > 0.0 || (gain == 0.0 && is_last))
            best = i;
        }
      outputs[0].data[row] = best;
    }
}

static const TpAttrSpec arg_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "keepdims", TP_ATTR_INT, FALSE },
  { "select_last_index", TP_ATTR_INT, FALSE },
  { 0 },
};

static gboolean
ranked_arg_infer (const TpNode *node, const TpTensor *const *inputs,
                  TpShape *outputs, GError **error)
{
  int axis = 0;

  return arg_infer (node, inputs, outputs, error)
         && tp_node_get_axis (node, 0, inputs[0]->rank, &axis, error)
         && check_positions (node, inputs, axis, error);
}

int
tp_rank_load_rows (TpLowering *lowering, int axis, gboolean keeps_dims, int k)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);
  int to = 0;

  for (int i = 0; i < x->rank; i++)
    if (i != axis)
      load->stride[to++] = x->strides[i];
    else
      to += keeps_dims;
  if (k >= 0)
    load->stride[k] = x->strides[axis];
  return tp_lowering_last_load (lowering);
}

/* Expression: @position where @value is the wanted one; of nothing but NaN one of
 * those that there are. */
static int
find_place (TpLowering *lowering, const TpExtreme *extreme, int value,
            int position)
{
  TpNest *nest = lowering->nest;
  gint64 last = extreme->n - 1;
  int none = tp_nest_const (nest, extreme->is_last ? -1 : extreme->n);
  int best = tp_lowering_reduce (lowering, extreme->combiner, value);
  int at = tp_nest_select (nest,
                           tp_nest_binary (nest, TP_EXPR_EQUAL, value, best),
                           position, none);

  at = tp_lowering_reduce (
      lowering, extreme->is_last ? TP_COMBINE_MAX : TP_COMBINE_MIN, at);
  at = tp_nest_binary (nest, TP_EXPR_MIN, tp_nest_const (nest, last), at);
  return tp_nest_binary (nest, TP_EXPR_MAX, tp_nest_const (nest, 0.0), at);
}

static gboolean
ranked_arg_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                  GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const Kind *kind = node->op->data;
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  gboolean keeps_dims = tp_node_get_int (node, "keepdims", 1) != 0;
  TpExtreme extreme
      = { kind->combiner,
          tp_node_get_int (node, "select_last_index", 0) != 0, 0 };
  int axis = 0, k, value, at;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  tp_lowering_add_output_axes (&lowering);
  k = tp_lowering_add_reduce_axis (&lowering, x->dims[axis]);
  value = tp_rank_load_rows (&lowering, axis, keeps_dims, k);
  extreme.n = x->dims[axis];
  at = find_place (&lowering, &extreme, value, load_position (&lowering, k));
  return tp_lowering_finish (
      &lowering, tp_nest_unary (lowering.nest, TP_EXPR_TO_INTEGER, at));
}

static const Kind greatest = { TP_COMBINE_MAX, 1.0 };
static const Kind least = { TP_COMBINE_MIN, -1.0 };

#define ARG                                                                    \
  .kind = TP_OP_REDUCE, .n_outputs_max = 1, .attrs = arg_attrs,                \
  .reference = arg_reference, .ranks = TP_RANKS_ASKED
#define PLAIN_ARG                                                              \
  ARG, .n_inputs_min = 1, .n_inputs_max = 1, .infer = arg_infer
#define RANKED_ARG                                                             \
  ARG, .n_inputs_min = 2, .n_inputs_max = 2, .infer = ranked_arg_infer,        \
  .lower = ranked_arg_lower

const TpOp tp_op_arg_max = { .name = "ArgMax", PLAIN_ARG, .data = &greatest };
const TpOp tp_op_arg_min = { .name = "ArgMin", PLAIN_ARG, .data = &least };
const TpOp tp_op_ranked_arg_max
    = { .name = "RankedArgMax", RANKED_ARG, .data = &greatest };
const TpOp tp_op_ranked_arg_min
    = { .name = "RankedArgMin", RANKED_ARG, .data = &least };
