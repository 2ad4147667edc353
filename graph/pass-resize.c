/* pass-resize.c: Resize and Upsample, one dimension after the other, but for those that
 * repeat elements.
 *
 * Where each output looks is known beforehand: a dimension is a Gather by
 * constant indices (nearest: exact, of any type), or an Interpolate by constant
 * indices and weights. What looks beyond the input has no weights, and is 0; another
 * number is added to it in the end. Those that shrink come first, then those that grow from
 * the last on: no tensor on the way is larger than both ends, and the vectors of
 * the last and largest step run along what the indices have no say in. */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/graph-sort.h"
#include "graph/pass.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "ops/op-resize.h"
#include "ops/op.h"
#include "ops/resize.h"

#include <string.h>

typedef struct
{
  TpDraft *draft;
  TpNode node;                /* as it was */
  TpResize resize;
  TpResizeAxis axes[TP_MAX_RANK];
  gboolean is_outside[TP_MAX_RANK]; /* some outputs look beyond the input */
  gboolean is_list;           /* nearest, and no output does */
  gboolean is_added;          /* what stands there is not 0 */
  int n_steps;
  int order[TP_MAX_RANK];     /* in which axes are resized */
} Split;

/* Of one dimension: @to is what becomes of @from along @axis. */
typedef struct
{
  int axis;
  int from, to;
} Step;

static gboolean
is_resize (const TpNode *node)
{
  return node->op != NULL && (tp_node_is (node, "Resize")
                              || tp_node_is (node, "Upsample"));
}

static void
find_axes (Split *split, const TpTensor *x, const TpTensor *out)
{
  for (int grows = 0; grows <= 1; grows++)
    for (int k = x->rank - 1; k >= 0; k--)
      if (!tp_resize_is_idle (&split->resize, &split->axes[k])
          && (out->dims[k] >= x->dims[k]) == grows)
        split->order[split->n_steps++] = k;
}

/* As @out where outputs look beyond the input, and 1 elsewhere. */
static gint64
set_beyond_dims (const Split *split, const TpTensor *out, gint64 *dims)
{
  gint64 n = 1;

  for (int k = 0; k < out->rank; k++)
    {
      dims[k] = split->is_outside[k] ? out->dims[k] : 1;
      n *= dims[k]; /* no more than of @out */
    }
  return n;
}

/* FALSE: some dimension has no table, or they are too large. */
static gboolean
take_tables (const Split *split, const TpTensor *out)
{
  gint64 dims[TP_MAX_RANK];
  gint64 sum = split->is_added ? set_beyond_dims (split, out, dims) : 0;

  for (int i = 0; i < split->n_steps; i++)
    {
      int k = split->order[i];
      gint64 n = tp_resize_count_taps (&split->resize, &split->axes[k]);

      if (n < 0 || !tp_size_mul (n, out->dims[k], &n)
          || !tp_size_add (sum, n, &sum))
        return FALSE;
    }
  return tp_draft_take_constants (split->draft, sum);
}

/* What is furthest out is one end or the other. */
static gboolean
looks_outside (const Split *split, const TpResizeAxis *axis)
{
  TpResizePoint first = { 0 }, last = { 0 };

  tp_resize_get_point (&split->resize, axis, 0, &first);
  tp_resize_get_point (&split->resize, axis, axis->out - 1, &last);
  return axis->out > 0 && (first.is_extrapolated || last.is_extrapolated);
}

static void
find_outside (Split *split, int rank)
{
  gboolean is_any = FALSE;

  for (int k = 0; k < rank && tp_resize_needs_roi (&split->resize); k++)
    {
      split->is_outside[k] = looks_outside (split, &split->axes[k]);
      is_any |= split->is_outside[k];
    }
  split->is_list = tp_resize_is_nearest (&split->resize) && !is_any;
  split->is_added = is_any && split->resize.extrapolation != 0.0;
}

static void
find_scales (Split *split, const TpTensor *out)
{
  const TpTensor *inputs[TP_RESIZE_INPUTS] = { NULL };

  for (int i = 0; i < TP_RESIZE_INPUTS; i++)
    if (tp_node_has_input (&split->node, i))
      inputs[i] = tp_draft_tensor (split->draft, split->node.inputs[i]);
  tp_resize_find_axes (&split->node, inputs, out, split->axes);
}

/* What is to be done; FALSE: nothing, or the node stays as it is. */
static gboolean
split_init (Split *split, TpDraft *draft, int index)
{
  const TpNode *node = tp_draft_node (draft, index);
  const TpTensor *x;
  const TpTensor *out;

  *split = (Split){ .draft = draft, .node = *node };
  if (!is_resize (node) || node->n_costs > 0
      || !tp_resize_init (&split->resize, node, NULL))
    return FALSE;
  x = tp_draft_tensor (draft, node->inputs[0]);
  out = tp_draft_tensor (draft, node->outputs[0]);
  if (x->count == 0)
    return FALSE;
  find_scales (split, out);
  find_outside (split, x->rank);
  if (tp_dtype_is_integer (x->dtype) && !split->is_list)
    return FALSE;
  find_axes (split, x, out);
  if (split->n_steps > 0
      && tp_resize_repeats (&split->resize, split->axes, x->rank))
    return FALSE;             /* there is a kernel for that */
  return take_tables (split, out);
}

/* [tap, output]. What has no weight is looked for outside, where all is 0: 0
 * times infinity would be no number. */
static void
compute_tables (const Split *split, const Step *step, double *indices,
                double *weights)
{
  const TpResizeAxis *axis = &split->axes[step->axis];

  for (gint64 at = 0; at < axis->out; at++)
    {
      TpResizePoint point;

      tp_resize_get_point (&split->resize, axis, at, &point);
      for (int i = 0; i < point.n; i++)
        {
          weights[i * axis->out + at] = point.weight[i];
          indices[i * axis->out + at]
              = point.weight[i] == 0.0 ? axis->in : point.index[i];
        }
    }
}

/* The constants that @inputs[1] and, unless nearest, @inputs[2] are. */
static gboolean
add_tables (Split *split, const Step *step, int *inputs, GError **error)
{
  const TpTensor *to = tp_draft_tensor (split->draft, step->to);
  TpDtype computed = tp_dtype_get_computed (to->dtype); /* what is added moves @to */
  gint64 n_taps
      = tp_resize_count_taps (&split->resize, &split->axes[step->axis]);
  gint64 out = to->dims[step->axis];
  g_autofree double *indices = tp_new (double, n_taps * out);
  g_autofree double *weights = tp_new (double, n_taps * out);
  TpTensor list = { .name = split->node.name,
                    .dtype = TPLAN_DTYPE_INT64,
                    .rank = 1,
                    .dims = &out };
  TpTensor table = { .name = split->node.name,
                     .dtype = TPLAN_DTYPE_INT64,
                     .rank = 2,
                     .dims = (gint64[]){ n_taps, out } };

  compute_tables (split, step, indices, weights);
  inputs[1] = tp_draft_add_values (split->draft, split->is_list ? &list : &table,
                                   ":indices", indices, error);
  if (split->is_list || inputs[1] < 0)
    return inputs[1] >= 0;
  table.dtype = computed;
  inputs[2]
      = tp_draft_add_values (split->draft, &table, ":weights", weights, error);
  return inputs[2] >= 0;
}

/* The output of a step that another follows: @from with extent @out along @k; -1
 * on error. */
static int
add_stage (Split *split, int from, int k, gint64 out, GError **error)
{
  TpTensor stage = *tp_draft_tensor (split->draft, from);
  gint64 dims[TP_MAX_RANK];

  memcpy (dims, stage.dims, stage.rank * sizeof dims[0]);
  dims[k] = out;
  stage.name = split->node.name;
  stage.dims = dims;
  return tp_draft_add_stage (split->draft, &stage, error);
}

/* Fills in @node, which does @step. */
static gboolean
make_step (Split *split, TpNode *node, const Step *step, GError **error)
{
  TpRegion *region = split->draft->region;
  int *ends = tp_region_alloc (region, 4, sizeof *ends, error);
  TpAttr *attr = tp_region_alloc (region, 1, sizeof *attr, error);

  if (ends == NULL || attr == NULL || !add_tables (split, step, ends, error))
    return FALSE;
  *attr = (TpAttr){ .name = "axis", .kind = TP_ATTR_INT, .i = step->axis };
  ends[0] = step->from;
  ends[3] = step->to;
  node->type = split->is_list ? "Gather" : "Interpolate";
  node->op = tp_op_find (node->type);
  node->inputs = ends;
  node->n_inputs = split->is_list ? 2 : 3;
  node->outputs = ends + 3;
  node->attrs = attr;
  node->n_attrs = 1;
  return TRUE;
}

/* Appends a step before the last; its output, or -1 on error. */
static int
append_step (Split *split, int k, int from, GError **error)
{
  const TpTensor *out = tp_draft_tensor (split->draft, split->node.outputs[0]);
  TpNode node = split->node;
  Step step = { k, from, add_stage (split, from, k, out->dims[k], error) };

  node.name = step.to < 0 ? NULL
                          : tp_draft_make_node_name (split->draft, node.name,
                                                     ":step", error);
  if (node.name == NULL || !make_step (split, &node, &step, error))
    return -1;
  tp_array_append_val (split->draft->nodes, node);
  return step.to;
}

/* Marks in @values, of @dims, what looks beyond the input along dimension @k. */
static void
mark_beyond (const Split *split, int k, const gint64 *dims, double *values)
{
  const TpTensor *out = tp_draft_tensor (split->draft, split->node.outputs[0]);
  g_autofree gboolean *is_beyond = tp_new0 (gboolean, dims[k]);
  gint64 n = 1, inner = 1;

  for (int i = 0; i < out->rank; i++)
    {
      n *= dims[i];
      inner *= i > k ? dims[i] : 1;
    }
  for (gint64 at = 0; at < dims[k]; at++)
    {
      TpResizePoint point;

      tp_resize_get_point (&split->resize, &split->axes[k], at, &point);
      is_beyond[at] = point.is_extrapolated;
    }
  for (gint64 i = 0; i < n; i++)
    if (is_beyond[i / inner % dims[k]])
      values[i] = split->resize.extrapolation;
}

/* Fills in @node, which adds to @from what stands beyond the input. */
static gboolean
make_sum (const Split *split, TpNode *node, int from, GError **error)
{
  const TpTensor *out = tp_draft_tensor (split->draft, split->node.outputs[0]);
  gint64 dims[TP_MAX_RANK];
  gint64 n = set_beyond_dims (split, out, dims);
  TpTensor beyond = { .name = split->node.name, .dtype = out->dtype,
                      .rank = out->rank, .dims = dims };
  g_autofree double *values = tp_new0 (double, n);
  int *ends = tp_region_alloc (split->draft->region, 2, sizeof *ends, error);

  if (ends == NULL)
    return FALSE;
  for (int k = 0; k < beyond.rank; k++)
    if (split->is_outside[k])
      mark_beyond (split, k, dims, values);
  ends[0] = from;
  ends[1] = tp_draft_add_values (split->draft, &beyond, ":beyond", values, error);
  node->type = "Add";
  node->op = tp_op_find (node->type);
  node->inputs = ends;
  node->n_inputs = 2;
  node->n_attrs = 0;
  return ends[1] >= 0;
}

/* The last step takes the place and the name of the node. */
static gboolean
split_resize (Split *split, int index, GError **error)
{
  TpNode node = split->node;
  int from = node.inputs[0];

  for (int i = 0; i + !split->is_added < split->n_steps; i++)
    {
      from = append_step (split, split->order[i], from, error);
      if (from < 0)
        return FALSE;
    }
  if (split->n_steps == 0)
    {
      node.type = "Identity";
      node.op = tp_op_find (node.type);
      node.n_inputs = 1;
      node.n_attrs = 0;
    }
  else if (split->is_added)
    {
      if (!make_sum (split, &node, from, error))
        return FALSE;
    }
  else
    {
      Step last = { split->order[split->n_steps - 1], from, node.outputs[0] };

      if (!make_step (split, &node, &last, error))
        return FALSE;
    }
  *tp_draft_node (split->draft, index) = node;
  return TRUE;
}

static gboolean
split_resizes (TpDraft *draft, GError **error)
{
  guint n = draft->nodes->len;

  for (guint i = 0; i < n; i++)
    {
      Split split;

      if (split_init (&split, draft, i) && !split_resize (&split, i, error))
        return FALSE;
    }
  return draft->nodes->len == n || tp_draft_sort (draft, error);
}

const TpPass tp_pass_resize = {
  .name = "resize",
  .summary = "Resize and Upsample: a Gather or an Interpolate for each dimension",
  .required = "no device has a kernel for a whole Resize, unless elements repeat",
  .concerns = is_resize,
  .run = split_resizes,
};
