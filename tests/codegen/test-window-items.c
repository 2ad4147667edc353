/* Windows on GPUs: who takes them, that neighbours share what they read, and that
 * every tile is right. */
#include "config.h"

#include "draws.h"

#include <string.h>

#define CONV(...) &(const ConvCase) { __VA_ARGS__ }

/* As `target_gpu`, but so small that it is busy with little. */
static const TpTarget target_small
    = { 1, 32, 32 << 10, 256 << 10, 1, 64, 32 << 10, TRUE, FALSE };

static TpProgram *
new_program (const TpLowered *lowered, const char *schedule)
{
  g_autoptr (GError) error = NULL;
  TpProgram *program = tp_program_new (lowered, &target_small, schedule, &error);

  g_assert_no_error (error);
  return program;
}

/* ---- who takes what ----------------------------------------------------- */

typedef struct
{
  const ConvCase *conv;
  gboolean is_pool;
  const char *family;
} TakenCase;

static void
test_taken (void)
{
  const TakenCase cases[] = {
    { CONV (2, 64, 28, 28, 64, 3, 3, 1, 1, 1, 64, .is_row_major = FALSE),
      FALSE, "window-items" },
    { CONV (2, 64, 28, 28, 64, 7, 7, 2, 3, 1, 64, .is_row_major = TRUE,
            .is_out_row_major = TRUE),
      FALSE, "window-items" },
    { CONV (2, 64, 28, 28, 64, 3, 3, 2, 1, 1, 64, .is_row_major = FALSE),
      TRUE, "window-items" },
    { CONV (2, 64, 28, 28, 64, 3, 3, 1, 1, 1, 16, .is_row_major = FALSE),
      FALSE, "window-items" },
    { CONV (2, 64, 28, 28, 64, 3, 3, 1, 1, 1, 4, .is_row_major = FALSE),
      FALSE, "contract-tiles" },
    { CONV (2, 64, 28, 28, 64, 3, 3, 1, 1, 1, 1, .is_row_major = FALSE),
      FALSE, "winograd-tiles" },
    { CONV (2, 64, 28, 28, 64, 3, 3, 2, 1, 1, 1, .is_row_major = FALSE),
      FALSE, "contract-tiles" },
    { CONV (2, 64, 28, 28, 64, 1, 1, 1, 0, 1, 1, .is_row_major = FALSE),
      FALSE, "contract-tiles" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpLowered) lowered = cases[i].is_pool
                                          ? new_pool (cases[i].conv, TRUE)
                                          : new_conv (cases[i].conv);
      g_autoptr (TpProgram) program = new_program (lowered, NULL);

      g_test_message ("case %u: %s", i, program->schedule);
      g_assert_true (g_str_has_prefix (program->schedule, cases[i].family));
    }
}

/* What else is measured beside it. */
static void
test_rival (void)
{
  g_autoptr (TpLowered) depthwise
      = new_conv (CONV (2, 64, 28, 28, 64, 3, 3, 1, 1, 1, 64, .is_row_major = FALSE));
  g_autoptr (TpLowered) grouped
      = new_conv (CONV (2, 64, 28, 28, 64, 3, 3, 1, 1, 1, 16, .is_row_major = FALSE));
  g_autofree char *none = tp_program_find_rival (depthwise, &target_small);
  g_autofree char *tiles = tp_program_find_rival (grouped, &target_small);

  g_assert_null (none);
  g_assert_nonnull (tiles);
  g_assert_true (g_str_has_prefix (tiles, "contract-tiles "));
}

/* ---- what is read ------------------------------------------------------- */

static int
count_loads (const TpKernel *kernel)
{
  int n = 0;

  for (int i = 0; i < kernel->n_instrs; i++)
    n += kernel->instrs[i].op == TP_I_LOAD;
  return n;
}

/* Without loops a kernel reads each element of x that a tile meets once, and each
 * weight once, whatever the step and the reach. */
static void
test_shared (void)
{
  for (int step = 1; step <= 2; step++)
    for (int reach = 1; reach <= 2; reach++)
      for (int tile = 1; tile <= 8; tile++)
        {
          g_autoptr (TpLowered) lowered = new_conv (
              CONV (1, 16, 30, 30, 16, 3, 3, step, 0, reach, 16, .is_row_major = FALSE));
          g_autofree char *schedule = g_strdup_printf (
              "window-items local=32 lanes=4 tile=%d flat=2", tile);
          g_autoptr (TpProgram) program = new_program (lowered, schedule);
          gboolean is_met[64] = { FALSE };
          int n_met = 0;

          for (int i = 0; i < tile; i++)
            for (int k = 0; k < 3; k++)
              is_met[i * step + k * reach] = TRUE;
          for (guint i = 0; i < G_N_ELEMENTS (is_met); i++)
            n_met += is_met[i];
          g_assert_cmpint (program->n_steps, ==, 1);
          g_assert_cmpint (count_loads (program->steps[0].kernel), ==,
                           3 * n_met + 3 * 3);
        }
}

/* ---- results ------------------------------------------------------------ */

static void
test_tiles (void)
{
  for (int tile = 1; tile <= 8; tile++)
    for (int flat = 0; flat <= 2; flat++)
      {
        ConvCase c = { 1, 8, any_of (10, 16), any_of (10, 16), 8, 3, 3, 1,
                       any_of (1, 2), any_of (1, 2), 8, any_of (0, 1),
                       any_of (0, 1), .has_epilogue = TRUE };
        g_autoptr (TpLowered) lowered = new_conv (&c);
        g_autofree char *schedule
            = g_strdup_printf ("window-items local=%d lanes=1 tile=%d flat=%d",
                               1 << any_of (1, 6), tile, flat);
        g_autoptr (TpProgram) program = new_program (lowered, schedule);

        check_program (lowered, program, run_by_interpreter);
      }
}

/* Random operands of float32, as many as @lowered has; the last is the result. */
static void **
new_operands (const TpLowered *lowered)
{
  void **operands = g_new0 (void *, lowered->n_operands + 1);

  for (int i = 0; i < lowered->n_operands; i++)
    {
      gint64 n = lowered->operands[i].n_elements;
      float *values = g_new0 (float, n);

      for (gint64 j = 0; j < n && i < lowered->n_operands - 1; j++)
        values[j] = tp_random_uniform (i + 1, j);
      operands[i] = values;
    }
  return operands;
}

/* Terms at once, of whole axes and of parts, are added in the order they were. */
static void
test_terms (void)
{
  static const int terms[] = { 1, 2, 3, 4, 6, 12 };
  g_autoptr (TpLowered) lowered = new_pool (
      CONV (2, 20, 12, 12, 20, 3, 12, 12, 0, 1, 20, .is_row_major = FALSE), FALSE);
  gsize size = lowered->operands[lowered->n_operands - 1].n_elements * sizeof (float);
  g_autofree float *first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    {
      g_autofree char *schedule
          = g_strdup_printf ("items local=32 lanes=1 unroll=%d", terms[i]);
      g_autoptr (TpProgram) program = new_program (lowered, schedule);
      g_auto (GStrv) operands = (char **) new_operands (lowered);
      void *result = operands[lowered->n_operands - 1];

      check_program (lowered, program, run_by_interpreter);
      g_assert_true (run_by_interpreter (program, (void *const *) operands, NULL));
      if (i == 0)
        first = g_memdup2 (result, size);
      g_assert_cmpmem (first, size, result, size);
    }
}

static void
test_refused (void)
{
  g_autoptr (TpLowered) rows
      = new_conv (CONV (1, 6, 9, 5, 6, 5, 5, 1, 2, 1, 6, .is_row_major = TRUE,
            .is_out_row_major = TRUE));
  g_autoptr (TpLowered) single
      = new_conv (CONV (1, 8, 5, 5, 8, 5, 5, 1, 0, 1, 8, .is_row_major = FALSE));

  check_refused (rows, &target_small,
                 "window-items local=32 lanes=4 tile=2 flat=1", "vectors");
  check_refused (rows, &target_small,
                 "window-items local=32 lanes=1 tile=8 flat=2", "unrolled");
  check_refused (rows, &target_small,
                 "window-items local=128 lanes=1 tile=2 flat=1", "work-items");
  check_refused (rows, &target_small, "items local=32 lanes=1 unroll=3", "terms");
  check_refused (single, &target_small,
                 "window-items local=32 lanes=1 tile=2 flat=1", "none");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/window-items/taken", test_taken);
  g_test_add_func ("/window-items/rival", test_rival);
  g_test_add_func ("/window-items/shared", test_shared);
  g_test_add_func ("/window-items/tiles", test_tiles);
  g_test_add_func ("/window-items/terms", test_terms);
  g_test_add_func ("/window-items/refused", test_refused);
  return g_test_run ();
}
