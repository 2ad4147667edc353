/* The family "rows": products whose rows are reduced and multiplied again. */
#include "config.h"

#include "draws.h"
#include "row-nests.h"

#include <math.h>
#include <string.h>

#define N_DRAWS 3               /* choices per nest and target */

extern const TpFamily tp_schedule_rows;

static const TpTarget *const targets[] = { &target_avx512, &target_avx2,
                                           &target_sse, &target_scalar,
                                           &target_gpu };

/* Choices of the family for @lowered, taken; how many. */
static int
check_rows (TpLowered *lowered, const TpTarget *target)
{
  g_autoptr (TpLowered) owned = lowered;

  return check_family (lowered, target, &tp_schedule_rows, N_DRAWS,
                       run_by_interpreter);
}

/* Heads whose scores never leave the scratch of groups: few rows and many, blocks
 * that divide them and not, keys of all heads and of each. */
static void
test_rows (void)
{
  static const TpTarget *const vectors[] = { &target_avx512, &target_avx2,
                                             &target_sse };

  for (int i = 0; i < 18; i++)
    {
      AttentionCase c = { i % 6 == 5 ? ROW_NORM : ROW_SOFTMAX, any_of (1, 3),
                          any_of (2, 60), any_of (4, 70), any_of (2, 20),
                          any_of (2, 40), any_of (0, 1), any_of (0, 1),
                          any_of (0, 1), any_of (0, 1), any_of (0, 1) };

      g_assert_cmpint (check_rows (new_attention (&c), vectors[i / 6]), >, 0);
      for (guint k = 0; k < G_N_ELEMENTS (targets); k++)
        check_lowered (new_attention (&c), targets[k], run_by_interpreter);
    }
}

/* On GPUs: softmaxes alone, masks too, for all lengths and layouts. */
static void
test_rows_tiles (void)
{
  for (int i = 0; i < 18; i++)
    {
      AttentionCase c = { ROW_SOFTMAX, any_of (1, 3), any_of (2, 90),
                          any_of (4, 150), any_of (2, 40), any_of (2, 70),
                          any_of (0, 1), any_of (0, 1), any_of (0, 1),
                          any_of (0, 1), any_of (0, 1) };

      g_assert_cmpint (check_alone (new_attention (&c), &target_gpu,
                                    "rows-tiles"), >, 0);
      c.kind = ROW_NORM;
      g_assert_cmpint (check_alone (new_attention (&c), &target_gpu,
                                    "rows-tiles"), ==, 0);
    }
}

/* Columns before the row, or those behind it, count for nothing: whole blocks of them,
 * be they the first or the last. @sign: 1 or -1. */
static TpLowered *
new_masked (const AttentionCase *c, int sign)
{
  enum { ROW = 1, COLUMN = 2, MASK = 2 };
  TpLowered *lowered = new_attention (c);
  TpAccess *mask = &lowered->nests[0]->loads[MASK];

  mask->n_guards = 1;
  mask->guards[0].coef[ROW] = -sign;
  mask->guards[0].coef[COLUMN] = sign;
  mask->guards[0].extent = c->cols;
  mask->fill = -INFINITY;
  return lowered;
}

static void
test_masked (void)
{
  for (int i = 0; i < 12; i++)
    {
      gint64 n = any_of (20, 150);
      AttentionCase c = { ROW_SOFTMAX, any_of (1, 2), n, n, any_of (2, 20),
                          any_of (2, 40), .has_mask = TRUE,
                          .is_turned = any_of (0, 1) };
      int sign = i % 2 == 0 ? 1 : -1;

      g_assert_cmpint (check_alone (new_masked (&c, sign), &target_gpu,
                                    "rows-tiles"), >, 0);
      check_lowered (new_masked (&c, sign), &target_avx2, run_by_interpreter);
    }
}

/* What rows have in one kernel they have in three, its rival. */
static void
test_apart (void)
{
  const AttentionCase c = { ROW_SOFTMAX, 2, 40, 50, 16, 16, .is_turned = TRUE };
  g_autoptr (TpLowered) lowered = new_attention (&c);
  g_autofree char *rival = tp_program_find_rival (lowered, &target_gpu);
  g_autoptr (TpProgram) one
      = tp_program_new (lowered, &target_gpu, NULL, NULL);
  g_autoptr (TpProgram) three = NULL;

  g_assert_nonnull (rival);
  three = tp_program_new (lowered, &target_gpu, rival, NULL);
  g_assert_cmpstr (three->schedule, ==, rival);
  g_assert_true (g_str_has_prefix (one->schedule, "rows-tiles "));
  g_assert_cmpint (one->n_steps, ==, 1);
  g_assert_cmpint (three->n_steps, ==, 3);
  check_program (lowered, three, run_by_interpreter);
}

/* Heads that share keys are more rows to one product, and are not to the other, whose
 * mask tells rows apart. */
static void
test_split (void)
{
  for (int i = 0; i < 6; i++)
    {
      AttentionCase c = { ROW_SOFTMAX, any_of (2, 4), any_of (2, 40),
                          any_of (16, 70), any_of (2, 20), any_of (16, 40),
                          .has_mask = TRUE, .is_shared = TRUE,
                          .is_turned = TRUE, .is_stepped = TRUE };

      g_assert_cmpint (check_rows (new_attention (&c), &target_avx2), >, 0);
      c.is_interleaved = TRUE;
      g_assert_cmpint (check_rows (new_attention (&c), &target_avx2), >, 0);
    }
}

/* The mask of @lowered is made, in scratch, by a nest before all others. */
static void
add_mask_nest (TpLowered *lowered, gint64 cols)
{
  int mask = lowered->nests[0]->loads[2].operand;
  TpNest *nest = tp_nest_new ();
  int n;

  tp_nest_add_axis (nest, cols, FALSE);
  tp_nest_add_load (nest, add_operand (lowered, cols, FALSE))->stride[0] = 1;
  nest->result = tp_nest_unary (nest, TP_EXPR_NEG, tp_nest_load (nest, 0));
  nest->store.operand = mask;
  nest->store.stride[0] = 1;
  lowered->operands[mask].is_scratch = TRUE;
  tp_lowered_take_nest (lowered, nest);
  n = lowered->n_nests;
  memmove (lowered->nests + 1, lowered->nests, (n - 1) * sizeof nest);
  lowered->nests[0] = nest;
}

/* What they read may be made by a nest before them. */
static void
test_last (void)
{
  const AttentionCase c = { ROW_SOFTMAX, 2, 20, 30, 8, 16, .has_mask = TRUE,
                            .is_turned = TRUE };
  g_autoptr (TpLowered) lowered = new_attention (&c);
  g_autoptr (TpProgram) program = NULL;
  g_autoptr (GError) error = NULL;

  add_mask_nest (lowered, c.cols);
  program = tp_program_new (lowered, &target_avx2, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (program->schedule, "rows block="));
  check_program (lowered, program, run_by_interpreter);
}

/* Memory that somebody else may read is written, whatever is in between. */
static void
test_no_rows (void)
{
  const AttentionCase c = { ROW_SOFTMAX, 2, 20, 30, 8, 8, .is_turned = TRUE };
  const AttentionCase one = { ROW_SOFTMAX, 2, 1, 30, 8, 8, .is_turned = TRUE };
  const AttentionCase narrow = { ROW_SOFTMAX, 2, 20, 3, 8, 8, .is_turned = TRUE };

  for (int i = 0; i < 2; i++)
    {
      TpLowered *lowered = new_attention (&c);

      lowered->operands[i].is_scratch = FALSE;
      g_assert_cmpint (check_rows (lowered, &target_avx2), ==, 0);
    }
  g_assert_cmpint (check_rows (new_attention (&one), &target_avx2), ==, 0);
  g_assert_cmpint (check_rows (new_attention (&narrow), &target_avx2), ==, 0);
}

/* Divisions and roots of vectors in loops that hold no loop. */
static int
count_slow (const TpKernel *kernel)
{
  gboolean is_innermost = FALSE;
  int n = 0, n_here = 0;

  for (int i = 0; i < kernel->n_instrs; i++)
    {
      const TpInstr *instr = &kernel->instrs[i];

      if (instr->op == TP_I_FOR || instr->op == TP_I_END_FOR)
        {
          n += instr->op == TP_I_END_FOR && is_innermost ? n_here : 0;
          is_innermost = instr->op == TP_I_FOR;
          n_here = 0;
        }
      else if (instr->lanes > 1)
        n_here += instr->op == TP_I_FDIV || instr->op == TP_I_FSQRT;
    }
  return n;
}

/* What is the same along a row is divided and rooted once, not for each vector. */
static void
test_once_per_row (void)
{
  static const RowCase cases[]
      = { { .kind = ROW_SOFTMAX, .rows = 8, .cols = 1024 },
          { .kind = ROW_NORM, .rows = 8, .cols = 1024 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpLowered) lowered = new_rows (&cases[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, &target_avx2, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (program->n_steps, >, 0);
      for (int j = 0; j < program->n_steps; j++)
        g_assert_cmpint (count_slow (program->steps[j].kernel), ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rows/right", test_rows);
  g_test_add_func ("/rows/tiles", test_rows_tiles);
  g_test_add_func ("/rows/masked", test_masked);
  g_test_add_func ("/rows/apart", test_apart);
  g_test_add_func ("/rows/split", test_split);
  g_test_add_func ("/rows/last", test_last);
  g_test_add_func ("/rows/no-rows", test_no_rows);
  g_test_add_func ("/rows/once", test_once_per_row);
  return g_test_run ();
}
