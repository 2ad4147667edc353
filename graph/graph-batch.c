/* graph-batch.c: see graph-batch.h. */
#include "config.h"

#include "graph/graph-batch.h"

#include "graph/batch-marks.h"
#include "graph/graph-draft-make.h"
#include "graph/graph-sort.h"
#include "ir/guard.h"
#include "ir/micro-batches.h"
#include "ir/room.h"
#include "ops/op.h"

#include <string.h>

#define NOT_MADE (-1)
#define OP_BYTES 512          /* of an op of a micro-batch, with what it writes */

typedef struct
{
  const TpGraph *graph;
  const TpBatchMarks *marks;
  const gint64 *sizes;
  int n_sizes;
  TpDraft *draft;
  int *parts;                 /* [tensor of @graph]: its part of the micro-batch that
                               * is made, or NOT_MADE */
  int index;                  /* of that micro-batch */
  gint64 start;               /* where it begins in the batch */
  char suffix[24];            /* of its names */
} Split;

gint64
tp_graph_find_batch (const TpGraph *graph)
{
  g_autoptr (TpBatchMarks) marks = tp_batch_marks_new (graph, 0, NULL);

  return marks != NULL ? marks->parts.n_parts : tp_batch_get_extent (graph, 0);
}

static gboolean
is_sum (const gint64 *sizes, int n_sizes, gint64 sum)
{
  for (int i = 0; i < n_sizes && sum >= 0; i++)
    sum = sizes[i] < 1 || sizes[i] > sum ? -1 : sum - sizes[i];
  return sum == 0;
}

/* What they sum to, which is a dimension that may be it; 0: nothing like that. */
static gint64
check_sizes (const TpGraph *graph, const gint64 *sizes, int n_sizes,
             GError **error)
{
  gint64 batch;

  for (int dim = 0; dim < TP_BATCH_N_DIMS; dim++)
    if (n_sizes > 1 && n_sizes <= TP_MICRO_BATCHES_MOST
        && is_sum (sizes, n_sizes, tp_batch_get_extent (graph, dim)))
      return tp_batch_get_extent (graph, dim);
  batch = tp_graph_find_batch (graph);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "the batch cannot be split: sizes, of at most %d parts, are at "
               "least 1 and sum to it, which is %" G_GINT64_FORMAT,
               TP_MICRO_BATCHES_MOST, batch);
  return 0;
}

/* ---- tensors ------------------------------------------------------------- */

static gint64
scale (const Split *split, gint64 value)
{
  return value / split->marks->parts.n_parts * split->sizes[split->index];
}

/* @part, which was a whole with parts @step apart, becomes one of them. */
static void
shrink (const Split *split, TpTensor *part, gint64 step)
{
  gint64 n_parts = split->marks->parts.n_parts;
  int dim = tp_batch_find_part (part, n_parts, step);
  gint64 element_bytes = part->size_bytes / part->count;
  gint64 dims[TP_MAX_RANK], strides[TP_MAX_RANK];

  for (int i = 0; i < part->rank; i++)
    {
      gboolean is_outer
          = i != dim && part->strides[i] % (step * n_parts) == 0;

      dims[i] = i == dim ? scale (split, part->dims[i]) : part->dims[i];
      strides[i]
          = is_outer ? scale (split, part->strides[i]) : part->strides[i];
    }
  tp_draft_set_form (split->draft, part, dims, strides);
  part->count = scale (split, part->count);
  part->size_bytes = part->count * element_bytes;
}

/* The part of @whole that is made, which nothing computes yet; -1 on error. @step: of
 * its parts; 0: nobody reads it, and its shape is not known yet. */
static int
add_part (Split *split, int whole, gint64 step, GError **error)
{
  TpTensor part = split->graph->tensors[whole];

  part.name = tp_draft_make_tensor_name (split->draft, part.name,
                                         split->suffix, error);
  part.is_input = part.is_output = FALSE;
  if (step > 0)
    shrink (split, &part, step);
  return part.name == NULL ? -1 : tp_draft_add_tensor (split->draft, &part);
}

/* Reads @whole, a constant, where @part of it is, from @first on along dimension @dim;
 * FALSE: an op has to cut it. */
static gboolean
cut_constant (const TpTensor *whole, int dim, gint64 first, TpTensor *part)
{
  gint64 step = whole->init.steps != NULL ? whole->init.steps[0]
                                          : whole->count / whole->dims[0];

  if (whole->init.kind == TP_INIT_FILL)
    return TRUE;
  if (whole->init.kind != TP_INIT_DATA || dim != 0)
    return FALSE;
  part->init.data = (const char *) whole->init.data
                    + first * step * (whole->size_bytes / whole->count);
  if (whole->init.scale != NULL)
    part->init.scale = whole->init.scale + first;
  return TRUE;
}

/* ---- ops ----------------------------------------------------------------- */

/* A new op of @n_inputs inputs, to be filled in, and one output. */
static gboolean
add_op (Split *split, TpNode *node, const int *inputs, int output,
        GError **error)
{
  TpRegion *region = split->draft->region;

  node->opset = split->draft->opset;
  node->inputs = tp_region_dup (region, inputs, node->n_inputs, sizeof (int),
                                error);
  node->outputs = tp_region_dup (region, &output, 1, sizeof (int), error);
  node->n_outputs = 1;
  if (node->name == NULL || node->attrs == NULL || node->inputs == NULL
      || node->outputs == NULL)
    return FALSE;
  tp_array_append_val (split->draft->nodes, *node);
  return TRUE;
}

/* @bounds: starts, ends, axes */
static const TpAttr *
make_cut_attrs (const Split *split, const gint64 *bounds, GError **error)
{
  static const char *const names[] = { "starts", "ends", "axes" };
  const gint64 *ints = tp_region_dup (split->draft->region, bounds, 3,
                                      sizeof bounds[0], error);
  TpAttr *attrs
      = tp_region_alloc (split->draft->region, 3, sizeof (TpAttr), error);

  if (ints == NULL || attrs == NULL)
    return NULL;
  for (int i = 0; i < 3; i++)
    attrs[i] = (TpAttr){
      .name = names[i], .kind = TP_ATTR_INTS, .n = 1, .ints = &ints[i]
    };
  return attrs;
}

/* @part becomes what an op cuts from @whole. */
static gboolean
add_cut (Split *split, int whole, const gint64 *bounds, int part,
         GError **error)
{
  const TpTensor *it = &split->graph->tensors[whole];
  TpNode cut = { .type = "Slice",
                 .op = tp_op_find ("Slice"),
                 .n_inputs = 1,
                 .n_attrs = 3,
                 .attrs = make_cut_attrs (split, bounds, error),
                 .place = "" };

  tp_draft_tensor (split->draft, part)->init = (TpInit){ TP_INIT_NONE };
  if (cut.attrs == NULL)
    return FALSE;
  cut.name = tp_draft_make_node_name (split->draft, it->name, split->suffix,
                                      error);
  return add_op (split, &cut, &whole, part, error);
}

/* The part of @whole that is made; cut from it where no op of the micro-batch makes
 * it. */
static int
get_part (Split *split, int whole, gint64 step, GError **error)
{
  const TpTensor *it = &split->graph->tensors[whole];
  gint64 batch = split->marks->parts.n_parts;
  int dim = tp_batch_find_dim (it, batch, step), part = split->parts[whole];
  gint64 first, extent;

  if (part != NOT_MADE)
    return part;
  part = split->parts[whole] = add_part (split, whole, step, error);
  if (part < 0)
    return -1;
  first = it->dims[dim] / batch * split->start;
  extent = tp_draft_tensor (split->draft, part)->dims[dim];
  if (!cut_constant (it, dim, first, tp_draft_tensor (split->draft, part))
      && !add_cut (split, whole, (gint64[]){ first, first + extent, dim },
                   part, error))
    return -1;
  return part;
}

static gboolean
add_inputs (Split *split, int n, const gint64 *reads, int *inputs,
            GError **error)
{
  for (int i = 0; i < n; i++)
    {
      if (inputs[i] < 0 || reads[i] == 0)
        continue;
      inputs[i] = get_part (split, inputs[i], reads[i], error);
      if (inputs[i] < 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_outputs (Split *split, int n, int *outputs, GError **error)
{
  for (int i = 0; i < n; i++)
    {
      int whole = outputs[i];

      if (whole < 0)
        continue;
      outputs[i] = split->parts[whole]
          = add_part (split, whole, split->marks->parts.steps[whole], error);
      if (outputs[i] < 0)
        return FALSE;
    }
  return TRUE;
}

/* ---- shapes -------------------------------------------------------------- */

/* Gives a tensor that nobody reads the shape that comes out. */
static gboolean
has_shape (TpDraft *draft, TpTensor *tensor, gint64 step, const TpShape *shape)
{
  if (step == 0)
    return tp_draft_set_shape (draft, tensor, shape->dtype, shape->rank,
                               shape->dims);
  return tensor->rank == shape->rank && tensor->dtype == shape->dtype
         && memcmp (tensor->dims, shape->dims,
                    tensor->rank * sizeof tensor->dims[0])
                == 0;
}

/* Whether @copy, of @node, makes of what it reads what it is to write. */
static gboolean
makes_outputs (Split *split, const TpNode *copy, const TpNode *node)
{
  g_autofree const TpTensor **inputs
      = tp_new (const TpTensor *, copy->n_inputs + 1);
  g_autofree TpShape *outputs = tp_new0 (TpShape, copy->n_outputs + 1);

  for (int i = 0; i < copy->n_inputs; i++)
    inputs[i] = copy->inputs[i] < 0
                    ? NULL
                    : tp_draft_tensor (split->draft, copy->inputs[i]);
  if (!copy->op->infer (copy, inputs, outputs, NULL))
    return FALSE;
  for (int i = 0; i < copy->n_outputs; i++)
    if (copy->outputs[i] >= 0
        && !has_shape (split->draft,
                       tp_draft_tensor (split->draft, copy->outputs[i]),
                       split->marks->parts.steps[node->outputs[i]],
                       &outputs[i]))
      return FALSE;
  return TRUE;
}

/* Shapes that name the batch are given anew: input 1 of these ops. */
static gboolean
name_shape (Split *split, TpNode *node, GError **error)
{
  static const char *const types[] = { "Reshape", "Expand", NULL };
  const TpTensor *shape, *output;
  double dims[TP_MAX_RANK];
  int named;

  if (!g_strv_contains (types, node->type) || node->inputs[1] < 0)
    return TRUE;
  shape = tp_draft_tensor (split->draft, node->inputs[1]);
  output = tp_draft_tensor (split->draft, node->outputs[0]);
  if (shape->rank != 1 || shape->dims[0] != output->rank)
    return TRUE;
  for (int i = 0; i < output->rank; i++)
    dims[i] = (double) output->dims[i];
  named = tp_draft_add_values (split->draft, shape, split->suffix, dims, error);
  tp_node_edit (node->inputs)[1] = named;
  return named >= 0;
}

static gboolean
check_shapes (Split *split, TpNode *copy, const TpNode *node, GError **error)
{
  if (makes_outputs (split, copy, node))
    return TRUE;
  if (!name_shape (split, copy, error))
    return FALSE;
  if (makes_outputs (split, copy, node))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "the batch cannot be split: op '%.100s' (%.100s) has sizes for "
               "all of it", node->name, node->type);
  return FALSE;
}

/* ---- one micro-batch ----------------------------------------------------- */

/* Ops that are together are so in each micro-batch. */
static gboolean
name_copy (Split *split, TpNode *copy, GError **error)
{
  copy->name = tp_draft_make_node_name (split->draft, copy->name,
                                        split->suffix, error);
  if (copy->name == NULL || copy->colocation == NULL)
    return copy->name != NULL;
  {
    g_autofree char *label
        = g_strconcat (copy->colocation, split->suffix, NULL);

    copy->colocation = tp_region_strdup (split->draft->region, label, error);
  }
  return copy->colocation != NULL;
}

static gboolean
add_copy (Split *split, int index, GError **error)
{
  const TpNode *node = &split->graph->nodes[index];
  TpRegion *region = split->draft->region;
  TpNode copy = *node;
  int *inputs = tp_region_dup (region, node->inputs, node->n_inputs,
                               sizeof (int), error);
  int *outputs = tp_region_dup (region, node->outputs, node->n_outputs,
                                sizeof (int), error);

  if (inputs == NULL || outputs == NULL || !name_copy (split, &copy, error)
      || !add_inputs (split, node->n_inputs, split->marks->reads[index],
                      inputs, error)
      || !add_outputs (split, node->n_outputs, outputs, error))
    return FALSE;
  copy.inputs = inputs;
  copy.outputs = outputs;
  if (!check_shapes (split, &copy, node, error))
    return FALSE;
  tp_array_append_val (split->draft->nodes, copy);
  return TRUE;
}

static gboolean
add_micro_batch (Split *split, int index, GError **error)
{
  split->start = 0;
  for (int i = 0; i < index; i++)
    split->start += split->sizes[i];
  split->index = index;
  g_snprintf (split->suffix, sizeof split->suffix, ":%d", index);
  memset (split->parts, NOT_MADE, split->graph->n_tensors * sizeof (int));
  for (int i = 0; i < split->graph->n_nodes; i++)
    if (split->marks->reads[i] != NULL && !add_copy (split, i, error))
      return FALSE;
  return TRUE;
}

/* ---- all of them --------------------------------------------------------- */

/* What is made of the batch and given out; ascending, as outputs are. */
static gboolean
is_joined (const Split *split, int output)
{
  int tensor = split->graph->outputs[output];

  return split->marks->parts.steps[tensor] > 0
         && split->graph->tensors[tensor].producer >= 0;
}

/* @parts: [micro-batch] */
static gboolean
add_join (Split *split, int tensor, const int *parts, GError **error)
{
  const TpNode *producer
      = &split->graph->nodes[split->graph->tensors[tensor].producer];
  TpAttr *axis
      = tp_region_alloc (split->draft->region, 1, sizeof (TpAttr), error);
  TpNode join = { .type = "Concat",
                  .op = tp_op_find ("Concat"),
                  .n_inputs = split->n_sizes,
                  .n_attrs = 1,
                  .attrs = axis,
                  .place = producer->place };

  if (axis == NULL)
    return FALSE;
  *axis = (TpAttr){
    .name = "axis", .kind = TP_ATTR_INT,
    .i = tp_batch_find_dim (&split->graph->tensors[tensor],
                            split->marks->parts.n_parts,
                            split->marks->parts.steps[tensor])
  };
  join.name = tp_draft_make_node_name (
      split->draft, split->graph->tensors[tensor].name, ":joined", error);
  return add_op (split, &join, parts, tensor, error);
}

static void
remove_wholes (Split *split)
{
  for (int i = 0; i < split->graph->n_nodes; i++)
    if (split->marks->reads[i] != NULL)
      tp_draft_node (split->draft, i)->type = NULL;
}

/* @joined: [output][micro-batch] */
static gboolean
add_all (Split *split, int *joined, GError **error)
{
  int n_outputs = split->graph->n_outputs;

  for (int k = 0; k < split->n_sizes; k++)
    {
      if (!add_micro_batch (split, k, error))
        return FALSE;
      for (int i = 0; i < n_outputs; i++)
        joined[i * split->n_sizes + k]
            = split->parts[split->graph->outputs[i]];
    }
  for (int i = 0; i < n_outputs; i++)
    if (is_joined (split, i)
        && !add_join (split, split->graph->outputs[i],
                      &joined[i * split->n_sizes], error))
      return FALSE;
  remove_wholes (split);
  return TRUE;
}

static TpGraph *
make (Split *split, GError **error)
{
  g_autofree int *parts = tp_new (int, split->graph->n_tensors + 1);
  g_autofree int *joined
      = tp_new0 (int, split->graph->n_outputs * split->n_sizes + 1);
  g_autoptr (TpDraft) draft = tp_draft_new_from_graph (split->graph);

  split->draft = draft;
  split->parts = parts;
  if (!add_all (split, joined, error) || !tp_draft_sort (draft, error)
      || !tp_draft_remove_unused_tensors (draft, error))
    return NULL;
  return tp_draft_finish (draft, error);
}

TpGraph *
tp_graph_split_batch (TpGraph *graph, const gint64 *sizes, int n_sizes,
                      GError **error)
{
  g_autoptr (TpBatchMarks) marks = NULL;
  Split split = { .graph = graph, .sizes = sizes, .n_sizes = n_sizes };
  gint64 batch;

  if (n_sizes == 0)
    return tp_graph_ref (graph);
  batch = check_sizes (graph, sizes, n_sizes, error);
  if (batch == 0
      || !tp_room_check ((gint64) graph->n_nodes * n_sizes * OP_BYTES,
                         "to split the batch", error))
    return NULL;
  split.marks = marks = tp_batch_marks_new (graph, batch, error);
  return marks == NULL ? NULL : make (&split, error);
}
