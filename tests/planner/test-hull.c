/* test-hull.c: the lower hull of points in space, against all planes there are. */
#include "config.h"

#include "planner/hull.h"
#include "hull-case.h"

#include <stdlib.h>

#define MAX_POINTS 40

/* Small numbers make many that lie in one line or one plane. */
static int
draw_points (int most, TpHullPoint *out)
{
  int n = g_test_rand_int_range (1, MAX_POINTS + 1);

  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      out[i].at[k] = g_test_rand_int_range (0, most + 1);
  return n;
}

static void
make_hull (TpHull *hull, const TpHullPoint *points, int n)
{
  tp_hull_init (hull, points[0].at);
  for (int i = 1; i < n; i++)
    tp_hull_add (hull, points[i].at);
}

/* Sorted. */
static int
keep_corners (const TpHull *hull, TpHullPoint *out)
{
  int n = (int) hull->points->len / TP_HULL_DIMS, n_kept = 0;

  for (int i = 0; i < n; i++)
    if (tp_hull_is_corner (hull, i))
      {
        for (int k = 0; k < 3; k++)
          out[n_kept].at[k] = tp_hull_get_point (hull, i)[k];
        n_kept++;
      }
  qsort (out, (gsize) n_kept, sizeof *out, tp_hull_case_compare);
  return n_kept;
}

/* A sphere of triangles has two fewer corners than half its faces; nothing is added
 * twice, and no normal is negative. */
static void
check_faces (TpHull *hull)
{
  g_autoptr (GHashTable) met = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < hull->faces->len; i++)
    {
      const TpHullFace *face = &tp_array_index (hull->faces, TpHullFace, i);

      for (int k = 0; k < TP_HULL_DIMS; k++)
        {
          g_assert_true (face->normal[k] >= 0);
          g_hash_table_add (met, GINT_TO_POINTER (face->corners[k]));
        }
    }
  g_assert_cmpint (hull->faces->len, ==, 2 * (g_hash_table_size (met) - 2));
  for (guint i = 0; i < hull->points->len / TP_HULL_DIMS; i++)
    g_assert_false (tp_hull_add (hull, tp_hull_get_point (hull, (int) i)));
}

static void
test_random (void)
{
  static const int sizes[] = { 1, 2, 3, 5, 10, 100, 1000000 };
  int n_found = 0;

  for (int round = 0; round < 1400; round++)
    {
      TpHullPoint points[MAX_POINTS], wanted[MAX_POINTS], found[MAX_POINTS];
      g_auto (TpHull) hull = { NULL };
      int n = draw_points (sizes[round % G_N_ELEMENTS (sizes)], points);
      int n_wanted;

      make_hull (&hull, points, n);
      check_faces (&hull);
      n_wanted = tp_hull_case_keep (points, n, wanted);
      g_assert_cmpint (keep_corners (&hull, found), ==, n_wanted);
      g_assert_cmpmem (found, sizeof *found * (gsize) n_wanted, wanted,
                       sizeof *wanted * (gsize) n_wanted);
      n_found += n_wanted;
    }
  g_test_message ("%d corners", n_found);
  g_assert_cmpint (n_found, >, 1400 * 2);
}

/* So large that what planes weigh has more than 128 bits: the same corners, as often. */
static void
test_large (void)
{
  for (int round = 0; round < 400; round++)
    {
      TpHullPoint points[MAX_POINTS], wanted[MAX_POINTS], found[MAX_POINTS];
      g_auto (TpHull) hull = { NULL };
      int n = draw_points (round % 2 == 0 ? 7 : 1 << 20, points), n_wanted;
      gint64 times = (G_GINT64_CONSTANT (1) << 41) - 1;
      gint64 by[] = { times, times - 2 - round, 1 };

      for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
          points[i].at[k] *= by[k];
      make_hull (&hull, points, n);
      check_faces (&hull);
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
          points[i].at[k] /= by[k];
      n_wanted = tp_hull_case_keep (points, n, wanted);
      g_assert_cmpint (keep_corners (&hull, found), ==, n_wanted);
      for (int i = 0; i < n_wanted; i++)
        for (int k = 0; k < 3; k++)
          g_assert_cmpint (found[i].at[k], ==, wanted[i].at[k] * by[k]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hull/random", test_random);
  g_test_add_func ("/hull/large", test_large);
  return g_test_run ();
}
