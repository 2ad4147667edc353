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
  .n_outputs_max = 1, .tolerance = 0.0, .flags = TP_OP_READS_SHAPE,            \
  .infer = random_infer

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
  guint64 z = seed + (i + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  return (double) (mix (z) >> 11) * 0x1p-53;
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
  .reference = uniform_reference,
};
