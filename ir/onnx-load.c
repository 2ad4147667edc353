/* onnx-load.c: reads ONNX models. */
#include "config.h"

#include "ir/graph.h"

TpGraph *
tp_graph_load_onnx (const char *path, GBytes *bytes, TpDims *dims,
                    GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "%s: ONNX files cannot be read yet", path);
  return NULL;
}
