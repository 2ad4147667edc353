/* Families for GPUs beside those that CPUs have too: filtering, attention, vectors. */
#include "config.h"

#include "draws.h"
#include "row-nests.h"
#include "typed-nests.h"

/* ---- filtering ---------------------------------------------------------- */

/* On GPUs: all layouts too, batches, and tiles that no block divides. (Without padding
 * x in rows may take the part of the filters, as in any contraction.) */
static void
test_winograd_tiles (void)
{
  for (int i = 0; i < 12; i++)
    {
      gboolean is_row_major = any_of (0, 1), is_out_row_major = any_of (0, 1);
      gint64 pad = is_row_major || is_out_row_major ? any_of (1, 2) : i % 3;
      ConvCase c = { any_of (1, 3), any_of (2, 37), any_of (4, 15),
                     any_of (4, 15), any_of (2, 70), 3, 3, 1, pad, 1, 1,
                     is_row_major, is_out_row_major, any_of (0, 1),
                     any_of (0, 1) };

      g_assert_cmpint (check_alone (draw_reals (new_conv (&c)), &target_gpu,
                                    "winograd-tiles"), >, 0);
    }
}

/* Filters of a few tiles are read as they are: transformed ones have more numbers. */
static void
test_winograd_few (void)
{
  static const TpTarget gpu = { 1, 32, 16 << 10, 2 << 20, 40, 256, 48 << 10,
                                TRUE, FALSE };

  for (int n = 1; n <= 64; n *= 64)
    {
      ConvCase c = { n, 512, 4, 4, 512, 3, 3, 1, 1, 1, 1,
                     .is_row_major = FALSE };
      g_autoptr (TpLowered) lowered = new_conv (&c);
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, &gpu, NULL, NULL);

      g_assert_true (g_str_has_prefix (program->schedule, "winograd-tiles ")
                     == (n > 1));
    }
}

/* ---- matrices by waves --------------------------------------------------- */

static void
check_waves (TpLowered *lowered, gboolean is_one)
{
  int n = check_alone (lowered, &target_mma, "contract-waves");

  g_assert_true ((n > 0) == is_one);
}

/* Sides that no block divides, batches, either order of either factor, what comes before
 * and after; convolutions are products, too. */
static void
test_waves (void)
{
  for (int i = 0; i < 4; i++)
    {
      MatmulCase m = { any_of (1, 2), any_of (16, 70), any_of (16, 70),
                       any_of (32, 90), .trans_a = any_of (0, 1),
                       .trans_b = any_of (0, 1), .is_w_constant = any_of (0, 1),
                       .has_bias = any_of (0, 1) };
      ConvCase c = { 1, any_of (8, 12), any_of (7, 10), any_of (7, 10),
                     any_of (16, 40), 3, 3, any_of (1, 2), 1, 1, 1,
                     any_of (0, 1), any_of (0, 1), any_of (0, 1), any_of (0, 1) };

      check_waves (i % 2 == 0 ? new_matmul (&m) : draw_reals (new_matmul (&m)), TRUE);
      check_waves (new_conv (&c), TRUE);
    }
}

/* They are measured beside tiles, and no other device has them; what is smaller than a
 * square is none for them. */
static void
test_waves_choice (void)
{
  MatmulCase c = { 1, 64, 64, 64, .is_w_constant = TRUE };
  g_autoptr (TpLowered) lowered = new_matmul (&c);
  g_autoptr (TpProgram) model = tp_program_new (lowered, &target_mma, NULL, NULL);
  g_autofree char *rival = tp_program_find_rival (lowered, &target_mma);

  g_assert_true (g_str_has_prefix (model->schedule, "contract-tiles "));
  g_assert_true (g_str_has_prefix (rival, "contract-waves "));
  check_refused (lowered, &target_gpu, rival, "another family");
  check_refused (lowered, &target_mma,
                 "contract-waves squares=4x4 waves=1x1 depth=8 buffers=1 parts=1",
                 "registers");
  check_refused (lowered, &target_mma,
                 "contract-waves squares=1x1 waves=4x4 depth=8 buffers=1 parts=1",
                 "work-items");
  check_refused (lowered, &target_mma,
                 "contract-waves squares=2x3 waves=1x1 depth=8 buffers=1 parts=1",
                 "powers of two");
  check_refused (lowered, &target_mma,
                 "contract-waves squares=1x1 waves=1x1 depth=8 buffers=1 parts=3",
                 "do not divide");
  check_refused (lowered, &target_mma,
                 "contract-waves squares=4x2 waves=2x4 depth=32 buffers=2 parts=1",
                 "local memory");
  c.k = 24;
  check_waves (new_matmul (&c), FALSE);
}

/* ---- vectors ------------------------------------------------------------ */

/* A vector times a matrix is one kernel on a GPU, and two are its rival. */
static void
test_vector (void)
{
  for (int trans = FALSE; trans <= TRUE; trans++)
    for (int rows = 1; rows <= 16; rows *= 16)
      {
        MatmulCase c = { 1, rows, 100, 300, .trans_b = trans,
                         .is_w_constant = TRUE, .has_bias = TRUE };
        g_autoptr (TpLowered) lowered = new_matmul (&c);
        g_autoptr (TpProgram) model
            = tp_program_new (lowered, &target_gpu, NULL, NULL);
        g_autofree char *rival = tp_program_find_rival (lowered, &target_gpu);

        check_program (lowered, model, run_by_interpreter);
        g_assert_true (g_str_has_prefix (model->schedule, "reduce-items ")
                       == (rows == 1));
        if (rows > 1)
          {
            g_assert_null (rival);
            continue;
          }
        g_assert_cmpint (model->n_steps, ==, 1);
        g_assert_nonnull (rival);
        g_assert_true (g_str_has_prefix (rival, "contract-tiles "));
      }
}

/* ---- groups that share a row --------------------------------------------- */

/* Reductions of all kinds, of one stage and of several, with a result for all of a row and
 * for each element. */
static void
test_groups (void)
{
  static const RowKind kinds[]
      = { ROW_SUM, ROW_MAX, ROW_PROD, ROW_SOFTMAX, ROW_NORM };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (kinds); i++)
    {
      RowCase c = { .kind = kinds[i % G_N_ELEMENTS (kinds)], .rows = any_of (1, 3),
                    .cols = 4 * any_of (2, 24), .is_turned = any_of (0, 1) };

      g_assert_cmpint (check_alone (draw_types (new_rows (&c)), &target_gpu,
                                    "reduce-groups"), >, 0);
    }
}

/* Few long rows are for them, and no others. */
static void
test_groups_choice (void)
{
  static const struct
  {
    gint64 rows, cols;
    gboolean is_shared;
  } cases[] = { { 1, 1 << 20, TRUE }, { 2, 1 << 20, TRUE }, { 1, 1 << 12, FALSE },
                { 4096, 1 << 12, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int k = 0; k < 2; k++)
      {
        RowCase c = { .kind = k == 0 ? ROW_SUM : ROW_NORM, .rows = cases[i].rows,
                      .cols = cases[i].cols };
        g_autoptr (TpLowered) lowered = new_rows (&c);
        g_autoptr (TpProgram) program
            = tp_program_new (lowered, &target_gpu, NULL, NULL);

        g_assert_true (g_str_has_prefix (program->schedule, "reduce-groups ")
                       == cases[i].is_shared);
      }
}

/* Order statistics: as many elements as divide, of all orders and types; few long rows are
 * for groups, and no others. */
static void
test_place_groups (void)
{
  static const gint64 lengths[] = { 1 << 18, 1 << 10 };
  int n = 0;

  for (int i = 0; i < 40; i++)
    {
      PlaceCase c = { any_of (1, 5), 2 * any_of (2, 75), any_of (1, 20), any_of (0, 1),
                      any_of (0, 1), any_of (0, 1), any_of (0, 1) };

      n += check_alone (draw_types (new_places (&c)), &target_gpu, "place-groups");
    }
  g_assert_cmpint (n, >, 20);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      PlaceCase c = { 1, lengths[i], 10, .is_turned = FALSE };
      g_autoptr (TpLowered) lowered = new_places (&c);
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, &target_gpu, NULL, NULL);

      g_assert_true (g_str_has_prefix (program->schedule, "place-groups ")
                     == (i == 0));
    }
}

/* ---- what is refused ---------------------------------------------------- */

static void
test_refuse_filtering (void)
{
  MatmulCase m = { 1, 20, 40, 16, .is_w_constant = TRUE };
  ConvCase c = { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 1, .is_row_major = FALSE };
  g_autoptr (TpLowered) matmul = new_matmul (&m);
  g_autoptr (TpLowered) conv = new_conv (&c);

  check_refused (conv, &target_gpu,
                 "winograd-tiles tile=8x8 items=4x2 depth=8 parts=1",
                 "work-items");
  check_refused (conv, &target_gpu,
                 "winograd-tiles tile=8x8 items=2x2 depth=16 parts=1",
                 "local memory");
  check_refused (conv, &target_gpu,
                 "winograd-tiles tile=8x8 items=2x2 depth=4 parts=3",
                 "do not divide");
  check_refused (conv, &target_gpu,
                 "winograd-tiles tile=8x6 items=1x1 depth=4 parts=1",
                 "powers of two");
  check_refused (matmul, &target_gpu,
                 "winograd-tiles tile=8x8 items=1x1 depth=4 parts=1",
                 "none for it");
}

static void
test_refuse_groups (void)
{
  const RowCase c = { .kind = ROW_SUM, .rows = 2, .cols = 60 };
  g_autoptr (TpLowered) rows = new_rows (&c);

  check_refused (rows, &target_gpu, "reduce-groups n=7", "do not divide");
}

static void
test_refuse_rows (void)
{
  const AttentionCase c = { ROW_SOFTMAX, 2, 40, 50, 16, 16, .is_turned = TRUE };
  const AttentionCase wide = { ROW_SOFTMAX, 2, 40, 50, 16, 300, .is_turned = TRUE };
  g_autoptr (TpLowered) heads = new_attention (&c);
  g_autoptr (TpLowered) results = new_attention (&wide);

  check_refused (heads, &target_gpu, "rows-tiles tile=3x4 items=8x8",
                 "powers of two");
  check_refused (heads, &target_gpu, "rows-tiles tile=4x4 items=16x2",
                 "few items");
  check_refused (heads, &target_gpu, "rows-tiles tile=4x4 items=16x8",
                 "work-items");
  check_refused (heads, &target_gpu, "rows-tiles tile=8x8 items=16x4",
                 "local memory");
  check_refused (results, &target_gpu, "rows-tiles tile=4x4 items=4x16",
                 "too many results");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gpu-families/waves", test_waves);
  g_test_add_func ("/gpu-families/waves-choice", test_waves_choice);
  g_test_add_func ("/gpu-families/winograd-tiles", test_winograd_tiles);
  g_test_add_func ("/gpu-families/winograd-few", test_winograd_few);
  g_test_add_func ("/gpu-families/vector", test_vector);
  g_test_add_func ("/gpu-families/groups", test_groups);
  g_test_add_func ("/gpu-families/groups-choice", test_groups_choice);
  g_test_add_func ("/gpu-families/place-groups", test_place_groups);
  g_test_add_func ("/gpu-families/refuse-filtering", test_refuse_filtering);
  g_test_add_func ("/gpu-families/refuse-groups", test_refuse_groups);
  g_test_add_func ("/gpu-families/refuse-rows", test_refuse_rows);
  return g_test_run ();
}
