/* Schedules against the oracle, through OpenCL C on the first device: the CPU
 * style and the GPU style. Skips without a device. */
#include "config.h"

#include "draws.h"
#include "nests.h"
#include "opencl-runner.h"
#include "row-nests.h"
#include "recurrence-nests.h"
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
  check_recurrences (&target_avx512, run_by_opencl);
  check_recurrences (&target_gpu, run_by_opencl);
  check_lowered (new_matrix_recurrence (GINT_TO_POINTER (40)), &target_gpu,
                 run_by_opencl);
}

/* ---- families of GPUs -------------------------------------------------- */

/* Takes @lowered: by the choice @schedule, in both readers of kernels. */
static void
check_given_on (const TpTarget *target, TpLowered *lowered,
                const char *schedule)
{
  g_autoptr (TpLowered) owned = lowered;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpProgram) program
      = tp_program_new (lowered, target, schedule, &error);

  g_assert_no_error (error);
  check_program (lowered, program, run_by_interpreter);
  check_program (lowered, program, run_by_opencl);
}

static void
check_given (TpLowered *lowered, const char *schedule)
{
  check_given_on (&target_gpu, lowered, schedule);
}

/* Every order of the operands; blocks that divide the sides, and those that do
 * not where an odd number of them is turned. */
static void
test_gpu_tiles (void)
{
  static const char *const schedules[] = {
    "contract-tiles tile=8x8 items=8x8 depth=8 buffers=2 parts=1",
    "contract-tiles tile=4x8 items=4x8 depth=8 buffers=1 parts=1",
    "contract-tiles tile=8x4 items=2x8 depth=4 buffers=2 parts=2",
    "contract-tiles tile=1x4 items=16x4 depth=8 buffers=2 parts=1",
  };

  for (int i = 0; i < 8; i++)
    {
      gboolean is_odd = (i ^ i >> 1 ^ i >> 2) & 1;
      MatmulCase c = { .batch = 1 + i % 2, .m = is_odd ? 37 : 64,
                       .n = is_odd ? 45 : 64, .k = is_odd ? 61 : 64,
                       .trans_a = i & 1, .trans_b = (i & 2) != 0,
                       .trans_out = (i & 4) != 0, .is_w_constant = i % 3 == 0,
                       .has_bias = is_odd };

      check_given (new_matmul (&c), schedules[i % 4]);
    }
}

/* Padding, strides, prologues: K of several axes, whole steps of it and not. */
static void
test_gpu_convolution (void)
{
  static const ConvCase cases[] = {
    { 2, 16, 9, 9, 24, 3, 3, 1, 1, 1, 1, .has_epilogue = TRUE },
    { 1, 12, 9, 8, 20, 3, 3, 2, 1, 1, 2, .has_prologue = TRUE },
    { 1, 5, 11, 7, 9, 3, 2, 1, 1, 2, 1, .is_row_major = TRUE,
      .is_out_row_major = TRUE, .has_epilogue = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      check_given (new_conv (&cases[i]), "contract-tiles tile=4x4 items=4x4 "
                                         "depth=8 buffers=2 parts=1");
      check_given (new_conv (&cases[i]), "contract-tiles tile=2x8 items=8x2 "
                                         "depth=4 buffers=1 parts=1");
    }
}

/* Matrices that waves multiply: squares that lie in the sides and that do not, digits of
 * floats, and halves as they are. */
static void
test_gpu_waves (void)
{
  static const char *const schedules[] = {
    "contract-waves squares=1x1 waves=2x1 depth=8 buffers=1 parts=1",
    "contract-waves squares=2x1 waves=1x2 depth=16 buffers=2 parts=1",
    "contract-waves squares=1x4 waves=2x2 depth=8 buffers=2 parts=2",
    "contract-waves squares=2x2 waves=1x1 depth=16 buffers=1 parts=1",
  };
  const ConvCase conv = { 1, 16, 9, 9, 24, 3, 3, 1, 1, 1, 1, .has_epilogue = TRUE };

  for (int i = 0; i < 8; i++)
    {
      gboolean is_odd = i >= 4;
      MatmulCase c = { .batch = 1 + i % 2, .m = is_odd ? 37 : 64,
                       .n = is_odd ? 45 : 64, .k = is_odd ? 61 : 64,
                       .trans_a = i & 1, .trans_b = (i & 2) != 0,
                       .trans_out = is_odd, .is_w_constant = i % 3 == 0,
                       .has_bias = is_odd };
      TpLowered *lowered = new_matmul (&c);

      check_given_on (&target_mma, i % 3 == 1 ? draw_reals (lowered) : lowered,
                      schedules[i % 4]);
    }
  check_given_on (&target_mma, new_conv (&conv), schedules[1]);
}

static void
test_gpu_rows (void)
{
  static const RowCase cases[] = {
    { .kind = ROW_SUM, .rows = 7, .cols = 133 },
    { .kind = ROW_MAX, .rows = 33, .cols = 40, .is_turned = TRUE },
    { .kind = ROW_PROD, .rows = 3, .cols = 35, .batch = 2 },
    { .kind = ROW_SOFTMAX, .rows = 5, .cols = 300 },
    { .kind = ROW_SOFTMAX, .rows = 30, .cols = 17, .is_turned = TRUE },
    { .kind = ROW_NORM, .rows = 9, .cols = 64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      check_given (new_rows (&cases[i]), "reduce-items points=4 items=16");
      check_given (new_rows (&cases[i]), "reduce-items points=1 items=8");
      check_given (new_rows (&cases[i]),
                   "reduce-items points=2 items=32 unroll=16");
      check_given (new_rows (&cases[i]),
                   "reduce-items points=1 items=32 unroll=1");
    }
}

/* Joined in one level, in two and in three. */
static void
test_gpu_groups (void)
{
  static const RowCase softmax = { .kind = ROW_SOFTMAX, .rows = 3, .cols = 1100 };
  static const RowCase turned
      = { .kind = ROW_NORM, .rows = 3, .cols = 260, .is_turned = TRUE };
  TpTarget target = target_gpu;

  target.local_size = 1024;
  for (int items = 2; items <= 512; items *= 2)
    for (int unroll = 1; unroll <= 4; unroll += 3)
      {
        g_autofree char *schedule
            = g_strdup_printf ("reduce-items points=2 items=%d unroll=%d",
                               items, unroll);

        check_given_on (&target, new_rows (&softmax), schedule);
        check_given_on (&target, new_rows (&turned), schedule);
      }
}

static void
test_gpu_turn (void)
{
  static const RowCase cases[] = {
    { .kind = ROW_TRANSPOSE, .rows = 64, .cols = 32 },
    { .kind = ROW_TRANSPOSE, .rows = 37, .cols = 45, .batch = 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      check_given (new_rows (&cases[i]), "turn side=16 items=64");
      check_given (new_rows (&cases[i]), "turn side=8 items=16");
    }
}

/* Tiles that divide their axis and that do not, along either axis; loops that skip
 * padding, and unrolled ones. */
static void
test_gpu_windows (void)
{
  static const ConvCase cases[] = {
    { 1, 8, 9, 11, 8, 3, 3, 1, 1, 1, 8, .has_epilogue = TRUE },
    { 2, 6, 13, 9, 6, 3, 5, 2, 2, 1, 6, .is_row_major = TRUE,
      .is_out_row_major = TRUE },
    { 1, 12, 15, 10, 24, 3, 3, 1, 2, 2, 3, .has_prologue = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      check_given (new_conv (&cases[i]),
                   "window-items local=32 lanes=1 tile=4 flat=1");
      check_given (new_conv (&cases[i]),
                   "window-items local=64 lanes=1 tile=3 flat=2");
      if (!cases[i].is_row_major)
        check_given (new_conv (&cases[i]),
                     "window-items local=16 lanes=4 tile=6 flat=1");
    }
  check_given (new_pool (&cases[0], TRUE),
               "window-items local=32 lanes=4 tile=5 flat=2");
}

/* ---- any choices -------------------------------------------------------- */

static void
test_draws (void)
{
  check_draws (&target_gpu, 1, run_by_opencl);
  check_draws (&target_avx512, 1, run_by_opencl);
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
  g_test_add_func ("/schedule-opencl/gpu/tiles", test_gpu_tiles);
  g_test_add_func ("/schedule-opencl/gpu/convolution", test_gpu_convolution);
  g_test_add_func ("/schedule-opencl/gpu/waves", test_gpu_waves);
  g_test_add_func ("/schedule-opencl/gpu/rows", test_gpu_rows);
  g_test_add_func ("/schedule-opencl/gpu/groups", test_gpu_groups);
  g_test_add_func ("/schedule-opencl/gpu/turn", test_gpu_turn);
  g_test_add_func ("/schedule-opencl/gpu/windows", test_gpu_windows);
  g_test_add_func ("/schedule-opencl/draws", test_draws);
  return g_test_run ();
}
