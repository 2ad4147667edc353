/* test-bytes.c: dot products of bytes, in machine code with and without instructions for
 * them, by the interpreter and as OpenCL C: against sums in 64 bits, of the ends of what
 * bytes may be too, and where the sum wraps. */
#include "config.h"

#include "kernel/jit.h"
#include "kernel/kernel-verify.h"
#include "runners.h"

#include <string.h>

#define N_STEPS 9
#define N_BYTES 640

/* y[lane] = first + the sum over steps of the products of four x and four w, that are
 * four times @lanes apart, from an odd place on. */
static TpKernel *
make_dots (int lanes, gint32 first)
{
  TpKernel *kernel = tp_kernel_new ("dots");
  TpValue x, w, sum, at;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT8, N_BYTES,
                        FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT8, N_BYTES,
                        FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT32, lanes,
                        TRUE);
  sum = tp_k_i32 (kernel, lanes, first);
  at = tp_k_for (kernel, tp_k_index (kernel, 1),
                 tp_k_index (kernel, 1 + 4 * N_STEPS * lanes), 4 * lanes);
  sum = tp_k_carry (kernel, sum);
  x = tp_k_load4 (kernel, 0, at, lanes);
  w = tp_k_load4 (kernel, 1, at, lanes);
  sum = tp_k_dot4 (kernel, x, w, sum);
  tp_k_end_for (kernel, &sum, 1, &sum);
  tp_k_store (kernel, 2, tp_k_index (kernel, 0),
              tp_k_unary (kernel, TP_I_I32_TO_INDEX, sum), -1);
  return kernel;
}

static gint32
expect (const guint8 *x, const gint8 *w, int lanes, int lane, gint32 first)
{
  gint64 sum = first;

  for (int step = 0; step < N_STEPS; step++)
    for (int i = 0; i < 4; i++)
      {
        int at = 1 + 4 * (step * lanes + lane) + i;

        sum += (gint64) x[at] * w[at];
      }
  return (gint32) (guint32) sum;
}

/* A quarter of them at their ends. */
static void
fill (guint8 *x, gint8 *w)
{
  for (int i = 0; i < N_BYTES; i++)
    {
      x[i] = g_test_rand_int_range (0, 4) == 0 ? 255
                                               : g_test_rand_int_range (0, 256);
      w[i] = g_test_rand_int_range (0, 4) == 0
                 ? -128
                 : g_test_rand_int_range (-128, 128);
    }
}

static void
check (RunKernelFunc run, int lanes, gint32 first)
{
  g_autoptr (TpKernel) kernel = make_dots (lanes, first);
  g_autoptr (GError) error = NULL;
  guint8 x[N_BYTES];
  gint8 w[N_BYTES];
  gint32 y[16] = { 0 };
  void *buffers[] = { x, w, y };
  const char *reason;

  fill (x, w);
  g_assert_true (tp_kernel_verify (kernel, &error));
  g_assert_no_error (error);
  if (!run (kernel, buffers, &reason))
    {
      g_test_skip (reason);
      return;
    }
  for (int i = 0; i < lanes; i++)
    g_assert_cmpint (y[i], ==, expect (x, w, lanes, i, first));
}

static void
check_all (gconstpointer data)
{
  static const gint32 firsts[] = { 0, G_MAXINT32, G_MININT32, 12345 };
  static const int lanes[] = { 1, 4, 8, 16 };
  RunKernelFunc run = *(const RunKernelFunc *) data;

  for (gsize i = 0; i < G_N_ELEMENTS (lanes); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (firsts); k++)
      check (run, lanes[i], firsts[k]);
}

static gboolean
run_jit (const TpKernel *kernel, void *const *buffers, const char **out_reason)
{
  return run_kernel_jit (kernel, buffers, NULL, out_reason);
}

/* On a processor that has them. */
static gboolean
run_without (const TpKernel *kernel, void *const *buffers, const char *without,
             const char **out_reason)
{
  const char *identity = tp_jit_get_identity ();

  *out_reason = "the processor has no such instructions anyway";
  return identity != NULL && strstr (identity, "+avx2") != NULL
         && run_kernel_jit (kernel, buffers, without, out_reason);
}

static gboolean
run_jit_pairs (const TpKernel *kernel, void *const *buffers,
               const char **out_reason)
{
  return run_without (kernel, buffers, "avx512vnni,avxvnni", out_reason);
}

static gboolean
run_jit_plain (const TpKernel *kernel, void *const *buffers,
               const char **out_reason)
{
  return run_without (kernel, buffers, "avx512vnni,avxvnni,avx512bw,avx2",
                      out_reason);
}

/* Four bytes of what holds none, and one that lies behind the end. */
static void
test_refused (void)
{
  static const struct
  {
    TpDtype dtype;
    int at;
    const char *fault;
  } cases[] = {
    { TPLAN_DTYPE_INT16, 0, "buffer 0 holds int16, not int8 or uint8" },
    { TPLAN_DTYPE_BOOL, 0, "buffer 0 holds bool, not int8 or uint8" },
    { TPLAN_DTYPE_INT8, 1, "the index may be 16 in buffer 0 of 16 elements" },
    { TPLAN_DTYPE_UINT8, -1, "the index may be -1 in buffer 0" },
    { TPLAN_DTYPE_UINT8, 0, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpKernel) kernel = tp_kernel_new ("refused");
      g_autoptr (GError) error = NULL;
      gboolean is_right;

      tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, cases[i].dtype, 16, FALSE);
      tp_k_load4 (kernel, 0, tp_k_index (kernel, cases[i].at), 4);
      is_right = tp_kernel_verify (kernel, &error);
      g_assert_true (is_right == (cases[i].fault == NULL));
      g_assert_true (is_right
                     || strstr (error->message, cases[i].fault) != NULL);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    RunKernelFunc run;
  } runners[] = {
    { "/bytes/interpreter", run_kernel_interpreter },
    { "/bytes/jit", run_jit },
    { "/bytes/jit-pairs", run_jit_pairs },
    { "/bytes/jit-plain", run_jit_plain },
    { "/bytes/opencl", run_kernel_opencl },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (runners); i++)
    g_test_add_data_func (runners[i].path, &runners[i].run, check_all);
  g_test_add_func ("/bytes/refused", test_refused);
  return g_test_run ();
}
