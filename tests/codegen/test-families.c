/* Families of schedules: whatever they list, and whatever they find no fault
 * with, is right. */
#include "config.h"

#include "draws.h"
#include "row-nests.h"
#include "map-nests.h"
#include "typed-nests.h"

#include <string.h>

#define N_DRAWS 3               /* choices per nest, target and family */

static const TpTarget *const targets[] = { &target_avx512, &target_avx2,
                                           &target_sse, &target_scalar,
                                           &target_gpu };

/* Takes @lowered. */
static void
check_families (TpLowered *lowered, const TpTarget *target)
{
  g_autoptr (TpLowered) owned = draw_types (lowered);
  int n_families, n = 0;
  const TpFamily *const *families = tp_schedule_list (&n_families);

  for (int i = 0; i < n_families; i++)
    n += check_family (lowered, target, families[i], N_DRAWS,
                       run_by_interpreter);
  g_assert_cmpint (n, >, 0);
}

static void
check_everywhere (TpLowered *(*make) (gconstpointer), gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (targets) && !g_test_failed (); i++)
    check_families (make (data), targets[i]);
}

/* ---- nests ------------------------------------------------------------- */

static TpLowered *
make_conv (gconstpointer data)
{
  return new_conv (data);
}

static TpLowered *
make_max_pool (gconstpointer data)
{
  return new_pool (data, TRUE);
}

static TpLowered *
make_mean_pool (gconstpointer data)
{
  return new_pool (data, FALSE);
}

static TpLowered *
make_matmul (gconstpointer data)
{
  return new_matmul (data);
}

static void
test_conv (void)
{
  for (int i = 0; i < 12; i++)
    {
      gint64 groups = i % 4 == 3 ? 2 : 1, k = any_of (1, 3);
      ConvCase c = { any_of (1, 2), groups * any_of (1, 9), any_of (5, 8),
                     any_of (5, 20), groups * any_of (1, 40), k, any_of (1, 3),
                     any_of (1, 2), any_of (0, 1), any_of (1, 2), groups,
                     any_of (0, 1), any_of (0, 1), any_of (0, 1),
                     any_of (0, 1) };

      check_everywhere (make_conv, &c);
    }
}

/* Windows of 3 x 3: odd sizes, all paddings, channels that fill no vector. */
static void
test_winograd (void)
{
  static const TpTarget *const vectors[] = { &target_avx512, &target_avx2,
                                             &target_sse };

  for (int i = 0; i < 30; i++)
    {
      ConvCase c = { any_of (1, 2), any_of (2, 19), any_of (4, 9),
                     any_of (4, 9), any_of (2, 37), 3, 3, 1, i % 3, 1, 1,
                     FALSE, FALSE, any_of (0, 1), any_of (0, 1) };

      g_assert_cmpint (check_alone (draw_reals (new_conv (&c)),
                                    vectors[i / 10], "winograd"), >, 0);
    }
}

#define N_NOT_FILTERED 6        /* of the first cases below, anywhere */

static void
test_no_winograd (void)
{
  static const ConvCase cases[] = {
    { 1, 8, 8, 8, 8, 3, 3, 2, 1, 1, 1, .is_row_major = FALSE },
    { 1, 8, 8, 8, 8, 3, 3, 1, 1, 2, 1, .is_row_major = FALSE },
    { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 2, .is_row_major = FALSE },
    { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 8, .is_row_major = FALSE },
    { 1, 8, 8, 8, 8, 5, 5, 1, 1, 1, 1, .is_row_major = FALSE },
    { 1, 8, 8, 8, 8, 3, 2, 1, 1, 1, 1, .is_row_major = FALSE },
    /* GPUs have it for any layout */
    { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 1, .is_row_major = TRUE },
    { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 1, .is_out_row_major = TRUE },
  };
  MatmulCase matmul = { 1, 20, 40, 16, .is_w_constant = TRUE };
  const ConvCase good = { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 1,
                          .is_row_major = FALSE };
  TpLowered *computed = new_conv (&good);

  computed->operands[1].is_constant = FALSE;
  g_assert_cmpint (check_alone (computed, &target_avx2, "winograd"), ==, 0);
  for (guint i = 0; i < N_NOT_FILTERED; i++)
    g_assert_cmpint (check_alone (new_conv (&cases[i]), &target_gpu,
                                  "winograd-tiles"), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (check_alone (new_conv (&cases[i]), &target_avx2,
                                  "winograd"), ==, 0);
  g_assert_cmpint (check_alone (new_matmul (&matmul), &target_avx2,
                                "winograd"), ==, 0);
}

static void
test_pool (void)
{
  for (int i = 0; i < 16; i++)
    {
      gint64 channels = any_of (1, 40);
      ConvCase c = { any_of (1, 2), channels, any_of (4, 24), any_of (4, 24),
                     channels, any_of (1, 4), any_of (1, 4), any_of (1, 2),
                     any_of (0, 1), 1, channels, any_of (0, 1), any_of (0, 1),
                     FALSE, FALSE };

      check_everywhere (i % 2 == 0 ? make_max_pool : make_mean_pool, &c);
    }
}

/* Padded rows of which vectors run over all but the ends, which may be no point, one or
 * some. */
static void
test_borders (void)
{
  for (int i = 0; i < 8; i++)
    {
      gint64 width = any_of (1, 5);
      ConvCase c = { any_of (1, 2), any_of (1, 3), any_of (4, 6), any_of (12, 70),
                     1, any_of (1, 3), width, any_of (1, 2), any_of (0, width - 1),
                     1, 1, TRUE, TRUE, FALSE, FALSE };

      c.o = c.groups = c.c;
      check_everywhere (make_mean_pool, &c);
    }
}

/* Convolutions of one filter per channel, and maxima, in rows: odd sizes, steps,
 * dilations and paddings, also those wider than the windows. */
static void
test_plane (void)
{
  static const TpTarget *const vectors[] = { &target_avx512, &target_avx2,
                                             &target_sse };
  int n = 0;

  for (int i = 0; i < 48; i++)
    {
      gint64 channels = any_of (1, 5), dilation = i % 5 == 4 ? 2 : 1;
      ConvCase c = { any_of (1, 2), channels, any_of (1, 40), any_of (7, 70),
                     channels, i % 4 == 3 ? 1 : any_of (1, 7), any_of (2, 7),
                     any_of (1, 3), i % 4 == 3 ? 0 : any_of (0, 4), dilation,
                     channels, TRUE, TRUE, any_of (0, 1), any_of (0, 1) };

      c.kh = MIN (c.kh, (c.h + 2 * c.pad - 1) / dilation + 1);
      c.kw = MIN (c.kw, (c.w + 2 * c.pad - 1) / dilation + 1);
      n += check_alone (i % 3 == 2 ? new_pool (&c, TRUE) : new_conv (&c),
                        vectors[i % 3], "plane");
      n += check_alone (new_conv (&c), vectors[(i + 1) % 3], "plane");
    }
  g_assert_cmpint (n, >, 200);
}

/* Where columns fill halves of vectors better than whole ones, only measuring can
 * tell which are faster: the rival has the others. */
static void
test_plane_lanes (void)
{
  static const struct
  {
    gint64 n_columns;
    const char *model, *rival; /* (nullable) */
  } cases[] = { { 28, "plane lanes=8", "plane lanes=4" },
                { 12, "plane lanes=4", "plane lanes=8" },
                { 16, "plane lanes=8", NULL },
                { 15, "plane lanes=8", NULL } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 n = cases[i].n_columns;
      ConvCase c = { 1, 6, n, n, 6, 3, 3, 1, 1, 1, 6, TRUE, TRUE, FALSE, FALSE };
      g_autoptr (TpLowered) lowered = new_conv (&c);
      g_autoptr (TpProgram) model
          = tp_program_new (lowered, &target_avx2, NULL, NULL);
      g_autofree char *rival = tp_program_find_rival (lowered, &target_avx2);

      g_assert_true (g_str_has_prefix (model->schedule, cases[i].model));
      g_assert_cmpint (rival != NULL, ==, cases[i].rival != NULL);
      g_assert_true (rival == NULL || g_str_has_prefix (rival, cases[i].rival));
    }
}

/* Vectors of few filters are mostly empty: those of points are taken, where these are
 * contiguous. */
static void
test_few_filters (void)
{
  for (int is_rows = 0; is_rows < 2; is_rows++)
    for (int filters = 2; filters < 6; filters += 3)
      {
        ConvCase c = { 1, 8, 12, 12, filters, 2, 3, 1, 1, 1, 1, is_rows, is_rows,
                       FALSE, FALSE };
        g_autoptr (TpLowered) lowered = new_conv (&c);
        g_autoptr (TpProgram) program
            = tp_program_new (lowered, &target_avx2, NULL, NULL);

        g_assert_true (g_str_has_prefix (program->schedule,
                                         is_rows && filters == 2 ? "window"
                                                                 : "contract"));
      }
}

/* Windows so wide that whole tiles meet padding alone at some of their taps. */
static void
test_dilated (void)
{
  for (int i = 0; i < 10; i++)
    {
      gint64 d = any_of (2, 9);
      ConvCase c = { 1, any_of (2, 19), any_of (4, 16), any_of (4, 16), any_of (2, 37),
                     3, 3, any_of (1, 2), d, d, 1, any_of (0, 1), d % 2, d % 3 == 0, TRUE };

      check_everywhere (make_conv, &c);
    }
}

static void
test_no_plane (void)
{
  static const ConvCase cases[] = {
    { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 8, .is_row_major = FALSE },
    { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 8, .is_row_major = TRUE },
    { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 8, .is_out_row_major = TRUE },
    { 1, 8, 8, 8, 8, 1, 1, 1, 0, 1, 8, TRUE, TRUE, FALSE, FALSE },
    { 1, 8, 8, 8, 8, 3, 3, 5, 1, 1, 8, TRUE, TRUE, FALSE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (check_alone (new_conv (&cases[i]), &target_avx2, "plane"),
                     ==, 0);
}

static void
test_matmul (void)
{
  for (int i = 0; i < 16; i++)
    {
      MatmulCase c = { any_of (1, 2), any_of (1, 3) == 1 ? 1 : any_of (2, 40),
                       any_of (1, 70), any_of (1, 50), any_of (0, 1),
                       any_of (0, 1), any_of (0, 1), any_of (0, 1),
                       any_of (0, 1), any_of (0, 1) };

      check_everywhere (make_matmul, &c);
    }
}

static void
check_model (TpLowered *lowered, const TpTarget *target, const char *family)
{
  g_autoptr (TpLowered) owned = lowered;
  g_autoptr (TpProgram) program = tp_program_new (owned, target, NULL, NULL);

  g_assert_true (g_str_has_prefix (program->schedule, family));
  check_program (owned, program, run_by_interpreter);
}

/* Products of float64 are those of float32 with vectors of half as many. */
static void
test_doubles (void)
{
  static const struct
  {
    const TpTarget *target;
    const char *family;
  } models[] = { { &target_avx512, "contract lanes=8 " },
                 { &target_avx2, "contract lanes=4 " },
                 { &target_sse, "contract lanes=4 " },
                 { &target_gpu, "contract-tiles " } };

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      const TpTarget *target = models[i].target;
      MatmulCase product = { 1, 30, 40, 64, .is_w_constant = i % 2 == 0 };
      MatmulCase few = { 1, any_of (1, 3), any_of (20, 90), any_of (2, 50),
                         .has_bias = TRUE };
      ConvCase window = { 1, 16, 9, 9, 33, 3, 3, any_of (1, 2), 1, 1, 1,
                          any_of (0, 1), any_of (0, 1), FALSE, TRUE };

      check_model (set_doubles (new_matmul (&product)), target, models[i].family);
      check_model (set_doubles (new_conv (&window)), target, models[i].family);
      if (target != &target_gpu)
        g_assert_cmpint (check_alone (set_doubles (new_matmul (&few)), target,
                                      "sweep"), >, 0);
      g_assert_cmpint (check_alone (set_doubles (new_conv (&window)), target,
                                    target == &target_gpu ? "contract-tiles"
                                                          : "contract"), >, 0);
    }
}

/* Columns a page apart, which the model would rather stage. */
static void
test_pages (void)
{
  MatmulCase c = { 1, 12, 48, 1024, .is_w_constant = TRUE };

  check_everywhere (make_matmul, &c);
}

static void
test_rows (void)
{
  for (int i = 0; i < 18; i++)
    {
      RowCase c = { i % (ROW_TRANSPOSE + 1), any_of (1, 40), any_of (4, 150),
                    any_of (0, 1), any_of (1, 2) };

      check_everywhere (new_rows, &c);
    }
}

static void
test_typed (void)
{
  for (int i = 0; i < 30; i++)
    check_everywhere (new_random_typed,
                      GUINT_TO_POINTER (any_of (0, G_MAXINT32 - 1)));
}

/* Rows of which vectors run along channels, and others of which they run along the points
 * that look, for all channels or some at once; and diagonals, which lanes of a vector are
 * on both sides of. */
static void
test_looks (void)
{
  static const gint64 channels[] = { 1, 3, 9, 20, 150 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (channels); i++)
    {
      MapCase c = { MAP_LOOK, any_of (1, 2), channels[i / 2], any_of (1, 3),
                    channels[i / 2] < 20 ? any_of (1, 400) : any_of (1, 20),
                    i % 2 == 0, 2, TPLAN_DTYPE_FLOAT32 };
      MapCase band = { MAP_BAND, 1, any_of (1, 3), any_of (2, 50), any_of (16, 90),
                       i % 3 == 2, 2, TPLAN_DTYPE_FLOAT32 };

      check_everywhere (new_map, &c);
      if (i < 3)
        check_everywhere (new_map, &band);
    }
}

/* What lies some elements apart, or comes to lie so, and columns that become rows: of
 * reals and integers of all widths. */
static void
test_moves (void)
{
  static const TpDtype dtypes[] = { TPLAN_DTYPE_FLOAT32, TPLAN_DTYPE_BFLOAT16,
                                    TPLAN_DTYPE_FLOAT64, TPLAN_DTYPE_UINT8,
                                    TPLAN_DTYPE_INT16, TPLAN_DTYPE_INT64 };
  static const MapKind kinds[] = { MAP_SLICE, MAP_REPEAT, MAP_WEAVE, MAP_TURN };

  for (guint i = 0; i < G_N_ELEMENTS (dtypes) * G_N_ELEMENTS (kinds); i++)
    {
      MapCase c = { kinds[i % G_N_ELEMENTS (kinds)], 1, any_of (1, 3), any_of (1, 20),
                    any_of (1, 70), any_of (0, 3) == 0, 1 << any_of (1, 2),
                    dtypes[i / G_N_ELEMENTS (kinds)] };

      check_everywhere (new_map, &c);
    }
}

static TpLowered *
make_maps (gconstpointer data)
{
  return new_maps (GPOINTER_TO_INT (data));
}

static void
test_maps (void)
{
  check_everywhere (make_maps, GINT_TO_POINTER (1));
  check_everywhere (make_maps, GINT_TO_POINTER (2));
  check_everywhere (make_maps, GINT_TO_POINTER (21));
}

/* ---- what is refused --------------------------------------------------- */

/* Of all lengths, with vectors that are not full; and all of them, some, or one. */
static void
test_places (void)
{
  static const gint64 lengths[] = { 1, 3, 16, 17, 64, 130, 300, 700 };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (lengths); i++)
    {
      gint64 n = lengths[i / 4];
      PlaceCase c = { any_of (1, 3), n, i % 2 == 0 ? any_of (1, n) : any_of (1, 3),
                      any_of (0, 1), any_of (0, 2) == 0, i % 4 < 2,
                      any_of (0, 1) };

      check_everywhere (new_places, &c);
    }
}

static void
test_refuse (void)
{
  MatmulCase c = { 1, 20, 40, 16, .is_w_constant = TRUE };
  ConvCase window = { 1, 8, 8, 8, 8, 3, 3, 1, 1, 1, 1,
                          .is_row_major = FALSE };
  g_autoptr (TpLowered) conv = new_conv (&window);
  g_autoptr (TpLowered) matmul = new_matmul (&c);
  g_autoptr (TpLowered) maps = new_maps (2);
  g_autoptr (TpProgram) wide
      = tp_program_new (matmul, &target_avx512, NULL, NULL);
  g_autofree char *twice
      = g_strconcat (wide->schedule, "; ", wide->schedule, NULL);

  check_refused (matmul, &target_avx512, "nonsense", "no family");
  check_refused (matmul, &target_avx2, "parts n=7", "do not divide");
  check_refused (matmul, &target_avx2, "parts n=2; parts n=2", "none for it");
  check_refused (matmul, &target_gpu, "parts n=2", "another family");
  check_refused (matmul, &target_avx512, twice, "2 parts, of which 1");
  check_refused (matmul, &target_avx2, wide->schedule, "lanes");
  check_refused (matmul, &target_gpu, wide->schedule, "another family");
  check_refused (matmul, &target_avx2, "maps n=4", "none for it");
  check_refused (matmul, &target_avx2, "reduce lanes=8 sums=1 points=1",
                 "none for it");
  check_refused (maps, &target_avx2, "reduce lanes=8 sums=1 points=1",
                 "none for it");
  check_refused (matmul, &target_gpu,
                 "contract-tiles tile=3x4 items=4x4 depth=8 buffers=1 parts=1",
                 "powers of two");
  check_refused (matmul, &target_gpu,
                 "contract-tiles tile=2x4 items=16x8 depth=8 buffers=1 parts=1",
                 "work-items");
  check_refused (matmul, &target_gpu,
                 "contract-tiles tile=2x4 items=4x8 depth=8 buffers=1 parts=3",
                 "do not divide");
  check_refused (matmul, &target_gpu, "reduce-items points=1 items=64",
                 "more items than elements");
  check_refused (matmul, &target_gpu, "items local=65", "work-items");
  check_refused (matmul, &target_avx2,
                 "winograd output=2 block=1x1 lanes=8 vectors=1 tiles=1 "
                 "panels=1", "none for it");
  check_refused (conv, &target_avx2,
                 "winograd output=3 block=1x1 lanes=8 vectors=1 tiles=1 "
                 "panels=1", "not known");
  check_refused (conv, &target_avx2,
                 "winograd output=2 block=2x1 lanes=8 vectors=1 tiles=1 "
                 "panels=1", "whole ones");
  check_refused (conv, &target_avx2,
                 "winograd output=2 block=5x4 lanes=8 vectors=1 tiles=1 "
                 "panels=1", "more tiles than there are");
  check_refused (conv, &target_avx2,
                 "winograd output=2 block=4x4 lanes=8 vectors=2 tiles=9 "
                 "panels=1", "registers");
}

/* What is not given the model chooses; maps may be computed one by one. */
static void
test_partial (void)
{
  g_autoptr (TpLowered) maps = new_maps (3);
  g_autoptr (TpProgram) together
      = tp_program_new (maps, &target_avx2, NULL, NULL);
  g_autoptr (TpProgram) apart = tp_program_new (
      maps, &target_avx2,
      "window lanes=1 cut=1x1 tile=1 unroll=1 flat=0 points=9", NULL);
  g_autoptr (TpProgram) empty = tp_program_new (maps, &target_avx2, "", NULL);

  g_assert_cmpstr (together->schedule, ==, "maps n=16");
  g_assert_cmpstr (empty->schedule, ==, together->schedule);
  g_assert_cmpint (together->n_steps, ==, 1);
  g_assert_cmpint (apart->n_steps, ==, 3);
  check_program (maps, apart, run_by_interpreter);
}

/* What may be as fast is another family's, and right: on CPUs and on GPUs. */
static void
check_rival (const TpTarget *target)
{
  MatmulCase product = { 1, 20, 40, 16, .is_w_constant = TRUE };
  ConvCase window = { 1, 32, 12, 12, 32, 3, 3, 1, 1, 1, 1,
                      .has_epilogue = TRUE };
  g_autoptr (TpLowered) matmul = new_matmul (&product);
  g_autoptr (TpLowered) conv = new_conv (&window);
  g_autofree char *none = tp_program_find_rival (matmul, target);
  g_autofree char *rival = tp_program_find_rival (conv, target);
  g_autoptr (TpProgram) model = tp_program_new (conv, target, NULL, NULL);
  g_autoptr (TpProgram) other = NULL;

  g_assert_null (none);
  g_assert_nonnull (rival);
  other = tp_program_new (conv, target, rival, NULL);
  g_assert_cmpstr (other->schedule, ==, rival);
  g_assert_true (g_str_has_prefix (rival, "winograd")
                 != g_str_has_prefix (model->schedule, "winograd"));
  check_program (conv, other, run_by_interpreter);
}

static void
test_rival (void)
{
  check_rival (&target_avx2);
  check_rival (&target_gpu);
}

/* A sum whose panels of w outgrow the second cache, in parts: where x is staged the
 * model has them; where blocks are large anyway measuring is to tell. */
static void
test_parts (void)
{
  static const TpTarget small = { 8, 16, 8 << 10, 64 << 10, 2, 1, 64 << 10,
                                  TRUE, FALSE };
  ConvCase deep = { 1, 256, 6, 7, 24, 3, 3, 1, 1, 1, 1, .has_epilogue = TRUE };
  MatmulCase product = { 1, 13, 24, 2560, .is_w_constant = TRUE,
                         .has_bias = TRUE };
  g_autoptr (TpLowered) conv = new_conv (&deep);
  g_autoptr (TpLowered) matmul = new_matmul (&product);
  g_autoptr (TpProgram) roomy = tp_program_new (matmul, &target_avx2, NULL, NULL);

  for (int i = 0; i < 2; i++)
    {
      const TpLowered *lowered = i == 0 ? conv : matmul;
      g_autoptr (TpProgram) model = tp_program_new (lowered, &small, NULL, NULL);
      g_autofree char *rival = tp_program_find_rival (lowered, &small);

      g_test_message ("%s; rival %s", model->schedule,
                      rival != NULL ? rival : "none");
      g_assert_true (g_str_has_prefix (model->schedule, "parts")
                     || (rival != NULL && g_str_has_prefix (rival, "parts")));
    }
  g_assert_false (g_str_has_prefix (roomy->schedule, "parts"));
  g_assert_cmpint (check_alone (new_conv (&deep), &small, "parts"), >, 0);
  g_assert_cmpint (check_alone (new_matmul (&product), &small, "parts"), >, 0);
  g_assert_cmpint (check_alone (set_doubles (new_conv (&deep)), &small, "parts"), >, 0);
  g_assert_cmpint (check_alone (set_doubles (new_matmul (&product)), &small, "parts"),
                   >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/families/conv", test_conv);
  g_test_add_func ("/families/winograd", test_winograd);
  g_test_add_func ("/families/no-winograd", test_no_winograd);
  g_test_add_func ("/families/pool", test_pool);
  g_test_add_func ("/families/borders", test_borders);
  g_test_add_func ("/families/plane", test_plane);
  g_test_add_func ("/families/plane-lanes", test_plane_lanes);
  g_test_add_func ("/families/few-filters", test_few_filters);
  g_test_add_func ("/families/no-plane", test_no_plane);
  g_test_add_func ("/families/matmul", test_matmul);
  g_test_add_func ("/families/doubles", test_doubles);
  g_test_add_func ("/families/pages", test_pages);
  g_test_add_func ("/families/rows", test_rows);
  g_test_add_func ("/families/typed", test_typed);
  g_test_add_func ("/families/looks", test_looks);
  g_test_add_func ("/families/moves", test_moves);
  g_test_add_func ("/families/dilated", test_dilated);
  g_test_add_func ("/families/maps", test_maps);
  g_test_add_func ("/families/places", test_places);
  g_test_add_func ("/families/refuse", test_refuse);
  g_test_add_func ("/families/partial", test_partial);
  g_test_add_func ("/families/rival", test_rival);
  g_test_add_func ("/families/parts", test_parts);
  return g_test_run ();
}
