/* digest.h: SHA-256 of a stream of numbers and strings. */
#ifndef TP_IR_DIGEST_H
#define TP_IR_DIGEST_H

#include <glib.h>
#include <string.h>

#define TP_DIGEST_BUFFER (16 << 10) /* whole blocks */

/* Private but for its size: numbers are added in millions. */
typedef struct
{
  GChecksum *sum;             /* NULL: by instructions of the processor */
  guint32 state[8];
  guint64 n_bytes;            /* in @state */
  gsize n;
  guint8 buffer[TP_DIGEST_BUFFER];
} TpDigest;

TpDigest *tp_digest_new (void);
void tp_digest_free (TpDigest *digest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpDigest, tp_digest_free)

void tp_digest_add_bytes (TpDigest *digest, const void *bytes, gsize size);
/* As 8 bytes, little-endian. */
static inline void
tp_digest_add_number (TpDigest *digest, gint64 value)
{
  gint64 little = GINT64_TO_LE (value);

  if (sizeof little < TP_DIGEST_BUFFER - digest->n)
    {
      memcpy (digest->buffer + digest->n, &little, sizeof little);
      digest->n += sizeof little;
    }
  else
    tp_digest_add_bytes (digest, &little, sizeof little);
}

static inline guint8 *
tp_digest_put_short (guint8 *at, gint64 value)
{
  guint64 rest = value, little = GUINT64_TO_LE (rest);
  guint last_bit = 63 ^ __builtin_clzll (rest | 1);
  guint n_bytes = last_bit / 8 + (rest != 0);

  *at = n_bytes;
  memcpy (at + 1, &little, sizeof little);
  return at + 1 + n_bytes;
}

/* Up to three numbers, each as the number of its bytes and these, the last not 0: for
 * figures, of which there are millions, and most of which are small. Without a loop,
 * which compilers leave one, a third of the time goes. */
#define TP_DIGEST_SHORTS 3
static inline void
tp_digest_add_shorts (TpDigest *digest, const gint64 *values, int n)
{
  guint8 bytes[9 * TP_DIGEST_SHORTS];
  gboolean has_room = sizeof bytes < TP_DIGEST_BUFFER - digest->n;
  guint8 *begin = has_room ? digest->buffer + digest->n : bytes, *at = begin;

  at = n > 0 ? tp_digest_put_short (at, values[0]) : at;
  at = n > 1 ? tp_digest_put_short (at, values[1]) : at;
  at = n > 2 ? tp_digest_put_short (at, values[2]) : at;
  if (has_room)
    digest->n += at - begin;
  else
    tp_digest_add_bytes (digest, begin, at - begin);
}

/* As tp_digest_add_shorts () adds @n numbers that are 0. */
static inline void
tp_digest_add_zeros (TpDigest *digest, int n)
{
  static const guint8 zeros[TP_DIGEST_SHORTS];

  if ((gsize) n < TP_DIGEST_BUFFER - digest->n)
    {
      memcpy (digest->buffer + digest->n, zeros, n);
      digest->n += n;
    }
  else
    tp_digest_add_bytes (digest, zeros, n);
}

/* With its length before it, so that no two lists share bytes; NULL is another
 * one than "". */
void tp_digest_add_string (TpDigest *digest, const char *text);
/* Hex, (transfer full). Once. */
char *tp_digest_finish (TpDigest *digest);

/* Of bytes that are all there: (transfer full). */
char *tp_digest_bytes (const void *bytes, gsize size);

#endif
