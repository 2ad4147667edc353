/* map-nests.c: see map-nests.h. */
#include "config.h"

#include "map-nests.h"

#include "nests.h"

#include <math.h>

/* Axes of an image, in the order in which nests have them. */
enum
{
  N,
  C,
  H,
  W,
};

/* Strides of an image with room for @channels and @cols. */
static void
set_strides (gint64 *stride, const MapCase *c, gint64 channels, gint64 cols)
{
  stride[N] = channels * c->h * cols;
  stride[C] = c->is_channels_last ? 1 : c->h * cols;
  stride[H] = c->is_channels_last ? channels * cols : cols;
  stride[W] = c->is_channels_last ? channels : 1;
}

static gint64
count (const MapCase *c)
{
  return c->n * c->c * c->h * c->w;
}

static TpNest *
new_image (const MapCase *c, int operand, gint64 channels)
{
  TpNest *nest = tp_nest_new ();
  const gint64 extents[] = { c->n, c->c, c->h, c->w };

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    tp_nest_add_axis (nest, extents[i], FALSE);
  nest->store.operand = operand;
  set_strides (nest->store.stride, c, channels, c->w);
  return nest;
}

static TpAccess *
add_image (TpNest *nest, const MapCase *c, int operand, gint64 channels)
{
  TpAccess *load = tp_nest_add_load (nest, operand);

  set_strides (load->stride, c, channels, c->w);
  return load;
}

static int
relu (TpNest *nest, int x)
{
  return tp_nest_binary (nest, TP_EXPR_MAX, x, tp_nest_const (nest, 0.0));
}

static int
gelu (TpNest *nest, int x)
{
  int half = tp_nest_const (nest, 0.5), one = tp_nest_const (nest, 1.0);
  int scaled = tp_nest_binary (nest, TP_EXPR_MUL, x,
                               tp_nest_const (nest, 0.70710678118654752));
  int sum = tp_nest_binary (nest, TP_EXPR_ADD, one,
                            tp_nest_unary (nest, TP_EXPR_ERF, scaled));

  return tp_nest_binary (nest, TP_EXPR_MUL,
                         tp_nest_binary (nest, TP_EXPR_MUL, x, half), sum);
}

/* A load that is never made, with a guard that lanes along a row do not agree on. */
static int
keep_band (TpNest *nest, const MapCase *c, int x)
{
  TpAccess *load = tp_nest_add_load (nest, nest->loads[0].operand);
  TpGuard *guard = load->guards;

  load->n_guards = 1;
  guard->coef[W] = 2;
  guard->coef[H] = -1;
  guard->offset = 1;
  guard->extent = c->w;
  return tp_nest_select (nest, tp_nest_inside (nest, 1), x,
                         tp_nest_const (nest, 0.25));
}

/* What there is besides x. */
static int
add_other (TpLowered *lowered, TpNest *nest, const MapCase *c, int x)
{
  TpAccess *load;

  switch (c->kind)
    {
    case MAP_RELU:
      return relu (nest, x);
    case MAP_GELU:
      return gelu (nest, x);
    case MAP_BAND:
      return keep_band (nest, c, x);
    case MAP_BIAS:
      load = tp_nest_add_load (nest, add_operand (lowered, c->c, FALSE));
      load->stride[C] = 1;
      return tp_nest_binary (nest, TP_EXPR_ADD, x, tp_nest_load (nest, 1));
    case MAP_RESIDUAL:
      add_image (nest, c, add_operand (lowered, 2 * count (c), FALSE),
                 2 * c->c);
      return relu (nest, tp_nest_binary (nest, TP_EXPR_ADD, x,
                                         tp_nest_load (nest, 1)));
    default:
      return x;
    }
}

static void
add_concat (TpLowered *lowered, const MapCase *c)
{
  int result = add_operand (lowered, 2 * count (c), FALSE);

  for (int i = 0; i < 2; i++)
    {
      TpNest *nest = new_image (c, result, 2 * c->c);

      add_image (nest, c, add_operand (lowered, count (c), FALSE), c->c);
      nest->store.offset = i * c->c * nest->store.stride[C];
      nest->result = tp_nest_load (nest, 0);
      tp_lowered_take_nest (lowered, nest);
    }
}

/* x at column floor (s y), the y of each point of an image without channels: s is a
 * power of two, so that products are exact and no two take another column. */
static TpLowered *
new_look (const MapCase *c)
{
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = new_image (c, add_operand (lowered, count (c), FALSE), c->c);
  int x = add_operand (lowered, count (c), FALSE);
  TpAccess *load = tp_nest_add_load (
      nest, add_operand (lowered, count (c) / c->c, FALSE));
  double scale = ldexp (1.0, g_bit_storage (c->w) - 1);
  int at;

  load->stride[N] = c->h * c->w;
  load->stride[H] = c->w;
  load->stride[W] = 1;
  at = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                       tp_nest_const (nest, scale));
  at = tp_nest_unary (nest, TP_EXPR_FLOOR, at);
  at = tp_nest_binary (nest, TP_EXPR_MAX, at, tp_nest_const (nest, -2.0 * c->w));
  at = tp_nest_binary (nest, TP_EXPR_MIN, at, tp_nest_const (nest, 2.0 * c->w));
  load = add_image (nest, c, x, c->c);
  load->index = tp_nest_unary (nest, TP_EXPR_TO_INTEGER, at);
  load->index_stride = load->stride[W];
  load->index_extent = c->w;
  load->stride[W] = 0;
  load->fill = 0.5;
  nest->result = tp_nest_load (nest, 1);
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

/* What only moves, whatever it is. */
static TpLowered *
new_move (const MapCase *c)
{
  TpLowered *lowered = tp_lowered_new ();
  gboolean is_turn = c->kind == MAP_TURN;
  gint64 n = is_turn ? 1 : c->step;
  TpNest *nest = new_image (c, add_operand (lowered, n * count (c), FALSE), c->c);
  TpAccess *load
      = add_image (nest, c, add_operand (lowered, n * count (c), FALSE), c->c);
  gint64 *stride = nest->store.stride;

  for (int i = 0; i < 2; i++)
    lowered->operands[i].dtype = c->dtype;
  if (is_turn)
    {
      stride[H] = stride[W];
      stride[W] *= c->h;
    }
  else
    {
      int axis = tp_nest_add_axis (nest, n, FALSE);

      set_strides (stride, c, c->c, n * c->w);
      stride[axis] = stride[W];
      stride[W] *= n;
      load->stride[axis] = c->kind == MAP_WEAVE ? count (c) : 0;
    }
  load->dtype = c->dtype;
  nest->result = tp_nest_load (nest, 0);
  tp_lowered_take_nest (lowered, nest);
  tp_lowered_set_dtypes (lowered);
  return lowered;
}

TpLowered *
new_map (gconstpointer data)
{
  const MapCase *c = data;
  g_autoptr (TpLowered) lowered = NULL;
  gint64 room = c->kind == MAP_SLICE ? c->step : 1;
  TpAccess *load;
  TpNest *nest;

  if (c->kind == MAP_LOOK)
    return new_look (c);
  if (c->kind >= MAP_REPEAT)
    return new_move (c);
  lowered = tp_lowered_new ();
  if (c->kind == MAP_CONCAT)
    {
      add_concat (lowered, c);
      return g_steal_pointer (&lowered);
    }
  nest = new_image (c, add_operand (lowered, count (c), FALSE), c->c);
  load = add_image (nest, c, add_operand (lowered, room * count (c), FALSE),
                    c->c);
  set_strides (load->stride, c, c->c, room * c->w);
  if (c->kind == MAP_SLICE)
    {
      load->offset = load->stride[W];
      load->stride[W] *= c->step;
    }
  nest->result = add_other (lowered, nest, c, tp_nest_load (nest, 0));
  tp_lowered_take_nest (lowered, nest);
  return g_steal_pointer (&lowered);
}
