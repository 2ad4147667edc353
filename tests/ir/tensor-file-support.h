/* tensor-file-support.h: opening files of tensors made in memory. */
#ifndef TP_TESTS_TENSOR_FILE_SUPPORT_H
#define TP_TESTS_TENSOR_FILE_SUPPORT_H

#include "format/tensor-file.h"

GByteArray *bytes_new (const void *data, gsize size);
/* Appends @n bytes of @value, little end first. */
void put (GByteArray *bytes, guint64 value, int n);

TpTensorFile *open_file (const GByteArray *data, const char *name,
                         GError **error);
/* Reads every tensor of @data; FALSE with @error. */
gboolean read_all (const GByteArray *data, const char *name, GError **error);
/* Reading @data fails with "@name: " and then @pattern. */
void assert_refused (const GByteArray *data, const char *name, int code,
                     const char *pattern);
/* Every part of @data that is not all of it is refused, by name. */
void check_truncations (const GByteArray *data, const char *name);
/* "w" is float32 [[1, 2], [3, 4]]. */
void check_w (TpTensorFile *file);

#endif
