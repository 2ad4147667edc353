/* test-version.c: the header, the library and the program are of one version. */
#include "config.h"

#include <tplan.h>

static void
test_version (void)
{
  int major = -1, minor = -1, micro = -1;
  const char *text = tplan_version_get (&major, &minor, &micro);
  g_autofree char *numbers = g_strdup_printf ("%d.%d.%d", major, minor, micro);

  g_assert_cmpstr (text, ==, numbers);
  g_assert_cmpstr (text, ==, PACKAGE_VERSION);
  g_assert_cmpstr (text, ==, TPLAN_VERSION);
  g_assert_cmpint (major * 1000000 + minor * 1000 + micro, ==,
                   TPLAN_VERSION_NUMBER);
  g_assert_cmpstr (tplan_version_get (NULL, NULL, NULL), ==, text);
}

/* The preprocessor can ask too. */
#if TPLAN_VERSION_NUMBER < 1000 || !TPLAN_CHECK_VERSION (0, 1, 0)
#error "this is older than the first version"
#endif

static void
test_check (void)
{
  g_assert_true (TPLAN_CHECK_VERSION (TPLAN_VERSION_MAJOR, TPLAN_VERSION_MINOR,
                                      TPLAN_VERSION_MICRO));
  g_assert_true (TPLAN_CHECK_VERSION (0, 0, 1000));
  g_assert_false (TPLAN_CHECK_VERSION (
      TPLAN_VERSION_MAJOR, TPLAN_VERSION_MINOR, TPLAN_VERSION_MICRO + 1));
  g_assert_false (
      TPLAN_CHECK_VERSION (TPLAN_VERSION_MAJOR, TPLAN_VERSION_MINOR + 1, 0));
  g_assert_false (TPLAN_CHECK_VERSION (TPLAN_VERSION_MAJOR + 1, 0, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/version/get", test_version);
  g_test_add_func ("/version/check", test_check);
  return g_test_run ();
}
