/* op-roi-sample.c: RoiSample: regions of images, looked at where lists of rows and of
 * columns say, and pooled. It is what RoiAlign is made of (graph/function-sample.c).
 *
 *   x [N, C, H, W], rows [R, height * s], columns [R, width * s], images [R]
 *   -> [R, C, height, width], each of s * s samples
 *
 * A sample beyond the border by more than 1 is 0; nearer ones are those of the border. */
#include "config.h"

#include "ops/op-util.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64 samples;             /* along each dimension */
  gboolean is_max;
} Roi;

static gboolean
roi_init (Roi *roi, const TpNode *node, GError **error)
{
  const char *mode = tp_node_get_string (node, "mode", "avg");

  roi->samples = tp_node_get_int (node, "sampling_ratio", 1);
  roi->is_max = strcmp (mode, "max") == 0;
  if (!roi->is_max && strcmp (mode, "avg") != 0)
    return tp_op_fail (node, error, "mode '%s' is not known: 'avg' or 'max'", mode);
  return roi->samples > 0
         || tp_op_fail (node, error, "sampling_ratio is %" G_GINT64_FORMAT
                        ", it must be at least 1", roi->samples);
}

/* Whether input @i has @rank dimensions, the first as long as the list of images. */
static gboolean
check_regions (const TpNode *node, const TpTensor *const *inputs, int i, int rank,
               GError **error)
{
  gint64 n = inputs[3]->rank == 1 ? inputs[3]->dims[0] : -1;

  if (n >= 0 && inputs[i]->rank == rank && inputs[i]->dims[0] == n)
    return TRUE;
  return tp_op_fail (node, error,
                     "input %d has %d dimensions: rows and columns need 2, images "
                     "1, and all as many regions",
                     i, inputs[i]->rank);
}

static gboolean
roi_sample_infer (const TpNode *node, const TpTensor *const *inputs,
                  TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  TpShape *out = &outputs[0];
  Roi roi;

  if (!roi_init (&roi, node, error)
      || !check_regions (node, inputs, 1, 2, error)
      || !check_regions (node, inputs, 2, 2, error))
    return FALSE;
  if (!tp_dtype_get (inputs[3]->dtype)->is_index)
    return tp_op_fail (node, error, "input 3 is %s, indices are integers",
                       tp_dtype_get_name (inputs[3]->dtype));
  if (x->rank != 4)
    return tp_op_fail (node, error, "input 0 has %d dimensions, images have 4",
                       x->rank);
  for (int i = 0; i < 3; i++)
    if (tp_dtype_is_integer (inputs[i]->dtype))
      return tp_op_refuse (node, error, "integers are not supported");
  if (tp_dims_product (x->dims, 0, 4) == 0)
    return tp_op_fail (node, error, "there is nothing to look at in input 0");
  tp_shape_copy (out, x);
  out->dims[0] = inputs[3]->dims[0];
  for (int i = 0; i < 2; i++)
    {
      gint64 n = inputs[1 + i]->dims[1];

      if (n % roi.samples != 0)
        return tp_op_fail (node, error,
                           "input %d has %" G_GINT64_FORMAT
                           " samples, which %" G_GINT64_FORMAT " do not divide",
                           1 + i, n, roi.samples);
      out->dims[2 + i] = n / roi.samples;
    }
  return TRUE;
}

/* ---- nest ----------------------------------------------------------------- */

/* Along one dimension: the elements before and after the sample, how much the later one
 * weighs, and whether there is any. */
typedef struct
{
  int at[2];
  int weight[2];
  int is_inside;
} Sample;

static int
combine (TpNest *nest, TpExprOp op, int a, int b)
{
  return tp_nest_binary (nest, op, a, b);
}

/* Along dimension 2 + @i, sample @k of each position. */
static Sample
find_sample (TpLowering *lowering, const Roi *roi, int i, int k)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  const TpTensor *list = tp_lowering_get_input (lowering, 1 + i);
  TpAccess *load = tp_lowering_add_load (lowering, 1 + i);
  TpNest *nest = lowering->nest;
  int last = tp_nest_const (nest, (double) (x->dims[2 + i] - 1));
  int one = tp_nest_const (nest, 1.0), zero = tp_nest_const (nest, 0.0), at, low;
  Sample sample;

  load->stride[0] = list->strides[0];
  load->stride[2 + i] = roi->samples * list->strides[1];
  if (k >= 0)
    load->stride[k] = list->strides[1];
  at = tp_lowering_last_load (lowering);
  sample.is_inside = tp_nest_select (
      nest, combine (nest, TP_EXPR_LESS, at, tp_nest_const (nest, -1.0)), zero,
      tp_nest_select (nest,
                      combine (nest, TP_EXPR_LESS,
                               tp_nest_const (nest, (double) x->dims[2 + i]), at),
                      zero, one));
  at = combine (nest, TP_EXPR_MIN, combine (nest, TP_EXPR_MAX, at, zero), last);
  low = tp_nest_unary (nest, TP_EXPR_FLOOR, at);
  sample.weight[1] = combine (nest, TP_EXPR_SUB, at, low);
  sample.weight[0] = combine (nest, TP_EXPR_SUB, one, sample.weight[1]);
  sample.at[0] = tp_nest_unary (nest, TP_EXPR_TO_INTEGER, low);
  sample.at[1] = tp_nest_unary (
      nest, TP_EXPR_TO_INTEGER,
      combine (nest, TP_EXPR_MIN, combine (nest, TP_EXPR_ADD, low, one), last));
  return sample;
}

/* Which image, as an index that lies behind all elements where there is none. */
static int
find_image (TpLowering *lowering, gint64 extent)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 3);
  TpNest *nest = lowering->nest;
  int image, none = tp_nest_const_integer (nest, extent), is_none;

  load->stride[0] = tp_lowering_get_input (lowering, 3)->strides[0];
  image = tp_lowering_last_load (lowering);
  is_none = combine (nest, TP_EXPR_LESS,
                     tp_nest_const_integer (nest, x->dims[0] - 1), image);
  is_none = combine (nest, TP_EXPR_ADD, is_none,
                     combine (nest, TP_EXPR_LESS, image,
                              tp_nest_const_integer (nest, 0)));
  image = combine (nest, TP_EXPR_MUL, image,
                   tp_nest_const_integer (nest, x->strides[0]));
  return tp_nest_select (nest, is_none, none, image);
}

/* Expression: what the sample sees, weighed, at the row and the column of @which. */
static int
load_corner (TpLowering *lowering, const Sample *samples, int image,
             const int *which)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpNest *nest = lowering->nest;
  TpAccess *load;
  int place = image, weight;

  for (int i = 0; i < 2; i++)
    place = combine (nest, TP_EXPR_ADD, place,
                     combine (nest, TP_EXPR_MUL, samples[i].at[which[i]],
                              tp_nest_const_integer (nest, x->strides[2 + i])));
  weight = combine (nest, TP_EXPR_MUL, samples[0].weight[which[0]],
                    samples[1].weight[which[1]]);
  load = tp_lowering_add_load (lowering, 0);
  load->stride[1] = x->strides[1];
  load->index = place;
  load->index_stride = 1;
  load->index_extent = 1;
  for (int i = 0; i < 4; i++)
    if (i != 1)
      load->index_extent += (x->dims[i] - 1) * x->strides[i];
  return combine (nest, TP_EXPR_MUL, tp_lowering_last_load (lowering), weight);
}

static gboolean
roi_sample_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                  GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  TpNest *nest = lowering.nest;
  Sample samples[2];
  int k[2], image, sum = -1;
  gint64 extent = 1;
  Roi roi;

  if (!roi_init (&roi, node, error))
    return FALSE;
  for (int i = 0; i < 4; i++)
    extent += (x->dims[i] - 1) * x->strides[i];
  tp_lowering_add_output_axes (&lowering);
  for (int i = 0; i < 2; i++)
    k[i] = tp_lowering_add_reduce_axis (&lowering, roi.samples);
  for (int i = 0; i < 2; i++)
    samples[i] = find_sample (&lowering, &roi, i, k[i]);
  image = find_image (&lowering, extent);
  for (int corner = 0; corner < 4; corner++)
    {
      const int which[] = { corner / 2, corner % 2 };
      int part = load_corner (&lowering, samples, image, which);

      sum = sum < 0 ? part
                    : combine (nest, roi.is_max ? TP_EXPR_MAX : TP_EXPR_ADD, sum,
                               part);
    }
  for (int i = 0; i < 2; i++)
    sum = tp_nest_select (nest, samples[i].is_inside, sum,
                          tp_nest_const (nest, 0.0));
  sum = tp_lowering_reduce (&lowering,
                            roi.is_max ? TP_COMBINE_MAX : TP_COMBINE_SUM, sum);
  if (!roi.is_max)
    sum = combine (nest, TP_EXPR_MUL, sum,
                   tp_nest_const (nest, 1.0 / (double) (roi.samples * roi.samples)));
  return tp_lowering_finish (&lowering, sum);
}

/* ---- reference ------------------------------------------------------------ */

/* By the distance to each element of the plane that is near, or to the border: for a
 * maximum the greatest part, else their sum. */
static double
look (const Roi *roi, const TpRefTensor *x, const double *plane, const double *at)
{
  double bound[2], most = -INFINITY, sum = 0.0;
  gint64 first[2];

  for (int i = 0; i < 2; i++)
    {
      gint64 extent = x->dims[2 + i];

      if (at[i] < -1.0 || at[i] > (double) extent)
        return 0.0;
      bound[i] = fmin (fmax (at[i], 0.0), (double) (extent - 1));
      first[i] = (gint64) bound[i];
    }
  for (int corner = 0; corner < 4; corner++)
    {
      gint64 row = first[0] + corner / 2, column = first[1] + corner % 2;
      double weight = (1.0 - fabs (bound[0] - (double) row))
                      * (1.0 - fabs (bound[1] - (double) column));
      double part;

      row = MIN (row, x->dims[2] - 1);
      column = MIN (column, x->dims[3] - 1);
      part = weight * plane[row * x->dims[3] + column];
      most = fmax (most, part);
      sum += part;
    }
  return roi->is_max ? most : sum;
}

static double
pool_bin (const Roi *roi, const TpRefTensor *const *inputs, const double *plane,
          const gint64 *at)
{
  double sum = roi->is_max ? -INFINITY : 0.0;

  for (gint64 k = 0; k < roi->samples * roi->samples; k++)
    {
      double point[2], value;

      for (int i = 0; i < 2; i++)
        point[i] = inputs[1 + i]->data[at[0] * inputs[1 + i]->dims[1]
                                       + at[2 + i] * roi->samples
                                       + (i == 0 ? k / roi->samples
                                                 : k % roi->samples)];
      value = look (roi, inputs[0], plane, point);
      sum = roi->is_max ? fmax (sum, value) : sum + value;
    }
  return roi->is_max ? sum : sum / (double) (roi->samples * roi->samples);
}

static void
roi_sample_reference (const TpNode *node, const TpRefTensor *const *inputs,
                      TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  TpRefTensor *out = &outputs[0];
  gint64 at[4] = { 0 }, n_plane = x->dims[2] * x->dims[3], k = 0;
  Roi roi;

  if (!roi_init (&roi, node, NULL))
    g_assert_not_reached ();
  if (out->count == 0)
    return;
  do
    {
      double image = inputs[3]->data[at[0]];
      gint64 plane = (gint64) image * x->dims[1] + at[1];

      out->data[k++] = image < 0.0 || image >= (double) x->dims[0]
                           ? 0.0
                           : pool_bin (&roi, inputs, x->data + plane * n_plane, at);
    }
  while (tp_dims_next (4, out->dims, at));
}

static const TpAttrSpec roi_sample_attrs[] = {
  { "mode", TP_ATTR_STRING, FALSE },
  { "sampling_ratio", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_roi_sample = {
  .name = "RoiSample",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 4,
  .n_inputs_max = 4,
  .n_outputs_max = 1,
  .attrs = roi_sample_attrs,
  .flags = TP_OP_CHANNELS_LAST | TP_OP_SAMPLES,
  .tolerance = 1e-4,
  .infer = roi_sample_infer,
  .lower = roi_sample_lower,
  .reference = roi_sample_reference,
};
