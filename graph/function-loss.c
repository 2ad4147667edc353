/* function-loss.c: losses, and a gated activation. */
#include "config.h"

#include "graph/function-loss.h"

#include <string.h>

/* ---- losses -------------------------------------------------------------- */

typedef struct
{
  const char *scores; /* logarithms of probabilities */
  const char *targets;
  const char *weights; /* per class, or NULL */
} Loss;

/* Targets to be ignored become class 0 of weight 0; returns the weights, 1 for
 * the others, or NULL when all count. */
static const char *
ignore_targets (TpBody *self, Loss *loss)
{
  const TpAttr *ignored = tp_node_find_attr (self->node, "ignore_index");
  const char *kept = NULL;

  if (ignored == NULL)
    return NULL;
  kept = tp_body_add (self, "CastLike", NULL, NULL,
                      tp_body_add_int (self, ignored->i), loss->targets, NULL);
  kept = tp_body_add (self, "Equal", NULL, NULL, loss->targets, kept, NULL);
  kept = tp_body_add (self, "Not", NULL, NULL, kept, NULL);
  loss->targets = tp_body_add (
      self, "Mul", NULL, NULL, loss->targets,
      tp_body_add (self, "CastLike", NULL, NULL, kept, loss->targets, NULL),
      NULL);
  return tp_body_add (self, "CastLike", NULL, NULL, kept, loss->scores, NULL);
}

/* The weight of each target, or NULL when all are 1. */
static const char *
weigh_targets (TpBody *self, Loss *loss)
{
  const char *kept = ignore_targets (self, loss);
  const char *weights = NULL;

  if (loss->weights == NULL)
    return kept;
  weights = tp_body_add (self, "Gather", NULL, NULL, loss->weights,
                         loss->targets, NULL);
  return kept == NULL
             ? weights
             : tp_body_add (self, "Mul", NULL, NULL, weights, kept, NULL);
}

static void
add_reduction (TpBody *self, const char *losses, const char *weights,
               const char *output)
{
  static const TpAttr scalar = { .name = "keepdims", .kind = TP_ATTR_INT };
  const char *reduction = tp_node_get_string (self->node, "reduction", "mean");
  gboolean is_mean = strcmp (reduction, "mean") == 0;

  if (strcmp (reduction, "none") == 0)
    tp_body_add (self, "Identity", NULL, output, losses, NULL);
  else if (is_mean && weights != NULL)
    {
      losses = tp_body_add (self, "ReduceSum", &scalar, NULL, losses, NULL);
      weights = tp_body_add (self, "ReduceSum", &scalar, NULL, weights, NULL);
      tp_body_add (self, "Div", NULL, output, losses, weights, NULL);
    }
  else
    tp_body_add (self, is_mean ? "ReduceMean" : "ReduceSum", &scalar, output,
                 losses, NULL);
}

/* Minus the score of each target, weighted. */
static void
add_loss (TpBody *self, Loss *loss, const char *output)
{
  static const TpAttr along_classes = { .name = "axis",
                                        .kind = TP_ATTR_INT,
                                        .i = 1 };
  const char *weights = weigh_targets (self, loss);
  const char *losses = tp_body_add (
      self, "GatherElements", &along_classes, NULL, loss->scores,
      tp_body_add_view (self, "Unsqueeze", loss->targets, 1), NULL);

  losses = tp_body_add (self, "Neg", NULL, NULL,
                        tp_body_add_view (self, "Squeeze", losses, 1), NULL);
  if (weights != NULL)
    losses = tp_body_add (self, "Mul", NULL, NULL, losses, weights, NULL);
  add_reduction (self, losses, weights, output);
}

static void
add_likelihood_loss (TpBody *self)
{
  Loss loss = { tp_body_get_input (self, 0), tp_body_get_input (self, 1),
                tp_body_get_input (self, 2) };

  add_loss (self, &loss, self->ends.outputs[0]);
}

/* Before opset 13 LogSoftmax flattens, so it is taken apart there. */
static void
add_cross_entropy_loss (TpBody *self)
{
  static const gint64 one = 1;
  static const TpAttr axis = { .name = "axis", .kind = TP_ATTR_INT, .i = 1 };
  static const TpAttr axes = {
    .name = "axes", .kind = TP_ATTR_INTS, .n = 1, .ints = &one
  };
  const char *x = tp_body_get_input (self, 0);
  const char *output = tp_body_get_output (self, 1);
  Loss loss = { NULL, tp_body_get_input (self, 1),
                tp_body_get_input (self, 2) };

  if (self->builder->draft->opset >= 13)
    loss.scores = tp_body_add (self, "LogSoftmax", &axis, output, x, NULL);
  else
    loss.scores = tp_body_add (
        self, "Sub", NULL, output, x,
        tp_body_add (self, "ReduceLogSumExp", &axes, NULL, x, NULL), NULL);
  add_loss (self, &loss, self->ends.outputs[0]);
}

/* ---- SwiGLU --------------------------------------------------------------- */

static void
add_swiglu (TpBody *self)
{
  TpAttr alpha = { .name = "alpha", .kind = TP_ATTR_FLOAT,
                   .f = tp_node_get_float (self->node, "alpha", 1.0) };
  const char *gate = tp_body_add (self, "Swish", &alpha, NULL,
                                  tp_body_get_input (self, 0), NULL);

  tp_body_add (self, "Mul", NULL, self->ends.outputs[0], gate,
               tp_body_get_input (self, 1), NULL);
}

/* ---- Mish ------------------------------------------------------------------ */

static void
add_mish (TpBody *self)
{
  const char *x = tp_body_get_input (self, 0);
  const char *gate = tp_body_apply (self, "Softplus", x, NULL, NULL);

  tp_body_add (self, "Mul", NULL, self->ends.outputs[0], x,
               tp_body_apply (self, "Tanh", gate, NULL, NULL), NULL);
}

/* ---- the table --------------------------------------------------------- */

static const char *const loss_attrs[] = { "ignore_index", "reduction", NULL };
static const char *const swiglu_attrs[] = { "alpha", NULL };
static const char *const no_attrs[] = { NULL };

static const TpFunction functions[] = {
  { "NegativeLogLikelihoodLoss",
    2,
    3,
    1,
    loss_attrs,
    { 0.0 },
    add_likelihood_loss },
  { "SoftmaxCrossEntropyLoss",
    2,
    3,
    2,
    loss_attrs,
    { 0.0 },
    add_cross_entropy_loss },
  { "Mish", 1, 1, 1, no_attrs, { 0.0 }, add_mish },
  { "SwiGLU", 2, 2, 1, swiglu_attrs, { 0.0 }, add_swiglu },
};

const TpFunction *
tp_function_list_loss (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
