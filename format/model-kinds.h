/* model-kinds.h: what a file that is no model is instead. */
#ifndef TP_FORMAT_MODEL_KINDS_H
#define TP_FORMAT_MODEL_KINDS_H

#include <glib.h>

/* (nullable) What bytes that are no ONNX are by how they begin, and what to do
 * about it, for a message: "a PyTorch archive or another zip: ...". Static. */
const char *tp_model_kind_describe (const char *bytes, gsize size);

#endif
