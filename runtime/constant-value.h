/* constant-value.h: the value of a constant in host memory, copied only where it
 * cannot be read where it is. */
#ifndef TP_RUNTIME_CONSTANT_VALUE_H
#define TP_RUNTIME_CONSTANT_VALUE_H

#include "runtime/device.h"

/* Whether the bytes of @tensor's file, or of the caller, are its value in the
 * order of its strides: a host device reads them there. */
gboolean tp_constant_is_in_place (const TpTensor *tensor);

/* In the order of @tensor's strides; in *@out_owned (g_free ()) unless the bytes of
 * the file are that: those may be at any address where it is not in place. @device
 * only names who asks; @n_threads of the pool make it. NULL with
 * TPLAN_ERROR_MEMORY. */
const void *tp_constant_get_value (const TpDevice *device, int n_threads,
                                   const TpTensor *tensor, void **out_owned,
                                   GError **error);

/* After a copy of it was made, packed or as it is: where the original is in a mapped
 * file, its pages are given back. Nothing is lost: who reads it there, beside or
 * later, has it read again. */
void tp_constant_let_go (const TpTensor *tensor);

/* At least 1 byte; g_free (). NULL with TPLAN_ERROR_MEMORY. */
void *tp_constant_try_alloc (const TpDevice *device, gint64 size_bytes,
                             GError **error);

#endif
