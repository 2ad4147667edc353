/* graph-sort.c: see graph-sort.h. */
#include "config.h"

#include "graph/graph-sort.h"

#include "graph/graph-draft.h"
#include "ir/array.h"
#include "ir/guard.h"

/* One step of the walk: a node and how much of what it needs is done. */
typedef struct
{
  int node;
  int next;
} Step;

/* What @node needs as number @i: its inputs (-1: left out), then the conditions of
 * the branches that it is in. FALSE: there are no more. */
static gboolean
find_need (TpDraft *draft, const TpNode *node, int i, int *out_tensor)
{
  const TpBranch *branch = tp_draft_branch (draft, node->branch);

  if (i < node->n_inputs)
    {
      *out_tensor = node->inputs[i];
      return TRUE;
    }
  for (i -= node->n_inputs; branch != NULL && i > 0; i--)
    branch = tp_draft_branch (draft, branch->parent);
  if (branch != NULL)
    *out_tensor = branch->condition;
  return branch != NULL;
}

static gboolean
is_sorted (TpDraft *draft)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);
      int tensor;

      for (int j = 0;
           node->type != NULL && find_need (draft, node, j, &tensor); j++)
        if (tensor >= 0
            && tp_draft_tensor (draft, tensor)->producer >= (int) i)
          return FALSE;
    }
  return TRUE;
}

static void
set_cycle_error (TpDraft *draft, const TpArray *path, int node, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *prefix
      = tp_draft_dup_prefix (draft, tp_draft_node (draft, node)->place);
  guint first = path->len - 1, shown = 0;

  while (tp_array_index (path, Step, first).node != node)
    first--;
  for (guint i = first; i < path->len && shown < 8; i++, shown++)
    {
      int at = tp_array_index (path, Step, i).node;
      const TpTensor *out
          = tp_draft_tensor (draft, tp_draft_node (draft, at)->outputs[0]);
      g_string_append_printf (text, "'%s' <- ", out->name);
    }
  if (first + shown < path->len)
    g_string_append (text, "... <- ");
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%sthe ops form a cycle of %u: %s'%s': break it", prefix,
               path->len - first, text->str,
               tp_draft_tensor (draft, tp_draft_node (draft, node)->outputs[0])
                   ->name);
}

/* Puts @root and all it needs at the end of @order: depth first, with a stack
 * of its own, so that a chain of a million ops is no problem. */
static gboolean
visit (TpDraft *draft, int root, guint8 *state, TpArray *order, GError **error)
{
  g_autoptr (TpArray) path = tp_array_new (sizeof (Step));
  Step first = { root, 0 };

  tp_array_append_val (path, first);
  state[root] = 1;
  while (path->len > 0)
    {
      Step *step = &tp_array_index (path, Step, path->len - 1);
      const TpNode *node = tp_draft_node (draft, step->node);
      int tensor, producer;

      if (!find_need (draft, node, step->next++, &tensor))
        {
          state[step->node] = 2;
          tp_array_append_val (order, *node);
          tp_array_set_size (path, path->len - 1);
          continue;
        }
      producer = tensor < 0 ? -1 : tp_draft_tensor (draft, tensor)->producer;
      if (producer < 0 || state[producer] == 2)
        continue;
      if (state[producer] == 1)
        {
          set_cycle_error (draft, path, producer, error);
          return FALSE;
        }
      state[producer] = 1;
      first = (Step){ producer, 0 };
      tp_array_append_val (path, first);
    }
  return TRUE;
}

gboolean
tp_draft_sort (TpDraft *draft, GError **error)
{
  g_autoptr (TpArray) order = NULL;
  g_autofree guint8 *state = NULL;

  tp_draft_link (draft);
  if (is_sorted (draft))
    return TRUE;
  order = tp_array_new (sizeof (TpNode));
  state = tp_new0 (guint8, draft->nodes->len);
  for (guint i = 0; i < draft->nodes->len; i++)
    if (state[i] == 0 && tp_draft_node (draft, i)->type != NULL
        && !visit (draft, i, state, order, error))
      return FALSE;
  tp_array_set_size (draft->nodes, 0);
  tp_array_append_vals (draft->nodes, order->data, order->len);
  tp_draft_link (draft);
  return TRUE;
}
