/* test-bounds.c: what the verifier can prove of indices, and that it accepts
 * nothing the interpreter stumbles over. */
#include "config.h"

#include "kernel/kernel-interpret.h"
#include "kernel/kernel-text.h"
#include "kernel/kernel-verify.h"
#include "nests.h"
#include "random-kernel.h"

#include <string.h>

static TpKernel *
new_kernel (gint64 n_groups)
{
  TpKernel *kernel = tp_kernel_new ("bounds");

  kernel->n_groups = n_groups;
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32, 1, FALSE);
  return kernel;
}

static TpValue
binary (TpKernel *kernel, TpInstrOp op, TpValue a, gint64 b)
{
  return tp_k_binary (kernel, op, a, tp_k_index (kernel, b));
}

/* iota < limit */
static TpValue
make_mask (TpKernel *kernel, int lanes, TpValue limit)
{
  limit = tp_k_unary (kernel, TP_I_INDEX_TO_I32, limit);
  return tp_k_binary (kernel, TP_I_ILESS, tp_k_iota (kernel, lanes),
                      tp_k_splat (kernel, limit, lanes));
}

/* Buffer 0 needs @n elements, no more and no less. */
static void
check_needs (TpKernel *kernel, gint64 n)
{
  g_autoptr (GError) error = NULL;

  kernel->buffers[0].n_elements = n;
  tp_kernel_verify (kernel, &error);
  g_assert_no_error (error);
  kernel->buffers[0].n_elements = n - 1;
  g_assert_false (tp_kernel_verify (kernel, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
  tp_kernel_free (kernel);
}

/* row * 7 + column of a group that was taken apart is the group. */
static void
test_divide (void)
{
  TpKernel *kernel = new_kernel (45);
  TpValue group = tp_k_group (kernel), row, column;

  row = binary (kernel, TP_I_IDIV, group, 7);
  column = binary (kernel, TP_I_IMOD, group, 7);
  row = binary (kernel, TP_I_IMUL, row, 7);
  tp_k_load (kernel, 0, tp_k_binary (kernel, TP_I_IADD, row, column), 1, -1);
  check_needs (kernel, 45);

  /* In other strides they are independent. */
  kernel = new_kernel (49);
  group = tp_k_group (kernel);
  row = binary (kernel, TP_I_IDIV, group, 7);
  column = binary (kernel, TP_I_IMOD, group, 7);
  column = binary (kernel, TP_I_IMUL, column, 10);
  tp_k_load (kernel, 0, tp_k_binary (kernel, TP_I_IADD, row, column), 4, -1);
  check_needs (kernel, 6 + 60 + 4);
}

/* Blocks of 16 of 100 points: the last one ends where the points end. */
static void
test_block (void)
{
  TpKernel *kernel = new_kernel (7);
  TpValue first, end, i;

  first = binary (kernel, TP_I_IMUL, tp_k_group (kernel), 16);
  end = binary (kernel, TP_I_IMIN, binary (kernel, TP_I_IADD, first, 16), 100);
  i = tp_k_for (kernel, first, end, 1);
  tp_k_load (kernel, 0, i, 1, -1);
  tp_k_end_for (kernel, NULL, 0, NULL);
  check_needs (kernel, 100);

  /* The same by what is left. */
  kernel = new_kernel (7);
  first = binary (kernel, TP_I_IMUL, tp_k_group (kernel), 16);
  end = tp_k_binary (kernel, TP_I_ISUB, tp_k_index (kernel, 100), first);
  end = binary (kernel, TP_I_IMIN, end, 16);
  i = tp_k_for (kernel, tp_k_index (kernel, 0), end, 1);
  tp_k_load (kernel, 0, tp_k_binary (kernel, TP_I_IADD, first, i), 1, -1);
  tp_k_end_for (kernel, NULL, 0, NULL);
  check_needs (kernel, 100);

  /* Whole vectors only. */
  kernel = new_kernel (1);
  i = tp_k_for (kernel, tp_k_index (kernel, 0), tp_k_index (kernel, 90), 8);
  tp_k_load (kernel, 0, i, 8, -1);
  tp_k_end_for (kernel, NULL, 0, NULL);
  check_needs (kernel, 96);
}

static void
test_mask (void)
{
  TpKernel *kernel = new_kernel (7);
  TpValue first, left;

  first = binary (kernel, TP_I_IMUL, tp_k_group (kernel), 16);
  left = tp_k_binary (kernel, TP_I_ISUB, tp_k_index (kernel, 100), first);
  tp_k_load (kernel, 0, first, 16, make_mask (kernel, 16, left));
  check_needs (kernel, 100);

  kernel = new_kernel (1);
  left = tp_k_binary (kernel, TP_I_ILESS, tp_k_iota (kernel, 8),
                      tp_k_i32 (kernel, 8, 5));
  tp_k_load (kernel, 0, tp_k_index (kernel, 20), 8, left);
  check_needs (kernel, 25);

  /* A mask of values proves nothing. */
  kernel = new_kernel (1);
  left = tp_k_load (kernel, 0, tp_k_index (kernel, 0), 8, -1);
  left = tp_k_binary (kernel, TP_I_FLESS, left, tp_k_f32 (kernel, 8, 0));
  tp_k_load (kernel, 0, tp_k_index (kernel, 20), 8, left);
  check_needs (kernel, 28);
}

/* An if narrows, and so does each part of a conjunction; not afterwards. */
static void
test_if (void)
{
  TpKernel *kernel = new_kernel (100);
  TpValue index, low, high;

  index = binary (kernel, TP_I_IADD, tp_k_group (kernel), -20);
  low = tp_k_binary (kernel, TP_I_ILESS, tp_k_index (kernel, -1), index);
  high = tp_k_binary (kernel, TP_I_ILESS, index, tp_k_index (kernel, 50));
  tp_k_if (kernel, tp_k_binary (kernel, TP_I_MAND, low, high));
  tp_k_load (kernel, 0, index, 1, -1);
  tp_k_end_if (kernel);
  check_needs (kernel, 50);

  kernel = new_kernel (100);
  index = tp_k_group (kernel);
  high = tp_k_binary (kernel, TP_I_ILESS, index, tp_k_index (kernel, 50));
  tp_k_if (kernel, high);
  tp_k_end_if (kernel);
  tp_k_load (kernel, 0, index, 1, -1);
  check_needs (kernel, 100);

  kernel = new_kernel (100);
  index = tp_k_group (kernel);
  high = tp_k_binary (kernel, TP_I_ILESS, index, tp_k_index (kernel, 50));
  tp_k_if (kernel, tp_k_unary (kernel, TP_I_MNOT, high));
  tp_k_load (kernel, 0, binary (kernel, TP_I_ISUB, index, 50), 1, -1);
  tp_k_end_if (kernel);
  check_needs (kernel, 50);
}

/* A clamped index; one side of a select; a carried index. */
static void
test_clamp (void)
{
  TpKernel *kernel = new_kernel (100);
  TpValue index, mask, zero = tp_k_index (kernel, 0);

  index = binary (kernel, TP_I_IADD, tp_k_group (kernel), -20);
  index = binary (kernel, TP_I_IMIN, index, 30);
  tp_k_load (kernel, 0, tp_k_binary (kernel, TP_I_IMAX, index, zero), 4, -1);
  check_needs (kernel, 34);

  kernel = new_kernel (100);
  zero = tp_k_index (kernel, 0);
  index = tp_k_group (kernel);
  mask = tp_k_binary (kernel, TP_I_ILESS, index, tp_k_index (kernel, 9));
  index = tp_k_select (kernel, mask, index, zero);
  tp_k_load (kernel, 0, index, 1, -1);
  check_needs (kernel, 9);

  kernel = new_kernel (1);
  zero = tp_k_index (kernel, 0);
  tp_k_for (kernel, zero, tp_k_index (kernel, 10), 1);
  index = tp_k_carry (kernel, zero);
  tp_k_load (kernel, 0, index, 1, -1);
  index = binary (kernel, TP_I_IADD, index, 3);
  tp_k_end_for (kernel, &index, 1, &index);
  check_needs (kernel, 28);
}

static void
test_refuse (void)
{
  TpKernel *kernel = new_kernel (100);
  g_autoptr (GError) error = NULL;
  TpValue index = binary (kernel, TP_I_IADD, tp_k_group (kernel), -1);

  kernel->buffers[0].n_elements = 1000;
  tp_k_load (kernel, 0, index, 1, -1);
  g_assert_false (tp_kernel_verify (kernel, &error));
  g_assert_nonnull (strstr (error->message, "the index may be -1"));
  g_clear_error (&error);
  tp_kernel_free (kernel);

  kernel = new_kernel (100);
  index = tp_k_group (kernel);
  index = tp_k_binary (kernel, TP_I_IMUL, index, index);
  index = binary (kernel, TP_I_IMUL, index, G_MAXINT64 / 3);
  tp_k_load (kernel, 0, index, 1, -1);
  g_assert_false (tp_kernel_verify (kernel, &error));
  tp_kernel_free (kernel);
}

/* --- data --------------------------------------------------------------- */

/* A kernel with buffer 1 of @dtype and its first element. */
static TpKernel *
new_lookup (TpDtype dtype, TpValue *out_value)
{
  TpKernel *kernel = new_kernel (1);
  int data = tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, dtype, 16, FALSE);

  *out_value = tp_k_load (kernel, data, tp_k_index (kernel, 0), 1, -1);
  return kernel;
}

static void
check_refused (TpKernel *kernel)
{
  kernel->buffers[0].n_elements = G_MAXINT32;
  g_assert_false (tp_kernel_verify (kernel, NULL));
  tp_kernel_free (kernel);
}

/* Indices from memory: bytes are bounded, others must be clamped or asked. */
static void
test_data (void)
{
  TpValue index, low, high;
  TpKernel *kernel = new_lookup (TPLAN_DTYPE_UINT8, &index);

  index = binary (kernel, TP_I_IMUL, index, 3);
  tp_k_load (kernel, 0, index, 1, -1);
  check_needs (kernel, 3 * 255 + 1);

  kernel = new_lookup (TPLAN_DTYPE_INT64, &index);
  index = binary (kernel, TP_I_IMAX, index, 0);
  tp_k_load (kernel, 0, binary (kernel, TP_I_IMIN, index, 41), 4, -1);
  check_needs (kernel, 45);

  kernel = new_lookup (TPLAN_DTYPE_INT64, &index);
  low = tp_k_binary (kernel, TP_I_ILESS, tp_k_index (kernel, -1), index);
  high = tp_k_binary (kernel, TP_I_ILESS, index, tp_k_index (kernel, 50));
  tp_k_if (kernel, tp_k_binary (kernel, TP_I_MAND, low, high));
  tp_k_load (kernel, 0, index, 1, -1);
  tp_k_end_if (kernel);
  check_needs (kernel, 50);

  kernel = new_lookup (TPLAN_DTYPE_INT64, &index);
  tp_k_load (kernel, 0, index, 1, -1);
  check_refused (kernel);
  kernel = new_lookup (TPLAN_DTYPE_BOOL, &index);
  tp_k_load (kernel, 0, binary (kernel, TP_I_ISUB, index, 1), 1, -1);
  check_refused (kernel);
}

/* x + x may be small where x is not, and a remainder negative. */
static void
test_wrap (void)
{
  TpValue index, twice, low, high;
  TpKernel *kernel = new_lookup (TPLAN_DTYPE_INT64, &index);

  twice = tp_k_binary (kernel, TP_I_IADD, index, index);
  low = tp_k_binary (kernel, TP_I_ILESS, tp_k_index (kernel, -1), twice);
  high = tp_k_binary (kernel, TP_I_ILESS, twice, tp_k_index (kernel, 50));
  tp_k_if (kernel, tp_k_binary (kernel, TP_I_MAND, low, high));
  tp_k_load (kernel, 0, index, 1, -1);
  tp_k_end_if (kernel);
  check_refused (kernel);

  kernel = new_lookup (TPLAN_DTYPE_INT64, &index);
  tp_k_load (kernel, 0, binary (kernel, TP_I_IMOD, index, 9), 1, -1);
  check_refused (kernel);

  kernel = new_lookup (TPLAN_DTYPE_INT64, &index);
  index = binary (kernel, TP_I_IMOD, index, 9);
  tp_k_load (kernel, 0, binary (kernel, TP_I_IADD, index, 8), 1, -1);
  check_needs (kernel, 17);

  /* -1 / 3 is not below 0, but -1 % 3 is -1. */
  kernel = new_kernel (10);
  index = binary (kernel, TP_I_ISUB, tp_k_group (kernel), 3);
  index = binary (kernel, TP_I_IMOD, index, 3);
  tp_k_load (kernel, 0, binary (kernel, TP_I_IADD, index, 2), 1, -1);
  check_needs (kernel, 5);
  kernel = new_kernel (10);
  index = binary (kernel, TP_I_IMUL, tp_k_group (kernel), 4);
  index = binary (kernel, TP_I_IDIV, binary (kernel, TP_I_ISUB, index, 3), 4);
  tp_k_load (kernel, 0, index, 1, -1);
  check_refused (kernel);
}

/* What is known of one lane says nothing of another, but for i * c + d. */
static void
test_lanes (void)
{
  TpValue index, low, vector;
  TpKernel *kernel = new_lookup (TPLAN_DTYPE_UINT8, &index);

  vector = tp_k_load (kernel, 1, tp_k_index (kernel, 0), 4, -1);
  index = tp_k_extract (kernel, vector, 0);
  low = tp_k_binary (kernel, TP_I_ILESS, index, tp_k_index (kernel, 9));
  tp_k_if (kernel, low);
  tp_k_load (kernel, 0, tp_k_extract (kernel, vector, 1), 1, -1);
  tp_k_end_if (kernel);
  check_refused (kernel);

  kernel = new_kernel (7);
  vector = tp_k_unary (kernel, TP_I_I32_TO_INDEX, tp_k_iota (kernel, 8));
  vector = tp_k_binary (kernel, TP_I_IMUL, vector,
                        tp_k_splat (kernel, tp_k_index (kernel, 10), 8));
  vector = tp_k_binary (kernel, TP_I_IADD, vector,
                        tp_k_splat (kernel, tp_k_group (kernel), 8));
  tp_k_load (kernel, 0, tp_k_extract (kernel, vector, 5), 1, -1);
  check_needs (kernel, 57);
}

/* A loop to the end of all numbers would never end. */
static void
test_endless (void)
{
  TpValue end;
  TpKernel *kernel = new_lookup (TPLAN_DTYPE_INT64, &end);

  tp_k_for (kernel, tp_k_index (kernel, 0), end, 1);
  tp_k_end_for (kernel, NULL, 0, NULL);
  check_refused (kernel);
}

/* --- mutations ---------------------------------------------------------- */

/* Changes a number in @kernel; it wraps as kernels do. */
static void
mutate (TpKernel *kernel)
{
  TpInstr *instr;
  guint64 imm;

  do
    instr = &kernel->instrs[g_test_rand_int_range (0, kernel->n_instrs)];
  while (instr->op != TP_I_CONST_INDEX && instr->op != TP_I_CONST_I32
         && instr->op != TP_I_LOAD && instr->op != TP_I_STORE);
  imm = instr->imm;
  if (instr->op == TP_I_LOAD || instr->op == TP_I_STORE)
    kernel->buffers[instr->buffer].n_elements -= g_test_rand_int_range (1, 8);
  else if (g_test_rand_bit ())
    instr->imm = (gint64) (imm + g_test_rand_int_range (-4, 5));
  else
    instr->imm = (gint64) (imm * g_test_rand_int_range (0, 5)) / 2;
}

/* Accepts nothing that leaves a buffer, and still knows good from bad. */
static void
check_sound (TpKernel *kernel, int *n_accepted, int *n_refused)
{
  g_autoptr (GError) error = NULL;
  void **buffers;

  if (!tp_kernel_verify (kernel, NULL))
    {
      (*n_refused)++;
      return;
    }
  (*n_accepted)++;
  buffers = random_buffers_new (kernel);
  if (!tp_kernel_interpret (kernel, buffers, kernel->n_iterations - 1, &error))
    {
      g_autofree char *text = tp_kernel_to_text (kernel);

      g_error ("accepted, but %s\n%s", error->message, text);
    }
  random_buffers_free (kernel, buffers);
}

static void
test_random (void)
{
  int n_accepted = 0, n_refused = 0;

  for (int i = 0; i < 300; i++)
    {
      g_autoptr (TpKernel) kernel = random_kernel_new (10 + i / 4);

      mutate (kernel);
      check_sound (kernel, &n_accepted, &n_refused);
    }
  g_test_message ("%d accepted, %d refused", n_accepted, n_refused);
  g_assert_cmpint (n_accepted, >, 10);
  g_assert_cmpint (n_refused, >, 10);
}

/* The kernels of a padded convolution, each with one number changed. */
static void
test_schedules (void)
{
  static const TpTarget *const targets[] = { &target_avx512, &target_gpu };
  ConvCase conv = { 1, 5, 9, 8, 20, 3, 3, 2, 1, 1, 1, .has_epilogue = TRUE };
  int n_accepted = 0, n_refused = 0;

  for (int i = 0; i < 60; i++)
    {
      g_autoptr (TpLowered) lowered = new_conv (&conv);
      g_autoptr (TpProgram) program =
          tp_program_new (lowered, targets[i % 2], NULL, NULL);
      TpKernel *kernel = program->steps[i % program->n_steps].kernel;

      g_assert_true (tp_kernel_verify (kernel, NULL));
      mutate (kernel);
      check_sound (kernel, &n_accepted, &n_refused);
    }
  g_test_message ("%d accepted, %d refused", n_accepted, n_refused);
  g_assert_cmpint (n_refused, >, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bounds/divide", test_divide);
  g_test_add_func ("/bounds/block", test_block);
  g_test_add_func ("/bounds/mask", test_mask);
  g_test_add_func ("/bounds/if", test_if);
  g_test_add_func ("/bounds/clamp", test_clamp);
  g_test_add_func ("/bounds/refuse", test_refuse);
  g_test_add_func ("/bounds/data", test_data);
  g_test_add_func ("/bounds/wrap", test_wrap);
  g_test_add_func ("/bounds/lanes", test_lanes);
  g_test_add_func ("/bounds/endless", test_endless);
  g_test_add_func ("/bounds/random", test_random);
  g_test_add_func ("/bounds/schedules", test_schedules);
  return g_test_run ();
}
