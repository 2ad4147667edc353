/* waves.c: see waves.h. */
#include "config.h"

#include "schedule/waves.h"

#include "kernel/kernel.h"
#include "schedule/tiles-analyze.h"

#define PAD 8                 /* rows of a square and four steps are in banks of their own */
#define LEAST_STEPS 4         /* less of K is no work for them */

/* Does every element of the factor have no more digits than TF32? */
static gboolean
is_narrow (const TpNest *nest, int expr)
{
  const TpExpr *e = &nest->exprs[expr];
  TpDtype dtype;

  if (e->op != TP_EXPR_LOAD)
    return FALSE;
  dtype = nest->loads[e->index].dtype;
  return tp_dtype_get (dtype)->class == TP_CLASS_REAL
         && tp_dtype_get_size (dtype) < tp_dtype_get_size (TPLAN_DTYPE_FLOAT32);
}

TpTiles *
tp_waves_new (const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpTiles) t = tp_tiles_new (build, nest);

  if (t == NULL || t->dtype != TPLAN_DTYPE_FLOAT32
      || t->sides[0].extent < TP_MMA_SIDE || t->sides[1].extent < TP_MMA_SIDE
      || t->k.extent < LEAST_STEPS * TP_MMA_DEPTH)
    return NULL;
  return g_steal_pointer (&t);
}

void
tp_wave_plan_init (TpWavePlan *plan, const TpTiles *tiles, const gint64 *values)
{
  TpTilePlan *p = &plan->tiles;
  gboolean is_exact = is_narrow (tiles->nest, tiles->expr[0])
                      && is_narrow (tiles->nest, tiles->expr[1]);

  *p = (TpTilePlan){ .t = tiles, .pad = PAD, .n_digits = is_exact ? 1 : 2 };
  p->local_size = TP_MMA_WAVE * values[TP_WAVES_ROWS] * values[TP_WAVES_COLS];
  for (int i = 0; i < 2; i++)
    {
      plan->squares[i] = values[TP_WAVES_SQUARE_ROWS + i];
      plan->waves[i] = values[TP_WAVES_ROWS + i];
      p->sides[i].points
          = (gint64) TP_MMA_SIDE * plan->squares[i] * plan->waves[i];
    }
  tp_tile_plan_set_steps (p, values[TP_WAVES_DEPTH], values[TP_WAVES_BUFFERS],
                          values[TP_WAVES_PARTS]);
}
