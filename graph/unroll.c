/* unroll.c: see unroll.h. */
#include "config.h"

#include "graph/unroll.h"

#include "ir/guard.h"
#include "ir/limit.h"

/* ---- life ---------------------------------------------------------------- */

static void
list_free (gpointer user)
{
  TpList *list = user;

  tp_array_unref (list->items);
  g_free (list);
}

static int *
identity_new (guint n)
{
  int *map = tp_new (int, n + 1);

  for (guint i = 0; i <= n; i++)
    map[i] = (int) i;
  return map;
}

void
tp_unroll_init (TpUnroll *self, TpDraft *draft)
{
  self->draft = draft;
  self->made = tp_array_new (sizeof (TpNode));
  self->lists = tp_map_new (g_direct_hash, g_direct_equal, NULL, list_free);
  if (!draft->has_control)
    return;
  self->n_tensors = (int) draft->tensors->len;
  self->tensors = identity_new (draft->tensors->len);
  self->branches = identity_new (draft->branches->len);
}

void
tp_unroll_clear (TpUnroll *self)
{
  tp_array_unref (self->made);
  tp_map_free (self->lists);
  g_free (self->tensors);
  g_free (self->branches);
}

void
tp_unroll_merge (TpUnroll *self, const guint *starts)
{
  g_autoptr (TpArray) old = self->draft->nodes;
  guint n = old->len;

  self->draft->nodes = NULL;
  self->draft->nodes = tp_array_new (sizeof (TpNode));
  for (guint i = 0; i < n; i++)
    {
      guint end = i + 1 < n ? starts[i + 1] : self->made->len;

      tp_array_append_vals (self->draft->nodes, &tp_array_index (old, TpNode, i),
                            1);
      if (end > starts[i])
        tp_array_append_vals (self->draft->nodes,
                              &tp_array_index (self->made, TpNode, starts[i]),
                              end - starts[i]);
    }
}

/* ---- errors --------------------------------------------------------------- */

static void
set_error (const TpUnroll *self, int code, GError **error, const char *format,
           va_list args)
{
  const TpNode *node = self->node;
  g_autofree char *prefix = tp_draft_dup_prefix (self->draft, node->place);
  g_autofree char *what = g_strdup_vprintf (format, args);

  g_set_error (error, TPLAN_ERROR, code, "%sop '%s' (%s): %s", prefix,
               node->name, node->type, what);
}

gboolean
tp_unroll_fail (const TpUnroll *self, GError **error,
                const char *format, ...)
{
  va_list args;

  va_start (args, format);
  set_error (self, TPLAN_ERROR_INPUT, error, format, args);
  va_end (args);
  return FALSE;
}

gboolean
tp_unroll_refuse (const TpUnroll *self, GError **error,
                  const char *format, ...)
{
  va_list args;

  va_start (args, format);
  set_error (self, TPLAN_ERROR_UNSUPPORTED, error, format, args);
  va_end (args);
  return FALSE;
}

gboolean
tp_unroll_take (TpUnroll *self, gint64 n, const char *what,
                GError **error)
{
  const TpNode *node = self->node;
  gint64 most = self->draft->limits.values[TP_LIMIT_NODES];
  g_autofree char *prefix = NULL;

  if (n <= most - self->n_made - (gint64) self->draft->nodes->len)
    {
      self->n_made += n;
      return TRUE;
    }
  prefix = tp_draft_dup_prefix (self->draft, node->place);
  tp_limit_set_error (TP_LIMIT_NODES, prefix, error, "op '%s' (%s): with its %s the "
                      "graph has more than %" G_GINT64_FORMAT " ops", node->name,
                      node->type, what, most);
  return FALSE;
}

/* ---- lists ---------------------------------------------------------------- */

const TpList *
tp_unroll_find_list (const TpUnroll *self, int tensor)
{
  return tensor < 0 || tp_map_size (self->lists) == 0
             ? NULL
             : tp_map_lookup (self->lists, GINT_TO_POINTER (tensor + 1));
}

static void
set_list (TpUnroll *self, int tensor, TpArray *items, TpList list)
{
  TpList *kept = tp_new (TpList, 1);

  *kept = list;
  kept->items = items == NULL ? NULL : tp_array_ref (items);
  tp_map_insert (self->lists, GINT_TO_POINTER (tensor + 1), kept);
}

void
tp_unroll_set_list (TpUnroll *self, int tensor, TpArray *items, guint n)
{
  set_list (self, tensor, items, (TpList){ .n = n });
}

void
tp_unroll_set_none (TpUnroll *self, int tensor)
{
  set_list (self, tensor, NULL, (TpList){ .is_none = TRUE });
}
