/* host.c: buffers in host memory, and what there is to know of the host. */
#include "config.h"

#include "runtime/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE_BYTES (2 << 20)

typedef struct
{
  TpBuf base;
  char *own;                  /* where its data is when nothing is lent */
  gint64 size_bytes;
  gboolean is_borrowed;       /* the memory is another's */
} HostBuf;

G_GNUC_UNUSED static gint64 /* assertions ask */
get_size (const TpBuf *buf)
{
  return ((const HostBuf *) buf)->size_bytes;
}

void *
tp_host_buf_get_data (const TpBuf *buf)
{
  return buf->data;
}

void
tp_host_buf_lend (TpBuf *buf, void *data)
{
  buf->data = data == NULL ? ((HostBuf *) buf)->own : data;
}

gint64
tp_host_get_memory_bytes (void)
{
  return (gint64) sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);
}

char *
tp_host_get_cpu_name (void)
{
  g_autofree char *text = NULL;
  const char *line, *colon;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return g_strdup ("unknown processor");
  line = strstr (text, "model name");
  colon = line != NULL ? strchr (line, ':') : NULL;
  if (colon == NULL)
    return g_strdup ("unknown processor");
  return g_strstrip (g_strndup (colon + 1, strcspn (colon + 1, "\n")));
}

/* The first @large_bytes in large pages, where there are such. */
static void *
get_pages (gint64 size_bytes, gint64 large_bytes)
{
  gsize align = large_bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : TP_BUF_ALIGN;
  void *data = NULL;

  if (posix_memalign (&data, align, MAX (size_bytes, 1)) != 0)
    return NULL;
  if (align == HUGE_PAGE_BYTES)
    madvise (data, large_bytes, MADV_HUGEPAGE);
  return data;
}

static TpBuf *
new_buf (char *data, gint64 size_bytes, gboolean is_borrowed)
{
  HostBuf *buf = g_new (HostBuf, 1);

  *buf = (HostBuf){ { data }, data, size_bytes, is_borrowed };
  return &buf->base;
}

static TpBuf *
new_own (TpDevice *device, gint64 size_bytes, gint64 large_bytes,
         GError **error)
{
  char *data = NULL;

  if (size_bytes <= tp_host_get_memory_bytes () - device->used_bytes)
    data = get_pages (size_bytes, large_bytes);
  if (data == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "device '%s': cannot have %" G_GINT64_FORMAT " bytes more "
                   "than the %" G_GINT64_FORMAT " in use; cut the batch",
                   device->ops->name, size_bytes, device->used_bytes);
      return NULL;
    }
  tp_device_count_bytes (device, size_bytes);
  return new_buf (data, size_bytes, FALSE);
}

TpBuf *
tp_host_buf_new_raw (TpDevice *device, gint64 size_bytes, GError **error)
{
  return new_own (device, size_bytes,
                  size_bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES, error);
}

/* Memory is promised before it is there: what the machine cannot have is
 * refused here, not when it is touched. */
TpBuf *
tp_host_buf_new (TpDevice *device, TpBuf *parent, gint64 offset,
                 gint64 size_bytes, GError **error)
{
  TpBuf *buf;

  if (parent != NULL)
    {
      g_assert (offset >= 0 && offset <= get_size (parent) - size_bytes);
      return tp_host_buf_wrap (parent->data + offset, size_bytes);
    }
  buf = new_own (device, size_bytes, size_bytes, error);
  if (buf != NULL)
    memset (buf->data, 0, size_bytes);
  return buf;
}

TpBuf *
tp_host_buf_wrap (void *data, gint64 size_bytes)
{
  return new_buf (data, size_bytes, TRUE);
}

void
tp_host_buf_free (TpDevice *device, TpBuf *base)
{
  HostBuf *buf = (HostBuf *) base;

  if (buf == NULL)
    return;
  if (!buf->is_borrowed)
    {
      tp_device_count_bytes (device, -buf->size_bytes);
      free (buf->own);
    }
  g_free (buf);
}

void
tp_host_copy (const TpCopy *copy, void *data)
{
  if (copy->is_write)
    memcpy (data, copy->host, copy->size_bytes);
  else
    memcpy (copy->host, data, copy->size_bytes);
}

gboolean
tp_host_buf_copy (TpDevice *device, const TpCopy *copy, GError **error)
{
  g_assert (copy->size_bytes <= get_size (copy->buf));
  if (copy->size_bytes == 0 || copy->buf->data == copy->host)
    return TRUE;
  tp_host_copy (copy, copy->buf->data);
  return TRUE;
}
