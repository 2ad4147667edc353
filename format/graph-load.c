/* graph-load.c: opens a graph and finds out which reader is for it. */
#include "config.h"

#include "format/graph-load.h"

#include "format/file.h"
#include "format/graph-json.h"
#include "format/load-options.h"
#include "format/model-kinds.h"
#include "format/onnx-load.h"
#include "graph/graph-bind.h"
#include "graph/graph-builder.h"
#include "graph/graph-cut.h"
#include "graph/graph-finish.h"
#include "graph/graph-tie.h"
#include "ir/foreign-text.h"

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

/* What cannot be read may be something that is known. */
static TpGraphBuilder *
open_onnx (const char *path, GBytes *bytes, const TpLoadOptions *options,
           GError **error)
{
  g_autoptr (GError) fault = NULL;
  TpGraphBuilder *opened = tp_graph_open_onnx (path, bytes, options, &fault);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  const char *kind
      = g_error_matches (fault, TPLAN_ERROR, TPLAN_ERROR_INPUT)
            ? tp_model_kind_describe (text, size)
            : NULL;

  if (kind != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s: no ONNX model but %s",
                 path, kind);
  else if (fault != NULL)
    g_propagate_error (error, g_steal_pointer (&fault));
  return opened;
}

static TpGraphBuilder *
open_bytes (const char *path, GBytes *bytes, const TpLoadOptions *options,
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
             ? tp_graph_open_json (path, text, size, options, error)
             : open_onnx (path, bytes, options, error);
}

/* Budgets do not know the file: what they say gets its name. Whatever names of
 * the file are quoted, the message is a line of text. */
static void
finish_error (const char *path, GError **error)
{
  if (error != NULL && *error != NULL
      && !g_str_has_prefix ((*error)->message, path))
    g_prefix_error (error, "%s: ", path);
  tp_foreign_text_clean_error (error);
}

static gboolean
look_at (const TpLoadOptions *options, const char *part)
{
  if (options->out_part != NULL)
    *options->out_part = part;
  return TRUE;
}

/* With the outputs and states that @options name, and what these need. */
static gboolean
shape (TpGraphBuilder *builder, const TpLoadOptions *options, GError **error)
{
  return look_at (options, "outputs")
         && tp_graph_builder_choose_outputs (builder, options->outputs, error)
         && look_at (options, "states")
         && tp_graph_builder_tie (builder, options->ties, error)
         && look_at (options, "outputs")
         && tp_graph_builder_cut (builder, error);
}

static TpGraph *
finish (TpGraphBuilder *opened, const TpLoadOptions *options, GError **error)
{
  g_autoptr (TpGraphBuilder) builder = opened;
  TpGraph *graph = NULL;

  if (builder != NULL && shape (builder, options, error)
      && tp_graph_builder_bind (builder, options->values, options->dims,
                                error)
      && look_at (options, "values")
      && tp_graph_builder_bind_expected (builder, options->dims, error))
    {
      look_at (options, "dims");
      if (options->assumed != NULL)
        tp_graph_builder_assume (builder, options->dims, options->assumed);
      graph = tp_graph_builder_finish (builder, options->dims, error);
    }
  if (graph == NULL)
    tp_foreign_text_clean_error (error);
  return graph;
}

TpGraphBuilder *
tp_graph_open (const char *path, const TpLoadOptions *options, GError **error)
{
  g_autoptr (GBytes) bytes = tp_file_load (path, options->files, error);
  g_autoptr (TpGraphBuilder) builder
      = bytes == NULL ? NULL : open_bytes (path, bytes, options, error);

  if (builder != NULL && shape (builder, options, error)
      && tp_graph_builder_bind_expected (builder, options->dims, error)
      && tp_graph_builder_check (builder, error))
    return g_steal_pointer (&builder);
  finish_error (path, error);
  return NULL;
}

TpGraph *
tp_graph_read_bytes (const char *path, GBytes *bytes,
                     const TpLoadOptions *options, GError **error)
{
  TpGraph *graph
      = finish (open_bytes (path, bytes, options, error), options, error);

  if (graph == NULL)
    finish_error (path, error);
  return graph;
}

TpGraph *
tp_graph_read (const char *path, const TpLoadOptions *options, GError **error)
{
  g_autoptr (GBytes) bytes = tp_file_load (path, options->files, error);

  if (bytes != NULL)
    return tp_graph_read_bytes (path, bytes, options, error);
  finish_error (path, error);
  return NULL;
}

TpGraph *
tp_graph_read_json (const char *path, const char *text, gsize size,
                    const TpLoadOptions *options, GError **error)
{
  return finish (tp_graph_open_json (path, text, size, options, error), options,
                 error);
}

TpGraph *
tp_graph_read_onnx (const char *path, GBytes *bytes,
                    const TpLoadOptions *options, GError **error)
{
  return finish (tp_graph_open_onnx (path, bytes, options, error), options,
                 error);
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
