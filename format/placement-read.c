/* placement-read.c: placements as CSV, as JSON, and in the metadata of an ONNX
 * model. */
#include "config.h"

#include "format/placement-read.h"

#include "format/json-read.h"
#include "format/onnx-wire.h"
#include "format/placement-add.h"

#include <string.h>

/* ---- CSV ---------------------------------------------------------------- */

#define MAX_FIELDS 256

typedef struct
{
  const char *pos, *end;
  int line;                   /* of the row that was read */
  int next_line;
} Rows;

static gboolean
refuse_row (const TpPlacementFile *file, int line, GError **error,
            const char *what)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s:%d: %s", file->path,
               line, what);
  return FALSE;
}

/* A field in quotes, at whose first one @rows stands; a quote in it is written
 * twice. FALSE: it has no end. */
static gboolean
read_quoted (Rows *rows, GString *out)
{
  for (rows->pos++; rows->pos < rows->end; rows->pos++)
    {
      if (*rows->pos == '"' && (rows->pos + 1 == rows->end
                                || rows->pos[1] != '"'))
        {
          rows->pos++;
          return TRUE;
        }
      rows->pos += *rows->pos == '"';
      rows->next_line += *rows->pos == '\n';
      g_string_append_c (out, *rows->pos);
    }
  return FALSE;
}

static gboolean
is_end (const Rows *rows)
{
  return rows->pos >= rows->end || *rows->pos == ',' || *rows->pos == '\n';
}

static gboolean
read_field (Rows *rows, GPtrArray *fields)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_quoted = !is_end (rows) && *rows->pos == '"';

  if (is_quoted && !read_quoted (rows, text))
    return FALSE;
  for (; !is_end (rows); rows->pos++)
    g_string_append_c (text, *rows->pos);
  if (memchr (text->str, '\0', text->len) != NULL)
    return FALSE;
  if (!is_quoted || g_str_has_suffix (text->str, "\r"))
    g_strstrip (text->str);
  g_ptr_array_add (fields, g_strdup (text->str));
  return TRUE;
}

/* FALSE: it is none. */
static gboolean
read_row (Rows *rows, GPtrArray *fields)
{
  g_ptr_array_set_size (fields, 0);
  rows->line = rows->next_line;
  while (fields->len < MAX_FIELDS && read_field (rows, fields))
    {
      gboolean is_more = rows->pos < rows->end && *rows->pos == ',';

      rows->next_line += !is_more;
      if (rows->pos < rows->end)
        rows->pos++;
      if (!is_more)
        return TRUE;
    }
  return FALSE;
}

/* Where the column @name is; -1: there is none. */
static int
find_column (const GPtrArray *fields, const char *name)
{
  for (guint i = 0; i < fields->len; i++)
    if (g_ascii_strcasecmp (fields->pdata[i], name) == 0)
      return (int) i;
  return -1;
}

static gboolean
is_blank (const GPtrArray *fields)
{
  const char *first = fields->pdata[0];

  return *first == '#' || (fields->len == 1 && *first == '\0');
}

/* Two columns, or as many as a first row names, "op" and "device" among them. */
gboolean
tp_placement_read_csv (TpPlacementFile *file, GBytes *bytes, GError **error)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  Rows rows = { text, text + size, 1, 1 };
  int op = 0, device = 1, n_fields = 0;

  file->kind = TP_PLACEMENT_LINES;
  while (rows.pos < rows.end)
    {
      if (!read_row (&rows, fields))
        return refuse_row (file, rows.line, error,
                           "no row of CSV: write lines OP,DEVICE, or "
                           "{\"OP\": \"DEVICE\"}");
      if (is_blank (fields))
        continue;
      if (n_fields == 0 && find_column (fields, "op") >= 0
          && find_column (fields, "device") >= 0)
        {
          op = find_column (fields, "op");
          device = find_column (fields, "device");
          n_fields = (int) fields->len;
          continue;
        }
      n_fields = n_fields == 0 ? 2 : n_fields;
      if ((int) fields->len != n_fields)
        return refuse_row (file, rows.line, error,
                           n_fields == 2 ? "not two fields, an op and its device"
                                         : "not as many fields as the first row");
      if (!tp_placement_add (file, fields->pdata[op], fields->pdata[device],
                             rows.line, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- JSON --------------------------------------------------------------- */

static gboolean
read_objects (TpPlacementFile *file, const json_t *list, GError **error)
{
  const json_t *item;
  size_t i;

  file->kind = TP_PLACEMENT_OPS;
  json_array_foreach ((json_t *) list, i, item)
    {
      g_autofree char *path = g_strdup_printf ("ops[%d]", (int) i);
      const TpJsonPlace place = { file->path, path, item };
      const char *op, *device;

      if (!json_is_object (item))
        {
          tp_json_set_error (place, NULL, error,
                             "must be an object with \"op\" and \"device\"");
          return FALSE;
        }
      if (!tp_json_get_string (place, "op", TRUE, &op, error)
          || !tp_json_get_string (place, "device", TRUE, &device, error)
          || !tp_placement_add (file, op, device, (int) i, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_keys (TpPlacementFile *file, const json_t *map, GError **error)
{
  const TpJsonPlace place = { file->path, "", map };
  const char *op;
  json_t *device;
  int n = 0;

  file->kind = TP_PLACEMENT_KEYS;
  json_object_foreach ((json_t *) map, op, device)
    if (!json_is_string (device))
      {
        tp_json_set_error (place, op, error,
                           "must be the name of a device, as text");
        return FALSE;
      }
    else if (!tp_placement_add (file, op, json_string_value (device), n++,
                                error))
      return FALSE;
  return TRUE;
}

/* {"OP": "DEVICE"}, or a list "ops" of objects, as plans and what `tplan explain`
 * prints have it, or such a list alone. */
gboolean
tp_placement_read_json (TpPlacementFile *file, GBytes *bytes, GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  g_autoptr (json_t) root = tp_json_parse (file->path, text, size, error);
  const json_t *ops;

  if (root == NULL)
    return FALSE;
  ops = json_is_array (root) ? root : json_object_get (root, "ops");
  return json_is_array (ops) ? read_objects (file, ops, error)
                             : read_keys (file, root, error);
}

/* ---- ONNX --------------------------------------------------------------- */

enum { MODEL_GRAPH = 7, GRAPH_NODE = 1, NODE_NAME = 3, NODE_METADATA = 9,
       ENTRY_KEY = 1, ENTRY_VALUE = 2 };

typedef struct
{
  TpPlacementFile *file;
  TpRegion *strings;          /* of the node being read */
  int index;                  /* of that node */
  const char *name, *device;  /* of it */
  const char *key, *value;    /* of the entry being read */
} Nodes;

static gboolean
read_entry (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Nodes *nodes = user;

  if (field->number == ENTRY_KEY)
    return tp_wire_get_string (wire, field, nodes->strings, &nodes->key,
                               error);
  return field->number != ENTRY_VALUE
         || tp_wire_get_string (wire, field, nodes->strings, &nodes->value,
                                error);
}

static gboolean
read_node (const TpWire *wire, const TpWireField *field, gpointer user,
           GError **error)
{
  Nodes *nodes = user;
  TpWirePath path = { wire->path, "metadata_props", -1 };

  if (field->number == NODE_NAME)
    return tp_wire_get_string (wire, field, nodes->strings, &nodes->name,
                               error);
  if (field->number != NODE_METADATA)
    return TRUE;
  nodes->key = nodes->value = "";
  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
      || !tp_wire_read (tp_wire_enter (wire, field, &path), read_entry, nodes,
                        error))
    return FALSE;
  if (strcmp (nodes->key, TP_PLACEMENT_KEY) == 0)
    nodes->device = nodes->value;
  return TRUE;
}

static gboolean
read_graph (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Nodes *nodes = user;
  TpWirePath path = { wire->path, "node", nodes->index };

  if (field->number != GRAPH_NODE)
    return TRUE;
  tp_region_clear (nodes->strings);
  nodes->name = "";
  nodes->device = NULL;
  return tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
         && tp_wire_read (tp_wire_enter (wire, field, &path), read_node, nodes,
                          error)
         && (nodes->device == NULL
             || tp_placement_add (nodes->file, nodes->name, nodes->device,
                                  nodes->index, error))
         && ++nodes->index > 0;
}

static gboolean
read_model (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  TpWirePath path = { NULL, "graph", -1 };

  return field->number != MODEL_GRAPH
         || (tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
             && tp_wire_read (tp_wire_enter (wire, field, &path), read_graph,
                              user, error));
}

gboolean
tp_placement_read_onnx (TpPlacementFile *file, GBytes *bytes, GError **error)
{
  g_autoptr (TpRegion) strings = tp_region_new (TP_REGION_NO_BUDGET);
  Nodes nodes = { .file = file, .strings = strings };

  file->kind = TP_PLACEMENT_NODES;
  return tp_wire_read (tp_wire_open (bytes, file->path, NULL), read_model,
                       &nodes, error);
}
