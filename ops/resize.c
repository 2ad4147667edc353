/* resize.c: where every output of a resized dimension looks. The dimensions are
 * apart from each other: an element is the sum over the points of all. */
#include "config.h"

#include "ops/resize.h"

#include <math.h>
#include <string.h>

enum
{
  NEAREST,
  LINEAR,
  CUBIC,
};

enum
{
  HALF_PIXEL,
  PYTORCH_HALF_PIXEL,
  ALIGN_CORNERS,
  ASYMMETRIC,
  TF_HALF_PIXEL_FOR_NN,
};

enum
{
  PREFER_FLOOR,
  PREFER_CEIL,
  FLOOR,
  CEIL,
  BEFORE_11,
};

static const char *const modes[] = { "nearest", "linear", "cubic", NULL };
static const char *const upsample_modes[]
    = { "nearest", "linear", "bilinear", NULL };
static const char *const coordinates[]
    = { "half_pixel", "pytorch_half_pixel",   "align_corners",
        "asymmetric", "tf_half_pixel_for_nn", NULL };
static const char *const nearests[]
    = { "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL };

static gboolean
find_name (const TpNode *node, const char *attr, const char *const *names,
           int *out_index, GError **error)
{
  const char *name = tp_node_get_string (node, attr, names[0]);

  for (*out_index = 0; names[*out_index] != NULL; ++*out_index)
    if (strcmp (names[*out_index], name) == 0)
      return TRUE;
  return tp_op_refuse (node, error, "%s '%s' is not known", attr, name);
}

/* Before opset 11 there were no coordinates to choose. */
gboolean
tp_resize_init (TpResize *resize, const TpNode *node, GError **error)
{
  const TpResizeKind *kind = node->op->data;
  gboolean is_upsample = kind->is_upsample;

  if (!find_name (node, "mode", is_upsample ? upsample_modes : modes,
                  &resize->mode, error)
      || !find_name (node, "coordinate_transformation_mode", coordinates,
                     &resize->coordinate, error)
      || !find_name (node, "nearest_mode", nearests, &resize->nearest, error))
    return FALSE;
  if (tp_node_get_int (node, "antialias", 0) != 0)
    return tp_op_refuse (node, error, "antialias=1 is not supported");
  resize->cubic_a = tp_node_get_float (node, "cubic_coeff_a", -0.75);
  resize->excludes_outside
      = resize->mode != NEAREST
        && tp_node_get_int (node, "exclude_outside", 0) != 0;
  if (is_upsample)
    resize->mode = MIN (resize->mode, LINEAR); /* of two names */
  if (is_upsample || node->opset < 11)
    {
      resize->coordinate = ASYMMETRIC;
      resize->nearest = BEFORE_11;
    }
  return TRUE;
}

int
tp_resize_count_taps (const TpResize *resize)
{
  static const int counts[] = { [NEAREST] = 1, [LINEAR] = 2, [CUBIC] = 4 };

  return counts[resize->mode];
}

/* With align_corners the resized length is that before rounding down, as ONNX's
 * own cases have it. */
static double
find_source (const TpResize *resize, const TpResizeAxis *axis, gint64 at)
{
  double scale = axis->scale;

  switch (resize->coordinate)
    {
    case ALIGN_CORNERS:
      return axis->out == 1
                 ? 0.0
                 : at * (axis->in - 1) / (scale * axis->in - 1.0);
    case ASYMMETRIC:
      return at / scale;
    case TF_HALF_PIXEL_FOR_NN:
      return (at + 0.5) / scale;
    case PYTORCH_HALF_PIXEL:
      if (axis->out == 1)
        return 0.0;
      break;
    default:
      break;
    }
  return (at + 0.5) / scale - 0.5;
}

/* Before opset 11 what shrinks rounds up, in the precision of the scale, as the
 * cases of ONNX 1.5 have it. */
static double
round_nearest (const TpResize *resize, double scale, double x)
{
  if (resize->nearest == BEFORE_11)
    return scale < 1.0 ? ceil ((float) x) : floor ((float) x);
  if (resize->nearest == FLOOR)
    return floor (x);
  if (resize->nearest == CEIL)
    return ceil (x);
  return resize->nearest == PREFER_FLOOR ? ceil (x - 0.5) : floor (x + 0.5);
}

/* Keys' kernel with parameter a. */
static double
cubic_weight (double a, double distance)
{
  double d = fabs (distance);

  if (d <= 1.0)
    return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
  return d < 2.0 ? ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a : 0.0;
}

/* Brings indices inside; what was outside may count for nothing instead. */
static void
clamp_point (const TpResize *resize, gint64 in, TpResizePoint *point)
{
  double sum = 0.0;

  for (int i = 0; i < point->n; i++)
    {
      gint64 inside = CLAMP (point->index[i], 0, in - 1);

      if (resize->excludes_outside && inside != point->index[i])
        point->weight[i] = 0.0;
      point->index[i] = inside;
      sum += point->weight[i];
    }
  for (int i = 0; resize->excludes_outside && i < point->n; i++)
    point->weight[i] /= sum;
}

void
tp_resize_get_point (const TpResize *resize, const TpResizeAxis *axis,
                     gint64 at, TpResizePoint *point)
{
  double x = find_source (resize, axis, at);
  double first = floor (x);
  double rest = x - first;

  if (resize->mode == NEAREST)
    *point = (TpResizePoint){ 1, { round_nearest (resize, axis->scale, x) },
                              { 1.0 } };
  else if (resize->mode == LINEAR)
    *point = (TpResizePoint){ 2, { first, first + 1 }, { 1.0 - rest, rest } };
  else
    {
      point->n = 4;
      for (int i = 0; i < 4; i++)
        {
          point->index[i] = first - 1 + i;
          point->weight[i] = cubic_weight (resize->cubic_a, rest + 1 - i);
        }
    }
  clamp_point (resize, axis->in, point);
}
