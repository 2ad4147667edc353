/* op-pool-nest.c: see op-pool-nest.h. */
#include "config.h"

#include "ops/op-pool-nest.h"

#include <string.h>

/* What a nest reads or writes. */
typedef struct
{
  TpDtype dtype;
  int rank;
  gint64 dims[TP_MAX_RANK], strides[TP_MAX_RANK];
  int operand;
} Place;

static TpTensor
get_tensor (const Place *place)
{
  return (TpTensor){ .dtype = place->dtype, .rank = place->rank,
                     .dims = place->dims, .strides = place->strides };
}

/* Side @i of @window alone. */
static TpWindow
get_side (const TpWindow *window, int i)
{
  TpWindow side = { .n = window->n };

  for (int k = 0; k < window->n; k++)
    {
      side.in[k] = k > i ? window->out[k] : window->in[k];
      side.out[k] = k < i ? window->in[k] : window->out[k];
      side.kernel[k] = side.stride[k] = side.dilation[k] = 1;
    }
  side.kernel[i] = window->kernel[i];
  side.stride[i] = window->stride[i];
  side.dilation[i] = window->dilation[i];
  side.pad_begin[i] = window->pad_begin[i];
  side.pad_end[i] = window->pad_end[i];
  return side;
}

/* What @side makes of @x, in scratch, in the order of @x. */
static Place
add_scratch (TpLowered *lowered, const TpWindow *side, const Place *x,
             TpDtype dtype)
{
  Place place = *x;
  gboolean is_last = x->strides[1] == 1;
  gint64 step = is_last ? x->dims[1] : 1;

  memcpy (place.dims + 2, side->out, side->n * sizeof side->out[0]);
  place.dtype = dtype;
  for (int i = side->n + 1; i >= 2; step *= place.dims[i--])
    place.strides[i] = step;
  place.strides[1] = is_last ? 1 : step;
  place.strides[0] = is_last ? step : step * place.dims[1];
  place.operand = tp_lowered_add_scratch (
      lowered, dtype, tp_dims_product (place.dims, 0, place.rank));
  return place;
}

/* The nest of @window, from @x to where @lowering stores, which is like @to. */
static gboolean
add_pool (TpLowering *lowering, const TpWindow *window, const Place *x,
          const TpTensor *to, TpPoolResult result)
{
  TpPool pool = { .window = *window };
  TpTensor from = get_tensor (x);
  TpAccess *load;

  for (int i = 0; i < to->rank; i++)
    tp_lowering_add_axis (lowering, to->dims[i], to->strides[i]);
  tp_window_add_axes (window, lowering, 2, &pool.axes);
  load = tp_nest_add_load (lowering->nest, x->operand);
  load->dtype = x->dtype;
  load->stride[0] = x->strides[0];
  load->stride[1] = x->strides[1];
  tp_window_set_load (window, &pool.axes, &from, load);
  return tp_lowering_finish (lowering, result (lowering, &pool));
}

/* Replaces @x by what side @i of @window makes of it. */
static void
add_side (const TpLowering *like, const TpWindow *window, int i, Place *x,
          const TpPoolRule *rule)
{
  g_auto (TpLowering) lowering
      = tp_lowering_new (like->graph, like->node, like->lowered);
  TpWindow side = get_side (window, i);
  Place to = add_scratch (like->lowered, &side, x,
                          rule->is_exact ? x->dtype
                                         : tp_dtype_get_computed (x->dtype));
  TpTensor made = get_tensor (&to);

  lowering.nest->store = (TpAccess){ .operand = to.operand,
                                     .dtype = to.dtype, .index = -1 };
  add_pool (&lowering, &side, x, &made, rule->result);
  *x = to;
}

/* Whether windows are so large that their sides are better taken one after the other: of
 * k * k elements each is then made of k and k, in rows that strides skip later too. */
static gboolean
has_sides (const TpWindow *window, const TpPoolRule *rule, TpDtype dtype)
{
  gint64 all = 1, rows = 1;
  double apart = 0.0;

  for (int i = 0; i < window->n; i++)
    {
      if (window->kernel[i] > G_MAXINT32 || all > G_MAXINT32
          || rows > G_MAXINT32)
        return FALSE;
      apart += (double) window->kernel[i] * rows;
      all *= window->kernel[i];
      rows *= window->stride[i];
    }
  return rule->halves > 0 && 2.0 * all >= rule->halves * apart
         && (rule->is_exact || !tp_dtype_is_integer (dtype));
}

gboolean
tp_pool_lower (TpLowering *lowering, const TpPoolRule *rule, GError **error)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpWindowSource source = { x->rank, x->dims, NULL };
  Place from = { .dtype = x->dtype, .rank = x->rank };
  TpWindow window;

  if (!tp_window_init (&window, lowering->node, &source, error))
    return FALSE;
  memcpy (from.dims, x->dims, x->rank * sizeof x->dims[0]);
  memcpy (from.strides, x->strides, x->rank * sizeof x->strides[0]);
  from.operand = tp_lowered_get_tensor (lowering->lowered, lowering->graph,
                                        lowering->node->inputs[0]);
  if (has_sides (&window, rule, x->dtype))
    {
      for (int i = window.n - 1; i > 0; i--)
        if (window.kernel[i] > 1 || window.in[i] != window.out[i])
          add_side (lowering, &window, i, &from, rule);
      window = get_side (&window, 0);
    }
  return add_pool (lowering, &window, &from, lowering->out, rule->result);
}
