/* test-math.c: the functions of kernel-math.h against libm in double, by the
 * interpreter, the machine code and OpenCL. */
#include "config.h"

#include "kernel/jit.h"
#include "kernel/kernel-interpret.h"
#include "kernel/kernel-math.h"
#include "kernel/kernel-trig.h"
#include "kernel/kernel-verify.h"
#include "opencl-runner.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define N 4096

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

typedef struct
{
  const char *name;
  TpValue (*build) (TpKernel *, TpValue);
  double (*exact) (double);
  double low, high; /* of dense samples */
  double max_ulps;
} Function;

static const Function functions[] = {
  { "exp", tp_k_exp, exp, -104, 89, 1.2 },
  { "log", tp_k_log, log, 1e-3, 10, 1.2 },
  { "tanh", tp_k_tanh, tanh, -11, 11, 1.6 },
  { "erf", tp_k_erf, erf, -5, 5, 1.2 },
  { "sin", tp_k_sin, sin, -8, 8, 2.0 },
  { "cos", tp_k_cos, cos, -99999, 100001, 2.0 },
  { "sigmoid", tp_k_sigmoid, sigmoid, -104, 30, 2.6 },
};

static const Function below = { "exp_below", tp_k_exp_below, exp, -90, 0, 0 };

/* Distance in units in the last place of the exact value. */
static double
count_ulps (float value, double exact)
{
  float rounded = (float)exact;
  int exponent;

  if (isnan (exact) || isnan (value))
    return isnan (exact) && isnan (value) ? 0 : INFINITY;
  if (isinf (rounded) || isinf (value))
    return rounded == value ? 0 : INFINITY;
  frexp (exact, &exponent);
  return fabs (value - exact) / ldexp (1, MAX (exponent - 24, -149));
}

/* Dense samples of [low, high], then floats of any bits, then special ones. */
static void
fill (float *x, double low, double high)
{
  static const float specials[] = {
    0,        -0.0f,    1,       -1,       INFINITY, -INFINITY, NAN,
    FLT_MIN,  -FLT_MIN, 1e-45f,  -1e-45f,  FLT_MAX,  -FLT_MAX,  0.625f,
    88.7228f, 88.723f,  -87.34f, -103.97f, -104,     1e-39f,    0.5f,
    2,        -2,       3,       -3,       2.5f,     -0.5f,     1e-20f
  };
  guint32 bits;

  for (int i = 0; i < N; i++)
    if (i < N / 2)
      x[i] = (float)(low + (high - low) * i / (N / 2 - 1));
    else if (i < N - (int)G_N_ELEMENTS (specials))
      {
        bits = (guint32)g_test_rand_int ();
        memcpy (&x[i], &bits, sizeof bits);
      }
    else
      x[i] = specials[N - 1 - i];
}

/* y = f (x), or f (x, y) for pow (function NULL), by @lanes. */
static TpKernel *
make_kernel (const Function *function, int lanes)
{
  const char *name = function != NULL ? function->name : "pow";
  g_autofree char *full = g_strdup_printf ("test_%s%d", name, lanes);
  TpKernel *kernel = tp_kernel_new (full);
  int x = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32, N,
                                FALSE);
  int y =
      tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                            N, TRUE);
  TpValue at, value;

  kernel->n_groups = N / lanes;
  at = tp_k_binary (kernel, TP_I_IMUL, tp_k_group (kernel),
                    tp_k_index (kernel, lanes));
  value = tp_k_load (kernel, x, at, lanes, -1);
  value = function != NULL
              ? function->build (kernel, value)
              : tp_k_pow (kernel, value, tp_k_load (kernel, y, at, lanes, -1));
  tp_k_store (kernel, y, at, value, -1);
  return kernel;
}

static void
check (const char *what, const float *x, const float *y, const double *exact,
       double max_ulps)
{
  double worst = 0, ulps;

  for (int i = 0; i < N; i++)
    {
      ulps = count_ulps (y[i], exact[i]);
      if (!(ulps <= max_ulps))
        g_error ("%s of %a: %a, not %a: %g ulps", what, x[i], y[i], exact[i],
                 ulps);
      worst = MAX (worst, ulps);
    }
  g_test_message ("%s: %.2f ulps", what, worst);
}

static void
check_interpreter (const TpKernel *kernel, float *x, const float *start,
                   const double *exact, double max_ulps)
{
  g_autoptr (GError) error = NULL;
  g_autofree float *y = g_memdup2 (start, N * sizeof (float));
  void *buffers[] = { x, y };

  g_assert_true (tp_kernel_verify (kernel, &error));
  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, &error));
  g_assert_no_error (error);
  check (kernel->name, x, y, exact, max_ulps);
}

static void
check_jit (const TpKernel *kernel, float *x, const float *start,
           const double *exact, double max_ulps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpJit) jit = tp_jit_new (&kernel, 1, &error);
  g_autofree float *y = g_memdup2 (start, N * sizeof (float));
  void *buffers[] = { x, y };

  if (jit == NULL)
    {
      g_assert_null (tp_jit_get_identity ());
      g_test_message ("%s", error->message);
      return;
    }
  for (gint64 group = 0; group < kernel->n_groups; group++)
    tp_jit_get (jit, 0) (buffers, group, NULL, 0);
  check (kernel->name, x, y, exact, max_ulps);
}

static void
check_opencl (const TpKernel *kernel, float *x, const float *start,
              const double *exact, double max_ulps)
{
  g_autofree char *reason = NULL;
  g_autofree float *y = g_memdup2 (start, N * sizeof (float));
  void *buffers[] = { x, y };
  OpenclRunner *runner = opencl_runner_new (&kernel, 1, &reason);

  if (runner == NULL)
    {
      g_test_message ("%s", reason);
      return;
    }
  opencl_runner_run (runner, 0, 0, buffers);
  opencl_runner_free (runner);
  check (kernel->name, x, y, exact, max_ulps);
}

static void
check_everywhere (const Function *function, float *x, const float *start,
                  const double *exact, double max_ulps)
{
  static const int widths[] = { 1, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (TpKernel) kernel = make_kernel (function, widths[i]);

      check_interpreter (kernel, x, start, exact, max_ulps);
      check_jit (kernel, x, start, exact, max_ulps);
      if (widths[i] == 16)
        check_opencl (kernel, x, start, exact, max_ulps);
    }
}

static void
test_function (gconstpointer data)
{
  const Function *function = data;
  g_autofree float *x = g_new (float, N), *y = g_new0 (float, N);
  g_autofree double *exact = g_new (double, N);

  fill (x, function->low, function->high);
  for (int i = 0; i < N; i++)
    exact[i] = function->exact (x[i]);
  check_everywhere (function, x, y, exact, function->max_ulps);
}

/* Up to 1.8e-7 and, as the argument is rounded with its factor, 1.4e-8 of that;
 * denormals are 0 or less wrong than the least normal number. */
static void
check_below (const char *what, const float *x, const float *y)
{
  for (int i = 0; i < N; i++)
    {
      double exact = exp (x[i]);
      double most = exact * (1.8e-7 + 1.4e-8 * -x[i]);

      if (x[i] < -87.3f)
        most = FLT_MIN;
      if (isnan (x[i]) ? !isnan (y[i]) : isinf (x[i]) ? y[i] != 0
                                       : !(fabs (y[i] - exact) <= most))
        g_error ("%s of %a: %a, not %a", what, x[i], y[i], exact);
      if (x[i] == 0)
        g_assert_cmpfloat (y[i], ==, 1);
      if (x[i] <= -88)
        g_assert_cmpfloat (y[i], ==, 0);
    }
}

static void
test_below (gconstpointer data)
{
  g_autoptr (TpKernel) kernel = make_kernel (data, 16);
  const TpKernel *kernels[] = { kernel };
  g_autofree float *x = g_new (float, N), *y = g_new0 (float, N);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpJit) jit = tp_jit_new (kernels, 1, &error);
  void *buffers[] = { x, y };

  fill (x, -90, 0);
  for (int i = 0; i < N; i++)
    x[i] = isnan (x[i]) ? x[i] : -fabsf (x[i]);
  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, NULL));
  check_below ("interpreter", x, y);
  for (gint64 group = 0; jit != NULL && group < kernel->n_groups; group++)
    tp_jit_get (jit, 0) (buffers, group, NULL, 0);
  check_below ("machine code", x, y);
}

/* Bases near 1 with large exponents, any bits, and all pairs of specials. */
static void
test_pow (void)
{
  static const float specials[] = {
    0,  -0.0f, 1,     -1,      INFINITY, -INFINITY, NAN,   FLT_MIN,
    2,  -2,    3,     -3,      0.5f,     -0.5f,     2.5f,  -2.5f,
    10, 1e9f,  -1e9f, FLT_MAX, 16777216, -16777215, 1e-42f
  };
  g_autofree float *x = g_new (float, N), *y = g_new (float, N);
  g_autofree double *exact = g_new (double, N);
  int n = G_N_ELEMENTS (specials);

  fill (x, 0.2, 3);
  for (int i = 0; i < N; i++)
    y[i] = (float)g_test_rand_double_range (-60, 60);
  for (int i = 0; i < n * n; i++)
    {
      x[N / 2 + i] = specials[i / n];
      y[N / 2 + i] = specials[i % n];
    }
  for (int i = 0; i < N; i++)
    exact[i] = pow (x[i], y[i]);
  check_everywhere (NULL, x, y, exact, 7);
}

/* Attention masks add -10000: exp of that must be 0 without an underflow, which
 * costs a processor more than a hundred cycles. */
static void
test_masked (gconstpointer data)
{
  const Function *function = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpKernel) kernel = make_kernel (function, 16);
  const TpKernel *kernels[] = { kernel };
  g_autoptr (TpJit) jit = tp_jit_new (kernels, 1, &error);
  g_autofree float *x = g_new (float, N), *y = g_new0 (float, N);
  void *buffers[] = { x, y };

  for (int i = 0; i < N; i++)
    x[i] = i % 2 == 0 ? -104.5f - i : -0.001f * i;
  if (jit == NULL)
    {
      g_test_skip (error->message);
      return;
    }
  feclearexcept (FE_ALL_EXCEPT);
  for (gint64 group = 0; group < kernel->n_groups; group++)
    tp_jit_get (jit, 0) (buffers, group, NULL, 0);
  g_assert_false (fetestexcept (FE_UNDERFLOW));
  for (int i = 0; i < N; i += 2)
    g_assert_cmpfloat (y[i], ==, 0);
}

/* No tanh is beyond 1, and those of x and -x differ in the sign alone. */
static void
test_odd (void)
{
  const Function *tanhs = &functions[2];
  g_autoptr (TpKernel) kernel = make_kernel (tanhs, 16);
  g_autofree float *x = g_new (float, N), *y = g_new0 (float, N);
  void *buffers[] = { x, y };

  fill (x, 0, 10);
  for (int i = 1; i < N; i += 2)
    x[i] = -x[i - 1];
  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, NULL));
  for (int i = 0; i < N; i += 2)
    if (!isnan (x[i]))
      {
        g_assert_true (fabsf (y[i]) <= 1);
        g_assert_true (y[i + 1] == -y[i]);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *path = g_strdup_printf ("/math/%s", functions[i].name);

      g_test_add_data_func (path, &functions[i], test_function);
    }
  g_test_add_func ("/math/pow", test_pow);
  g_test_add_data_func ("/math/exp/masked", &functions[0], test_masked);
  g_test_add_data_func ("/math/sigmoid/masked", &functions[6], test_masked);
  g_test_add_func ("/math/tanh/odd", test_odd);
  g_test_add_data_func ("/math/exp-below", &below, test_below);
  g_test_add_data_func ("/math/exp-below/masked", &below, test_masked);
  return g_test_run ();
}
