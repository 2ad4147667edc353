/* gzip.c: see gzip.h. */
#include "config.h"

#include "format/gzip.h"

#include "include/tplan.h"
#include "ir/guard.h"
#include "ir/room.h"
#include "ir/text.h"

#include <string.h>
#include <zlib.h>

#define WRAPPER (16 + MAX_WBITS) /* of gzip, not of zlib */
#define MOST_RATIO 64
#define MOST_BASE (G_GINT64_CONSTANT (64) << 20)
#define FIRST_BYTES 65536
#define PIECE_BYTES 65536
#define MOST_AT_ONCE (1u << 30)
#define LEVEL 5               /* 1 takes half the time, and a fifth more room */

/* What zlib has for itself: freed by zlib alone, so no guarded call is left for
 * it. @missing_bytes: gint64: what could not be had. */
static voidpf
alloc_for_zlib (voidpf missing_bytes, uInt n, uInt size)
{
  void *block = g_try_malloc_n (n, size);

  if (block == NULL)
    *(gint64 *) missing_bytes = (gint64) n * size;
  return block;
}

static void
free_for_zlib (voidpf missing_bytes, voidpf block)
{
  g_free (block);
}

/* Of what @bytes hold. */
static z_stream
stream_of (const void *bytes, gint64 *missing_bytes)
{
  return (z_stream){ .next_in = (Bytef *) bytes, .zalloc = alloc_for_zlib,
                     .zfree = free_for_zlib, .opaque = missing_bytes };
}

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

gboolean
tp_gzip_is (const void *bytes, gsize size)
{
  return size > 2 && memcmp (bytes, "\037\213\010", 3) == 0;
}

gsize
tp_gzip_peek (const void *bytes, gsize size, void *out, gsize room)
{
  gint64 missing_bytes = 0;
  g_auto (Unpacking) it = { stream_of (bytes, &missing_bytes) };

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

/* How it ended: at the end of the stream, of the bytes, or badly. */
static gboolean
judge_end (const char *path, int status, gboolean is_all, GError **error)
{
  if (status == Z_STREAM_END)
    return is_all || fail (path, "something follows its end: the file is "
                           "damaged, or more than one", error);
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
  gint64 missing_bytes = 0;
  g_autofree guint8 *data = tp_alloc (size, 1);
  g_auto (Unpacking) it = { stream_of (bytes, &missing_bytes) };
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
  if (status == Z_MEM_ERROR)
    {
      tp_room_set_error (missing_bytes, "to unpack this plan", error);
      return NULL;
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

struct TpPacker
{
  z_stream stream;
  gint64 missing_bytes;
  int status;
  GString *out;
};

TpPacker *
tp_packer_new (void)
{
  TpPacker *packer = tp_new0 (TpPacker, 1);

  packer->stream = stream_of (NULL, &packer->missing_bytes);
  packer->status
      = deflateInit2 (&packer->stream, LEVEL, Z_DEFLATED, WRAPPER,
                      MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
  packer->out = g_string_new (NULL);
  return packer;
}

void
tp_packer_free (TpPacker *packer)
{
  if (packer == NULL)
    return;
  deflateEnd (&packer->stream);
  if (packer->out != NULL)
    g_string_free (packer->out, TRUE);
  g_free (packer);
}

/* What there is of input, as far as @flush goes. */
static void
pack (TpPacker *packer, int flush)
{
  char piece[PIECE_BYTES];

  do
    {
      packer->stream.next_out = (Bytef *) piece;
      packer->stream.avail_out = sizeof piece;
      packer->status = deflate (&packer->stream, flush);
      tp_text_append_len (packer->out, piece,
                          sizeof piece - packer->stream.avail_out);
    }
  while (packer->status == Z_OK && packer->stream.avail_out == 0);
}

void
tp_packer_add (TpPacker *packer, const void *bytes, gsize size)
{
  for (gsize at = 0; at < size && packer->status == Z_OK;)
    {
      uInt n = MIN (size - at, MOST_AT_ONCE);

      packer->stream.next_in = (Bytef *) bytes + at;
      packer->stream.avail_in = n;
      pack (packer, Z_NO_FLUSH);
      if (packer->status == Z_BUF_ERROR) /* nothing was left to do */
        packer->status = Z_OK;
      at += n;
    }
}

GBytes *
tp_packer_finish (TpPacker *packer, GError **error)
{
  if (packer->status == Z_OK)
    pack (packer, Z_FINISH);
  if (packer->status == Z_STREAM_END)
    return g_string_free_to_bytes (g_steal_pointer (&packer->out));
  tp_room_set_error (packer->missing_bytes, "to pack this plan", error);
  return NULL;
}
