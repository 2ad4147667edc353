/* test-name-hash.c: SipHash is SipHash, and names that collide in g_str_hash do
 * not here. */
#include "config.h"

#include "ir/name-hash.h"

#include <string.h>

/* From the paper (15 bytes) and the reference implementation. */
static void
test_vectors (void)
{
  static const struct
  {
    gsize n;
    guint64 want;
  } cases[] = {
    { 0, 0x726fdb47dd0e0e31 },
    { 1, 0x74f839c593dc67fd },
    { 8, 0x93f5f5799a932462 },
    { 15, 0xa129ca6149be45e5 },
  };
  const guint64 key[] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
  guint8 data[16];

  for (int i = 0; i < 16; i++)
    data[i] = i;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmphex (tp_siphash (key, data, cases[i].n), ==, cases[i].want);
}

/* "Ez" and "FY" are one to g_str_hash, so are all strings of them. */
static void
test_collisions (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  const int n = 4096;

  for (int i = 0; i < n; i++)
    {
      char name[25] = "";

      for (int k = 0; k < 12; k++)
        memcpy (name + 2 * k, i >> k & 1 ? "Ez" : "FY", 2);
      g_assert_cmpuint (g_str_hash (name), ==,
                        g_str_hash ("EzEzEzEzEzEzEzEzEzEzEzEz"));
      g_hash_table_add (seen, GUINT_TO_POINTER (tp_name_hash (name)));
    }
  /* Of 4096 draws among 2^32 a thousandth of one pair is the same. */
  g_assert_cmpuint (g_hash_table_size (seen), >=, n - 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/name-hash/vectors", test_vectors);
  g_test_add_func ("/name-hash/collisions", test_collisions);
  return g_test_run ();
}
