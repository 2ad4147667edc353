/* pass-fold-norm.c: BatchNormalization goes into the Conv before it.
 *
 *   scale * (conv (x, w) + b - mean) / sqrt (var + eps) + bias
 *     = conv (x, w * f) + (b - mean) * f + bias,   f = scale / sqrt (var + eps)
 *
 * w * f stays lazy (TpInit.scale), so that large weights are neither read nor
 * copied; the new bias is small and computed. */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/pass.h"
#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "ops/op.h"

#include <math.h>
#include <string.h>

typedef struct
{
  TpDraft *draft;
  int *n_uses;                /* per tensor: inputs of nodes, and outputs */
} Pass;

enum { BN_X, BN_SCALE, BN_BIAS, BN_MEAN, BN_VAR, BN_N };

static gboolean
is_constant (TpDraft *draft, int tensor)
{
  return tensor >= 0 && tp_tensor_is_constant (tp_draft_tensor (draft, tensor));
}

static const TpNode *
find_conv (const Pass *pass, const TpNode *norm)
{
  const TpTensor *x = tp_draft_tensor (pass->draft, norm->inputs[BN_X]);
  const TpNode *conv;

  if (x->producer < 0 || x->is_output || pass->n_uses[norm->inputs[BN_X]] != 1)
    return NULL;
  conv = tp_draft_node (pass->draft, x->producer);
  if (!tp_node_is (conv, "Conv")
      || !is_constant (pass->draft, conv->inputs[1]))
    return NULL;
  if (conv->n_inputs > 2 && conv->inputs[2] >= 0
      && !is_constant (pass->draft, conv->inputs[2]))
    return NULL;
  return conv;
}

static gboolean
can_fold (const Pass *pass, const TpNode *norm, gint64 n_channels)
{
  if (norm->n_inputs != BN_N || norm->n_outputs != 1
      || tp_node_get_int (norm, "training_mode", 0) != 0)
    return FALSE;
  for (int i = BN_SCALE; i < BN_N; i++)
    if (!is_constant (pass->draft, norm->inputs[i])
        || tp_draft_tensor (pass->draft, norm->inputs[i])->count != n_channels)
      return FALSE;
  return tp_draft_take_constants (pass->draft, n_channels);
}

/* f for each channel. */
static double *
make_factors (TpDraft *draft, const TpNode *norm, gint64 n, GError **error)
{
  double *factors = tp_region_alloc (draft->region, n, sizeof (double), error);
  g_autofree double *var = tp_new (double, n);
  double epsilon = tp_node_get_float (norm, "epsilon", 1e-5);

  if (factors == NULL)
    return NULL;
  tp_tensor_write_doubles (tp_draft_tensor (draft, norm->inputs[BN_SCALE]),
                           factors);
  tp_tensor_write_doubles (tp_draft_tensor (draft, norm->inputs[BN_VAR]), var);
  for (gint64 i = 0; i < n; i++)
    factors[i] /= sqrt (var[i] + epsilon);
  return factors;
}

/* Adds the weights times @factors; -1 on error. */
static int
add_weights (TpDraft *draft, int weights, const TpNode *norm, double *factors,
             GError **error)
{
  TpTensor tensor = *tp_draft_tensor (draft, weights);

  if (tensor.init.scale != NULL)
    for (gint64 i = 0; i < tensor.dims[0]; i++)
      factors[i] *= tensor.init.scale[i];
  tensor.init.scale = factors;
  tensor.name
      = tp_draft_make_tensor_name (draft, tensor.name, ":scaled", error);
  return tensor.name == NULL ? -1 : tp_draft_add_tensor (draft, &tensor);
}

static void
compute_bias (TpDraft *draft, const TpNode *conv, const TpNode *norm,
              const double *factors, double *bias)
{
  gint64 n = tp_draft_tensor (draft, conv->inputs[1])->dims[0];
  g_autofree double *mean = tp_new (double, n);
  g_autofree double *shift = tp_new (double, n);

  memset (bias, 0, n * sizeof (double));
  if (conv->n_inputs > 2 && conv->inputs[2] >= 0)
    tp_tensor_write_doubles (tp_draft_tensor (draft, conv->inputs[2]), bias);
  tp_tensor_write_doubles (tp_draft_tensor (draft, norm->inputs[BN_MEAN]),
                           mean);
  tp_tensor_write_doubles (tp_draft_tensor (draft, norm->inputs[BN_BIAS]),
                           shift);
  for (gint64 i = 0; i < n; i++)
    bias[i] = (bias[i] - mean[i]) * factors[i] + shift[i];
}

static int
add_bias (TpDraft *draft, const TpNode *conv, const TpNode *norm,
          const double *factors, GError **error)
{
  const TpTensor *weights = tp_draft_tensor (draft, conv->inputs[1]);
  gint64 n = weights->dims[0];
  g_autofree double *values = tp_new (double, n);
  TpTensor tensor = { .producer = -1, .init.kind = TP_INIT_DATA };
  void *data;

  tp_draft_set_shape (draft, &tensor, weights->dtype, 1, &n);
  data = tp_region_alloc (draft->region, tensor.size_bytes, 1, error);
  tensor.name = data ? tp_draft_make_tensor_name (draft, weights->name,
                                                  ":bias", error)
                     : NULL;
  if (tensor.name == NULL)
    return -1;
  compute_bias (draft, conv, norm, factors, values);
  tp_dtype_store_doubles (tensor.dtype, values, n, data);
  tensor.init.data = data;
  return tp_draft_add_tensor (draft, &tensor);
}

static gboolean
fold_into_conv (Pass *pass, int conv_index, int norm_index, GError **error)
{
  TpDraft *draft = pass->draft;
  const TpNode *conv = tp_draft_node (draft, conv_index);
  TpNode *norm = tp_draft_node (draft, norm_index);
  gint64 n = tp_draft_tensor (draft, conv->inputs[1])->dims[0];
  double *factors = make_factors (draft, norm, n, error);
  int *inputs = factors ? tp_region_alloc (draft->region, 3, sizeof (int),
                                           error)
                        : NULL;

  if (inputs == NULL)
    return FALSE;
  inputs[0] = conv->inputs[0];
  inputs[2] = add_bias (draft, conv, norm, factors, error);
  inputs[1] = inputs[2] < 0 ? -1
                            : add_weights (draft, conv->inputs[1], norm,
                                           factors, error);
  if (inputs[1] < 0)
    return FALSE;
  tp_draft_node (draft, conv_index)->inputs = inputs;
  tp_draft_node (draft, conv_index)->n_inputs = 3;
  tp_node_edit (conv->outputs)[0] = norm->outputs[0];
  tp_draft_tensor (draft, norm->outputs[0])->producer = conv_index;
  norm->type = NULL;
  return TRUE;
}

static gboolean
is_norm (const TpNode *node)
{
  return tp_node_is (node, "BatchNormalization");
}

static gboolean
fold_norms (TpDraft *draft, GError **error)
{
  g_autofree int *n_uses = tp_new0 (int, draft->tensors->len + 1);
  Pass pass = { draft, n_uses };

  tp_draft_count_uses (draft, n_uses);
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *norm = tp_draft_node (draft, i), *conv;
      int conv_index;

      if (!is_norm (norm))
        continue;
      conv = find_conv (&pass, norm);
      if (conv == NULL
          || !can_fold (&pass, norm,
                        tp_draft_tensor (draft, conv->inputs[1])->dims[0]))
        continue;
      conv_index = tp_draft_tensor (draft, norm->inputs[BN_X])->producer;
      if (!fold_into_conv (&pass, conv_index, i, error))
        return FALSE;
    }
  return TRUE;
}

const TpPass tp_pass_fold_norm = {
  .name = "fold-norm",
  .summary = "BatchNormalization goes into the Conv before it",
  .concerns = is_norm,
  .run = fold_norms,
};
