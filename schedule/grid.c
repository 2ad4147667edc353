/* grid.c: spreads the spatial points of a nest over groups and loops.
 *
 * Outer axes are dealt to groups until a group has about the wished number of
 * points; the axis where that happens is cut into blocks. On a GPU a work-item
 * has a tile, and neighbours along the last axis are neighbours. */
#include "config.h"

#include "schedule/grid.h"

typedef struct
{
  const TpGrid *grid;
  TpEmit *emit;
  TpBodyFunc body;
  void *data;
  int split;                  /* position in order of the axis cut in blocks */
  gint64 block, n_blocks;
  TpValue block_index;        /* of this group along that axis */
  int tile;                   /* points along the tile axis, now */
  int vectors;                /* along the vector axis, now */
} GridState;

static void emit_level (GridState *state, int level);

void
tp_grid_init (TpGrid *grid, const TpNest *nest)
{
  *grid = (TpGrid) { .vaxis = -1, .lanes = 1, .unroll = 1, .tile_axis = -1,
                     .tile = 1, .tile_step = 1, .group_points = 1,
                     .local_size = 1 };
  for (int i = 0; i < nest->n_axes; i++)
    {
      int at = grid->n;

      if (nest->axes[i].is_reduce)
        continue;
      for (; at > 0 && nest->store.stride[grid->order[at - 1]]
                           < nest->store.stride[i];
           at--)
        grid->order[at] = grid->order[at - 1];
      grid->order[at] = i;
      grid->n++;
    }
}

static gint64
extent_at (const GridState *state, int level)
{
  return state->emit->nest->axes[state->grid->order[level]].extent;
}

/* ---- dealing to groups ------------------------------------------------- */

static void
choose_split (GridState *state)
{
  const TpGrid *grid = state->grid;
  gint64 inner = 1, step = 1, extent;
  int axis;

  state->split = grid->n - 1;
  for (int i = grid->n - 1; i > 0; i--)
    {
      inner *= extent_at (state, i);
      if (inner >= grid->group_points)
        break;
      state->split = i - 1;
    }
  inner = 1;
  for (int i = grid->n - 1; i > state->split; i--)
    inner *= extent_at (state, i);
  state->block = state->n_blocks = 1;
  if (state->split < 0)
    return;
  axis = grid->order[state->split];
  extent = extent_at (state, state->split);
  if (axis == grid->vaxis)
    step = (gint64) grid->lanes * grid->unroll;
  state->block = (grid->group_points + inner - 1) / inner;
  state->block = (state->block + step - 1) / step * step;
  if (state->block >= extent || axis == grid->tile_axis
      || (axis == grid->vaxis && grid->n_before + grid->n_after > 0))
    state->block = extent;
  state->n_blocks = (extent + state->block - 1) / state->block;
}

/* Positions of the axes dealt to groups. */
static void
decode_group (GridState *state)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 n_groups = state->n_blocks;
  TpValue rest;

  for (int i = 0; i < state->split; i++)
    n_groups *= extent_at (state, i);
  rest = tp_emit_begin_groups (e, n_groups);
  state->block_index = tp_k_binary (k, TP_I_IMOD, rest,
                                    tp_k_index (k, state->n_blocks));
  rest = tp_k_binary (k, TP_I_IDIV, rest, tp_k_index (k, state->n_blocks));
  for (int i = state->split - 1; i >= 0; i--)
    {
      TpValue extent = tp_k_index (k, extent_at (state, i));

      tp_emit_set_axis (e, state->grid->order[i],
                        tp_k_binary (k, TP_I_IMOD, rest, extent), 0,
                        extent_at (state, i) - 1);
      rest = tp_k_binary (k, TP_I_IDIV, rest, extent);
    }
}

/* ---- loops ------------------------------------------------------------- */

/* The first point of this group along the axis at @level. */
static TpValue
first_of (GridState *state, int level)
{
  if (level != state->split || state->n_blocks == 1)
    return tp_k_index (state->emit->kernel, 0);
  return tp_emit_mul_const (state->emit, state->block_index, state->block);
}

/* One past the last start of a step that is whole within this group. */
static TpValue
end_of (GridState *state, int level, gint64 step)
{
  gint64 last = extent_at (state, level) - step + 1;

  if (level != state->split || state->n_blocks == 1)
    return tp_k_index (state->emit->kernel, last);
  return tp_emit_min_const (state->emit,
                            tp_emit_add_const (state->emit,
                                               first_of (state, level),
                                               state->block),
                            last);
}

static void
emit_plain (GridState *state, int level)
{
  TpEmit *e = state->emit;
  int axis = state->grid->order[level];
  TpValue at = tp_emit_for (e, first_of (state, level),
                            end_of (state, level, 1), 1);

  tp_emit_set_axis (e, axis, at, 0, extent_at (state, level) - 1);
  emit_level (state, level + 1);
  tp_emit_end_for (e, NULL, 0, NULL);
  tp_emit_clear_axis (e, axis);
}

/* Points @first to @end - 1 of the vector axis, one by one. */
static void
emit_border (GridState *state, int level, gint64 first, gint64 end)
{
  TpEmit *e = state->emit;
  gboolean is_loop = end - first > 1;
  TpValue at;

  if (first >= end)
    return;
  at = is_loop ? tp_emit_for_const (e, first, end, 1)
               : tp_k_index (e->kernel, first);
  tp_emit_set_axis (e, state->grid->vaxis, at, first, end - 1);
  emit_level (state, level + 1);
  if (is_loop)
    tp_emit_end_for (e, NULL, 0, NULL);
}

/* What is left of the vector axis after whole steps. */
static void
emit_vector_rest (GridState *state, int level, gint64 rest)
{
  const TpGrid *grid = state->grid;
  TpEmit *e = state->emit;
  gint64 at = extent_at (state, level) - grid->n_after - rest;
  int active = rest % grid->lanes;

  state->vectors = rest / grid->lanes;
  if (state->vectors > 0)
    {
      tp_emit_set_axis (e, grid->vaxis, tp_k_index (e->kernel, at), at, at);
      emit_level (state, level + 1);
      at += state->vectors * grid->lanes;
    }
  state->vectors = 1;
  if (active > 0)
    {
      tp_emit_set_axis (e, grid->vaxis, tp_k_index (e->kernel, at), at, at);
      tp_emit_set_lanes (e, grid->vaxis, grid->lanes, active);
      emit_level (state, level + 1);
    }
}

static void
emit_vectors (GridState *state, int level)
{
  const TpGrid *grid = state->grid;
  TpEmit *e = state->emit;
  gint64 step = (gint64) grid->lanes * grid->unroll;
  gint64 end = extent_at (state, level) - grid->n_after;
  gint64 rest = (end - grid->n_before) % step;
  gboolean is_blocked = level == state->split && state->n_blocks > 1;

  tp_emit_set_lanes (e, grid->vaxis, grid->lanes, grid->lanes);
  if (end - grid->n_before >= step)
    {
      TpValue first = tp_emit_add_const (e, first_of (state, level), grid->n_before);
      TpValue at = tp_emit_for (
          e, first,
          tp_emit_add_const (e, end_of (state, level, step), -grid->n_after), step);

      state->vectors = grid->unroll;
      tp_emit_set_axis (e, grid->vaxis, at, grid->n_before, end - rest - step);
      emit_level (state, level + 1);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (is_blocked && rest > 0)
    tp_emit_if (e, tp_k_binary (e->kernel, TP_I_IEQUAL, state->block_index,
                                tp_k_index (e->kernel, state->n_blocks - 1)));
  if (rest > 0)
    emit_vector_rest (state, level, rest);
  if (is_blocked && rest > 0)
    tp_emit_end_if (e);
  tp_emit_set_lanes (e, -1, 1, 1);
  state->vectors = 1;
}

static void
emit_vector (GridState *state, int level)
{
  const TpGrid *grid = state->grid;
  gint64 extent = extent_at (state, level);

  emit_border (state, level, 0, grid->n_before);
  emit_vectors (state, level);
  emit_border (state, level, extent - grid->n_after, extent);
  tp_emit_clear_axis (state->emit, grid->vaxis);
}

/* One tile of @tile points at a constant place: what guards do to each of its
 * points is known. */
static void
emit_fixed_tile (GridState *state, int level, gint64 at, gint64 tile)
{
  TpEmit *e = state->emit;

  if (tile == 0)
    return;
  state->tile = tile;
  tp_emit_set_axis (e, state->grid->tile_axis, tp_k_index (e->kernel, at), at,
                    at);
  emit_level (state, level + 1);
}

/* A fixed tile at the start where guards may fail, a loop over whole tiles, and
 * a fixed tile of what is left. */
static void
emit_tile (GridState *state, int level)
{
  const TpGrid *grid = state->grid;
  TpEmit *e = state->emit;
  gint64 extent = extent_at (state, level), step = grid->tile;
  gint64 first = MIN (grid->tile_lo > 0 ? step : 0, extent);
  gint64 n = MAX (0, (grid->tile_hi - first) / step);
  gint64 last = first + (n - 1) * step;

  emit_fixed_tile (state, level, 0, first);
  if (n > 0)
    {
      TpValue at = tp_emit_for_const (e, first, last + 1, step);

      state->tile = step;
      tp_emit_set_axis (e, grid->tile_axis, at, first, last);
      emit_level (state, level + 1);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  emit_fixed_tile (state, level, first + n * step, extent - first - n * step);
  state->tile = 1;
  tp_emit_clear_axis (e, grid->tile_axis);
}

static void
emit_level (GridState *state, int level)
{
  const TpGrid *grid = state->grid;

  if (level == grid->n)
    state->body (state->emit, state->tile, state->vectors, state->data);
  else if (level < state->split)
    emit_level (state, level + 1);
  else if (grid->order[level] == grid->vaxis)
    emit_vector (state, level);
  else if (grid->order[level] == grid->tile_axis)
    emit_tile (state, level);
  else
    emit_plain (state, level);
}

/* ---- work-items -------------------------------------------------------- */

/* What lies between the first points of neighbours along the axis at @level. */
static gint64
step_of (const GridState *state, int level)
{
  const TpGrid *grid = state->grid;
  int axis = grid->order[level];
  gint64 step = axis == grid->vaxis ? grid->lanes : 1;

  return axis == grid->tile_axis && grid->tile_step == step ? grid->tile * step
                                                            : step;
}

/* Items along the axis at @level; a tile that does not divide it begins once more. */
static gint64
count_items (const GridState *state, int level)
{
  const TpGrid *grid = state->grid;
  int axis = grid->order[level];
  gint64 tile = axis == grid->tile_axis ? grid->tile : 1;
  gint64 n = extent_at (state, level) / (axis == grid->vaxis ? grid->lanes : 1);

  return (n + tile - 1) / tile;
}

/* Puts the axis at @level at point @at of an item, the last one where there are @n; what
 * a tile lacks there it has of its neighbour. */
static void
set_item (GridState *state, int level, TpValue at, gint64 n)
{
  TpEmit *e = state->emit;
  int axis = state->grid->order[level];
  gint64 last = (n - 1) * step_of (state, level), most = last;
  TpValue first = at;

  if (axis == state->grid->tile_axis && state->grid->tile_step == 1
      && axis != state->grid->vaxis)
    most = MIN (last, extent_at (state, level) - state->grid->tile);
  if (most < last)
    {
      at = tp_emit_min_const (e, at, most);
      e->n_before = tp_k_binary (e->kernel, TP_I_ISUB, first, at);
    }
  tp_emit_set_axis (e, axis, at, 0, most);
}

/* Positions of the axes of item @rest. */
static void
decode_item (GridState *state, TpValue rest)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;

  for (int i = state->grid->n - 1; i >= 0; i--)
    {
      gint64 n = count_items (state, i), step = step_of (state, i);
      TpValue extent = tp_k_index (k, n), at = rest;

      if (i > 0)
        {
          at = tp_k_binary (k, TP_I_IMOD, rest, extent);
          rest = tp_k_binary (k, TP_I_IDIV, rest, extent);
        }
      set_item (state, i, tp_emit_mul_const (e, at, step), n);
    }
}

static void
emit_items (GridState *state)
{
  const TpGrid *grid = state->grid;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  int local_size = grid->local_size;
  gint64 items = 1;
  gboolean is_cut;
  TpValue index;

  for (int i = 0; i < grid->n; i++)
    items *= count_items (state, i);
  is_cut = items % local_size != 0;
  k->local_size = local_size;
  index = tp_emit_begin_groups (e, (items + local_size - 1) / local_size);
  index = tp_k_binary (k, TP_I_IADD, tp_emit_mul_const (e, index, local_size),
                       tp_k_item (k));
  if (is_cut)
    {
      tp_emit_if (e, tp_k_binary (k, TP_I_ILESS, index, tp_k_index (k, items)));
      index = tp_emit_min_const (e, index, items - 1);
    }
  decode_item (state, index);
  if (grid->vaxis >= 0)
    tp_emit_set_lanes (e, grid->vaxis, grid->lanes, grid->lanes);
  tp_emit_begin_iterations (e);
  state->body (e, grid->tile, 1, state->data);
  tp_emit_end_iterations (e);
  tp_emit_set_lanes (e, -1, 1, 1);
  e->n_before = -1;
  if (is_cut)
    tp_emit_end_if (e);
  tp_emit_end_groups (e);
}

void
tp_grid_emit (const TpGrid *grid, TpEmit *emit, TpBodyFunc body, void *data)
{
  GridState state = { .grid = grid, .emit = emit, .body = body, .data = data,
                      .tile = 1, .vectors = 1, .n_blocks = 1, .block = 1 };

  if (grid->local_size > 1)
    {
      emit_items (&state);
      return;
    }
  choose_split (&state);
  decode_group (&state);
  tp_emit_begin_iterations (emit);
  emit_level (&state, 0);
  tp_emit_end_iterations (emit);
  tp_emit_end_groups (emit);
}
