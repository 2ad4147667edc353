/* test-narrow.c: reals of 16 bits as kernels load and store them, in machine code
 * with and without instructions for float16, by the interpreter and as OpenCL C:
 * all they may be, and float32 values around all places where rounding turns. */
#include "config.h"

#include "ir/narrow-real.h"
#include "kernel/jit.h"
#include "runners.h"
#include "schedule/program.h"

#include <math.h>
#include <string.h>

#define N_PATTERNS 65536
#define N_AROUND 5            /* float32 values tried around each */

static const struct
{
  TpDtype dtype;
  int digits;
} formats[] = { { TPLAN_DTYPE_FLOAT16, TP_FLOAT16_DIGITS },
                { TPLAN_DTYPE_BFLOAT16, TP_BFLOAT16_DIGITS } };

/* y[i] = x[i], @lanes at a time; of the last ones all but one by a mask. */
static TpKernel *
make_copy (TpDtype from, TpDtype to, gint64 n, int lanes)
{
  TpKernel *kernel = tp_kernel_new ("copy");
  TpValue at, mask = -1, value;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, from, n, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, to, n, TRUE);
  kernel->n_groups = n / lanes;
  at = tp_k_binary (kernel, TP_I_IMUL, tp_k_group (kernel),
                    tp_k_index (kernel, lanes));
  value = tp_k_load (kernel, 0, at, lanes, mask);
  tp_k_store (kernel, 1, at, value, mask);
  if (lanes > 1)
    {
      mask = tp_k_binary (kernel, TP_I_ILESS, tp_k_iota (kernel, lanes),
                          tp_k_i32 (kernel, lanes, lanes - 1));
      value = tp_k_load (kernel, 0, at, lanes, mask);
      tp_k_store (kernel, 1, at, value, mask);
    }
  return kernel;
}

/* ---- by whom ------------------------------------------------------------- */

static gboolean
run_jit (const TpKernel *kernel, void *const *buffers, const char **out_reason)
{
  return run_kernel_jit (kernel, buffers, NULL, out_reason);
}

static gboolean
run_jit_plain (const TpKernel *kernel, void *const *buffers,
               const char **out_reason)
{
  const char *identity = tp_jit_get_identity ();

  *out_reason = "the processor has no instructions for float16";
  return identity != NULL && strstr (identity, "+f16c") != NULL
         && run_kernel_jit (kernel, buffers, "f16c", out_reason);
}

/* ---- what is tried -------------------------------------------------------- */

/* All that two bytes may be. */
static void
check_widen (RunKernelFunc run, TpDtype dtype, int digits, int lanes)
{
  g_autoptr (TpKernel) kernel
      = make_copy (dtype, TPLAN_DTYPE_FLOAT32, N_PATTERNS, lanes);
  g_autofree guint16 *x = g_new (guint16, N_PATTERNS);
  g_autofree float *y = g_new0 (float, N_PATTERNS);
  void *buffers[] = { x, y };
  const char *reason;

  for (int i = 0; i < N_PATTERNS; i++)
    x[i] = (guint16) i;
  if (!run (kernel, buffers, &reason))
    {
      g_test_skip (reason);
      return;
    }
  for (int i = 0; i < N_PATTERNS; i++)
    {
      float want = (float) tp_narrow_real_widen (x[i], digits);

      if (isnan (want))
        g_assert_true (isnan (y[i]));
      else
        g_assert_cmpmem (&y[i], sizeof (float), &want, sizeof (float));
    }
}

/* The middle of each value and the next, and what is next to it. */
static void
fill_around (float *x, int digits)
{
  for (int i = 0; i < N_PATTERNS; i++)
    {
      double a = tp_narrow_real_widen ((guint16) i, digits);
      double b = tp_narrow_real_widen ((guint16) (i + 1), digits);
      float middle = (float) ((isinf (b) ? a * (1 + ldexp (1, -digits)) : b) / 2
                              + a / 2);

      x[i * N_AROUND] = (float) a;
      x[i * N_AROUND + 1] = middle;
      x[i * N_AROUND + 2] = nextafterf (middle, 0.0f);
      x[i * N_AROUND + 3] = nextafterf (middle, middle < 0 ? -INFINITY : INFINITY);
      x[i * N_AROUND + 4] = ldexpf (1.0f + (float) i / N_PATTERNS,
                                    g_test_rand_int_range (-150, 128));
    }
}

static void
check_narrow (RunKernelFunc run, TpDtype dtype, int digits, int lanes)
{
  enum { N = N_PATTERNS * N_AROUND };
  g_autoptr (TpKernel) kernel
      = make_copy (TPLAN_DTYPE_FLOAT32, dtype, N, lanes);
  g_autofree float *x = g_new (float, N);
  g_autofree guint16 *y = g_new0 (guint16, N);
  void *buffers[] = { x, y };
  const char *reason;

  fill_around (x, digits);
  if (!run (kernel, buffers, &reason))
    {
      g_test_skip (reason);
      return;
    }
  for (int i = 0; i < N; i++)
    if (isnan (x[i]))
      g_assert_true (isnan (tp_narrow_real_widen (y[i], digits)));
    else
      g_assert_cmphex (y[i], ==, tp_narrow_real_round (x[i], digits));
}

/* ---- doubles --------------------------------------------------------------- */

/* The middle of what two bytes are and what is next to it, and doubles so near to that
 * that float32 does not tell them apart; @out_next is what comes after the value. */
static void
fill_doubles (double *x, int i, int digits, double *out_next)
{
  double a = tp_narrow_real_widen ((guint16) i, digits);
  double b = tp_narrow_real_widen ((guint16) (i + 1), digits);
  /* behind the greatest, all of whose digits are 1 */
  double next = isinf (b) ? copysign (ldexp (1, ilogb (a) + 1), a) : b;
  double middle = a / 2 + next / 2;

  *out_next = next;
  x[0] = middle;
  x[1] = nextafter (middle, 0);
  x[2] = nextafter (middle, middle < 0 ? -INFINITY : INFINITY);
  x[3] = middle * (1 - 0x1p-40);
  x[4] = middle * (1 + 0x1p-40);
}

static TpProgram *
make_cast (TpDtype dtype, gint64 n, int lanes)
{
  const TpTarget target = { lanes, 32, 32 << 10, 512 << 10, 1, 1, 256 << 10, TRUE, FALSE };
  g_autoptr (TpLowered) lowered = tp_lowered_new ();
  const TpOperand x = { .tensor = -1, .dtype = TPLAN_DTYPE_FLOAT64, .n_elements = n };
  const TpOperand y = { .tensor = -1, .dtype = dtype, .n_elements = n };
  g_autoptr (TpNest) nest = tp_nest_new ();
  g_autoptr (GError) error = NULL;
  TpAccess *load = tp_nest_add_load (nest, tp_lowered_add_operand (lowered, &x));
  TpProgram *program;

  tp_nest_add_axis (nest, n, FALSE);
  load->dtype = TPLAN_DTYPE_FLOAT64;
  load->stride[0] = nest->store.stride[0] = 1;
  nest->store.operand = tp_lowered_add_operand (lowered, &y);
  nest->store.dtype = dtype;
  nest->result = tp_nest_convert (nest, tp_nest_load (nest, 0), dtype);
  tp_lowered_take_nest (lowered, g_steal_pointer (&nest));
  program = tp_program_new (lowered, &target, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (program->n_steps, ==, 1);
  return program;
}

/* A double is rounded once: to the nearer of two, or the even one. */
static void
check_once (RunKernelFunc run, TpDtype dtype, int digits, int lanes)
{
  enum { N = N_PATTERNS * N_AROUND };
  g_autoptr (TpProgram) program = make_cast (dtype, N, lanes);
  g_autofree double *x = g_new (double, N), *next = g_new (double, N_PATTERNS);
  g_autofree guint16 *y = g_new0 (guint16, N);
  void *operands[] = { x, y }, *buffers[2];
  const char *reason;

  for (int i = 0; i < 2; i++)
    buffers[i] = operands[program->steps[0].args[i].index];
  for (int i = 0; i < N_PATTERNS; i++)
    fill_doubles (x + (gsize) i * N_AROUND, i, digits, &next[i]);
  if (!run (program->steps[0].kernel, buffers, &reason))
    {
      g_test_skip (reason);
      return;
    }
  for (int i = 0; i < N; i++)
    {
      int code = i / N_AROUND;
      double a = tp_narrow_real_widen ((guint16) code, digits);
      double low = fabs (x[i] - a), high = fabs (next[code] - x[i]);

      if (!isfinite (a))
        continue;
      code += low > high || (low == high && code % 2 != 0);
      g_assert_cmphex (y[i], ==, code);
    }
}

static void
check_all (RunKernelFunc run)
{
  static const int lanes[] = { 1, 4, 8, 16 };

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (lanes); k++)
      {
        check_widen (run, formats[i].dtype, formats[i].digits, lanes[k]);
        check_narrow (run, formats[i].dtype, formats[i].digits, lanes[k]);
        check_once (run, formats[i].dtype, formats[i].digits, lanes[k]);
      }
}

static void
test_interpreter (void)
{
  check_all (run_kernel_interpreter);
}

static void
test_jit (void)
{
  check_all (run_jit);
}

static void
test_jit_plain (void)
{
  check_all (run_jit_plain);
}

static void
test_opencl (void)
{
  check_all (run_kernel_opencl);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/narrow/interpreter", test_interpreter);
  g_test_add_func ("/narrow/jit", test_jit);
  g_test_add_func ("/narrow/jit-plain", test_jit_plain);
  g_test_add_func ("/narrow/opencl", test_opencl);
  return g_test_run ();
}
