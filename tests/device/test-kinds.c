/* test-kinds.c: what records say of kinds of device before one is opened. */
#include "config.h"

#include "runtime/device.h"
#include "runtime/devices.h"

#include <string.h>

static void
test_records (void)
{
  int n;
  const TpDeviceOps *const *kinds = tp_device_list (&n);

  g_assert_cmpint (n, >=, 2);
  for (int i = 0; i < n; i++)
    {
      g_autofree char *name
          = g_strconcat (kinds[i]->name, kinds[i]->which != NULL ? ":0" : NULL,
                         NULL);

      g_assert_true (tp_device_find_kind (name, NULL) == kinds[i]);
      g_assert_cmpint (tp_device_is_simulated (name), ==,
                       kinds[i]->is_simulated);
      if (kinds[i]->is_simulated)
        continue;
      g_assert_cmpfloat (kinds[i]->guess.peak_gflops, >=, 0);
      g_assert_cmpfloat (kinds[i]->guess.bandwidth_gbps, >, 0);
      g_assert_cmpfloat (kinds[i]->guess.launch_ns, >, 0);
      g_assert_cmpfloat (kinds[i]->guess.points_per_thread, >=, 1);
    }
}

static void
test_forms (void)
{
  static const char *const names[] = { "", ":", "re", "reff", "ref:", "ref:0",
                                       "sim", "simx:y" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (tp_device_find_kind (names[i], &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
      g_assert_nonnull (strstr (error->message, "'ref'"));
      g_assert_nonnull (strstr (error->message, "'sim:PROFILE'"));
      g_assert_false (tp_device_is_simulated (names[i]));
    }
  g_assert_true (tp_device_is_simulated ("sim:whatever"));
}

typedef struct
{
  const char *names;          /* there are */
  const char *chosen;         /* NULL: an error */
  const char *needs;          /* (nullable) a name of a kind that must be built */
} Choice;

static void
test_choose (void)
{
  static const Choice choices[] = {
    { "", NULL, NULL },
    { "ref", NULL, NULL },
    { "sim:laptop-gpu ref nosuch:0", NULL, NULL },
    { "ref cpu", "cpu", "cpu" },
    { "opencl:1 cpu opencl:0 ref", "cpu opencl:1", "opencl:0" },
    { "opencl:0", NULL, "opencl:0" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      g_auto (GStrv) names = g_strsplit (choices[i].names, " ", -1);
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) chosen
          = tp_device_choose_defaults ((const char *const *) names, &error);
      g_autofree char *text = chosen == NULL ? NULL : g_strjoinv (" ", chosen);

      if (choices[i].needs != NULL
          && tp_device_find_kind (choices[i].needs, NULL) == NULL)
        continue;
      g_assert_cmpstr (text, ==, choices[i].chosen);
      if (chosen == NULL)
        g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kinds/records", test_records);
  g_test_add_func ("/kinds/forms", test_forms);
  g_test_add_func ("/kinds/choose", test_choose);
  return g_test_run ();
}
