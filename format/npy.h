/* npy.h: NumPy's .npy files, little-endian, C order. */
#ifndef TP_FORMAT_NPY_H
#define TP_FORMAT_NPY_H

#include "format/tensor-file.h"
#include "ir/graph.h"

/* @name opens messages. TPLAN_ERROR_INPUT: damaged; TPLAN_ERROR_UNSUPPORTED:
 * another element type, byte order or Fortran order. */
gboolean tp_npy_parse (GBytes *bytes, const char *name,
                       TpFileTensor *out_npy, GError **error);

/* @data: what @tensor holds, row-major. Replaces @path as a whole or leaves it
 * alone. */
gboolean tp_npy_save (const char *path, const TpTensor *tensor,
                      const void *data, GError **error);

#endif
