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

/* With its length before it, so that no two lists share bytes; NULL is another
 * one than "". */
void tp_digest_add_string (TpDigest *digest, const char *text);
/* Hex, (transfer full). Once. */
char *tp_digest_finish (TpDigest *digest);

/* Of bytes that are all there: (transfer full). */
char *tp_digest_bytes (const void *bytes, gsize size);

#endif
