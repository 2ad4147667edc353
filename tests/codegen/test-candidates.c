/* What is worth measuring beside the model's schedule: candidates, and those with
 * larger errors. */
#include "config.h"

#include "draws.h"

static const TpTarget *const targets[] = { &target_avx512, &target_avx2,
                                           &target_sse, &target_gpu };

/* Whatever is proposed is new, parses back to itself, and is right; the model's own
 * and its rival come first. */
static void
check_candidates (const TpLowered *lowered, const TpTarget *target, int most,
                  gboolean is_relaxed)
{
  g_autoptr (TpProgram) model = tp_program_new (lowered, target, NULL, NULL);
  g_autoptr (TpArray) regrets = tp_array_new (sizeof (double));
  g_autoptr (TpPointers) texts
      = tp_program_list_candidates (lowered, target, most, is_relaxed, regrets);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *rival = tp_program_find_rival (lowered, target);
  int n_relaxed = 0;

  g_assert_cmpint (texts->len, >, 1);
  g_assert_cmpint (texts->len, <=, most);
  if (!is_relaxed)
    g_assert_cmpint (texts->len, <=, tp_program_count_choices (lowered, target));
  g_assert_cmpint (regrets->len, ==, texts->len);
  g_assert_cmpfloat (tp_array_index (regrets, double, 0), ==, 0);
  g_assert_cmpstr (texts->pdata[0], ==, model->schedule);
  if (rival != NULL)
    g_assert_cmpstr (texts->pdata[1], ==, rival);
  for (guint i = 0; i < texts->len && !g_test_failed (); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, target, texts->pdata[i], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (program->schedule, ==, texts->pdata[i]);
      g_assert_true (g_hash_table_add (seen, texts->pdata[i]));
      g_assert_cmpfloat (tp_array_index (regrets, double, i), >=, 0);
      n_relaxed += tp_program_is_relaxed (texts->pdata[i]);
      check_program (lowered, program, run_by_interpreter);
    }
  if (is_relaxed)
    g_assert_cmpint (n_relaxed, >, 0);
  else
    g_assert_cmpint (n_relaxed, ==, 0);
}

static void
test_candidates (void)
{
  MatmulCase product = { 1, 20, 40, 16, .is_w_constant = TRUE };
  ConvCase window = { 1, 32, 12, 12, 32, 3, 3, 1, 1, 1, 1,
                      .has_epilogue = TRUE };
  g_autoptr (TpLowered) matmul = new_matmul (&product);
  g_autoptr (TpLowered) conv = new_conv (&window);

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      check_candidates (matmul, targets[i], 12, FALSE);
      check_candidates (conv, targets[i], 5, FALSE);
    }
}

/* Larger errors are had where they are asked for, and by nobody else: neither by who
 * has the model choose, nor by who has that part of a schedule left to it. */
static void
test_relaxed (void)
{
  MatmulCase product = { 1, 20, 40, 16, .is_w_constant = TRUE };
  ConvCase window = { 1, 32, 12, 12, 32, 3, 3, 1, 1, 1, 1,
                      .has_epilogue = TRUE };
  g_autoptr (TpLowered) matmul = new_matmul (&product);
  g_autoptr (TpLowered) conv = new_conv (&window);

  for (guint i = 0; targets[i] != &target_gpu; i++)
    {
      g_autofree char *none = tp_program_find_relaxed (matmul, targets[i]);
      g_autofree char *relaxed = tp_program_find_relaxed (conv, targets[i]);
      g_autofree char *rival = tp_program_find_rival (conv, targets[i]);
      g_autoptr (TpProgram) model
          = tp_program_new (conv, targets[i], NULL, NULL);

      g_assert_null (none);
      g_assert_nonnull (relaxed);
      g_assert_true (tp_program_is_relaxed (relaxed));
      g_assert_false (tp_program_is_relaxed (model->schedule));
      g_assert_true (tp_program_may_relax (model->schedule)
                     || (rival != NULL && tp_program_may_relax (rival)));
      g_assert_false (tp_program_may_relax (relaxed));
      g_assert_false (rival != NULL && tp_program_is_relaxed (rival));
      check_candidates (conv, targets[i], 12, TRUE);
    }
  g_assert_false (tp_program_is_relaxed ("winograd output=5"));
}

/* As many as are asked for, the same each time. */
static void
test_ranking (void)
{
  ConvCase window = { 1, 32, 12, 12, 32, 3, 3, 1, 1, 1, 1,
                      .has_epilogue = TRUE };
  g_autoptr (TpLowered) conv = new_conv (&window);
  g_autoptr (TpPointers) few
      = tp_program_list_candidates (conv, &target_avx512, 4, FALSE, NULL);
  g_autoptr (TpPointers) many
      = tp_program_list_candidates (conv, &target_avx512, 12, FALSE, NULL);
  g_autoptr (TpPointers) again
      = tp_program_list_candidates (conv, &target_avx512, 12, FALSE, NULL);

  g_assert_cmpint (few->len, ==, 4);
  g_assert_cmpint (many->len, ==, 12);
  g_assert_cmpint (again->len, ==, many->len);
  for (guint i = 0; i < many->len; i++)
    g_assert_cmpstr (many->pdata[i], ==, again->pdata[i]);
  g_assert_cmpstr (few->pdata[0], ==, many->pdata[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/candidates/all", test_candidates);
  g_test_add_func ("/candidates/relaxed", test_relaxed);
  g_test_add_func ("/candidates/ranking", test_ranking);
  return g_test_run ();
}
