/* unroll-known.c: see unroll-known.h. */
#include "config.h"

#include "graph/unroll-known.h"

#include "ir/graph-value.h"
#include "ir/guard.h"

#define INPUTS_TOLD 3

/* ---- what a value hangs on -------------------------------------------------- */

/* Ops of the graph, then those that were made, but for some that are gone. */
static const TpNode *
find_node (const TpUnroll *self, int index)
{
  int n = (int) self->draft->nodes->len;

  if (index < 0 || index >= n + (int) self->made->len)
    return NULL;
  return index < n ? tp_draft_node (self->draft, index)
                   : &tp_array_index (self->made, TpNode, index - n);
}

static gboolean
is_input (const TpUnroll *self, int tensor)
{
  const TpArray *inputs = self->draft->inputs;

  for (guint i = 0; i < inputs->len; i++)
    if (tp_array_index (inputs, int, i) == tensor)
      return TRUE;
  return FALSE;
}

static void
visit (const TpUnroll *self, int tensor, guint8 *is_seen, TpArray *open)
{
  if (tensor < 0 || is_seen[tensor]
      || tp_tensor_is_constant (tp_draft_tensor (self->draft, tensor)))
    return;
  is_seen[tensor] = TRUE;
  tp_array_append_val (open, tensor);
}

/* The inputs that @tensor is computed from. */
static TpArray *
find_inputs (const TpUnroll *self, int tensor)
{
  g_autofree guint8 *is_seen = tp_new0 (guint8, self->draft->tensors->len + 1);
  g_autoptr (TpArray) open = tp_array_new (sizeof (int));
  g_autoptr (TpArray) found = tp_array_new (sizeof (int));

  visit (self, tensor, is_seen, open);
  for (guint i = 0; i < open->len; i++)
    {
      int at = tp_array_index (open, int, i);
      int producer = tp_draft_tensor (self->draft, at)->producer;
      const TpNode *node = find_node (self, producer);

      if (node == NULL && is_input (self, at))
        tp_array_append_val (found, at);
      for (int j = 0; node != NULL && j < node->n_inputs; j++)
        visit (self, node->inputs[j], is_seen, open);
    }
  return g_steal_pointer (&found);
}

static gboolean
refuse_unknown (const TpUnroll *self, int tensor,
                const char *what, GError **error)
{
  g_autoptr (TpArray) inputs = find_inputs (self, tensor);
  const char *name = tp_draft_tensor (self->draft, tensor)->name;
  g_autoptr (GString) list = g_string_new (NULL);
  const char *first;

  if (inputs->len == 0)
    return tp_unroll_refuse (self, error, "its %s '%s' is not known before a "
                             "run: it is computed by ops that are not folded",
                             what, name);
  first = tp_draft_tensor (self->draft, tp_array_index (inputs, int, 0))->name;
  for (guint i = 0; i < inputs->len && i <= INPUTS_TOLD; i++)
    g_string_append_printf (
        list, i < INPUTS_TOLD ? "%s'%s'" : "%s...", i > 0 ? ", " : "",
        tp_draft_tensor (self->draft, tp_array_index (inputs, int, i))->name);
  return tp_unroll_refuse (self, error, "its %s '%s' is not known before a "
                           "run: it hangs on what input %s holds: give that, as "
                           "with --value %s=8", what, name, list->str, first);
}

/* ---- values ------------------------------------------------------------------ */

gboolean
tp_unroll_check_tensor (const TpUnroll *self, int tensor,
                        const char *what, GError **error)
{
  const TpList *list = tp_unroll_find_list (self, tensor);

  if (tensor < 0)
    return tp_unroll_fail (self, error, "its %s may not be left out", what);
  if (list != NULL)
    return tp_unroll_fail (self, error, "its %s '%s' is %s, must be a tensor",
                           what, tp_draft_tensor (self->draft, tensor)->name,
                           list->is_none ? "absent" : "a sequence");
  if (tp_draft_tensor (self->draft, tensor)->rank == TP_RANK_UNKNOWN)
    return tp_unroll_fail (self, error, "its %s '%s' has no shape", what,
                           tp_draft_tensor (self->draft, tensor)->name);
  return TRUE;
}

const TpList *
tp_unroll_get_list (const TpUnroll *self, int tensor,
                    const char *what, GError **error)
{
  const TpList *list = tp_unroll_find_list (self, tensor);

  if (list != NULL && !list->is_none)
    return list;
  tp_unroll_fail (self, error, "its %s '%s' is %s, must be a sequence", what,
                  tensor < 0 ? "" : tp_draft_tensor (self->draft, tensor)->name,
                  list != NULL || tensor < 0 ? "absent" : "a tensor");
  return NULL;
}

gboolean
tp_unroll_check_known (const TpUnroll *self, int tensor, const char *what,
                       GError **error)
{
  return tp_unroll_check_tensor (self, tensor, what, error)
         && (tp_tensor_is_constant (tp_draft_tensor (self->draft, tensor))
             || refuse_unknown (self, tensor, what, error));
}

double *
tp_unroll_dup_values (const TpUnroll *self, int tensor)
{
  const TpTensor *it = tp_draft_tensor (self->draft, tensor);
  double *values = tp_new (double, it->count + 1);

  tp_tensor_write_doubles (it, values);
  return values;
}

gint64 *
tp_unroll_get_ints (const TpUnroll *self, int tensor,
                    const char *what, GError **error)
{
  const TpTensor *it;
  g_autofree double *values = NULL;
  g_autofree gint64 *ints = NULL;

  if (!tp_unroll_check_tensor (self, tensor, what, error))
    return NULL;
  it = tp_draft_tensor (self->draft, tensor);
  if (!tp_dtype_is_integer (it->dtype))
    tp_unroll_fail (self, error, "its %s '%s' is %s, must be integer", what,
                    it->name, tp_dtype_get_name (it->dtype));
  else if (tp_unroll_check_known (self, tensor, what, error))
    {
      values = tp_unroll_dup_values (self, tensor);
      ints = tp_new (gint64, it->count + 1);
      for (gint64 i = 0; i < it->count; i++)
        ints[i] = values[i] >= 0x1p63    ? G_MAXINT64
                  : values[i] < -0x1p63 ? G_MININT64
                                        : (gint64) values[i];
    }
  return g_steal_pointer (&ints);
}

static gboolean
check_single (const TpUnroll *self, int tensor,
              const char *what, GError **error)
{
  const TpTensor *it;

  if (!tp_unroll_check_tensor (self, tensor, what, error))
    return FALSE;
  it = tp_draft_tensor (self->draft, tensor);
  return it->count == 1
         || tp_unroll_fail (self, error, "its %s '%s' has %" G_GINT64_FORMAT
                            " elements, must have one", what, it->name,
                            it->count);
}

gboolean
tp_unroll_get_int (const TpUnroll *self, int tensor,
                   const char *what, gint64 *out_value, GError **error)
{
  g_autofree gint64 *values = NULL;

  if (!check_single (self, tensor, what, error))
    return FALSE;
  values = tp_unroll_get_ints (self, tensor, what, error);
  if (values != NULL)
    *out_value = values[0];
  return values != NULL;
}

gboolean
tp_unroll_get_bool (const TpUnroll *self, int tensor,
                    const char *what, gboolean *out_value, GError **error)
{
  gint64 value;

  if (!check_single (self, tensor, what, error))
    return FALSE;
  if (tp_draft_tensor (self->draft, tensor)->dtype != TPLAN_DTYPE_BOOL)
    return tp_unroll_fail (self, error, "its %s '%s' must be bool", what,
                           tp_draft_tensor (self->draft, tensor)->name);
  if (!tp_unroll_get_int (self, tensor, what, &value, error))
    return FALSE;
  *out_value = value != 0;
  return TRUE;
}
