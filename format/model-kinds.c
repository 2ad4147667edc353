/* model-kinds.c: see model-kinds.h.
 *
 * Models come in many formats, and a download that failed comes as none: what most
 * of them begin with is known. */
#include "config.h"

#include "format/model-kinds.h"

#include <string.h>

static const struct
{
  gsize offset;
  const char *begin;
  gsize size;                 /* bytes of @begin */
  const char *what;
} kinds[] = {
  { 0, "PK\003\004", 4,
    "a PyTorch archive or another zip: write the model with torch.onnx.export, or "
    "unpack it" },
  { 0, "\200", 1, "a Python pickle: write the model with torch.onnx.export" },
  { 0, "version https://git-lfs", 23,
    "what Git LFS has in place of the file: fetch it with git lfs pull" },
  { 0, "<", 1, "a page of HTML or XML: what was downloaded is not the model" },
  { 0, "\037\213", 2, "compressed by gzip: unpack it" },
  { 0, "GGUF", 4, "a GGUF of llama.cpp: export the model it was made from to ONNX" },
  { 4, "TFL3", 4, "a TensorFlow Lite model: convert it with tf2onnx" },
  { 0, "\211HDF\r\n\032\n", 8, "an HDF5 file, as of Keras: convert it with tf2onnx" },
  { 0, "\223NUMPY", 6, "an array of numpy: give it to `tplan run --help` as --input" },
  { 0, "\211PNG", 4, "a picture: a model is wanted" },
  { 0, "\377\330\377", 3, "a picture: a model is wanted" },
  { 8, "{\"", 2, "a file of safetensors, which has weights alone: export the model "
                 "to ONNX" },
};

const char *
tp_model_kind_describe (const char *bytes, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (size >= kinds[i].offset + kinds[i].size
        && memcmp (bytes + kinds[i].offset, kinds[i].begin, kinds[i].size) == 0)
      return kinds[i].what;
  return NULL;
}
