/* test-kernel.c: builder, text, structure checks and interpreter. */
#include "config.h"

#include "kernel/kernel-interleave.h"
#include "kernel/kernel-interpret.h"
#include "kernel/kernel-math.h"
#include "kernel/kernel-range.h"
#include "kernel/kernel-text.h"
#include "kernel/kernel-verify.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

/* y[i] = sum over k of a[i + k] for k < 3, by 4 lanes with a tail. */
static TpKernel *
make_window (gint64 n)
{
  TpKernel *kernel = tp_kernel_new ("window");
  int a = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                                n + 2, FALSE);
  int y =
      tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                            n, TRUE);
  TpValue base, zero, left, mask, k, sum, k_for;

  kernel->n_groups = (n + 3) / 4;
  base = tp_k_binary (kernel, TP_I_IMUL, tp_k_group (kernel),
                      tp_k_index (kernel, 4));
  left = tp_k_binary (kernel, TP_I_ISUB, tp_k_index (kernel, n), base);
  left = tp_k_unary (kernel, TP_I_INDEX_TO_I32, left);
  mask = tp_k_binary (kernel, TP_I_ILESS, tp_k_iota (kernel, 4),
                      tp_k_splat (kernel, left, 4));
  zero = tp_k_f32 (kernel, 4, 0);
  k_for = tp_k_for (kernel, tp_k_index (kernel, 0), tp_k_index (kernel, 3), 1);
  sum = tp_k_carry (kernel, zero);
  k = tp_k_load (kernel, a, tp_k_binary (kernel, TP_I_IADD, base, k_for), 4,
                 mask);
  k = tp_k_binary (kernel, TP_I_FADD, sum, k);
  tp_k_end_for (kernel, &k, 1, &sum);
  tp_k_store (kernel, y, base, sum, mask);
  return kernel;
}

static void
test_window (void)
{
  g_autoptr (TpKernel) kernel = make_window (10);
  g_autoptr (GError) error = NULL;
  float a[12], y[10] = { 0 };
  void *buffers[] = { a, y };

  for (int i = 0; i < 12; i++)
    a[i] = (float)(i * i);
  g_assert_true (tp_kernel_verify (kernel, &error));
  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, &error));
  g_assert_no_error (error);
  for (int i = 0; i < 10; i++)
    g_assert_cmpfloat (y[i], ==, a[i] + a[i + 1] + a[i + 2]);
}

static void
test_text (void)
{
  g_autoptr (TpKernel) kernel = make_window (10), same = make_window (10);
  g_autoptr (TpKernel) other = make_window (11);
  g_autofree char *text = tp_kernel_to_text (kernel);
  g_autofree char *same_text = tp_kernel_to_text (same);
  g_autofree char *other_text = tp_kernel_to_text (other);

  g_assert_cmpstr (text, ==, same_text);
  g_assert_cmpstr (text, !=, other_text);
  g_assert_nonnull (strstr (text, "groups 3 items 1\nb0 global 12 float32\n"
                                  "b1 global 10 float32 written\n"));
  g_assert_nonnull (strstr (text, "f32x4 = const 0x00000000\n"));
  g_assert_nonnull (strstr (text, "\n  %"));
}

static void
test_fold (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("fold");
  TpValue x = tp_k_group (kernel), one = tp_k_index (kernel, 1), y, z;

  g_assert_cmpint (tp_k_group (kernel), ==, x);
  g_assert_cmpint (tp_k_binary (kernel, TP_I_IMUL, one, x), ==, x);
  g_assert_cmpint (tp_k_binary (kernel, TP_I_IDIV, x, one), ==, x);
  g_assert_cmpint (tp_k_binary (kernel, TP_I_IADD, x, tp_k_index (kernel, 0)),
                   ==, x);
  g_assert_cmpint (tp_k_binary (kernel, TP_I_ISUB, x, x), ==,
                   tp_k_index (kernel, 0));
  y = tp_k_binary (kernel, TP_I_IADD, x, tp_k_index (kernel, 5));
  z = tp_k_binary (kernel, TP_I_ISUB, y, tp_k_index (kernel, 5));
  g_assert_cmpint (z, ==, x);
  z = tp_k_binary (kernel, TP_I_IMIN, tp_k_index (kernel, 9),
                   tp_k_index (kernel, 4));
  g_assert_cmpint (z, ==, tp_k_index (kernel, 4));
  z = tp_k_unary (kernel, TP_I_FROUND, tp_k_f32 (kernel, 4, 2.5f));
  g_assert_cmpint (z, ==, tp_k_f32 (kernel, 4, 2));
  z = tp_k_unary (kernel, TP_I_FROUND, tp_k_f32 (kernel, 1, -0x1p62f));
  g_assert_cmpint (z, ==, tp_k_f32 (kernel, 1, -0x1p62f));
  /* What would overflow stays an instruction, for the verifier to refuse. */
  z = tp_k_index (kernel, G_MAXINT64);
  g_assert_cmpint (kernel->instrs[tp_k_binary (kernel, TP_I_IADD, z, one)].op,
                   ==, TP_I_IADD);
}

/* A value made inside a region is not shared with its outside. */
static void
test_scope (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("scope");
  g_autoptr (GError) error = NULL;
  TpValue inside, outside, zero = tp_k_index (kernel, 0);

  tp_k_for (kernel, zero, tp_k_index (kernel, 3), 1);
  inside = tp_k_f32 (kernel, 1, 2.5f);
  g_assert_cmpint (tp_k_f32 (kernel, 1, 2.5f), ==, inside);
  tp_k_end_for (kernel, NULL, 0, NULL);
  outside = tp_k_f32 (kernel, 1, 2.5f);
  g_assert_cmpint (inside, !=, outside);
  g_assert_true (tp_kernel_verify (kernel, &error));
  g_assert_no_error (error);
}

/* Carries that swap, a loop that never runs, and finals after it. */
static void
test_carry (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("carry");
  g_autoptr (GError) error = NULL;
  int out =
      tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                            4, TRUE);
  TpValue zero = tp_k_index (kernel, 0), one = tp_k_f32 (kernel, 1, 1);
  TpValue two = tp_k_f32 (kernel, 1, 2), next[2], final[2];
  float memory[4];
  void *buffers[] = { memory };

  for (int trip = 3; trip >= 0; trip -= 3)
    {
      tp_k_for (kernel, zero, tp_k_index (kernel, trip), 1);
      next[1] = tp_k_carry (kernel, one);
      next[0] = tp_k_carry (kernel, two);
      tp_k_end_for (kernel, next, 2, final);
      tp_k_store (kernel, out, tp_k_index (kernel, trip ? 0 : 2), final[0], -1);
      tp_k_store (kernel, out, tp_k_index (kernel, trip ? 1 : 3), final[1], -1);
    }
  g_assert_true (tp_kernel_verify (kernel, &error));
  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (memory[0], ==, 2);
  g_assert_cmpfloat (memory[1], ==, 1);
  g_assert_cmpfloat (memory[2], ==, 1);
  g_assert_cmpfloat (memory[3], ==, 2);
}

/* Work-items reverse an array through local memory; every second one writes
 * twice over. */
static void
test_items (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("items");
  g_autoptr (GError) error = NULL;
  int data =
      tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32,
                            8, TRUE);
  int local =
      tp_kernel_add_buffer (kernel, TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT32,
                            8, TRUE);
  TpValue item = tp_k_item (kernel), value;
  float memory[8];
  void *buffers[] = { memory };

  kernel->local_size = 8;
  for (int i = 0; i < 8; i++)
    memory[i] = (float)i;
  tp_k_store (kernel, local, item, tp_k_load (kernel, data, item, 1, -1), -1);
  tp_k_barrier (kernel);
  value = tp_k_load (
      kernel, local,
      tp_k_binary (kernel, TP_I_ISUB, tp_k_index (kernel, 7), item), 1, -1);
  tp_k_for (kernel, item, tp_k_index (kernel, 4), 3);
  value = tp_k_carry (kernel, value);
  value = tp_k_binary (kernel, TP_I_FADD, value, tp_k_f32 (kernel, 1, 10));
  tp_k_end_for (kernel, &value, 1, &value);
  tp_k_store (kernel, data, item, value, -1);
  g_assert_true (tp_kernel_verify (kernel, &error));
  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, &error));
  g_assert_no_error (error);
  for (int i = 0; i < 8; i++)
    g_assert_cmpfloat (memory[i], ==, 7 - i + (i == 0 ? 20 : i < 4 ? 10 : 0));
}

/* All items reach a barrier, or none: regions are told by what they ask. */
static void
test_barriers (void)
{
  static const gboolean expected[] = { TRUE, FALSE, TRUE, FALSE };

  for (int i = 0; i < 4; i++)
    {
      g_autoptr (TpKernel) kernel = tp_kernel_new ("barriers");
      g_autoptr (GError) error = NULL;
      TpValue who = i % 2 == 0 ? tp_k_group (kernel) : tp_k_item (kernel);
      TpValue two = tp_k_index (kernel, 2);

      kernel->n_groups = kernel->local_size = 4;
      tp_k_for (kernel, tp_k_index (kernel, 0), i < 2 ? two : who, 1);
      tp_k_if (kernel, tp_k_binary (kernel, TP_I_ILESS, i < 2 ? who : two,
                                    tp_k_index (kernel, 3)));
      tp_k_barrier (kernel);
      tp_k_end_if (kernel);
      tp_k_end_for (kernel, NULL, 0, NULL);
      tp_k_barrier (kernel);
      g_assert_true (tp_kernel_verify (kernel, &error) == expected[i]);
      g_assert_true (error == NULL || strstr (error->message, "barrier"));
      kernel->local_size = 1;
      g_assert_true (tp_kernel_verify (kernel, NULL));
    }
}

/* Every division has an answer, folded or not. */
static void
test_division (void)
{
  static const gint64 cases[][4] = {
    { 7, 2, 3, 1 },
    { -7, 2, -3, -1 },
    { 7, -2, -3, 1 },
    { -7, -2, 3, -1 },
    { 5, 0, 0, 0 },
    { -5, 0, 0, 0 },
    { G_MININT64, -1, G_MININT64, 0 },
    { G_MININT64, G_MAXINT64, -1, -1 },
  };
  g_autoptr (TpKernel) kernel = tp_kernel_new ("division");
  g_autoptr (GError) error = NULL;
  gint64 in[2], out[2];
  void *buffers[] = { in, out };
  TpValue x, y;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64, 2, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64, 2, TRUE);
  x = tp_k_load (kernel, 0, tp_k_index (kernel, 0), 1, -1);
  y = tp_k_load (kernel, 0, tp_k_index (kernel, 1), 1, -1);
  tp_k_store (kernel, 1, tp_k_index (kernel, 0),
              tp_k_binary (kernel, TP_I_IDIV, x, y), -1);
  tp_k_store (kernel, 1, tp_k_index (kernel, 1),
              tp_k_binary (kernel, TP_I_IMOD, x, y), -1);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      memcpy (in, cases[i], sizeof in);
      g_assert_true (tp_kernel_interpret (kernel, buffers, 0, &error));
      g_assert_cmpint (out[0], ==, cases[i][2]);
      g_assert_cmpint (out[1], ==, cases[i][3]);
      x = tp_k_index (kernel, in[0]);
      y = tp_k_index (kernel, in[1]);
      g_assert_cmpint (tp_k_binary (kernel, TP_I_IDIV, x, y), ==,
                       tp_k_index (kernel, out[0]));
      g_assert_cmpint (tp_k_binary (kernel, TP_I_IMOD, x, y), ==,
                       tp_k_index (kernel, out[1]));
    }
}

/* Floats to integers and into narrow memory: what is out of range as well. */
static void
test_convert (void)
{
  static const TpDtype dtypes[] = { TPLAN_DTYPE_INT64, TPLAN_DTYPE_INT32,
                                    TPLAN_DTYPE_UINT8, TPLAN_DTYPE_BOOL,
                                    TPLAN_DTYPE_INT8,  TPLAN_DTYPE_INT16,
                                    TPLAN_DTYPE_UINT16, TPLAN_DTYPE_UINT32 };
  enum { N_DTYPES = G_N_ELEMENTS (dtypes) };
  g_autoptr (TpKernel) kernel = tp_kernel_new ("convert");
  g_autoptr (GError) error = NULL;
  float in[8] = { 2.9f,     -2.9f,         NAN,  0x1p63f,
                  -0x1p64f, 4294967040.0f, 0.4f, -0.0f };
  gint64 wide[8];
  gint32 narrow[8];
  guint8 byte[8], truth[8];
  gint8 byte_signed[8];
  gint16 half[8];
  guint16 half_unsigned[8];
  guint32 narrow_unsigned[8];
  float back[8];
  void *buffers[] = { in, wide, narrow, byte, truth, byte_signed, half,
                      half_unsigned, narrow_unsigned, back };
  TpValue zero = tp_k_index (kernel, 0), value;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32, 8, FALSE);
  value = tp_k_load (kernel, 0, zero, 8, -1);
  value = tp_k_unary (kernel, TP_I_REAL_TO_INDEX, value);
  for (int i = 0; i < N_DTYPES; i++)
    {
      tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, dtypes[i], 8, TRUE);
      tp_k_store (kernel, 1 + i, zero, value, -1);
    }
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32, 8, TRUE);
  value = tp_k_unary (kernel, TP_I_INDEX_TO_F32, value);
  tp_k_store (kernel, 1 + N_DTYPES, zero, value, -1);
  g_assert_true (tp_kernel_verify (kernel, &error));
  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, &error));
  g_assert_no_error (error);
  static const gint64 expected[] = { 2,          -2,         0, G_MAXINT64,
                                     G_MININT64, 4294967040, 0, 0 };
  for (int i = 0; i < 8; i++)
    {
      g_assert_cmpint (wide[i], ==, expected[i]);
      g_assert_cmpint (narrow[i], ==, (gint32)expected[i]);
      g_assert_cmpint (byte[i], ==, (guint8)expected[i]);
      g_assert_cmpint (truth[i], ==, expected[i] != 0);
      g_assert_cmpint (byte_signed[i], ==, (gint8)expected[i]);
      g_assert_cmpint (half[i], ==, (gint16)expected[i]);
      g_assert_cmpint (half_unsigned[i], ==, (guint16)expected[i]);
      g_assert_cmpint (narrow_unsigned[i], ==, (guint32)expected[i]);
      g_assert_cmpfloat (back[i], ==, (float)expected[i]);
    }
}

/* A chain of steps on what is in memory, and the integer that it becomes. */
static TpKernel *
make_steps (TpDtype dtype, TpValue *out_integer)
{
  static const TpInstrOp ops[] = { TP_I_FMIN, TP_I_FMAX, TP_I_FADD, TP_I_FFLOOR,
                                   TP_I_FROUND, TP_I_FMUL };
  g_autoptr (TpKernel) kernel = tp_kernel_new ("steps");
  TpValue zero = tp_k_index (kernel, 0), value;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, dtype, 8, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64, 8, TRUE);
  value = tp_k_load (kernel, 0, zero, 8, -1);
  for (int n = g_test_rand_int_range (0, 8); n > 0; n--)
    {
      double number = g_test_rand_double_range (-9.0, 9.0);
      TpInstrOp op = ops[g_test_rand_int_range (0, G_N_ELEMENTS (ops))];
      TpValue other = dtype == TPLAN_DTYPE_FLOAT64
                          ? tp_k_f64 (kernel, 8, number)
                          : tp_k_f32 (kernel, 8, (float) number);

      value = op == TP_I_FFLOOR || op == TP_I_FROUND
                  ? tp_k_unary (kernel, op, value)
                  : tp_k_binary (kernel, op, value, other);
    }
  *out_integer = tp_k_unary (kernel, TP_I_REAL_TO_INDEX, value);
  tp_k_store (kernel, 1, zero, *out_integer, -1);
  return g_steal_pointer (&kernel);
}

/* What reals become lies in the range that is told of it, and some have one. */
static void
test_real_ranges (void)
{
  int n_known = 0;

  for (int i = 0; i < 2000; i++)
    {
      gboolean is_double = i % 2;
      TpValue value;
      g_autoptr (TpKernel) kernel = make_steps (
          is_double ? TPLAN_DTYPE_FLOAT64 : TPLAN_DTYPE_FLOAT32, &value);
      g_autofree TpRange *ranges = tp_kernel_get_ranges (kernel);
      g_autoptr (GError) error = NULL;
      float in[8] = { NAN, INFINITY, -INFINITY, 1e30f };
      gint64 out[8];
      double wide[8];
      void *buffers[] = { is_double ? (void *) wide : in, out };

      for (int k = 4; k < 8; k++)
        in[k] = (float) g_test_rand_double_range (-20.0, 20.0);
      for (int k = 0; k < 8; k++)
        wide[k] = in[k];
      tp_kernel_interpret (kernel, buffers, 0, &error);
      g_assert_no_error (error);
      for (int k = 0; k < 8; k++)
        {
          g_assert_cmpint (out[k], >=, ranges[value].lo);
          g_assert_cmpint (out[k], <=, ranges[value].hi);
        }
      n_known += !tp_range_is_full (&ranges[value]);
    }
  g_assert_cmpint (n_known, >, 100);
}

/* Values and buffers must agree. */
static void
test_types (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("types");
  TpValue zero = tp_k_index (kernel, 0), value;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT32, 8, TRUE);
  value = tp_k_load (kernel, 0, zero, 4, -1);
  tp_k_store (kernel, 0, zero, value, -1);
  g_assert_cmpint (kernel->instrs[value].kind, ==, TP_KIND_INDEX);
  g_assert_true (tp_kernel_verify (kernel, NULL));
  kernel->buffers[0].dtype = TPLAN_DTYPE_FLOAT32;
  g_assert_false (tp_kernel_verify (kernel, NULL));
  kernel->buffers[0].dtype = TPLAN_DTYPE_FLOAT64;
  g_assert_false (tp_kernel_verify (kernel, NULL));
  kernel->buffers[0].dtype = TPLAN_DTYPE_INT64;
  g_assert_true (tp_kernel_verify (kernel, NULL));
  /* An address has one lane. */
  tp_k_load (kernel, 0, value, 4, -1);
  g_assert_false (tp_kernel_verify (kernel, NULL));
}

/* y[i + 1] = y[i] + x[2 i], one step each time it is run. */
static void
test_iteration (void)
{
  g_autoptr (TpKernel) kernel = tp_kernel_new ("iteration");
  g_autoptr (GError) error = NULL;
  gint64 x[9] = { 1, -1, 2, -1, 3, -1, 4, -1, 5 }, y[6] = { 10 };
  void *buffers[] = { x, y };
  TpValue i = tp_k_iteration (kernel), at, value;
  g_autofree char *text = NULL;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64, 9, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64, 6, TRUE);
  kernel->n_iterations = 5;
  at = tp_k_binary (kernel, TP_I_IMUL, i, tp_k_index (kernel, 2));
  value = tp_k_binary (kernel, TP_I_IADD, tp_k_load (kernel, 0, at, 1, -1),
                       tp_k_load (kernel, 1, i, 1, -1));
  at = tp_k_binary (kernel, TP_I_IADD, i, tp_k_index (kernel, 1));
  tp_k_store (kernel, 1, at, value, -1);
  g_assert_true (tp_kernel_verify (kernel, &error));
  for (int run = 0; run < 5; run++)
    g_assert_true (tp_kernel_interpret (kernel, buffers, run, &error));
  g_assert_no_error (error);
  g_assert_cmpint (y[1], ==, 11);
  g_assert_cmpint (y[5], ==, 25);
  text = tp_kernel_to_text (kernel);
  g_assert_true (g_str_has_prefix (text, "groups 1 items 1 iterations 5\n"));
  kernel->n_iterations = 6;
  g_assert_false (tp_kernel_verify (kernel, NULL));
}

#define N_CHAINS 3

/* y[i] = exp (x[i]) + i of its own for each chain, and a sum in a loop behind them,
 * which is a group too. */
static TpKernel *
make_chains (int *out_bounds, int *out_n)
{
  TpKernel *kernel = tp_kernel_new ("chains");
  int n = 0;
  TpValue i, value;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32, 4, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32, 4, TRUE);
  for (i = 0; i < N_CHAINS; i++)
    {
      out_bounds[n++] = kernel->n_instrs;
      value = tp_k_load (kernel, 0, tp_k_index (kernel, i), 1, -1);
      value = tp_k_exp (kernel, value);
      for (int k = 0; k < i; k++)
        value = tp_k_binary (kernel, TP_I_FADD, value, tp_k_f32 (kernel, 1, 1));
      tp_k_store (kernel, 1, tp_k_index (kernel, i), value, -1);
    }
  for (int k = 0; k < 2; k++)
    {
      out_bounds[n++] = kernel->n_instrs;
      out_bounds[n++] = k == 0 ? -1 : kernel->n_instrs;
      i = tp_k_for (kernel, tp_k_index (kernel, 0), tp_k_index (kernel, 3), 1);
      value = tp_k_load (kernel, 0, i, 1, -1);
      tp_k_store (kernel, 1, tp_k_index (kernel, 3), value, -1);
      tp_k_end_for (kernel, NULL, 0, NULL);
    }
  out_bounds[n++] = kernel->n_instrs;
  out_bounds[n++] = -1;
  *out_n = n;
  return kernel;
}

/* Chains take turns, and compute what they did; what loops stays as it is. */
static void
test_interleave (void)
{
  int bounds[16], n = 0;
  g_autoptr (TpKernel) kernel = make_chains (bounds, &n);
  g_autoptr (TpKernel) mixed = make_chains (bounds, &n);
  float x[4] = { -1, 0.5f, 3, 7 }, y[4] = { 0 }, z[4] = { 0 };
  void *buffers[] = { x, y }, *others[] = { x, z };
  g_autoptr (GError) error = NULL;
  int n_loads = 0;

  tp_kernel_interleave (mixed, bounds, n);
  g_assert_cmpint (mixed->n_instrs, ==, kernel->n_instrs);
  g_assert_true (tp_kernel_verify (mixed, &error));
  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, &error));
  g_assert_true (tp_kernel_interpret (mixed, others, 0, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (y, sizeof y, z, sizeof z);
  g_assert_cmpfloat (z[3], ==, 3);
  for (int i = 0; mixed->instrs[i].op != TP_I_STORE; i++)
    n_loads += mixed->instrs[i].op == TP_I_LOAD;
  g_assert_cmpint (n_loads, ==, N_CHAINS);
  for (int i = bounds[N_CHAINS]; i < kernel->n_instrs; i++)
    g_assert_cmpint (mixed->instrs[i].op, ==, kernel->instrs[i].op);
}

static void
test_out_of_bounds (void)
{
  g_autoptr (TpKernel) kernel = make_window (10);
  g_autoptr (GError) error = NULL;
  float a[12] = { 0 }, y[10];
  void *buffers[] = { a, y };

  kernel->buffers[0].n_elements = 11;
  g_assert_false (tp_kernel_interpret (kernel, buffers, 0, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
}

/* Each change of one field makes an ill-formed kernel. */
static void
test_malformed (void)
{
  g_autoptr (TpKernel) kernel = make_window (10);
  int n = kernel->n_instrs;

  for (int i = 0; i < n; i++)
    {
      TpInstr saved = kernel->instrs[i], *instr = &kernel->instrs[i];

      instr->lanes = 3;
      g_assert_false (tp_kernel_verify (kernel, NULL));
      *instr = saved;
      if (instr->a >= 0)
        {
          instr->a = i;
          g_assert_false (tp_kernel_verify (kernel, NULL));
          *instr = saved;
        }
      instr->kind = instr->kind == TP_KIND_F32 ? TP_KIND_MASK : TP_KIND_F32;
      g_assert_false (tp_kernel_verify (kernel, NULL));
      *instr = saved;
    }
  kernel->n_instrs--;
  g_assert_true (tp_kernel_verify (kernel, NULL));
  for (kernel->n_instrs--; kernel->instrs[kernel->n_instrs - 1].op != TP_I_FOR;
       kernel->n_instrs--)
    g_assert_false (tp_kernel_verify (kernel, NULL));
  kernel->n_instrs = n;
  kernel->buffers[1].is_written = FALSE;
  g_assert_false (tp_kernel_verify (kernel, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/window", test_window);
  g_test_add_func ("/kernel/text", test_text);
  g_test_add_func ("/kernel/fold", test_fold);
  g_test_add_func ("/kernel/scope", test_scope);
  g_test_add_func ("/kernel/carry", test_carry);
  g_test_add_func ("/kernel/items", test_items);
  g_test_add_func ("/kernel/barriers", test_barriers);
  g_test_add_func ("/kernel/division", test_division);
  g_test_add_func ("/kernel/convert", test_convert);
  g_test_add_func ("/kernel/real-ranges", test_real_ranges);
  g_test_add_func ("/kernel/types", test_types);
  g_test_add_func ("/kernel/iteration", test_iteration);
  g_test_add_func ("/kernel/interleave", test_interleave);
  g_test_add_func ("/kernel/out-of-bounds", test_out_of_bounds);
  g_test_add_func ("/kernel/malformed", test_malformed);
  return g_test_run ();
}
