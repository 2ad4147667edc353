/* op-slice.c: a box of the input, with steps of either sign. */
#include "config.h"

#include "ops/op-util.h"

#include <string.h>

#define N_PARTS 4 /* starts, ends, axes, steps: inputs 1 to 4 */

typedef struct
{
  int n[N_PARTS]; /* -1: not given */
  gint64 values[N_PARTS][TP_MAX_RANK];
} SliceParts;

typedef struct
{
  int rank;
  gint64 start[TP_MAX_RANK];
  gint64 step[TP_MAX_RANK];
  gint64 count[TP_MAX_RANK];
} Slice;

/* Attributes before opset 10, then inputs. */
static gboolean
slice_read_parts (const TpNode *node, const TpTensor *const *inputs,
                  SliceParts *parts, GError **error)
{
  static const char *const names[] = { "starts", "ends", "axes", "steps" };

  for (int i = 0; i < N_PARTS; i++)
    {
      const gint64 *given = tp_node_get_ints (node, names[i], &parts->n[i]);

      if (tp_node_has_input (node, i + 1))
        {
          TpInts list = { parts->values[i], TP_MAX_RANK, 0 };

          if (!tp_input_get_ints (node, inputs, i + 1, &list, error))
            return FALSE;
          parts->n[i] = list.n;
          continue;
        }
      if (given == NULL && i < 2)
        return tp_op_fail (node, error, "%s are missing", names[i]);
      if (parts->n[i] > TP_MAX_RANK)
        return tp_op_fail (node, error, "%s has %d values", names[i],
                           parts->n[i]);
      if (given != NULL)
        memcpy (parts->values[i], given, parts->n[i] * sizeof given[0]);
      else
        parts->n[i] = -1;
    }
  for (int i = 1; i < N_PARTS; i++)
    if (parts->n[i] >= 0 && parts->n[i] != parts->n[0])
      return tp_op_fail (node, error, "%d %s for %d starts", parts->n[i],
                         names[i], parts->n[0]);
  return TRUE;
}

/* A bound counted from the end when negative, brought into [low, high]. */
static gint64
slice_bound (gint64 value, gint64 extent, gint64 low, gint64 high)
{
  if (value < 0)
    value = value < -extent ? -1 : value + extent;
  return CLAMP (value, low, high);
}

/* All there is, before anything is cut. */
static Slice
slice_whole (int rank, const gint64 *dims)
{
  Slice slice = { .rank = rank };

  for (int i = 0; i < rank; i++)
    {
      slice.step[i] = 1;
      slice.count[i] = dims[i];
    }
  return slice;
}

/* Of a dimension that is still whole. */
static void
slice_cut_axis (Slice *slice, int axis, gint64 start, gint64 end)
{
  gint64 extent = slice->count[axis];
  gint64 step = slice->step[axis];
  gint64 last = step > 0 ? extent : extent - 1;
  gint64 first = step > 0 ? 0 : -1;
  gint64 room = 0;

  start = slice_bound (start, extent, 0, last);
  end = slice_bound (end, extent, first, last);
  room = step > 0 ? end - start : start - end;
  slice->start[axis] = start;
  if (room <= 0 || extent == 0)
    slice->count[axis] = 0;
  else if (step > 0)
    slice->count[axis] = (room - 1) / step + 1;
  else /* dividing by step first: -G_MININT64 is no number */
    slice->count[axis] = -((room - 1) / step) + 1;
}

static gboolean
slice_cut (Slice *slice, const TpNode *node, const SliceParts *parts,
           GError **error)
{
  gboolean is_cut[TP_MAX_RANK] = { FALSE };

  for (int i = 0; i < parts->n[0]; i++)
    {
      int axis = 0;
      gint64 step = parts->n[3] >= 0 ? parts->values[3][i] : 1;

      if (!tp_axis_resolve (node, parts->n[2] >= 0 ? parts->values[2][i] : i,
                            slice->rank, &axis, error))
        return FALSE;
      if (step == 0 || is_cut[axis])
        return tp_op_fail (node, error, "axis %d is cut twice or has step 0",
                           axis);
      is_cut[axis] = TRUE;
      slice->step[axis] = step;
      slice_cut_axis (slice, axis, parts->values[0][i], parts->values[1][i]);
    }
  return TRUE;
}

static gboolean
slice_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  Slice slice = slice_whole (x->rank, x->dims);
  SliceParts parts;

  if (!slice_read_parts (node, inputs, &parts, error)
      || !slice_cut (&slice, node, &parts, error))
    return FALSE;
  tp_shape_copy (&outputs[0], x);
  memcpy (outputs[0].dims, slice.count, sizeof slice.count);
  return TRUE;
}

static gboolean
slice_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *inputs[N_PARTS + 1];
  TpAccess *load = NULL;
  SliceParts parts;
  Slice slice;

  for (int i = 0; i <= N_PARTS; i++)
    inputs[i] = tp_lowering_get_input (&lowering, i);
  slice = slice_whole (inputs[0]->rank, inputs[0]->dims);
  if (!slice_read_parts (node, inputs, &parts, error)
      || !slice_cut (&slice, node, &parts, error))
    return FALSE;
  tp_lowering_add_output_axes (&lowering);
  load = tp_lowering_add_load (&lowering, 0);
  for (int i = 0; i < inputs[0]->rank; i++)
    {
      if (slice.count[i] > 1)
        load->stride[i] = slice.step[i] * inputs[0]->strides[i];
      load->offset += slice.start[i] * inputs[0]->strides[i];
    }
  return tp_lowering_finish (&lowering, tp_nest_load (lowering.nest, 0));
}

/* What the inputs hold, for the reference. */
static void
slice_copy_parts (const TpNode *node, const TpRefTensor *const *inputs,
                  SliceParts *parts)
{
  static const char *const names[] = { "starts", "ends", "axes", "steps" };

  for (int i = 0; i < N_PARTS; i++)
    {
      const gint64 *given = tp_node_get_ints (node, names[i], &parts->n[i]);

      if (tp_node_has_input (node, i + 1))
        parts->n[i] = inputs[i + 1]->count;
      else if (given == NULL)
        parts->n[i] = -1;
      for (int k = 0; k < parts->n[i]; k++)
        {
          double value = given != NULL ? given[k] : inputs[i + 1]->data[k];

          parts->values[i][k] = CLAMP (value, -9e18, 9e18);
        }
    }
}

static void
slice_reference (const TpNode *node, const TpRefTensor *const *inputs,
                 TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gint64 at[TP_MAX_RANK] = { 0 };
  Slice slice = slice_whole (x->rank, x->dims);
  SliceParts parts;

  slice_copy_parts (node, inputs, &parts);
  if (!slice_cut (&slice, node, &parts, NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      gint64 index = 0;

      for (int k = 0; k < x->rank; k++)
        index = index * x->dims[k] + slice.start[k] + at[k] * slice.step[k];
      outputs[0].data[i] = x->data[index];
      tp_dims_next (x->rank, outputs[0].dims, at);
    }
}

static const TpAttrSpec slice_attrs[] = {
  { "axes", TP_ATTR_INTS, FALSE },
  { "ends", TP_ATTR_INTS, FALSE },
  { "starts", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_slice = {
  .name = "Slice",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 5,
  .n_outputs_max = 1,
  .flags = TP_OP_HOLDS_BOUNDS,
  .attrs = slice_attrs,
  .tolerance = 0.0,
  .infer = slice_infer,
  .lower = slice_lower,
  .reference = slice_reference,
  .moves = TP_MOVES (0),
};
