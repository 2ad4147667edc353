/* tiles-parts.c: nests before and after the sums of parts of K. */
#include "config.h"

#include "schedule/tiles-parts.h"

/* Dense, with the columns together. */
static gint64
set_strides (const TpTilePlan *plan, TpAccess *access)
{
  const TpTiles *t = plan->t;
  const TpSpan *spans[] = { &t->sides[TP_TILES_COLS], &t->sides[TP_TILES_ROWS],
                            &t->outer };
  gint64 n = 1;

  *access = (TpAccess){ .dtype = TPLAN_DTYPE_FLOAT32, .index = -1 };
  for (guint s = 0; s < G_N_ELEMENTS (spans); s++)
    for (int i = spans[s]->n - 1; i >= 0; i--)
      {
        access->stride[spans[s]->axes[i]] = n;
        n *= t->nest->axes[spans[s]->axes[i]].extent;
      }
  return n;
}

void
tp_tiles_divide (const TpTilePlan *plan, TpBuild *build, TpNest *nest)
{
  TpAccess store;
  gint64 n = set_strides (plan, &store);
  int axis = tp_nest_add_axis (nest, plan->n_parts, FALSE);

  store.stride[axis] = n;
  store.operand =
      tp_build_add_workspace (build, TPLAN_DTYPE_FLOAT32, n * plan->n_parts);
  nest->store = store;
  nest->result = tp_nest_stage (nest, 0);
}

void
tp_tiles_add_up (const TpTilePlan *plan, TpBuild *build, const TpNest *divided)
{
  g_autoptr (TpNest) nest = tp_nest_copy (plan->t->nest);
  TpAccess *load;

  for (int i = 0; i < plan->t->k.n; i++)
    nest->axes[plan->t->k.axes[i]].extent = 1;
  tp_nest_add_axis (nest, plan->n_parts, TRUE);
  load = tp_nest_add_load (nest, divided->store.operand);
  *load = divided->store;
  nest->stages[0].expr = tp_nest_load (nest, nest->n_loads - 1);
  build->schedule (build, nest);
}
