/* resize.c: where every output of a resized dimension looks. The dimensions are
 * apart from each other: an element is the sum over the points of all. */
#include "config.h"

#include "ops/resize.h"

#include <math.h>
#include <string.h>

#define MOST_REPEATED (1 << 16) /* outputs of a dimension */

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
  HALF_PIXEL_SYMMETRIC,
  TF_CROP_AND_RESIZE,
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
        "asymmetric", "tf_half_pixel_for_nn", "half_pixel_symmetric",
        "tf_crop_and_resize", NULL };
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
  resize->is_antialias = resize->mode != NEAREST
                         && tp_node_get_int (node, "antialias", 0) != 0;
  resize->extrapolation = tp_node_get_float (node, "extrapolation_value", 0.0);
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

gboolean
tp_resize_is_nearest (const TpResize *resize)
{
  return resize->mode == NEAREST;
}

gboolean
tp_resize_needs_roi (const TpResize *resize)
{
  return resize->coordinate == TF_CROP_AND_RESIZE;
}

gboolean
tp_resize_is_idle (const TpResize *resize, const TpResizeAxis *axis)
{
  return axis->in == axis->out && axis->scale == 1.0
         && (!tp_resize_needs_roi (resize)
             || (axis->roi[0] == 0.0 && axis->roi[1] == 1.0));
}

/* By how much kernels are wider than between neighbours. */
static double
find_width (const TpResize *resize, const TpResizeAxis *axis)
{
  return resize->is_antialias && axis->scale < 1.0 ? 1.0 / axis->scale : 1.0;
}

int
tp_resize_count_taps (const TpResize *resize, const TpResizeAxis *axis)
{
  static const int reaches[] = { [LINEAR] = 1, [CUBIC] = 2 };
  double n;

  if (resize->mode == NEAREST)
    return 1;
  n = 2.0 * ceil (reaches[resize->mode] * find_width (resize, axis));
  return n <= TP_RESIZE_MAX_TAPS ? (int) n : -1;
}

/* The ends of the part looked at are the first output and the last. */
static double
find_in_roi (const TpResizeAxis *axis, gint64 at)
{
  double size = (axis->roi[1] - axis->roi[0]) * (axis->in - 1);
  double first = axis->roi[0] * (axis->in - 1);

  return first + (axis->out == 1 ? size / 2.0 : at * size / (axis->out - 1));
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
                 : (double) at * (axis->in - 1) / (scale * axis->in - 1.0);
    case ASYMMETRIC:
      return at / scale;
    case TF_HALF_PIXEL_FOR_NN:
      return (at + 0.5) / scale;
    case PYTORCH_HALF_PIXEL:
      if (axis->out == 1)
        return 0.0;
      break;
    case HALF_PIXEL_SYMMETRIC:
      return (at + 0.5) / scale - 0.5
             + axis->in / 2.0 * (1.0 - axis->out / (scale * axis->in));
    case TF_CROP_AND_RESIZE:
      return find_in_roi (axis, at);
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

static double
find_weight (const TpResize *resize, double distance)
{
  return resize->mode == CUBIC ? cubic_weight (resize->cubic_a, distance)
                               : fmax (1.0 - fabs (distance), 0.0);
}

static void
divide_by_sum (TpResizePoint *point)
{
  double sum = 0.0;

  for (int i = 0; i < point->n; i++)
    sum += point->weight[i];
  for (int i = 0; i < point->n && sum != 0.0; i++)
    point->weight[i] /= sum;
}

/* Brings indices inside; what was outside may count for nothing instead. */
static void
clamp_point (const TpResize *resize, gint64 in, TpResizePoint *point)
{
  for (int i = 0; i < point->n; i++)
    {
      gint64 inside = CLAMP (point->index[i], 0, in - 1);

      if (resize->excludes_outside && inside != point->index[i])
        point->weight[i] = 0.0;
      point->index[i] = inside;
    }
  if (resize->excludes_outside)
    divide_by_sum (point);
}

/* The taps around @x, as many before it as after; one that it is on is the last
 * before. */
static void
spread_taps (const TpResize *resize, const TpResizeAxis *axis, double x,
             TpResizePoint *point)
{
  double width = find_width (resize, axis);
  gint64 first;

  point->n = tp_resize_count_taps (resize, axis);
  first = (gint64) ceil (x) - point->n / 2;
  for (int i = 0; i < point->n; i++)
    {
      point->index[i] = first + i;
      point->weight[i] = find_weight (resize, (first + i - x) / width);
    }
  if (width > 1.0)
    divide_by_sum (point);
}

void
tp_resize_get_point (const TpResize *resize, const TpResizeAxis *axis,
                     gint64 at, TpResizePoint *point)
{
  double x = find_source (resize, axis, at);

  *point = (TpResizePoint){ 0 };
  if (resize->coordinate == TF_CROP_AND_RESIZE
      && !(x >= 0.0 && x <= axis->in - 1))
    {
      point->n = tp_resize_count_taps (resize, axis);
      point->is_extrapolated = TRUE;
      return;
    }
  if (resize->mode == NEAREST)
    *point = (TpResizePoint){ 1, { round_nearest (resize, axis->scale, x) },
                              { 1.0 }, FALSE };
  else
    spread_taps (resize, axis, x, point);
  clamp_point (resize, axis->in, point);
}

/* A file may say any extent: what is longer is not looked through. */
gint64
tp_resize_count_repeats (const TpResize *resize, const TpResizeAxis *axis)
{
  gint64 n = axis->out / MAX (axis->in, 1);
  TpResizePoint point;

  if (tp_resize_is_idle (resize, axis))
    return 1;
  if (!tp_resize_is_nearest (resize) || n * axis->in != axis->out
      || axis->out > MOST_REPEATED)
    return 0;
  for (gint64 at = 0; at < axis->out; at++)
    {
      tp_resize_get_point (resize, axis, at, &point);
      if (point.is_extrapolated || point.weight[0] != 1.0 || point.index[0] != at / n)
        return 0;
    }
  return n;
}
