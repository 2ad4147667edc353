/* op-trilu.c: Trilu: one side of a diagonal of the last two dimensions, zeros
 * on the other. */
#include "config.h"

#include "ops/op-util.h"

#define DIAGONAL_LIMIT (G_GINT64_CONSTANT (1) << 40)

/* Which diagonal; more than any matrix has means the last one. */
static gboolean
trilu_get_diagonal (const TpNode *node, const TpTensor *const *inputs,
                    gint64 *out_k, GError **error)
{
  TpInts k = { out_k, 1, 0 };

  *out_k = 0;
  if (!tp_node_has_input (node, 1))
    return TRUE;
  if (!tp_input_get_ints (node, inputs, 1, &k, error))
    return FALSE;
  *out_k = k.n == 0 ? 0 : CLAMP (*out_k, -DIAGONAL_LIMIT, DIAGONAL_LIMIT);
  return TRUE;
}

static gboolean
trilu_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  gint64 k = 0;

  if (inputs[0]->rank < 2)
    return tp_op_fail (node, error, "input 0 has rank %d, needs at least 2",
                       inputs[0]->rank);
  return trilu_get_diagonal (node, inputs, &k, error)
         && tp_infer_same (node, inputs, outputs, error);
}

/* Selects by a guard that keeps column - row - k, or the negative of it, from
 * below 0: on a load of its own, since the other is never out of bounds. */
static gboolean
trilu_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *inputs[] = { tp_lowering_get_input (&lowering, 0),
                               tp_lowering_get_input (&lowering, 1) };
  const TpTensor *x = inputs[0];
  int sign = tp_node_get_int (node, "upper", 1) != 0 ? 1 : -1;
  TpAccess *load = NULL;
  TpGuard *guard = NULL;
  gint64 k = 0;
  int value = 0;

  if (!trilu_get_diagonal (node, inputs, &k, error))
    return FALSE;
  tp_lowering_add_output_axes (&lowering);
  load = tp_lowering_add_load (&lowering, 0);
  for (int i = 0; i < x->rank; i++)
    load->stride[i] = x->strides[i];
  value = tp_nest_load (lowering.nest, 0);
  guard = tp_lowering_add_load (&lowering, 0)->guards;
  lowering.nest->loads[1].n_guards = 1;
  guard->coef[x->rank - 1] = sign;
  guard->coef[x->rank - 2] = -sign;
  guard->offset = -sign * k;
  guard->extent = ABS (k) + x->dims[x->rank - 1] + x->dims[x->rank - 2];
  return tp_lowering_finish (
      &lowering, tp_nest_select (lowering.nest,
                                 tp_nest_inside (lowering.nest, 1), value,
                                 tp_nest_const (lowering.nest, 0.0)));
}

static void
trilu_reference (const TpNode *node, const TpRefTensor *const *inputs,
                 TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gint64 n_columns = x->dims[x->rank - 1];
  gint64 n_rows = x->dims[x->rank - 2];
  double k = tp_node_has_input (node, 1) ? inputs[1]->data[0] : 0.0;
  gboolean is_upper = tp_node_get_int (node, "upper", 1) != 0;

  for (gint64 i = 0; i < x->count; i++)
    {
      double beyond = (double) (i % n_columns) - i / n_columns % n_rows - k;

      outputs[0].data[i]
          = (is_upper ? beyond >= 0.0 : beyond <= 0.0) ? x->data[i] : 0.0;
    }
}

static const TpAttrSpec trilu_attrs[] = {
  { "upper", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_trilu = {
  .name = "Trilu",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = trilu_attrs,
  .tolerance = 0.0,
  .infer = trilu_infer,
  .lower = trilu_lower,
  .reference = trilu_reference,
  .moves = TP_MOVES (0),
};
