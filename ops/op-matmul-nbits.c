/* op-matmul-nbits.c: MatMulNBits, as ONNX Runtime has it: a product with weights of 2, 4
 * or 8 bits, which are quantized in blocks along the columns of the first factor.
 *
 *   y[.., n] = sum over k of x[.., k] * (q[n, k] - zero[n, k / block]) * scale[n, k / block]
 *
 * Bytes hold several values, the first in their lowest bits. Here zero points are reals,
 * like scales: who reads a model unpacks them (graph/function-nbits.c). Of few rows the
 * bytes are taken apart as they are read; of more, once a run, into scratch, of which
 * schedules make what they need at a time.
 *
 * With an accuracy_level of 4 x is rounded to 8 bits first, which the sums are then of: of
 * each row and block the scale is the largest magnitude / 127. An error of y is at most half
 * of that scale times the magnitudes of a block's weights, added up over blocks. What is
 * no number becomes the least one, as in QuantizeLinear. */
#include "config.h"

#include "ops/nbits.h"
#include "ops/op-quantize.h"
#include "ops/op-util.h"

#include <string.h>

#define FEW_ROWS 8

/* ---- shapes --------------------------------------------------------------- */

static gboolean
check_attrs (const TpNode *node, const TpNbits *it, GError **error)
{
  gint64 level = tp_node_get_int (node, "accuracy_level", 0);

  if (it->n < 1 || it->k < 1 || it->k > G_MAXINT64 / 2)
    return tp_op_fail (node, error,
                       "K is %" G_GINT64_FORMAT " and N is %" G_GINT64_FORMAT
                       ", both must be 1 or more",
                       it->k, it->n);
  if (it->bits != 2 && it->bits != 4 && it->bits != 8)
    return tp_op_fail (node, error, "bits is %d, 2, 4 and 8 are possible",
                       it->bits);
  if (level < 0 || level > TP_NBITS_ROUNDED)
    return tp_op_fail (node, error,
                       "accuracy_level is %" G_GINT64_FORMAT
                       ", 0 to 4 are possible",
                       level);
  if (it->block < 16 || it->block > 1 << 20 || (it->block & (it->block - 1)) != 0)
    return tp_op_fail (node, error,
                       "block_size is %" G_GINT64_FORMAT
                       ", a power of 2 from 16 on is needed",
                       it->block);
  return TRUE;
}

/* [N, blocks], one for each block. */
static gboolean
check_per_block (const TpNode *node, const TpNbits *it,
                 const TpTensor *const *inputs, int i, GError **error)
{
  const TpTensor *tensor = inputs[i];
  g_autofree char *dims = tp_dims_to_text (tensor->rank, tensor->dims);

  if (tensor->dtype != inputs[TP_NBITS_X]->dtype)
    return tp_op_fail (node, error, "input %d is %s, input 0 is %s", i,
                       tp_dtype_get_name (tensor->dtype),
                       tp_dtype_get_name (inputs[TP_NBITS_X]->dtype));
  return (tensor->rank == 2 && tensor->dims[0] == it->n
          && tensor->dims[1] == it->n_blocks)
         || tp_op_fail (node, error,
                        "input %d has shape %s, [%" G_GINT64_FORMAT
                        ", %" G_GINT64_FORMAT "] is needed: one for each block",
                        i, dims, it->n, it->n_blocks);
}

static gboolean
matmul_nbits_infer (const TpNode *node, const TpTensor *const *inputs,
                    TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[TP_NBITS_X], *q = inputs[TP_NBITS_Q];
  TpNbits it = tp_nbits_of (node);
  g_autofree char *dims = tp_dims_to_text (q->rank, q->dims);

  if (!check_attrs (node, &it, error))
    return FALSE;
  if (tp_dtype_is_integer (x->dtype) || q->dtype != TPLAN_DTYPE_UINT8)
    return tp_op_fail (node, error, "inputs 0 and 1 are %s and %s, reals and "
                       "uint8 are needed", tp_dtype_get_name (x->dtype),
                       tp_dtype_get_name (q->dtype));
  if (x->rank < 1 || x->dims[x->rank - 1] != it.k)
    return tp_op_fail (node, error,
                       "input 0 has no %" G_GINT64_FORMAT " columns, as K says",
                       it.k);
  if (q->rank != 3 || q->dims[0] != it.n || q->dims[1] != it.n_blocks
      || q->dims[2] != it.n_bytes)
    return tp_op_fail (node, error,
                       "input 1 has shape %s, [%" G_GINT64_FORMAT
                       ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                       "] is needed: rows, blocks, bytes of one",
                       dims, it.n, it.n_blocks, it.n_bytes);
  for (int i = TP_NBITS_SCALES; i < node->n_inputs; i++)
    if (inputs[i] != NULL && !check_per_block (node, &it, inputs, i, error))
      return FALSE;
  tp_shape_copy (&outputs[0], x);
  outputs[0].dims[x->rank - 1] = it.n;
  return TRUE;
}

/* ---- nests ---------------------------------------------------------------- */

/* The axes that what is loaded of a block runs along; -1: it is one place. */
typedef struct
{
  const TpNbits *layout;
  int n, block, byte;
  gint64 first_block;
} Place;

static TpAccess *
load_of_block (TpLowering *lowering, const Place *place, int i)
{
  const TpTensor *tensor = tp_lowering_get_input (lowering, i);
  TpAccess *load = tp_lowering_add_load (lowering, i);

  load->stride[place->n] = tensor->strides[0];
  if (place->block >= 0)
    load->stride[place->block] = tensor->strides[1];
  load->offset = place->first_block * tensor->strides[1];
  return load;
}

/* Expression: a byte of a block. */
static int
load_byte (TpLowering *lowering, const Place *place)
{
  TpAccess *load = load_of_block (lowering, place, TP_NBITS_Q);

  if (place->byte >= 0)
    load->stride[place->byte]
        = tp_lowering_get_input (lowering, TP_NBITS_Q)->strides[2];
  return tp_lowering_last_load (lowering);
}

/* Expression: value @part of @byte, a real. */
static int
take_apart (TpLowering *lowering, const TpNbits *it, int byte, int part)
{
  TpNest *nest = lowering->nest;
  int base = 1 << it->bits;

  if (part > 0)
    byte = tp_nest_binary (nest, TP_EXPR_DIV, byte,
                           tp_nest_const_integer (nest, 1 << part * it->bits));
  if (part < it->per_byte - 1)
    byte = tp_nest_binary (nest, TP_EXPR_AND, byte,
                           tp_nest_const_integer (nest, base - 1));
  return tp_nest_unary (nest, TP_EXPR_TO_REAL, byte);
}

/* Expression: the zero point of a block. */
static int
load_zero (TpLowering *lowering, const Place *place)
{
  if (!tp_node_has_input (lowering->node, TP_NBITS_ZEROS))
    return tp_nest_const (lowering->nest, 1 << (place->layout->bits - 1));
  load_of_block (lowering, place, TP_NBITS_ZEROS);
  return tp_lowering_last_load (lowering);
}

static int
load_scale (TpLowering *lowering, const Place *place)
{
  load_of_block (lowering, place, TP_NBITS_SCALES);
  return tp_lowering_last_load (lowering);
}

/* Expression: x at value @part of a byte; 0 behind the last. */
static int
load_x (TpLowering *lowering, const Place *place, int part)
{
  const TpNbits *it = place->layout;
  const TpTensor *x = tp_lowering_get_input (lowering, TP_NBITS_X);
  TpAccess *load = tp_lowering_add_load (lowering, TP_NBITS_X);
  gint64 step = x->strides[x->rank - 1];

  memcpy (load->stride, x->strides, (x->rank - 1) * sizeof step);
  load->offset = part * step;
  if (place->block >= 0)
    load->stride[place->block] = it->block * step;
  if (place->byte >= 0)
    load->stride[place->byte] = it->per_byte * step;
  if (it->n_blocks * it->block > it->k)
    {
      TpGuard *guard = &load->guards[load->n_guards++];

      *guard = (TpGuard){ .offset = part, .extent = it->k };
      if (place->block >= 0)
        guard->coef[place->block] = it->block;
      if (place->byte >= 0)
        guard->coef[place->byte] = it->per_byte;
    }
  return tp_lowering_last_load (lowering);
}

/* ---- x in 8 bits ----------------------------------------------------------- */

/* Scratch operands: int8, of a block value 0 of each byte of weights first, then value 1,
 * so that neighbours meet neighbours; and reals for each block. Its zero point takes the
 * sum of its values, of which each byte of weights gets an equal share. */
typedef struct
{
  int values, scales, shares;
} Rounded;

/* A nest that stores in @operand: rows of it have @row elements. */
static TpLowering
begin_rounded (const TpLowering *like, int operand, gint64 row)
{
  TpLowering it = tp_lowering_new (like->graph, like->node, like->lowered);
  const TpTensor *x = tp_lowering_get_input (&it, TP_NBITS_X);

  it.nest->store = (TpAccess){ .operand = operand,
                               .dtype = it.lowered->operands[operand].dtype,
                               .index = -1 };
  for (int i = 0; i < x->rank - 1; i++)
    tp_lowering_add_axis (
        &it, x->dims[i], row * tp_dims_product (x->dims, i + 1, x->rank - 1));
  return it;
}

/* Expression: what @operand has of a row, @row elements long, and of a block, @block
 * elements long. */
static int
load_rounded (TpLowering *lowering, int operand, const Place *place,
              const gint64 lengths[2])
{
  const TpTensor *x = tp_lowering_get_input (lowering, TP_NBITS_X);
  TpAccess *load = tp_nest_add_load (lowering->nest, operand);

  load->dtype = lowering->lowered->operands[operand].dtype;
  for (int i = 0; i < x->rank - 1; i++)
    load->stride[i]
        = lengths[0] * tp_dims_product (x->dims, i + 1, x->rank - 1);
  if (place->block >= 0)
    load->stride[place->block] = lengths[1];
  return tp_lowering_last_load (lowering);
}

/* The same of scales or shares. */
static int
load_per_block (TpLowering *lowering, int operand, const Place *place)
{
  return load_rounded (lowering, operand, place,
                       (const gint64[]){ place->layout->n_blocks, 1 });
}

/* Expression: value @part of a byte, a real. */
static int
load_rounded_value (TpLowering *lowering, const Rounded *rounded,
                    const Place *place, int part)
{
  const TpNbits *it = place->layout;
  const gint64 lengths[] = { it->n_blocks * it->block, it->block };
  int value = load_rounded (lowering, rounded->values, place, lengths);
  TpAccess *load = &lowering->nest->loads[lowering->nest->n_loads - 1];

  load->offset = part * it->n_bytes;
  if (place->byte >= 0)
    load->stride[place->byte] = 1;
  return tp_nest_unary (lowering->nest, TP_EXPR_TO_REAL, value);
}

static void
lower_scales (const TpLowering *like, const TpNbits *it, const Rounded *rounded)
{
  g_auto (TpLowering) lowering
      = begin_rounded (like, rounded->scales, it->n_blocks);
  TpNest *nest = lowering.nest;
  TpNbits whole = *it;          /* as if bytes had one value */
  Place place = { &whole, -1, -1, -1, 0 };
  int most;

  whole.per_byte = 1;
  place.block = tp_lowering_add_axis (&lowering, it->n_blocks, 1);
  place.byte = tp_lowering_add_reduce_axis (&lowering, it->block);
  most = tp_nest_unary (nest, TP_EXPR_ABS, load_x (&lowering, &place, 0));
  most = tp_lowering_reduce (&lowering, TP_COMBINE_MAX, most);
  tp_lowering_finish (&lowering,
                      tp_nest_binary (nest, TP_EXPR_DIV, most,
                                      tp_nest_const (nest, G_MAXINT8)));
}

static void
lower_values (const TpLowering *like, const TpNbits *it, const Rounded *rounded)
{
  g_auto (TpLowering) lowering
      = begin_rounded (like, rounded->values, it->n_blocks * it->block);
  TpNest *nest = lowering.nest;
  Place place = { it, -1, -1, -1, 0 };
  int part, value;
  TpAccess *load;

  place.block = tp_lowering_add_axis (&lowering, it->n_blocks, it->block);
  part = tp_lowering_add_axis (&lowering, it->per_byte, it->n_bytes);
  place.byte = tp_lowering_add_axis (&lowering, it->n_bytes, 1);
  value = load_x (&lowering, &place, 0);
  load = &nest->loads[nest->n_loads - 1];
  load->stride[part] = load->stride[place.byte] / it->per_byte;
  for (int i = 0; i < load->n_guards; i++)
    load->guards[i].coef[part] = 1;
  value = tp_nest_binary (nest, TP_EXPR_DIV, value,
                          load_per_block (&lowering, rounded->scales, &place));
  tp_lowering_finish (&lowering, tp_nest_quantize (nest, value, -1,
                                                   TPLAN_DTYPE_INT8));
}

static void
lower_shares (const TpLowering *like, const TpNbits *it, const Rounded *rounded)
{
  g_auto (TpLowering) lowering
      = begin_rounded (like, rounded->shares, it->n_blocks);
  TpNest *nest = lowering.nest;
  Place place = { it, -1, -1, -1, 0 };
  int sum;

  place.block = tp_lowering_add_axis (&lowering, it->n_blocks, 1);
  place.byte = tp_lowering_add_reduce_axis (&lowering, it->block);
  sum = load_rounded_value (&lowering, rounded, &place, 0);
  sum = tp_lowering_reduce (&lowering, TP_COMBINE_SUM, sum);
  tp_lowering_finish (&lowering,
                      tp_nest_binary (nest, TP_EXPR_MUL, sum,
                                      tp_nest_const (nest, 1.0 / it->n_bytes)));
}

/* Whole blocks of x may be far larger than it. */
static gboolean
check_rounded (const TpNode *node, const TpTensor *x, const TpNbits *it,
               GError **error)
{
  gint64 size;

  return (tp_size_mul (it->n_blocks, it->block, &size)
          && tp_size_mul (x->count / it->k, size, &size))
         || tp_op_refuse (node, error,
                          "input 0 is too large to be rounded in blocks of %"
                          G_GINT64_FORMAT, it->block);
}

static Rounded
round_x (const TpLowering *lowering, const TpNbits *it)
{
  const TpTensor *x = tp_lowering_get_input (lowering, TP_NBITS_X);
  gint64 n_blocks = x->count / it->k * it->n_blocks;
  TpDtype real = tp_dtype_get_computed (x->dtype);
  Rounded rounded;

  rounded.values = tp_lowered_add_scratch (lowering->lowered, TPLAN_DTYPE_INT8,
                                           n_blocks * it->block);
  rounded.scales = tp_lowered_add_scratch (lowering->lowered, real, n_blocks);
  rounded.shares = tp_lowered_add_scratch (lowering->lowered, real, n_blocks);
  lower_scales (lowering, it, &rounded);
  lower_values (lowering, it, &rounded);
  lower_shares (lowering, it, &rounded);
  return rounded;
}

/* ---- products -------------------------------------------------------------- */

/* A sum over blocks and bytes. */
static Place
begin_product (TpLowering *lowering, const TpNbits *it)
{
  Place place = { it, lowering->out->rank - 1, -1, -1, 0 };

  tp_lowering_add_output_axes (lowering);
  place.block = tp_lowering_add_reduce_axis (lowering, it->n_blocks);
  place.byte = tp_lowering_add_reduce_axis (lowering, it->n_bytes);
  return place;
}

static void
end_product (TpLowering *lowering, int sum, int scale)
{
  sum = tp_nest_binary (lowering->nest, TP_EXPR_MUL, sum, scale);
  tp_lowering_finish (lowering,
                      tp_lowering_reduce (lowering, TP_COMBINE_SUM, sum));
}

/* Each byte is taken apart where it is read. */
static void
lower_few (TpLowering *lowering, const TpNbits *it)
{
  TpNest *nest = lowering->nest;
  Place place = begin_product (lowering, it);
  int byte = load_byte (lowering, &place), zero = load_zero (lowering, &place);
  int sum = -1;

  for (int i = 0; i < it->per_byte; i++)
    {
      int q = tp_nest_binary (nest, TP_EXPR_SUB,
                              take_apart (lowering, it, byte, i), zero);
      int part = tp_nest_binary (nest, TP_EXPR_MUL, q,
                                 load_x (lowering, &place, i));

      sum = i == 0 ? part : tp_nest_binary (nest, TP_EXPR_ADD, sum, part);
    }
  end_product (lowering, sum, load_scale (lowering, &place));
}

/* Integers alone are multiplied: dot products of bytes, where there are such. */
static void
lower_rounded (TpLowering *lowering, const TpNbits *it)
{
  TpNest *nest = lowering->nest;
  Rounded rounded = round_x (lowering, it);
  Place place = begin_product (lowering, it);
  int byte = load_byte (lowering, &place), sum = -1, share, scale;

  for (int i = 0; i < it->per_byte; i++)
    {
      int q = take_apart (lowering, it, byte, i);
      int part = tp_nest_binary (nest, TP_EXPR_MUL, q,
                                 load_rounded_value (lowering, &rounded, &place, i));

      sum = i == 0 ? part : tp_nest_binary (nest, TP_EXPR_ADD, sum, part);
    }
  share = tp_nest_binary (nest, TP_EXPR_MUL, load_zero (lowering, &place),
                          load_per_block (lowering, rounded.shares, &place));
  sum = tp_nest_binary (nest, TP_EXPR_SUB, sum, share);
  scale = tp_nest_binary (nest, TP_EXPR_MUL, load_scale (lowering, &place),
                          load_per_block (lowering, rounded.scales, &place));
  end_product (lowering, sum, scale);
}

/* Value @part of @n_bytes bytes of each of @n_blocks blocks goes to its row of
 * @scratch, [k, n]. */
static void
unpack (TpLowering *lowering, Place *place, int scratch, int part,
        const gint64 extents[2])
{
  const TpNbits *it = place->layout;
  TpNest *nest = lowering->nest;
  int q;

  nest->store = (TpAccess){ .operand = scratch,
                            .dtype = lowering->lowered->operands[scratch].dtype,
                            .index = -1,
                            .offset = (place->first_block * it->block + part)
                                      * it->n };
  place->block = tp_lowering_add_axis (lowering, extents[0], it->block * it->n);
  place->byte = tp_lowering_add_axis (lowering, extents[1],
                                      it->per_byte * it->n);
  place->n = tp_lowering_add_axis (lowering, it->n, 1);
  q = take_apart (lowering, it, load_byte (lowering, place), part);
  q = tp_nest_binary (nest, TP_EXPR_SUB, q, load_zero (lowering, place));
  tp_lowering_finish (lowering, tp_nest_binary (nest, TP_EXPR_MUL, q,
                                                load_scale (lowering, place)));
}

/* Full blocks, and what the last one has if it is not. */
static void
unpack_all (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
            int scratch)
{
  const TpNbits it = tp_nbits_of (node);
  gint64 n_full = it.k / it.block, rest = it.k % it.block;

  for (int part = 0; part < it.per_byte; part++)
    for (int is_rest = 0; is_rest < 2; is_rest++)
      {
        const gint64 extents[2]
            = { is_rest ? 1 : n_full,
                is_rest ? (rest - part + it.per_byte - 1) / it.per_byte
                        : it.n_bytes };
        Place place = { &it, -1, -1, -1, is_rest ? n_full : 0 };

        if (extents[0] > 0 && extents[1] > 0)
          {
            g_auto (TpLowering) lowering
                = tp_lowering_new (graph, node, lowered);

            unpack (&lowering, &place, scratch, part, extents);
          }
      }
}

static gboolean
matmul_nbits_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                    GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, TP_NBITS_X);
  TpNbits it = tp_nbits_of (node);
  TpAccess *load;
  int scratch, k;

  if (it.is_rounded)
    {
      if (!check_rounded (node, x, &it, error))
        return FALSE;
      lower_rounded (&lowering, &it);
      return TRUE;
    }
  if (tp_dims_product (x->dims, 0, x->rank - 1) <= FEW_ROWS)
    {
      lower_few (&lowering, &it);
      return TRUE;
    }
  scratch = tp_lowered_add_scratch (lowered, tp_dtype_get_computed (x->dtype),
                                    it.n * it.k);
  unpack_all (graph, node, lowered, scratch);
  tp_lowering_add_output_axes (&lowering);
  k = tp_lowering_add_reduce_axis (&lowering, it.k);
  load = tp_lowering_add_load (&lowering, TP_NBITS_X);
  memcpy (load->stride, x->strides, (x->rank - 1) * sizeof x->strides[0]);
  if (k >= 0)
    load->stride[k] = x->strides[x->rank - 1];
  load = tp_nest_add_load (lowering.nest, scratch);
  load->dtype = lowered->operands[scratch].dtype;
  load->stride[x->rank - 1] = 1;
  if (k >= 0)
    load->stride[k] = it.n;
  return tp_lowering_finish (
      &lowering,
      tp_lowering_reduce (&lowering, TP_COMBINE_SUM,
                          tp_nest_binary (lowering.nest, TP_EXPR_MUL,
                                          tp_nest_load (lowering.nest, 0),
                                          tp_nest_load (lowering.nest, 1))));
}

static const TpAttrSpec matmul_nbits_attrs[] = {
  { "K", TP_ATTR_INT, TRUE },
  { "N", TP_ATTR_INT, TRUE },
  { "accuracy_level", TP_ATTR_INT, FALSE },
  { "bits", TP_ATTR_INT, FALSE },
  { "block_size", TP_ATTR_INT, TRUE },
  { 0 },
};

const TpOp tp_op_matmul_nbits = {
  .name = "MatMulNBits",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 3,
  .n_inputs_max = 4,
  .n_outputs_max = 1,
  .attrs = matmul_nbits_attrs,
  .tolerance = 1e-5,
  .infer = matmul_nbits_infer,
  .lower = matmul_nbits_lower,
  .reference = tp_nbits_reference,
};
