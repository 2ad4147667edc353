/* tiles-analyze.c: which axes are rows, which are columns, and in what order.
 */
#include "config.h"

#include "schedule/tiles-analyze.h"

#include "nest/nest-expr.h"
#include "schedule/contract-analyze.h"

/* The least step of K that is worth a copy to local memory. */
#define STEP 8

static void
find_sides (TpTiles *t, const TpContract *c)
{
  gboolean in_x[TP_NEST_MAX_AXES], in_w[TP_NEST_MAX_AXES];
  const TpNest *nest = t->nest;
  int w_expr = nest->exprs[nest->stages[0].expr].a;

  if (w_expr == c->x_expr)
    w_expr = nest->exprs[nest->stages[0].expr].b;
  tp_contract_find_axes (nest, c->x_expr, in_x);
  tp_contract_find_axes (nest, w_expr, in_w);
  t->expr[TP_TILES_ROWS] = c->x_expr;
  t->expr[TP_TILES_COLS] = w_expr;
  tp_span_init (&t->sides[0]);
  tp_span_init (&t->sides[1]);
  tp_span_init (&t->outer);
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce)
      tp_span_add (in_x[i] && !in_w[i]   ? &t->sides[TP_TILES_ROWS]
                   : in_w[i] && !in_x[i] ? &t->sides[TP_TILES_COLS]
                                         : &t->outer,
                   nest, i);
  tp_span_sort (&t->sides[0], nest->store.stride);
  tp_span_sort (&t->sides[1], nest->store.stride);
}

static gboolean
is_contiguous (const TpTiles *t, int side)
{
  const TpSpan *span = &t->sides[side];

  return span->n > 0 && t->nest->store.stride[span->axes[span->n - 1]] == 1;
}

/* Items next to each other are columns, so these are what is contiguous. */
static void
order_sides (TpTiles *t)
{
  TpSpan rows = t->sides[TP_TILES_ROWS];
  int expr = t->expr[TP_TILES_ROWS];

  if (is_contiguous (t, TP_TILES_COLS) || !is_contiguous (t, TP_TILES_ROWS))
    return;
  t->sides[TP_TILES_ROWS] = t->sides[TP_TILES_COLS];
  t->expr[TP_TILES_ROWS] = t->expr[TP_TILES_COLS];
  t->sides[TP_TILES_COLS] = rows;
  t->expr[TP_TILES_COLS] = expr;
}

/* How good @axis is as the one that runs fastest: whole steps first, so that a
 * position is taken apart once per step and not once per element. */
static int
rate_k (const TpTiles *t, const TpContract *c, int axis)
{
  const TpNest *nest = t->turned;

  return 4 * (nest->axes[axis].extent % STEP == 0)
         + 2 * (nest->loads[c->x_load].stride[axis] == 1)
         + (nest->loads[c->w_load].stride[axis] == 1);
}

static void
find_k (TpTiles *t, const TpContract *c)
{
  int best = 0, last;

  tp_span_init (&t->k);
  for (int i = 0; i < c->n_k; i++)
    tp_span_add (&t->k, t->nest, c->k_axes[i]);
  for (int i = 1; i < t->k.n; i++)
    if (rate_k (t, c, t->k.axes[i]) >= rate_k (t, c, t->k.axes[best]))
      best = i;
  last = t->k.axes[best];
  for (int i = best; i + 1 < t->k.n; i++)
    t->k.axes[i] = t->k.axes[i + 1];
  t->k.axes[t->k.n - 1] = last;
}

static int
last_axis (const TpSpan *span)
{
  return span->axes[span->n - 1];
}

TpTiles *
tp_tiles_new (const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpContract) c = tp_contract_new_any (build, nest);
  g_autoptr (TpTiles) t = NULL;

  if (c == NULL)
    return NULL;
  t = g_new0 (TpTiles, 1);
  t->target = build->target;
  t->nest = tp_nest_copy (nest);
  t->turned = tp_nest_copy (nest);
  t->dtype = tp_expr_get_dtype (&nest->exprs[nest->stages[0].expr]);
  find_sides (t, c);
  order_sides (t);
  for (int i = 0; i < 2; i++)
    if (t->sides[i].n > 0)
      tp_build_turn_constants (build, t->turned, last_axis (&t->sides[i]));
  find_k (t, c);
  return g_steal_pointer (&t);
}

void
tp_tiles_free (TpTiles *tiles)
{
  if (tiles == NULL)
    return;
  tp_nest_free (tiles->nest);
  tp_nest_free (tiles->turned);
  g_free (tiles);
}

TpNest *
tp_tiles_pack (const TpTiles *tiles, TpBuild *build)
{
  g_autoptr (TpNest) nest = tp_nest_copy (tiles->nest);

  for (int i = 0; i < 2; i++)
    if (tiles->sides[i].n > 0)
      tp_build_pack_constants (build, nest, last_axis (&tiles->sides[i]));
  return g_steal_pointer (&nest);
}
