/* test-joules.c: counters in a folder that is laid out as the kernel's. */
#include "config.h"

#include "calib/joules.h"

#include <glib/gstdio.h>
#include <string.h>

#define CARD "bus/pci/devices/0000:03:00.0/hwmon/hwmon4"
#define ZONES "class/powercap"

static void
put (const char *root, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static char *
make_root (void)
{
  char *root = g_dir_make_tmp ("tplan-joules-XXXXXX", NULL);

  g_assert_nonnull (root);
  return root;
}

static void
remove_root (char *root)
{
  const char *const arguments[] = { "rm", "-rf", root, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **) arguments, NULL,
                               G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                               NULL, NULL));
  g_free (root);
}

static void
put_zones (const char *root)
{
  put (root, ZONES "/intel-rapl/enabled", "1\n");
  put (root, ZONES "/intel-rapl:0/name", "package-0\n");
  put (root, ZONES "/intel-rapl:0/energy_uj", "1000000\n");
  put (root, ZONES "/intel-rapl:0/max_energy_range_uj", "5000000\n");
  put (root, ZONES "/intel-rapl:0:0/name", "core\n");
  put (root, ZONES "/intel-rapl:0:0/energy_uj", "7\n");
  put (root, ZONES "/intel-rapl:0:1/name", "dram\n");
  put (root, ZONES "/intel-rapl:0:1/energy_uj", "2000000\n");
  put (root, ZONES "/intel-rapl:1/name", "psys\n");
  put (root, ZONES "/intel-rapl:1/energy_uj", "8\n");
  put (root, ZONES "/intel-rapl:2/name", "package-1\n");
  put (root, ZONES "/intel-rapl:2/energy_uj", "3000000\n");
  put (root, ZONES "/intel-rapl-mmio:0/name", "package-0\n");
  put (root, ZONES "/intel-rapl-mmio:0/energy_uj", "1000000\n");
}

/* Joules since @began_us, which is no later than the start was. */
static void
assert_joules (double watts, gint64 began_us, double joules)
{
  double seconds = (double) (g_get_monotonic_time () - began_us) / 1e6;

  g_assert_cmpfloat (watts * seconds, >=, joules);
  g_assert_cmpfloat (watts, <=, joules / 0.05);
}

/* Packages and memory are added up, what is counted twice is not, and one counter
 * begins anew meanwhile. */
static void
test_processors (void)
{
  char *root = make_root ();
  gint64 began_us;
  double watts;

  put_zones (root);
  {
    g_autoptr (TpJoules) joules = tp_joules_open (root, NULL);

    g_assert_nonnull (joules);
    g_assert_cmpstr (tp_joules_get_source (joules), ==,
                     "package-0+dram+package-1");
    began_us = g_get_monotonic_time ();
    g_assert_true (tp_joules_start (joules));
    g_usleep (50000);
    put (root, ZONES "/intel-rapl:0/energy_uj", "500000\n");
    put (root, ZONES "/intel-rapl:0:1/energy_uj", "2250000\n");
    put (root, ZONES "/intel-rapl:2/energy_uj", "3000100\n");
    g_assert_true (tp_joules_stop (joules, &watts));
    assert_joules (watts, began_us, 4.5 + 0.25 + 0.0001);
    /* none moves */
    g_assert_true (tp_joules_start (joules));
    g_assert_false (tp_joules_stop (joules, &watts));
    /* one that has no range goes back */
    g_assert_true (tp_joules_start (joules));
    put (root, ZONES "/intel-rapl:2/energy_uj", "5\n");
    g_assert_false (tp_joules_stop (joules, &watts));
    put (root, ZONES "/intel-rapl:2/energy_uj", "many\n");
    g_assert_false (tp_joules_start (joules));
  }
  remove_root (root);
}

static void
test_card_energy (void)
{
  char *root = make_root ();
  gint64 began_us;
  double watts;

  put (root, CARD "/name", "xe\n");
  put (root, CARD "/power1_average", "15000000\n");
  put (root, CARD "/energy1_input", "100\n");
  {
    g_autoptr (TpJoules) joules = tp_joules_open (root, "0000:03:00.0");

    g_assert_nonnull (joules);
    g_assert_cmpstr (tp_joules_get_source (joules), ==, "xe");
    began_us = g_get_monotonic_time ();
    g_assert_true (tp_joules_start (joules));
    g_usleep (50000);
    put (root, CARD "/energy1_input", "2000100\n");
    g_assert_true (tp_joules_stop (joules, &watts));
    assert_joules (watts, began_us, 2);
    g_assert_null (tp_joules_open (root, "0000:04:00.0"));
    g_assert_null (tp_joules_open (root, NULL));
  }
  remove_root (root);
}

/* Power is the mean over time of what was seen. */
static void
test_card_power (void)
{
  char *root = make_root ();
  double watts;

  put (root, CARD "/name", "amdgpu\n");
  put (root, CARD "/power1_average", "20000000\n");
  {
    g_autoptr (TpJoules) joules = tp_joules_open (root, "0000:03:00.0");

    g_assert_nonnull (joules);
    g_assert_true (tp_joules_start (joules));
    for (int i = 0; i < 4; i++)
      {
        g_usleep (10000);
        g_assert_true (tp_joules_look (joules));
      }
    g_assert_true (tp_joules_stop (joules, &watts));
    g_assert_cmpfloat_with_epsilon (watts, 20, 1e-6);
    g_assert_true (tp_joules_start (joules));
    put (root, CARD "/power1_average", "40000000\n");
    g_usleep (10000);
    g_assert_true (tp_joules_stop (joules, &watts));
    g_assert_cmpfloat_with_epsilon (watts, 30, 1e-6);
  }
  remove_root (root);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/joules/processors", test_processors);
  g_test_add_func ("/joules/card/energy", test_card_energy);
  g_test_add_func ("/joules/card/power", test_card_power);
  return g_test_run ();
}
