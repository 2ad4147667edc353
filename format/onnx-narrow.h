/* onnx-narrow.h: numbers of less than a byte, and reals of one, as files have them. */
#ifndef TP_FORMAT_ONNX_NARROW_H
#define TP_FORMAT_ONNX_NARROW_H

#include "ir/narrow.h"

/* In so many bytes a file has @count of them: the first in the lowest bits of the
 * first byte, and what is left of the last unused. */
gint64 tp_onnx_narrow_count_bytes (const TpNarrow *narrow, gint64 count);
/* @out: @count elements of its dtype. */
void tp_onnx_narrow_unpack (const TpNarrow *narrow, const guint8 *packed,
                            gint64 count, guint8 *out);

#endif
