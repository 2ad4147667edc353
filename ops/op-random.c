/* op-random.c: RandomNormalLike and RandomUniformLike: numbers that look drawn, and are
 * the same whenever a graph is read.
 *
 * Element i is a hash of i and the seed: SplitMix64, as `random` of a graph has it, of 53
 * bits. Two of them make a normal number, by Box and Muller. The seed is the attribute;
 * without it, the name of the op, so that each op has numbers of its own. */
#include "config.h"

#include "ops/op-cast.h"
#include "ops/op-util.h"

#include <math.h>
#include <string.h>

#define RANDOM                                                                 \
  .kind = TP_OP_MOVE, .n_inputs_min = 1, .n_inputs_max = 1,                    \
  .n_outputs_max = 1, .tolerance = 1e-5,                                        \
  .flags = TP_OP_READS_SHAPE | TP_OP_NAMED,                                    \
  .infer = random_infer

#define GOLDEN G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)

/* ---- numbers --------------------------------------------------------------- */

static guint64
mix (guint64 z)
{
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* FNV-1a, of 64 bits: of a name it is the same everywhere. */
static guint64
hash_name (const char *name)
{
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);

  for (const char *it = name; *it != '\0'; it++)
    hash = (hash ^ (guchar) *it) * G_GUINT64_CONSTANT (0x100000001b3);
  return hash;
}

static guint64
get_seed (const TpNode *node)
{
  double value = tp_node_get_float (node, "seed", 0.0);
  guint64 bits;

  if (tp_node_find_attr (node, "seed") == NULL)
    return mix (hash_name (node->name == NULL ? "" : node->name));
  memcpy (&bits, &value, sizeof bits);
  return mix (bits);
}

/* At least 0, below 1. */
static double
draw (guint64 seed, guint64 i)
{
  guint64 z = seed + (i + 1) * GOLDEN;

  return (double) (mix (z) >> 11) * 0x1p-53;
}

/* Exclusive or of the bits of integers. */
static int
add_xor (TpNest *nest, int a, int b)
{
  int both = tp_nest_binary (nest, TP_EXPR_AND, a, b);

  both = tp_nest_binary (nest, TP_EXPR_MUL, both, tp_nest_const_integer (nest, 2));
  return tp_nest_binary (nest, TP_EXPR_SUB,
                         tp_nest_binary (nest, TP_EXPR_ADD, a, b), both);
}

/* The bits of @z, without a sign, moved down by @n: a quotient without a rest, then
 * without what the sign left above. */
static int
add_shift (TpNest *nest, int z, int n)
{
  gint64 step = G_GINT64_CONSTANT (1) << n;
  gint64 kept = (gint64) (G_MAXUINT64 >> n);

  z = tp_nest_binary (nest, TP_EXPR_AND, z, tp_nest_const_integer (nest, -step));
  z = tp_nest_binary (nest, TP_EXPR_DIV, z, tp_nest_const_integer (nest, step));
  return tp_nest_binary (nest, TP_EXPR_AND, z, tp_nest_const_integer (nest, kept));
}

static int
add_product (TpNest *nest, int z, guint64 factor)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, z,
                         tp_nest_const_integer (nest, (gint64) factor));
}

/* mix (), of an expression. */
static int
add_mix (TpNest *nest, int z)
{
  z = add_product (nest, add_xor (nest, z, add_shift (nest, z, 30)),
                   G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9));
  z = add_product (nest, add_xor (nest, z, add_shift (nest, z, 27)),
                   G_GUINT64_CONSTANT (0x94d049bb133111eb));
  return add_xor (nest, z, add_shift (nest, z, 31));
}

/* draw (), of expression @i: 2^53 times that, an integer. */
static int
add_draw (TpNest *nest, guint64 seed, int i)
{
  int z = add_product (nest, i, GOLDEN);

  z = tp_nest_binary (nest, TP_EXPR_ADD, z,
                      tp_nest_const_integer (nest, (gint64) (seed + GOLDEN)));
  return add_shift (nest, add_mix (nest, z), 11);
}

/* 2^53 times a number as that, of the class of @dtype. */
static int
add_real (TpNest *nest, int bits, TpDtype dtype)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_convert (nest, bits, dtype),
                         tp_nest_const (nest, 0x1p-53));
}

/* ---- both ------------------------------------------------------------------- */

static gboolean
random_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  tp_shape_copy (&outputs[0], inputs[0]);
  if (!tp_node_get_dtype (node, "dtype", inputs[0]->dtype, &outputs[0].dtype,
                          error))
    return FALSE;
  if (tp_dtype_get (outputs[0].dtype)->class == TP_CLASS_REAL)
    return TRUE;
  return tp_op_fail (node, error, "type %s has no such numbers: give a dtype "
                     "of reals", tp_dtype_get_name (outputs[0].dtype));
}

/* @result of what is too large to be folded. */
static gboolean
random_lower (TpLowering *lowering, int (*result) (TpLowering *lowering, int at),
              GError **error)
{
  if (lowering->out->count == 0)
    return tp_op_refuse (lowering->node, error, "tensor '%s' is empty",
                         lowering->out->name);
  tp_lowering_add_output_axes (lowering);
  return tp_lowering_finish (
      lowering, result (lowering, tp_lowering_number_points (lowering)));
}

/* @factor * @x + @sum. */
static int
add_scaled (TpNest *nest, int x, double factor, double sum)
{
  return tp_nest_binary (
      nest, TP_EXPR_ADD,
      tp_nest_binary (nest, TP_EXPR_MUL, x, tp_nest_const (nest, factor)),
      tp_nest_const (nest, sum));
}

static int
find_uniform (TpLowering *lowering, int at)
{
  double low = tp_node_get_float (lowering->node, "low", 0.0);
  double high = tp_node_get_float (lowering->node, "high", 1.0);
  int bits = add_draw (lowering->nest, get_seed (lowering->node), at);

  return add_scaled (lowering->nest,
                     add_real (lowering->nest, bits, lowering->out->dtype),
                     high - low, low);
}

static gboolean
uniform_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  return random_lower (&lowering, find_uniform, error);
}

/* -log (1 - u), where u is 2^-53 times @bits: near 0, where singles lose it, by its
 * series. */
static int
add_log (TpNest *nest, int bits, TpDtype dtype)
{
  int u = add_real (nest, bits, dtype);
  int rest = tp_nest_binary (
      nest, TP_EXPR_SUB,
      tp_nest_const_integer (nest, G_GINT64_CONSTANT (1) << 53), bits);
  int log = tp_nest_unary (
      nest, TP_EXPR_NEG,
      tp_nest_unary (nest, TP_EXPR_LOG, add_real (nest, rest, dtype)));
  int series = add_scaled (nest, u, 1.0 / 3, 0.5);

  if (dtype == TPLAN_DTYPE_FLOAT64)
    return log;
  series = tp_nest_binary (nest, TP_EXPR_MUL, u, series);
  series = tp_nest_binary (nest, TP_EXPR_MUL, u,
                           add_scaled (nest, series, 1.0, 1.0));
  return tp_nest_select (
      nest, tp_nest_binary (nest, TP_EXPR_LESS, u, tp_nest_const (nest, 0x1p-9)),
      series, log);
}

static int
find_normal (TpLowering *lowering, int at)
{
  TpNest *nest = lowering->nest;
  TpDtype dtype = lowering->out->dtype;
  guint64 seed = get_seed (lowering->node);
  int even = tp_nest_binary (nest, TP_EXPR_MUL, at, tp_nest_const_integer (nest, 2));
  int odd = tp_nest_binary (nest, TP_EXPR_ADD, even, tp_nest_const_integer (nest, 1));
  int radius = add_log (nest, add_draw (nest, seed, even), dtype);
  int angle = add_real (nest, add_draw (nest, seed, odd), dtype);

  radius = tp_nest_binary (nest, TP_EXPR_MUL, radius, tp_nest_const (nest, 2.0));
  radius = tp_nest_unary (nest, TP_EXPR_SQRT, radius);
  angle = tp_nest_binary (nest, TP_EXPR_MUL, angle,
                          tp_nest_const (nest, 2.0 * G_PI));
  return add_scaled (
      nest,
      tp_nest_binary (nest, TP_EXPR_MUL, radius,
                      tp_nest_unary (nest, TP_EXPR_COS, angle)),
      tp_node_get_float (lowering->node, "scale", 1.0),
      tp_node_get_float (lowering->node, "mean", 0.0));
}

static gboolean
normal_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  return random_lower (&lowering, find_normal, error);
}

static void
uniform_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  double low = tp_node_get_float (node, "low", 0.0);
  double high = tp_node_get_float (node, "high", 1.0);
  guint64 seed = get_seed (node);

  for (gint64 i = 0; i < outputs[0].count; i++)
    outputs[0].data[i] = low + (high - low) * draw (seed, i);
}

static void
normal_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  double mean = tp_node_get_float (node, "mean", 0.0);
  double scale = tp_node_get_float (node, "scale", 1.0);
  guint64 seed = get_seed (node);

  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      double radius = sqrt (-2.0 * log1p (-draw (seed, 2 * (guint64) i)));
      double angle = 2.0 * G_PI * draw (seed, 2 * (guint64) i + 1);

      outputs[0].data[i] = mean + scale * radius * cos (angle);
    }
}

static const TpAttrSpec normal_attrs[] = {
  { "dtype", TP_ATTR_INT, FALSE },
  { "mean", TP_ATTR_FLOAT, FALSE },
  { "scale", TP_ATTR_FLOAT, FALSE },
  { "seed", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

const TpOp tp_op_random_normal_like = {
  .name = "RandomNormalLike",
  RANDOM,
  .attrs = normal_attrs,
  .lower = normal_lower,
  .reference = normal_reference,
};

static const TpAttrSpec uniform_attrs[] = {
  { "dtype", TP_ATTR_INT, FALSE },
  { "high", TP_ATTR_FLOAT, FALSE },
  { "low", TP_ATTR_FLOAT, FALSE },
  { "seed", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

const TpOp tp_op_random_uniform_like = {
  .name = "RandomUniformLike",
  RANDOM,
  .attrs = uniform_attrs,
  .lower = uniform_lower,
  .reference = uniform_reference,
};
