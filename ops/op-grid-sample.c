/* op-grid-sample.c: GridSample: an image looked at where a grid says.
 *
 * Coordinates are those of element centres. What is beyond the borders is brought
 * inside before taps are chosen, and so is each tap: a clamp or a triangle wave,
 * both in reals, so that indices are whole numbers that fit. */
#include "config.h"

#include "ops/op-util.h"

#include <math.h>
#include <string.h>

#define MAX_DIMS (TP_MAX_RANK - 2)
#define MAX_TAPS 4
#define MAX_LOADS 16          /* taps of a point that a kernel looks at */
#define CUBIC_A (-0.75)

typedef enum { ZEROS, BORDER, REFLECTION } Padding;

/* The attributes, and the image without batch and channels. */
typedef struct
{
  int n_taps;                 /* of each dimension */
  Padding padding;
  gboolean is_aligned;        /* -1 and 1 are centres, not edges */
  int n;
  const gint64 *dims;
} Grid;

/* ---- shapes --------------------------------------------------------------- */

/* Of what a mode is called: names before opset 20 stand second. */
static gboolean
read_mode (const TpNode *node, Grid *grid, GError **error)
{
  static const struct
  {
    const char *name, *old_name;
    int n_taps;
  } modes[] = {
    { "linear", "bilinear", 2 }, { "nearest", "nearest", 1 },
    { "cubic", "bicubic", 4 },
  };
  const char *mode = tp_node_get_string (node, "mode", "linear");

  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    if (strcmp (mode, modes[i].name) == 0
        || strcmp (mode, modes[i].old_name) == 0)
      {
        grid->n_taps = modes[i].n_taps;
        return TRUE;
      }
  return tp_op_fail (node, error,
                     "mode '%s' is not known: 'linear', 'nearest' or 'cubic'",
                     mode);
}

static gboolean
read_padding (const TpNode *node, Grid *grid, GError **error)
{
  static const char *const names[] = { "zeros", "border", "reflection" };
  const char *name = tp_node_get_string (node, "padding_mode", "zeros");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      {
        grid->padding = (Padding) i;
        return TRUE;
      }
  return tp_op_fail (node, error,
                     "padding_mode '%s' is not known: 'zeros', 'border' or "
                     "'reflection'",
                     name);
}

static gboolean
grid_init (Grid *grid, const TpNode *node, int rank, const gint64 *dims,
           GError **error)
{
  grid->is_aligned = tp_node_get_int (node, "align_corners", 0) != 0;
  grid->n = rank - 2;
  grid->dims = dims + 2;
  return read_mode (node, grid, error) && read_padding (node, grid, error);
}

static gboolean
grid_sample_infer (const TpNode *node, const TpTensor *const *inputs,
                   TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0], *at = inputs[1];
  TpShape *out = &outputs[0];
  Grid grid;

  if (x->rank < 3 || at->rank != x->rank || at->dims[at->rank - 1] != x->rank - 2
      || at->dims[0] != x->dims[0])
    {
      g_autofree char *image = tp_dims_to_text (x->rank, x->dims);
      g_autofree char *places = tp_dims_to_text (at->rank, at->dims);

      return tp_op_fail (node, error,
                         "the grid has shape %s, for input 0 of shape %s it "
                         "needs as many dimensions, the same first and %d for "
                         "the last",
                         places, image, MAX (x->rank - 2, 1));
    }
  if (tp_dtype_is_integer (x->dtype) || tp_dtype_is_integer (at->dtype))
    return tp_op_refuse (node, error, "integers are not supported");
  if (!grid_init (&grid, node, x->rank, x->dims, error))
    return FALSE;
  if (tp_dims_product (x->dims, 2, x->rank) == 0)
    return tp_op_fail (node, error, "there is nothing to look at in input 0");
  tp_shape_copy (out, x);
  memcpy (out->dims + 2, at->dims + 1, grid.n * sizeof out->dims[0]);
  return TRUE;
}

/* ---- nest ----------------------------------------------------------------- */

typedef struct
{
  const Grid *grid;
  TpNest *nest;
} Building;

static int
number (const Building *it, double value)
{
  return tp_nest_const (it->nest, value);
}

static int
combine (const Building *it, TpExprOp op, int a, int b)
{
  return tp_nest_binary (it->nest, op, a, b);
}

/* NaN becomes @low. */
static int
clamp (const Building *it, int x, double low, double high)
{
  return combine (it, TP_EXPR_MIN,
                  combine (it, TP_EXPR_MAX, x, number (it, low)),
                  number (it, high));
}

/* The triangle wave between both borders. */
static int
reflect (const Building *it, int x, gint64 extent)
{
  double low = it->grid->is_aligned ? 0.0 : -0.5;
  double range = (double) extent - (it->grid->is_aligned ? 1.0 : 0.0);
  int from, turns, back;

  if (range == 0.0)
    return number (it, 0.0);
  from = combine (it, TP_EXPR_SUB, x, number (it, low));
  turns = tp_nest_unary (it->nest, TP_EXPR_FLOOR,
                         combine (it, TP_EXPR_DIV, from,
                                  number (it, 2.0 * range)));
  from = combine (it, TP_EXPR_SUB, from,
                  combine (it, TP_EXPR_MUL, turns, number (it, 2.0 * range)));
  back = combine (it, TP_EXPR_SUB, number (it, 2.0 * range), from);
  return combine (it, TP_EXPR_ADD, combine (it, TP_EXPR_MIN, from, back),
                  number (it, low));
}

/* What is past a border stands on the element next to it. */
static int
hold (const Building *it, int x, gint64 extent)
{
  double low = it->grid->is_aligned ? 0.0 : -0.5;
  double last = (double) (extent - 1);
  int is_before = combine (it, TP_EXPR_LESS, x, number (it, low));
  int is_after = combine (it, TP_EXPR_LESS, number (it, last - low), x);

  return tp_nest_select (
      it->nest, is_before, number (it, 0.0),
      tp_nest_select (it->nest, is_after, number (it, last), x));
}

/* Where along dimension @i the point is, as the taps are chosen by. */
static int
find_coordinate (const Building *it, int i, int given)
{
  gint64 extent = it->grid->dims[i];
  double scale = (double) (it->grid->is_aligned ? extent - 1 : extent) / 2.0;
  double offset = it->grid->is_aligned ? scale : scale - 0.5;
  int x = combine (it, TP_EXPR_ADD,
                   combine (it, TP_EXPR_MUL, given, number (it, scale)),
                   number (it, offset));

  if (it->grid->n_taps == 1)
    x = tp_nest_unary (it->nest, TP_EXPR_ROUND, x);
  if (it->grid->padding == REFLECTION)
    x = reflect (it, x, extent);
  if (it->grid->padding == BORDER)
    x = hold (it, x, extent);
  /* No number, and what is far: all taps are outside. */
  return clamp (it, x, -(double) MAX_TAPS, (double) extent + MAX_TAPS);
}

/* Tap @tap of dimension @i: an index, outside where it is none. */
static int
find_index (const Building *it, int i, int first, int tap)
{
  gint64 extent = it->grid->dims[i];
  int at = combine (it, TP_EXPR_ADD, first, number (it, tap));

  if (it->grid->padding == REFLECTION)
    at = reflect (it, at, extent);
  if (it->grid->padding != ZEROS)
    at = clamp (it, at, 0.0, (double) (extent - 1));
  return tp_nest_unary (it->nest, TP_EXPR_TO_INTEGER, at);
}

/* ((c3 x + c2) x + c1) x + c0 */
static int
polynomial (const Building *it, int x, const double *c)
{
  int sum = number (it, c[3]);

  for (int k = 2; k >= 0; k--)
    sum = combine (it, TP_EXPR_ADD, combine (it, TP_EXPR_MUL, sum, x),
                   number (it, c[k]));
  return sum;
}

/* What tap @tap weighs, @part of the way from the one before the point to the next;
 * -1: all there is. Keys' cubic, spelled out by powers of @part. */
static int
find_weight (const Building *it, int part, int tap)
{
  static const double a = CUBIC_A;
  static const double cubic[MAX_TAPS][4] = {
    { 0.0, a, -2.0 * a, a },
    { 1.0, 0.0, -(a + 3.0), a + 2.0 },
    { 0.0, -a, 2.0 * a + 3.0, -(a + 2.0) },
    { 0.0, 0.0, a, -a },
  };

  if (it->grid->n_taps == 1)
    return -1;
  if (it->grid->n_taps == 2)
    return tap == 1 ? part
                    : combine (it, TP_EXPR_SUB, number (it, 1.0), part);
  return polynomial (it, part, cubic[tap]);
}

typedef struct
{
  int indices[MAX_DIMS][MAX_TAPS];
  int weights[MAX_DIMS][MAX_TAPS]; /* -1: 1 */
} Taps;

/* Of all dimensions, by a load of the grid for each. */
static void
find_taps (TpLowering *lowering, const Building *it, Taps *taps)
{
  const TpTensor *at = tp_lowering_get_input (lowering, 1);
  const Grid *grid = it->grid;

  for (int i = 0; i < grid->n; i++)
    {
      TpAccess *load = tp_lowering_add_load (lowering, 1);
      int x, first, part;

      load->stride[0] = at->strides[0];
      memcpy (load->stride + 2, at->strides + 1, grid->n * sizeof at->strides[0]);
      /* the last dimension of the image comes first */
      load->offset = (grid->n - 1 - i) * at->strides[at->rank - 1];
      x = find_coordinate (it, i,
                           tp_nest_load (it->nest, it->nest->n_loads - 1));
      first = tp_nest_unary (it->nest, TP_EXPR_FLOOR, x);
      part = combine (it, TP_EXPR_SUB, x, first);
      for (int tap = 0; tap < grid->n_taps; tap++)
        {
          int from = grid->n_taps == 4 ? tap - 1 : tap;

          taps->indices[i][tap] = find_index (it, i, first, from);
          taps->weights[i][tap] = find_weight (it, part, tap);
        }
    }
}

/* 1 where @index is one of dimension @i, else 0. */
static int
is_inside (const Building *it, int i, int index)
{
  int is_before = combine (it, TP_EXPR_LESS, index,
                           tp_nest_const_integer (it->nest, 0));
  int is_within = combine (it, TP_EXPR_LESS, index,
                           tp_nest_const_integer (it->nest, it->grid->dims[i]));

  return combine (it, TP_EXPR_SUB, is_within, is_before);
}

/* Expression: the element that @which names, a tap of each dimension, weighed. */
static int
load_tap (TpLowering *lowering, const Building *it, const Taps *taps,
          const gint64 *which)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  gint64 extent = 1;
  int weight = -1, place = -1, is_good = -1, value;
  TpAccess *load;

  for (int i = 0; i < it->grid->n; i++)
    {
      int index = taps->indices[i][which[i]], its = taps->weights[i][which[i]];
      int part = combine (it, TP_EXPR_MUL, index,
                          tp_nest_const_integer (it->nest, x->strides[2 + i]));
      int inside = is_inside (it, i, index);

      extent += (x->dims[2 + i] - 1) * x->strides[2 + i];
      place = i == 0 ? part : combine (it, TP_EXPR_ADD, place, part);
      is_good = i == 0 ? inside : combine (it, TP_EXPR_MUL, is_good, inside);
      weight = weight < 0 || its < 0 ? its
                                     : combine (it, TP_EXPR_MUL, weight, its);
    }
  if (it->grid->padding == ZEROS)
    place = tp_nest_select (it->nest, is_good, place,
                            tp_nest_const_integer (it->nest, extent));
  load = tp_lowering_add_load (lowering, 0);
  load->stride[0] = x->strides[0];
  load->stride[1] = x->strides[1];
  load->index = place;
  load->index_stride = 1;
  load->index_extent = extent;
  value = tp_nest_load (it->nest, it->nest->n_loads - 1);
  return weight < 0 ? value : combine (it, TP_EXPR_MUL, value, weight);
}

static gboolean
grid_sample_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                   GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  gint64 which[MAX_DIMS] = { 0 }, n_taps[MAX_DIMS];
  Grid grid;
  const Building building = { &grid, lowering.nest };
  Taps taps;
  int sum = -1;

  if (!grid_init (&grid, node, x->rank, x->dims, error))
    return FALSE;
  for (int i = 0; i < grid.n; i++)
    n_taps[i] = grid.n_taps;
  if (tp_dims_product (n_taps, 0, grid.n) > MAX_LOADS)
    return tp_op_refuse (node, error,
                         "a point in %d dimensions has more than %d taps",
                         grid.n, MAX_LOADS);
  tp_lowering_add_output_axes (&lowering);
  find_taps (&lowering, &building, &taps);
  do
    {
      int part = load_tap (&lowering, &building, &taps, which);

      sum = sum < 0 ? part : combine (&building, TP_EXPR_ADD, sum, part);
    }
  while (tp_dims_next (grid.n, n_taps, which));
  return tp_lowering_finish (&lowering, sum);
}

/* ---- reference ------------------------------------------------------------ */

/* Back and forth between the borders, one turn after the other. */
static double
fold (double x, double low, double high)
{
  double range = high - low, past = x < low ? low - x : x - high;
  double rest;

  if (x >= low && x <= high)
    return x;
  if (range == 0.0 || !isfinite (past))
    return low;
  rest = fmod (past, range);
  return (fmod (floor (past / range), 2.0) == 0.0) == (x < low) ? low + rest
                                                              : high - rest;
}

/* By Keys: of the distance to the tap. */
static double
cubic (double distance)
{
  double x = fabs (distance), a = CUBIC_A;

  if (x <= 1.0)
    return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  return x < 2.0 ? ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a : 0.0;
}

/* Along one dimension: where @x is looked for, and what each tap weighs. */
static void
point_along (const Grid *grid, int i, double given, gint64 *out_at,
             double *out_weights)
{
  gint64 extent = grid->dims[i];
  double low = grid->is_aligned ? 0.0 : -0.5, high = extent - 1 - low;
  double x = grid->is_aligned ? (given + 1.0) / 2.0 * (extent - 1)
                              : ((given + 1.0) * extent - 1.0) / 2.0;

  if (grid->n_taps == 1)
    x = nearbyint (x);
  if (grid->padding == BORDER && (x < low || x > high))
    x = x < low ? 0.0 : extent - 1.0;
  if (grid->padding == REFLECTION)
    x = fold (x, low, high);
  for (int tap = 0; tap < grid->n_taps; tap++)
    {
      double at = floor (x) + tap - (grid->n_taps == 4), place = at;

      if (grid->padding == BORDER)
        place = fmin (fmax (at, 0.0), extent - 1.0);
      if (grid->padding == REFLECTION)
        place = fmax (trunc (fold (at, low, high)), 0.0);
      out_at[tap] = place >= 0.0 && place < extent ? (gint64) place : -1;
      out_weights[tap] = grid->n_taps == 1   ? 1.0
                         : grid->n_taps == 2 ? 1.0 - fabs (x - at)
                                             : cubic (x - at);
    }
}

/* The sum over all combinations of taps. */
static double
sum_taps (const Grid *grid, const double *plane, const gint64 (*at)[MAX_TAPS],
          const double (*weights)[MAX_TAPS])
{
  gint64 which[MAX_DIMS] = { 0 }, n_taps[MAX_DIMS];
  double sum = 0.0;

  for (int i = 0; i < grid->n; i++)
    n_taps[i] = grid->n_taps;
  do
    {
      gint64 place = 0;
      double weight = 1.0;

      for (int i = 0; i < grid->n; i++)
        {
          gint64 index = at[i][which[i]];

          weight *= weights[i][which[i]];
          place = index < 0 || place < 0 ? -1 : place * grid->dims[i] + index;
        }
      if (place >= 0)
        sum += weight * plane[place];
    }
  while (tp_dims_next (grid->n, n_taps, which));
  return sum;
}

static void
grid_sample_reference (const TpNode *node, const TpRefTensor *const *inputs,
                       TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0], *points = inputs[1];
  TpRefTensor *out = &outputs[0];
  gint64 n_points = tp_dims_product (out->dims, 2, out->rank);
  gint64 n_plane = tp_dims_product (x->dims, 2, x->rank);
  Grid grid;

  if (!grid_init (&grid, node, x->rank, x->dims, NULL))
    g_assert_not_reached ();
  for (gint64 k = 0; k < out->count; k++)
    {
      gint64 plane = k / n_points;
      const double *given
          = points->data
            + (plane / x->dims[1] * n_points + k % n_points) * grid.n;
      gint64 at[MAX_DIMS][MAX_TAPS];
      double weights[MAX_DIMS][MAX_TAPS];

      for (int i = 0; i < grid.n; i++)
        point_along (&grid, i, given[grid.n - 1 - i], at[i], weights[i]);
      out->data[k] = sum_taps (&grid, x->data + plane * n_plane,
                               (const gint64 (*)[MAX_TAPS]) at,
                               (const double (*)[MAX_TAPS]) weights);
    }
}

static const TpAttrSpec grid_sample_attrs[] = {
  { "align_corners", TP_ATTR_INT, FALSE },
  { "mode", TP_ATTR_STRING, FALSE },
  { "padding_mode", TP_ATTR_STRING, FALSE },
  { 0 },
};

const TpOp tp_op_grid_sample = {
  .name = "GridSample",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = grid_sample_attrs,
  .flags = TP_OP_CHANNELS_LAST | TP_OP_SAMPLES,
  .tolerance = 1e-4,
  .infer = grid_sample_infer,
  .lower = grid_sample_lower,
  .reference = grid_sample_reference,
};
