/* tiles.c: what a choice of tiles means for a nest. */
#include "config.h"

#include "schedule/tiles.h"

#include "schedule/nest-canon.h"

#define WIDTH 4

/* All of it keeps vectors along @axis where they are: strides of other axes and
 * the offset. */
static gboolean
is_aligned (const TpNest *nest, const TpAccess *load, int axis)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (i != axis && load->stride[i] % WIDTH != 0)
      return FALSE;
  return load->offset % WIDTH == 0 && load->step % WIDTH == 0;
}

/* Does every load of @expr give vectors along @axis, and one of them a whole
 * vector of memory? */
static gboolean
has_vectors (const TpNest *nest, int expr, int axis)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);
  gboolean is_found = FALSE;

  if (nest->axes[axis].extent % WIDTH != 0)
    return FALSE;
  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i])
        continue;
      for (int g = 0; g < load->n_guards; g++)
        if (load->guards[g].coef[axis] != 0)
          return FALSE;
      if (load->stride[axis] != 0
          && (load->stride[axis] != 1 || !is_aligned (nest, load, axis)))
        return FALSE;
      is_found |= load->stride[axis] == 1;
    }
  return is_found;
}

/* Neighbours read neighbours; where that is along K they write a column of
 * local memory, whose elements a pad of one vector keeps in banks of their own.
 */
static void
set_copies (TpTilePlan *plan, int side)
{
  const TpTiles *t = plan->t;
  const TpSpan *span = &t->sides[side];
  TpTileSide *s = &plan->sides[side];
  gint64 elements = s->points * plan->depth;
  int k_axis = t->k.axes[t->k.n - 1], axis = k_axis;
  int own = span->n > 0 ? span->axes[span->n - 1] : -1;

  s->is_along_k = tp_span_is_straight (&t->k, t->turned, t->expr[side])
                  && !tp_span_is_straight (span, t->turned, t->expr[side]);
  if (!s->is_along_k)
    axis = own;
  s->width = axis >= 0 && elements >= (gint64)plan->local_size * WIDTH
                     && s->points % WIDTH == 0
                     && (axis != k_axis || plan->is_straight || t->k.n == 1)
                     && has_vectors (t->turned, t->expr[side], axis)
                 ? WIDTH
                 : 1;
  elements /= s->width;
  s->n_copies = MAX (elements / plan->local_size, 1);
  s->is_partial = elements < plan->local_size;
  s->pitch = s->points + MAX (plan->pad, s->is_along_k ? WIDTH : 0);
}

void
tp_tile_plan_set_steps (TpTilePlan *plan, gint64 depth, gint64 n_buffers,
                        gint64 n_parts)
{
  const TpTiles *t = plan->t;
  gint64 inner = t->nest->axes[t->k.axes[t->k.n - 1]].extent;

  plan->depth = depth;
  plan->n_buffers = n_buffers;
  plan->n_parts = n_parts;
  plan->is_straight = inner % depth == 0;
  plan->n_steps = (t->k.extent + depth - 1) / depth / n_parts;
  for (int i = 0; i < 2; i++)
    set_copies (plan, i);
}

void
tp_tile_plan_init (TpTilePlan *plan, const TpTiles *tiles, const gint64 *values)
{
  *plan = (TpTilePlan){ .t = tiles, .n_digits = 1 };
  plan->local_size = values[TP_TILES_ITEM_ROWS] * values[TP_TILES_ITEM_COLS];
  for (int i = 0; i < 2; i++)
    {
      plan->sides[i].tile = values[TP_TILES_TILE_ROWS + i];
      plan->sides[i].items = values[TP_TILES_ITEM_ROWS + i];
      plan->sides[i].points = plan->sides[i].tile * plan->sides[i].items;
    }
  tp_tile_plan_set_steps (plan, values[TP_TILES_DEPTH],
                          values[TP_TILES_BUFFERS], values[TP_TILES_PARTS]);
}

gint64
tp_tile_side_size (const TpTilePlan *plan, int side)
{
  return plan->sides[side].pitch * plan->depth;
}

gint64
tp_tile_plan_local_bytes (const TpTilePlan *plan)
{
  return (tp_tile_side_size (plan, TP_TILES_ROWS)
          + tp_tile_side_size (plan, TP_TILES_COLS))
         * plan->n_buffers * plan->n_digits * (gint64)tp_dtype_get_size (plan->t->dtype);
}

gint64
tp_tile_plan_count_blocks (const TpTilePlan *plan, int side)
{
  gint64 points = plan->sides[side].points;

  return (plan->t->sides[side].extent + points - 1) / points;
}
