/* unroll-sequence.c: see unroll-sequence.h. */
#include "config.h"

#include "graph/unroll-sequence.h"

#include "graph/graph-taken.h"
#include "graph/unroll-known.h"
#include "graph/unroll-make.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "ops/op-logic.h"
#include "ops/op.h"

static int
get_input (const TpNode *node, int i)
{
  return i < node->n_inputs ? node->inputs[i] : -1;
}

/* ---- making ------------------------------------------------------------------ */

gboolean
tp_unroll_sequence_empty (TpUnroll *self, const TpNode *node, GError **error)
{
  g_autoptr (TpArray) items = tp_array_new (sizeof (int));

  tp_unroll_set_list (self, node->outputs[0], items, 0);
  return TRUE;
}

gboolean
tp_unroll_sequence_construct (TpUnroll *self, const TpNode *node, GError **error)
{
  g_autoptr (TpArray) items = tp_array_new (sizeof (int));

  for (int i = 0; i < node->n_inputs; i++)
    {
      if (!tp_unroll_check_tensor (self, node->inputs[i], "input", error))
        return FALSE;
      tp_array_append_val (items, node->inputs[i]);
    }
  tp_unroll_set_list (self, node->outputs[0], items, items->len);
  return TRUE;
}

/* ---- elements ----------------------------------------------------------------- */

/* What input @i says of a sequence of @n, or its end: an element, or (@is_between) the
 * place before it, or behind all. Returns -1 on error. */
static gint64
get_position (TpUnroll *self, int i, guint n, gboolean is_between, GError **error)
{
  gint64 most = is_between ? n : (gint64) n - 1, at = most;
  int tensor = get_input (self->node, i);

  if (tensor >= 0 && !tp_unroll_get_int (self, tensor, "position", &at, error))
    return -1;
  if (at >= -(gint64) n && at <= most)
    return at < 0 ? at + n : at;
  tp_unroll_fail (self, error, "position %" G_GINT64_FORMAT " in a sequence of %u",
                  at, n);
  return -1;
}

/* A list that is as long as all of its items goes on in them. */
static void
insert (TpUnroll *self, int output, const TpList *list, guint at, int tensor)
{
  g_autoptr (TpArray) items = NULL;
  const int *old = (const int *) (void *) list->items->data;

  if (at == list->n && list->items->len == list->n)
    items = tp_array_ref (list->items);
  else
    {
      items = tp_array_new (sizeof (int));
      tp_array_append_vals (items, old, at);
    }
  tp_array_append_val (items, tensor);
  if (at < list->n)
    tp_array_append_vals (items, old + at, list->n - at);
  tp_unroll_set_list (self, output, items, list->n + 1);
}

gboolean
tp_unroll_sequence_insert (TpUnroll *self, const TpNode *node, GError **error)
{
  const TpList *list
      = tp_unroll_get_list (self, node->inputs[0], "input 0", error);
  gint64 at;

  if (list == NULL
      || !tp_unroll_check_tensor (self, node->inputs[1], "input 1", error)
      || (at = get_position (self, 2, list->n, TRUE, error)) < 0
      || !tp_unroll_take (self, at < list->n ? list->n : 1, "elements",
                          error))
    return FALSE;
  insert (self, node->outputs[0], list, (guint) at, node->inputs[1]);
  return TRUE;
}

gboolean
tp_unroll_sequence_erase (TpUnroll *self, const TpNode *node, GError **error)
{
  const TpList *list
      = tp_unroll_get_list (self, node->inputs[0], "input 0", error);
  g_autoptr (TpArray) items = NULL;
  gint64 at;

  if (list == NULL || (at = get_position (self, 1, list->n, FALSE, error)) < 0
      || !tp_unroll_take (self, list->n, "elements", error))
    return FALSE;
  items = tp_array_new (sizeof (int));
  tp_array_append_vals (items, list->items->data, list->n);
  tp_array_remove_index (items, (guint) at);
  tp_unroll_set_list (self, node->outputs[0], items, items->len);
  return TRUE;
}

gboolean
tp_unroll_sequence_at (TpUnroll *self, const TpNode *node, GError **error)
{
  const TpList *list
      = tp_unroll_get_list (self, node->inputs[0], "input 0", error);
  gint64 at = list == NULL ? -1
                           : get_position (self, 1, list->n, FALSE, error);

  return at >= 0
         && tp_unroll_give (self, node->outputs[0],
                            tp_array_index (list->items, int, at), error);
}

gboolean
tp_unroll_sequence_length (TpUnroll *self, const TpNode *node, GError **error)
{
  const TpList *list
      = tp_unroll_get_list (self, node->inputs[0], "input 0", error);

  return list != NULL
         && tp_unroll_give_scalar (self, node->outputs[0], TPLAN_DTYPE_INT64,
                                   list->n, error);
}

/* ---- to tensors and back --------------------------------------------------------- */

/* The parts of a dimension of @extent, by where each ends: as @split says, the last
 * shorter if it is one number. */
static gboolean
add_ends (const TpTensor *split, const gint64 *sizes, gint64 extent,
          TpArray *ends)
{
  gboolean is_list = split->rank > 0;
  gint64 end = 0;

  for (gint64 i = 0; is_list ? i < split->count : end < extent; i++)
    {
      gint64 size = is_list ? sizes[i] : MIN (sizes[0], extent - end);

      if (size < !is_list || size > extent - end)
        return FALSE;
      end += size;
      tp_array_append_val (ends, end);
    }
  return end == extent;
}

/* The same of the node, whose parts are of one without a split; NULL on error. */
static TpArray *
find_ends (TpUnroll *self, gint64 extent, GError **error)
{
  const TpNode *node = self->node;
  g_autoptr (TpArray) ends = tp_array_new (sizeof (gint64));
  const TpTensor *split;
  g_autofree gint64 *sizes = NULL;

  if (get_input (node, 1) < 0)
    {
      for (gint64 i = 1; i <= extent; i++)
        tp_array_append_val (ends, i);
      return g_steal_pointer (&ends);
    }
  sizes = tp_unroll_get_ints (self, node->inputs[1], "input 1", error);
  if (sizes == NULL)
    return NULL;
  split = tp_draft_tensor (self->draft, node->inputs[1]);
  if (split->rank <= 1 && add_ends (split, sizes, extent, ends))
    return g_steal_pointer (&ends);
  tp_unroll_fail (self, error, "split '%s' does not make parts of a dimension "
                  "of %" G_GINT64_FORMAT, split->name, extent);
  return NULL;
}

/* From @start to @end of dimension @axis. */
static int
add_slice (TpUnroll *self, gint64 start, gint64 end, gint64 axis, GError **error)
{
  const gint64 values[] = { start, end, axis };
  int inputs[4] = { self->node->inputs[0] };

  for (int i = 0; i < 3; i++)
    if ((inputs[1 + i] = tp_unroll_add_ints (self, 1, &values[i], error))
        < 0)
      return -1;
  return tp_unroll_add (self, (TpUnrollOp){ "Slice", NULL, 4, inputs }, -1,
                        error);
}

static gboolean
find_axis (TpUnroll *self, int rank, gint64 *out_axis, GError **error)
{
  gint64 axis = tp_node_get_int (self->node, "axis", 0);

  *out_axis = axis < 0 ? axis + rank : axis;
  return (*out_axis >= 0 && *out_axis < rank)
         || tp_unroll_fail (self, error, "axis %" G_GINT64_FORMAT " of %d "
                            "dimensions", axis, rank);
}

gboolean
tp_unroll_split_to_sequence (TpUnroll *self, const TpNode *node, GError **error)
{
  gboolean keeps = tp_node_get_int (node, "keepdims", 1) != 0
                   || get_input (node, 1) >= 0;
  g_autoptr (TpArray) ends = NULL, items = tp_array_new (sizeof (int));
  const TpTensor *x;
  gint64 axis, start = 0;

  if (!tp_unroll_check_tensor (self, node->inputs[0], "input 0", error))
    return FALSE;
  x = tp_draft_tensor (self->draft, node->inputs[0]);
  if (!find_axis (self, x->rank, &axis, error)
      || !tp_unroll_take (self, x->dims[axis], "parts", error))
    return FALSE;
  ends = find_ends (self, x->dims[axis], error);
  for (guint i = 0; ends != NULL && i < ends->len; i++)
    {
      gint64 end = tp_array_index (ends, gint64, i);
      int part = keeps ? add_slice (self, start, end, axis, error)
                       : tp_unroll_pick (self, node->inputs[0], axis, start,
                                         error);

      if (part < 0)
        return FALSE;
      tp_array_append_val (items, part);
      start = end;
    }
  if (ends != NULL)
    tp_unroll_set_list (self, node->outputs[0], items, items->len);
  return ends != NULL;
}

gboolean
tp_unroll_concat_from_sequence (TpUnroll *self, const TpNode *node,
                                GError **error)
{
  const TpList *list
      = tp_unroll_get_list (self, node->inputs[0], "input 0", error);
  gboolean is_new = tp_node_get_int (node, "new_axis", 0) != 0;
  g_autofree int *parts = NULL;
  gint64 axis = tp_node_get_int (node, "axis", 0);
  int rank;

  if (list == NULL)
    return FALSE;
  if (list->n == 0)
    return tp_unroll_fail (self, error, "the sequence is empty");
  parts = tp_memdup (list->items->data, list->n * sizeof (int));
  rank = tp_draft_tensor (self->draft, parts[0])->rank;
  axis += is_new && axis < 0 ? rank + 1 : 0;
  return tp_unroll_join (self, (TpUnrollRow){ (int) list->n, parts, axis, is_new },
                         node->outputs[0], error)
         >= 0;
}

/* ---- what may be absent ------------------------------------------------------------- */

gboolean
tp_unroll_optional (TpUnroll *self, const TpNode *node, GError **error)
{
  return tp_unroll_give (self, node->outputs[0], get_input (node, 0), error);
}

static gboolean
is_there (const TpUnroll *self, int tensor)
{
  const TpList *list = tp_unroll_find_list (self, tensor);

  return tensor >= 0 && (list == NULL || !list->is_none);
}

gboolean
tp_unroll_optional_get (TpUnroll *self, const TpNode *node, GError **error)
{
  if (!is_there (self, node->inputs[0]))
    return tp_unroll_fail (self, error, "there is no element to get");
  return tp_unroll_give (self, node->outputs[0], node->inputs[0], error);
}

gboolean
tp_unroll_optional_has (TpUnroll *self, const TpNode *node, GError **error)
{
  return tp_unroll_give_scalar (self, node->outputs[0], TPLAN_DTYPE_BOOL,
                                is_there (self, get_input (node, 0)), error);
}

/* ---- other ops, and outputs --------------------------------------------------------- */

/* Whose condition is not known: element by element. */
static gboolean
choose_elements (TpUnroll *self, const TpNode *node, GError **error)
{
  const TpList *yes = tp_unroll_find_list (self, node->inputs[1]);
  const TpList *no = tp_unroll_find_list (self, node->inputs[2]);
  g_autoptr (TpArray) items = NULL;

  if (yes == NULL || no == NULL || yes->is_none || no->is_none
      || yes->n != no->n)
    return tp_unroll_refuse (
        self, error, "condition '%s' is not known before a run, and the "
        "branches do not both give sequences of one length: make it known (by "
        "--value, or a constant in place of an input)",
        tp_draft_tensor (self->draft, node->inputs[0])->name);
  items = tp_array_new (sizeof (int));
  for (guint i = 0; i < yes->n; i++)
    {
      const int inputs[] = { node->inputs[0], tp_array_index (yes->items, int, i),
                             tp_array_index (no->items, int, i) };
      int part = tp_unroll_add (self, (TpUnrollOp){ "If", NULL, 3, inputs },
                                -1, error);

      if (part < 0)
        return FALSE;
      tp_array_append_val (items, part);
    }
  tp_unroll_set_list (self, node->outputs[0], items, items->len);
  return TRUE;
}

gboolean
tp_unroll_any (TpUnroll *self, const TpNode *node, GError **error)
{
  TpNode chosen = *node;

  tp_branch_choose (self->draft, &chosen);
  if (tp_node_has_flag (&chosen, TP_OP_IDENTITY))
    return tp_unroll_give (self, node->outputs[0], chosen.inputs[0], error);
  if (chosen.op == &tp_op_if)
    return choose_elements (self, node, error);
  for (int i = 0; i < node->n_inputs; i++)
    if (tp_unroll_find_list (self, node->inputs[i]) != NULL)
      return tp_unroll_check_tensor (self, node->inputs[i], "input", error);
  g_assert_not_reached ();
}

/* An element is called "name[0]". */
static gboolean
spread_elements (TpUnroll *self, const TpList *list, TpArray *outputs,
                 GError **error)
{
  if (list->is_none || list->n == 0)
    return tp_unroll_refuse (self, error, "it has no tensors: take it from the "
                             "outputs");
  for (guint i = 0; i < list->n; i++)
    {
      g_autofree char *suffix = g_strdup_printf ("[%u]", i);
      int item = tp_array_index (list->items, int, i);
      int part = tp_unroll_add_tensor (self, self->node->name, suffix, error);

      if (part < 0 || !tp_unroll_give (self, part, item, error))
        return FALSE;
      tp_array_append_val (outputs, part);
    }
  return TRUE;
}

static gboolean
spread (TpUnroll *self, int output, const TpList *list, TpArray *outputs,
        GError **error)
{
  const TpNode node = { .name = tp_draft_tensor (self->draft, output)->name,
                        .type = "output", .opset = self->draft->opset,
                        .place = "outputs" };
  gboolean is_done;

  self->node = &node;
  is_done = spread_elements (self, list, outputs, error);
  self->node = NULL;
  return is_done;
}

gboolean
tp_unroll_spread_outputs (TpUnroll *self, GError **error)
{
  TpDraft *draft = self->draft;
  g_autoptr (TpArray) outputs = NULL;

  if (tp_map_size (self->lists) == 0)
    return TRUE;
  outputs = tp_array_new (sizeof (int));
  for (guint i = 0; i < draft->outputs->len; i++)
    {
      int output = tp_array_index (draft->outputs, int, i);
      const TpList *list = tp_unroll_find_list (self, output);

      if (list == NULL)
        tp_array_append_val (outputs, output);
      else if (!spread (self, output, list, outputs, error))
        return FALSE;
    }
  tp_array_set_size (draft->outputs, 0);
  tp_array_append_vals (draft->outputs, outputs->data, outputs->len);
  return TRUE;
}
