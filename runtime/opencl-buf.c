/* opencl-buf.c: see opencl-buf.h. */
#include "config.h"

#include "runtime/opencl-buf.h"

TpBuf *
tp_opencl_buf_new (TpOpenclPlace place, char *shared, gint64 size_bytes)
{
  TpOpenclBuf *buf = g_new (TpOpenclBuf, 1);

  *buf = (TpOpenclBuf){ { shared }, place, size_bytes, FALSE };
  return &buf->base;
}

/* No sub-buffers: NVIDIA's driver (580.159.04) dies of signal 11 when those of a
 * MobileNet's arena are released. */
TpBuf *
tp_opencl_buf_new_part (const TpBuf *parent, gint64 offset, gint64 size_bytes)
{
  const TpOpenclPlace *place = &((const TpOpenclBuf *) parent)->place;
  TpOpenclBuf *buf = g_new (TpOpenclBuf, 1);

  *buf = (TpOpenclBuf){ { parent->data ? parent->data + offset : NULL },
                        { place->memory, place->offset + offset },
                        size_bytes, TRUE };
  return &buf->base;
}
