/* opencl-buf.h: the buffers of the device. */
#ifndef TP_RUNTIME_OPENCL_BUF_H
#define TP_RUNTIME_OPENCL_BUF_H

#include "runtime/device.h"
#include "runtime/opencl-pinned.h"

typedef struct
{
  TpBuf base;
  TpOpenclPlace place;        /* a part's memory is its parent's */
  gint64 size_bytes;
  gboolean is_part;
} TpOpenclBuf;

/* Takes the memory. @shared: (nullable): where the host has it. */
TpBuf *tp_opencl_buf_new (TpOpenclPlace place, char *shared,
                          gint64 size_bytes);
TpBuf *tp_opencl_buf_new_part (const TpBuf *parent, gint64 offset,
                               gint64 size_bytes);

#endif
