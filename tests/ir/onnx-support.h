/* onnx-support.h: loading what onnx-bytes.h writes. */
#ifndef TP_TESTS_ONNX_SUPPORT_H
#define TP_TESTS_ONNX_SUPPORT_H

#include "ir/graph.h"
#include "tests/ir/onnx-bytes.h"

TpGraph *load_bytes (const char *path, const void *data, gsize size,
                     GError **error);
/* These take @graph, which becomes m.onnx. */
TpGraph *load (Msg *graph, GError **error);
TpGraph *load_well (Msg *graph);
void assert_fails (Msg *graph, int code, const char *pattern);
/* y = relu (x w + b), w as raw_data, b as float_data. */
Msg *linear_new (void);

#endif
