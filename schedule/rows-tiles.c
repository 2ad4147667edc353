/* rows-tiles.c: is the reduction of rows a softmax, and what does a choice mean? */
#include "config.h"

#include "schedule/rows-tiles.h"

#include "schedule/nest-canon.h"

#define VECTOR TP_ROWS_TILES_VECTOR

/* ---- analysis ---------------------------------------------------------- */

/* It is made of constants and of what rows have in common. */
static gboolean
has_no_load (const TpNest *nest, int expr)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i])
      return FALSE;
  return TRUE;
}

static gboolean
is_score (const TpNest *nest, int expr)
{
  return nest->exprs[expr].op == TP_EXPR_LOAD;
}

/* exp (score - greatest) */
static gboolean
find_greatest (TpRowsTiles *a, const TpNest *nest)
{
  const TpExpr *power = &nest->exprs[nest->stages[1].expr], *below;

  if (power->op != TP_EXPR_EXP)
    return FALSE;
  below = &nest->exprs[power->a];
  a->greatest = below->b;
  return below->op == TP_EXPR_SUB && is_score (nest, below->a)
         && nest->stages[0].expr == below->a && has_no_load (nest, below->b);
}

/* Powers times, or by, what a row has in common. */
static gboolean
find_factor (TpRowsTiles *a, const TpNest *nest)
{
  const TpExpr *result = &nest->exprs[nest->result];
  int power = nest->stages[1].expr;

  a->is_divisor = result->op == TP_EXPR_DIV;
  if (result->op != TP_EXPR_MUL && result->op != TP_EXPR_DIV)
    return FALSE;
  a->factor = result->a == power ? result->b : result->a;
  return (result->a == power || (result->b == power && !a->is_divisor))
         && has_no_load (nest, a->factor);
}

static gboolean
is_softmax (TpRowsTiles *a)
{
  const TpNest *nest = a->rows->reduce->nest;

  return nest->n_stages == 2 && nest->stages[0].combiner == TP_COMBINE_MAX
         && nest->stages[1].combiner == TP_COMBINE_SUM
         && find_greatest (a, nest) && find_factor (a, nest);
}

TpRowsTiles *
tp_rows_tiles_new (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpRowsTiles) a = g_new0 (TpRowsTiles, 1);
  const TpContract *scores, *values;

  a->rows = tp_rows_new (build, nests, n);
  if (a->rows == NULL || !is_softmax (a))
    return NULL;
  scores = a->rows->products[0].c;
  values = a->rows->products[1].c;
  a->depth = scores->k_total;
  a->width = values->n_total;
  return scores->n_k == 1 ? g_steal_pointer (&a) : NULL;
}

void
tp_rows_tiles_free (TpRowsTiles *tiles)
{
  if (tiles == NULL)
    return;
  tp_rows_free (tiles->rows);
  g_free (tiles);
}

/* ---- plans ------------------------------------------------------------- */

static gint64
divide_up (gint64 n, gint64 by)
{
  return (n + by - 1) / by;
}

/* Pads keep rows that neighbours read at once in banks of their own. */
static void
set_local (TpRowsTilesPlan *plan)
{
  gint64 keys;

  plan->depth_pitch = plan->depth + VECTOR;
  plan->value_pitch = (gint64) plan->n_vectors * plan->item_cols * VECTOR;
  plan->score_pitch = plan->cols + 2 * VECTOR;
  keys = plan->cols * MAX (plan->depth_pitch, plan->value_pitch);
  plan->keys = plan->rows * plan->depth_pitch;
  plan->scores = plan->keys + keys;
  plan->joined = plan->scores + plan->rows * plan->score_pitch;
  plan->n_local = plan->joined + plan->rows * plan->item_cols;
}

void
tp_rows_tiles_plan_init (TpRowsTilesPlan *plan, const TpRowsTiles *tiles,
                         const gint64 *values)
{
  *plan = (TpRowsTilesPlan) {
    .a = tiles,
    .tile_rows = values[TP_ROWS_TILES_TILE_ROWS],
    .tile_cols = values[TP_ROWS_TILES_TILE_COLS],
    .item_rows = values[TP_ROWS_TILES_ITEM_ROWS],
    .item_cols = values[TP_ROWS_TILES_ITEM_COLS],
  };
  plan->local_size = plan->item_rows * plan->item_cols;
  plan->rows = (gint64) plan->tile_rows * plan->item_rows;
  plan->cols = (gint64) plan->tile_cols * plan->item_cols;
  plan->n_row_blocks = divide_up (tiles->rows->n_rows, plan->rows);
  plan->n_col_blocks = divide_up (tiles->rows->n_columns, plan->cols);
  plan->n_vectors = divide_up (tiles->width, VECTOR * plan->item_cols);
  plan->depth = divide_up (tiles->depth, VECTOR) * VECTOR;
  set_local (plan);
}
