/* Products of few rows, few columns, or factors that are no constants: what the model
 * makes of them, and that it is right. */
#include "config.h"

#include "draws.h"

#include <stdlib.h>
#include <string.h>

static const TpTarget *const vectors[] = { &target_avx512, &target_avx2,
                                           &target_sse };

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/contract/sets", test_sets);
  g_test_add_func ("/contract/in-place", test_in_place);
  return g_test_run ();
}
