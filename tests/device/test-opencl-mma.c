/* test-opencl-mma.c: a device has products of matrices by waves where its own product
 * came out right, and where it is asked for: "yes" spells them out where no instruction
 * is there. Figures are then those of another device. */
#include "config.h"

#include "runtime/devices.h"

static TpDevice *
open_device (const char *local_size, const char *wanted)
{
  const TpDeviceOptions options = { .n_threads = 2 };
  g_autoptr (GError) error = NULL;
  TpDevice *device;

  g_setenv ("TPLAN_OPENCL_LOCAL_SIZE", local_size, TRUE);
  g_setenv ("TPLAN_OPENCL_MMA", wanted, TRUE);
  device = tp_device_open ("opencl:0", &options, &error);
  if (device == NULL)
    g_test_skip (error->message);
  return device;
}

static void
check (const char *local_size, const char *wanted, gboolean has_mma)
{
  g_autoptr (TpDevice) device = open_device (local_size, wanted);
  TpDeviceInfo info = { 0 };

  if (device == NULL)
    return;
  device->ops->describe (device, &info);
  g_assert_true (info.target.has_mma == has_mma);
  g_assert_true (g_str_has_suffix (info.identity, ";mma") == has_mma);
  tp_device_info_clear (&info);
}

static void
test_wanted (void)
{
  check ("64", "yes", TRUE);
  check ("64", "no", FALSE);
}

/* Schedules of processors know nothing of waves. */
static void
test_processor (void)
{
  check ("1", "yes", FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opencl-mma/wanted", test_wanted);
  g_test_add_func ("/opencl-mma/processor", test_processor);
  return g_test_run ();
}
