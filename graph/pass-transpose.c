/* pass-transpose.c: Transposes of constants go, as of an embedding that is the
 * last layer too: the result is a constant that is read in another order. Nothing
 * is copied before a device wants the value. */
#include "config.h"

#include "graph/pass.h"
#include "ir/guard.h"
#include "ir/op.h"

/* Marks tensors whose bytes are taken as they lie. */
static void
mark_rigid (TpDraft *draft, guint8 *is_rigid)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      if (node->type == NULL
          || (node->op != NULL && node->op->kind != TP_OP_VIEW))
        continue;
      for (int j = 0; j < node->n_inputs; j++)
        if (node->inputs[j] >= 0)
          is_rigid[node->inputs[j]] = TRUE;
    }
}

static gboolean
can_fold (TpDraft *draft, const TpNode *node, const guint8 *is_rigid)
{
  const TpTensor *x, *out;

  if (!tp_node_is (node, "Transpose")
      || tp_node_is_told (node))
    return FALSE;
  x = tp_draft_tensor (draft, node->inputs[0]);
  out = tp_draft_tensor (draft, node->outputs[0]);
  return tp_tensor_is_constant (x) && x->init.scale == NULL && !out->is_output
         && out->state == 0
         && !is_rigid[node->outputs[0]];
}

/* The source steps by @steps[i] along dimension i of the result. */
static void
set_steps (const TpNode *node, const TpTensor *x, gint64 *steps)
{
  int n_perm = 0;
  const gint64 *perm = tp_node_get_ints (node, "perm", &n_perm);
  gint64 own[TP_MAX_RANK], step = 1;

  for (int i = x->rank - 1; i >= 0; i--)
    {
      own[i] = x->init.steps ? x->init.steps[i] : step;
      step *= x->dims[i];
    }
  for (int i = 0; i < x->rank; i++)
    steps[i] = own[n_perm > 0 ? perm[i] : x->rank - 1 - i];
}

static gboolean
is_transpose (const TpNode *node)
{
  return tp_node_is (node, "Transpose");
}

static gboolean
fold_transposes (TpDraft *draft, GError **error)
{
  g_autofree guint8 *is_rigid = tp_new0 (guint8, draft->tensors->len + 1);

  mark_rigid (draft, is_rigid);
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (draft, i);
      const TpTensor *x;
      gint64 *steps;

      if (!can_fold (draft, node, is_rigid))
        continue;
      x = tp_draft_tensor (draft, node->inputs[0]);
      steps = tp_region_alloc (draft->region, x->rank, sizeof *steps, error);
      if (steps == NULL)
        return FALSE;
      set_steps (node, x, steps);
      tp_draft_tensor (draft, node->outputs[0])->init = x->init;
      tp_draft_tensor (draft, node->outputs[0])->init.steps = steps;
      node->type = NULL;
    }
  return TRUE;
}

const TpPass tp_pass_transpose = {
  .name = "transpose",
  .summary = "Transposes of constants become ways to read them",
  .concerns = is_transpose,
  .run = fold_transposes,
};
