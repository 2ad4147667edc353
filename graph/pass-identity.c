/* pass-identity.c: Identity goes, and Dropout, which does nothing when a network
 * is run. */
#include "config.h"

#include "graph/pass.h"
#include "ir/op.h"
#include "ops/op.h"

#include <string.h>

static int
resolve (const int *alias, int tensor)
{
  while (tensor >= 0 && alias[tensor] >= 0)
    tensor = alias[tensor];
  return tensor;
}

/* Whether node @producer may write the graph output @output in place of the
 * tensor @input: nobody outside sees @input. */
static gboolean
can_rename (TpDraft *draft, int input)
{
  const TpTensor *tensor = tp_draft_tensor (draft, input);

  return tensor->producer >= 0 && !tensor->is_output && !tensor->is_input;
}

static void
rename_output (TpDraft *draft, int input, int output)
{
  const TpNode *producer
      = tp_draft_node (draft, tp_draft_tensor (draft, input)->producer);

  for (int j = 0; j < producer->n_outputs; j++)
    if (producer->outputs[j] == input)
      tp_node_edit (producer->outputs)[j] = output;
}

static void
resolve_inputs (TpDraft *draft, const int *alias)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int j = 0; node->type != NULL && j < node->n_inputs; j++)
        tp_node_edit (node->inputs)[j] = resolve (alias, node->inputs[j]);
    }
}

/* alias[t]: the tensor to read instead of t, or -1. */
static void
drop_identity (TpDraft *draft, TpNode *node, int *alias)
{
  int input = resolve (alias, node->inputs[0]), output = node->outputs[0];

  if (!tp_draft_tensor (draft, output)->is_output)
    alias[output] = input;
  else if (can_rename (draft, input))
    {
      rename_output (draft, input, output);
      alias[input] = output;
      tp_draft_tensor (draft, output)->producer
          = tp_draft_tensor (draft, input)->producer;
    }
  else
    return; /* a copy of an input, a constant or another output stays */
  node->type = NULL;
}

/* Identity, or Dropout (of inference) whose mask nobody reads. */
static gboolean
is_identity (TpDraft *draft, const TpNode *node)
{
  for (int j = 1; j < node->n_outputs; j++)
    {
      const TpTensor *mask = tp_draft_tensor (draft, node->outputs[j]);

      if (mask->n_consumers > 0 || mask->is_output)
        return FALSE;
    }
  return tp_node_has_flag (node, TP_OP_IDENTITY);
}

static gboolean
drop_identities (TpDraft *draft, GError **error)
{
  g_autofree int *alias = g_new (int, draft->tensors->len + 1);

  memset (alias, -1, draft->tensors->len * sizeof (int));
  for (guint i = 0; i < draft->nodes->len; i++)
    if (is_identity (draft, tp_draft_node (draft, i)))
      drop_identity (draft, tp_draft_node (draft, i), alias);
  resolve_inputs (draft, alias);
  return TRUE;
}

const TpPass tp_pass_identity = {
  .name = "identity",
  .summary = "Identity and Dropout go",
  .run = drop_identities,
};
