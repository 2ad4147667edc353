/* test-scratch.c: what a round was given overlaps nothing of it; a later one that
 * asks for no more asks the system for nothing. */
#include "config.h"

#include "ir/scratch.h"

#include <string.h>

static void
fill_round (TpScratch *scratch, int n, gsize most)
{
  g_autofree guint8 **blocks = g_new (guint8 *, n);
  g_autofree gsize *sizes = g_new (gsize, n);

  for (int i = 0; i < n; i++)
    {
      sizes[i] = g_test_rand_int_range (0, most);
      blocks[i] = i % 2 == 0 ? tp_scratch_new0 (scratch, guint8, sizes[i])
                             : tp_scratch_new (scratch, guint8, sizes[i]);
      g_assert_cmpint ((guintptr) blocks[i] % 16, ==, 0);
      for (gsize k = 0; i % 2 == 0 && k < sizes[i]; k++)
        g_assert_cmpint (blocks[i][k], ==, 0);
      memset (blocks[i], i % 251, sizes[i]);
    }
  for (int i = 0; i < n; i++)
    for (gsize k = 0; k < sizes[i]; k++)
      g_assert_cmpint (blocks[i][k], ==, i % 251);
}

static void
test_rounds (void)
{
  g_auto (TpScratch) scratch = { 0 };

  tp_scratch_reset (&scratch);
  for (int round = 0; round < 50; round++)
    {
      fill_round (&scratch, g_test_rand_int_range (1, 40), 20000);
      tp_scratch_reset (&scratch);
    }
}

static void
test_kept (void)
{
  g_auto (TpScratch) scratch = { 0 };
  gsize all_bytes;
  void *first;

  for (int i = 0; i < 20; i++)
    tp_scratch_new (&scratch, gint64, 1000);
  g_assert_cmpint (scratch.all_bytes, >=, 20 * 8000);
  g_assert_cmpint (scratch.all_bytes, <=, 4 * 20 * 8000);
  tp_scratch_reset (&scratch);
  all_bytes = scratch.all_bytes;
  first = tp_scratch_new (&scratch, gint64, 1000);
  for (int i = 1; i < 20; i++)
    tp_scratch_new (&scratch, gint64, 1000);
  g_assert_cmpint (scratch.all_bytes, ==, all_bytes);
  tp_scratch_reset (&scratch);
  g_assert_true (tp_scratch_new (&scratch, gint64, 1) == first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scratch/rounds", test_rounds);
  g_test_add_func ("/scratch/kept", test_kept);
  return g_test_run ();
}
