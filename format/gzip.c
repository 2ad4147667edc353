/* gzip.c: see gzip.h. */
#include "config.h"

#include "format/gzip.h"

#include "include/tplan.h"
#include "ir/guard.h"

#include <string.h>
#include <zlib.h>

#define WRAPPER (16 + MAX_WBITS) /* of gzip, not of zlib */
#define MOST_RATIO 64
#define MOST_BASE (G_GINT64_CONSTANT (64) << 20)
#define FIRST_BYTES 65536

/* Streams end with their owner, also where memory runs out between. */
typedef struct
{
  z_stream stream;
} Unpacking;

static void
unpacking_clear (Unpacking *it)
{
  inflateEnd (&it->stream);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Unpacking, unpacking_clear)

typedef struct
{
  z_stream stream;
} Packing;

static void
packing_clear (Packing *it)
{
  deflateEnd (&it->stream);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Packing, packing_clear)

gboolean
tp_gzip_is (const void *bytes, gsize size)
{
  return size > 2 && memcmp (bytes, "\037\213\010", 3) == 0;
}

gsize
tp_gzip_peek (const void *bytes, gsize size, void *out, gsize room)
{
  g_auto (Unpacking) it = { { .next_in = (Bytef *) bytes } };

  g_assert (room <= G_MAXUINT32);
  it.stream.avail_in = MIN (size, G_MAXUINT32);
  it.stream.next_out = out;
  it.stream.avail_out = room;
  if (inflateInit2 (&it.stream, WRAPPER) != Z_OK)
    return 0;
  inflate (&it.stream, Z_SYNC_FLUSH);
  return room - it.stream.avail_out;
}

static gboolean
fail (const char *path, const char *what, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s: packed by gzip: %s",
               path, what);
  return FALSE;
}

static gboolean
fail_memory (const char *path, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "%s%sno memory for gzip: free some", path == NULL ? "" : path,
               path == NULL ? "" : ": ");
  return FALSE;
}

/* How it ended: at the end of the stream, of the bytes, or badly. */
static gboolean
judge_end (const char *path, int status, gboolean is_all, GError **error)
{
  if (status == Z_STREAM_END)
    return is_all || fail (path, "something follows its end: the file is "
                           "damaged, or more than one", error);
  if (status == Z_MEM_ERROR)
    return fail_memory (path, error);
  return fail (path, status == Z_OK || status == Z_BUF_ERROR
                         ? "it is cut short"
                         : "it is damaged",
               error);
}

/* Room for more of what comes; FALSE: @most is there. */
static gboolean
make_room (guint8 **data, gsize *size, gsize most)
{
  gsize wanted = MIN (*size > most / 2 ? most : 2 * *size, most);

  if (*size == most)
    return FALSE;
  *data = tp_realloc (*data, wanted, 1);
  *size = wanted;
  return TRUE;
}

GBytes *
tp_gzip_unpack (const char *path, GBytes *packed, gint64 most, GError **error)
{
  gsize n_packed, size = FIRST_BYTES, at = 0, in = 0;
  const guint8 *bytes = g_bytes_get_data (packed, &n_packed);
  gsize limit = MIN ((guint64) most, MOST_RATIO * (guint64) n_packed + MOST_BASE);
  g_autofree guint8 *data = tp_alloc (size, 1);
  g_auto (Unpacking) it = { { .next_in = (Bytef *) bytes } };
  int status = inflateInit2 (&it.stream, WRAPPER);

  while (status == Z_OK)
    {
      uInt n_in = MIN (n_packed - in, G_MAXUINT32), n_out;

      /* One byte more than there may be tells that there is more. */
      if (at == size && !make_room (&data, &size, limit + 1))
        break;
      n_out = MIN (size - at, G_MAXUINT32);
      it.stream.avail_in = n_in;
      it.stream.next_out = data + at;
      it.stream.avail_out = n_out;
      status = inflate (&it.stream, Z_NO_FLUSH);
      in += n_in - it.stream.avail_in;
      at += n_out - it.stream.avail_out;
    }
  if (at > limit)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: packed by gzip: more than %" G_GSIZE_FORMAT
                   " bytes come of %" G_GSIZE_FORMAT ": if you trust the file, "
                   "unpack it", path, limit, n_packed);
      return NULL;
    }
  if (!judge_end (path, status, in == n_packed, error))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), at);
}

GBytes *
tp_gzip_pack (const void *data, gsize size, GError **error)
{
  g_auto (Packing) it = { { .next_in = (Bytef *) data } };
  g_autofree guint8 *out = NULL;
  gsize room, in = 0, at = 0;
  int status = deflateInit2 (&it.stream, Z_BEST_SPEED, Z_DEFLATED, WRAPPER,
                             MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);

  if (status == Z_OK)
    {
      room = deflateBound (&it.stream, size);
      out = tp_alloc (room, 1);
    }
  while (status == Z_OK)
    {
      uInt n_in = MIN (size - in, G_MAXUINT32 / 2);
      uInt n_out = MIN (room - at, G_MAXUINT32 / 2);

      it.stream.avail_in = n_in;
      it.stream.next_out = out + at;
      it.stream.avail_out = n_out;
      status = deflate (&it.stream, n_in == size - in ? Z_FINISH : Z_NO_FLUSH);
      in += n_in - it.stream.avail_in;
      at += n_out - it.stream.avail_out;
    }
  if (status != Z_STREAM_END)
    {
      fail_memory (NULL, error);
      return NULL;
    }
  return g_bytes_new_take (g_realloc (g_steal_pointer (&out), at), at);
}
