/* graph-empty.c: tensors without elements. Exporters write a Split into what is used
 * and what is left, and a Concat with that again, where nothing is left; devices have
 * no memory of no bytes. */
#include "config.h"

#include "graph/graph-empty.h"

#include "ir/op.h"
#include "ops/op.h"

static gboolean
is_empty (TpDraft *draft, int tensor)
{
  return tensor >= 0 && tp_draft_tensor (draft, tensor)->count == 0;
}

static void
become_identity (TpNode *node)
{
  node->type = "Identity";
  node->op = tp_op_find (node->type);
  node->n_inputs = node->n_outputs = 1;
  node->n_attrs = 0;
}

static void
drop_inputs (TpDraft *draft, TpNode *node)
{
  int n = 0;

  for (int i = 0; i < node->n_inputs; i++)
    if (!is_empty (draft, node->inputs[i]))
      tp_node_edit (node->inputs)[n++] = node->inputs[i];
  if (n == 1 && node->n_inputs > 1)
    become_identity (node);
  node->n_inputs = n;
}

/* No state is to hold it. */
static gboolean
may_be_constant (TpDraft *draft, int tensor)
{
  return tp_draft_tensor (draft, tensor)->state == 0;
}

static void
make_constant (TpDraft *draft, int tensor)
{
  static const char nothing[1] = { 0 };

  tp_draft_tensor (draft, tensor)->init
      = (TpInit){ .kind = TP_INIT_DATA, .data = nothing };
}

void
tp_draft_drop_empty (TpDraft *draft, TpNode *node)
{
  int n_empty = 0, kept = -1;
  gboolean is_all;

  if (node->op == NULL || node->n_costs > 0)
    return;
  for (int i = 0; i < node->n_outputs; i++)
    {
      gboolean is_nothing = is_empty (draft, node->outputs[i]);

      if (is_nothing && !may_be_constant (draft, node->outputs[i]))
        return;
      n_empty += is_nothing;
      kept = is_nothing ? kept : node->outputs[i];
    }
  if (n_empty == 0 && tp_node_has_flag (node, TP_OP_JOINS))
    drop_inputs (draft, node);
  is_all = n_empty == node->n_outputs;
  if (n_empty == 0
      || !(is_all || (tp_node_has_flag (node, TP_OP_CUTS)
                      && n_empty + 1 == node->n_outputs)))
    return;
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != kept)
      make_constant (draft, node->outputs[i]);
  if (is_all)
    node->type = NULL;
  else
    {
      tp_node_edit (node->outputs)[0] = kept;
      become_identity (node);
    }
}

void
tp_draft_take_empty_inputs (TpDraft *draft)
{
  for (guint i = draft->inputs->len; i-- > 0;)
    {
      int tensor = tp_array_index (draft->inputs, int, i);

      if (!is_empty (draft, tensor))
        continue;
      make_constant (draft, tensor);
      tp_array_remove_index (draft->inputs, i);
    }
}
