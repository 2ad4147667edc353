/* function-experts.c: MoE and QMoE of ONNX Runtime (com.microsoft): mixtures of experts, of
 * which a router picks some for each token.
 *
 * All experts are computed, by one product each way: what goes into them is one product with
 * the rows of all, and what comes of them, times what the router gives each, is one with
 * their columns side by side, which sums over experts too. What the router does not pick
 * counts as 0. Where weights of a few bits have one scale for a column, its parts have the
 * same. onnxruntime's QMoE on CPUs takes normalize_routing_weights for set even where it is
 * not; here it means what it says. */
#include "config.h"

#include "graph/function-experts.h"

#include "graph/function-nbits.h"

#include <string.h>

#define MOST_WEIGHTS (G_MAXINT64 / 64)

/* Inputs of a product, -1: it has none. */
typedef struct
{
  int weights, scales, bias, zeros;
  const char *bits;           /* the attribute that is for it alone */
} Product;

enum { FC1, FC2, FC3, N_PRODUCTS };

static const Product plain_products[N_PRODUCTS] = {
  { 2, -1, 3, -1, NULL }, { 4, -1, 5, -1, NULL }, { 6, -1, 7, -1, NULL },
};
static const Product packed_products[N_PRODUCTS] = {
  { 2, 3, 4, 11, "fc1_expert_weight_bits" },
  { 5, 6, 7, 12, "fc2_expert_weight_bits" },
  { 8, 9, 10, 13, "fc3_expert_weight_bits" },
};
enum { INPUT, ROUTER, WEIGHTS = 14, N_KNOWN = 15 };

typedef struct
{
  TpBody *body;
  const Product *products;
  gboolean is_packed;
  gint64 n_experts, n_inner;  /* experts; what each has inside */
  gint64 n_rows[N_PRODUCTS], n_columns[N_PRODUCTS]; /* of an expert */
  int bits[N_PRODUCTS];
  gint64 block;               /* 0: a column */
} Experts;

/* ---- pieces ---------------------------------------------------------------- */

static const char *
add_two (TpBody *self, const char *type, const char *a, const char *b)
{
  return tp_body_apply (self, type, a, b, NULL);
}

/* @value, a number, of the type of @like. */
static const char *
add_number (TpBody *self, double value, const char *like)
{
  return add_two (self, "CastLike", tp_body_add_float (self, value), like);
}

static const char *
transpose (TpBody *self, const char *x, int n, const gint64 *order)
{
  TpAttr perm = { .name = "perm", .kind = TP_ATTR_INTS, .n = n, .ints = order };

  return tp_body_add (self, "Transpose", &perm, NULL, x, NULL);
}

#define RESHAPE(self, x, ...)                                                 \
  tp_body_add_reshape (self, x, G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ })), \
                       (const gint64[]){ __VA_ARGS__ })

/* Part @i of dimension @axis of @x. */
static const char *
pick (TpBody *self, const char *x, gint64 axis, gint64 i)
{
  TpAttr along = { .name = "axis", .kind = TP_ATTR_INT, .i = axis };

  return tp_body_add (self, "Gather", &along, NULL, x, tp_body_add_int (self, i), NULL);
}

/* ---- products --------------------------------------------------------------- */

/* What there is of product @i for each row of the weights, [experts, rows, n], becomes
 * [experts x rows, n], or of what comes of experts [rows, experts x n]. */
static const char *
put_side_by_side (const Experts *self, int i, const char *x, gint64 n)
{
  static const gint64 order[] = { 1, 0, 2 };

  if (i != FC2)
    return RESHAPE (self->body, x, self->n_experts * self->n_rows[i], n);
  x = RESHAPE (self->body, x, self->n_experts, self->n_rows[i], n);
  return RESHAPE (self->body, transpose (self->body, x, 3, order), self->n_rows[i],
                  self->n_experts * n);
}

/* Of a product with a scale for a column the same for all parts of it. */
static const char *
spread (const Experts *self, int i, const char *x, gint64 n_blocks)
{
  TpBody *body = self->body;

  if (self->block == 0)
    x = add_two (body, "Expand", RESHAPE (body, x, self->n_experts, self->n_rows[i], 1),
                 TP_BODY_INTS (body, self->n_experts, self->n_rows[i], n_blocks));
  return put_side_by_side (self, i, x, n_blocks);
}

static const char *
find_zeros (const Experts *self, int i, gint64 n_blocks, const char *x)
{
  const char *zeros = tp_body_get_input (self->body, self->products[i].zeros);
  gint64 rows = self->n_experts, values = self->n_rows[i];

  if (zeros == NULL)
    return NULL;
  if (self->block > 0)
    {
      rows *= self->n_rows[i];
      values = n_blocks;
    }
  zeros = tp_body_unpack_rows (self->body, zeros, rows, values, self->bits[i]);
  return spread (self, i, add_two (self->body, "CastLike", zeros, x), n_blocks);
}

/* By weights of a few bits, in blocks. */
static const char *
multiply_packed (const Experts *self, int i, const char *x)
{
  TpBody *body = self->body;
  gint64 columns = self->n_columns[i]; /* its lowest bit is a power of 2 that divides it */
  gint64 block = self->block > 0 ? self->block : columns & -columns;
  gint64 n_blocks = columns / block, blob = block * self->bits[i] / 8;
  gboolean is_out = i == FC2;
  TpAttr attrs[] = {
    { .name = "K", .kind = TP_ATTR_INT,
      .i = columns * (is_out ? self->n_experts : 1) },
    { .name = "N", .kind = TP_ATTR_INT,
      .i = self->n_rows[i] * (is_out ? 1 : self->n_experts) },
    { .name = "bits", .kind = TP_ATTR_INT, .i = self->bits[i] },
    { .name = "block_size", .kind = TP_ATTR_INT, .i = block },
  };
  TpNode node = { .type = "MatMulNBits", .n_attrs = G_N_ELEMENTS (attrs), .attrs = attrs };
  const char *y = tp_body_make_name (body), *inputs[4] = { x };

  inputs[1] = put_side_by_side (
      self, i, tp_body_get_input (body, self->products[i].weights), n_blocks * blob);
  inputs[1] = RESHAPE (body, inputs[1], attrs[1].i, attrs[0].i / block, blob);
  inputs[2] = tp_body_get_input (body, self->products[i].scales);
  inputs[2] = spread (self, i, add_two (body, "CastLike", inputs[2], x), n_blocks);
  inputs[3] = find_zeros (self, i, n_blocks, x);
  tp_body_add_node (body, &node, (TpNodeNames){ inputs[3] == NULL ? 3 : 4, inputs, 1, &y });
  return y;
}

static const char *
multiply (const Experts *self, int i, const char *x)
{
  static const gint64 turned[] = { 1, 0 };
  const char *weights = tp_body_get_input (self->body, self->products[i].weights);

  if (self->is_packed)
    return multiply_packed (self, i, x);
  weights = put_side_by_side (self, i, weights, self->n_columns[i]);
  return add_two (self->body, "MatMul", x, transpose (self->body, weights, 2, turned));
}

/* [tokens, experts x rows], with the bias. */
static const char *
go_in (const Experts *self, int i, const char *x)
{
  const char *bias = tp_body_get_input (self->body, self->products[i].bias);

  x = multiply (self, i, x);
  return bias == NULL ? x
                      : add_two (self->body, "Add", x, RESHAPE (self->body, bias, -1));
}

/* ---- activations -------------------------------------------------------------- */

/* SwiGLU's two: of one product, by turns or one behind the other, or of two. */
static void
part_gate (const Experts *self, const char *x, const char **out)
{
  gint64 fusion = tp_node_get_int (self->body->node, "swiglu_fusion", 0);

  out[0] = go_in (self, FC1, x);
  if (fusion == 0)
    {
      out[1] = go_in (self, FC3, x);
      return;
    }
  x = fusion == 1 ? RESHAPE (self->body, out[0], -1, self->n_experts, self->n_inner, 2)
                  : RESHAPE (self->body, out[0], -1, self->n_experts, 2, self->n_inner);
  for (int i = 0; i < 2; i++)
    out[i] = RESHAPE (self->body, pick (self->body, x, fusion == 1 ? 3 : 2, i), -1,
                      self->n_experts * self->n_inner);
}

static const char *
add_swiglu (const Experts *self, const char *x)
{
  TpBody *body = self->body;
  const TpAttr *limit = tp_node_find_attr (body->node, "swiglu_limit");
  TpAttr alpha = { .name = "alpha", .kind = TP_ATTR_FLOAT,
                   .f = tp_node_get_float (body->node, "activation_alpha", 1.0) };
  double beta = tp_node_get_float (body->node, "activation_beta", 0.0);
  const char *parts[2];

  part_gate (self, x, parts);
  if (limit != NULL)
    {
      const char *high = add_number (body, limit->f, x);

      parts[0] = add_two (body, "Min", parts[0], high);
      parts[1] = add_two (body, "Min", parts[1], high);
      parts[1] = add_two (body, "Max", parts[1], add_number (body, -limit->f, x));
    }
  if (beta != 0.0)
    parts[1] = add_two (body, "Add", parts[1], add_number (body, beta, x));
  return add_two (body, "Mul", tp_body_add (body, "Swish", &alpha, NULL, parts[0], NULL),
                  parts[1]);
}

/* [tokens, experts x inner]. */
static const char *
activate (const Experts *self, const char *x)
{
  static const char *const names[][2] = { { "gelu", "FastGelu" }, { "identity", "Identity" },
                                          { "relu", "Relu" }, { "silu", "Swish" } };
  const char *name = tp_node_get_string (self->body->node, "activation_type", "relu"), *y;

  if (strcmp (name, "swiglu") == 0)
    return add_swiglu (self, x);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i][0], name) == 0)
      {
        y = tp_body_apply (self->body, names[i][1], go_in (self, FC1, x), NULL, NULL);
        return self->n_rows[FC3] == 0
                   ? y
                   : add_two (self->body, "Mul", y, go_in (self, FC3, x));
      }
  tp_body_refuse (self->body, "activation_type '%s' is not known: gelu, identity, relu, "
                  "silu or swiglu", name);
  return x;
}

/* ---- routing --------------------------------------------------------------- */

/* What each expert counts for, [tokens, experts]. */
static const char *
route (TpBody *self)
{
  TpAttr last = { .name = "axis", .kind = TP_ATTR_INT, .i = -1 };
  TpNode top = { .type = "TopK", .n_attrs = 1, .attrs = &last };
  const char *scores = tp_body_get_input (self, ROUTER);
  const char *others = tp_body_get_input (self, WEIGHTS), *zeros;
  const char *inputs[] = {
    scores, TP_BODY_INTS (self, tp_node_get_int (self->node, "k", 1)) };
  const char *found[] = { tp_body_make_name (self), tp_body_make_name (self) };
  const char *values = found[0], *all;
  gboolean normalizes = tp_node_get_int (self->node, "normalize_routing_weights", 0) != 0;

  tp_body_add_node (self, &top, (TpNodeNames){ 2, inputs, 2, found });
  if (others != NULL)
    values = tp_body_add (self, "GatherElements", &last, NULL, others, found[1], NULL);
  else if (normalizes)
    values = tp_body_add (self, "Softmax", &last, NULL, values, NULL);
  else
    {
      all = tp_body_add (self, "Softmax", &last, NULL, scores, NULL);
      values = tp_body_add (self, "GatherElements", &last, NULL, all, found[1], NULL);
    }
  if (others != NULL && normalizes)
    {
      TpAttr norm[] = { last, { .name = "p", .kind = TP_ATTR_INT, .i = 1 } };
      TpNode node = { .type = "LpNormalization", .n_attrs = 2, .attrs = norm };
      const char *name = tp_body_make_name (self);

      tp_body_add_node (self, &node, (TpNodeNames){ 1, &values, 1, &name });
      values = name;
    }
  zeros = tp_body_apply (self, "ConstantOfShape", tp_body_add_shape (self, scores), NULL,
                         NULL);
  return tp_body_add (self, "ScatterElements", &last, NULL,
                      add_two (self, "CastLike", zeros, values), found[1], values, NULL);
}

/* ---- shapes ------------------------------------------------------------------ */

/* Of the weights of product @i, [experts, rows, columns]. */
static gboolean
read_weights (Experts *self, int i)
{
  const TpTensor *tensor = tp_body_find_constant (
      self->body, tp_body_get_input (self->body, self->products[i].weights));
  gint64 bits = tp_node_get_int (self->body->node, "expert_weight_bits", 4);

  if (self->is_packed)
    bits = tp_node_get_int (self->body->node, self->products[i].bits, bits);
  if (tensor == NULL || tensor->rank != 3 || tensor->count < 1
      || tensor->count > MOST_WEIGHTS)
    tp_body_refuse (self->body, "input %d, weights, must be a constant of three dimensions "
                    "with elements", self->products[i].weights);
  else if (i != FC1 && tensor->dims[0] != self->n_experts)
    tp_body_refuse (self->body, "input %d has weights of %" G_GINT64_FORMAT " experts, input "
                    "%d of %" G_GINT64_FORMAT, self->products[i].weights, tensor->dims[0],
                    self->products[FC1].weights, self->n_experts);
  else if (self->is_packed
           && tp_body_get_input (self->body, self->products[i].scales) == NULL)
    tp_body_refuse (self->body, "input %d, scales, is missing", self->products[i].scales);
  else if (self->is_packed && bits != 2 && bits != 4 && bits != 8)
    tp_body_refuse (self->body, "weights of %" G_GINT64_FORMAT " bits are not supported: "
                    "2, 4 or 8", bits);
  else
    {
      self->bits[i] = (int) bits;
      self->n_experts = tensor->dims[0];
      self->n_rows[i] = tensor->dims[1];
      self->n_columns[i] = tensor->dims[2] * (self->is_packed ? 8 / bits : 1);
      return TRUE;
    }
  return FALSE;
}

/* What is asked for besides integers as they are, and the usual router. */
static gboolean
check (const Experts *self)
{
  const TpNode *node = self->body->node;
  const char *quantized = tp_node_get_string (node, "quant_type", "int");

  if (tp_node_get_int (node, "use_sparse_mixer", 0) != 0
      || tp_node_get_int (node, "swiglu_limit_after_activation", 0) != 0)
    tp_body_refuse (self->body, "use_sparse_mixer and swiglu_limit_after_activation are not "
                    "supported");
  else if (strcmp (quantized, "int") != 0)
    tp_body_refuse (self->body, "quant_type '%s' is not supported: int", quantized);
  else if (tp_node_get_int (node, "weights_prepacked", 0) > 0)
    tp_body_refuse (self->body, "weights_prepacked is not supported: its order is one "
                    "device's");
  else if (self->body->ends.n_inputs > N_KNOWN)
    tp_body_refuse (self->body, "inputs from %d on are of other quant_types", N_KNOWN);
  else
    return TRUE;
  return FALSE;
}

static gboolean
read_experts (Experts *self)
{
  TpBody *body = self->body;
  gboolean has_third = tp_body_get_input (body, self->products[FC3].weights) != NULL;
  gboolean is_gated
      = strcmp (tp_node_get_string (body->node, "activation_type", ""), "swiglu") == 0;

  self->block = MAX (tp_node_get_int (body->node, "block_size", 0), 0);
  if (!check (self) || !read_weights (self, FC1) || !read_weights (self, FC2)
      || (has_third && !read_weights (self, FC3)))
    return FALSE;
  self->n_inner = self->n_columns[FC2];
  if (is_gated && tp_node_get_int (body->node, "swiglu_fusion", 0) == 0 && !has_third)
    tp_body_refuse (body, "swiglu_fusion 0 needs input %d", self->products[FC3].weights);
  else if (self->is_packed && self->block > 0
           && (self->n_inner % self->block != 0
               || self->n_columns[FC1] % self->block != 0))
    tp_body_refuse (body, "block_size %" G_GINT64_FORMAT " does not divide %" G_GINT64_FORMAT
                    " and %" G_GINT64_FORMAT, self->block, self->n_columns[FC1],
                    self->n_inner);
  else
    return TRUE;
  return FALSE;
}

/* ---- the op ------------------------------------------------------------------ */

static void
add_experts (TpBody *body, const Product *products, gboolean is_packed)
{
  Experts self = { .body = body, .products = products, .is_packed = is_packed };
  const char *x = tp_body_get_input (body, INPUT), *bias, *shares, *inner, *column;
  const char *shape = tp_body_add_shape (body, x), *zero;

  if (!read_experts (&self))
    return;
  bias = tp_body_get_input (body, products[FC2].bias);
  shares = route (body);
  column = tp_body_add_view (body, "Unsqueeze", shares, 2);
  zero = add_number (body, 0.0, shares);
  inner = activate (&self, RESHAPE (body, x, -1, self.n_columns[FC1]));
  inner = RESHAPE (body, inner, -1, self.n_experts, self.n_inner);
  inner = add_two (body, "Mul", inner, column);
  inner = tp_body_apply (body, "Where", add_two (body, "Equal", column, zero), zero, inner);
  inner = multiply (&self, FC2, RESHAPE (body, inner, -1, self.n_experts * self.n_inner));
  if (bias != NULL)
    inner = add_two (body, "Add", inner, add_two (body, "MatMul", shares, bias));
  tp_body_add (body, "Reshape", NULL, body->ends.outputs[0], inner, shape, NULL);
}

static void
add_moe (TpBody *self)
{
  add_experts (self, plain_products, FALSE);
}

static void
add_qmoe (TpBody *self)
{
  add_experts (self, packed_products, TRUE);
}

/* ---- the table ----------------------------------------------------------------- */

#define ATTRS                                                                  \
  "activation_alpha", "activation_beta", "activation_type", "k",              \
      "normalize_routing_weights", "swiglu_fusion", "swiglu_limit",           \
      "swiglu_limit_after_activation", "use_sparse_mixer"

static const char *const moe_attrs[] = { ATTRS, NULL };
static const char *const qmoe_attrs[]
    = { ATTRS, "accuracy_level", "block_size", "expert_weight_bits",
        "fc1_expert_weight_bits", "fc2_expert_weight_bits", "fc3_expert_weight_bits",
        "quant_type", "weights_prepacked", NULL };

static const TpFunction functions[] = {
  { "com.microsoft.MoE", 3, 8, 1, moe_attrs, { 0.0 }, add_moe },
  { "com.microsoft.QMoE", 4, 21, 1, qmoe_attrs, { 0.0 }, add_qmoe },
};

const TpFunction *
tp_function_list_experts (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
