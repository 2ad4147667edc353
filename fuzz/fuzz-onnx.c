/* fuzz-onnx.c: ONNX models, in a file and in memory. */
#include "config.h"

#include "format/graph-load.h"
#include "format/load-options.h"
#include "fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  TpLoadOptions options = { .limits = fuzz_get_limits () };
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (TpGraph) graph
      = tp_graph_read_onnx ("model.onnx", bytes, &options, NULL);

  if (graph != NULL)
    fuzz_use_graph (graph);
  else
    fuzz_try_model (bytes); /* it may have wanted files */
  return 0;
}
