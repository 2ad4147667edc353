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

TpGraph *
tp_graph_load (const char *path, TpDims *dims, GError **error)
{
  g_autoptr (GBytes) bytes = tp_file_map (path, error);
  const char *text;
  gsize size;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  if (size == 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: the file is empty: a graph is a .json or .onnx file",
                   path);
      return NULL;
    }
  return is_json (path, text, size)
             ? tp_graph_load_json (path, text, size, dims, error)
             : tp_graph_load_onnx (path, bytes, dims, error);
}
