/* opencl-layered.c: see opencl-layered.h. */
#include "config.h"

#include "opencl-layered.h"

#include "nets.h"

#include <stdio.h>
#include <string.h>

gboolean
opencl_layered_begin (void)
{
  g_autofree char *layer = g_test_build_filename (G_TEST_BUILT, ".libs",
                                                  "opencl-layer.so", NULL);
  g_autofree char *reason = NULL;
  g_autoptr (TpDevice) device = NULL;

  g_setenv ("OPENCL_LAYERS", layer, TRUE);
  g_setenv ("TEST_OPENCL_FAIL", "clCreateContext 1 -30", TRUE);
  device = net_try_device ("opencl:0", &reason);
  g_unsetenv ("TEST_OPENCL_FAIL");
  if (device == NULL && strstr (reason, "CL_") != NULL)
    return TRUE;
  printf ("1..0 # SKIP %s\n",
          device != NULL ? "the OpenCL loader takes no layers" : reason);
  return FALSE;
}
