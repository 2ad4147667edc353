/* digest.c: SHA-256 of a stream of numbers and strings.
 *
 * Processors have instructions for it: where they are there they take a sixth of
 * the time. Elsewhere it is GLib's. Most pieces are a few bytes, so they are
 * gathered first. */
#include "config.h"

#include "ir/digest.h"

#include "ir/guard.h"
#include "ir/sha256.h"

TpDigest *
tp_digest_new (void)
{
  static const guint32 start[8]
      = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
  TpDigest *digest = tp_new (TpDigest, 1);

  digest->sum
      = tp_sha256_is_there () ? NULL : g_checksum_new (G_CHECKSUM_SHA256);
  memcpy (digest->state, start, sizeof start);
  digest->n_bytes = 0;
  digest->n = 0;
  return digest;
}

void
tp_digest_free (TpDigest *digest)
{
  if (digest == NULL)
    return;
  g_clear_pointer (&digest->sum, g_checksum_free);
  g_free (digest);
}

/* @size: of whole blocks, but for GLib. */
static void
take (TpDigest *digest, const guint8 *bytes, gsize size)
{
  if (digest->sum != NULL)
    g_checksum_update (digest->sum, bytes, size);
  else
    tp_sha256_blocks (digest->state, bytes, size / TP_SHA256_BLOCK);
  digest->n_bytes += size;
}

static void
add_more (TpDigest *digest, const guint8 *bytes, gsize size)
{
  while (size > 0)
    {
      gsize n = MIN (size, TP_DIGEST_BUFFER - digest->n);

      memcpy (digest->buffer + digest->n, bytes, n);
      digest->n += n;
      bytes += n;
      size -= n;
      if (digest->n < TP_DIGEST_BUFFER)
        return;
      take (digest, digest->buffer, TP_DIGEST_BUFFER);
      digest->n = 0;
    }
}

void
tp_digest_add_bytes (TpDigest *digest, const void *bytes, gsize size)
{
  if (size >= TP_DIGEST_BUFFER - digest->n)
    {
      add_more (digest, bytes, size);
      return;
    }
  memcpy (digest->buffer + digest->n, bytes, size);
  digest->n += size;
}

void
tp_digest_add_string (TpDigest *digest, const char *text)
{
  gsize size = text == NULL ? 0 : strlen (text);

  tp_digest_add_number (digest, text == NULL ? -1 : (gint64) size);
  tp_digest_add_bytes (digest, text == NULL ? "" : text, size);
}

/* A bit, zeros to the end of a block, and there the number of bits. */
static void
pad (TpDigest *digest)
{
  guint64 bits = GUINT64_TO_BE (8 * (digest->n_bytes + digest->n));
  gsize end = digest->n + 1 + sizeof bits;

  end = (end + TP_SHA256_BLOCK - 1) / TP_SHA256_BLOCK * TP_SHA256_BLOCK;
  if (end > TP_DIGEST_BUFFER)
    {
      gsize whole = digest->n / TP_SHA256_BLOCK * TP_SHA256_BLOCK;

      take (digest, digest->buffer, whole);
      digest->n -= whole;
      memmove (digest->buffer, digest->buffer + whole, digest->n);
      end -= whole;
    }
  memset (digest->buffer + digest->n, 0, end - digest->n);
  digest->buffer[digest->n] = 0x80;
  memcpy (digest->buffer + end - sizeof bits, &bits, sizeof bits);
  take (digest, digest->buffer, end);
}

char *
tp_digest_finish (TpDigest *digest)
{
  char *hex;

  if (digest->sum != NULL)
    {
      take (digest, digest->buffer, digest->n);
      return g_strdup (g_checksum_get_string (digest->sum));
    }
  pad (digest);
  hex = tp_new (char, 65);
  for (int i = 0; i < 8; i++)
    g_snprintf (hex + 8 * i, 9, "%08x", digest->state[i]);
  return hex;
}

char *
tp_digest_bytes (const void *bytes, gsize size)
{
  g_autoptr (TpDigest) digest = tp_digest_new ();

  tp_digest_add_bytes (digest, bytes, size);
  return tp_digest_finish (digest);
}
