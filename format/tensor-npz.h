/* tensor-npz.h: NumPy's .npz: a zip archive of .npy files, stored or deflated. */
#ifndef TP_FORMAT_TENSOR_NPZ_H
#define TP_FORMAT_TENSOR_NPZ_H

#include "format/tensor-kinds.h"

gboolean tp_npz_list (TpTensorFile *file, GError **error);
gboolean tp_npz_read (TpTensorFile *file, TpTensorEntry *entry,
                      GError **error);

#endif
