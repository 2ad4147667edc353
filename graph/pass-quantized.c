/* pass-quantized.c: convolutions and products of reals that were dequantized, the result of
 * which is quantized, become such of integers:
 *
 *   QuantizeLinear (Conv (DequantizeLinear (x), DequantizeLinear (w), bias))
 *   QLinearConv (x, w, bias)
 *
 * Sums of integers are exact, and weights stay bytes; before, sums were rounded, so that
 * a result may be another step where it is all but between two. So it is done where sums
 * are small, which every device is fast at. Weights of a few bits are packed
 * (pass-quantized-blocks.c). Those that stay reals are dequantized here,
 * for once, and what is made of them is folded. */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/graph-fold.h"
#include "graph/pass-quantized-blocks.h"
#include "graph/pass.h"
#include "graph/small-sums.h"
#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ir/narrow.h"
#include "ops/op-util.h"
#include "ops/op.h"

#include <math.h>
#include <string.h>

#define CLOSE 1e-5            /* scales that are meant to be one */

enum { QUANTIZED, SCALE, ZERO };

/* Inputs of QLinearConv and QLinearMatMul. */
enum { X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS, N_INPUTS };

typedef struct
{
  TpDraft *draft;
  int *n_uses;                /* of tensors */
  TpNode result;              /* the QuantizeLinear */
  TpNode node;                /* the Conv or MatMul */
  gboolean is_conv;
  int inputs[N_INPUTS];       /* tensors; -1: none */
} Match;

static const TpTensor *
get_tensor (const Match *self, int tensor)
{
  return tp_draft_tensor (self->draft, tensor);
}

static gboolean
is_free (const TpNode *node)
{
  return !tp_node_is_told (node);
}

static gboolean
is_byte (const TpTensor *tensor)
{
  return tensor->dtype == TPLAN_DTYPE_INT8 || tensor->dtype == TPLAN_DTYPE_UINT8;
}

/* Whether its range is less than that of the type. */
static gboolean
is_narrow (const TpNode *quantize)
{
  return tp_narrow_find_onnx (tp_node_get_int (quantize, "output_dtype", 0)) != NULL;
}

/* The node that makes @tensor, if it is @type; else NULL. */
static const TpNode *
get_maker (const Match *self, int tensor, const char *type)
{
  int producer = tensor < 0 ? -1 : get_tensor (self, tensor)->producer;
  const TpNode *node
      = producer < 0 ? NULL : tp_draft_node (self->draft, producer);

  return node != NULL && node->op != NULL && tp_node_is (node, type)
                 && is_free (node)
             ? node
             : NULL;
}

/* ---- what scales and zero points are ------------------------------------ */

static gboolean
is_constant (const Match *self, int tensor)
{
  return tensor >= 0 && tp_tensor_is_constant (get_tensor (self, tensor));
}

/* One real of 32 bits. */
static gboolean
is_scale (const Match *self, int tensor)
{
  return is_constant (self, tensor)
         && get_tensor (self, tensor)->dtype == TPLAN_DTYPE_FLOAT32
         && get_tensor (self, tensor)->count == 1;
}

/* Those of @node, QuantizeLinear or DequantizeLinear, are one each. */
static gboolean
has_one_scale (const Match *self, const TpNode *node)
{
  return is_scale (self, node->inputs[SCALE])
         && (!tp_node_has_input (node, ZERO)
             || (is_constant (self, node->inputs[ZERO])
                 && get_tensor (self, node->inputs[ZERO])->count == 1));
}

/* One scale of weights for all, or one for each filter or column, as QLinearConv and
 * QLinearMatMul have them. */
static gboolean
has_scales_of_columns (const Match *self, const TpNode *node)
{
  const TpTensor *w = get_tensor (self, node->inputs[QUANTIZED]);
  const TpTensor *scales = get_tensor (self, node->inputs[SCALE]);
  int axis = 0;

  if (has_one_scale (self, node))
    return TRUE;
  return is_constant (self, node->inputs[SCALE])
         && scales->dtype == TPLAN_DTYPE_FLOAT32 && scales->rank == 1
         && tp_node_get_axis (node, 1, w->rank, &axis, NULL)
         && axis == (self->is_conv ? 0 : w->rank - 1)
         && scales->count == w->dims[axis]
         && (!tp_node_has_input (node, ZERO)
             || (is_constant (self, node->inputs[ZERO])
                 && get_tensor (self, node->inputs[ZERO])->count
                    == scales->count));
}

/* The zero point of @node, or a 0 that is made; -1 on error. */
static int
get_zero (Match *self, const TpNode *node, GError **error)
{
  TpTensor like = { .name = node->name,
                    .dtype = get_tensor (self, node->inputs[QUANTIZED])->dtype };
  double zero = 0.0;

  if (tp_node_has_input (node, ZERO))
    return node->inputs[ZERO];
  return tp_draft_add_values (self->draft, &like, ":zero", &zero, error);
}

/* ---- matching ------------------------------------------------------------- */

static gboolean
match_x (Match *self)
{
  const TpNode *made
      = get_maker (self, self->node.inputs[0], "DequantizeLinear");

  return made != NULL && is_byte (get_tensor (self, made->inputs[QUANTIZED]))
         && has_one_scale (self, made);
}

static gboolean
match_w (Match *self)
{
  const TpNode *made
      = get_maker (self, self->node.inputs[1], "DequantizeLinear");
  const TpTensor *w = made == NULL ? NULL
                                   : get_tensor (self, made->inputs[QUANTIZED]);

  return made != NULL && is_byte (w) && is_constant (self, made->inputs[QUANTIZED])
         && (self->is_conv || w->rank == 2)
         && tp_node_get_int (made, "block_size", 0) == 0
         && has_scales_of_columns (self, made);
}

/* Whether the bias is in steps of the sum: its scales are those of x times those of w,
 * and none has a zero point. */
static gboolean
has_scales_of_sum (const Match *self, const TpNode *bias)
{
  const TpNode *x = get_maker (self, self->node.inputs[0], "DequantizeLinear");
  const TpNode *w = get_maker (self, self->node.inputs[1], "DequantizeLinear");
  const TpTensor *own = get_tensor (self, bias->inputs[SCALE]);
  const TpTensor *of_w = get_tensor (self, w->inputs[SCALE]);
  g_autofree double *scales = tp_new (double, own->count + 1);
  g_autofree double *weights = tp_new (double, of_w->count + 1);
  double step;

  if (own->count != of_w->count && own->count != 1)
    return FALSE;
  tp_tensor_write_doubles (own, scales);
  tp_tensor_write_doubles (of_w, weights);
  tp_tensor_write_doubles (get_tensor (self, x->inputs[SCALE]), &step);
  for (gint64 i = 0; i < of_w->count; i++)
    {
      double is = scales[own->count == 1 ? 0 : i];

      if (!(fabs (is - step * weights[i]) <= CLOSE * fabs (is)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_zero (const Match *self, int tensor)
{
  const TpTensor *zeros = get_tensor (self, tensor);
  g_autofree double *values = tp_new (double, zeros->count + 1);

  tp_tensor_write_doubles (zeros, values);
  for (gint64 i = 0; i < zeros->count; i++)
    if (values[i] != 0.0)
      return FALSE;
  return TRUE;
}

/* A bias is of integers, or there is none. */
static gboolean
match_bias (Match *self)
{
  const TpNode *made;

  if (!self->is_conv || !tp_node_has_input (&self->node, 2))
    return TRUE;
  made = get_maker (self, self->node.inputs[2], "DequantizeLinear");
  if (made == NULL || !is_constant (self, made->inputs[QUANTIZED])
      || get_tensor (self, made->inputs[QUANTIZED])->dtype != TPLAN_DTYPE_INT32
      || !is_constant (self, made->inputs[SCALE])
      || (tp_node_has_input (made, ZERO)
          && (!is_constant (self, made->inputs[ZERO])
              || !is_zero (self, made->inputs[ZERO]))))
    return FALSE;
  self->inputs[BIAS] = made->inputs[QUANTIZED];
  return has_scales_of_sum (self, made);
}

static gboolean
match_result (Match *self, int index)
{
  const TpNode *made;

  self->result = *tp_draft_node (self->draft, index);
  if (self->result.op == NULL || !tp_node_is (&self->result, "QuantizeLinear")
      || !is_free (&self->result) || !has_one_scale (self, &self->result)
      || !tp_node_has_input (&self->result, ZERO)
      || !is_byte (get_tensor (self, self->result.outputs[0]))
      || is_narrow (&self->result)
      || self->n_uses[self->result.inputs[0]] != 1)
    return FALSE;
  made = get_maker (self, self->result.inputs[0], "Conv");
  self->is_conv = made != NULL;
  if (made == NULL)
    made = get_maker (self, self->result.inputs[0], "MatMul");
  if (made == NULL
      || get_tensor (self, made->inputs[0])->dtype != TPLAN_DTYPE_FLOAT32)
    return FALSE;
  self->node = *made;
  return self->is_conv || get_tensor (self, made->inputs[0])->rank > 1;
}

/* ---- what becomes of it ------------------------------------------------- */

/* Fills in what the DequantizeLinear before input @i of the node has. */
static gboolean
set_inputs (Match *self, int i, GError **error)
{
  TpNode made = *get_maker (self, self->node.inputs[i], "DequantizeLinear");

  self->inputs[3 * i + QUANTIZED] = made.inputs[QUANTIZED];
  self->inputs[3 * i + SCALE] = made.inputs[SCALE];
  self->inputs[3 * i + ZERO] = get_zero (self, &made, error);
  return self->inputs[3 * i + ZERO] >= 0;
}

static gboolean
replace (Match *self, int index, GError **error)
{
  TpDraft *draft = self->draft;
  int n = self->inputs[BIAS] >= 0 ? N_INPUTS : BIAS;
  int *ends = tp_region_alloc (draft->region, N_INPUTS, sizeof *ends, error);
  TpNode node = self->node;

  if (ends == NULL || !set_inputs (self, 0, error)
      || !set_inputs (self, 1, error))
    return FALSE;
  self->inputs[Y_SCALE] = self->result.inputs[SCALE];
  self->inputs[Y_ZERO] = self->result.inputs[ZERO];
  memcpy (ends, self->inputs, N_INPUTS * sizeof *ends);
  node.name = self->result.name;
  node.type = self->is_conv ? "QLinearConv" : "QLinearMatMul";
  node.op = tp_op_find (node.type);
  node.inputs = ends;
  node.n_inputs = n;
  node.outputs = self->result.outputs;
  if (!tp_draft_has_small_sums (draft, &node))
    return TRUE;
  *tp_draft_node (draft, get_tensor (self, self->node.outputs[0])->producer)
      = node;
  tp_draft_node (draft, index)->type = NULL;
  return TRUE;
}

static gboolean
replace_all (TpDraft *draft, GError **error)
{
  g_autofree int *n_uses = tp_new0 (int, draft->tensors->len + 1);

  tp_draft_count_uses (draft, n_uses);
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      Match match = { .draft = draft, .n_uses = n_uses };

      for (int k = 0; k < N_INPUTS; k++)
        match.inputs[k] = -1;
      if (match_result (&match, (int) i) && match_x (&match)
          && match_w (&match) && match_bias (&match)
          && !replace (&match, (int) i, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- weights that stay reals ---------------------------------------------- */

static gboolean
dequantizes (const TpNode *node)
{
  return tp_node_has_flag (node, TP_OP_DEQUANTIZES);
}

static gboolean
use_integers (TpDraft *draft, GError **error)
{
  TpFold fold = { 0 };

  if (!replace_all (draft, error)
      || !tp_pass_quantized_pack_blocks (draft, error))
    return FALSE;
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (draft, i);

      if (node->type != NULL && !tp_fold_node (&fold, draft, node, error))
        return FALSE;
    }
  return TRUE;
}

const TpPass tp_pass_quantized = {
  .name = "quantized",
  .summary = "Conv and MatMul of what was dequantized: of integers, or of weights of a few bits",
  .concerns = dequantizes,
  .run = use_integers,
};
