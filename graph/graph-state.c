/* graph-state.c: see graph-state.h. */
#include "config.h"

#include "graph/graph-state.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-limit.h"
#include "ir/guard.h"
#include "ops/op-util.h"

#include <string.h>

static const char *
get_place (TpGraphBuilder *builder, int tensor)
{
  const TpBuilderState *state
      = &tp_array_index (builder->states, TpBuilderState, tensor);

  return state->wanted != NULL ? state->wanted : state->place;
}

static gboolean
is_next (TpGraphBuilder *builder, int index)
{
  int state = tp_draft_tensor (builder->draft, index)->state;

  return state > 0 && state != 1 + index;
}

/* [tensor]: whether an op makes it (1), reads it (2). */
static guint8 *
find_ends (const TpDraft *draft)
{
  guint8 *ends = tp_new0 (guint8, draft->tensors->len + 1);

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = &tp_array_index (draft->nodes, TpNode, i);

      for (int k = 0; k < node->n_outputs; k++)
        ends[node->outputs[k]] |= 1;
      for (int k = 0; k < node->n_inputs; k++)
        if (node->inputs[k] >= 0)
          ends[node->inputs[k]] |= 2;
    }
  return ends;
}

static gboolean
check_state (TpGraphBuilder *builder, int index, guint8 ends, GError **error)
{
  const TpTensor *tensor = tp_draft_tensor (builder->draft, index);
  const char *place = get_place (builder, index);

  if (tensor->is_output)
    tp_builder_set_error (builder, place, error,
                          "'%s' is an output too, but a state stays where it "
                          "is: give an op that copies it (Identity)",
                          tensor->name);
  else if (is_next (builder, index) && (ends & 1) == 0)
    tp_builder_set_error (builder, place, error,
                          "'%s' is made by no op: name what one makes",
                          tensor->name);
  else if (!is_next (builder, index) && (ends & 2) == 0)
    tp_builder_set_error (builder, place, error,
                          "no op reads the state '%s': leave it out",
                          tensor->name);
  else
    return TRUE;
  return FALSE;
}

gboolean
tp_builder_check_states (TpGraphBuilder *builder, GError **error)
{
  g_autofree guint8 *ends = find_ends (builder->draft);

  for (guint i = 0; i < builder->draft->tensors->len; i++)
    if (tp_draft_tensor (builder->draft, i)->state > 0
        && !check_state (builder, i, ends[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
fail_shapes (TpGraphBuilder *builder, int index, const TpTensor *state,
             GError **error)
{
  const TpTensor *next = tp_draft_tensor (builder->draft, index);
  g_autofree char *before = tp_dims_to_text (state->rank, state->dims);
  g_autofree char *after = tp_dims_to_text (next->rank, next->dims);

  tp_builder_set_error (builder, get_place (builder, index), error,
                        "'%s', of %s %s, has another shape or element type than "
                        "the state '%s', of %s %s, in whose place it is stored: "
                        "what grows from run to run is no state",
                        next->name, tp_dtype_get_name (next->dtype), after,
                        state->name, tp_dtype_get_name (state->dtype), before);
  return FALSE;
}

gboolean
tp_builder_check_state_shapes (TpGraphBuilder *builder, GError **error)
{
  TpDraft *draft = builder->draft;

  for (guint i = 0; i < draft->tensors->len; i++)
    {
      const TpTensor *next = tp_draft_tensor (draft, i);
      const TpTensor *state;

      if (next->state == 0)
        continue;
      state = tp_draft_tensor (draft, next->state - 1);
      if (next->dtype == state->dtype && next->rank == state->rank
          && memcmp (next->dims, state->dims,
                     sizeof next->dims[0] * next->rank) == 0)
        continue;
      return fail_shapes (builder, i, state, error);
    }
  return TRUE;
}
