/* Products of few rows, few columns, or factors that are no constants: what the model
 * makes of them, and that it is right. */
#include "config.h"

#include "byte-nests.h"
#include "draws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const TpTarget *const vectors[] = { &target_avx512, &target_avx2,
                                           &target_sse };

/* Of the last kernel of @program, which adds up. */
static gint64
get_local_bytes (const TpProgram *program)
{
  const TpKernel *kernel = program->steps[program->n_steps - 1].kernel;
  gint64 n = 0;

  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_LOCAL)
      n += kernel->buffers[i].n_elements
           * tp_dtype_get_size (kernel->buffers[i].dtype);
  return n;
}

/* Sums of a tile, as the text of the choice has it. */
static gint64
get_sums (const TpProgram *program)
{
  int lanes = 0, n_vectors = 0, rows = 0, cols = 0;

  if (sscanf (program->schedule, "contract lanes=%d vectors=%d tile=%dx%d",
              &lanes, &n_vectors, &rows, &cols) != 4)
    g_test_fail_printf ("no tile in '%s'", program->schedule);
  return (gint64) n_vectors * rows * cols;
}

/* Results that take long leave no tile of sums in registers: it is in scratch while they
 * are made, and counts as such; a tile of few sums stays. */
static void
test_kept (void)
{
  static const MatmulCase cases[] = {
    { 1, 45, 100, 24, .is_w_constant = TRUE, .has_tanh = TRUE },
    { 2, 29, 67, 9, .has_bias = TRUE, .has_tanh = TRUE },
    { 1, 1, 128, 40, .is_w_constant = TRUE, .has_tanh = TRUE },
    { 1, 45, 100, 24, .is_w_constant = TRUE },
    { 1, 20, 80, 1024, .is_w_constant = TRUE, .has_tanh = TRUE },
  };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (cases) * G_N_ELEMENTS (vectors); i++)
    {
      const MatmulCase *c = &cases[i / 4 % G_N_ELEMENTS (cases)];
      TpTarget target = *vectors[i / 4 / G_N_ELEMENTS (cases)];
      g_autoptr (TpLowered) lowered = new_matmul (c);
      g_autoptr (TpProgram) program = NULL;
      gboolean is_kept;

      target.local_bytes >>= 2 * (i % 4);
      program = tp_program_new (lowered, &target, NULL, NULL);
      is_kept = c->has_tanh && 2 * get_sums (program) > target.n_registers;
      g_test_message ("%s", program->schedule);
      g_assert_true (strstr (program->schedule, "stage=1") != NULL
                     || is_kept == (get_local_bytes (program) > 0));
      g_assert_cmpint (get_local_bytes (program), <=, target.local_bytes);
      check_program (lowered, program, run_by_interpreter);
    }
}

/* Few columns do not pay for staging, so no more rows a page apart are read at once
 * than the sets of the first cache they share hold. */
static void
test_sets (void)
{
  MatmulCase c = { 1, 40, 16, 1024, .is_w_constant = TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (vectors); i++)
    {
      g_autoptr (TpLowered) lowered = new_matmul (&c);
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, vectors[i], NULL, NULL);
      const char *tile = strstr (program->schedule, " tile=1x");

      g_test_message ("%s", program->schedule);
      g_assert_nonnull (tile);
      g_assert_true (strstr (program->schedule, " stage=1") != NULL
                     || atoi (tile + strlen (" tile=1x"))
                            <= vectors[i]->l1_bytes / 4096);
      check_program (lowered, program, run_by_interpreter);
    }
}

/* What is no constant is read where it is if its rows are whole vectors and lie close
 * together; else it is packed. */
static void
test_in_place (void)
{
  static const struct
  {
    MatmulCase c;
    gboolean is_packed;
  } cases[] = {
    { { 1, 40, 16, 24, .has_bias = TRUE }, FALSE },
    { { 3, 36, 48, 9, .trans_a = TRUE }, FALSE },
    { { 1, 40, 20, 24, .has_bias = TRUE }, TRUE },
    { { 1, 40, 16, 24, .trans_b = TRUE }, TRUE },
    { { 1, 40, 1024, 3, .has_bias = TRUE }, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpLowered) lowered = new_matmul (&cases[i].c);
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, &target_avx512, NULL, NULL);

      g_test_message ("%s", program->schedule);
      g_assert_cmpint (program->n_steps > 1, ==, cases[i].is_packed);
      check_program (lowered, program, run_by_interpreter);
    }
}

/* What the model makes of @c where caches are small, right; whether it is a sweep. */
static gboolean
is_swept (const MatmulCase *c, TpTarget target)
{
  g_autoptr (TpLowered) lowered = new_matmul (c);
  g_autoptr (TpProgram) program = NULL;

  target.l1_bytes = 8 << 10;
  target.l2_bytes = 64 << 10;
  program = tp_program_new (lowered, &target, NULL, NULL);
  g_test_message ("%s", program->schedule);
  check_program (lowered, program, run_by_interpreter);
  return g_str_has_prefix (program->schedule, "sweep");
}

/* Few rows times what no cache of a core holds: rows are walked to their ends, whatever
 * of them fills no vector, or no block. */
static void
test_sweep (void)
{
  static const MatmulCase cases[] = {
    { 1, 1, 1030, 20, .has_bias = TRUE },
    { 2, 3, 1040, 17, .has_bias = TRUE },
    { 1, 2, 1037, 16, .trans_a = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint j = 0; j < G_N_ELEMENTS (vectors); j++)
      {
        g_assert_true (is_swept (&cases[i], *vectors[j]));
        g_assert_cmpint (check_alone (new_matmul (&cases[i]), vectors[j],
                                      "sweep"), >, 0);
      }
}

/* Small ones, of few columns too: the model would not, but may be told to; where
 * factors change their roles there is none. */
static void
test_small_sweep (void)
{
  int n = 0;

  for (int i = 0; i < 20; i++)
    {
      MatmulCase c = { any_of (1, 2), any_of (1, 3), any_of (1, 90),
                       any_of (2, 40), any_of (0, 1), FALSE, any_of (0, 1),
                       FALSE, any_of (0, 1), FALSE };

      n += check_alone (new_matmul (&c), vectors[i % 3], "sweep");
    }
  g_assert_cmpint (n, >, 0);
}

/* Constants are packed once; short rows and columns and many points are for others,
 * and so is what is near. */
static void
test_no_sweep (void)
{
  static const MatmulCase cases[] = {
    { 1, 1, 1040, 20, .is_w_constant = TRUE },
    { 1, 1, 1040, 20, .trans_b = TRUE },
    { 1, 4, 1040, 20, .has_bias = TRUE },
    { 1, 1, 40, 600, .has_bias = TRUE },
    { 1, 1, 1040, 9, .has_bias = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_false (is_swept (&cases[i], target_avx2));
      g_assert_true (i >= 3
                     || check_alone (new_matmul (&cases[i]), &target_avx2,
                                     "sweep") == 0);
    }
}

/* Bytes times constant bytes: by the model, and by whatever is listed for them; of w one
 * byte an element is kept, and of a panel its sums. */
static void
test_bytes (void)
{
  for (int i = 0; i < 40 && !g_test_failed (); i++)
    {
      g_autoptr (TpLowered) lowered = draw_bytes ();
      const TpTarget *target = vectors[i % 3];
      const TpNest *nest = lowered->nests[0];
      gint64 n_weights = lowered->operands[nest->loads[1].operand].n_elements;
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, target, NULL, NULL);

      g_test_message ("%s", program->schedule);
      g_assert_true (g_str_has_prefix (program->schedule, "contract "));
      g_assert_cmpint (program->n_packs, ==, 1);
      g_assert_cmpint (program->packs[0].n_elements % 4, ==, 0);
      g_assert_cmpint (program->packs[0].n_elements, >, n_weights);
      check_program (lowered, program, run_by_interpreter);
      check_alone (g_steal_pointer (&lowered), target, "contract");
    }
}

/* What is no constant, may wrap, or has a zero point that is no byte, is for others, who
 * are right too. */
static void
test_no_bytes (void)
{
  static const ByteCase plain = { .x = TPLAN_DTYPE_UINT8, .w = TPLAN_DTYPE_INT8 };
  static const ByteCase zeros = { .x = TPLAN_DTYPE_UINT8,
                                  .w = TPLAN_DTYPE_UINT8,
                                  .x_zero = ZERO_LOADED,
                                  .w_zero = ZERO_LOADED };
  static const struct
  {
    MatmulCase matmul;
    const ByteCase *c;
    gboolean is_for_it;
  } cases[] = {
    { { 1, 3, 20, 40, .trans_b = TRUE }, &plain, FALSE },
    { { 1, 3, 20, 40, .trans_b = TRUE, .is_w_constant = TRUE }, &plain, TRUE },
    { { 1, 2, 5, G_MAXINT32 / 255 / 128 + 5, .is_w_constant = TRUE },
      &plain, FALSE },
    { { 1, 2, 5, G_MAXINT32 / 255 / 128 / 4 * 4, .is_w_constant = TRUE },
      &plain, TRUE },
    { { 1, 2, 5, G_MAXINT32 / 255 / 128 / 4 * 4, .is_w_constant = TRUE },
      &zeros, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpLowered) lowered
          = make_bytes (new_matmul (&cases[i].matmul), cases[i].c);
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, &target_avx512, NULL, NULL);

      g_test_message ("%s", program->schedule);
      check_program (lowered, program, run_by_interpreter);
      g_assert_true (
          (check_alone (g_steal_pointer (&lowered), &target_avx512, "contract")
           > 0)
          == cases[i].is_for_it);
    }
}

/* By the model for @target, which begins as @begins says, or does not. */
static void
check_model (TpLowered *lowered, const TpTarget *target, const char *begins,
             gboolean is_so)
{
  g_autoptr (TpLowered) owned = lowered;
  g_autoptr (TpProgram) program = tp_program_new (lowered, target, NULL, NULL);

  g_test_message ("%s", program->schedule);
  g_assert_true (g_str_has_prefix (program->schedule, begins) == is_so);
  check_program (lowered, program, run_by_interpreter);
}

/* A GPU makes sums of reals of small ones, whatever their zero points are: of those that
 * are so by what bytes are, too. */
static void
test_small (void)
{
  static const MatmulCase matmul = { 1, 40, 36, 48, .is_w_constant = TRUE };

  for (int i = 0; i < 2 * N_ZEROS; i++)
    {
      const ByteCase c = { .x = TPLAN_DTYPE_UINT8, .w = TPLAN_DTYPE_INT8,
                           .x_zero = i / 2, .w_zero = N_ZEROS - 1 - i / 2,
                           .is_quantized = i % 2 };

      check_model (make_bytes (new_matmul (&matmul), &c), &target_gpu,
                   "contract-tiles ", TRUE);
    }
}

/* Of longer ones so of parts, which are added up as integers: sums of bytes without signs
 * are above 2^24 here. Not where nothing divides them, nor of a vector. */
static void
test_long_integers (void)
{
  static const struct
  {
    gint64 rows, k;
    gboolean is_cut;
  } cases[] = { { 40, 1000, TRUE }, { 9, 4200, TRUE }, { 17, 1009, FALSE },
                { 1, 1000, FALSE } };
  const ByteCase plain = { .x = TPLAN_DTYPE_UINT8, .w = TPLAN_DTYPE_UINT8 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      const MatmulCase matmul = { 1, cases[i / 2].rows, 24, cases[i / 2].k,
                                  .is_w_constant = any_of (0, 1) };
      const ByteCase c = { .x = TPLAN_DTYPE_UINT8, .w = TPLAN_DTYPE_INT8,
                           .x_zero = any_of (0, N_ZEROS - 1),
                           .w_zero = any_of (0, N_ZEROS - 1),
                           .is_quantized = any_of (0, 1) };

      check_model (make_bytes (new_matmul (&matmul), i % 2 ? &c : &plain),
                   &target_gpu, "contract-tiles ", cases[i / 2].is_cut);
    }
}

static void
test_long_integer_convolutions (void)
{
  for (int i = 0; i < 4; i++)
    {
      const ConvCase conv = { any_of (1, 2), 64, 5, 6, any_of (20, 40), 3, 3, 1, 1, 1, 1,
                              .is_row_major = i % 2, .is_out_row_major = i / 2 };
      const ByteCase c = { .x = TPLAN_DTYPE_UINT8, .w = TPLAN_DTYPE_INT8,
                           .x_zero = any_of (0, N_ZEROS - 2),
                           .w_zero = any_of (0, N_ZEROS - 1),
                           .is_quantized = any_of (0, 1) };

      check_model (make_bytes (new_conv (&conv), &c), &target_gpu, "contract-tiles ",
                   TRUE);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/contract/kept", test_kept);
  g_test_add_func ("/contract/sets", test_sets);
  g_test_add_func ("/contract/in-place", test_in_place);
  g_test_add_func ("/contract/sweep", test_sweep);
  g_test_add_func ("/contract/small-sweep", test_small_sweep);
  g_test_add_func ("/contract/no-sweep", test_no_sweep);
  g_test_add_func ("/contract/bytes", test_bytes);
  g_test_add_func ("/contract/no-bytes", test_no_bytes);
  g_test_add_func ("/contract/small", test_small);
  g_test_add_func ("/contract/long-integers", test_long_integers);
  g_test_add_func ("/contract/long-integer-convolutions", test_long_integer_convolutions);
  return g_test_run ();
}
