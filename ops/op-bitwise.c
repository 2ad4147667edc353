/* op-bitwise.c: elementwise ops on the bits of integers: BitwiseAnd, BitwiseOr,
 * BitwiseXor, BitwiseNot, BitShift. Kernels have but an "and" of bits; the others are sums
 * with it, which wrap as they should. */
#include "config.h"

#include "ops/op-util.h"

#include <string.h>

#define MOST_BITS 32          /* of what is shifted */

#define BITWISE                                                               \
  .kind = TP_OP_MAP, .n_outputs_max = 1, .tolerance = 0.0,                    \
  .lower = tp_lower_map, .reference = tp_reference_map

static gboolean
bitwise_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  if (tp_dtype_get (inputs[0]->dtype)->class != TP_CLASS_INTEGER)
    return tp_op_fail (node, error, "input 0 is %s, bits are of integers",
                       tp_dtype_get_name (inputs[0]->dtype));
  return tp_infer_broadcast (node, inputs, outputs, error);
}

/* The value in double, which only folding asks for, and only of what is below 2^53. */
#define VALUE_OF(NAME)                                                        \
  static double NAME##_value (const TpNode *node, const double *x)            \
  {                                                                           \
    gint64 values[] = { (gint64) x[0], (gint64) x[node->n_inputs - 1] };      \
                                                                              \
    return (double) NAME##_integer (node, values);                            \
  }

/* ---- and, or, exclusive or, not ------------------------------------------ */

static int
and_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_AND, x[0], x[1]);
}

static gint64
and_integer (const TpNode *node, const gint64 *x)
{
  return x[0] & x[1];
}
VALUE_OF (and)

#define BINARY                                                                \
  BITWISE, .n_inputs_min = 2, .n_inputs_max = 2, .infer = bitwise_infer

const TpOp tp_op_bitwise_and = {
  .name = "BitwiseAnd",
  BINARY,
  .map_expr = and_expr,
  .map_value = and_value,
  .map_integer = and_integer,
};

/* a + b, less the bits that both have. */
static int
or_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_SUB,
                         tp_nest_binary (nest, TP_EXPR_ADD, x[0], x[1]),
                         and_expr (node, nest, x));
}

static gint64
or_integer (const TpNode *node, const gint64 *x)
{
  return x[0] | x[1];
}
VALUE_OF (or)

const TpOp tp_op_bitwise_or = {
  .name = "BitwiseOr",
  BINARY,
  .map_expr = or_expr,
  .map_value = or_value,
  .map_integer = or_integer,
};

static int
xor_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_SUB, or_expr (node, nest, x),
                         and_expr (node, nest, x));
}

static gint64
xor_integer (const TpNode *node, const gint64 *x)
{
  return x[0] ^ x[1];
}
VALUE_OF (xor)

const TpOp tp_op_bitwise_xor = {
  .name = "BitwiseXor",
  BINARY,
  .map_expr = xor_expr,
  .map_value = xor_value,
  .map_integer = xor_integer,
};

static int
not_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_SUB, tp_nest_const_integer (nest, -1),
                         x[0]);
}

static gint64
not_integer (const TpNode *node, const gint64 *x)
{
  return ~x[0];
}

static double
not_value (const TpNode *node, const double *x)
{
  return -1.0 - x[0];
}

const TpOp tp_op_bitwise_not = {
  .name = "BitwiseNot",
  BITWISE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .infer = bitwise_infer,
  .map_expr = not_expr,
  .map_value = not_value,
  .map_integer = not_integer,
};

/* ---- BitShift ------------------------------------------------------------ */

static gboolean
is_left (const TpNode *node)
{
  return strcmp (tp_node_get_string (node, "direction", ""), "LEFT") == 0;
}

static gboolean
shift_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  const char *direction = tp_node_get_string (node, "direction", "");

  if (!is_left (node) && strcmp (direction, "RIGHT") != 0)
    return tp_op_fail (node, error, "direction '%s' is neither LEFT nor RIGHT",
                       direction);
  if (tp_dtype_get (inputs[0]->dtype)->class != TP_CLASS_INTEGER
      || tp_dtype_get (inputs[0]->dtype)->low < 0)
    return tp_op_fail (node, error, "input 0 is %s, what is shifted is "
                       "unsigned", tp_dtype_get_name (inputs[0]->dtype));
  return tp_infer_broadcast (node, inputs, outputs, error);
}

/* 2^@n, below 2^MOST_BITS: by the bits of n. */
static int
power_expr (TpNest *nest, int n)
{
  int power = tp_nest_const_integer (nest, 1);

  for (int bit = 1; bit < MOST_BITS; bit *= 2)
    {
      int is_set = tp_nest_binary (nest, TP_EXPR_AND, n,
                                   tp_nest_const_integer (nest, bit));
      int factor = tp_nest_const_integer (nest, G_GINT64_CONSTANT (1) << bit);

      factor = tp_nest_select (nest, is_set, factor,
                               tp_nest_const_integer (nest, 1));
      power = tp_nest_binary (nest, TP_EXPR_MUL, power, factor);
    }
  return power;
}

static int
shift_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int is_short = tp_nest_binary (nest, TP_EXPR_LESS, x[1],
                                 tp_nest_const_integer (nest, MOST_BITS));
  int shifted
      = tp_nest_binary (nest, is_left (node) ? TP_EXPR_MUL : TP_EXPR_DIV, x[0],
                        power_expr (nest, x[1]));

  return tp_nest_select (nest, is_short, shifted,
                         tp_nest_const_integer (nest, 0));
}

static gint64
shift_integer (const TpNode *node, const gint64 *x)
{
  if (x[1] >= MOST_BITS)
    return 0;
  return is_left (node) ? (gint64) ((guint64) x[0] << x[1]) : x[0] >> x[1];
}
VALUE_OF (shift)

static const TpAttrSpec shift_attrs[] = {
  { "direction", TP_ATTR_STRING, TRUE },
  { 0 },
};

const TpOp tp_op_bit_shift = {
  .name = "BitShift",
  BITWISE,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .attrs = shift_attrs,
  .infer = shift_infer,
  .map_expr = shift_expr,
  .map_value = shift_value,
  .map_integer = shift_integer,
};
