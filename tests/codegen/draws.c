/* draws.c: see draws.h. */
#include "config.h"

#include "draws.h"

#include "byte-nests.h"
#include "map-nests.h"
#include "nbits-nests.h"
#include "row-nests.h"
#include "schedule/nest-canon.h"
#include "typed-nests.h"

#include <string.h>

#define N_ROUNDS 100            /* before a family is given up */
#define N_ALONE 3               /* choices of one family */

gint64
any_of (gint64 lo, gint64 hi)
{
  return g_test_rand_int_range (lo, hi + 1);
}

/* ---- draws ------------------------------------------------------------- */

/* Some way through the steps of @family; FALSE: it came to an end too soon. */
static gboolean
draw_listed (const TpFamily *family, gconstpointer analysis,
             TpChoice *out_choice)
{
  *out_choice = (TpChoice) { .form = &family->form };
  for (int step = 0; step < family->n_steps; step++)
    {
      g_autoptr (TpArray) choices
          = tp_family_enumerate (family, analysis, step, out_choice);

      if (choices->len == 0)
        return FALSE;
      *out_choice = tp_array_index (choices, TpChoice,
                                   any_of (0, choices->len - 1));
    }
  return TRUE;
}

/* Numbers within their ranges, mostly small ones; FALSE: none was drawn that
 * @family finds no fault with. */
static gboolean
draw_legal (const TpFamily *family, gconstpointer analysis,
            TpChoice *out_choice)
{
  for (int i = 0; i < 200; i++)
    {
      int at = 0;

      *out_choice = (TpChoice) { .form = &family->form };
      for (const TpParam *param = family->form.params; param->name != NULL;
           param++)
        for (int j = 0; j < param->n; j++)
          {
            gint64 most = 1 << any_of (0, 10);

            out_choice->values[at++]
                = any_of (param->min, CLAMP (most, param->min, param->max));
          }
      if (family->find_fault (analysis, out_choice) == NULL)
        return TRUE;
    }
  return FALSE;
}

/* ---- checks ------------------------------------------------------------ */

static void
check_choice (const TpLowered *lowered, const TpTarget *target,
              const TpChoice *choice, RunFunc run)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (TpProgram) program = NULL;
  g_autoptr (TpArray) again = NULL;
  g_autoptr (GError) error = NULL;

  tp_choice_append_text (choice, text);
  again = tp_schedule_parse (text->str, &error);
  g_assert_no_error (error);
  g_assert_cmpint (again->len, ==, 1);
  g_assert_true (tp_choice_equal (&tp_array_index (again, TpChoice, 0),
                                  choice));
  program = tp_program_new (lowered, target, text->str, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (program->schedule, text->str));
  check_program (lowered, program, run);
}

/* All choices up to some step become all up to the next; different texts are
 * different choices. */
static void
check_count (const TpFamily *family, gconstpointer analysis)
{
  const TpChoice none = { .form = &family->form };
  g_autoptr (TpArray) partial = tp_array_new (sizeof (TpChoice));
  g_autoptr (GHashTable) texts
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  tp_array_append_val (partial, none);
  for (int step = 0; step < family->n_steps; step++)
    {
      g_autoptr (TpArray) longer = tp_array_new (sizeof (TpChoice));

      for (guint i = 0; i < partial->len; i++)
        family->enumerate (analysis, step,
                           &tp_array_index (partial, TpChoice, i), longer);
      tp_array_unref (partial);
      partial = g_steal_pointer (&longer);
    }
  for (guint i = 0; i < partial->len; i++)
    {
      GString *text = g_string_new (NULL);

      tp_choice_append_text (&tp_array_index (partial, TpChoice, i), text);
      g_hash_table_add (texts, g_string_free (text, FALSE));
    }
  g_assert_cmpint (tp_family_count (family, analysis), ==,
                   g_hash_table_size (texts));
}

int
check_family (const TpLowered *lowered, const TpTarget *target,
              const TpFamily *family, int n_draws, RunFunc run)
{
  g_autoptr (GPtrArray) nests
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tp_nest_free);
  g_auto (TpBuild) build = { 0 };
  gpointer analysis;
  TpChoice choice;
  int n = 0;

  if (!family->is_for (target))
    return 0;
  for (int i = 0; i < lowered->n_nests; i++)
    g_ptr_array_add (nests, tp_nest_canonicalize (lowered->nests[i]));
  tp_build_init (&build, lowered, target);
  build.is_relaxed = g_test_rand_bit ();
  analysis = tp_family_analyze (family, &build, (TpNest *const *) nests->pdata,
                                nests->len);
  if (analysis != NULL)
    check_count (family, analysis);
  for (int i = 0; analysis != NULL && i < n_draws && !g_test_failed (); i++)
    {
      if (draw_listed (family, analysis, &choice))
        {
          g_assert_null (family->find_fault (analysis, &choice));
          check_choice (lowered, target, &choice, run);
          n++;
        }
      if (draw_legal (family, analysis, &choice))
        {
          check_choice (lowered, target, &choice, run);
          n++;
        }
    }
  if (analysis != NULL)
    family->free (analysis);
  return n;
}

static const TpFamily *
find_family (const char *name)
{
  int n;
  const TpFamily *const *families = tp_schedule_list (&n);

  for (int i = 0; i < n; i++)
    if (strcmp (families[i]->form.name, name) == 0)
      return families[i];
  g_assert_not_reached ();
}

int
check_alone (TpLowered *lowered, const TpTarget *target, const char *name)
{
  g_autoptr (TpLowered) owned = lowered;

  return check_family (lowered, target, find_family (name), N_ALONE,
                       run_by_interpreter);
}

void
check_refused (const TpLowered *lowered, const TpTarget *target,
               const char *schedule, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_program_new (lowered, target, schedule, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

/* ---- types -------------------------------------------------------------- */

static gboolean
is_written_and_read (const TpLowered *lowered, int operand)
{
  gboolean is_written = FALSE, is_read = FALSE;

  for (int i = 0; i < lowered->n_nests; i++)
    {
      const TpNest *nest = lowered->nests[i];

      is_written |= nest->store.operand == operand;
      for (int k = 0; k < nest->n_loads; k++)
        is_read |= nest->loads[k].operand == operand;
    }
  return is_written && is_read;
}

TpLowered *
draw_reals (TpLowered *lowered)
{
  static const TpDtype reals[] = { TPLAN_DTYPE_FLOAT32, TPLAN_DTYPE_FLOAT16,
                                   TPLAN_DTYPE_BFLOAT16 };

  if (any_of (0, 1) == 0)
    return lowered;
  for (int i = 0; i < lowered->n_operands; i++)
    if (lowered->operands[i].dtype == TPLAN_DTYPE_FLOAT32
        && !is_written_and_read (lowered, i))
      lowered->operands[i].dtype = reals[any_of (0, 2)];
  tp_lowered_set_dtypes (lowered);
  return lowered;
}

/* Whether singles may become doubles all together: none meets one already, asks where it
 * is, or is ranked as it is. */
static gboolean
has_singles_alone (const TpLowered *lowered)
{
  for (int i = 0; i < lowered->n_operands; i++)
    if (!tp_dtype_holds_results (lowered->operands[i].dtype))
      return FALSE;
  for (int i = 0; i < lowered->n_nests; i++)
    for (int k = 0; k < lowered->nests[i]->n_exprs; k++)
      {
        const TpExpr *e = &lowered->nests[i]->exprs[k];

        if (tp_nest_ranks (lowered->nests[i]) || e->op == TP_EXPR_INSIDE
            || e->op == TP_EXPR_TO_REAL || e->is_double)
          return FALSE;
      }
  return TRUE;
}

TpLowered *
set_doubles (TpLowered *lowered)
{
  for (int i = 0; i < lowered->n_operands; i++)
    if (lowered->operands[i].dtype == TPLAN_DTYPE_FLOAT32)
      lowered->operands[i].dtype = TPLAN_DTYPE_FLOAT64;
  for (int i = 0; i < lowered->n_nests; i++)
    for (int k = 0; k < lowered->nests[i]->n_exprs; k++)
      {
        TpExpr *e = &lowered->nests[i]->exprs[k];

        e->is_double = !e->is_integer;
      }
  tp_lowered_set_dtypes (lowered);
  return lowered;
}

TpLowered *
draw_types (TpLowered *lowered)
{
  if (any_of (0, 3) > 0 || !has_singles_alone (lowered))
    return draw_reals (lowered);
  return set_doubles (lowered);
}

/* ---- nests of all kinds ------------------------------------------------- */

TpLowered *
new_maps (int n)
{
  TpLowered *lowered = tp_lowered_new ();

  for (int i = 0; i < n; i++)
    {
      TpNest *nest = tp_nest_new ();
      TpAccess *load;
      gint64 rows = 64, cols = i == 0 ? 40 : any_of (1, 30);

      tp_nest_add_axis (nest, rows, FALSE);
      tp_nest_add_axis (nest, cols, FALSE);
      load = tp_nest_add_load (nest, add_operand (lowered, rows * cols, FALSE));
      load->stride[0] = i == 0 ? 1 : cols;
      load->stride[1] = i == 0 ? rows : 1;
      nest->store.operand = add_operand (lowered, rows * cols, FALSE);
      nest->store.stride[0] = cols;
      nest->store.stride[1] = 1;
      nest->result = tp_nest_load (nest, 0);
      tp_lowered_take_nest (lowered, nest);
    }
  return lowered;
}

static TpLowered *
draw_conv (void)
{
  ConvCase c = { 1, any_of (2, 19), any_of (5, 9), any_of (5, 9),
                 any_of (2, 37), any_of (1, 3), 3, any_of (1, 2),
                 any_of (0, 1), 1, 1, any_of (0, 1), any_of (0, 1),
                 any_of (0, 1), any_of (0, 1) };

  if (any_of (0, 3) == 0)
    {
      c.dilation = any_of (2, 4);
      c.pad = c.dilation * any_of (1, 2);
    }
  return new_conv (&c);
}

static TpLowered *
draw_winograd (void)
{
  ConvCase c = { 1, any_of (2, 19), any_of (4, 9), any_of (4, 9),
                 any_of (2, 37), 3, 3, 1, any_of (0, 2), 1, 1, FALSE, FALSE,
                 any_of (0, 1), any_of (0, 1) };

  return new_conv (&c);
}

static TpLowered *
draw_pool (void)
{
  gint64 channels = any_of (1, 40);
  ConvCase c = { 1, channels, any_of (4, 12), any_of (4, 12), channels,
                 any_of (1, 4), any_of (1, 4), any_of (1, 2), any_of (0, 1), 1,
                 channels, any_of (0, 1), any_of (0, 1), FALSE, FALSE };

  return new_pool (&c, any_of (0, 1));
}

/* A filter per channel, or maxima; in rows. */
static TpLowered *
draw_plane (void)
{
  gint64 channels = any_of (1, 6);
  ConvCase c = { any_of (1, 2), channels, any_of (6, 24), any_of (8, 50),
                 channels, any_of (1, 5), any_of (2, 5), any_of (1, 3),
                 any_of (0, 3), any_of (1, 2), channels, TRUE, TRUE,
                 any_of (0, 1), any_of (0, 1) };

  if (c.kh * c.dilation > c.h + 2 * c.pad)
    c.kh = 1;
  return any_of (0, 3) == 0 ? new_pool (&c, TRUE) : new_conv (&c);
}

/* Filters of groups of few channels, and windows that overlap: any step, reach and
 * padding, in rows or channels last; widths that tiles do not divide. */
static TpLowered *
draw_grouped (void)
{
  gint64 groups = any_of (1, 9), each = any_of (1, 3) == 1 ? any_of (1, 4) : 1;
  gint64 filters = any_of (1, 3) == 1 ? 4 : 1;
  ConvCase c = { any_of (1, 2), 4 * groups * each, any_of (5, 24), any_of (5, 24),
                 4 * groups * filters, any_of (1, 5), any_of (2, 5),
                 any_of (1, 3), any_of (0, 3), any_of (1, 2), 4 * groups,
                 any_of (0, 2) == 0, any_of (0, 2) == 0, any_of (0, 3) == 0,
                 any_of (0, 1) };

  if (c.kh * c.dilation > c.h + 2 * c.pad || c.kw * c.dilation > c.w + 2 * c.pad)
    c.dilation = 1;
  if (any_of (0, 4) > 0)
    return new_conv (&c);
  c.o = c.c = c.groups;
  return new_pool (&c, any_of (0, 1));
}

static TpLowered *
draw_matmul (void)
{
  MatmulCase c = { any_of (1, 2), any_of (1, 40), any_of (1, 70),
                   any_of (1, 50), any_of (0, 1), any_of (0, 1), any_of (0, 1),
                   any_of (0, 1), any_of (0, 1), any_of (0, 1) };

  return new_matmul (&c);
}

static TpLowered *
draw_sweep (void)
{
  MatmulCase c = { any_of (1, 2), any_of (1, 3), any_of (1, 90), any_of (2, 50),
                   FALSE, FALSE, any_of (0, 1), FALSE, any_of (0, 1),
                   FALSE };

  return new_matmul (&c);
}

static TpLowered *
draw_rows (void)
{
  RowCase c = { any_of (ROW_SUM, ROW_NORM), any_of (1, 20), any_of (4, 90),
                any_of (0, 1), any_of (1, 2) };

  return new_rows (&c);
}

static TpLowered *
draw_attention (void)
{
  AttentionCase c = { any_of (0, 1) ? ROW_SOFTMAX : ROW_NORM, any_of (1, 3),
                      any_of (2, 40), any_of (4, 70), any_of (2, 20),
                      any_of (2, 40), any_of (0, 1), any_of (0, 1),
                      any_of (0, 1), any_of (0, 1), any_of (0, 1) };

  return new_attention (&c);
}

static TpLowered *
draw_transpose (void)
{
  RowCase c = { ROW_TRANSPOSE, any_of (1, 40), any_of (4, 90), any_of (0, 1),
                any_of (1, 2) };

  return new_rows (&c);
}

static TpLowered *
draw_places (void)
{
  PlaceCase c = { any_of (1, 5), any_of (2, 150), any_of (1, 60), any_of (0, 1),
                  any_of (0, 1), any_of (0, 1), any_of (0, 1) };

  return new_places (&c);
}

static TpLowered *
draw_maps (void)
{
  return new_maps (any_of (1, 4));
}

static TpLowered *
draw_map (void)
{
  static const TpDtype dtypes[] = { TPLAN_DTYPE_FLOAT32, TPLAN_DTYPE_FLOAT16,
                                    TPLAN_DTYPE_FLOAT64, TPLAN_DTYPE_UINT8,
                                    TPLAN_DTYPE_INT64 };
  MapCase c = { any_of (0, N_MAP_KINDS - 1), any_of (1, 3), any_of (1, 16),
                any_of (1, 20), any_of (1, 40), any_of (0, 1), any_of (2, 5),
                dtypes[any_of (0, G_N_ELEMENTS (dtypes) - 1)] };

  return new_map (&c);
}

static TpLowered *
draw_typed (void)
{
  return new_random_typed (GUINT_TO_POINTER (any_of (0, G_MAXINT32 - 1)));
}

static TpLowered *(*const kinds[]) (void)
    = { draw_conv, draw_winograd, draw_pool, draw_plane, draw_grouped,
        draw_matmul, draw_sweep, draw_rows, draw_attention, draw_transpose,
        draw_places, draw_maps, draw_map, draw_nbits, draw_made_nbits,
        draw_rounded_nbits, draw_typed, draw_bytes };

/* Another nest of each kind, until every family for @target has had its draws; FALSE:
 * some has not yet. */
static gboolean
draw_round (const TpTarget *target, int n_each, RunFunc run, int *n_drawn)
{
  int n_families;
  const TpFamily *const *families = tp_schedule_list (&n_families);
  gboolean is_done = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (TpLowered) lowered = draw_types (kinds[i]());

      for (int k = 0; k < n_families && !g_test_failed (); k++)
        if (n_drawn[k] < n_each)
          n_drawn[k] += check_family (lowered, target, families[k], 1, run);
    }
  for (int k = 0; k < n_families; k++)
    is_done &= n_drawn[k] >= n_each || !families[k]->is_for (target);
  return is_done;
}

void
check_draws (const TpTarget *target, int n_each, RunFunc run)
{
  int n_families;
  const TpFamily *const *families = tp_schedule_list (&n_families);
  g_autofree int *n_drawn = g_new0 (int, n_families);

  for (int i = 0; i < N_ROUNDS && !g_test_failed (); i++)
    if (draw_round (target, n_each, run, n_drawn))
      return;
  for (int k = 0; k < n_families; k++)
    if (families[k]->is_for (target) && n_drawn[k] < n_each)
      {
        g_test_message ("%d choices of '%s' were drawn", n_drawn[k],
                        families[k]->form.name);
        g_test_fail ();
      }
}
