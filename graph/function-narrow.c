/* function-narrow.c: see function-narrow.h. */
#include "config.h"

#include "graph/function-narrow.h"

#include "ops/op.h"

#include <string.h>

#define FLOAT32 1             /* as ONNX numbers types */
#define INT64 7

/* ---- what is narrow -------------------------------------------------------- */

#define GATHER "com.microsoft.GatherBlockQuantized"

static const TpNarrowUser users[] = {
  { "Cast", -1, "to", "Cast", TRUE },
  { "CastLike", 1, "to", "Cast", TRUE },
  { "QuantizeLinear", 2, "output_dtype", "QuantizeLinear", TRUE },
  { GATHER, 0, "data_dtype", GATHER, FALSE },
};

const TpNarrowUser *
tp_function_find_user (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (users); i++)
    if (strcmp (users[i].type, type) == 0)
      return &users[i];
  return NULL;
}

/* Whether it comes out as it went in. */
static gboolean
is_moved (const TpOp *op, int i)
{
  if (i == 0
      && ((op->flags & TP_OP_IDENTITY) != 0 || op->kind == TP_OP_VIEW
          || op->kind == TP_OP_MOVE))
    return (op->flags & (TP_OP_READS_SHAPE | TP_OP_OF_BITS)) == 0;
  return i < 32 ? (op->moves & TP_MOVES (i)) != 0 : op->moves == TP_MOVES_ALL;
}

gboolean
tp_function_takes_narrow (const char *type, int i)
{
  const TpOp *op = tp_op_find (type);
  const TpNarrowUser *user = tp_function_find_user (type);

  if (op == NULL)
    return user != NULL && (user->input == i || strcmp (type, GATHER) == 0);
  return (op->flags & TP_OP_DEQUANTIZES) != 0 || is_moved (op, i)
         || (i == 0 && (op->flags & (TP_OP_READS_SHAPE | TP_OP_COPIES)) != 0)
         || (user != NULL && user->input == i);
}

const TpNarrow *
tp_function_find_made (const TpNode *node, int n_inputs,
                       const TpNarrow *const *inputs, int i)
{
  const TpNarrowUser *user = tp_function_find_user (node->type);
  const TpOp *op = tp_op_find (node->type);

  if (user != NULL)
    return i == 0 && user->makes
               ? tp_narrow_find_onnx (tp_node_get_int (node, user->attr, 0))
               : NULL;
  if (op == NULL || (i > 0 && (op->flags & TP_OP_CUTS) == 0))
    return NULL;
  for (int k = 0; k < n_inputs; k++)
    if (inputs[k] != NULL && is_moved (op, k))
      return inputs[k];
  return NULL;
}

/* ---- casts ----------------------------------------------------------------- */

static const TpNarrow *
find_target (const TpNode *node)
{
  return tp_narrow_find_onnx (tp_node_get_int (node, "to", 0));
}

gboolean
tp_function_is_narrowed (const TpNode *node, TpNodeNames names)
{
  return find_target (node) != NULL;
}

static const char *
cast (TpBody *self, const char *x, gint64 to, const char *output)
{
  TpAttr attr = { .name = "to", .kind = TP_ATTR_INT, .i = to };

  return tp_body_add (self, "Cast", &attr, output, x, NULL);
}

/* The lowest bits, with a sign where the type has one. */
static void
add_bits (TpBody *self, const TpNarrow *narrow)
{
  const char *x = cast (self, tp_body_get_input (self, 0), INT64, NULL);
  const char *mask = tp_body_add_int (self, (1 << narrow->bits) - 1);
  const char *least = tp_body_add_int (self, (gint64) narrow->low);

  x = tp_body_apply (self, "Sub", x, least, NULL);
  x = tp_body_apply (self, "BitwiseAnd", x, mask, NULL);
  x = tp_body_apply (self, "Add", x, least, NULL);
  cast (self, x, tp_dtype_get (narrow->dtype)->onnx, self->ends.outputs[0]);
}

static void
add_cast (TpBody *self)
{
  const TpNarrow *narrow = find_target (self->node);
  TpAttr attrs[] = {
    { .name = "output_dtype", .kind = TP_ATTR_INT, .i = narrow->onnx },
    { .name = "saturate", .kind = TP_ATTR_INT,
      .i = tp_node_get_int (self->node, "saturate", 1) },
  };
  TpNode node = { .type = "QuantizeLinear", .n_attrs = G_N_ELEMENTS (attrs),
                  .attrs = attrs };
  const char *inputs[2];

  if (!tp_narrow_is_target (narrow))
    {
      tp_body_refuse (self, "a cast to element type %" G_GINT64_FORMAT
                      ", which is one of scales, is not supported", narrow->onnx);
      return;
    }
  if (tp_dtype_is_integer (narrow->dtype))
    {
      add_bits (self, narrow);
      return;
    }
  inputs[0] = cast (self, tp_body_get_input (self, 0), FLOAT32, NULL);
  inputs[1] = tp_body_add_float (self, 1.0);
  tp_body_add_node (self, &node, (TpNodeNames){ 2, inputs, 1, self->ends.outputs });
}

static const char *const cast_attrs[] = { "round_mode", "saturate", "to", NULL };

static const TpFunction functions[] = {
  { "Cast", 1, 1, 1, cast_attrs, { 0.0 }, add_cast },
};

const TpFunction *
tp_function_list_narrow (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
