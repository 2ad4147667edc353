/* function.c: the bodies of ops that are other ops.
 *
 * Bodies are written so that they hold whatever the shapes and types are, which
 * nobody knows while a graph is being built. */
#include "config.h"

#include "graph/function.h"

#include "graph/graph-builder.h"
#include "graph/graph-limit.h"
#include "graph/graph-node.h"
#include "ops/op.h"

#include <math.h>
#include <string.h>

typedef struct Function Function;

/* A body being added. After a failure nothing more is. */
typedef struct
{
  const Function *function;
  TpGraphBuilder *builder;
  const TpNode *node;
  TpNodeNames ends;           /* of @node */
  GPtrArray *names;           /* char*, made up */
  gboolean has_failed;
  GError **error;
} Body;

struct Function
{
  const char *type;
  int n_inputs_min, n_inputs_max, n_outputs_max;
  const char *const *attrs;   /* NULL ends */
  double window[3];           /* windows: factors of cos (0), cos (t), cos (2t) */
  void (*add) (Body *body);
};

/* ---- pieces ------------------------------------------------------------ */

static const char *
get_input (const Body *self, int i)
{
  return i < self->ends.n_inputs && self->ends.inputs[i] != NULL
                 && *self->ends.inputs[i] != '\0'
             ? self->ends.inputs[i]
             : NULL;
}

static const char *
make_name (Body *self)
{
  g_autoptr (GString) name = g_string_new (NULL);

  g_string_printf (name, "%s:%s:%u", self->ends.outputs[0], self->node->type,
                   self->names->len);
  while (tp_graph_builder_is_defined (self->builder, name->str))
    g_string_append_c (name, '_');
  g_ptr_array_add (self->names, g_strdup (name->str));
  return g_ptr_array_index (self->names, self->names->len - 1);
}

/* Adds an op of one output, called @output or, if NULL, by a name made up.
 * Inputs end with NULL. Returns the name. */
static const char *G_GNUC_NULL_TERMINATED
add (Body *self, const char *type, const TpAttr *attr, const char *output, ...)
{
  const char *inputs[4];
  TpNode node = { .type = type,
                  .n_attrs = attr != NULL,
                  .attrs = attr,
                  .pins = self->node->pins,
                  .colocation = self->node->colocation,
                  .place = self->node->place };
  int n = 0;
  va_list args;

  if (output == NULL)
    output = make_name (self);
  va_start (args, output);
  while ((inputs[n] = va_arg (args, const char *)) != NULL)
    {
      n++;
      g_assert (n < (int) G_N_ELEMENTS (inputs));
    }
  va_end (args);
  if (!self->has_failed)
    self->has_failed = !tp_builder_add_plain_node (
        self->builder, &node, (TpNodeNames){ n, inputs, 1, &output },
        self->error);
  return output;
}

static const char *
add_float (Body *self, double value)
{
  TpAttr attr = { .name = "value_float", .kind = TP_ATTR_FLOAT, .f = value };

  return add (self, "Constant", &attr, NULL, NULL);
}

static const char *
add_int (Body *self, gint64 value)
{
  TpAttr attr = { .name = "value_int", .kind = TP_ATTR_INT, .i = value };

  return add (self, "Constant", &attr, NULL, NULL);
}

/* Squeeze or Unsqueeze of dimension 1: an input from opset 13 on. */
static const char *
add_view (Body *self, const char *type, const char *x)
{
  static const gint64 one = 1;
  TpAttr axes = { .name = "axes", .kind = TP_ATTR_INTS, .n = 1, .ints = &one };
  TpAttr value = axes;

  if (self->builder->draft->opset < 13)
    return add (self, type, &axes, NULL, x, NULL);
  value.name = "value_ints";
  return add (self, type, NULL, NULL, x,
              add (self, "Constant", &value, NULL, NULL), NULL);
}

/* ---- losses -------------------------------------------------------------- */

typedef struct
{
  const char *scores;         /* logarithms of probabilities */
  const char *targets;
  const char *weights;        /* per class, or NULL */
} Loss;

/* Targets to be ignored become class 0 of weight 0; returns the weights, 1 for
 * the others, or NULL when all count. */
static const char *
ignore_targets (Body *self, Loss *loss)
{
  const TpAttr *ignored = tp_node_find_attr (self->node, "ignore_index");
  const char *kept = NULL;

  if (ignored == NULL)
    return NULL;
  kept = add (self, "CastLike", NULL, NULL, add_int (self, ignored->i),
              loss->targets, NULL);
  kept = add (self, "Equal", NULL, NULL, loss->targets, kept, NULL);
  kept = add (self, "Not", NULL, NULL, kept, NULL);
  loss->targets =
      add (self, "Mul", NULL, NULL, loss->targets,
           add (self, "CastLike", NULL, NULL, kept, loss->targets, NULL), NULL);
  return add (self, "CastLike", NULL, NULL, kept, loss->scores, NULL);
}

/* The weight of each target, or NULL when all are 1. */
static const char *
weigh_targets (Body *self, Loss *loss)
{
  const char *kept = ignore_targets (self, loss);
  const char *weights = NULL;

  if (loss->weights == NULL)
    return kept;
  weights = add (self, "Gather", NULL, NULL, loss->weights, loss->targets,
                 NULL);
  return kept == NULL ? weights
                      : add (self, "Mul", NULL, NULL, weights, kept, NULL);
}

static void
add_reduction (Body *self, const char *losses, const char *weights,
               const char *output)
{
  static const TpAttr scalar = { .name = "keepdims", .kind = TP_ATTR_INT };
  const char *reduction = tp_node_get_string (self->node, "reduction", "mean");
  gboolean is_mean = strcmp (reduction, "mean") == 0;

  if (strcmp (reduction, "none") == 0)
    add (self, "Identity", NULL, output, losses, NULL);
  else if (is_mean && weights != NULL)
    {
      losses = add (self, "ReduceSum", &scalar, NULL, losses, NULL);
      weights = add (self, "ReduceSum", &scalar, NULL, weights, NULL);
      add (self, "Div", NULL, output, losses, weights, NULL);
    }
  else
    add (self, is_mean ? "ReduceMean" : "ReduceSum", &scalar, output, losses,
         NULL);
}

/* Minus the score of each target, weighted. */
static void
add_loss (Body *self, Loss *loss, const char *output)
{
  static const TpAttr along_classes = { .name = "axis",
                                        .kind = TP_ATTR_INT,
                                        .i = 1 };
  const char *weights = weigh_targets (self, loss);
  const char *losses =
      add (self, "GatherElements", &along_classes, NULL, loss->scores,
           add_view (self, "Unsqueeze", loss->targets), NULL);

  losses = add (self, "Neg", NULL, NULL, add_view (self, "Squeeze", losses),
                NULL);
  if (weights != NULL)
    losses = add (self, "Mul", NULL, NULL, losses, weights, NULL);
  add_reduction (self, losses, weights, output);
}

static void
add_likelihood_loss (Body *self)
{
  Loss loss = { get_input (self, 0), get_input (self, 1), get_input (self, 2) };

  add_loss (self, &loss, self->ends.outputs[0]);
}

/* Before opset 13 LogSoftmax flattens, so it is taken apart there. */
static void
add_cross_entropy_loss (Body *self)
{
  static const gint64 one = 1;
  static const TpAttr axis = { .name = "axis", .kind = TP_ATTR_INT, .i = 1 };
  static const TpAttr axes = {
    .name = "axes", .kind = TP_ATTR_INTS, .n = 1, .ints = &one
  };
  const char *x = get_input (self, 0);
  const char *output = self->ends.n_outputs > 1 && self->ends.outputs[1] != NULL
                               && *self->ends.outputs[1] != '\0'
                           ? self->ends.outputs[1]
                           : NULL;
  Loss loss = { NULL, get_input (self, 1), get_input (self, 2) };

  if (self->builder->draft->opset >= 13)
    loss.scores = add (self, "LogSoftmax", &axis, output, x, NULL);
  else
    loss.scores =
        add (self, "Sub", NULL, output, x,
             add (self, "ReduceLogSumExp", &axes, NULL, x, NULL), NULL);
  add_loss (self, &loss, self->ends.outputs[0]);
}

/* ---- windows ------------------------------------------------------------- */

/* Its factors times the cosines of 0, t and 2 t, t from 0 to a full turn. */
static void
add_window (Body *self)
{
  static const TpAttr to_float = { .name = "to", .kind = TP_ATTR_INT, .i = 1 };
  const double *factors = self->function->window;
  TpAttr to = { .name = "to", .kind = TP_ATTR_INT };
  const char *size = get_input (self, 0);
  const char *turn = add (self, "Cast", &to_float, NULL, size, NULL);
  const char *angle = NULL;
  const char *step = NULL;
  const char *sum = add_float (self, factors[0]);

  if (tp_node_get_int (self->node, "periodic", 1) == 0)
    turn = add (self, "Sub", NULL, NULL, turn, add_float (self, 1.0), NULL);
  angle = add (self, "CastLike", NULL, NULL, add_int (self, 0), size, NULL);
  step = add (self, "CastLike", NULL, NULL, add_int (self, 1), size, NULL);
  angle = add (self, "Range", NULL, NULL, angle, size, step, NULL);
  angle = add (self, "Cast", &to_float, NULL, angle, NULL);
  angle = add (self, "Div", NULL, NULL, angle, turn, NULL);
  for (int i = 1; i < 3; i++)
    {
      const char *wave = add (self, "Mul", NULL, NULL, angle,
                              add_float (self, 2.0 * G_PI * i), NULL);

      wave = add (self, "Cos", NULL, NULL, wave, NULL);
      wave = add (self, "Mul", NULL, NULL, wave, add_float (self, factors[i]),
                  NULL);
      sum = add (self, "Add", NULL, NULL, sum, wave, NULL);
    }
  to.i = tp_node_get_int (self->node, "output_datatype", 1);
  add (self, "Cast", &to, self->ends.outputs[0], sum, NULL);
}

/* ---- the table --------------------------------------------------------- */

static const char *const loss_attrs[] = { "ignore_index", "reduction", NULL };
static const char *const window_attrs[] = { "output_datatype", "periodic",
                                            NULL };

static const Function functions[] = {
  { "BlackmanWindow", 1, 1, 1, window_attrs, { 0.42, -0.5, 0.08 },
    add_window },
  { "HammingWindow", 1, 1, 1, window_attrs, { 25.0 / 46.0, -21.0 / 46.0, 0.0 },
    add_window },
  { "HannWindow", 1, 1, 1, window_attrs, { 0.5, -0.5, 0.0 }, add_window },
  { "NegativeLogLikelihoodLoss", 2, 3, 1, loss_attrs, { 0.0 },
    add_likelihood_loss },
  { "SoftmaxCrossEntropyLoss", 2, 3, 2, loss_attrs, { 0.0 },
    add_cross_entropy_loss },
};

static const Function *
find_function (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strcmp (functions[i].type, type) == 0)
      return &functions[i];
  return NULL;
}

gboolean
tp_function_is_known (const char *type)
{
  return tp_op_find (type) == NULL && find_function (type) != NULL;
}

/* ---- checking ---------------------------------------------------------- */

static gboolean
check_attrs (const Body *self)
{
  const char *reduction = tp_node_get_string (self->node, "reduction", "mean");

  for (int i = 0; i < self->node->n_attrs; i++)
    if (!g_strv_contains (self->function->attrs, self->node->attrs[i].name))
      {
        g_autofree char *list =
            g_strjoinv (", ", (char **)self->function->attrs);

        tp_builder_set_error (self->builder, self->node->place, self->error,
                              "%s has no attribute '%s'; it has %s",
                              self->node->type, self->node->attrs[i].name,
                              list);
        return FALSE;
      }
  if (strcmp (reduction, "mean") == 0 || strcmp (reduction, "sum") == 0
      || strcmp (reduction, "none") == 0)
    return TRUE;
  tp_builder_set_error (self->builder, self->node->place, self->error,
                        "reduction '%s' is not known: 'mean', 'sum' or 'none'",
                        reduction);
  return FALSE;
}

static gboolean
check_arity (const Body *self)
{
  const Function *function = self->function;

  for (int i = 0; i < function->n_inputs_min; i++)
    if (get_input (self, i) == NULL)
      {
        tp_builder_set_error (self->builder, self->node->place, self->error,
                              "%s needs input %d", self->node->type, i);
        return FALSE;
      }
  if (self->ends.n_inputs <= function->n_inputs_max && self->ends.n_outputs >= 1
      && self->ends.n_outputs <= function->n_outputs_max
      && self->ends.outputs[0] != NULL && *self->ends.outputs[0] != '\0')
    return TRUE;
  tp_builder_set_error (self->builder, self->node->place, self->error,
                        "%s takes %d to %d inputs and gives 1 to %d outputs",
                        self->node->type, function->n_inputs_min,
                        function->n_inputs_max, function->n_outputs_max);
  return FALSE;
}

gboolean
tp_function_expand (TpGraphBuilder *builder, const TpNode *node,
                    TpNodeNames names, GError **error)
{
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (g_free);
  Body body = { .function = find_function (node->type),
                .builder = builder,
                .node = node,
                .ends = names,
                .names = made,
                .error = error };

  if (!check_attrs (&body) || !check_arity (&body))
    return FALSE;
  body.function->add (&body);
  return !body.has_failed;
}
