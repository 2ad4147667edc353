/* test-intervals.c: arenas: nothing overlaps in both time and space. */
#include "config.h"

#include "ir/intervals.h"
#include "ir/plan.h"

#include <stdlib.h>

static TpScratch scratch;     /* that of the packing before */

static gboolean
meets (gint64 a, gint64 a_end, gint64 b, gint64 b_end)
{
  return a < b_end && b < a_end;
}

static void
check_packing (const TpInterval *it, int n, gint64 align, gint64 total)
{
  for (int i = 0; i < n; i++)
    {
      g_assert_cmpint (it[i].offset % align, ==, 0);
      g_assert_cmpint (it[i].offset + it[i].size_bytes, <=, total);
      for (int k = 0; k < i; k++)
        g_assert_false (
            meets (it[i].first, it[i].last + 1, it[k].first, it[k].last + 1)
            && meets (it[i].offset, it[i].offset + it[i].size_bytes,
                      it[k].offset, it[k].offset + it[k].size_bytes));
    }
}

static gint64
brute_bound (const TpInterval *it, int n)
{
  gint64 most = 0;

  for (int i = 0; i < n; i++)
    {
      gint64 alive = 0;

      for (int k = 0; k < n; k++)
        if (it[k].first <= it[i].first && it[i].first <= it[k].last)
          alive += it[k].size_bytes;
      most = MAX (most, alive);
    }
  return most;
}

static void
test_random (void)
{
  for (int round = 0; round < 300; round++)
    {
      TpInterval it[40];
      int n = g_test_rand_int_range (1, G_N_ELEMENTS (it));
      gint64 align = 1 << g_test_rand_int_range (0, 4), bound, total;

      for (int i = 0; i < n; i++)
        {
          it[i].first = g_test_rand_int_range (-5, 30) * 1000;
          it[i].last = it[i].first + g_test_rand_int_range (0, 9) * 1000;
          it[i].size_bytes = g_test_rand_int_range (0, 500);
          it[i].offset = -1;
        }
      tp_scratch_reset (&scratch);
      total = tp_intervals_pack (it, n, align, &scratch, &bound);
      check_packing (it, n, align, total);
      g_assert_cmpint (bound, ==, brute_bound (it, n));
      g_assert_cmpint (bound, <=, total);
    }
}

static int
compare_by_size (const void *a, const void *b)
{
  const TpInterval *x = *(TpInterval *const *) a;
  const TpInterval *y = *(TpInterval *const *) b;

  if (x->size_bytes != y->size_bytes)
    return x->size_bytes < y->size_bytes ? 1 : -1;
  return (x > y) - (x < y);
}

static gboolean
is_free (TpInterval *const *placed, int n, const TpInterval *it, gint64 offset)
{
  for (int i = 0; i < n; i++)
    if (meets (it->first, it->last + 1, placed[i]->first, placed[i]->last + 1)
        && meets (offset, offset + it->size_bytes, placed[i]->offset,
                  placed[i]->offset + placed[i]->size_bytes))
      return FALSE;
  return TRUE;
}

/* Greedy by size in so many words: the lowest offset that is free is 0 or right
 * behind another. */
static void
pack_plainly (TpInterval *it, int n, gint64 align)
{
  g_autofree TpInterval **order = g_new (TpInterval *, n);

  for (int i = 0; i < n; i++)
    order[i] = &it[i];
  qsort (order, n, sizeof order[0], compare_by_size);
  for (int i = 0; i < n; i++)
    {
      gint64 best = is_free (order, i, order[i], 0) ? 0 : G_MAXINT64;

      for (int k = 0; k < i; k++)
        {
          gint64 end = order[k]->offset + order[k]->size_bytes;
          gint64 offset = (end + align - 1) / align * align;

          if (offset < best && is_free (order, i, order[i], offset))
            best = offset;
        }
      order[i]->offset = best;
    }
}

/* Alone, in a few and in crowds: always the same offsets. */
static void
test_plain (void)
{
  for (int round = 0; round < 12; round++)
    {
      const int n = 400;
      g_autofree TpInterval *it = g_new0 (TpInterval, n);
      g_autofree TpInterval *plain = NULL;
      int span = 1 << (round % 10);

      for (int i = 0; i < n; i++)
        {
          it[i].first = g_test_rand_int_range (0, n);
          it[i].last = it[i].first + g_test_rand_int_range (0, span);
          it[i].size_bytes = g_test_rand_int_range (1, 300);
        }
      plain = g_memdup2 (it, n * sizeof it[0]);
      tp_intervals_pack (it, n, 16, &scratch, NULL);
      pack_plainly (plain, n, 16);
      for (int i = 0; i < n; i++)
        g_assert_cmpint (it[i].offset, ==, plain[i].offset);
    }
}

/* What draws put into a crowd: all alive at one step, of a few at two, next to
 * each other, or anywhere. */
static void
draw_crowd (TpInterval *it, int n, int kind)
{
  int end = kind % 2 == 0 ? n : n / 3;
  gboolean alike = kind / 2 % 2 == 0;

  for (int i = 0; i < n; i++)
    {
      int middle = end * (1 + i / end) - 1;

      it[i].first = i;
      it[i].last = kind < 4 ? MAX (middle, i) : MAX (2 * middle - i, i);
      it[i].size_bytes = alike ? 64 : g_test_rand_int_range (0, 300);
      if (g_test_rand_int_range (0, kind < 8 ? 50 : 4) > 0)
        continue;
      it[i].last = it[i].first + g_test_rand_int_range (0, 9);
      it[i].size_bytes = g_test_rand_int_range (0, 4) * 160;
    }
}

static void
check_plain (TpInterval *it, int n, gint64 align)
{
  g_autofree TpInterval *plain = g_memdup2 (it, n * sizeof it[0]);

  tp_scratch_reset (&scratch);
  tp_intervals_pack (it, n, align, &scratch, NULL);
  pack_plainly (plain, n, align);
  for (int i = 0; i < n; i++)
    g_assert_cmpint (it[i].offset, ==, plain[i].offset);
}

/* Enough of them that places are read off skylines. */
static void
test_plain_crowds (void)
{
  for (int kind = 0; kind < 12; kind++)
    for (gint64 align = 1; align <= 64; align *= 8)
      {
        const int n = 600;
        g_autofree TpInterval *it = g_new0 (TpInterval, n);

        draw_crowd (it, n, kind);
        check_plain (it, n, align);
      }
}

/* One size or two, some of them of one height, and made as a run makes them: alive
 * when they are made, but for one in a few that has begun long before. */
static void
draw_run (TpInterval *it, int n, int kind)
{
  for (int i = 0; i < n; i++)
    {
      it[i].first = i;
      it[i].last = i + g_test_rand_int_range (0, kind % 2 == 0 ? n : 9);
      if (g_test_rand_int_range (0, 4) == 0)
        it[i].first = g_test_rand_int_range (0, i + 1);
      it[i].size_bytes
          = kind < 2 || g_test_rand_int_range (0, 9) > 0 ? 64 : kind < 4 ? 60 : 200;
      if (kind >= 6 && g_test_rand_int_range (0, 20) == 0)
        it[i].first = it[i].last = g_test_rand_int_range (0, n);
    }
}

/* Where shelves do, and where they end. */
static void
test_plain_runs (void)
{
  for (int kind = 0; kind < 8; kind++)
    for (gint64 align = 1; align <= 64; align *= 8)
      {
        const int n = 500;
        g_autofree TpInterval *it = g_new0 (TpInterval, n);

        draw_run (it, n, kind);
        check_plain (it, n, align);
      }
}

/* Thousands alive together that are made and read as in a run: no bytes are lost. */
static void
test_large_run (void)
{
  const int n = 100000;
  g_autofree TpInterval *it = g_new0 (TpInterval, n);
  gint64 bound;

  for (int i = 0; i < n; i++)
    it[i] = (TpInterval){ 64, i, i + g_test_rand_int_range (0, n), 0 };
  tp_scratch_reset (&scratch);
  g_assert_cmpint (tp_intervals_pack (it, n, 64, &scratch, &bound), ==, bound);
}

/* Only the order of steps counts, however far they are from each other. */
static void
test_sparse (void)
{
  for (int round = 0; round < 100; round++)
    {
      TpInterval it[60], far[60];
      int n = g_test_rand_int_range (1, G_N_ELEMENTS (it));
      gint64 near_bound, far_bound;

      for (int i = 0; i < n; i++)
        {
          it[i].first = g_test_rand_int_range (0, n);
          it[i].last = it[i].first + g_test_rand_int_range (0, n);
          it[i].size_bytes = g_test_rand_int_range (1, 300);
          far[i] = it[i];
          far[i].first = it[i].first * 100 - 700;
          far[i].last = it[i].last * 100 - 700;
        }
      tp_scratch_reset (&scratch);
      g_assert_cmpint (tp_intervals_pack (it, n, 16, &scratch, &near_bound),
                       ==,
                       tp_intervals_pack (far, n, 16, &scratch, &far_bound));
      g_assert_cmpint (near_bound, ==, far_bound);
      for (int i = 0; i < n; i++)
        g_assert_cmpint (it[i].offset, ==, far[i].offset);
    }
}

/* A chain needs two buffers at a time, however long it is. */
static void
test_chain (void)
{
  const int n = 100000;
  g_autofree TpInterval *it = g_new0 (TpInterval, n);
  gint64 bound;

  for (int i = 0; i < n; i++)
    it[i] = (TpInterval) { 64, i, i + 1, 0 };
  g_assert_cmpint (tp_intervals_pack (it, n, 64, &scratch, &bound), ==, 128);
  g_assert_cmpint (bound, ==, 128);
}

/* One buffer alive all the time beside a long chain. */
static void
test_long_lived (void)
{
  const int n = 20000;
  g_autofree TpInterval *it = g_new0 (TpInterval, n);

  for (int i = 0; i < n; i++)
    it[i] = (TpInterval) { 64, i, i + 1, 0 };
  it[7].first = 0;
  it[7].last = n;
  g_assert_cmpint (tp_intervals_pack (it, n, 64, &scratch, NULL), ==, 192);
}

static int
compare_offsets (const void *a, const void *b)
{
  const TpInterval *x = a, *y = b;

  return (x->offset > y->offset) - (x->offset < y->offset);
}

/* All alive together: no effort is worth it, but nothing overlaps. */
static void
test_crowd (void)
{
  const int n = 50000;
  g_autofree TpInterval *it = g_new0 (TpInterval, n);
  gint64 total, sum = 0;

  for (int i = 0; i < n; i++)
    {
      it[i].size_bytes = 64 * g_test_rand_int_range (1, 100);
      it[i].last = 2;
      sum += it[i].size_bytes;
    }
  total = tp_intervals_pack (it, n, 64, &scratch, NULL);
  g_assert_cmpint (total, ==, sum);
  qsort (it, n, sizeof it[0], compare_offsets);
  for (int i = 1; i < n; i++)
    g_assert_cmpint (it[i - 1].offset + it[i - 1].size_bytes, <=,
                     it[i].offset);
}

static void
test_huge (void)
{
  TpInterval it[] = { { G_MAXINT64 - 1, 0, 1, 0 }, { 4096, 0, 1, 0 } };

  g_assert_cmpint (tp_intervals_pack (it, 2, 4096, &scratch, NULL), ==,
                   G_MAXINT64);
  g_assert_cmpint (tp_intervals_pack (NULL, 0, 64, &scratch, NULL), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/intervals/random", test_random);
  g_test_add_func ("/intervals/plain", test_plain);
  g_test_add_func ("/intervals/plain-crowds", test_plain_crowds);
  g_test_add_func ("/intervals/plain-runs", test_plain_runs);
  g_test_add_func ("/intervals/large-run", test_large_run);
  g_test_add_func ("/intervals/sparse", test_sparse);
  g_test_add_func ("/intervals/chain", test_chain);
  g_test_add_func ("/intervals/long-lived", test_long_lived);
  g_test_add_func ("/intervals/crowd", test_crowd);
  g_test_add_func ("/intervals/huge", test_huge);
  return g_test_run ();
}
