/* function-random.c: ops that draw numbers, by RandomNormalLike and RandomUniformLike:
 * RandomNormal, RandomUniform, Bernoulli and Multinomial. */
#include "config.h"

#include "graph/function-random.h"

#define MOST_ATTRS 4
#define FLOAT32 1             /* as ONNX numbers types */
#define INT32 6

/* @type (x), with the attributes of the op that are @passed, which ends with NULL. */
static const char *
add_drawn (TpBody *self, const char *type, const char *const *passed,
           const char *x, const char *output)
{
  TpAttr attrs[MOST_ATTRS];
  TpNode node = { .type = type, .attrs = attrs };
  const char *made = output != NULL ? output : tp_body_make_name (self);

  for (int i = 0; passed[i] != NULL; i++)
    if (tp_node_find_attr (self->node, passed[i]) != NULL)
      attrs[node.n_attrs++] = *tp_node_find_attr (self->node, passed[i]);
  tp_body_add_node (self, &node, (TpNodeNames){ 1, &x, 1, &made });
  return made;
}

/* Of float32, unless the attribute says else. */
static void
add_of_shape (TpBody *self, const char *type, const char *const *passed)
{
  int n = 0;
  const gint64 *shape = tp_node_get_ints (self->node, "shape", &n);

  if (shape == NULL)
    {
      tp_body_refuse (self, "attribute 'shape' is missing");
      return;
    }
  add_drawn (self, type, passed,
             tp_body_apply (self, "ConstantOfShape",
                            tp_body_add_ints (self, n, shape), NULL, NULL),
             self->ends.outputs[0]);
}

static void
add_normal (TpBody *self)
{
  static const char *const passed[]
      = { "dtype", "seed", "mean", "scale", NULL };

  add_of_shape (self, "RandomNormalLike", passed);
}

static void
add_uniform (TpBody *self)
{
  static const char *const passed[] = { "dtype", "seed", "low", "high", NULL };

  add_of_shape (self, "RandomUniformLike", passed);
}

/* One where a number from 0 to 1 is below the probability. */
static void
add_bernoulli (TpBody *self)
{
  static const char *const passed[] = { "seed", NULL };
  const TpAttr *dtype = tp_node_find_attr (self->node, "dtype");
  const char *x = tp_body_get_input (self, 0);
  const char *is_one = tp_body_apply (
      self, "Less", add_drawn (self, "RandomUniformLike", passed, x, NULL), x,
      NULL);
  TpAttr to;

  if (dtype == NULL)
    {
      tp_body_add (self, "CastLike", NULL, self->ends.outputs[0], is_one, x,
                   NULL);
      return;
    }
  to = *dtype;
  to.name = "to";
  tp_body_add (self, "Cast", &to, self->ends.outputs[0], is_one, NULL);
}

static const char *
cast (TpBody *self, const char *x, gint64 to, const char *output)
{
  TpAttr attr = { .name = "to", .kind = TP_ATTR_INT, .i = to };

  return tp_body_add (self, "Cast", &attr, output, x, NULL);
}

/* [batch, samples], numbers from 0 to below 1 even as float32. */
static const char *
draw_samples (TpBody *self, const char *batch)
{
  TpAttr attrs[] = { { .name = "high", .kind = TP_ATTR_FLOAT, .f = 1.0 - 0x1p-24 },
                     { .name = "seed" } };
  const TpAttr *seed = tp_node_find_attr (self->node, "seed");
  TpNode node = { .type = "RandomUniformLike", .n_attrs = seed != NULL ? 2 : 1,
                  .attrs = attrs };
  gint64 n = tp_node_get_int (self->node, "sample_size", 1);
  const char *shape = TP_BODY_JOIN (self, batch, TP_BODY_INTS (self, n));
  const char *like = tp_body_apply (self, "ConstantOfShape", shape, NULL, NULL);
  const char *drawn = tp_body_make_name (self);

  if (seed != NULL)
    attrs[1] = *seed;
  if (n < 1)
    tp_body_refuse (self, "sample_size is %" G_GINT64_FORMAT ", at least 1 is needed", n);
  tp_body_add_node (self, &node, (TpNodeNames){ 1, &like, 1, &drawn });
  return drawn;
}

/* Of the sums so far of what is likely, the first above a number from 0 to below all:
 * what cannot be adds nothing to them and is never the first. */
static void
add_multinomial (TpBody *self)
{
  TpAttr classes = { .name = "axis", .kind = TP_ATTR_INT, .i = 1 };
  TpAttr along[] = { { .name = "axis", .kind = TP_ATTR_INT, .i = 2 }, { .name = "keepdims", .kind = TP_ATTR_INT, .i = 0 } };
  TpNode first = { .type = "ArgMax", .n_attrs = 2, .attrs = along };
  const char *x = cast (self, tp_body_get_input (self, 0), FLOAT32, NULL);
  const char *batch = tp_body_pick (self, tp_body_add_shape (self, x), 0);
  const char *place = tp_body_make_name (self), *is_above, *sums, *all, *drawn;

  x = tp_body_add (self, "Softmax", &classes, NULL, x, NULL);
  sums = tp_body_apply (self, "CumSum", x, tp_body_add_int (self, 1), NULL);
  all = tp_body_add (self, "Gather", &classes, NULL, sums, TP_BODY_INTS (self, -1), NULL);
  drawn = tp_body_apply (self, "Mul", draw_samples (self, batch), all, NULL);
  is_above = tp_body_apply (self, "Less", tp_body_add_view (self, "Unsqueeze", drawn, 2),
                            tp_body_add_view (self, "Unsqueeze", sums, 1), NULL);
  is_above = cast (self, is_above, INT32, NULL);
  tp_body_add_node (self, &first, (TpNodeNames){ 1, &is_above, 1, &place });
  cast (self, place, tp_node_get_int (self->node, "dtype", INT32), self->ends.outputs[0]);
}

static const char *const multinomial_attrs[]
    = { "dtype", "sample_size", "seed", NULL };
static const char *const normal_attrs[]
    = { "dtype", "mean", "scale", "seed", "shape", NULL };
static const char *const uniform_attrs[]
    = { "dtype", "high", "low", "seed", "shape", NULL };
static const char *const bernoulli_attrs[] = { "dtype", "seed", NULL };

static const TpFunction functions[] = {
  { "Bernoulli", 1, 1, 1, bernoulli_attrs, { 0.0 }, add_bernoulli },
  { "Multinomial", 1, 1, 1, multinomial_attrs, { 0.0 }, add_multinomial },
  { "RandomNormal", 0, 0, 1, normal_attrs, { 0.0 }, add_normal },
  { "RandomUniform", 0, 0, 1, uniform_attrs, { 0.0 }, add_uniform },
};

const TpFunction *
tp_function_list_random (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
