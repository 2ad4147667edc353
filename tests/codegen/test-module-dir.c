/* test-module-dir.c: where the compiler module is looked for in a moved tree. */
#include "config.h"

#include "kernel/module-dir.h"

#include <glib/gstdio.h>

static const struct
{
  const char *now, *from, *module, *expected;
} moves[] = {
  /* not moved */
  { "/usr/bin", "/usr/bin", "/usr/lib/tplan", "/usr/lib/tplan" },
  { "/usr/lib", "/usr/lib", "/usr/lib/tplan", "/usr/lib/tplan" },
  /* moved */
  { "/opt/x/bin", "/usr/bin", "/usr/lib/tplan", "/opt/x/lib/tplan" },
  { "/opt/x y/lib", "/usr/lib", "/usr/lib/tplan", "/opt/x y/lib/tplan" },
  { "/bin", "/usr/bin", "/usr/lib/tplan", "/lib/tplan" },
  { "/d/a/lib/x86_64-linux-gnu", "/a/lib/x86_64-linux-gnu",
    "/a/lib/x86_64-linux-gnu/tplan", "/d/a/lib/x86_64-linux-gnu/tplan" },
  { "/d/bin", "/a/bin", "/a/lib/x86_64-linux-gnu/tplan",
    "/d/lib/x86_64-linux-gnu/tplan" },
  /* folders that begin alike are not in one another */
  { "/d/lib", "/a/lib", "/a/lib64/tplan", "/d/lib64/tplan" },
  { "/d/libexec", "/a/libexec", "/a/lib/tplan", "/d/lib/tplan" },
  { "/d/xbin", "/a/bin", "/a/lib/tplan", NULL },
  /* nothing in common */
  { "/d/programs", "/programs", "/modules", "/d/modules" },
  { "/d/programs", "/other", "/modules", NULL },
};

static void
test_moves (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (moves); i++)
    {
      g_autofree char *dir = tp_module_dir_move (moves[i].now, moves[i].from,
                                                 moves[i].module);

      g_assert_cmpstr (dir, ==, moves[i].expected);
    }
}

/* Whatever the working directory and our name are. */
static void
test_list (void)
{
  g_auto (GStrv) here = tp_module_dir_list ();
  g_auto (GStrv) there = NULL;

  for (int i = 0; here[i] != NULL; i++)
    g_assert_true (g_path_is_absolute (here[i]));
  g_assert_cmpint (g_strv_length (here), >=, 1);
  g_assert_cmpint (g_chdir ("/"), ==, 0);
  there = tp_module_dir_list ();
  g_assert_true (g_strv_equal ((const char *const *) here,
                               (const char *const *) there));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/module-dir/move", test_moves);
  g_test_add_func ("/module-dir/list", test_list);
  return g_test_run ();
}
