/* graph-taken.c: see graph-taken.h. */
#include "config.h"

#include "graph/graph-taken.h"

#include "ir/graph-value.h"
#include "ops/op-logic.h"
#include "ops/op.h"

/* FALSE: not known, or nothing that a condition can be. */
static gboolean
find_value (TpDraft *draft, int condition, gboolean *out_value)
{
  const TpTensor *tensor = condition < 0 ? NULL
                                         : tp_draft_tensor (draft, condition);
  double value;

  if (tensor == NULL || !tp_tensor_is_constant (tensor) || tensor->count != 1
      || tensor->dtype != TPLAN_DTYPE_BOOL)
    return FALSE;
  tp_tensor_write_doubles (tensor, &value);
  *out_value = value != 0;
  return TRUE;
}

gboolean
tp_branch_is_taken (TpDraft *draft, const TpNode *node)
{
  const TpBranch *branch = tp_draft_branch (draft, node->branch);
  gboolean value;

  for (; branch != NULL; branch = tp_draft_branch (draft, branch->parent))
    if (find_value (draft, branch->condition, &value)
        && value != branch->value)
      return FALSE;
  return TRUE;
}

void
tp_branch_choose (TpDraft *draft, TpNode *node)
{
  gboolean value;

  if (node->op != &tp_op_if || !find_value (draft, node->inputs[0], &value))
    return;
  tp_node_edit (node->inputs)[0] = node->inputs[value ? 1 : 2];
  node->n_inputs = 1;
  node->op = tp_op_find ("Identity");
  node->type = node->op->name;
}

void
tp_branch_keep (TpNode *node)
{
  if (node->op != &tp_op_if)
    return;
  node->op = tp_op_find ("Where");
  node->type = node->op->name;
}

void
tp_branch_explain (TpDraft *draft, const TpNode *node, GError *error)
{
  const TpBranch *branch = tp_draft_branch (draft, node->branch);
  g_autofree char *given = NULL;
  gboolean value;

  while (branch != NULL && find_value (draft, branch->condition, &value))
    branch = tp_draft_branch (draft, branch->parent);
  if (branch == NULL)
    return;
  given = error->message;
  error->message = g_strdup_printf (
      "%s; it is in a branch of an If whose condition '%s' is not known before a "
      "run: make it known (by --dim, or a constant in place of an input)", given,
      tp_draft_tensor (draft, branch->condition)->name);
}

/* What is in no branch that is taken has no shape, which a graph has not. */
gboolean
tp_branch_forget (TpDraft *draft, GError **error)
{
  if (draft->branches->len == 0 && !draft->has_control)
    return TRUE;
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      tp_draft_node (draft, i)->branch = 0;
      tp_draft_node (draft, i)->body = 0;
    }
  tp_array_set_size (draft->branches, 0);
  return tp_draft_remove_unused_tensors (draft, error);
}
