/* op-pool.c: maxima, averages and norms over windows. */
#include "config.h"

#include "ops/op-pool-nest.h"
#include "ops/op-window.h"

#include <math.h>
#include <string.h>

/* ---- shape ------------------------------------------------------------- */

static gboolean
pool_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  TpWindow window;
  TpWindowSource source = { inputs[0]->rank, inputs[0]->dims, NULL };

  if (!tp_window_init (&window, node, &source, error))
    return FALSE;
  tp_shape_copy (&outputs[0], inputs[0]);
  memcpy (outputs[0].dims + 2, window.out, window.n * sizeof window.out[0]);
  return TRUE;
}

/* Output 1 says where in the input the maxima are. */
static gboolean
max_pool_infer (const TpNode *node, const TpTensor *const *inputs,
                TpShape *outputs, GError **error)
{
  if (!pool_infer (node, inputs, outputs, error))
    return FALSE;
  if (node->n_outputs > 1)
    {
      outputs[1] = outputs[0];
      outputs[1].dtype = TPLAN_DTYPE_INT64;
    }
  return TRUE;
}

/* ---- maxima and averages ----------------------------------------------- */

static int
find_max (TpLowering *lowering, const TpPool *pool)
{
  lowering->nest->loads[0].fill = -INFINITY;
  return tp_lowering_reduce (lowering, TP_COMBINE_MAX,
                             tp_nest_load (lowering->nest, 0));
}

/* Load 1: where in the whole input load 0 stands, the last dimension fastest. */
static void
add_places (TpLowering *lowering, const TpPool *pool)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  gint64 strides[TP_MAX_RANK], step = 1;
  TpTensor places = { .rank = x->rank, .dims = x->dims, .strides = strides };
  TpAccess *load = tp_nest_add_load (
      lowering->nest, tp_lowered_add_iota (lowering->lowered, x->count));

  for (int i = x->rank - 1; i >= 0; i--)
    {
      strides[i] = step;
      step *= x->dims[i];
    }
  load->dtype = TPLAN_DTYPE_INT64;
  load->stride[0] = strides[0];
  load->stride[1] = strides[1];
  tp_window_set_load (&pool->window, &pool->axes, &places, load);
}

/* Place @at as it is counted where the first spatial dimension is the fastest. */
static int
turn_place (TpLowering *lowering, const TpWindow *window, int at)
{
  TpNest *nest = lowering->nest;
  int turned = tp_nest_const_integer (nest, 0), rest = at;
  gint64 unit = 1;

  for (int i = 0; i < window->n; i++)
    unit *= window->in[i];
  for (int i = window->n - 1; i >= 0; i--)
    {
      int extent = tp_nest_const_integer (nest, window->in[i]);
      int digit = tp_nest_binary (nest, TP_EXPR_MOD, rest, extent);

      unit /= window->in[i];
      digit = tp_nest_binary (nest, TP_EXPR_MUL, digit,
                              tp_nest_const_integer (nest, unit));
      turned = tp_nest_binary (nest, TP_EXPR_ADD, turned, digit);
      rest = tp_nest_binary (nest, TP_EXPR_DIV, rest, extent);
    }
  for (int i = 0; i < window->n; i++)
    unit *= window->in[i];
  rest = tp_nest_binary (nest, TP_EXPR_MUL, rest,
                         tp_nest_const_integer (nest, unit));
  return tp_nest_binary (nest, TP_EXPR_ADD, turned, rest);
}

/* The first place where the maximum is; -1 of nothing but padding, NaN and minus
 * infinity. */
static int
find_place (TpLowering *lowering, const TpPool *pool)
{
  TpNest *nest = lowering->nest;
  int x = tp_nest_load (nest, 0), max = find_max (lowering, pool), is_max, at;
  int least = tp_nest_convert (nest, tp_nest_const (nest, -INFINITY),
                               nest->loads[0].dtype);
  int none = tp_nest_const_integer (nest, G_MAXINT64), place;

  add_places (lowering, pool);
  is_max = tp_nest_binary (nest, TP_EXPR_MUL,
                           tp_nest_binary (nest, TP_EXPR_EQUAL, x, max),
                           tp_nest_binary (nest, TP_EXPR_LESS, least, x));
  at = tp_nest_select (nest, is_max, tp_lowering_last_load (lowering), none);
  place = at = tp_lowering_reduce (lowering, TP_COMBINE_MIN, at);
  if (tp_node_get_int (lowering->node, "storage_order", 0) != 0)
    place = turn_place (lowering, &pool->window, at);
  return tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_EQUAL, at, none),
                         tp_nest_const_integer (nest, -1), place);
}

static gboolean
max_pool_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                GError **error)
{
  static const TpPoolRule maxima = { find_max, 4, TRUE };
  static const TpPoolRule places = { find_place, 0, TRUE };

  for (int i = 0; i < node->n_outputs; i++)
    {
      g_auto (TpLowering) lowering = { 0 };

      if (node->outputs[i] < 0)
        continue;
      lowering = tp_lowering_new_output (graph, node, lowered, i);
      if (!tp_pool_lower (&lowering, i == 0 ? &maxima : &places, error))
        return FALSE;
    }
  return TRUE;
}

/* Of what load 0 reads. */
static TpAccess *
add_load_like (TpNest *nest)
{
  TpAccess *load = tp_nest_add_load (nest, nest->loads[0].operand);

  load->dtype = nest->loads[0].dtype;
  return load;
}

/* A load of nothing, with a guard wherever windows overhang the padding. */
static int
average_add_overhang (TpLowering *lowering, const TpPool *pool)
{
  const TpWindow *window = &pool->window;
  TpAccess *load = NULL;

  for (int i = 0; i < window->n; i++)
    {
      gint64 padded = window->in[i] + window->pad_begin[i] + window->pad_end[i];
      gint64 last = (window->out[i] - 1) * window->stride[i]
                    + (window->kernel[i] - 1) * window->dilation[i];
      TpGuard guard;

      if (last < padded)
        continue;
      if (load == NULL)
        load = add_load_like (lowering->nest);
      /* Padding counts as inside. */
      guard = tp_window_guard (window, &pool->axes, i);
      guard.offset += window->pad_begin[i];
      guard.extent = padded;
      load->guards[load->n_guards++] = guard;
    }
  return load == NULL ? -1 : lowering->nest->n_loads - 1;
}

/* How many points a window counts: those of the load returned, or -1: all. */
static int
average_find_counted (TpLowering *lowering, const TpPool *pool)
{
  if (tp_node_get_int (lowering->node, "count_include_pad", 0) != 0)
    return average_add_overhang (lowering, pool);
  return lowering->nest->loads[0].n_guards > 0 ? 0 : -1;
}

/* Whether some window may have no point to count: its average is 0 then. */
static gboolean
average_may_be_empty (const TpWindow *window)
{
  for (int i = 0; i < window->n; i++)
    if (window->dilation[i] > 1 || window->pad_begin[i] >= window->kernel[i]
        || (window->out[i] - 1) * window->stride[i] - window->pad_begin[i]
               >= window->in[i])
      return TRUE;
  return FALSE;
}

static int
find_average (TpLowering *lowering, const TpPool *pool)
{
  TpNest *nest = lowering->nest;
  int counted = average_find_counted (lowering, pool);
  int sum = tp_lowering_reduce (lowering, TP_COMBINE_SUM,
                                tp_nest_load (nest, 0));
  int n;

  if (counted < 0)
    {
      gint64 all = tp_dims_product (pool->window.kernel, 0, pool->window.n);

      return tp_nest_binary (nest, TP_EXPR_MUL, sum,
                             tp_nest_const (nest, 1.0 / all));
    }
  n = tp_lowering_reduce (lowering, TP_COMBINE_SUM,
                          tp_nest_inside (nest, counted));
  if (average_may_be_empty (&pool->window))
    n = tp_nest_binary (nest, TP_EXPR_MAX, n, tp_nest_const (nest, 1.0));
  return tp_nest_binary (nest, TP_EXPR_DIV, sum, n);
}

static gboolean
average_pool_lower (const TpGraph *graph, const TpNode *node,
                    TpLowered *lowered, GError **error)
{
  static const TpPoolRule rule = { find_average, 3, FALSE }; /* it counts them, too */
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  return tp_pool_lower (&lowering, &rule, error);
}

/* ---- norms ------------------------------------------------------------- */

static gint64
get_power (const TpNode *node)
{
  return tp_node_get_int (node, "p", 2);
}

static gboolean
lp_pool_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  if (get_power (node) < 1)
    return tp_op_fail (node, error,
                       "p is %" G_GINT64_FORMAT ", it must be at least 1",
                       get_power (node));
  return pool_infer (node, inputs, outputs, error);
}

/* Padding is 0, which adds nothing. */
static int
find_norm (TpLowering *lowering, const TpPool *pool)
{
  TpNest *nest = lowering->nest;
  gint64 p = get_power (lowering->node);
  int x = tp_nest_load (nest, 0), sum;

  if (p == 2)
    x = tp_nest_binary (nest, TP_EXPR_MUL, x, x);
  else
    x = tp_nest_unary (nest, TP_EXPR_ABS, x);
  if (p > 2)
    x = tp_nest_binary (nest, TP_EXPR_POW, x, tp_nest_const (nest, p));
  sum = tp_lowering_reduce (lowering, TP_COMBINE_SUM, x);
  if (p == 2)
    sum = tp_nest_unary (nest, TP_EXPR_SQRT, sum);
  if (p > 2)
    sum = tp_nest_binary (nest, TP_EXPR_POW, sum, tp_nest_const (nest, 1.0 / p));
  return sum;
}

static gboolean
lp_pool_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  static const TpPoolRule rule = { find_norm, 0, FALSE };
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  return tp_pool_lower (&lowering, &rule, error);
}

/* ---- reference --------------------------------------------------------- */

/* Sum, maximum and number of the inputs under the window at @at; with @power the
 * sum of the powers of what they are away from 0. */
typedef struct
{
  double sum, max;
  gint64 at;                  /* of the maximum in its plane; -1: there is none */
  gint64 n;
} PoolSum;

static PoolSum
pool_sum (const TpWindow *window, const double *plane, const gint64 *at,
          gint64 power)
{
  PoolSum total = { 0.0, -INFINITY, -1, 0 };
  gint64 k[TP_WINDOW_MAX_DIMS] = { 0 };

  do
    {
      gint64 index = 0;
      gboolean is_inside = TRUE;

      for (int i = 0; i < window->n; i++)
        {
          gint64 position = at[i] * window->stride[i] - window->pad_begin[i]
                            + k[i] * window->dilation[i];

          is_inside = is_inside && position >= 0 && position < window->in[i];
          index = index * window->in[i] + position;
        }
      if (!is_inside)
        continue;
      total.sum += power > 0 ? pow (fabs (plane[index]), power) : plane[index];
      if (plane[index] > total.max) /* NaN is not */
        {
          total.max = plane[index];
          total.at = index;
        }
      total.n++;
    }
  while (tp_dims_next (window->n, window->kernel, k));
  return total;
}

/* Points of the window at @at that lie in the input or in its padding. */
static gint64
pool_count_padded (const TpWindow *window, const gint64 *at)
{
  gint64 n = 1;

  for (int i = 0; i < window->n; i++)
    {
      gint64 end = window->in[i] + window->pad_begin[i] + window->pad_end[i];
      gint64 inside = 0;

      for (gint64 k = 0; k < window->kernel[i]; k++)
        inside += at[i] * window->stride[i] + k * window->dilation[i] < end;
      n *= inside;
    }
  return n;
}

typedef double (*PoolValue) (const TpNode *node, const TpWindow *window,
                             const gint64 *at, const PoolSum *sum);

static double
lp_pool_value (const TpNode *node, const TpWindow *window, const gint64 *at,
               const PoolSum *sum)
{
  return pow (sum->sum, 1.0 / get_power (node));
}

static void
pool_reference (const TpNode *node, const TpRefTensor *x, TpRefTensor *out,
                PoolValue value)
{
  gint64 power = value == lp_pool_value ? get_power (node) : 0;
  gint64 in_plane = tp_dims_product (x->dims, 2, x->rank);
  gint64 out_plane = tp_dims_product (out->dims, 2, out->rank);
  gint64 at[TP_WINDOW_MAX_DIMS] = { 0 };
  TpWindow window;
  TpWindowSource source = { x->rank, x->dims, NULL };

  if (!tp_window_init (&window, node, &source, NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < out->count; i++)
    {
      PoolSum sum = pool_sum (&window, x->data + i / out_plane * in_plane, at,
                              power);

      out->data[i] = value (node, &window, at, &sum);
      tp_dims_next (window.n, window.out, at);
    }
}

static double
max_pool_value (const TpNode *node, const TpWindow *window, const gint64 *at,
                const PoolSum *sum)
{
  return sum->max;
}

static double
max_pool_place (const TpNode *node, const TpWindow *window, const gint64 *at,
                const PoolSum *sum)
{
  gint64 place = 0, rest = sum->at, unit = 1;

  if (sum->at < 0 || tp_node_get_int (node, "storage_order", 0) == 0)
    return sum->at;
  /* the first dimension is the one whose neighbours lie together */
  for (int i = 0; i < window->n; i++)
    unit *= window->in[i];
  for (int i = window->n - 1; i >= 0; i--)
    {
      unit /= window->in[i];
      place += rest % window->in[i] * unit;
      rest /= window->in[i];
    }
  return place;
}

/* Places are those in the whole input. */
static void
max_pool_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gint64 in_plane = tp_dims_product (x->dims, 2, x->rank);
  gint64 out_plane = tp_dims_product (outputs[0].dims, 2, x->rank);

  pool_reference (node, x, &outputs[0], max_pool_value);
  if (node->n_outputs < 2 || outputs[1].data == NULL)
    return;
  pool_reference (node, x, &outputs[1], max_pool_place);
  for (gint64 i = 0; i < outputs[1].count; i++)
    if (outputs[1].data[i] >= 0)
      outputs[1].data[i] += (double) (i / out_plane * in_plane);
}

static double
average_pool_value (const TpNode *node, const TpWindow *window,
                    const gint64 *at, const PoolSum *sum)
{
  if (tp_node_get_int (node, "count_include_pad", 0) != 0)
    return sum->sum / pool_count_padded (window, at);
  return sum->n == 0 ? 0.0 : sum->sum / sum->n;
}

static void
average_pool_reference (const TpNode *node, const TpRefTensor *const *inputs,
                        TpRefTensor *outputs)
{
  pool_reference (node, inputs[0], &outputs[0], average_pool_value);
}

static void
lp_pool_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  pool_reference (node, inputs[0], &outputs[0], lp_pool_value);
}

/* ---- records ----------------------------------------------------------- */

static const TpAttrSpec max_pool_attrs[] = {
  { "auto_pad", TP_ATTR_STRING, FALSE },
  { "ceil_mode", TP_ATTR_INT, FALSE },
  { "dilations", TP_ATTR_INTS, FALSE },
  { "kernel_shape", TP_ATTR_INTS, TRUE },
  { "pads", TP_ATTR_INTS, FALSE },
  { "storage_order", TP_ATTR_INT, FALSE },
  { "strides", TP_ATTR_INTS, FALSE },
  { 0 },
};

static const TpAttrSpec average_pool_attrs[] = {
  { "auto_pad", TP_ATTR_STRING, FALSE },
  { "ceil_mode", TP_ATTR_INT, FALSE },
  { "count_include_pad", TP_ATTR_INT, FALSE },
  { "dilations", TP_ATTR_INTS, FALSE },
  { "kernel_shape", TP_ATTR_INTS, TRUE },
  { "pads", TP_ATTR_INTS, FALSE },
  { "strides", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_max_pool = {
  .name = "MaxPool",
  .kind = TP_OP_WINDOW,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 2,
  .flags = TP_OP_CHANNELS_LAST,
  .attrs = max_pool_attrs,
  .tolerance = 0.0,
  .infer = max_pool_infer,
  .lower = max_pool_lower,
  .reference = max_pool_reference,
  .ranks = TP_RANKS_TAKEN,
};

const TpOp tp_op_average_pool = {
  .name = "AveragePool",
  .kind = TP_OP_WINDOW,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .flags = TP_OP_CHANNELS_LAST,
  .attrs = average_pool_attrs,
  .tolerance = 1e-5,
  .infer = pool_infer,
  .lower = average_pool_lower,
  .reference = average_pool_reference,
};

static const TpAttrSpec lp_pool_attrs[] = {
  { "auto_pad", TP_ATTR_STRING, FALSE },
  { "ceil_mode", TP_ATTR_INT, FALSE },
  { "dilations", TP_ATTR_INTS, FALSE },
  { "kernel_shape", TP_ATTR_INTS, TRUE },
  { "p", TP_ATTR_INT, FALSE },
  { "pads", TP_ATTR_INTS, FALSE },
  { "strides", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_lp_pool = {
  .name = "LpPool",
  .kind = TP_OP_WINDOW,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .flags = TP_OP_CHANNELS_LAST,
  .attrs = lp_pool_attrs,
  .tolerance = 1e-5,
  .infer = lp_pool_infer,
  .lower = lp_pool_lower,
  .reference = lp_pool_reference,
};
