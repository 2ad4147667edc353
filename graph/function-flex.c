/* function-flex.c: see function-flex.h. Queries are [batch, heads, queries, size]; of keys
 * and values there may be fewer heads, each for some heads of queries in a row. Nothing is
 * repeated: what shares a head is below each other. */
#include "config.h"

#include "graph/function-flex.h"

#define FLOAT32 1             /* as ONNX numbers types */

static const char *
pick_some (TpBody *self, const char *shape, int n)
{
  static const gint64 first[] = { 0, 1, 2 };

  return tp_body_apply (self, "Gather", shape, tp_body_add_ints (self, n, first), NULL);
}

/* @x [batch, heads, rows, columns] becomes [batch, heads of @like, all rows, columns]. */
static const char *
share_heads (TpBody *self, const char *x, const char *like)
{
  const char *shape = tp_body_add_shape (self, x), *rest = TP_BODY_INTS (self, -1);
  const char *heads = tp_body_pick (self, tp_body_add_shape (self, like), 1);
  const char *columns = tp_body_pick (self, shape, 3);

  x = tp_body_apply (self, "Reshape", x,
                     TP_BODY_JOIN (self, tp_body_pick (self, shape, 0), heads, rest,
                                   tp_body_pick (self, shape, 2), columns), NULL);
  return tp_body_apply (self, "Reshape", x,
                        TP_BODY_JOIN (self, TP_BODY_INTS (self, 0, 0), rest, columns), NULL);
}

/* And back, to the heads and rows of @like. */
static const char *
part_heads (TpBody *self, const char *x, const char *like)
{
  const char *shape = tp_body_add_shape (self, like);

  return tp_body_apply (self, "Reshape", x,
                        TP_BODY_JOIN (self, pick_some (self, shape, 3),
                                      TP_BODY_INTS (self, -1)), NULL);
}

/* By the attribute, or one over the root of the size of a head. */
static const char *
scale_queries (TpBody *self, const char *x)
{
  const TpAttr to = tp_body_make_int ("to", FLOAT32);
  double given = tp_node_get_float (self->node, "scale", 0.0);
  const char *scale;

  if (given != 0.0)
    scale = tp_body_add_float (self, given);
  else
    {
      scale = tp_body_pick (self, tp_body_add_shape (self, x), 3);
      scale = tp_body_add (self, "Cast", &to, NULL, scale, NULL);
      scale = tp_body_apply (self, "Sqrt", scale, NULL, NULL);
      scale = tp_body_apply (self, "Reciprocal", scale, NULL, NULL);
    }
  scale = tp_body_apply (self, "CastLike", scale, x, NULL);
  return tp_body_apply (self, "Mul", x, scale, NULL);
}

/* Of the type that a Softmax is computed in. */
static void
add_scores (TpBody *self)
{
  static const gint64 order[] = { 0, 1, 3, 2 };
  const TpAttr perm = { .name = "perm", .kind = TP_ATTR_INTS, .n = 4, .ints = order };
  const char *q = tp_body_get_input (self, 0), *k = tp_body_get_input (self, 1);
  const char *scores = share_heads (self, scale_queries (self, q), k);
  gint64 precision = tp_node_get_int (self->node, "softmax_precision", 0);
  const TpAttr to = tp_body_make_int ("to", precision);

  scores = tp_body_apply (self, "MatMul", scores,
                          tp_body_add (self, "Transpose", &perm, NULL, k, NULL), NULL);
  scores = part_heads (self, scores, q);
  if (precision != 0)
    tp_body_add (self, "Cast", &to, self->ends.outputs[0], scores, NULL);
  else
    tp_body_add (self, "Widen", NULL, self->ends.outputs[0], scores, NULL);
}

static void
add_output (TpBody *self)
{
  const char *p = tp_body_get_input (self, 0), *v = tp_body_get_input (self, 1);
  const char *values = tp_body_apply (self, "CastLike", v, p, NULL);
  const char *y = tp_body_apply (self, "MatMul", share_heads (self, p, v), values, NULL);

  tp_body_add (self, "CastLike", NULL, self->ends.outputs[0], part_heads (self, y, p), v,
               NULL);
}

/* Nothing changes the scores: it is an Attention. */
static void
add_plain (TpBody *self)
{
  const TpNode node = { .type = "Attention", .n_attrs = self->node->n_attrs,
                        .attrs = self->node->attrs };

  tp_body_add_node (self, &node, self->ends);
}

static const char *const flex_attrs[] = { "scale", "softmax_precision", NULL };
static const char *const no_attrs[] = { NULL };

static const TpFunction functions[] = {
  { TP_FLEX_ATTENTION, 3, 3, 1, flex_attrs, { 0.0 }, add_plain },
  { TP_FLEX_SCORES, 2, 2, 1, flex_attrs, { 0.0 }, add_scores },
  { TP_FLEX_OUTPUT, 2, 2, 1, no_attrs, { 0.0 }, add_output },
};

const TpFunction *
tp_function_list_flex (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
