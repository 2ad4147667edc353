/* Schedules against the oracle, through the JIT: shapes as networks have them,
 * with the vector width of this CPU and with narrower ones. Skips without
 * LLVM. */
#include "config.h"

#include "draws.h"
#include "kernel/jit.h"
#include "nest/nest-eval.h"
#include "recurrence-nests.h"
#include "typed-nests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gboolean
run_step (const TpStep *step, void *const *buffers, gint64 iteration,
          gpointer data, GError **error)
{
  const TpKernel *kernel = step->kernel;
  g_autoptr (TpJit) jit = tp_jit_new (&kernel, 1, error);
  void *local = NULL;

  if (jit == NULL)
    return FALSE;
  g_assert_cmpint (posix_memalign (&local, 64,
                                   MAX (64, tp_jit_local_bytes (kernel))),
                   ==, 0);
  memset (local, 0xff, tp_jit_local_bytes (kernel));  /* NaN */
  for (gint64 group = kernel->n_groups - 1; group >= 0; group--)
    tp_jit_get (jit, 0) (buffers, group, local, iteration);
  free (local);
  return TRUE;
}

static gboolean
run_by_jit (const TpProgram *program, void *const *operands, GError **error)
{
  return run_program (program, operands, run_step, NULL, error);
}

/* This CPU, and older ones of its kind. */
static void
check_widths (TpLowered *(*make) (const void *), const void *data)
{
  TpTarget targets[3] = { { 0 } };
  int n = 1;

  tp_jit_describe_cpu (&targets[0]);
  targets[0].n_units = 1;
  for (; n < 3 && targets[n - 1].lanes > 4; n++)
    {
      targets[n] = targets[n - 1];
      targets[n].n_units = n + 1;
      targets[n].lanes /= 2;
      targets[n].n_registers = 16;
    }
  check_targets (make (data), targets, n, run_by_jit);
}

static TpLowered *
make_conv (const void *data)
{
  return new_conv (data);
}

static TpLowered *
make_matmul (const void *data)
{
  return new_matmul (data);
}

static TpLowered *
make_max_pool (const void *data)
{
  return new_pool (data, TRUE);
}

static TpLowered *
make_mean_pool (const void *data)
{
  return new_pool (data, FALSE);
}

static void
test_conv (void)
{
  static const ConvCase cases[] = {
    { 1, 32, 28, 28, 64, 3, 3, 1, 1, 1, 1, .has_epilogue = TRUE },
    { 2, 64, 14, 14, 40, 3, 3, 2, 1, 1, 1, .has_prologue = TRUE },
    { 1, 3, 56, 56, 64, 7, 7, 2, 3, 1, 1, .is_row_major = TRUE },
    { 1, 96, 28, 28, 24, 1, 1, 1, 0, 1, 1, .has_prologue = TRUE },
    { 1, 64, 7, 7, 200, 1, 1, 1, 0, 1, 1, .has_epilogue = TRUE },
    { 1, 512, 7, 7, 36, 3, 3, 1, 1, 1, 1, .has_epilogue = TRUE },
    { 2, 256, 14, 14, 48, 1, 1, 2, 0, 1, 1, .has_epilogue = TRUE },
    { 1, 64, 20, 20, 64, 3, 3, 1, 1, 1, 4, .has_epilogue = TRUE },
    { 1, 16, 30, 30, 16, 3, 3, 1, 2, 2, 1, .has_epilogue = TRUE },
    { 1, 96, 28, 28, 96, 3, 3, 1, 1, 1, 96, .has_epilogue = TRUE },
    { 1, 72, 29, 29, 72, 3, 3, 2, 1, 1, 72, .has_epilogue = TRUE },
    { 1, 16, 28, 28, 32, 3, 3, 1, 1, 1, 1, .is_row_major = TRUE,
      .is_out_row_major = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_widths (make_conv, &cases[i]);
}

static void
test_matmul (void)
{
  static const MatmulCase cases[] = {
    { 1, 196, 100, 96, .is_w_constant = TRUE, .has_bias = TRUE },
    { 1, 45, 100, 24, .is_w_constant = TRUE, .has_tanh = TRUE },
    { 1, 64, 130, 1024, .is_w_constant = TRUE },
    { 1, 1, 1000, 512, .is_w_constant = TRUE, .has_bias = TRUE },
    { 1, 1, 300, 256, .trans_b = TRUE },
    { 12, 50, 64, 40, .trans_b = TRUE },
    { 12, 50, 40, 64, .trans_a = TRUE },
    { 1, 100, 50, 60, .trans_out = TRUE },
    { 1, 301, 17, 33, .trans_a = FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_widths (make_matmul, &cases[i]);
}

static void
test_pool (void)
{
  static const ConvCase cases[] = {
    { 1, 64, 56, 56, 64, 3, 3, 2, 1, 1, 1, .has_epilogue = FALSE },
    { 2, 100, 14, 14, 100, 2, 2, 2, 0, 1, 1, .has_epilogue = FALSE },
    { 1, 200, 7, 7, 200, 7, 7, 1, 0, 1, 1, .has_epilogue = FALSE },
    { 1, 20, 17, 19, 20, 3, 3, 1, 1, 1, 1, .is_row_major = TRUE,
      .is_out_row_major = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      check_widths (make_max_pool, &cases[i]);
      check_widths (make_mean_pool, &cases[i]);
    }
}

static void
test_random_conv (void)
{
  for (int i = 0; i < 20; i++)
    {
      ConvCase c = { g_test_rand_int_range (1, 3),
                     g_test_rand_int_range (1, 40),
                     g_test_rand_int_range (5, 30),
                     g_test_rand_int_range (5, 30),
                     g_test_rand_int_range (1, 120),
                     g_test_rand_int_range (1, 4),
                     g_test_rand_int_range (1, 4),
                     g_test_rand_int_range (1, 3),
                     g_test_rand_int_range (0, 2),
                     1, 1, g_test_rand_int_range (0, 4) == 0, FALSE,
                     g_test_rand_bit (), g_test_rand_bit () };

      check_widths (make_conv, &c);
    }
}

/* What Winograd's filtering loses, of the sum of the magnitudes of what is added
 * up: the error of a result by the oracle. */
static double
find_worst_error (const TpLowered *lowered, const TpProgram *program)
{
  double *exact[8], *sizes[8], worst = 0.0;
  void *memory[8];
  int n = lowered->n_operands, out = lowered->nests[0]->store.operand;

  for (int i = 0; i < n; i++)
    {
      gint64 size = lowered->operands[i].n_elements;

      exact[i] = g_new (double, size);
      sizes[i] = g_new (double, size);
      memory[i] = g_new (float, size);
      for (gint64 j = 0; j < size; j++)
        {
          float x = (float) g_test_rand_double_range (-1.0, 1.0);

          ((float *) memory[i])[j] = x;
          exact[i][j] = x;
          sizes[i][j] = fabs (x);
        }
    }
  tp_lowered_eval (lowered, exact);
  tp_lowered_eval (lowered, sizes);
  g_assert_true (run_by_jit (program, memory, NULL));
  for (gint64 j = 0; j < lowered->operands[out].n_elements; j++)
    worst = MAX (worst, fabs (((float *) memory[out])[j] - exact[out][j])
                            / sizes[out][j]);
  for (int i = 0; i < n; i++)
    {
      g_free (exact[i]);
      g_free (sizes[i]);
      g_free (memory[i]);
    }
  return worst;
}

static void
check_accuracy (int output, double most)
{
  static const gint64 channels[] = { 3, 32, 256 };

  for (guint i = 0; i < G_N_ELEMENTS (channels); i++)
    {
      ConvCase c = { 1, channels[i], 12, 12, 16, 3, 3, 1, 1, 1, 1,
                     .has_epilogue = FALSE };
      g_autofree char *schedule = g_strdup_printf (
          "winograd output=%d block=3x%d lanes=4 vectors=1 tiles=3 panels=2",
          output, 12 / output);
      g_autoptr (TpLowered) lowered = new_conv (&c);
      g_autoptr (TpProgram) program = NULL;
      TpTarget target;
      double error;

      memset (&target, 0, sizeof target);
      tp_jit_describe_cpu (&target);
      target.n_units = 1;
      program = tp_program_new (lowered, &target, schedule, NULL);
      g_assert_nonnull (program);
      error = find_worst_error (lowered, program);
      g_test_message ("output=%d, %d channels: %.2g", output,
                      (int) channels[i], error);
      g_assert_cmpfloat (error, <, most);
    }
}

static void
test_accuracy (void)
{
  check_accuracy (2, 1e-6);
  check_accuracy (4, 1e-5);
}

static TpLowered *
make_scratch (const void *data)
{
  return new_scratch_program ();
}

static void
test_typed (void)
{
  check_widths (make_scratch, NULL);
  for (int i = 0; i < 60; i++)
    check_widths (new_random_typed,
                  GUINT_TO_POINTER (g_test_rand_int_range (0, G_MAXINT32)));
}

static void
test_recurrence (void)
{
  TpTarget target;

  memset (&target, 0, sizeof target);
  tp_jit_describe_cpu (&target);
  target.n_units = 2;
  check_recurrences (&target, run_by_jit);
  check_widths (new_matrix_recurrence, GINT_TO_POINTER (130));
}

/* As this CPU has vectors, and half as wide. */
static void
test_draws (void)
{
  TpTarget target;

  memset (&target, 0, sizeof target);
  tp_jit_describe_cpu (&target);
  target.n_units = 2;
  check_draws (&target, 6, run_by_jit);
  if (target.lanes == 4)
    return;
  target.lanes /= 2;
  target.n_registers = 16;
  check_draws (&target, 3, run_by_jit);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (tp_jit_get_identity () == NULL)
    {
      g_print ("1..0 # SKIP built without LLVM\n");
      return 0;
    }
  g_test_add_func ("/schedule-jit/conv", test_conv);
  g_test_add_func ("/schedule-jit/matmul", test_matmul);
  g_test_add_func ("/schedule-jit/pool", test_pool);
  g_test_add_func ("/schedule-jit/random-conv", test_random_conv);
  g_test_add_func ("/schedule-jit/accuracy", test_accuracy);
  g_test_add_func ("/schedule-jit/typed", test_typed);
  g_test_add_func ("/schedule-jit/recurrence", test_recurrence);
  g_test_add_func ("/schedule-jit/draws", test_draws);
  return g_test_run ();
}
