/* op-col2im.c: Col2Im: blocks added up where they lie in an image. Each element is the
 * sum of those of the blocks that reach it: a transposed convolution (transposed.h)
 * whose filter is the place in the block. */
#include "config.h"

#include "ops/transposed.h"

#include <string.h>

/* ---- shape ------------------------------------------------------------- */

/* The window that cuts the image into blocks. */
static gboolean
col2im_init (TpWindow *window, const TpNode *node,
             const TpTensor *const *inputs, GError **error)
{
  gint64 dims[TP_MAX_RANK] = { 1, 1 }, kernel[TP_MAX_RANK];
  TpInts image = { dims + 2, TP_MAX_RANK - 2, 0 };
  TpInts block = { kernel, TP_MAX_RANK, 0 };
  TpWindowSource source = { .dims = dims, .kernel = kernel };

  if (!tp_input_get_ints (node, inputs, 1, &image, error)
      || !tp_input_get_ints (node, inputs, 2, &block, error))
    return FALSE;
  if (image.n != block.n || image.n < 1 || image.n > TP_WINDOW_MAX_DIMS)
    return tp_op_fail (node, error,
                       "the image has %d dimensions and a block %d: both must "
                       "have the same number of them, 1 to %d",
                       image.n, block.n, TP_WINDOW_MAX_DIMS);
  source.rank = image.n + 2;
  return tp_window_init (window, node, &source, error);
}

static gboolean
col2im_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  gint64 n_places, n_blocks;
  TpWindow window;

  if (!col2im_init (&window, node, inputs, error))
    return FALSE;
  n_places = tp_dims_product (window.kernel, 0, window.n);
  n_blocks = tp_dims_product (window.out, 0, window.n);
  if (x->rank != 3 || x->dims[1] % n_places != 0 || x->dims[2] != n_blocks)
    return tp_op_fail (node, error,
                       "input 0 must have three dimensions: batches, a multiple of "
                       "the %" G_GINT64_FORMAT " elements of a block, and "
                       "%" G_GINT64_FORMAT " blocks",
                       n_places, n_blocks);
  outputs[0].dtype = x->dtype;
  outputs[0].rank = window.n + 2;
  outputs[0].dims[0] = x->dims[0];
  outputs[0].dims[1] = x->dims[1] / n_places;
  memcpy (outputs[0].dims + 2, window.in, window.n * sizeof window.in[0]);
  return TRUE;
}

/* ---- nests ------------------------------------------------------------- */

/* The sum over all taps, of blocks in rows and places in rows. */
static int
sum_blocks (TpLowering *lowering, const TpTransposed *self,
            const TpTransposedAxes *axes)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);
  gint64 place = x->strides[1], block = x->strides[2];

  for (int i = self->window.n - 1; i >= 0; i--)
    {
      tp_transposed_set_positions (self, axes, i, block, load);
      tp_transposed_set_taps (axes, i, place, load);
      block *= self->window.in[i];
      place *= self->window.kernel[i];
    }
  load->stride[0] = x->strides[0];
  load->stride[1] = place;
  return tp_lowering_reduce (lowering, TP_COMBINE_SUM,
                             tp_lowering_last_load (lowering));
}

static int
add_zero (TpLowering *lowering)
{
  return tp_dtype_is_integer (lowering->out->dtype)
             ? tp_nest_const_integer (lowering->nest, 0)
             : tp_nest_const (lowering->nest, 0.0);
}

static gboolean
col2im_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  const TpTensor *inputs[3];
  gint64 extents[TP_WINDOW_MAX_DIMS];
  gint64 at[TP_WINDOW_MAX_DIMS] = { 0 };
  TpWindow cuts;
  g_auto (TpTransposed) self = { 0 };

  for (int i = 0; i < 3; i++)
    inputs[i] = &graph->tensors[node->inputs[i]];
  if (!col2im_init (&cuts, node, inputs, error))
    return FALSE;
  self.window = cuts;
  memcpy (self.window.in, cuts.out, sizeof cuts.out);
  memcpy (self.window.out, cuts.in, sizeof cuts.in);
  if (!tp_transposed_split (&self, node, TRUE, error))
    return FALSE;
  tp_transposed_get_extents (&self, extents);
  do
    {
      g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
      TpTransposedAxes axes;
      gboolean has_taps = tp_transposed_get_phases (&self, at, &axes);

      for (int i = 0; i < 2; i++)
        tp_lowering_add_axis (&lowering, lowering.out->dims[i],
                              lowering.out->strides[i]);
      tp_transposed_add_positions (&self, &lowering, &axes);
      tp_transposed_add_taps (&self, &lowering, &axes);
      if (!tp_lowering_finish (&lowering,
                               has_taps ? sum_blocks (&lowering, &self, &axes)
                                        : add_zero (&lowering)))
        return FALSE;
    }
  while (tp_dims_next (self.window.n, extents, at));
  return TRUE;
}

/* ---- reference --------------------------------------------------------- */

/* Adds element @i of @x to element @k of @out. */
static void
add_element (const TpRefTensor *x, gint64 i, TpRefTensor *out, gint64 k)
{
  if (x->integers == NULL)
    out->data[k] += x->data[i];
  else
    out->integers[k] = tp_dtype_wrap (
        out->dtype,
        (gint64) ((guint64) out->integers[k] + (guint64) x->integers[i]));
}

/* What all blocks have at one place: elements of @x from @from on. */
typedef struct
{
  const TpRefTensor *x;
  gint64 from;
} Blocks;

/* Adds @blocks to the image that begins at @to. */
static void
add_place (const TpWindow *window, const gint64 *place, Blocks blocks,
           TpRefTensor *out, gint64 to)
{
  gint64 at[TP_WINDOW_MAX_DIMS] = { 0 };

  do
    {
      gint64 index = 0;
      gboolean is_inside = TRUE;

      for (int i = 0; i < window->n; i++)
        {
          gint64 o = at[i] * window->stride[i] + place[i] * window->dilation[i]
                     - window->pad_begin[i];

          is_inside = is_inside && o >= 0 && o < window->in[i];
          index = index * window->in[i] + o;
        }
      if (is_inside)
        add_element (blocks.x, blocks.from, out, to + index);
      blocks.from++;
    }
  while (tp_dims_next (window->n, window->out, at));
}

static void
col2im_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0], *block = inputs[2];
  TpRefTensor *out = &outputs[0];
  gint64 kernel[TP_WINDOW_MAX_DIMS], from = 0;
  TpWindowSource source = { out->rank, out->dims, kernel };
  gint64 size = tp_dims_product (out->dims, 2, out->rank);
  TpWindow window;

  for (int i = 0; i < out->rank - 2; i++)
    kernel[i] = block->integers != NULL ? block->integers[i]
                                        : (gint64) block->data[i];
  if (!tp_window_init (&window, node, &source, NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < out->count; i++)
    if (out->integers != NULL)
      out->integers[i] = 0;
    else
      out->data[i] = 0.0;
  for (gint64 i = 0; i < out->dims[0] * out->dims[1]; i++)
    {
      gint64 place[TP_WINDOW_MAX_DIMS] = { 0 };

      do
        {
          add_place (&window, place, (Blocks){ x, from }, out, i * size);
          from += x->dims[2];
        }
      while (tp_dims_next (window.n, window.kernel, place));
    }
}

static const TpAttrSpec col2im_attrs[] = {
  { "dilations", TP_ATTR_INTS, FALSE },
  { "pads", TP_ATTR_INTS, FALSE },
  { "strides", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_col2im = {
  .name = "Col2Im",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = col2im_attrs,
  .tolerance = 1e-6,
  .infer = col2im_infer,
  .lower = col2im_lower,
  .reference = col2im_reference,
  .reference_integer = col2im_reference,
};
