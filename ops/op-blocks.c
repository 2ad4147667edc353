/* op-blocks.c: DepthToSpace and SpaceToDepth: channels become blocks of pixels,
 * and back. */
#include "config.h"

#include "ops/op-util.h"

#include <string.h>

/* The deep tensor has channels where the wide one has blocks of pixels. */
typedef struct
{
  gint64 size;          /* of a block */
  gboolean is_depth_first; /* deep channel: (y, x, channel), else (channel, y,
                            * x) */
  gint64 n_channels;    /* of the wide tensor */
} Blocks;

static gboolean
blocks_init (Blocks *blocks, const TpNode *node, int rank, gint64 n_wide,
             GError **error)
{
  const char *mode = tp_node_get_string (node, "mode", "DCR");

  blocks->size = tp_node_get_int (node, "blocksize", 0);
  blocks->is_depth_first = strcmp (mode, "DCR") == 0;
  blocks->n_channels = n_wide;
  if (rank != 4)
    return tp_op_fail (node, error, "input 0 has rank %d, must have 4", rank);
  if (blocks->size < 1 || blocks->size > G_MAXINT32)
    return tp_op_fail (node, error, "blocksize is %" G_GINT64_FORMAT,
                       blocks->size);
  if (!blocks->is_depth_first && strcmp (mode, "CRD") != 0)
    return tp_op_fail (node, error, "mode '%s' is neither DCR nor CRD", mode);
  return TRUE;
}

static gint64
blocks_get_channel (const Blocks *blocks, gint64 channel, gint64 y, gint64 x)
{
  gint64 b = blocks->size;

  return blocks->is_depth_first ? (y * b + x) * blocks->n_channels + channel
                                : (channel * b + y) * b + x;
}

static gboolean
check_divides (const TpNode *node, const TpTensor *x, int i, gint64 by,
               GError **error)
{
  if (x->dims[i] % by == 0)
    return TRUE;
  return tp_op_fail (node, error,
                     "dimension %d has extent %" G_GINT64_FORMAT
                     ", which blocks of %" G_GINT64_FORMAT " do not divide",
                     i, x->dims[i], by);
}

static gboolean
depth_to_space_infer (const TpNode *node, const TpTensor *const *inputs,
                      TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  gint64 *dims = outputs[0].dims;
  Blocks blocks;

  if (!blocks_init (&blocks, node, x->rank, 0, error)
      || !check_divides (node, x, 1, blocks.size * blocks.size, error))
    return FALSE;
  tp_shape_copy (&outputs[0], x);
  dims[1] /= blocks.size * blocks.size;
  if (!tp_size_mul (dims[2], blocks.size, &dims[2])
      || !tp_size_mul (dims[3], blocks.size, &dims[3]))
    return tp_op_fail (node, error, "the output is too large");
  return TRUE;
}

static gboolean
space_to_depth_infer (const TpNode *node, const TpTensor *const *inputs,
                      TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  gint64 *dims = outputs[0].dims;
  Blocks blocks;

  if (!blocks_init (&blocks, node, x->rank, 0, error)
      || !check_divides (node, x, 2, blocks.size, error)
      || !check_divides (node, x, 3, blocks.size, error))
    return FALSE;
  tp_shape_copy (&outputs[0], x);
  if (!tp_size_mul (dims[1], blocks.size * blocks.size, &dims[1]))
    return tp_op_fail (node, error, "the output is too large");
  dims[2] /= blocks.size;
  dims[3] /= blocks.size;
  return TRUE;
}

/* Strides over (image, channel, row, y in block, column, x in block). */
static void
blocks_set_strides (const Blocks *blocks, const gint64 *strides,
                    gboolean is_wide, gint64 *stride)
{
  gint64 b = blocks->size;

  stride[0] = strides[0];
  stride[1] = (is_wide ? 1 : blocks_get_channel (blocks, 1, 0, 0)
                                 - blocks_get_channel (blocks, 0, 0, 0))
              * strides[1];
  stride[2] = (is_wide ? b : 1) * strides[2];
  stride[3] = is_wide ? strides[2]
                      : blocks_get_channel (blocks, 0, 1, 0) * strides[1];
  stride[4] = (is_wide ? b : 1) * strides[3];
  stride[5] = is_wide ? strides[3]
                      : blocks_get_channel (blocks, 0, 0, 1) * strides[1];
}

static gboolean
blocks_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  gboolean is_to_space = x->dims[2] < lowering.out->dims[2]
                         || x->dims[3] < lowering.out->dims[3];
  const TpTensor *wide = is_to_space ? lowering.out : x;
  const TpTensor *deep = is_to_space ? x : lowering.out;
  Blocks blocks;

  if (!blocks_init (&blocks, node, x->rank, wide->dims[1], error))
    return FALSE;
  tp_nest_add_axis (lowering.nest, wide->dims[0], FALSE);
  tp_nest_add_axis (lowering.nest, wide->dims[1], FALSE);
  tp_nest_add_axis (lowering.nest, deep->dims[2], FALSE);
  tp_nest_add_axis (lowering.nest, blocks.size, FALSE);
  tp_nest_add_axis (lowering.nest, deep->dims[3], FALSE);
  tp_nest_add_axis (lowering.nest, blocks.size, FALSE);
  blocks_set_strides (&blocks, x->strides, x == wide,
                      tp_lowering_add_load (&lowering, 0)->stride);
  blocks_set_strides (&blocks, lowering.out->strides, x != wide,
                      lowering.nest->store.stride);
  return tp_lowering_finish (&lowering, tp_nest_load (lowering.nest, 0));
}

static gint64
index4 (const gint64 *dims, gint64 n, gint64 c, gint64 y, gint64 x)
{
  return ((n * dims[1] + c) * dims[2] + y) * dims[3] + x;
}

/* For each pixel of the wide tensor the element of the deep one. */
static void
blocks_copy (const TpNode *node, const gint64 *wide, const gint64 *deep,
             const TpRefTensor *in, TpRefTensor *out)
{
  gint64 at[4] = { 0 };
  gboolean is_in_wide = in->dims[1] == wide[1];
  Blocks blocks;

  if (!blocks_init (&blocks, node, 4, wide[1], NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < out->count; i++)
    {
      gint64 b = blocks.size;
      gint64 channel
          = blocks_get_channel (&blocks, at[1], at[2] % b, at[3] % b);
      gint64 k = index4 (deep, at[0], channel, at[2] / b, at[3] / b);

      out->data[is_in_wide ? k : i] = in->data[is_in_wide ? i : k];
      tp_dims_next (4, wide, at);
    }
}

static void
depth_to_space_reference (const TpNode *node, const TpRefTensor *const *inputs,
                          TpRefTensor *outputs)
{
  blocks_copy (node, outputs[0].dims, inputs[0]->dims, inputs[0], outputs);
}

static void
space_to_depth_reference (const TpNode *node, const TpRefTensor *const *inputs,
                          TpRefTensor *outputs)
{
  blocks_copy (node, inputs[0]->dims, outputs[0].dims, inputs[0], outputs);
}

static const TpAttrSpec depth_to_space_attrs[] = {
  { "blocksize", TP_ATTR_INT, TRUE },
  { "mode", TP_ATTR_STRING, FALSE },
  { 0 },
};

const TpOp tp_op_depth_to_space = {
  .name = "DepthToSpace",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = depth_to_space_attrs,
  .tolerance = 0.0,
  .infer = depth_to_space_infer,
  .lower = blocks_lower,
  .reference = depth_to_space_reference,
  .moves = TP_MOVES (0),
};

static const TpAttrSpec space_to_depth_attrs[] = {
  { "blocksize", TP_ATTR_INT, TRUE },
  { 0 },
};

const TpOp tp_op_space_to_depth = {
  .name = "SpaceToDepth",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = space_to_depth_attrs,
  .tolerance = 0.0,
  .infer = space_to_depth_infer,
  .lower = blocks_lower,
  .reference = space_to_depth_reference,
  .moves = TP_MOVES (0),
};
