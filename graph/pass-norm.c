/* pass-norm.c: BatchNormalization of constants to ScaleShift:
 * (x - mean) / sqrt (var + epsilon) * scale + bias = x * f + g. */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/pass.h"
#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ops/op.h"

#include <math.h>

enum
{
  X,
  SCALE,
  BIAS,
  MEAN,
  VARIANCE,
  N_INPUTS
};

static gboolean
can_split (TpDraft *draft, const TpNode *node)
{
  if (!tp_node_is (node, "BatchNormalization")
      || node->n_inputs != N_INPUTS || node->n_outputs != 1)
    return FALSE;
  for (int i = SCALE; i < N_INPUTS; i++)
    if (!tp_tensor_is_constant (tp_draft_tensor (draft, node->inputs[i])))
      return FALSE;
  return tp_draft_take_constants (
      draft, tp_draft_tensor (draft, node->inputs[SCALE])->count);
}

/* A constant of @n values named after input @like of @node, in all the digits that
 * kernels compute with; -1 on error. */
static int
add_constant (TpDraft *draft, const TpNode *node, int like,
              const double *values, GError **error)
{
  const TpTensor *given = tp_draft_tensor (draft, node->inputs[like]);
  TpTensor tensor = *given;
  void *data;

  if (tp_dtype_get (given->dtype)->compute == TP_COMPUTE_FLOAT32)
    tp_draft_set_shape (draft, &tensor, TPLAN_DTYPE_FLOAT32, given->rank,
                        given->dims);
  data = tp_region_alloc (draft->region, tensor.size_bytes, 1, error);
  if (data == NULL)
    return -1;
  tp_dtype_store_doubles (tensor.dtype, values, tensor.count, data);
  tensor.init = (TpInit){ .kind = TP_INIT_DATA, .data = data };
  tensor.state = 0;
  tensor.is_output = FALSE;
  tensor.name = tp_draft_make_tensor_name (draft, tensor.name, ":split", error);
  return tensor.name == NULL ? -1 : tp_draft_add_tensor (draft, &tensor);
}

static gboolean
split_norm (TpDraft *draft, int index, GError **error)
{
  const TpNode *node = tp_draft_node (draft, index);
  double epsilon = tp_node_get_float (node, "epsilon", 1e-5);
  gint64 n = tp_draft_tensor (draft, node->inputs[SCALE])->count;
  g_autofree double *values = tp_new (double, N_INPUTS *n + 1);
  double *v[N_INPUTS];
  int *inputs = tp_region_alloc (draft->region, 3, sizeof (int), error);

  if (inputs == NULL)
    return FALSE;
  for (int i = SCALE; i < N_INPUTS; i++)
    {
      v[i] = values + i * n;
      tp_tensor_write_doubles (tp_draft_tensor (draft, node->inputs[i]), v[i]);
    }
  for (gint64 i = 0; i < n; i++)
    {
      v[SCALE][i] /= sqrt (v[VARIANCE][i] + epsilon);
      v[BIAS][i] -= v[MEAN][i] * v[SCALE][i];
    }
  inputs[0] = node->inputs[X];
  for (int i = SCALE; i <= BIAS; i++)
    {
      inputs[i] = add_constant (draft, node, i, v[i], error);
      if (inputs[i] < 0)
        return FALSE;
    }
  tp_draft_node (draft, index)->op = tp_op_find ("ScaleShift");
  tp_draft_node (draft, index)->type = "ScaleShift";
  tp_draft_node (draft, index)->inputs = inputs;
  tp_draft_node (draft, index)->n_inputs = 3;
  tp_draft_node (draft, index)->n_attrs = 0;
  return TRUE;
}

static gboolean
is_norm (const TpNode *node)
{
  return tp_node_is (node, "BatchNormalization");
}

static gboolean
split_norms (TpDraft *draft, GError **error)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    if (can_split (draft, tp_draft_node (draft, i))
        && !split_norm (draft, i, error))
      return FALSE;
  return TRUE;
}

const TpPass tp_pass_norm = {
  .name = "norm",
  .summary = "BatchNormalization of constants becomes a ScaleShift",
  .concerns = is_norm,
  .run = split_norms,
};
