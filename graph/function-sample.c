/* function-sample.c: ops whose bodies say where an image is to be looked at:
 * AffineGrid, DeformConv, RoiAlign. */
#include "config.h"

#include "graph/function-sample.h"

#include "graph/graph-builder.h"

#include <string.h>

/* ---- what they share --------------------------------------------------------- */

static const char *
gather (TpBody *self, const char *x, gint64 axis, gint64 i)
{
  TpAttr attr = { .name = "axis", .kind = TP_ATTR_INT, .i = axis };

  return tp_body_add (self, "Gather", &attr, NULL, x, TP_BODY_INTS (self, i), NULL);
}

/* @a and @b, @b a number of the type of @a. */
static const char *
combine_number (TpBody *self, const char *type, const char *a, double b)
{
  return tp_body_apply (self, type, a,
                        tp_body_apply (self, "CastLike", tp_body_add_float (self, b),
                                       a, NULL),
                        NULL);
}

/* 0, 1, .. @n - 1 of the type of @like; @n is a list of one. */
static const char *
count_like (TpBody *self, const char *n, const char *like)
{
  return tp_body_apply (self, "CastLike", tp_body_count_to (self, n), like, NULL);
}

static const char *
divide (TpBody *self, const char *a, const char *b)
{
  return tp_body_apply (self, "Div", a, b, NULL);
}

#define RESHAPE(self, x, ...)                                                 \
  tp_body_apply (self, "Reshape", x, TP_BODY_JOIN (self, __VA_ARGS__), NULL)
#define VIEW(self, x, ...)                                                    \
  tp_body_apply (self, "Reshape", x, TP_BODY_INTS (self, __VA_ARGS__), NULL)

/* ---- AffineGrid --------------------------------------------------------------- */

/* Element @i of @size as a list, and where its pixels are between -1 and 1. */
static const char *
add_positions (TpBody *self, const char *size, gint64 i, const char *theta)
{
  gboolean is_aligned = tp_node_get_int (self->node, "align_corners", 0) != 0;
  const char *n = tp_body_pick (self, size, i), *one = TP_BODY_INTS (self, 1);
  const char *span = n, *at;

  if (is_aligned)
    span = tp_body_apply (self, "Max", tp_body_apply (self, "Sub", n, one, NULL),
                          one, NULL);
  at = combine_number (self, "Mul", count_like (self, n, theta), 2.0);
  at = tp_body_apply (
      self, "Sub", at,
      tp_body_apply (self, "CastLike", tp_body_apply (self, "Sub", n, one, NULL),
                     theta, NULL),
      NULL);
  return divide (self, at, tp_body_apply (self, "CastLike", span, theta, NULL));
}

/* Images are taken for such of depth 1: that is where 0 is. */
static void
add_affine_grid (TpBody *self)
{
  static const gint64 shapes[][5] = { { 1, 1, 1, -1, 1 }, { 1, 1, -1, 1, 1 },
                                      { 1, -1, 1, 1, 1 } };
  const char *theta = tp_body_get_input (self, 0);
  const char *size = tp_body_slice (self, tp_body_get_input (self, 1),
                                    TP_BODY_INTS (self, 2),
                                    TP_BODY_INTS (self, G_MAXINT32));
  const char *deep = TP_BODY_JOIN (self, TP_BODY_INTS (self, 1), size);
  const char *grid = VIEW (self, gather (self, theta, 2, -1), 0, 1, 1, 1, -1);

  for (int i = 0; i < 3; i++)
    {
      const char *at = add_positions (self, deep, -1 - i, theta);
      const char *column = VIEW (self, gather (self, theta, 2, i), 0, 1, 1, 1, -1);

      at = tp_body_add_reshape (self, at, 5, shapes[i]);
      grid = tp_body_apply (self, "Add", grid,
                            tp_body_apply (self, "Mul", column, at, NULL), NULL);
    }
  tp_body_add (self, "Reshape", NULL, self->ends.outputs[0], grid,
               TP_BODY_JOIN (self, TP_BODY_INTS (self, 0), size,
                             TP_BODY_INTS (self, -1)),
               NULL);
}

/* ---- DeformConv ---------------------------------------------------------------- */

/* Lists of one, but for the inputs and @taps: how many a filter has. */
typedef struct
{
  const char *x, *w, *offset;
  const char *offset_groups, *columns; /* of a row: each position with all its taps */
  const char *kernel[2], *in[2], *out[2]; /* rows, columns */
  gint64 taps;
} Deform;

static gint64
get_of_list (TpBody *self, const char *attr, int i, gint64 usual)
{
  int n = 0;
  const gint64 *values = tp_node_get_ints (self->node, attr, &n);

  return values != NULL && i < n ? values[i] : usual;
}

/* What is known of the filters tells images from all else. Returns how many taps they
 * have, 0 after a failure. */
static gint64
count_taps (TpBody *self)
{
  int index = tp_builder_find_tensor (self->builder, tp_body_get_input (self, 1));
  const TpTensor *w = index < 0 ? NULL
                                : tp_draft_tensor (self->builder->draft, index);
  int n = 0;
  const gint64 *kernel = tp_node_get_ints (self->node, "kernel_shape", &n);

  if (w != NULL && w->rank != TP_RANK_UNKNOWN)
    {
      n = MAX (w->rank - 2, 0);
      kernel = w->dims + 2;
    }
  if (n == 2 && kernel[0] > 0 && kernel[0] <= G_MAXINT16 && kernel[1] > 0
      && kernel[1] <= G_MAXINT16)
    return kernel[0] * kernel[1];
  if (n == 2)
    tp_body_refuse (self, "filters of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                    " are not possible", kernel[0], kernel[1]);
  else if (kernel == NULL)
    tp_body_refuse (self, "how large its filters are is not known here: "
                    "give it the attribute kernel_shape");
  else
    tp_body_refuse (self, "%d dimensions are not supported, only images (2) are", n);
  return 0;
}

static Deform
deform_init (TpBody *self, gint64 taps)
{
  Deform it = { .x = tp_body_get_input (self, 0), .w = tp_body_get_input (self, 1),
                .offset = tp_body_get_input (self, 2), .taps = taps };
  const char *x = tp_body_add_shape (self, it.x);
  const char *w = tp_body_add_shape (self, it.w);
  const char *offset = tp_body_add_shape (self, it.offset);

  it.offset_groups
      = TP_BODY_INTS (self, tp_node_get_int (self->node, "offset_group", 1));
  for (int i = 0; i < 2; i++)
    {
      it.kernel[i] = tp_body_pick (self, w, 2 + i);
      it.in[i] = tp_body_pick (self, x, 2 + i);
      it.out[i] = tp_body_pick (self, offset, 2 + i);
    }
  it.columns = tp_body_apply (self, "Mul", it.out[1], TP_BODY_INTS (self, taps),
                              NULL);
  return it;
}

/* Where the taps of dimension @i are without offsets, from -1 to 1, and 0 in the place
 * of the other coordinate: [1, out, 1, taps, 1, 2], or [1, 1, out, 1, taps, 2]. */
static const char *
add_taps (TpBody *self, const Deform *it, int i)
{
  const gint64 taps_shape[] = { 1, 1, i == 0 ? -1 : 1, i == 0 ? 1 : -1, 1 };
  const gint64 out_shape[] = { i == 0 ? -1 : 1, i == 0 ? 1 : -1, 1, 1, 1 };
  const char *taps, *at, *extent;

  taps = combine_number (self, "Mul", count_like (self, it->kernel[i], it->x),
                         get_of_list (self, "dilations", i, 1));
  taps = tp_body_add_reshape (self, taps, 5, taps_shape);
  at = combine_number (self, "Mul", count_like (self, it->out[i], it->x),
                       get_of_list (self, "strides", i, 1));
  at = combine_number (self, "Sub", at, get_of_list (self, "pads", i, 0));
  at = tp_body_add_reshape (self, at, 5, out_shape);
  at = tp_body_apply (self, "Add", at, taps, NULL);
  /* (2 at + 1) / extent - 1: -1 and 1 are edges */
  extent = tp_body_apply (self, "CastLike", it->in[i], it->x, NULL);
  at = combine_number (self, "Add", combine_number (self, "Mul", at, 2.0), 1.0);
  at = combine_number (self, "Sub", divide (self, at, extent), 1.0);
  return tp_body_apply (
      self, "Mul", at,
      tp_body_apply (self, "CastLike",
                     TP_BODY_INTS (self, i == 1 ? 1 : 0, i == 0 ? 1 : 0), it->x,
                     NULL),
      NULL);
}

/* [groups of offsets in all images, rows, columns, 2]: column, then row. */
static const char *
add_deformed_grid (TpBody *self, const Deform *it)
{
  static const gint64 order[] = { 0, 4, 5, 1, 2, 3 };
  TpAttr perm = { .name = "perm", .kind = TP_ATTR_INTS, .n = 6, .ints = order };
  const char *rest = TP_BODY_INTS (self, -1), *two = TP_BODY_INTS (self, 2);
  const char *grid = RESHAPE (self, it->offset, rest, it->kernel[0], it->kernel[1],
                              two, it->out[0], it->out[1]);
  const char *scale = tp_body_apply (
      self, "CastLike", TP_BODY_JOIN (self, it->in[1], it->in[0]), it->x, NULL);

  grid = tp_body_add (self, "Slice", NULL, NULL, grid, TP_BODY_INTS (self, -1),
                      TP_BODY_INTS (self, G_MININT32), TP_BODY_INTS (self, 3), rest,
                      NULL);
  grid = tp_body_add (self, "Transpose", &perm, NULL, grid, NULL);
  scale = divide (self, tp_body_apply (self, "CastLike", two, it->x, NULL), scale);
  grid = tp_body_apply (self, "Mul", grid, scale, NULL);
  for (int i = 0; i < 2; i++)
    grid = tp_body_apply (self, "Add", grid, add_taps (self, it, i), NULL);
  return RESHAPE (self, grid, rest, it->out[0], it->columns, two);
}

/* What @mask weighs: [groups of offsets in all images, 1, rows, columns]. */
static const char *
add_mask (TpBody *self, const Deform *it, const char *mask)
{
  static const gint64 order[] = { 0, 2, 3, 1 };
  TpAttr perm = { .name = "perm", .kind = TP_ATTR_INTS, .n = 4, .ints = order };

  mask = RESHAPE (self, mask, TP_BODY_INTS (self, -1), TP_BODY_INTS (self, it->taps),
                  it->out[0], it->out[1]);
  mask = tp_body_add (self, "Transpose", &perm, NULL, mask, NULL);
  return RESHAPE (self, mask, TP_BODY_INTS (self, -1), TP_BODY_INTS (self, 1),
                  it->out[0], it->columns);
}

/* What each tap sees at each position, [images, channels, rows, columns]; each group
 * of offsets is an image of its own. */
static const char *
add_columns (TpBody *self, const Deform *it)
{
  gboolean is_grouped = tp_node_get_int (self->node, "offset_group", 1) > 1;
  static const TpAttr attrs[] = {
    { .name = "mode", .kind = TP_ATTR_STRING, .s = "linear" },
    { .name = "padding_mode", .kind = TP_ATTR_STRING, .s = "zeros" },
  };
  TpNode node = { .type = "GridSample", .n_attrs = 2, .attrs = attrs };
  const char *rest = TP_BODY_INTS (self, -1), *ends[2];
  const char *columns = tp_body_make_name (self), *mask = tp_body_get_input (self, 4);
  const char *channels = tp_body_pick (self, tp_body_add_shape (self, it->x), 1);

  ends[0] = it->x;
  if (is_grouped)
    ends[0] = RESHAPE (self, it->x, rest,
                       divide (self, channels, it->offset_groups), it->in[0],
                       it->in[1]);
  ends[1] = add_deformed_grid (self, it);
  tp_body_add_node (self, &node, (TpNodeNames){ 2, ends, 1, &columns });
  if (mask != NULL)
    columns = tp_body_apply (self, "Mul", columns, add_mask (self, it, mask), NULL);
  return is_grouped
             ? RESHAPE (self, columns, rest, channels, it->out[0], it->columns)
             : columns;
}

/* A Conv over the taps of each position, one next to the other. */
static void
add_deform_conv (TpBody *self)
{
  gint64 taps = count_taps (self), steps[] = { 1, taps };
  TpAttr attrs[] = {
    { .name = "group", .kind = TP_ATTR_INT,
      .i = tp_node_get_int (self->node, "group", 1) },
    { .name = "strides", .kind = TP_ATTR_INTS, .n = 2, .ints = steps },
  };
  TpNode conv = { .type = "Conv", .n_attrs = 2, .attrs = attrs };
  const char *ends[3], *w;
  Deform it;

  if (taps == 0)
    return;
  it = deform_init (self, taps);
  w = tp_body_add_shape (self, it.w);
  ends[0] = add_columns (self, &it);
  ends[1] = RESHAPE (self, it.w, tp_body_pick (self, w, 0), tp_body_pick (self, w, 1),
                     TP_BODY_INTS (self, 1), TP_BODY_INTS (self, taps));
  ends[2] = tp_body_get_input (self, 3);
  tp_body_add_node (self, &conv,
                    (TpNodeNames){ ends[2] == NULL ? 2 : 3, ends, 1,
                                   self->ends.outputs });
}

/* ---- RoiAlign ------------------------------------------------------------------ */

static gboolean
is_half_pixel (TpBody *self)
{
  const char *usual = self->builder->draft->opset >= 16 ? "half_pixel"
                                                        : "output_half_pixel";
  const char *mode = tp_node_get_string (self->node,
                                         "coordinate_transformation_mode", usual);

  if (strcmp (mode, "half_pixel") != 0 && strcmp (mode, "output_half_pixel") != 0)
    tp_body_refuse (self,
                    "coordinate_transformation_mode '%s' is not known: "
                    "'half_pixel' or 'output_half_pixel'",
                    mode);
  return strcmp (mode, "half_pixel") == 0;
}

/* [regions, @n * samples]: where along one dimension each region is looked at, which
 * goes from column @first of @rois to @first + 2. */
static const char *
add_samples (TpBody *self, const char *rois, gint64 first, gint64 n)
{
  gint64 samples = tp_node_get_int (self->node, "sampling_ratio", 0);
  gboolean is_half = is_half_pixel (self);
  const char *from = gather (self, rois, 1, first);
  const char *span = tp_body_apply (self, "Sub", gather (self, rois, 1, first + 2),
                                    from, NULL);
  const char *at = count_like (self, TP_BODY_INTS (self, n * samples), rois);

  if (is_half)
    from = combine_number (self, "Sub", from, 0.5);
  else
    span = combine_number (self, "Max", span, 1.0);
  span = combine_number (self, "Div", span, (double) n);
  at = combine_number (self, "Div", combine_number (self, "Add", at, 0.5),
                       (double) samples);
  at = tp_body_apply (self, "Mul", span, at, NULL);
  return tp_body_apply (self, "Add", from, at, NULL);
}

static void
add_roi_align (TpBody *self)
{
  gint64 rows = tp_node_get_int (self->node, "output_height", 1);
  gint64 columns = tp_node_get_int (self->node, "output_width", 1);
  gint64 samples = tp_node_get_int (self->node, "sampling_ratio", 0);
  const TpAttr attrs[] = {
    { .name = "mode", .kind = TP_ATTR_STRING,
      .s = tp_node_get_string (self->node, "mode", "avg") },
    { .name = "sampling_ratio", .kind = TP_ATTR_INT, .i = samples },
  };
  TpNode node = { .type = "RoiSample", .n_attrs = 2, .attrs = attrs };
  const char *rois = tp_body_get_input (self, 1), *ends[4];

  if (samples < 1)
    tp_body_refuse (self, "sampling_ratio is %" G_GINT64_FORMAT ", so how many "
                    "samples there are depends on the regions: export with a "
                    "fixed one, such as 2", samples);
  if (rows < 1 || columns < 1 || MAX (rows, columns) > G_MAXINT32
      || samples > G_MAXINT16)
    tp_body_refuse (self, "an output of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                    " and %" G_GINT64_FORMAT " samples are not possible",
                    rows, columns, samples);
  if (self->has_failed)
    return;
  rois = combine_number (self, "Mul", rois,
                         tp_node_get_float (self->node, "spatial_scale", 1.0));
  ends[0] = tp_body_get_input (self, 0);
  ends[1] = add_samples (self, rois, 1, rows);
  ends[2] = add_samples (self, rois, 0, columns);
  ends[3] = tp_body_get_input (self, 2);
  tp_body_add_node (self, &node, (TpNodeNames){ 4, ends, 1, self->ends.outputs });
}

/* ---- the table --------------------------------------------------------------- */

static const char *const affine_attrs[] = { "align_corners", NULL };
static const char *const deform_attrs[]
    = { "dilations", "group", "kernel_shape", "offset_group", "pads", "strides",
        NULL };
static const char *const roi_attrs[]
    = { "coordinate_transformation_mode", "mode", "output_height", "output_width",
        "sampling_ratio", "spatial_scale", NULL };

static const TpFunction functions[] = {
  { "AffineGrid", 2, 2, 1, affine_attrs, { 0.0 }, add_affine_grid },
  { "DeformConv", 3, 5, 1, deform_attrs, { 0.0 }, add_deform_conv },
  { "RoiAlign", 3, 3, 1, roi_attrs, { 0.0 }, add_roi_align },
};

const TpFunction *
tp_function_list_sample (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
