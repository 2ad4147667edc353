/* function-nbits.c: ops of ONNX Runtime (com.microsoft) that read weights of a few bits,
 * several in a byte, in blocks that have a scale each. MatMulNBits: scales in rows, zero
 * points as reals, the bias added; the product is an op of our own, which knows what an
 * accuracy_level of 4 allows. GatherBlockQuantized: bytes are picked, taken apart, and
 * dequantized. */
#include "config.h"

#include "graph/function-nbits.h"

#define MOST_COLUMNS (G_MAXINT64 / 64)

/* ---- MatMulNBits ----------------------------------------------------------- */

/* @op of @x and a number of its type. */
static const char *
compute (TpBody *self, const char *op, const char *x, gint64 number)
{
  const char *value = tp_body_add (self, "CastLike", NULL, NULL,
                                   tp_body_add_int (self, number), x, NULL);

  return tp_body_add (self, op, NULL, NULL, x, value, NULL);
}

/* Value @part of each byte of @x, where it has @n of @bits. */
static const char *
take_apart (TpBody *self, const char *x, int bits, int part)
{
  if (part > 0)
    x = compute (self, "Div", x, G_GINT64_CONSTANT (1) << part * bits);
  return part == 8 / bits - 1 ? x : compute (self, "Mod", x, 1 << bits);
}

typedef struct
{
  gint64 n, n_blocks;
  int bits;
} Shape;

const char *
tp_body_unpack_rows (TpBody *self, const char *packed, gint64 n_rows, gint64 n, int bits)
{
  int per_byte = 8 / bits;
  gint64 n_bytes = (n - 1) / per_byte + 1;
  TpAttr along = { .name = "axis", .kind = TP_ATTR_INT, .i = 2 };
  const char *x = tp_body_add_reshape (self, packed, 2, (const gint64[]){ n_rows, n_bytes });
  const char *parts[4] = { NULL };

  for (int i = 0; i < per_byte; i++)
    parts[i] = tp_body_add_view (self, "Unsqueeze", take_apart (self, x, bits, i), 2);
  x = tp_body_add (self, "Concat", &along, NULL, parts[0], parts[1], parts[2],
                   parts[3], NULL);
  x = tp_body_add_reshape (self, x, 2, (const gint64[]){ n_rows, n_bytes * per_byte });
  return tp_body_add (self, "Slice", NULL, NULL, x, TP_BODY_INTS (self, 0),
                      TP_BODY_INTS (self, n), TP_BODY_INTS (self, 1), NULL);
}

/* Whether @name is a constant of reals: what else there is is packed. */
static gboolean
is_real (const TpBody *self, const char *name)
{
  const TpTensor *tensor = tp_body_find_constant (self, name);

  return tensor != NULL && !tp_dtype_is_integer (tensor->dtype);
}

static const char *
find_zeros (TpBody *self, const Shape *shape)
{
  const gint64 rows[] = { shape->n, shape->n_blocks };
  const char *zeros = tp_body_get_input (self, 3);

  if (zeros == NULL)
    return NULL;
  if (is_real (self, zeros))
    return tp_body_add_reshape (self, zeros, 2, rows);
  zeros = tp_body_unpack_rows (self, zeros, shape->n, shape->n_blocks, shape->bits);
  return tp_body_apply (self, "CastLike", zeros, tp_body_get_input (self, 0), NULL);
}

/* What can be told before shapes are. */
static gboolean
check (TpBody *self, const Shape *shape, gint64 k, gint64 block)
{
  if (tp_body_get_input (self, 4) != NULL)
    tp_body_refuse (self, "input 4 (g_idx), an order of the rows, is not "
                          "supported");
  else if (tp_node_get_int (self->node, "weight_prepacked", 0) != 0)
    tp_body_refuse (self, "weight_prepacked is not supported: its order is one "
                          "processor's");
  else if (k > MOST_COLUMNS)
    tp_body_refuse (self, "K is %" G_GINT64_FORMAT ", at most %" G_GINT64_FORMAT
                    " are possible", k, MOST_COLUMNS);
  else if (shape->n < 1 || k < 1 || block < 1
           || (shape->bits != 2 && shape->bits != 4 && shape->bits != 8))
    tp_body_refuse (self, "N, K and block_size must be 1 or more, and bits 2, 4 "
                          "or 8");
  else
    return TRUE;
  return FALSE;
}

static void
add_matmul_nbits (TpBody *self)
{
  static const char *const names[] = { "K", "N", "bits", "block_size",
                                       "accuracy_level" };
  static const gint64 fallbacks[] = { 0, 0, 4, 0, 0 };
  gint64 k = tp_node_get_int (self->node, "K", 0);
  gint64 block = tp_node_get_int (self->node, "block_size", 0);
  Shape shape = { .n = tp_node_get_int (self->node, "N", 0),
                  .bits = (int) CLAMP (tp_node_get_int (self->node, "bits", 4),
                                       0, 64) };
  const char *bias = tp_body_get_input (self, 5), *y = self->ends.outputs[0];
  TpAttr attrs[G_N_ELEMENTS (names)];
  TpNode node = { .type = "MatMulNBits", .n_attrs = G_N_ELEMENTS (names),
                  .attrs = attrs };
  const char *inputs[4];

  if (!check (self, &shape, k, block))
    return;
  shape.n_blocks = (k - 1) / block + 1;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    attrs[i] = (TpAttr){ .name = names[i], .kind = TP_ATTR_INT,
                         .i = tp_node_get_int (self->node, names[i],
                                               fallbacks[i]) };
  if (bias != NULL)
    y = tp_body_make_name (self);
  inputs[0] = tp_body_get_input (self, 0);
  inputs[1] = tp_body_get_input (self, 1);
  inputs[2] = tp_body_add_reshape (
      self, tp_body_get_input (self, 2), 2,
      (const gint64[]){ shape.n, shape.n_blocks });
  inputs[3] = find_zeros (self, &shape);
  tp_body_add_node (self, &node, (TpNodeNames){ inputs[3] == NULL ? 3 : 4,
                                                inputs, 1, &y });
  if (bias != NULL)
    tp_body_add (self, "Add", NULL, self->ends.outputs[0], y, bias, NULL);
}

/* ---- GatherBlockQuantized -------------------------------------------------- */

enum { DATA, INDICES, SCALES, ZEROS };

typedef struct
{
  gboolean is_packed, has_middle; /* several in a byte; 0 stands for the least number */
  gint64 rank, n_blocks;      /* of data; the last dimension of the scales */
  gint64 bits, block;
  gint64 gather, axis;        /* dimensions of data, from 0 on */
} Table;

/* Elements of the last dimension, of which each byte has several, the first in its lowest
 * bits. */
static const char *
unpack_last (TpBody *self, const char *x, int bits)
{
  TpAttr last = { .name = "axis", .kind = TP_ATTR_INT, .i = -1 };
  const char *shape = tp_body_add_shape (self, x), *parts[4] = { NULL };

  for (int i = 0; i < 8 / bits; i++)
    parts[i] = tp_body_add_view (self, "Unsqueeze", take_apart (self, x, bits, i), -1);
  x = tp_body_add (self, "Concat", &last, NULL, parts[0], parts[1], parts[2], parts[3],
                   NULL);
  shape = tp_body_slice (self, shape, TP_BODY_INTS (self, 0), TP_BODY_INTS (self, -1));
  shape = TP_BODY_JOIN (self, shape, TP_BODY_INTS (self, -1));
  return tp_body_apply (self, "Reshape", x, shape, NULL);
}

static const char *
pick (TpBody *self, const Table *table, const char *from)
{
  TpAttr axis = { .name = "axis", .kind = TP_ATTR_INT, .i = table->gather };

  return tp_body_add (self, "Gather", &axis, NULL, from,
                      tp_body_get_input (self, INDICES), NULL);
}

/* NULL: 0. Without any they are in the middle of what has but bits. */
static const char *
pick_zeros (TpBody *self, const Table *table, const char *scales)
{
  const char *zeros = tp_body_get_input (self, ZEROS), *like;

  if (zeros == NULL && !table->has_middle)
    return NULL;
  if (zeros == NULL)
    {
      like = tp_body_get_input (self, DATA);
      zeros = tp_body_add_int (self, G_GINT64_CONSTANT (1) << (table->bits - 1));
      return tp_body_apply (self, "Expand",
                            tp_body_apply (self, "CastLike", zeros, like, NULL),
                            tp_body_add_shape (self, scales), NULL);
    }
  zeros = pick (self, table, zeros);
  if (!table->is_packed)
    return zeros;
  return tp_body_add (
      self, "Slice", NULL, NULL, unpack_last (self, zeros, (int) table->bits),
      TP_BODY_INTS (self, 0), TP_BODY_INTS (self, table->n_blocks),
      TP_BODY_INTS (self, -1), NULL);
}

static gboolean
find_axis (TpBody *self, const char *name, gint64 usual, gint64 rank, gint64 *out)
{
  gint64 axis = tp_node_get_int (self->node, name, usual);

  *out = axis < 0 ? axis + rank : axis;
  if (*out >= 0 && *out < rank)
    return TRUE;
  tp_body_refuse (self, "%s is %" G_GINT64_FORMAT ", data has %" G_GINT64_FORMAT
                  " dimensions", name, axis, rank);
  return FALSE;
}

/* From the attributes and two constants, of one rank. */
static gboolean
read_table (TpBody *self, Table *table)
{
  const TpTensor *data = tp_body_find_constant (self, tp_body_get_input (self, DATA));
  const TpTensor *scales = tp_body_find_constant (self, tp_body_get_input (self, SCALES));

  if (data == NULL || scales == NULL || scales->rank != data->rank || data->rank < 1)
    {
      tp_body_refuse (self, "data and scales must be constants of one rank");
      return FALSE;
    }
  table->bits = tp_node_get_int (self->node, "bits", 4);
  table->block = tp_node_get_int (self->node, "block_size", 128);
  table->rank = data->rank;
  table->n_blocks = scales->dims[scales->rank - 1];
  table->has_middle = data->dtype == TPLAN_DTYPE_UINT8
                      && tp_node_get_int (self->node, "data_dtype", 0) == 0;
  table->is_packed = table->has_middle && table->bits < 8;
  return find_axis (self, "gather_axis", 0, table->rank, &table->gather)
         && find_axis (self, "quantize_axis", 1, table->rank, &table->axis);
}

static gboolean
check_table (TpBody *self, const Table *table)
{
  if (table->bits != 2 && table->bits != 4 && table->bits != 8)
    tp_body_refuse (self, "bits must be 2, 4 or 8");
  else if (table->block < 1)
    tp_body_refuse (self, "block_size must be 1 or more");
  else if (table->gather == table->axis
           || (table->is_packed && table->gather == table->rank - 1))
    tp_body_refuse (self, "to gather along the dimension that has the blocks, or is "
                          "packed, is not supported");
  else
    return TRUE;
  return FALSE;
}

static void
add_gather_blocks (TpBody *self)
{
  Table table;
  TpAttr attrs[] = { { .name = "axis", .kind = TP_ATTR_INT },
                     { .name = "block_size", .kind = TP_ATTR_INT } };
  TpNode node = { .type = "DequantizeLinear", .n_attrs = 2, .attrs = attrs };
  const char *inputs[3];

  if (!read_table (self, &table) || !check_table (self, &table))
    return;
  /* those of the indices stand where the one was that is gathered along */
  attrs[0].i = table.axis - (table.axis > table.gather ? table.rank : 0);
  attrs[1].i = table.block;
  inputs[0] = pick (self, &table, tp_body_get_input (self, DATA));
  if (table.is_packed)
    inputs[0] = unpack_last (self, inputs[0], (int) table.bits);
  inputs[1] = pick (self, &table, tp_body_get_input (self, SCALES));
  inputs[2] = pick_zeros (self, &table, inputs[1]);
  tp_body_add_node (self, &node, (TpNodeNames){ inputs[2] == NULL ? 2 : 3, inputs, 1,
                                                self->ends.outputs });
}

/* ---- the table ------------------------------------------------------------- */

static const char *const attr_names[] = { "K", "N", "accuracy_level", "bits",
                                          "block_size", "weight_prepacked",
                                          NULL };

static const char *const table_attrs[] = { "bits", "block_size", "data_dtype",
                                           "gather_axis", "quantize_axis", NULL };

static const TpFunction functions[] = {
  { "com.microsoft.GatherBlockQuantized", 3, 4, 1, table_attrs, { 0.0 },
    add_gather_blocks },
  { "com.microsoft.MatMulNBits", 3, 6, 1, attr_names, { 0.0 },
    add_matmul_nbits },
};

const TpFunction *
tp_function_list_nbits (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
