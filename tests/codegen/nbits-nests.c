#include "config.h"

#include "nbits-nests.h"

#include "draws.h"
#include "typed-nests.h"

/* Axes of the product in one nest. */
enum { BATCH, ROW, COLUMN, BLOCK, BYTE };

typedef struct
{
  const NbitsCase *c;
  TpLowered *lowered;
  int x, bytes, scales, zeros, bias, y;
  int x_scales, x_shares;     /* shares: of a zero point, in each byte of weights */
  gint64 n_blocks, n_bytes;   /* of a column; of a block */
  int per_byte;
} Made;

static int
add_bytes (Made *made, gint64 n)
{
  int operand = add_typed_operand (made->lowered, TPLAN_DTYPE_UINT8, n);

  made->lowered->operands[operand].is_constant = !made->c->is_computed;
  return operand;
}

static void
add_x (Made *made)
{
  const NbitsCase *c = made->c;
  gint64 n = c->batch * c->rows;

  if (!c->is_rounded)
    {
      made->x = add_operand (made->lowered, n * c->k, FALSE);
      return;
    }
  n *= made->n_blocks;
  made->x = add_typed_operand (made->lowered, TPLAN_DTYPE_INT8, n * c->block);
  made->x_scales = add_operand (made->lowered, n, FALSE);
  made->x_shares = add_operand (made->lowered, n, FALSE);
}

static Made
add_operands (const NbitsCase *c)
{
  Made made = { .c = c, .lowered = tp_lowered_new () };
  gint64 n;

  made.n_blocks = (c->k + c->block - 1) / c->block;
  made.per_byte = 8 / c->bits;
  made.n_bytes = c->block / made.per_byte;
  n = c->columns * made.n_blocks;
  add_x (&made);
  made.bytes = add_bytes (&made, n * made.n_bytes);
  made.scales = add_operand (made.lowered, n, TRUE);
  made.zeros = c->has_zeros ? add_operand (made.lowered, n, TRUE) : -1;
  made.bias = c->has_bias ? add_operand (made.lowered, c->columns, TRUE) : -1;
  made.y = add_operand (made.lowered, c->batch * c->rows * c->columns, FALSE);
  return made;
}

/* Expression: what a load of @operand along column, block and byte gives; axes that
 * are -1 it does not walk. */
static int
load_along (const Made *made, TpNest *nest, int operand, const int axes[3])
{
  TpAccess *load = tp_nest_add_load (nest, operand);
  gint64 size = operand == made->bytes ? made->n_bytes : 1;

  load->dtype = made->lowered->operands[operand].dtype;
  load->stride[axes[0]] = made->n_blocks * size;
  load->stride[axes[1]] = size;
  if (operand == made->bytes)
    load->stride[axes[2]] = 1;
  return tp_nest_load (nest, nest->n_loads - 1);
}

/* Expression: weight @part of a byte, without its scale. */
static int
take_weight (const Made *made, TpNest *nest, const int axes[3], int part)
{
  int value = load_along (made, nest, made->bytes, axes), zero;

  value = tp_nest_binary (nest, TP_EXPR_DIV, value,
                          tp_nest_const_integer (nest,
                                                 1 << part * made->c->bits));
  value = tp_nest_binary (nest, TP_EXPR_AND, value,
                          tp_nest_const_integer (nest,
                                                 (1 << made->c->bits) - 1));
  zero = made->zeros >= 0 ? load_along (made, nest, made->zeros, axes)
                          : tp_nest_const (nest, 1 << (made->c->bits - 1));
  return tp_nest_binary (nest, TP_EXPR_SUB,
                         tp_nest_unary (nest, TP_EXPR_TO_REAL, value), zero);
}

static int
load_x (const Made *made, TpNest *nest, int part)
{
  const NbitsCase *c = made->c;
  TpAccess *load = tp_nest_add_load (nest, made->x);

  load->stride[BATCH] = c->rows * c->k;
  load->stride[ROW] = c->k;
  load->stride[BLOCK] = c->block;
  load->stride[BYTE] = made->per_byte;
  load->offset = part;
  if (made->n_blocks * c->block > c->k)
    {
      load->n_guards = 1;
      load->guards[0].coef[BLOCK] = c->block;
      load->guards[0].coef[BYTE] = made->per_byte;
      load->guards[0].offset = part;
      load->guards[0].extent = c->k;
    }
  return tp_nest_load (nest, nest->n_loads - 1);
}

/* Expression: what @operand has of a row and a block, @size elements of it. */
static int
load_of_x (const Made *made, TpNest *nest, int operand, gint64 size)
{
  TpAccess *load = tp_nest_add_load (nest, operand);

  load->dtype = made->lowered->operands[operand].dtype;
  load->stride[BATCH] = made->c->rows * made->n_blocks * size;
  load->stride[ROW] = made->n_blocks * size;
  load->stride[BLOCK] = size;
  return tp_nest_load (nest, nest->n_loads - 1);
}

/* Expression: the product of weight @part of @byte and its x. */
static int
multiply_rounded (const Made *made, TpNest *nest, int byte, int part)
{
  int x = load_of_x (made, nest, made->x, made->c->block);
  TpAccess *load = &nest->loads[nest->n_loads - 1];

  load->stride[BYTE] = 1;
  load->offset = part * made->n_bytes;
  byte = tp_nest_binary (nest, TP_EXPR_DIV, byte,
                         tp_nest_const_integer (nest, 1 << part * made->c->bits));
  byte = tp_nest_binary (nest, TP_EXPR_AND, byte,
                         tp_nest_const_integer (nest, (1 << made->c->bits) - 1));
  return tp_nest_binary (nest, TP_EXPR_MUL,
                         tp_nest_unary (nest, TP_EXPR_TO_REAL, byte),
                         tp_nest_unary (nest, TP_EXPR_TO_REAL, x));
}

static void
add_axes (const Made *made, TpNest *nest)
{
  const NbitsCase *c = made->c;

  tp_nest_add_axis (nest, c->batch, FALSE);
  tp_nest_add_axis (nest, c->rows, FALSE);
  tp_nest_add_axis (nest, c->columns, FALSE);
  nest->store.operand = made->y;
  nest->store.stride[BATCH] = c->rows * c->columns;
  nest->store.stride[ROW] = c->columns;
  nest->store.stride[COLUMN] = 1;
}

static void
finish (const Made *made, TpNest *nest, int sum)
{
  int value = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, sum));

  if (made->bias >= 0)
    {
      tp_nest_add_load (nest, made->bias)->stride[COLUMN] = 1;
      value = tp_nest_binary (nest, TP_EXPR_ADD, value,
                              tp_nest_load (nest, nest->n_loads - 1));
    }
  nest->result = value;
  tp_lowered_take_nest (made->lowered, nest);
}

static void
add_whole (const Made *made)
{
  static const int axes[] = { COLUMN, BLOCK, BYTE };
  TpNest *nest = tp_nest_new ();
  int sum = -1;

  add_axes (made, nest);
  tp_nest_add_axis (nest, made->n_blocks, TRUE);
  tp_nest_add_axis (nest, made->n_bytes, TRUE);
  for (int part = 0; part < made->per_byte; part++)
    {
      int weight = take_weight (made, nest, axes, part);
      int product = tp_nest_binary (nest, TP_EXPR_MUL, weight,
                                    load_x (made, nest, part));

      sum = part == 0 ? product
                      : tp_nest_binary (nest, part % 2 == 0 ? TP_EXPR_ADD
                                                            : TP_EXPR_SUB,
                                        sum, product);
    }
  finish (made, nest,
          tp_nest_binary (nest, TP_EXPR_MUL, sum,
                          load_along (made, nest, made->scales, axes)));
}

static void
add_rounded (const Made *made)
{
  static const int axes[] = { COLUMN, BLOCK, BYTE };
  TpNest *nest = tp_nest_new ();
  int sum = -1, byte, zero, scale;

  add_axes (made, nest);
  tp_nest_add_axis (nest, made->n_blocks, TRUE);
  tp_nest_add_axis (nest, made->n_bytes, TRUE);
  byte = load_along (made, nest, made->bytes, axes);
  for (int part = 0; part < made->per_byte; part++)
    {
      int product = multiply_rounded (made, nest, byte, part);

      sum = part == 0 ? product
                      : tp_nest_binary (nest, TP_EXPR_ADD, sum, product);
    }
  if (made->zeros >= 0)
    {
      zero = tp_nest_binary (nest, TP_EXPR_MUL,
                             load_along (made, nest, made->zeros, axes),
                             load_of_x (made, nest, made->x_shares, 1));
      sum = tp_nest_binary (nest, TP_EXPR_SUB, sum, zero);
    }
  scale = tp_nest_binary (nest, TP_EXPR_MUL,
                          load_along (made, nest, made->scales, axes),
                          load_of_x (made, nest, made->x_scales, 1));
  scale = tp_nest_binary (nest, TP_EXPR_MUL, scale,
                          tp_nest_const (nest, 1.0 / 1024)); /* float16 has it */
  finish (made, nest, tp_nest_binary (nest, TP_EXPR_MUL, sum, scale));
}

/* Weights @part of each byte go to their rows of @scratch. */
static void
add_maker (const Made *made, int scratch, int part)
{
  static const int axes[] = { 2, 0, 1 };
  TpNest *nest = tp_nest_new ();
  gint64 row = made->c->columns;

  nest->store.operand = scratch;
  nest->store.offset = part * row;
  tp_nest_add_axis (nest, made->n_blocks, FALSE);
  nest->store.stride[0] = made->c->block * row;
  tp_nest_add_axis (nest, made->n_bytes, FALSE);
  nest->store.stride[1] = made->per_byte * row;
  tp_nest_add_axis (nest, row, FALSE);
  nest->store.stride[2] = 1;
  nest->result = tp_nest_binary (nest, TP_EXPR_MUL,
                                 take_weight (made, nest, axes, part),
                                 load_along (made, nest, made->scales, axes));
  tp_lowered_take_nest (made->lowered, nest);
}

static void
add_made_first (const Made *made)
{
  const NbitsCase *c = made->c;
  int scratch = tp_lowered_add_scratch (made->lowered, TPLAN_DTYPE_FLOAT32,
                                        c->k * c->columns);
  TpNest *nest;
  TpAccess *load;

  for (int part = 0; part < made->per_byte; part++)
    add_maker (made, scratch, part);
  nest = tp_nest_new ();
  add_axes (made, nest);
  tp_nest_add_axis (nest, c->k, TRUE);
  load = tp_nest_add_load (nest, made->x);
  load->stride[BATCH] = c->rows * c->k;
  load->stride[ROW] = c->k;
  load->stride[BLOCK] = 1;
  load = tp_nest_add_load (nest, scratch);
  load->stride[COLUMN] = 1;
  load->stride[BLOCK] = c->columns;
  finish (made, nest, tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                                      tp_nest_load (nest, 1)));
}

TpLowered *
new_nbits (gconstpointer data)
{
  const NbitsCase *c = data;
  Made made = add_operands (c);

  if (c->is_made_first)
    add_made_first (&made);
  else if (c->is_rounded)
    add_rounded (&made);
  else
    add_whole (&made);
  tp_lowered_set_dtypes (made.lowered);
  return made.lowered;
}

static NbitsCase
draw_case (void)
{
  int bits = 1 << any_of (1, 3);

  return (NbitsCase){ any_of (1, 2), any_of (1, 3) == 1 ? 1 : any_of (2, 20),
                      any_of (2, 40), any_of (2, 90), bits,
                      4 << any_of (0, 2), any_of (0, 1), any_of (0, 1),
                      .is_made_first = FALSE };
}

TpLowered *
draw_nbits (void)
{
  NbitsCase c = draw_case ();

  return new_nbits (&c);
}

TpLowered *
draw_made_nbits (void)
{
  NbitsCase c = draw_case ();

  c.k = c.block * any_of (1, 4);
  c.is_made_first = TRUE;
  return new_nbits (&c);
}

TpLowered *
draw_rounded_nbits (void)
{
  NbitsCase c = draw_case ();

  c.is_rounded = TRUE;
  return new_nbits (&c);
}
