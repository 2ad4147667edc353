/* test-opencl-print.c: the text of OpenCL kernels, and what it computes against
 * the interpreter, bit for bit. */
#include "config.h"

#include "kernel/kernel-interpret.h"
#include "kernel/kernel-opencl.h"
#include "opencl-runner.h"
#include "random-kernel.h"

#include <math.h>
#include <string.h>

static void
test_text (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("scale");
  g_autofree char *text = NULL;
  int x = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                                64, FALSE);
  int y = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                                64, TRUE);
  TpValue at, value;

  tp_kernel_add_buffer (kernel, TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT32, 5, TRUE);
  kernel->n_groups = 4;
  at = tp_k_binary (kernel, TP_I_IMUL, tp_k_group (kernel),
                    tp_k_index (kernel, 16));
  value = tp_k_load (kernel, x, at, 16, -1);
  value = tp_k_fma (kernel, value, tp_k_f32 (kernel, 16, -0.75f),
                    tp_k_f32 (kernel, 16, INFINITY));
  tp_k_store (kernel, y, at, value, -1);
  text = tp_kernel_to_opencl (kernel);
  g_assert_cmpstr (text, ==,
                   "__kernel __attribute__ ((reqd_work_group_size (1, 1, 1)))\n"
                   "void scale (__global const char *restrict m0, "
                   "const long o0, __global char *restrict m1, "
                   "const long o1)\n"
                   "{\n"
                   "  __global const float *const b0 = "
                   "(__global const float *) (m0 + o0);\n"
                   "  __global float *const b1 = "
                   "(__global float *) (m1 + o1);\n"
                   "  __local float b2[5] __attribute__ ((aligned (64)));\n"
                   "  const long group = get_group_id (0);\n"
                   "  const long item = get_local_id (0);\n"
                   "  const long v2 = group * (16L);\n"
                   "  const float16 v3 = vload16 (0, b0 + v2);\n"
                   "  const float16 v6 = fma (v3, (float16) (-0xc00000p-24f), "
                   "(float16) (as_float (0x7f800000u)));\n"
                   "  vstore16 (v6, 0, b1 + v2);\n"
                   "}\n");
}

/* GPUs get integers of 32 bits where those suffice, and whole vectors where
 * they are aligned. */
static void
test_gpu_text (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("copy");
  g_autofree char *text = NULL;
  gint64 n = G_GINT64_CONSTANT (1) << 32;
  int x = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                                2 * n, FALSE);
  int y = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                                64, TRUE);
  TpValue at, far;

  kernel->local_size = 16;
  at = tp_k_binary (kernel, TP_I_IMUL, tp_k_item (kernel),
                    tp_k_index (kernel, 4));
  far = tp_k_binary (kernel, TP_I_IADD, at, tp_k_index (kernel, n + 1));
  tp_k_store (kernel, y, at, tp_k_load (kernel, x, far, 4, -1), -1);
  text = tp_kernel_to_opencl (kernel);
  g_assert_nonnull (strstr (text, "  const int v2 = item * (4);\n"
                                  "  const long v4 = (long) v2 + "
                                  "(4294967297L);\n"
                                  "  const float4 v5 = vload4 (0, b0 + v4);\n"
                                  "  *(__global float4 *) (b1 + v2) = v5;\n"));
}

#define N_KERNELS 20

static void
check (OpenclRunner *runner, const TpKernel *kernel, int i)
{
  void **buffers = random_buffers_new (kernel);
  void **expected = random_buffers_copy (kernel, buffers);
  g_autoptr (GError) error = NULL;

  for (gint64 iteration = 0; iteration < kernel->n_iterations; iteration++)
    {
      g_assert_true (tp_kernel_interpret (kernel, expected, iteration, &error));
      g_assert_no_error (error);
      opencl_runner_run (runner, i, iteration, buffers);
    }
  random_buffers_assert_equal (kernel, expected, buffers);
  random_buffers_free (kernel, buffers);
  random_buffers_free (kernel, expected);
}

/* Work-items reverse an array through local memory. */
static TpKernel *
make_items (void)
{
  TpKernel *kernel = tp_kernel_new ("items");
  int data = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                                   32, TRUE);
  int local =
      tp_kernel_add_buffer (kernel, TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT32,
                            8, TRUE);
  TpValue item = tp_k_item (kernel), at, value;

  kernel->local_size = 8;
  kernel->n_groups = 4;
  at = tp_k_binary (kernel, TP_I_IMUL, tp_k_group (kernel),
                    tp_k_index (kernel, 8));
  at = tp_k_binary (kernel, TP_I_IADD, at, item);
  tp_k_store (kernel, local, item, tp_k_load (kernel, data, at, 1, -1), -1);
  tp_k_barrier (kernel);
  value = tp_k_binary (kernel, TP_I_ISUB, tp_k_index (kernel, 7), item);
  value = tp_k_load (kernel, local, value, 1, -1);
  tp_k_store (kernel, data, at, value, -1);
  return kernel;
}

/* 64 bits divided by 32, with 32 left, and less than any number of 64. */
static TpKernel *
make_narrow (void)
{
  TpKernel *kernel = tp_kernel_new ("narrow");
  int data = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64,
                                   8, TRUE);
  TpValue item = tp_k_item (kernel), value;

  kernel->local_size = 8;
  value = tp_k_binary (kernel, TP_I_IMAX,
                       tp_k_load (kernel, data, item, 1, -1),
                       tp_k_index (kernel, 0));
  value = tp_k_binary (kernel, TP_I_IMOD, value, tp_k_index (kernel, 7));
  value = tp_k_binary (kernel, TP_I_IMIN, value,
                       tp_k_index (kernel, G_MAXINT64 - 1));
  tp_k_store (kernel, data, item, value, -1);
  return kernel;
}

static void
test_narrow (void)
{
  g_autoptr (TpKernel) kernel = make_narrow ();
  const TpKernel *kernels[] = { kernel };
  g_autofree char *reason = NULL;
  OpenclRunner *runner = opencl_runner_new (kernels, 1, &reason);

  if (runner == NULL)
    {
      g_test_skip (reason);
      return;
    }
  check (runner, kernel, 0);
  opencl_runner_free (runner);
}

/* PoCL 3.1 takes what vload_half and vstore_half have of vectors to be aligned as
 * these, so that nothing else may go to it. */
static void
test_unaligned (void)
{
  for (int lanes = 4; lanes <= 16; lanes *= 2)
    {
      g_autoptr (TpKernel) kernel = tp_kernel_new ("unaligned");
      const TpKernel *kernels[] = { kernel };
      g_autofree char *reason = NULL, *text = NULL;
      OpenclRunner *runner = NULL;
      TpValue value;

      for (int i = 0; i < 2; i++)
        tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT16, 40,
                              i == 1);
      value = tp_k_load (kernel, 0, tp_k_index (kernel, 3), lanes, -1);
      tp_k_store (kernel, 1, tp_k_index (kernel, 1), value, -1);
      text = tp_kernel_to_opencl (kernel);
      g_assert_nonnull (strstr (text, "vload"));
      g_assert_null (strstr (text, "vload_half"));
      g_assert_null (strstr (text, "vstore_half"));
      runner = opencl_runner_new (kernels, 1, &reason);
      if (runner == NULL)
        continue;
      check (runner, kernel, 0);
      opencl_runner_free (runner);
    }
}

static void
test_random (void)
{
  TpKernel *kernels[N_KERNELS + 1];
  OpenclRunner *runner;
  g_autofree char *reason = NULL;

  for (int i = 0; i < N_KERNELS; i++)
    {
      kernels[i] = i % 2 == 0 ? random_kernel_new (10 + 3 * i)
                              : random_kernel_new_items (10 + 3 * i);
      g_free (kernels[i]->name);
      kernels[i]->name = g_strdup_printf ("random%d", i);
    }
  kernels[N_KERNELS] = make_items ();
  runner = opencl_runner_new ((const TpKernel *const *)kernels, N_KERNELS + 1,
                              &reason);
  for (int i = 0; runner != NULL && i <= N_KERNELS; i++)
    check (runner, kernels[i], i);
  if (runner != NULL)
    opencl_runner_free (runner);
  else
    g_test_skip (reason);
  for (int i = 0; i <= N_KERNELS; i++)
    tp_kernel_free (kernels[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opencl-print/text", test_text);
  g_test_add_func ("/opencl-print/gpu-text", test_gpu_text);
  g_test_add_func ("/opencl-print/narrow", test_narrow);
  g_test_add_func ("/opencl-print/unaligned", test_unaligned);
  g_test_add_func ("/opencl-print/random", test_random);
  return g_test_run ();
}
