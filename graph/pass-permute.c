/* pass-permute.c: Transposes that need no copy. A layout is nothing but strides:
 * where the readers of a Transpose take any, its result is its input read in
 * another order; where its input is a product that nothing else reads, that is
 * stored so that the result lies in rows. The heads of attention are taken apart
 * and put together so. Such a Transpose becomes a Permute, a view. */
#include "config.h"

#include "graph/pass.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "ops/op-move.h"
#include "ops/op.h"

#include <string.h>

typedef struct
{
  TpDraft *draft;
  int *n_uses;                /* per tensor */
  guint8 *is_rigid;           /* some reader takes bytes as they lie */
  guint8 *is_mixed;           /* some reader is no product */
} Pass;

static void
mark_readers (Pass *pass)
{
  TpDraft *draft = pass->draft;

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int j = 0; j < node->n_inputs; j++)
        if (node->inputs[j] >= 0)
          {
            pass->is_rigid[node->inputs[j]]
                |= node->op == NULL || node->op->kind == TP_OP_VIEW
                   || node->op->kind == TP_OP_OPAQUE;
            pass->is_mixed[node->inputs[j]]
                |= !tp_node_has_flag (node, TP_OP_ANY_STRIDES);
          }
    }
  for (guint i = 0; i < draft->outputs->len; i++)
    pass->is_rigid[tp_array_index (draft->outputs, int, i)] = TRUE;
  for (guint i = 0; i < draft->tensors->len; i++)
    pass->is_rigid[i] |= tp_draft_tensor (draft, i)->state > 0;
}

/* The strides that dimension i of the result has in the input. */
static void
get_strides (const TpNode *node, const TpTensor *x, gint64 *strides)
{
  int n_perm = 0;
  const gint64 *perm = tp_node_get_ints (node, "perm", &n_perm);

  for (int i = 0; i < x->rank; i++)
    strides[i] = x->strides[n_perm > 0 ? perm[i] : x->rank - 1 - i];
}

/* Dimensions of 1 have no stride to speak of. */
static gboolean
have_equal_strides (const TpTensor *tensor, const gint64 *strides)
{
  for (int i = 0; i < tensor->rank; i++)
    if (tensor->dims[i] > 1 && tensor->strides[i] != strides[i])
      return FALSE;
  return TRUE;
}

/* Products read along any dimension; others are slow unless vectors run along
 * the last one. */
static gboolean
can_be_read (const Pass *pass, int out, const gint64 *strides)
{
  const TpTensor *tensor = tp_draft_tensor (pass->draft, out);

  return !pass->is_rigid[out] && tp_tensor_is_row_major (tensor)
         && (!pass->is_mixed[out] || strides[tensor->rank - 1] == 1);
}

/* Stores the input of @node so that its result has the strides it has now. */
static gboolean
store_permuted (Pass *pass, const TpNode *node)
{
  TpTensor *x = tp_draft_tensor (pass->draft, node->inputs[0]);
  const TpTensor *out = tp_draft_tensor (pass->draft, node->outputs[0]);
  TpTensor image = *x;
  gint64 numbers[TP_MAX_RANK], strides[TP_MAX_RANK], turned[TP_MAX_RANK];

  if (x->producer < 0 || pass->n_uses[node->inputs[0]] != 1
      || !tp_node_has_flag (tp_draft_node (pass->draft, x->producer),
                            TP_OP_ANY_STRIDES)
      || !tp_tensor_is_row_major (x) || x->rank < 1)
    return FALSE;
  for (int i = 0; i < x->rank; i++)
    numbers[i] = i;
  image.strides = numbers;
  get_strides (node, &image, strides);
  if (strides[x->rank - 1] != x->rank - 1)
    return FALSE;             /* vectors would be stored lane by lane */
  for (int i = 0; i < x->rank; i++)
    turned[strides[i]] = out->strides[i];
  tp_draft_set_form (pass->draft, x, x->dims, turned);
  return TRUE;
}

static void
try_node (Pass *pass, TpNode *node)
{
  const TpTensor *x = tp_draft_tensor (pass->draft, node->inputs[0]);
  TpTensor *out = tp_draft_tensor (pass->draft, node->outputs[0]);
  gint64 strides[TP_MAX_RANK];

  if (tp_dtype_get (x->dtype)->compute != TP_COMPUTE_FLOAT32
      || tp_tensor_is_constant (x)
      || tp_node_is_told (node))
    return;
  get_strides (node, x, strides);
  if (can_be_read (pass, node->outputs[0], strides))
    tp_draft_set_form (pass->draft, out, out->dims, strides);
  else if (!have_equal_strides (out, strides) && !store_permuted (pass, node))
    return;
  node->type = tp_op_permute.name;
  node->op = &tp_op_permute;
}

static gboolean
is_transpose (const TpNode *node)
{
  return tp_node_is (node, "Transpose");
}

static gboolean
permute (TpDraft *draft, GError **error)
{
  gsize n = draft->tensors->len + 1;
  g_autofree int *n_uses = tp_new0 (int, n);
  g_autofree guint8 *is_rigid = tp_new0 (guint8, n);
  g_autofree guint8 *is_mixed = tp_new0 (guint8, n);
  Pass pass = { draft, n_uses, is_rigid, is_mixed };

  tp_draft_count_uses (draft, n_uses);
  mark_readers (&pass);
  for (guint i = 0; i < draft->nodes->len; i++)
    if (is_transpose (tp_draft_node (draft, i)))
      try_node (&pass, tp_draft_node (draft, i));
  return TRUE;
}

const TpPass tp_pass_permute = {
  .name = "permute",
  .summary = "Transposes between ops that take any strides become views",
  .is_layout = TRUE,
  .concerns = is_transpose,
  .run = permute,
};
