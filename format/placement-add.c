/* placement-add.c: see placement-add.h. */
#include "config.h"

#include "format/placement-add.h"

char *
tp_placement_dup_place (const TpPlacementFile *file, int index)
{
  switch (file->kind)
    {
    case TP_PLACEMENT_LINES:
      return g_strdup_printf ("%s:%d", file->path, index);
    case TP_PLACEMENT_OPS:
      return g_strdup_printf ("%s: ops[%d]", file->path, index);
    case TP_PLACEMENT_KEYS:
      return g_strdup (file->path); /* the key is the op, which is named */
    case TP_PLACEMENT_NODES:
      return g_strdup_printf ("%s: graph.node[%d]", file->path, index);
    }
  g_assert_not_reached ();
}

gboolean
tp_placement_add (TpPlacementFile *file, const char *op, const char *device,
                  int index, GError **error)
{
  TpPlacementEntry entry = { NULL, NULL, index };
  g_autofree char *place = NULL;

  if (*op != '\0' && *device != '\0'
      && !tp_map_find (file->by_op, op, NULL))
    {
      tp_array_append_val (file->entries, entry);
      entry.op = g_strdup (op);
      entry.device = g_strdup (device);
      tp_array_index (file->entries, TpPlacementEntry, file->entries->len - 1)
          = entry;
      tp_map_insert (file->by_op, entry.op,
                     GINT_TO_POINTER (file->entries->len));
      return TRUE;
    }
  place = tp_placement_dup_place (file, index);
  if (*op == '\0')
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: an op without a name: name it", place);
  else if (*device == '\0')
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: op '%s' has no device: name one", place, op);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: op '%s' has a device already: leave one out", place, op);
  return FALSE;
}
