/* function-nbits.c: MatMulNBits of ONNX Runtime (com.microsoft): scales in rows, zero
 * points as reals, the bias added; the product is an op of our own, which knows what an
 * accuracy_level of 4 allows. */
#include "config.h"

#include "graph/function-nbits.h"

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

/* Zero points [n, blocks], reals, of those that are packed in rows of whole bytes. */
static const char *
unpack_zeros (TpBody *self, const Shape *shape, const char *packed)
{
  static const gint64 from = 0, axis = 1;
  int per_byte = 8 / shape->bits;
  gint64 n_bytes = (shape->n_blocks - 1) / per_byte + 1;
  const gint64 rows[] = { shape->n, n_bytes };
  const gint64 values[] = { shape->n, n_bytes * per_byte };
  TpAttr along = { .name = "axis", .kind = TP_ATTR_INT, .i = 2 };
  const char *x = tp_body_add_reshape (self, packed, 2, rows);
  const char *parts[4] = { NULL };

  for (int i = 0; i < per_byte; i++)
    parts[i] = tp_body_add_view (self, "Unsqueeze",
                                 take_apart (self, x, shape->bits, i), 2);
  x = tp_body_add (self, "Concat", &along, NULL, parts[0], parts[1], parts[2],
                   parts[3], NULL);
  x = tp_body_add_reshape (self, x, 2, values);
  x = tp_body_add (self, "Slice", NULL, NULL, x,
                   tp_body_add_ints (self, 1, &from),
                   tp_body_add_ints (self, 1, &shape->n_blocks),
                   tp_body_add_ints (self, 1, &axis), NULL);
  return tp_body_add (self, "CastLike", NULL, NULL, x,
                      tp_body_get_input (self, 0), NULL);
}

/* Whether @name is a constant of reals: what else there is is packed. */
static gboolean
is_real (const TpBody *self, const char *name)
{
  int index = tp_builder_find_tensor (self->builder, name);
  const TpTensor *tensor = index < 0 ? NULL
                                     : tp_draft_tensor (self->builder->draft,
                                                        index);

  return tensor != NULL && tensor->rank != TP_RANK_UNKNOWN
         && !tp_dtype_is_integer (tensor->dtype);
}

static const char *
find_zeros (TpBody *self, const Shape *shape)
{
  const gint64 rows[] = { shape->n, shape->n_blocks };
  const char *zeros = tp_body_get_input (self, 3);

  if (zeros == NULL)
    return NULL;
  return is_real (self, zeros) ? tp_body_add_reshape (self, zeros, 2, rows)
                               : unpack_zeros (self, shape, zeros);
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

static const char *const attr_names[] = { "K", "N", "accuracy_level", "bits",
                                          "block_size", "weight_prepacked",
                                          NULL };

static const TpFunction functions[] = {
  { "com.microsoft.MatMulNBits", 3, 6, 1, attr_names, { 0.0 },
    add_matmul_nbits },
};

const TpFunction *
tp_function_list_nbits (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
