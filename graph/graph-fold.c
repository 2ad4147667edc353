/* graph-fold.c: constant folding through the references of ops.
 *
 * References compute in double, which holds integers below 2^53 exactly. What
 * might not be exact is left to be computed. */
#include "config.h"

#include "graph/graph-fold.h"

#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "ops/op.h"
#include "ops/reference-integer.h"

#include <math.h>
#include <string.h>

/* What is larger is left to be computed, but for weights that are cut, put together,
 * scaled or dequantized: made of data that were seen, and in all no more numbers than
 * there were. */
#define MAX_OUTPUT_BYTES (1 << 20)
#define MAX_INPUT_ELEMENTS (1 << 23)  /* of one op */
#define MAX_BYTES (1 << 25)           /* of all outputs that are not such */

/* What a reference reads, or what it makes. */
typedef struct
{
  int n;
  TpRefTensor *tensors;
} Tensors;

static void
tensors_clear (Tensors *self)
{
  for (int i = 0; self->tensors != NULL && i < self->n; i++)
    g_free (self->tensors[i].data);
  g_free (self->tensors);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tensors, tensors_clear)

static gboolean
init_ref_tensor (TpRefTensor *ref, const TpTensor *tensor)
{
  ref->dtype = tensor->dtype;
  ref->rank = tensor->rank;
  memcpy (ref->dims, tensor->dims, tensor->rank * sizeof ref->dims[0]);
  ref->count = tensor->count;
  ref->data = g_try_new0 (double, MAX (tensor->count, 1));
  return ref->data != NULL;
}

static gint64
count_data (const TpTensor *tensor)
{
  return tensor->init.kind == TP_INIT_DATA ? tensor->count : 0;
}

/* The elements that @node reads of data. */
static gint64
count_read_data (TpDraft *draft, const TpNode *node)
{
  gint64 n = 0;

  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0
        && !tp_size_add (
            n, count_data (tp_draft_tensor (draft, node->inputs[i])), &n))
      return 0;
  return n;
}

/* How many inputs' elements @node reads: of others it took the shape or the type. */
static int
count_read (const TpNode *node)
{
  if (tp_node_has_flag (node, TP_OP_READS_SHAPE))
    return 0;
  return tp_node_has_flag (node, TP_OP_COPIES) ? MIN (node->n_inputs, 1)
                                               : node->n_inputs;
}

static gboolean
makes_integers (TpDraft *draft, const TpNode *node)
{
  return tp_dtype_is_integer (tp_draft_tensor (draft, node->outputs[0])->dtype);
}

/* Elements to read and write, and products to sum up; -1: not to be folded. Doubles do
 * not have all bits. Other contractions, windows and recurrences do more work than that, and sums of integers may
 * have been more than a double holds. */
static gint64
count_elements (TpDraft *draft, const TpNode *node)
{
  gint64 n = 0, n_read = count_read_data (draft, node);

  if (node->op == NULL || node->op->reference == NULL || node->n_inputs == 0
      || node->op->kind == TP_OP_WINDOW || node->op->kind == TP_OP_RECURRENT
      || (node->op->flags & TP_OP_OF_BITS) != 0
      || (node->op->kind == TP_OP_CONTRACT && makes_integers (draft, node)))
    return -1;
  for (int i = 0; i < count_read (node); i++)
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

      if ((output->size_bytes > MAX_OUTPUT_BYTES && output->count > n_read)
          || output->state > 0)
        return -1;
      n += output->count;
    }
  return tp_size_add (n, tp_draft_count_products (draft, node), &n) ? n : -1;
}

/* A view or a copy of a constant is the same bytes, however many. */
static gboolean
fold_view (TpDraft *draft, TpNode *node)
{
  const TpTensor *input;
  TpTensor *output;

  if (node->op == NULL || node->n_outputs != 1
      || (node->op->kind != TP_OP_VIEW
          && !tp_node_has_flag (node, TP_OP_IDENTITY))
      || node->n_inputs < 1 || node->inputs[0] < 0)
    return FALSE;
  input = tp_draft_tensor (draft, node->inputs[0]);
  output = tp_draft_tensor (draft, node->outputs[0]);
  if (!tp_tensor_is_constant (input) || input->init.scale != NULL
      || input->init.steps != NULL
      || (input->dtype != output->dtype && input->init.kind != TP_INIT_DATA)
      || input->count != output->count
      || output->state > 0)
    return FALSE;
  output->init = input->init;
  node->type = NULL;
  return TRUE;
}

static gboolean
moves_only (const TpNode *node)
{
  return tp_reference_moves (node) || (node->op->flags & TP_OP_COPIES) != 0;
}

/* Whether the integers of @tensor, read as @values, are what they were. Those
 * that are only moved may be large, if a double happens to hold them. */
static gboolean
is_exact (const TpNode *node, const TpTensor *tensor, const double *values)
{
  gboolean is_integer = tp_dtype_is_integer (tensor->dtype);
  gsize size = tp_dtype_get_size (tensor->dtype);
  const char *data = tensor->init.data;

  for (gint64 i = 0; is_integer && i < tensor->count; i++)
    {
      gint64 back;

      if (fabs (values[i]) < 0x1p53)
        continue;
      tp_dtype_store_doubles (tensor->dtype, &values[i], 1, &back);
      if (!moves_only (node)
          || (tensor->init.kind == TP_INIT_DATA
              && memcmp (data + i * size, &back, size) != 0))
        return FALSE;
    }
  return TRUE;
}

static gboolean
results_are_exact (const TpNode *node, const TpRefTensor *outputs)
{
  if (moves_only (node))
    return TRUE;
  for (int i = 0; i < node->n_outputs; i++)
    for (gint64 k = 0;
         tp_dtype_is_integer (outputs[i].dtype) && k < outputs[i].count; k++)
      if (fabs (outputs[i].data[k]) >= 0x1p53)
        return FALSE;
  return TRUE;
}

/* What is made of nothing is an end of its type, or small: no sum was more. */
static gboolean
reads_nothing (TpDraft *draft, const TpNode *node)
{
  return count_read (node) > 0 && node->inputs[0] >= 0
         && tp_draft_tensor (draft, node->inputs[0])->count == 0;
}

/* The value of input @i in doubles; FALSE: not exact, or no memory for it. */
static gboolean
load_input (TpDraft *draft, const TpNode *node, int i, TpRefTensor *input)
{
  const TpTensor *tensor = tp_draft_tensor (draft, node->inputs[i]);
  gboolean is_read = i < count_read (node);
  gboolean is_held = i > 0 && tp_node_has_flag (node, TP_OP_HOLDS_BOUNDS);
  TpTensor shape = *tensor;

  if (!is_read)
    shape.count = 0; /* no memory for what is not read */
  if (!init_ref_tensor (input, &shape))
    return FALSE;
  input->count = tensor->count;
  if (!is_read)
    return TRUE;
  tp_tensor_write_doubles (tensor, input->data);
  return is_held || is_exact (node, tensor, input->data);
}

/* FALSE: not exact, or no memory for it. */
static gboolean
run_reference (TpDraft *draft, const TpNode *node, TpRefTensor *outputs)
{
  g_auto (Tensors) inputs = { node->n_inputs,
                              tp_new0 (TpRefTensor, node->n_inputs) };
  g_autofree const TpRefTensor **borrowed
      = tp_new0 (const TpRefTensor *, node->n_inputs);
  gboolean ok = TRUE;

  for (int i = 0; ok && i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      {
        ok = load_input (draft, node, i, &inputs.tensors[i]);
        borrowed[i] = &inputs.tensors[i];
      }
  for (int i = 0; ok && i < node->n_outputs; i++)
    ok = init_ref_tensor (&outputs[i],
                          tp_draft_tensor (draft, node->outputs[i]));
  if (ok)
    {
      node->op->reference (node, borrowed, outputs);
      ok = reads_nothing (draft, node) || results_are_exact (node, outputs);
    }
  return ok;
}

static gboolean
store (TpDraft *draft, int index, const TpRefTensor *value, GError **error)
{
  TpTensor *tensor = tp_draft_tensor (draft, index);
  void *data
      = tp_region_alloc (draft->region, tensor->size_bytes, 1, error);

  if (data == NULL)
    return FALSE;
  tp_dtype_store_doubles (tensor->dtype, value->data, tensor->count, data);
  tensor->init = (TpInit){ .kind = TP_INIT_DATA, .data = data };
  return TRUE;
}

static gint64
count_all_data (TpDraft *draft)
{
  gint64 n = 0;

  for (int i = 0; i < (int) draft->tensors->len; i++)
    if (!tp_size_add (n, count_data (tp_draft_tensor (draft, i)), &n))
      return G_MAXINT64;
  return n;
}

static gboolean
take_outputs (TpFold *fold, TpDraft *draft, const TpNode *node)
{
  gint64 size_bytes = 0, count = 0;

  for (int i = 0; i < node->n_outputs; i++)
    {
      size_bytes += tp_draft_tensor (draft, node->outputs[i])->size_bytes;
      count += tp_draft_tensor (draft, node->outputs[i])->count;
    }
  if (fold->n_data == 0)
    fold->n_data = 1 + count_all_data (draft);
  if (count <= count_read_data (draft, node)
      && count <= fold->n_data - fold->n_moved)
    {
      fold->n_moved += count;
      return TRUE;
    }
  if (size_bytes > MAX_BYTES - fold->size_bytes)
    return FALSE;
  fold->size_bytes += size_bytes;
  return TRUE;
}

/* Whether what is left of the limits is enough for @node; takes it if so. */
static gboolean
take_budget (TpFold *fold, TpDraft *draft, const TpNode *node)
{
  gint64 n_elements = count_elements (draft, node);

  if (n_elements < 0
      || n_elements > draft->limits.values[TP_LIMIT_FOLD] - fold->n_elements
      || !take_outputs (fold, draft, node))
    return FALSE;
  fold->n_elements += n_elements;
  return TRUE;
}

gboolean
tp_fold_node (TpFold *fold, TpDraft *draft, TpNode *node, GError **error)
{
  g_auto (Tensors) outputs = { node->n_outputs, NULL };
  gboolean ok = TRUE;

  if ((fold->keeps_quantized && tp_node_has_flag (node, TP_OP_DEQUANTIZES))
      || fold_view (draft, node) || !take_budget (fold, draft, node))
    return TRUE;
  outputs.tensors = tp_new0 (TpRefTensor, node->n_outputs);
  if (!run_reference (draft, node, outputs.tensors))
    return TRUE;
  for (int i = 0; ok && i < node->n_outputs; i++)
    ok = store (draft, node->outputs[i], &outputs.tensors[i], error);
  node->type = NULL;
  return ok;
}
