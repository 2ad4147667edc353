/* test-near-name.c: the distance against its definition, and what is asked. */
#include "config.h"

#include "ir/near-name.h"

#include <string.h>

/* By trying all there is to try; no letter is touched twice. */
static int
find_distance (const char *a, const char *b)
{
  int least;

  if (*a == 0 || *b == 0)
    return (int) (strlen (a) + strlen (b));
  least = find_distance (a + 1, b + 1) + (*a != *b);
  least = MIN (least, find_distance (a + 1, b) + 1);
  least = MIN (least, find_distance (a, b + 1) + 1);
  if (a[1] != 0 && a[0] == b[1] && a[1] == b[0])
    least = MIN (least, find_distance (a + 2, b + 2) + 1);
  return least;
}

static void
fill (char *text)
{
  int n = g_test_rand_int_range (0, 7);

  for (int i = 0; i < n; i++)
    text[i] = (char) g_test_rand_int_range ('a', 'd');
  text[n] = 0;
}

static void
test_definition (void)
{
  for (int i = 0; i < 2000; i++)
    {
      char a[8], b[8];

      fill (a);
      fill (b);
      g_assert_cmpint (tp_near_name_distance (a, b), ==, find_distance (a, b));
      g_assert_cmpint (tp_near_name_distance (b, a), ==, find_distance (a, b));
    }
}

static void
test_long (void)
{
  g_autofree char *just = g_strnfill (63, 'x'), *more = g_strnfill (64, 'x');
  const char *const known[] = { more, NULL };

  g_assert_cmpint (tp_near_name_distance (just, just), ==, 0);
  g_assert_cmpint (tp_near_name_distance (just, ""), ==, 63);
  g_assert_cmpint (tp_near_name_distance (just, more), ==, 64);
  g_assert_null (tp_near_name_find ("Relu", known));
}

static void
test_find (void)
{
  static const char *const known[]
      = { "calibrate", "optimize", "run", "Relu", "PRelu", "N", NULL };
  static const struct
  {
    const char *typed, *want;
  } cases[] = {
    { "calibrat", "calibrate" }, { "claibrate", "calibrate" },
    { "optimise", "optimize" },  { "ruin", "run" },
    { "relu", "Relu" },          { "prelu", "PRelu" },
    { "opt", "optimize" },       { "n", "N" },
    { "frobnicate", NULL },      { "", NULL },
    { "?", NULL },               { "M", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (tp_near_name_find (cases[i].typed, known), ==,
                     cases[i].want);
}

static void
test_ask (void)
{
  static const char *const known[] = { "run", NULL };
  g_autofree char *near = tp_near_name_ask ("rum", known);
  g_autofree char *far = tp_near_name_ask ("explain", known);

  g_assert_cmpstr (near, ==, " (did you mean 'run'?)");
  g_assert_cmpstr (far, ==, "");
}

static void
test_list (void)
{
  static const char *const none[] = { NULL };
  static const char *const some[] = { "a", "b", NULL };
  static const char *const many[]
      = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", NULL };
  g_autofree char *of_none = tp_near_name_list (none);
  g_autofree char *of_some = tp_near_name_list (some);
  g_autofree char *of_many = tp_near_name_list (many);

  g_assert_cmpstr (of_none, ==, ": leave it out");
  g_assert_cmpstr (of_some, ==, ": there are a, b");
  g_assert_cmpstr (of_many, ==, ": there are a, b, c, d, e, f, g, h, ...");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/near-name/definition", test_definition);
  g_test_add_func ("/near-name/long", test_long);
  g_test_add_func ("/near-name/find", test_find);
  g_test_add_func ("/near-name/ask", test_ask);
  g_test_add_func ("/near-name/list", test_list);
  return g_test_run ();
}
