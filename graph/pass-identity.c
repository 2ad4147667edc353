/* pass-identity.c: Identity goes, and Dropout, which does nothing when a network
 * is run, and a Cast or Expand to the type and shape there is already. Constants that are the same bytes, by other names, become one. */
#include "config.h"

#include "graph/pass.h"
#include "ir/guard.h"
#include "ir/map.h"
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

/* Whether the node that makes @input may write an output of the graph in its place:
 * nobody outside sees @input. */
static gboolean
can_rename (TpDraft *draft, int input)
{
  const TpTensor *tensor = tp_draft_tensor (draft, input);

  return tensor->producer >= 0 && !tensor->is_output && !tensor->is_input
         && tensor->state == 0;
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

  if (!tp_draft_tensor (draft, output)->is_output
      && tp_draft_tensor (draft, output)->state == 0)
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

/* To another type or shape, if to anything. */
static gboolean
changes_nothing (TpDraft *draft, const TpNode *node)
{
  const TpTensor *x, *out;

  if (!tp_node_has_flag (node, TP_OP_COPIES) || node->inputs[0] < 0)
    return FALSE;
  x = tp_draft_tensor (draft, node->inputs[0]);
  out = tp_draft_tensor (draft, node->outputs[0]);
  return x->dtype == out->dtype && x->rank == out->rank
         && memcmp (x->dims, out->dims, sizeof x->dims[0] * x->rank) == 0
         && memcmp (x->strides, out->strides, sizeof x->strides[0] * x->rank)
                == 0;
}

/* Identity, or Dropout (of inference) whose mask nobody reads. */
static gboolean
is_identity (TpDraft *draft, const TpNode *node)
{
  for (int j = 1; j < node->n_outputs; j++)
    {
      const TpTensor *mask = tp_draft_tensor (draft, node->outputs[j]);

      if (mask->n_consumers > 0 || mask->is_output || mask->state > 0)
        return FALSE;
    }
  return tp_node_has_flag (node, TP_OP_IDENTITY)
         || changes_nothing (draft, node);
}

static gboolean
is_same_constant (const TpTensor *a, const TpTensor *b)
{
  return a->dtype == b->dtype && a->rank == b->rank
         && a->init.scale == b->init.scale && a->init.steps == b->init.steps
         && memcmp (a->dims, b->dims, sizeof a->dims[0] * a->rank) == 0
         && memcmp (a->strides, b->strides, sizeof a->strides[0] * a->rank)
                == 0;
}

/* By where they lie: bytes are not compared. */
static void
merge_constants (TpDraft *draft, int *alias)
{
  g_autoptr (TpMap) first
      = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);

  for (guint i = 0; i < draft->tensors->len; i++)
    {
      const TpTensor *tensor = tp_draft_tensor (draft, i);
      gpointer place = (gpointer) tensor->init.data;
      int known;

      if (tensor->init.kind != TP_INIT_DATA || tensor->size_bytes == 0
          || tensor->is_output || alias[i] >= 0)
        continue;
      known = GPOINTER_TO_INT (tp_map_lookup (first, place)) - 1;
      if (known < 0)
        tp_map_insert (first, place, GINT_TO_POINTER ((int) i + 1));
      else if (is_same_constant (tp_draft_tensor (draft, known), tensor))
        alias[i] = known;
    }
}

static gboolean
drop_identities (TpDraft *draft, GError **error)
{
  g_autofree int *alias = tp_new (int, draft->tensors->len + 1);

  memset (alias, -1, draft->tensors->len * sizeof (int));
  for (guint i = 0; i < draft->nodes->len; i++)
    if (is_identity (draft, tp_draft_node (draft, i)))
      drop_identity (draft, tp_draft_node (draft, i), alias);
  merge_constants (draft, alias);
  resolve_inputs (draft, alias);
  return TRUE;
}

const TpPass tp_pass_identity = {
  .name = "identity",
  .summary = "Identity and Dropout go, and casts to the type there is",
  .run = drop_identities,
};
