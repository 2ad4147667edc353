/* tensor-safetensors.h: .safetensors: the length of a header, the header in
 * JSON, the bytes of all tensors without gaps. */
#ifndef TP_FORMAT_TENSOR_SAFETENSORS_H
#define TP_FORMAT_TENSOR_SAFETENSORS_H

#include "format/tensor-kinds.h"

gboolean tp_safetensors_list (TpTensorFile *file, GError **error);
gboolean tp_safetensors_read (TpTensorFile *file, TpTensorEntry *entry,
                              GError **error);

#endif
