/* winograd-tiles.c: what a choice means for a convolution by Winograd's filtering on
 * a GPU. */
#include "config.h"

#include "schedule/winograd-tiles.h"

#define VECTOR TP_WINOGRAD_TILES_VECTOR

static gint64
divide_up (gint64 n, gint64 by)
{
  return (n + by - 1) / by;
}

static void
set_side (TpWinogradTiles *plan, int side, gint64 extent, const gint64 *values)
{
  TpWinogradTilesSide *s = &plan->sides[side];

  s->extent = extent;
  s->tile = values[TP_WINOGRAD_TILES_TILE_ROWS + side];
  s->items = values[TP_WINOGRAD_TILES_ITEM_ROWS + side];
  s->block = (gint64) s->tile * s->items;
  s->n_blocks = divide_up (extent, s->block);
  s->pitch = TP_WINOGRAD_POINTS * s->block;
}

/* Neighbours along channels write what lies far apart in local memory: a pad of a
 * vector keeps that in banks of its own. */
static void
set_local (TpWinogradTiles *plan)
{
  TpWinogradTilesSide *x = &plan->sides[plan->tiles];
  TpWinogradTilesSide *w = &plan->sides[plan->filters];

  if (plan->is_along_channels)
    x->pitch += VECTOR;
  x->first = 0;
  w->first = x->pitch * plan->depth;
  plan->n_local = MAX (w->first + w->pitch * plan->depth,
                       tp_winograd_tiles_count_exchanged (plan));
}

void
tp_winograd_tiles_init (TpWinogradTiles *plan, const TpWinograd *w,
                        const gint64 *values)
{
  const TpContract *c = w->c;
  gint64 n_pairs;

  *plan = (TpWinogradTiles) { .w = w };
  plan->filters = c->nest->store.stride[c->n_axis] == 1;
  plan->tiles = !plan->filters;
  plan->n_rows = divide_up (c->n_rows, TP_WINOGRAD_OUT);
  plan->n_cols = divide_up (c->n_cols, TP_WINOGRAD_OUT);
  set_side (plan, plan->tiles,
            plan->n_rows * plan->n_cols * c->n_outer_points, values);
  set_side (plan, plan->filters, c->n_total, values);
  plan->local_size
      = TP_WINOGRAD_POINTS * plan->sides[0].items * plan->sides[1].items;
  plan->depth = values[TP_WINOGRAD_TILES_DEPTH];
  plan->n_parts = values[TP_WINOGRAD_TILES_PARTS];
  plan->n_steps = divide_up (w->n_channels, plan->depth) / plan->n_parts;
  plan->is_along_channels
      = ABS (c->nest->loads[c->x_load].stride[w->channel_axis]) == 1;
  n_pairs = plan->sides[plan->tiles].block * plan->depth;
  plan->n_pairs = MAX (n_pairs / plan->local_size, 1);
  plan->is_partial = n_pairs < plan->local_size;
  plan->n_vectors
      = tp_winograd_tiles_step_size (plan) / plan->local_size / VECTOR;
  set_local (plan);
}

gint64
tp_winograd_tiles_step_size (const TpWinogradTiles *plan)
{
  return plan->sides[plan->filters].pitch * plan->depth;
}

/* A vector of columns by as many rows of each item. */
gint64
tp_winograd_tiles_count_exchanged (const TpWinogradTiles *plan)
{
  return (gint64) plan->local_size * VECTOR * VECTOR;
}
