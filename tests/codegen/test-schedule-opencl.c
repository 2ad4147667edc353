/* Schedules against the oracle, through OpenCL C on the first device: the CPU
 * style and the GPU style. Skips without a device. */
#include "config.h"

#include "nests.h"
#include "opencl-runner.h"
#include "typed-nests.h"

#include <string.h>

typedef struct
{
  OpenclRunner *runner;
  const TpKernel **kernels;
  int n;
} Run;

static gboolean
run_step (const TpStep *step, void *const *buffers, gint64 iteration,
          gpointer data, GError **error)
{
  const Run *run = data;
  int i = 0;

  while (strcmp (run->kernels[i]->name, step->kernel->name) != 0)
    i++;
  opencl_runner_run (run->runner, i, iteration, buffers);
  return TRUE;
}

/* Equal kernels have equal names: each is built once. */
static void
collect (Run *run, const TpProgram *program)
{
  run->kernels = g_new (const TpKernel *, program->n_steps);
  for (int i = 0; i < program->n_steps; i++)
    {
      const TpKernel *kernel = program->steps[i].kernel;
      int j = 0;

      while (j < run->n && strcmp (run->kernels[j]->name, kernel->name) != 0)
        j++;
      if (j == run->n)
        run->kernels[run->n++] = kernel;
    }
}

static gboolean
run_by_opencl (const TpProgram *program, void *const *operands, GError **error)
{
  Run run = { 0 };
  g_autofree char *reason = NULL;
  gboolean is_done;

  collect (&run, program);
  run.runner = opencl_runner_new (run.kernels, run.n, &reason);
  g_assert_nonnull (run.runner);
  is_done = run_program (program, operands, run_step, &run, error);
  opencl_runner_free (run.runner);
  g_free (run.kernels);
  return is_done;
}

static void
test_conv (void)
{
  static const ConvCase cases[] = {
    { 1, 16, 14, 14, 40, 3, 3, 1, 1, 1, 1, .has_epilogue = TRUE },
    { 1, 16, 9, 9, 24, 1, 1, 1, 0, 1, 1, .has_prologue = TRUE },
    { 1, 24, 12, 12, 24, 3, 3, 2, 1, 1, 24, .has_epilogue = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      check_lowered (new_conv (&cases[i]), &target_avx512, run_by_opencl);
      check_lowered (new_conv (&cases[i]), &target_gpu, run_by_opencl);
    }
}

static void
test_matmul (void)
{
  static const MatmulCase cases[] = {
    { 2, 30, 50, 20, .has_bias = TRUE },
    { 1, 1, 70, 40, .trans_b = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      check_lowered (new_matmul (&cases[i]), &target_avx2, run_by_opencl);
      check_lowered (new_matmul (&cases[i]), &target_gpu, run_by_opencl);
    }
}

static void
test_pool (void)
{
  static const ConvCase c = { 1, 20, 9, 9, 20, 3, 3, 2, 1, 1, 1,
                              .is_row_major = FALSE };

  check_lowered (new_pool (&c, TRUE), &target_avx512, run_by_opencl);
  check_lowered (new_pool (&c, FALSE), &target_sse, run_by_opencl);
  check_lowered (new_pool (&c, FALSE), &target_gpu, run_by_opencl);
}

static void
test_typed (void)
{
  check_lowered (new_scratch_program (), &target_avx512, run_by_opencl);
  check_lowered (new_scratch_program (), &target_gpu, run_by_opencl);
  for (int i = 0; i < 6; i++)
    {
      gpointer seed = GUINT_TO_POINTER (g_test_rand_int_range (0, G_MAXINT32));

      check_lowered (new_random_typed (seed), &target_avx512, run_by_opencl);
      check_lowered (new_random_typed (seed), &target_gpu, run_by_opencl);
    }
}

static void
test_recurrence (void)
{
  check_recurrence (&target_avx512, run_by_opencl);
  check_recurrence (&target_gpu, run_by_opencl);
  check_lowered (new_matrix_recurrence (GINT_TO_POINTER (40)), &target_gpu,
                 run_by_opencl);
}

int
main (int argc, char **argv)
{
  g_autofree char *reason = NULL;
  TpKernel *kernel = NULL;
  OpenclRunner *runner = NULL;

  g_test_init (&argc, &argv, NULL);
  kernel = tp_kernel_new ("nothing");
  runner = opencl_runner_new ((const TpKernel *const *) &kernel, 1, &reason);
  tp_kernel_free (kernel);
  if (runner == NULL)
    {
      g_print ("1..0 # SKIP %s\n", reason);
      return 0;
    }
  opencl_runner_free (runner);
  g_test_add_func ("/schedule-opencl/conv", test_conv);
  g_test_add_func ("/schedule-opencl/matmul", test_matmul);
  g_test_add_func ("/schedule-opencl/pool", test_pool);
  g_test_add_func ("/schedule-opencl/typed", test_typed);
  g_test_add_func ("/schedule-opencl/recurrence", test_recurrence);
  return g_test_run ();
}
