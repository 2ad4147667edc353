/* graph-load.c: opens a graph and finds out which reader is for it. */
#include "config.h"

#include "ir/graph.h"

#include "ir/file.h"

static gboolean
is_json (const char *path, const char *text, gsize size)
{
  gsize i = 0;

  if (g_str_has_suffix (path, ".json"))
    return TRUE;
  while (i < size && g_ascii_isspace (text[i]))
    i++;
  /* No ONNX file starts so: these would be groups, long out of use. */
  return i < size && (text[i] == '{' || text[i] == '[');
}

static TpGraph *
read_bytes (const char *path, GBytes *bytes, const TpLoadOptions *options,
            GError **error)
{
  const char *text;
  gsize size;

  text = g_bytes_get_data (bytes, &size);
  if (size == 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: the file is empty: a graph is a .json or .onnx file",
                   path);
      return NULL;
    }
  return is_json (path, text, size)
             ? tp_graph_read_json (path, text, size, options, error)
             : tp_graph_read_onnx (path, bytes, options, error);
}

TpGraph *
tp_graph_read (const char *path, const TpLoadOptions *options, GError **error)
{
  g_autoptr (GBytes) bytes = tp_file_map (path, error);
  g_autoptr (GError) cause = NULL;
  TpGraph *graph;

  if (bytes == NULL)
    return NULL;
  graph = read_bytes (path, bytes, options, &cause);
  if (graph != NULL)
    return graph;
  /* Budgets do not know the file. */
  if (!g_str_has_prefix (cause->message, path))
    g_prefix_error (&cause, "%s: ", path);
  g_propagate_error (error, g_steal_pointer (&cause));
  return NULL;
}

TpGraph *
tp_graph_load (const char *path, TpDims *dims, GError **error)
{
  return tp_graph_read (path, &(TpLoadOptions){ .dims = dims }, error);
}

TpGraph *
tp_graph_load_json (const char *path, const char *text, gsize size,
                    TpDims *dims, GError **error)
{
  return tp_graph_read_json (path, text, size,
                             &(TpLoadOptions){ .dims = dims }, error);
}

TpGraph *
tp_graph_load_onnx (const char *path, GBytes *bytes, TpDims *dims,
                    GError **error)
{
  return tp_graph_read_onnx (path, bytes, &(TpLoadOptions){ .dims = dims },
                             error);
}
