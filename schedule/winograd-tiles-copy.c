/* winograd-tiles-copy.c: an item has all points of a tile for a channel: neighbours
 * take neighbours in memory. */
#include "config.h"

#include "schedule/winograd-tiles-copy.h"

#include "schedule/expr.h"
#include "schedule/winograd-transform.h"

#define VECTOR TP_WINOGRAD_TILES_VECTOR

/* ---- where ------------------------------------------------------------- */

static TpValue
take_digit (TpEmit *emit, TpValue *rest, gint64 extent)
{
  TpValue n = tp_k_index (emit->kernel, extent), all = *rest;

  *rest = tp_k_binary (emit->kernel, TP_I_IDIV, all, n);
  return tp_k_binary (emit->kernel, TP_I_IMOD, all, n);
}

void
tp_winograd_tile_place (TpWinogradTilePlace *out_place,
                        const TpWinogradTiles *plan, TpEmit *emit, TpValue tile)
{
  const TpContract *c = plan->w->c;
  const TpWinogradTilesSide *s = &plan->sides[plan->tiles];

  if (s->extent % s->block != 0)
    tile = tp_emit_min_const (emit, tile, s->extent - 1);
  out_place->col = tp_emit_mul_const (
      emit, take_digit (emit, &tile, plan->n_cols), TP_WINOGRAD_OUT);
  out_place->row = tp_emit_mul_const (
      emit, take_digit (emit, &tile, plan->n_rows), TP_WINOGRAD_OUT);
  tp_span_init (&out_place->outer);
  for (int i = 0; i < c->n_outer; i++)
    tp_span_add (&out_place->outer, c->nest, c->outer[i]);
  if (c->n_outer > 0)
    out_place->place = tp_span_place (emit, &out_place->outer, tile, 1);
}

/* Puts @axis and its window at point @i of a tile whose results begin at @first. A
 * window reaches three points; the fourth is the last of the next result's. Where
 * there is none, what is read instead is of no result. */
static void
set_point (const TpWinogradTiles *plan, TpEmit *emit, int which, TpValue first,
           int i)
{
  const TpContract *c = plan->w->c;
  int axis = which == 0 ? c->row_axis : c->col_axis;
  gint64 extent = c->nest->axes[axis].extent;
  int window = plan->w->window_axes[which], last = TP_WINOGRAD_SIDE - 1;
  int weight = MIN (i, last - 1);

  tp_emit_set_axis (emit, window, tp_k_index (emit->kernel, weight), weight,
                    weight);
  if (i == last && extent % TP_WINOGRAD_OUT != 0)
    {
      first = tp_emit_add_const (emit, first, 1);
      tp_emit_set_axis (emit, axis, tp_emit_min_const (emit, first, extent - 1),
                        1, extent - 1);
      return;
    }
  tp_emit_set_axis (emit, axis, first, 0,
                    (extent - 1) / TP_WINOGRAD_OUT * TP_WINOGRAD_OUT);
  emit->axes[axis].delta = i == last;
}

/* Which tile of the block, and which channel of the step, pair @j of this item is. */
static void
share_out (const TpWinogradTiles *plan, TpEmit *emit, int j,
           TpValue *out_tile, TpValue *out_channel)
{
  gint64 n_tiles = plan->sides[plan->tiles].block;
  TpValue rest = tp_emit_add_const (emit, tp_k_item (emit->kernel),
                                    (gint64) j * plan->local_size);

  if (plan->is_partial)
    rest = tp_k_binary (emit->kernel, TP_I_IMOD, rest,
                        tp_k_index (emit->kernel, n_tiles * plan->depth));
  if (plan->is_along_channels)
    {
      *out_channel = take_digit (emit, &rest, plan->depth);
      *out_tile = rest;
      return;
    }
  *out_tile = take_digit (emit, &rest, n_tiles);
  *out_channel = rest;
}

static void
init_pair (TpWinogradCopy *copy, TpEmit *emit, int j, TpValue block)
{
  const TpWinogradTiles *plan = copy->plan;
  const TpWinogradTilesSide *s = &plan->sides[plan->tiles];
  TpWinogradPair *pair = &copy->pairs[j];
  TpValue tile;

  share_out (plan, emit, j, &tile, &pair->channel);
  pair->at = tp_emit_add (emit,
                          tp_emit_mul_const (emit, pair->channel, s->pitch),
                          tp_emit_add_const (emit, tile, s->first));
  tile = tp_emit_add (emit, tp_emit_mul_const (emit, block, s->block), tile);
  tp_winograd_tile_place (&pair->place, plan, emit, tile);
}

void
tp_winograd_copy_init (TpWinogradCopy *copy, const TpWinogradTiles *plan,
                       TpEmit *emit, const TpValue blocks[2])
{
  TpKernel *k = emit->kernel;
  gint64 n_pairs = plan->sides[plan->tiles].block * plan->depth;
  gint64 block = tp_winograd_tiles_step_size (plan) * plan->n_steps
                 * plan->n_parts;

  copy->plan = plan;
  copy->buffer = tp_kernel_add_buffer (k, TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT32,
                                       plan->n_local, TRUE);
  copy->filters = tp_emit_add (
      emit, tp_emit_mul_const (emit, blocks[plan->filters], block),
      tp_emit_mul_const (emit, tp_k_item (k), VECTOR));
  copy->is_copied = -1;
  if (plan->is_partial)
    copy->is_copied = tp_k_binary (k, TP_I_ILESS, tp_k_item (k),
                                   tp_k_index (k, n_pairs));
  for (int j = 0; j < plan->n_pairs; j++)
    init_pair (copy, emit, j, blocks[plan->tiles]);
}

/* ---- copies ------------------------------------------------------------ */

/* Puts the channels' axis at that of @pair in @step. Returns whether it is one, as a
 * mask; -1: it is. */
static TpValue
set_channel (const TpWinogradTiles *plan, TpEmit *emit,
             const TpWinogradPair *pair, TpValue step)
{
  TpKernel *k = emit->kernel;
  gint64 n = plan->w->n_channels;
  TpValue at = tp_emit_add (emit, tp_emit_mul_const (emit, step, plan->depth),
                            pair->channel);
  TpValue inside = -1;

  if (n % plan->depth != 0)
    {
      inside = tp_k_binary (k, TP_I_ILESS, at, tp_k_index (k, n));
      at = tp_emit_min_const (emit, at, n - 1);
    }
  tp_emit_set_axis (emit, plan->w->channel_axis, at, 0, n - 1);
  return inside;
}

void
tp_winograd_copy_fetch (const TpWinogradCopy *copy, TpEmit *emit, TpValue step,
                        TpWinogradFetched *out)
{
  const TpWinogradTiles *plan = copy->plan;
  const TpContract *c = plan->w->c;
  TpValue at = tp_emit_add (
      emit, copy->filters,
      tp_emit_mul_const (emit, step, tp_winograd_tiles_step_size (plan)));

  for (int j = 0; j < plan->n_pairs; j++)
    {
      const TpWinogradPair *pair = &copy->pairs[j];

      out->is_inside[j] = set_channel (plan, emit, pair, step);
      tp_span_return (emit, &pair->place.outer, &pair->place.place);
      for (int i = 0; i < TP_WINOGRAD_POINTS; i++)
        {
          set_point (plan, emit, 0, pair->place.row, i / TP_WINOGRAD_SIDE);
          set_point (plan, emit, 1, pair->place.col, i % TP_WINOGRAD_SIDE);
          out->points[j][i] = tp_emit_expr (emit, c->x_expr);
        }
    }
  for (int j = 0; j < plan->n_vectors; j++)
    out->filters[j] = tp_k_load (
        emit->kernel, emit->load_buffers[c->w_load],
        tp_emit_add_const (emit, at, (gint64) j * plan->local_size * VECTOR),
        VECTOR, -1);
}

/* What lies behind the last channel counts as 0, as its filters do: 0 times an infinity
 * is none. */
static void
put_pair (const TpWinogradCopy *copy, TpEmit *emit, int j,
          const TpWinogradFetched *fetched)
{
  const TpWinogradTiles *plan = copy->plan;
  TpKernel *k = emit->kernel;
  TpValue in[TP_WINOGRAD_POINTS], out[TP_WINOGRAD_POINTS];

  for (int i = 0; i < TP_WINOGRAD_POINTS; i++)
    {
      in[i] = fetched->points[j][i];
      if (fetched->is_inside[j] >= 0)
        in[i] = tp_k_select (k, fetched->is_inside[j], in[i],
                             tp_k_f32 (k, 1, 0.0f));
    }
  tp_winograd_emit_square (
      k, &tp_winograd_form_find (TP_WINOGRAD_OUT)->points, in, out);
  for (int i = 0; i < TP_WINOGRAD_POINTS; i++)
    tp_k_store (k, copy->buffer,
                tp_emit_add_const (emit, copy->pairs[j].at,
                                   i * plan->sides[plan->tiles].block),
                out[i], copy->is_copied);
}

void
tp_winograd_copy_put (const TpWinogradCopy *copy, TpEmit *emit,
                      const TpWinogradFetched *fetched)
{
  const TpWinogradTiles *plan = copy->plan;
  TpKernel *k = emit->kernel;
  TpValue at = tp_emit_add_const (
      emit, tp_emit_mul_const (emit, tp_k_item (k), VECTOR),
      plan->sides[plan->filters].first);

  for (int j = 0; j < plan->n_pairs; j++)
    put_pair (copy, emit, j, fetched);
  for (int j = 0; j < plan->n_vectors; j++)
    tp_k_store (k, copy->buffer,
                tp_emit_add_const (emit, at,
                                   (gint64) j * plan->local_size * VECTOR),
                fetched->filters[j], -1);
}
