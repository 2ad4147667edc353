/* placement.c: which op is to be on which device, as others wrote it down, and
 * what that means for a graph as it is planned. */
#include "config.h"

#include "format/placement.h"

#include "format/file.h"
#include "format/placement-add.h"
#include "format/placement-read.h"
#include "ir/guard.h"
#include "ir/name-hash.h"
#include "ir/near-name.h"

#include <string.h>

/* ---- the file ----------------------------------------------------------- */

static gboolean
read_bytes (TpPlacementFile *file, GBytes *bytes, GError **error)
{
  gsize size, at = 0;
  const char *text = g_bytes_get_data (bytes, &size);

  if (g_str_has_suffix (file->path, ".onnx"))
    return tp_placement_read_onnx (file, bytes, error);
  while (at < size && g_ascii_isspace (text[at]))
    at++;
  if (at < size && (text[at] == '{' || text[at] == '['))
    return tp_placement_read_json (file, bytes, error);
  return tp_placement_read_csv (file, bytes, error);
}

TpPlacementFile *
tp_placement_load (const char *path, GError **error)
{
  g_autoptr (TpPlacementFile) file = g_new0 (TpPlacementFile, 1);
  g_autoptr (GBytes) bytes = tp_file_load (path, TP_FILE_PLAIN, error);

  if (bytes == NULL)
    return NULL;
  file->path = g_strdup (path);
  file->entries = tp_array_new (sizeof (TpPlacementEntry));
  file->by_op = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  if (!read_bytes (file, bytes, error))
    return NULL;
  if (file->entries->len > 0)
    return g_steal_pointer (&file);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: no op has a device in it: %s", path,
               file->kind == TP_PLACEMENT_NODES
                   ? "convert --placement writes it: metadata '"
                     TP_PLACEMENT_KEY "' of nodes"
                   : "write lines OP,DEVICE, or {\"OP\": \"DEVICE\"}");
  return NULL;
}

void
tp_placement_free (TpPlacementFile *file)
{
  if (file == NULL)
    return;
  for (guint i = 0; file->entries != NULL && i < file->entries->len; i++)
    {
      g_free (tp_array_index (file->entries, TpPlacementEntry, i).op);
      g_free (tp_array_index (file->entries, TpPlacementEntry, i).device);
    }
  tp_array_unref (file->entries);
  tp_map_free (file->by_op);
  g_free (file->path);
  g_free (file);
}

/* ---- what it means for a graph ------------------------------------------ */

static const TpPlacementEntry *
find_entry (const TpPlacementFile *file, const char *op)
{
  int index = GPOINTER_TO_INT (tp_map_lookup (file->by_op, op));

  return index == 0 ? NULL
                    : &tp_array_index (file->entries, TpPlacementEntry,
                                       index - 1);
}

/* That of the op, or of what it was made of. */
static const TpPlacementEntry *
find_origin (const TpPlacementFile *file, const char *op)
{
  const TpPlacementEntry *entry = find_entry (file, op);
  g_autofree char *name = g_strdup (op);
  char *colon;

  while (entry == NULL && (colon = strrchr (name, ':')) != NULL)
    {
      *colon = '\0';
      entry = find_entry (file, name);
    }
  return entry;
}

static int
find_device (const char *const *devices, const char *name)
{
  for (int i = 0; devices[i] != NULL; i++)
    if (strcmp (devices[i], name) == 0)
      return i;
  return -1;
}

static gboolean
check_device (const TpPlacementFile *file, const TpPlacementEntry *entry,
              const char *const *devices, GError **error)
{
  g_autofree char *place = NULL, *near = NULL, *list = NULL;

  if (find_device (devices, entry->device) >= 0)
    return TRUE;
  place = tp_placement_dup_place (file, entry->index);
  near = tp_near_name_ask (entry->device, devices);
  list = g_strjoinv (", ", (char **) devices);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: op '%s': no device '%s'%s: there are %s, and others by "
               "--devices",
               place, entry->op, entry->device, near, list);
  return FALSE;
}

/* Every name, also of ops that are gone. */
static gboolean
check_names (const TpPlacementFile *file, const TpPlacementTarget *target,
             const TpMap *ops, GError **error)
{
  const TpGraph *graph = target->graph;

  for (guint i = 0; i < file->entries->len; i++)
    {
      const TpPlacementEntry *entry
          = &tp_array_index (file->entries, TpPlacementEntry, i);
      g_autofree char *place = NULL, *near = NULL;

      if (tp_map_find (ops, entry->op, NULL)
          || (target->source != NULL
              && tp_graph_builder_has_node (target->source, entry->op)))
        continue;
      place = tp_placement_dup_place (file, entry->index);
      near = tp_graph_ask_op (graph, entry->op);
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: graph '%s' has no op '%s'%s: `tplan explain` lists all",
                   place, graph->name, entry->op, near);
      return FALSE;
    }
  return TRUE;
}

static gboolean
refuse_missing (const TpPlacementFile *file, const char *first, int n_missing,
                GError **error)
{
  g_autofree char *others
      = n_missing > 1 ? g_strdup_printf (" and %d more", n_missing - 1)
                      : g_strdup ("");

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: op '%s'%s: no device is given: each op that `tplan explain` "
               "lists needs one", file->path, first, others);
  return FALSE;
}

gboolean
tp_placement_match (const TpPlacementFile *file,
                    const TpPlacementTarget *target, guint8 *out_devices,
                    int *out_n_gone, GError **error)
{
  const TpGraph *graph = target->graph;
  g_autoptr (TpMap) ops = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  const char *missing = NULL;
  int n_missing = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpPlacementEntry *entry
          = find_origin (file, graph->nodes[i].name);

      tp_map_insert (ops, (char *) graph->nodes[i].name, NULL);
      if (entry != NULL && !check_device (file, entry, target->devices, error))
        return FALSE;
      if (entry != NULL)
        out_devices[i] = find_device (target->devices, entry->device);
      else if (n_missing++ == 0)
        missing = graph->nodes[i].name;
    }
  if (!check_names (file, target, ops, error))
    return FALSE;
  if (n_missing > 0)
    return refuse_missing (file, missing, n_missing, error);
  *out_n_gone = 0;
  for (guint i = 0; i < file->entries->len; i++)
    *out_n_gone += !tp_map_find (
        ops, tp_array_index (file->entries, TpPlacementEntry, i).op, NULL);
  return TRUE;
}

/* ---- what it means for a file ------------------------------------------- */

/* Names of ops that planning made of others are known by those. */
static gboolean
has_origin (TpGraphBuilder *source, const char *op)
{
  g_autofree char *name = g_strdup (op);
  char *colon;

  while (!tp_graph_builder_has_node (source, name))
    {
      colon = strrchr (name, ':');
      if (colon == NULL)
        return FALSE;
      *colon = '\0';
    }
  return TRUE;
}

static gboolean
check_source (const TpPlacementFile *file, TpGraphBuilder *source,
              GError **error)
{
  const TpArray *nodes = source->draft->nodes;
  g_autofree const char **names = tp_new0 (const char *, nodes->len + 1);
  g_autofree char *place = NULL, *near = NULL;

  for (guint i = 0; i < nodes->len; i++)
    names[i] = tp_draft_node (source->draft, i)->name;
  for (guint i = 0; i < file->entries->len; i++)
    {
      const TpPlacementEntry *it
          = &tp_array_index (file->entries, TpPlacementEntry, i);

      if (has_origin (source, it->op))
        continue;
      place = tp_placement_dup_place (file, it->index);
      near = tp_near_name_ask (it->op, names);
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: the model has no op '%s'%s: take a placement of this "
                   "model", place, it->op, near);
      return FALSE;
    }
  return TRUE;
}

/* @of_tensor: [tensor], of those whom @tensors leads to. */
static const char *
find_beside (const int *tensors, int n, const char *const *of_tensor)
{
  const char *device = NULL;

  for (int i = 0; i < n; i++)
    if (tensors[i] >= 0 && of_tensor[tensors[i]] != NULL)
      device = of_tensor[tensors[i]];
  return device;
}

const char **
tp_placement_spread (const TpPlacementFile *file, TpGraphBuilder *source,
                     GError **error)
{
  TpDraft *draft = source->draft;
  int n = (int) draft->nodes->len;
  g_autofree const char **devices = tp_new0 (const char *, n + 1);
  g_autofree const char **read
      = tp_new0 (const char *, draft->tensors->len + 1);
  g_autofree const char **made
      = tp_new0 (const char *, draft->tensors->len + 1);

  if (!check_source (file, source, error))
    return NULL;
  for (int i = n - 1; i >= 0; i--)
    {
      const TpNode *node = tp_draft_node (draft, i);
      const TpPlacementEntry *entry = find_entry (file, node->name);

      devices[i] = entry != NULL
                       ? entry->device
                       : find_beside (node->outputs, node->n_outputs, read);
      for (int k = 0; devices[i] != NULL && k < node->n_inputs; k++)
        if (node->inputs[k] >= 0)
          read[node->inputs[k]] = devices[i];
    }
  for (int i = 0; i < n; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      if (devices[i] == NULL)
        devices[i] = find_beside (node->inputs, node->n_inputs, made);
      for (int k = 0; k < node->n_outputs; k++)
        made[node->outputs[k]] = devices[i];
    }
  return g_steal_pointer (&devices);
}

GPtrArray *
tp_placement_list_devices (const char *const *devices, guint n)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    if (devices[i] != NULL
        && !g_ptr_array_find_with_equal_func (list, devices[i], g_str_equal,
                                              NULL))
      g_ptr_array_add (list, (char *) devices[i]);
  return list;
}
