/* graph-json.c: reads graphs in the format tplan-graph/1; see
 * docs/graph-format.md. */
#include "config.h"

#include "format/graph-json.h"

#include "format/graph-json-cost.h"
#include "format/graph-json-init.h"
#include "format/graph-json-op.h"
#include "format/graph-json-row.h"
#include "format/graph-partitioning.h"
#include "format/load-options.h"
#include "graph/graph-limit.h"
#include "ir/name-hash.h"

#include <string.h>

#define FORMAT "tplan-graph/1"
#define MAX_OPSET 1000

static gboolean
add_dims (const TpGraphJson *reader, const json_t *root, GError **error)
{
  json_t *dims = json_object_get (root, "dims"), *value;
  TpJsonPlace place = tp_graph_json_place (reader, "dims", dims);
  const char *name;

  if (dims == NULL)
    return TRUE;
  if (!json_is_object (dims))
    {
      tp_json_set_error (place, NULL, error, "must be an object");
      return FALSE;
    }
  json_object_foreach (dims, name, value)
    {
      if (!json_is_integer (value) || json_integer_value (value) < 1)
        {
          tp_json_set_error (place, name, error,
                             "must be an integer above 0");
          return FALSE;
        }
      tp_graph_builder_set_dim (reader->builder, name,
                                json_integer_value (value));
    }
  return TRUE;
}

/* What inputs and states have; strings are the document's. */
static gboolean
read_spec (const TpGraphJson *reader, TpJsonPlace place, TpTensorSpec *spec,
           GError **error)
{
  g_autofree char *shape_path = g_strconcat (place.path, ".shape", NULL);
  json_t *shape;

  spec->dtype = TPLAN_DTYPE_FLOAT32;
  spec->place = place.path;
  return tp_json_get_string (place, "name", TRUE, &spec->name, error)
         && tp_json_get_dtype (place, "dtype", &spec->dtype, error)
         && tp_json_get_list (place, "shape", TRUE, &shape, error)
         && tp_graph_json_read_shape (
             tp_graph_json_place (reader, shape_path, shape),
             (TpDimSpec *) spec->dims, &spec->rank, error);
}

static gboolean
add_input (const TpGraphJson *reader, TpJsonPlace place, GError **error)
{
  static const char *const keys[] = { "name", "dtype", "shape", NULL };
  TpDimSpec dims[TP_MAX_RANK];
  TpTensorSpec input = { .dims = dims };

  return tp_json_check_object (place, keys, error)
         && read_spec (reader, place, &input, error)
         && tp_graph_builder_add_input (reader->builder, &input, error);
}

static gboolean
add_state (const TpGraphJson *reader, TpJsonPlace place, GError **error)
{
  static const char *const keys[] = { "name", "dtype", "shape", "next", NULL };
  TpDimSpec dims[TP_MAX_RANK];
  TpTensorSpec state = { .dims = dims };
  const char *next = NULL;

  return tp_json_check_object (place, keys, error)
         && tp_json_get_string (place, "next", FALSE, &next, error)
         && read_spec (reader, place, &state, error)
         && tp_graph_builder_add_state (reader->builder, &state, next, error);
}

/* Calls @add for each entry of the list @key. */
static gboolean
add_entries (const TpGraphJson *reader, const json_t *root, const char *key,
             gboolean (*add) (const TpGraphJson *reader, TpJsonPlace place,
                              GError **error),
             GError **error)
{
  json_t *list, *entry;
  size_t i;

  if (!tp_json_get_list (tp_graph_json_place (reader, "", root), key, FALSE,
                         &list, error))
    return FALSE;
  json_array_foreach (list, i, entry)
    {
      g_autofree char *path = g_strdup_printf ("%s[%zu]", key, i);

      if (!add (reader, tp_graph_json_place (reader, path, entry), error))
        return FALSE;
    }
  return TRUE;
}

/* The next op from its text, where it is plain. */
static gboolean
scan_row (const TpGraphJson *reader, TpGraphRow *row)
{
  const char *text;
  gsize size;

  if (!tp_json_rows_peek (reader->rows, &text, &size)
      || !tp_graph_row_scan (text, size, row)
      || !tp_graph_row_is_fed (reader, row))
    return FALSE;
  tp_json_rows_skip (reader->rows);
  return TRUE;
}

/* What cannot be parsed is told by whoever reads the document as a whole. */
static gboolean
add_rows (const TpGraphJson *reader, GError **error)
{
  g_autofree TpGraphRow *row = g_new (TpGraphRow, 1);
  const json_t *op;

  for (gsize i = 0;; i++)
    if (scan_row (reader, row))
      {
        if (!tp_graph_row_add (reader, row, i, error))
          return FALSE;
      }
    else if (!tp_json_rows_next (reader->rows, &op))
      break;
    else if (op == NULL)
      return TRUE;
    else if (!tp_graph_json_add_op (reader, op, i, error))
      return FALSE;
  tp_json_set_error (tp_graph_json_place (reader, "ops", NULL), NULL, error,
                     "is no list");
  return FALSE;
}

static gboolean
add_ops (TpGraphJson *reader, const json_t *root, GError **error)
{
  json_t *ops;

  if (reader->rows != NULL)
    return add_rows (reader, error);
  if (!tp_json_get_list (tp_graph_json_place (reader, "", root), "ops", TRUE,
                         &ops, error))
    return FALSE;
  reader->ops = ops;
  for (size_t i = 0; i < json_array_size (ops); i++)
    if (!tp_graph_json_add_op (reader, json_array_get (ops, i), i, error))
      return FALSE;
  return TRUE;
}

static gboolean
add_output (const TpGraphJson *reader, TpJsonPlace place, GError **error)
{
  const char *name = json_string_value (place.json);

  if (name == NULL)
    tp_json_set_error (place, NULL, error, "must be the name of a tensor");
  else if (!tp_graph_builder_is_defined (reader->builder, name))
    tp_json_set_error (place, NULL, error,
                       "no op, input or initializer gives the tensor '%s': "
                       "correct the name", name);
  else
    return tp_graph_builder_add_output (reader->builder, name, place.path,
                                        error);
  return FALSE;
}

static gboolean
add_all (TpGraphJson *reader, const json_t *root, GError **error)
{
  return add_dims (reader, root, error)
         && add_entries (reader, root, "inputs", add_input, error)
         && add_entries (reader, root, "initializers",
                         tp_graph_json_add_initializer, error)
         && add_entries (reader, root, "state", add_state, error)
         && tp_graph_json_check_groups (reader, root, error)
         && add_entries (reader, root, "groups", tp_graph_json_add_group, error)
         && add_ops (reader, root, error)
         && tp_graph_json_add_copies (reader, root, error)
         && add_entries (reader, root, "outputs", add_output, error);
}

static TpGraphBuilder *
open_partitioning (const char *path)
{
  TpGraphBuilder *builder = tp_graph_builder_new ("", 17);

  tp_graph_builder_set_source (builder, path);
  return builder;
}

/* Checks the frame of the document and makes the builder. */
static TpGraphBuilder *
open_document (const char *path, const json_t *root, GError **error)
{
  static const char *const keys[]
      = { "format", "name", "opset", "dims", "inputs", "outputs",
          "initializers", "state", "groups", "ops", "copies", NULL };
  TpJsonPlace place = { path, "", root };
  const char *format = json_string_value (json_object_get (root, "format"));
  const char *name = "";
  gint64 opset = 17;
  TpGraphBuilder *builder;

  if (format != NULL && strcmp (format, FORMAT) != 0) /* its keys are others */
    {
      tp_json_set_error (place, "format", error,
                         "is \"%s\"; this program reads \"" FORMAT "\"", format);
      return NULL;
    }
  if (!tp_json_check_object (place, keys, error)
      || !tp_json_get_string (place, "format", TRUE, &format, error)
      || !tp_json_get_string (place, "name", FALSE, &name, error)
      || !tp_json_get_int (place, "opset", FALSE, &opset, error))
    return NULL;
  if (opset < 1 || opset > MAX_OPSET)
    tp_json_set_error (place, "opset", error, "must be 1 to %d", MAX_OPSET);
  else
    {
      builder = tp_graph_builder_new (name, opset);
      tp_graph_builder_set_source (builder, path);
      return builder;
    }
  return NULL;
}

/* @text: the document, but for the rows of @reader; of @size bytes with them. */
static TpGraphBuilder *
open_text (TpGraphJson reader, const GString *text, gsize size, GError **error)
{
  g_autoptr (json_t) root
      = tp_json_parse (reader.path, text->str, text->len, error);
  g_autoptr (TpGraphBuilder) builder = NULL;
  g_autoptr (TpMap) files
      = tp_map_new (tp_name_hash, g_str_equal, g_free, NULL);
  gboolean is_foreign = tp_graph_is_partitioning (root);

  if (root == NULL)
    return NULL;
  builder = is_foreign ? open_partitioning (reader.path)
                       : open_document (reader.path, root, error);
  if (builder == NULL)
    return NULL;
  reader.builder = builder;
  reader.files = files;
  builder->is_to_be_cut = tp_load_options_is_cut (reader.options);
  tp_graph_builder_set_limits (builder, reader.options->limits, size);
  tp_graph_builder_expect (builder, reader.options->numbers);
  return (is_foreign ? tp_graph_json_add_partitioning (&reader, root, error)
                     : add_all (&reader, root, error))
             ? g_steal_pointer (&builder)
             : NULL;
}

TpGraphBuilder *
tp_graph_open_json (const char *path, const char *text, gsize size,
                    const TpLoadOptions *options, GError **error)
{
  const GString whole = { .str = (char *) text, .len = size };
  g_autoptr (GError) fault = NULL;
  g_auto (TpJsonRows) rows = { 0 };
  TpGraphJson reader = { .path = path, .options = options };
  TpGraphBuilder *builder;

  if (!tp_json_rows_init (&rows, text, size, "ops"))
    return open_text (reader, &whole, size, error);
  reader.rows = &rows;
  builder = open_text (reader, rows.rest, size, &fault);
  if (g_error_matches (fault, TPLAN_ERROR, TPLAN_ERROR_INPUT))
    {
      /* to name the line, and ops that come later */
      tp_json_rows_clear (&rows);
      reader.rows = NULL;
      return open_text (reader, &whole, size, error);
    }
  if (fault != NULL)
    g_propagate_error (error, g_steal_pointer (&fault));
  return builder;
}
