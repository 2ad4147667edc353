/* graph-fold.c: constant folding through the references of ops. */
#include "config.h"

#include "ir/graph-fold.h"

#include "ir/graph-value.h"
#include "ir/op.h"

#include <string.h>

#define MAX_OUTPUT_BYTES (1 << 20)    /* larger ones are left to be computed */
#define MAX_INPUT_ELEMENTS (1 << 24)  /* of one op */
#define MAX_ELEMENTS (1 << 26)        /* of a graph: a second or so */

static void
free_tensors (TpRefTensor *tensors, int n)
{
  for (int i = 0; i < n; i++)
    g_free (tensors[i].data);
  g_free (tensors);
}

static void
init_ref_tensor (TpRefTensor *ref, const TpTensor *tensor)
{
  ref->dtype = tensor->dtype;
  ref->rank = tensor->rank;
  memcpy (ref->dims, tensor->dims, sizeof ref->dims);
  ref->count = tensor->count;
  ref->data = g_new0 (double, MAX (tensor->count, 1));
}

/* The type of an op that reads no more than the shape of its input. */
static gboolean
reads_shape_only (const TpNode *node)
{
  return strcmp (node->type, "Shape") == 0 || strcmp (node->type, "Size") == 0;
}

/* Elements to read and write; -1: not to be folded. */
static gint64
count_elements (TpDraft *draft, const TpNode *node)
{
  gint64 n = 0;

  if (node->op == NULL || node->op->reference == NULL
      || node->op->kind == TP_OP_CONTRACT || node->n_inputs == 0)
    return -1;
  for (int i = 0; i < node->n_inputs && !reads_shape_only (node); i++)
    {
      const TpTensor *input;

      if (node->inputs[i] < 0)
        continue;
      input = tp_draft_tensor (draft, node->inputs[i]);
      if (!tp_tensor_is_constant (input)
          || !tp_size_add (n, input->count, &n) || n > MAX_INPUT_ELEMENTS)
        return -1;
    }
  for (int i = 0; i < node->n_outputs; i++)
    {
      const TpTensor *output = tp_draft_tensor (draft, node->outputs[i]);

      if (output->size_bytes > MAX_OUTPUT_BYTES)
        return -1;
      n += output->count;
    }
  return n;
}

/* A view of a constant is the same bytes, however many. */
static gboolean
fold_view (TpDraft *draft, TpNode *node)
{
  const TpTensor *input;
  TpTensor *output;

  if (node->op == NULL || node->op->kind != TP_OP_VIEW || node->n_outputs != 1
      || node->n_inputs < 1 || node->inputs[0] < 0)
    return FALSE;
  input = tp_draft_tensor (draft, node->inputs[0]);
  output = tp_draft_tensor (draft, node->outputs[0]);
  if (!tp_tensor_is_constant (input) || input->init.scale != NULL
      || input->dtype != output->dtype || input->count != output->count)
    return FALSE;
  output->init = input->init;
  node->type = NULL;
  return TRUE;
}

static void
run_reference (TpDraft *draft, const TpNode *node, TpRefTensor *outputs)
{
  TpRefTensor *inputs = g_new0 (TpRefTensor, node->n_inputs);
  g_autofree const TpRefTensor **borrowed
      = g_new0 (const TpRefTensor *, node->n_inputs);

  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      {
        const TpTensor *tensor = tp_draft_tensor (draft, node->inputs[i]);
        TpTensor shape = *tensor;

        if (reads_shape_only (node))
          shape.count = 0; /* no memory for what is not read */
        init_ref_tensor (&inputs[i], &shape);
        inputs[i].count = tensor->count;
        if (!reads_shape_only (node))
          tp_tensor_write_doubles (tensor, inputs[i].data);
        borrowed[i] = &inputs[i];
      }
  for (int i = 0; i < node->n_outputs; i++)
    init_ref_tensor (&outputs[i], tp_draft_tensor (draft, node->outputs[i]));
  node->op->reference (node, borrowed, outputs);
  free_tensors (inputs, node->n_inputs);
}

static gboolean
store (TpDraft *draft, int index, const TpRefTensor *value, GError **error)
{
  TpTensor *tensor = tp_draft_tensor (draft, index);
  void *data
      = tp_region_alloc (draft->region, tensor->size_bytes, 1, error);

  if (data == NULL)
    return FALSE;
  tp_doubles_to_dtype (value->data, tensor->count, tensor->dtype, data);
  tensor->init = (TpInit){ .kind = TP_INIT_DATA, .data = data };
  return TRUE;
}

gboolean
tp_fold_node (TpFold *fold, TpDraft *draft, TpNode *node, GError **error)
{
  gint64 n_elements = count_elements (draft, node);
  gboolean ok = TRUE;
  TpRefTensor *outputs;

  if (fold_view (draft, node))
    return TRUE;
  if (n_elements < 0 || fold->n_elements + n_elements > MAX_ELEMENTS)
    return TRUE;
  fold->n_elements += n_elements;
  outputs = g_new0 (TpRefTensor, node->n_outputs);
  run_reference (draft, node, outputs);
  for (int i = 0; ok && i < node->n_outputs; i++)
    ok = store (draft, node->outputs[i], &outputs[i], error);
  free_tensors (outputs, node->n_outputs);
  node->type = NULL;
  return ok;
}
