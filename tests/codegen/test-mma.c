/* test-mma.c: matrices that a wave of work-items multiplies: by the interpreter and
 * the printed kernel (on a GPU that has it by the instruction) the same bits, by both what
 * a product in double is; and kernels that no wave can run are refused. */
#include "config.h"

#include "kernel/kernel-verify.h"
#include "runners.h"

#include <math.h>
#include <string.h>

#define SIDE TP_MMA_SIDE
#define N_WAVES 2
#define N_PRODUCTS 3          /* of 8 steps, one after the other */
#define N_STEPS (N_PRODUCTS * TP_MMA_DEPTH)
#define N_ITEMS (N_WAVES * TP_MMA_WAVE)

/* Rows of wave w begin at row 16 w; both waves have the same columns. */
typedef struct
{
  int pitches[2];
  int local_size;
  int more;                   /* elements that local memory has behind the last wanted */
  TpSpace space;
  gboolean is_divergent;
  int first;                  /* row of wave 0 */
} Form;

static const Form good
    = { { N_WAVES * SIDE + 8, SIDE + 8 }, N_ITEMS, 0, TP_SPACE_LOCAL, FALSE, 0 };

static int
count_elements (const Form *form, int side)
{
  return (N_STEPS - 1) * form->pitches[side] + (side == 0 ? N_WAVES : 1) * SIDE
         + form->more;
}

static TpValue
add (TpKernel *kernel, TpInstrOp op, TpValue a, gint64 b)
{
  return tp_k_binary (kernel, op, a, tp_k_index (kernel, b));
}

/* Items copy all elements of a side, one after the other, in turns. */
static void
copy_side (TpKernel *kernel, const Form *form, int from, int to, int side)
{
  TpValue at;

  tp_k_for (kernel, tp_k_item (kernel),
            tp_k_index (kernel, count_elements (form, side)), form->local_size);
  at = kernel->n_instrs - 1;
  tp_k_store (kernel, to, at, tp_k_load (kernel, from, at, 1, -1), -1);
  tp_k_end_for (kernel, NULL, 0, NULL);
}

static void
store_results (TpKernel *kernel, int out, TpValue sums)
{
  TpValue item = tp_k_item (kernel), at = add (kernel, TP_I_IMOD, item, TP_MMA_WAVE);
  TpValue row = add (kernel, TP_I_IMUL, add (kernel, TP_I_IDIV, item, TP_MMA_WAVE), SIDE);
  TpValue column
      = add (kernel, TP_I_IMUL, add (kernel, TP_I_IMOD, at, 4), TP_MMA_WIDTH);

  row = tp_k_binary (kernel, TP_I_IADD, row,
                     add (kernel, TP_I_IMUL, add (kernel, TP_I_IDIV, at, 4),
                          TP_MMA_ROWS));
  at = tp_k_binary (kernel, TP_I_IADD, add (kernel, TP_I_IMUL, row, SIDE), column);
  for (int lane = 0; lane < TP_MMA_LANES; lane++)
    tp_k_store (kernel, out,
                add (kernel, TP_I_IADD, at,
                     tp_mma_get_row (lane) * SIDE + tp_mma_get_column (lane)),
                tp_k_extract (kernel, sums, lane), -1);
}

static TpKernel *
make_kernel (const Form *form)
{
  TpKernel *kernel = tp_kernel_new ("mma");
  int in[2], near[2], out;
  TpMma mma = { { 0 }, { form->pitches[0], form->pitches[1] } };
  TpValue wave, sums, a, b;

  kernel->local_size = form->local_size;
  for (int i = 0; i < 2; i++)
    in[i] = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                                  count_elements (form, i), FALSE);
  out = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                              N_WAVES * SIDE * SIDE, TRUE);
  for (int i = 0; i < 2; i++)
    near[i] = mma.buffers[i]
        = tp_kernel_add_buffer (kernel, form->space, TPLAN_DTYPE_FLOAT32,
                                count_elements (form, i), TRUE);
  for (int i = 0; i < 2; i++)
    copy_side (kernel, form, in[i], near[i], i);
  tp_k_barrier (kernel);
  wave = add (kernel, TP_I_IDIV, tp_k_item (kernel), TP_MMA_WAVE);
  sums = tp_k_f32 (kernel, TP_MMA_LANES, 0);
  if (form->is_divergent)
    tp_k_if (kernel, add (kernel, TP_I_ILESS, tp_k_item (kernel), 7));
  for (int i = 0; i < N_PRODUCTS; i++)
    {
      a = add (kernel, TP_I_IADD, add (kernel, TP_I_IMUL, wave, SIDE),
               form->first + i * TP_MMA_DEPTH * form->pitches[0]);
      b = tp_k_index (kernel, i * TP_MMA_DEPTH * form->pitches[1]);
      sums = tp_k_mma (kernel, &mma, a, b, sums);
    }
  if (!form->is_divergent)
    store_results (kernel, out, sums);
  else
    tp_k_end_if (kernel);
  return kernel;
}

/* As TF32 has them, so that the instruction leaves nothing out, and of so few digits that
 * sums are exact in any order. */
static void
draw (float *values, int n)
{
  for (int i = 0; i < n; i++)
    values[i] = (float) g_test_rand_int_range (-255, 256) / 256;
}

static void
check_results (const Form *form, float *const *in, const float *out)
{
  for (int row = 0; row < N_WAVES * SIDE; row++)
    for (int column = 0; column < SIDE; column++)
      {
        double sum = 0, size = 0;

        for (int step = 0; step < N_STEPS; step++)
          {
            double product = (double) in[0][step * form->pitches[0] + row]
                             * in[1][step * form->pitches[1] + column];

            sum += product;
            size += fabs (product);
          }
        g_assert_cmpfloat_with_epsilon (out[row * SIDE + column], sum, 1e-6 * size);
      }
}

static void
test_product (gconstpointer data)
{
  RunKernelFunc run = data;
  g_autoptr (TpKernel) kernel = make_kernel (&good);
  g_autoptr (GError) error = NULL;
  const char *reason = NULL;
  float *in[2], out[2][N_WAVES * SIDE * SIDE];

  g_assert_true (tp_kernel_verify (kernel, &error));
  g_assert_no_error (error);
  for (int i = 0; i < 2; i++)
    {
      in[i] = g_new0 (float, count_elements (&good, i));
      draw (in[i], count_elements (&good, i));
    }
  for (int i = 0; i < 2 && reason == NULL; i++)
    {
      void *buffers[] = { in[0], in[1], out[i], NULL, NULL };
      RunKernelFunc by = i == 0 ? run_kernel_interpreter : run;

      if (!by (kernel, buffers, &reason))
        g_test_skip (reason);
    }
  if (reason == NULL)
    {
      check_results (&good, in, out[0]);
      g_assert_cmpmem (out[0], sizeof out[0], out[1], sizeof out[1]);
    }
  for (int i = 0; i < 2; i++)
    g_free (in[i]);
}

/* ---- none of these -------------------------------------------------------- */

static void
test_refused (void)
{
  Form forms[] = { good, good, good, good, good, good };
  static const char *const faults[]
      = { "in buffer", "no waves of 32", "no local memory",
          "not all work-items", "is odd", "may be odd" };

  forms[0].more = -1;
  forms[1].local_size = N_ITEMS - 1;
  forms[2].space = TP_SPACE_GLOBAL;
  forms[3].is_divergent = TRUE;
  forms[4].pitches[1]++;
  forms[5].first = forms[5].more = 1;
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (TpKernel) kernel = make_kernel (&forms[i]);
      g_autoptr (GError) error = NULL;

      g_assert_false (tp_kernel_verify (kernel, &error));
      g_assert_nonnull (strstr (error->message, faults[i]));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/mma/interpreter", run_kernel_interpreter, test_product);
  g_test_add_data_func ("/mma/opencl", run_kernel_opencl, test_product);
  g_test_add_func ("/mma/refused", test_refused);
  return g_test_run ();
}
