/* tensor-file.h: tensors in files: .npy, .npz, .safetensors and ONNX's .pb.
 *
 * The suffix says which. Values are used where they lie; only what is packed is
 * unpacked, within a multiple of the size of the file. */
#ifndef TP_FORMAT_TENSOR_FILE_H
#define TP_FORMAT_TENSOR_FILE_H

#include "ir/limit.h"

/* A tensor as it lies in a file. */
typedef struct
{
  TpDtype dtype;
  int rank;
  gint64 dims[TP_MAX_RANK];
  gint64 count;               /* elements */
  gint64 size_bytes;
  const void *data;           /* row-major, little-endian; may not be aligned;
                               * (borrowed from the file) */
} TpFileTensor;

typedef struct TpTensorFile TpTensorFile;

/**
 * tp_tensor_file_new:
 * @bytes: all of the file; kept
 * @name: of the file: its suffix is the kind, and it opens messages
 * @limits: (nullable): what unpacking may take; the defaults
 *
 * Reads the list of what is there, not the values.
 *
 * Returns: (transfer full): the file, or %NULL:
 *   %TPLAN_ERROR_INPUT: damaged: the message says where.
 *   %TPLAN_ERROR_UNSUPPORTED: another kind of file, or a feature nobody uses.
 */
TpTensorFile *tp_tensor_file_new (GBytes *bytes, const char *name,
                                  const TpLimits *limits, GError **error);
void tp_tensor_file_free (TpTensorFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpTensorFile, tp_tensor_file_free)

/* In the order of the file; none where tensors have no names (.npy, .pb). */
const char *const *tp_tensor_file_get_keys (const TpTensorFile *file,
                                            int *out_n);

/**
 * tp_tensor_file_get:
 * @key: (nullable): %NULL where there is but one tensor
 * @out_tensor: lives as long as @file
 *
 * TPLAN_ERROR_INPUT: no such key, or its values are damaged.
 * TPLAN_ERROR_UNSUPPORTED: an element type we do not have.
 * TPLAN_ERROR_LIMIT: unpacked, it is out of proportion to the file.
 */
gboolean tp_tensor_file_get (TpTensorFile *file, const char *key,
                             TpFileTensor *out_tensor, GError **error);

/* "w.npz:fc1" is file "w.npz", key "fc1"; without one *out_key is NULL. */
void tp_tensor_file_split (const char *text, char **out_path, char **out_key);

#endif
