/* function-random.c: ops that draw numbers, by RandomNormalLike and RandomUniformLike:
 * RandomNormal, RandomUniform and Bernoulli. */
#include "config.h"

#include "graph/function-random.h"

#define MOST_ATTRS 4

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

static const char *const normal_attrs[]
    = { "dtype", "mean", "scale", "seed", "shape", NULL };
static const char *const uniform_attrs[]
    = { "dtype", "high", "low", "seed", "shape", NULL };
static const char *const bernoulli_attrs[] = { "dtype", "seed", NULL };

static const TpFunction functions[] = {
  { "Bernoulli", 1, 1, 1, bernoulli_attrs, { 0.0 }, add_bernoulli },
  { "RandomNormal", 0, 0, 1, normal_attrs, { 0.0 }, add_normal },
  { "RandomUniform", 0, 0, 1, uniform_attrs, { 0.0 }, add_uniform },
};

const TpFunction *
tp_function_list_random (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
