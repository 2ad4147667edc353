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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/digest/sizes", test_sizes);
  g_test_add_func ("/digest/pieces", test_pieces);
  g_test_add_func ("/digest/values", test_values);
  return g_test_run ();
}
