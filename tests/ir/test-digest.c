/* test-digest.c: our SHA-256 is GLib's, however the bytes come. */
#include "config.h"

#include "ir/digest.h"
#include "ir/sha256.h"

#define MAX_SIZE (40 << 10) /* more than two buffers */

static guint8 *
draw_bytes (gsize size)
{
  guint8 *bytes = g_new (guint8, size + 1);

  for (gsize i = 0; i < size; i++)
    bytes[i] = g_test_rand_int_range (0, 256);
  return bytes;
}

static void
assert_digest (const guint8 *bytes, gsize size, const char *have)
{
  g_autofree char *want
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, size);

  g_assert_cmpstr (have, ==, want);
}

/* Around the ends of blocks and of the buffer. */
static void
test_sizes (void)
{
  g_autofree guint8 *bytes = draw_bytes (MAX_SIZE);

  g_test_message ("by instructions: %d", tp_sha256_is_there ());
  for (gsize size = 0; size < MAX_SIZE; size += size % 16384 < 200 ? 1 : 97)
    {
      g_autofree char *have = tp_digest_bytes (bytes, size);

      assert_digest (bytes, size, have);
    }
}

static void
test_pieces (void)
{
  for (int round = 0; round < 50; round++)
    {
      gsize size = g_test_rand_int_range (0, MAX_SIZE), at = 0;
      g_autofree guint8 *bytes = draw_bytes (size);
      g_autoptr (TpDigest) digest = tp_digest_new ();
      g_autofree char *have = NULL;

      while (at < size)
        {
          gsize n = g_test_rand_bit () ? g_test_rand_int_range (0, 20)
                                       : g_test_rand_int_range (0, 20000);

          n = MIN (n, size - at);
          tp_digest_add_bytes (digest, bytes + at, n);
          at += n;
        }
      have = tp_digest_finish (digest);
      assert_digest (bytes, size, have);
    }
}

static void
test_values (void)
{
  static const guint8 bytes[] = "\376\377\377\377\377\377\377\377"
                                "\2\0\0\0\0\0\0\0ab\0\0\0\0\0\0\0\0"
                                "\377\377\377\377\377\377\377\377";
  g_autoptr (TpDigest) digest = tp_digest_new ();
  g_autofree char *have = NULL;

  tp_digest_add_number (digest, -2);
  tp_digest_add_string (digest, "ab");
  tp_digest_add_string (digest, "");
  tp_digest_add_string (digest, NULL);
  have = tp_digest_finish (digest);
  assert_digest (bytes, sizeof bytes - 1, have);
}

/* The number of bytes of @value, and these, from the lowest up. */
static void
append_short (GByteArray *bytes, gint64 value)
{
  guint8 n = 0, all[8];

  for (guint64 rest = value; rest > 0; rest /= 256)
    all[n++] = rest % 256;
  g_byte_array_append (bytes, &n, 1);
  g_byte_array_append (bytes, all, n);
}

/* Of any size. */
static gint64
draw_number (int index)
{
  static const gint64 edges[] = { 0, 1, 255, 256, G_MAXINT64, -1, G_MININT64 };
  guint64 drawn = (guint64) (guint32) g_test_rand_int () << 32
                  | (guint32) g_test_rand_int ();

  return index < (int) G_N_ELEMENTS (edges)
             ? edges[index]
             : (gint64) (drawn >> g_test_rand_int_range (0, 64));
}

/* Also across the end of the buffer. */
static void
test_short (void)
{
  for (int round = 0; round < 20; round++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (TpDigest) digest = tp_digest_new ();
      g_autofree char *have = NULL;

      for (int i = 0; i < 8000; i += TP_DIGEST_SHORTS)
        {
          gint64 values[TP_DIGEST_SHORTS];
          int n = g_test_rand_int_range (0, TP_DIGEST_SHORTS + 1);

          for (int k = 0; k < n; k++)
            {
              values[k] = draw_number (i + k);
              append_short (bytes, values[k]);
            }
          tp_digest_add_shorts (digest, values, n);
          n = g_test_rand_int_range (0, TP_DIGEST_SHORTS + 1);
          for (int k = 0; k < n; k++)
            append_short (bytes, 0);
          tp_digest_add_zeros (digest, n);
        }
      have = tp_digest_finish (digest);
      assert_digest (bytes->data, bytes->len, have);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/digest/sizes", test_sizes);
  g_test_add_func ("/digest/pieces", test_pieces);
  g_test_add_func ("/digest/values", test_values);
  g_test_add_func ("/digest/short", test_short);
  return g_test_run ();
}
