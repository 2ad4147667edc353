/* host.h: what devices in host memory share. */
#ifndef TP_RUNTIME_HOST_H
#define TP_RUNTIME_HOST_H

#include "runtime/device.h"

/* Page-aligned and zero; a parent outlives its parts. Counted in
 * device->used_bytes; more than the machine has is TPLAN_ERROR_MEMORY. */
TpBuf *tp_host_buf_new (TpDevice *device, TpBuf *parent, gint64 offset,
                        gint64 size_bytes, GError **error);
/* The same of its own, with any bytes: the caller is about to write them all. No page
 * is larger than what is left of it. */
TpBuf *tp_host_buf_new_raw (TpDevice *device, gint64 size_bytes, GError **error);
/* Memory of someone else, who keeps it until the buffer is freed. */
TpBuf *tp_host_buf_wrap (void *data, gint64 size_bytes);
void tp_host_buf_free (TpDevice *device, TpBuf *buf);
gboolean tp_host_buf_copy (TpDevice *device, const TpCopy *copy, GError **error);

/* What @copy says, where @data is what its buffer is, or is mapped to. */
void tp_host_copy (const TpCopy *copy, void *data);

gint64 tp_host_get_memory_bytes (void);
/* "Intel(R) Xeon(R) ..."; caller frees. */
char *tp_host_get_cpu_name (void);

/* The address of a buffer of a device that is_host. */
void *tp_host_buf_get_data (const TpBuf *buf);
/* Has @buf be @data, as large, of someone else, in place of its own memory; NULL:
 * that again. For launches of a device that takes_loans. */
void tp_host_buf_lend (TpBuf *buf, void *data);

#endif
