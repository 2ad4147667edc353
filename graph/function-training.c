/* function-training.c: what ops do while a model is trained: one step of an optimizer
 * (ai.onnx.preview.training), a BatchNormalization by the statistics of its batch, and a
 * Dropout that drops.
 *
 * Inputs of an optimizer are the learning rate R, the count T of steps, and then lists, one behind the
 * other: of what is trained (X), of its gradients (G), and of what the optimizer keeps of
 * each. Outputs are the lists of X and of what is kept, as they are after the step. */
#include "config.h"

#include "graph/function-training.h"

#include "graph/graph-branch.h"
#include "ops/op-logic.h"

#include <string.h>

#define RATE 0
#define COUNT 1
#define LISTS 2               /* from there on */
#define N_KEPT_MOST 2

/* One of what is trained. */
typedef struct
{
  const char *x, *gradient;
  const char *kept[N_KEPT_MOST];
  const char *x_new;          /* what these are to be called; NULL: as you like */
  const char *kept_new[N_KEPT_MOST];
} Trained;

/* What it shares with the others of the op. */
typedef struct
{
  const char *rate;           /* of this step */
  const char *is_later;       /* not the first: T > 0 */
  const char *count;          /* T, a real */
} Step;

typedef void (*AddTrained) (TpBody *self, const Step *step, const Trained *it);

static double
get_real (const TpBody *self, const char *name, double value)
{
  return tp_node_get_float (self->node, name, value);
}

static const char *
add_real (TpBody *self, const char *name, double value)
{
  return tp_body_add_float (self, get_real (self, name, value));
}

static const char *
multiply (TpBody *self, const char *a, const char *b)
{
  return tp_body_apply (self, "Mul", a, b, NULL);
}

/* The gradient, and that of half of the squares of what is trained. */
static const char *
add_gradient (TpBody *self, const Trained *it)
{
  const char *pull;

  if (get_real (self, "norm_coefficient", 0.0) == 0.0)
    return it->gradient;
  pull = multiply (self, it->x, add_real (self, "norm_coefficient", 0.0));
  return tp_body_apply (self, "Add", it->gradient, pull, NULL);
}

/* @rate times @direction back. */
static void
add_move (TpBody *self, const Trained *it, const char *rate,
          const char *direction)
{
  const char *way = multiply (self, direction, rate);

  tp_body_add (self, "Sub", NULL, it->x_new, it->x, way, NULL);
}

/* By @function, each of what is trained; @n_kept: lists of what is kept. */
static void
add_all (TpBody *self, int n_kept, const Step *step, AddTrained function)
{
  int n_lists = 2 + n_kept;
  int n = (self->ends.n_inputs - LISTS) / n_lists;

  if (n * n_lists != self->ends.n_inputs - LISTS || n == 0
      || self->ends.n_outputs != n * (n_lists - 1))
    {
      tp_body_refuse (self, "R, T and %d lists of equal length are its inputs, "
                      "and %d such lists its outputs: it has %d and %d",
                      n_lists, n_lists - 1, self->ends.n_inputs,
                      self->ends.n_outputs);
      return;
    }
  for (int i = 0; i < n; i++)
    {
      Trained it = { .x = tp_body_get_input (self, LISTS + i),
                     .gradient = tp_body_get_input (self, LISTS + n + i),
                     .x_new = tp_body_get_output (self, i) };

      for (int k = 0; k < n_kept; k++)
        {
          it.kept[k] = tp_body_get_input (self, LISTS + (2 + k) * n + i);
          it.kept_new[k] = tp_body_get_output (self, (1 + k) * n + i);
        }
      for (int k = 0; k < n_lists; k++)
        if (tp_body_get_input (self, LISTS + k * n + i) == NULL)
          {
            tp_body_refuse (self, "input %d is left out", LISTS + k * n + i);
            return;
          }
      function (self, step, &it);
    }
}

static Step
begin_step (TpBody *self)
{
  static const TpAttr to_float = { .name = "to", .kind = TP_ATTR_INT, .i = 1 };
  const char *count = tp_body_get_input (self, COUNT);
  const char *first = tp_body_add_float (self, 0.0);
  Step step = { .rate = tp_body_get_input (self, RATE) };

  step.count = tp_body_add (self, "Cast", &to_float, NULL, count, NULL);
  step.is_later = tp_body_apply (self, "Greater", step.count, first, NULL);
  return step;
}

/* ---- Adagrad -------------------------------------------------------------- */

static void
adapt (TpBody *self, const Step *step, const Trained *it)
{
  const char *gradient = add_gradient (self, it);
  const char *square = multiply (self, gradient, gradient);
  const char *squares = tp_body_add (self, "Add", NULL, it->kept_new[0],
                                     it->kept[0], square, NULL);
  const char *root = tp_body_apply (self, "Sqrt", squares, NULL, NULL);

  root = tp_body_apply (self, "Add", root, add_real (self, "epsilon", 1e-6), NULL);
  add_move (self, it, step->rate,
            tp_body_apply (self, "Div", gradient, root, NULL));
}

/* The rate decays: R / (1 + T * decay_factor). */
static void
add_adagrad (TpBody *self)
{
  Step step = begin_step (self);
  const char *decay
      = multiply (self, step.count, add_real (self, "decay_factor", 0.0));

  decay = tp_body_apply (self, "Add", decay, tp_body_add_float (self, 1.0), NULL);
  step.rate = tp_body_apply (self, "Div", step.rate, decay, NULL);
  add_all (self, 1, &step, adapt);
}

/* ---- Adam ------------------------------------------------------------------ */

/* part * old + (1 - part) * new */
static const char *
add_average (TpBody *self, double part, const char *old, const char *new,
             const char *output)
{
  old = multiply (self, old, tp_body_add_float (self, part));
  new = multiply (self, new, tp_body_add_float (self, 1.0 - part));
  return tp_body_add (self, "Add", NULL, output, old, new, NULL);
}

static void
average (TpBody *self, const Step *step, const Trained *it)
{
  double shrink = 1.0 - get_real (self, "norm_coefficient_post", 0.0);
  const char *gradient = add_gradient (self, it);
  const char *mean = add_average (self, get_real (self, "alpha", 0.9),
                                  it->kept[0], gradient, it->kept_new[0]);
  const char *square
      = add_average (self, get_real (self, "beta", 0.999), it->kept[1],
                     multiply (self, gradient, gradient), it->kept_new[1]);
  const char *root = tp_body_apply (self, "Sqrt", square, NULL, NULL);
  Trained whole = *it;

  root = tp_body_apply (self, "Add", root, add_real (self, "epsilon", 1e-6), NULL);
  if (shrink != 1.0)
    whole.x_new = tp_body_make_name (self);
  add_move (self, &whole, step->rate,
            tp_body_apply (self, "Div", mean, root, NULL));
  if (shrink != 1.0)
    tp_body_add (self, "Mul", NULL, it->x_new, whole.x_new,
                 tp_body_add_float (self, shrink), NULL);
}

/* 1 - @part ** T */
static const char *
add_rest (TpBody *self, const Step *step, double part)
{
  const char *power = tp_body_apply (self, "Pow", tp_body_add_float (self, part),
                                     step->count, NULL);

  return tp_body_apply (self, "Sub", tp_body_add_float (self, 1.0), power, NULL);
}

/* Averages begin at 0, which makes the first of them too small. */
static void
add_adam (TpBody *self)
{
  Step step = begin_step (self);
  const char *mean = add_rest (self, &step, get_real (self, "alpha", 0.9));
  const char *square = add_rest (self, &step, get_real (self, "beta", 0.999));
  const char *ratio = tp_body_apply (self, "Div",
                                     tp_body_apply (self, "Sqrt", square, NULL, NULL),
                                     mean, NULL);

  step.rate = tp_body_apply (self, "Where", step.is_later,
                             multiply (self, step.rate, ratio), step.rate);
  add_all (self, 2, &step, average);
}

/* ---- Momentum ------------------------------------------------------------- */

/* The first gradient counts whole, those after it by beta. */
static void
gather_way (TpBody *self, const Step *step, const Trained *it)
{
  gboolean looks_ahead = g_str_equal (
      tp_node_get_string (self->node, "mode", "standard"), "nesterov");
  const char *alpha = add_real (self, "alpha", 0.0);
  const char *gradient = add_gradient (self, it);
  const char *part
      = tp_body_apply (self, "Where", step->is_later, add_real (self, "beta", 0.0),
                       tp_body_add_float (self, 1.0));
  const char *way = tp_body_add (self, "Add", NULL, it->kept_new[0],
                                 multiply (self, it->kept[0], alpha),
                                 multiply (self, gradient, part), NULL);

  if (looks_ahead)
    way = tp_body_apply (self, "Add", gradient, multiply (self, way, alpha), NULL);
  add_move (self, it, step->rate, way);
}

static void
add_momentum (TpBody *self)
{
  static const char *const needed[] = { "alpha", "beta", "mode",
                                        "norm_coefficient", NULL };
  static const char *const modes[] = { "nesterov", "standard", NULL };
  const char *mode = tp_node_get_string (self->node, "mode", "");
  Step step = begin_step (self);

  for (int i = 0; needed[i] != NULL; i++)
    if (tp_node_find_attr (self->node, needed[i]) == NULL)
      tp_body_refuse (self, "attribute '%s' is missing", needed[i]);
  if (!g_strv_contains (modes, mode))
    tp_body_refuse (self, "mode '%s' is not known: 'nesterov' or 'standard'", mode);
  add_all (self, 1, &step, gather_way);
}

/* ---- BatchNormalization --------------------------------------------------- */

/* That of a model that is used goes by statistics it is given. In training mode, which
 * networks that standardize their weights are in as well, statistics are those of x. */
gboolean
tp_function_is_trained (const TpNode *node, TpNodeNames names)
{
  return tp_node_get_int (node, "training_mode", 0) != 0;
}

/* The mean of each channel of @rows, [N, C, rest]; as [1, C, 1]. */
static const char *
add_means (TpBody *self, const char *rows)
{
  return tp_body_apply (self, "ReduceMean", rows, TP_BODY_INTS (self, 0, 2),
                        NULL);
}

static const char *
add_list (TpBody *self, const char *x)
{
  return tp_body_add_reshape (self, x, 1, (const gint64[]){ -1 });
}

/* Output @i, if it is asked for: what it was, replaced by @now to a part. */
static void
add_running (TpBody *self, int i, const char *was, const char *now)
{
  double momentum = get_real (self, "momentum", 0.9);
  const char *kept, *moved;

  if (tp_body_get_output (self, i) == NULL)
    return;
  kept = multiply (self, was, tp_body_add_float (self, momentum));
  moved = multiply (self, now, tp_body_add_float (self, 1.0 - momentum));
  tp_body_add (self, "Add", NULL, tp_body_get_output (self, i), kept, moved, NULL);
}

static void
add_batch_normalization (TpBody *self)
{
  const TpAttr epsilon = { .name = "epsilon", .kind = TP_ATTR_FLOAT,
                           .f = get_real (self, "epsilon", 1e-5) };
  const TpNode plain = { .type = self->node->type, .n_attrs = 1,
                         .attrs = &epsilon };
  const char *x = tp_body_get_input (self, 0), *y = tp_body_get_output (self, 0);
  const char *rows = tp_body_add_reshape (self, x, 3, (const gint64[]){ 0, 0, -1 });
  const char *means = add_means (self, rows);
  const char *rest = tp_body_apply (self, "Sub", rows, means, NULL);
  const char *mean = add_list (self, means);
  const char *variance = add_list (self, add_means (self, multiply (self, rest, rest)));
  const char *inputs[] = { x, tp_body_get_input (self, 1),
                           tp_body_get_input (self, 2), mean, variance };

  tp_body_add_node (self, &plain,
                    (TpNodeNames){ G_N_ELEMENTS (inputs), inputs, 1, &y });
  add_running (self, 1, tp_body_get_input (self, 3), mean);
  add_running (self, 2, tp_body_get_input (self, 4), variance);
}

/* ---- Dropout --------------------------------------------------------------- */

#define RATIO 1
#define IS_TRAINING 2
#define FLOAT32 1             /* as ONNX numbers types */

gboolean
tp_function_may_drop (const TpNode *node, TpNodeNames names)
{
  return names.n_inputs > IS_TRAINING && names.inputs[IS_TRAINING] != NULL
         && *names.inputs[IS_TRAINING] != '\0';
}

static const char *
make_float32 (TpBody *self, const char *x)
{
  const TpAttr to = tp_body_make_int ("to", FLOAT32);

  return tp_body_add (self, "Cast", &to, NULL, x, NULL);
}

/* Each element is dropped where a number from 0 to below 1 is below @ratio; the others
 * make up for it. @out: what there is then, and where. */
static void
add_dropped (TpBody *self, const char *ratio, const char **out)
{
  const TpAttr *seed = tp_node_find_attr (self->node, "seed");
  TpAttr attrs[] = { tp_body_make_int ("dtype", FLOAT32), { .name = "seed" } };
  TpNode draw = { .type = "RandomUniformLike", .n_attrs = seed != NULL ? 2 : 1,
                  .attrs = attrs };
  const char *x = tp_body_get_input (self, 0), *drawn = tp_body_make_name (self);
  const char *one = tp_body_add_float (self, 1.0), *is_dropped, *scale, *zero;

  if (seed != NULL) /* of a Dropout it is whole */
    attrs[1] = (TpAttr){ .name = "seed", .kind = TP_ATTR_FLOAT, .f = (double) seed->i };
  tp_body_add_node (self, &draw, (TpNodeNames){ 1, &x, 1, &drawn });
  is_dropped = tp_body_apply (self, "Less", drawn, ratio, NULL);
  scale = tp_body_apply (self, "Div", one, tp_body_apply (self, "Sub", one, ratio, NULL),
                         NULL);
  scale = tp_body_apply (self, "CastLike", scale, x, NULL);
  zero = tp_body_apply (self, "CastLike", tp_body_add_float (self, 0.0), x, NULL);
  out[0] = tp_body_apply (self, "Where", is_dropped, zero, multiply (self, x, scale));
  out[1] = tp_body_apply (self, "Not", is_dropped, NULL, NULL);
}

static void
enter_branch (TpBody *self, gboolean is_training)
{
  if (!self->has_failed)
    self->has_failed = !tp_graph_builder_enter_branch (
        self->builder, tp_body_get_input (self, IS_TRAINING), is_training,
        self->node->place, self->error);
}

static void
leave_branch (TpBody *self)
{
  if (!self->has_failed)
    tp_graph_builder_leave_branch (self->builder);
}

/* Both are there while it is not known whether a model is trained. */
static void
add_dropout (TpBody *self)
{
  const char *training = tp_body_get_input (self, IS_TRAINING);
  const char *ratio = tp_body_get_input (self, RATIO);
  const char *x = tp_body_get_input (self, 0), *parts[2][2];

  enter_branch (self, TRUE);
  ratio = ratio != NULL ? make_float32 (self, ratio) : tp_body_add_float (self, 0.5);
  add_dropped (self, ratio, parts[TRUE]);
  leave_branch (self);
  enter_branch (self, FALSE);
  for (int i = 0; i < 2; i++)
    parts[FALSE][i] = tp_body_make_name (self);
  tp_body_add_node (self, &(TpNode){ .type = "Dropout" },
                    (TpNodeNames){ 1, &x, self->ends.n_outputs, parts[FALSE] });
  leave_branch (self);
  for (int i = 0; i < self->ends.n_outputs; i++)
    if (tp_body_get_output (self, i) != NULL)
      tp_body_add_node (self, &(TpNode){ .type = tp_op_if.name, .op = &tp_op_if },
                        (TpNodeNames){ 3, (const char *[]){ training, parts[TRUE][i],
                                                            parts[FALSE][i] },
                                       1, &self->ends.outputs[i] });
}

/* ---- the table ------------------------------------------------------------ */

static const char *const adagrad_attrs[] = { "decay_factor", "epsilon",
                                             "norm_coefficient", NULL };
static const char *const adam_attrs[]
    = { "alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post",
        NULL };
static const char *const momentum_attrs[] = { "alpha", "beta", "mode",
                                              "norm_coefficient", NULL };

#define OPTIMIZER(type, n_lists, attrs, add)                                    \
  { "ai.onnx.preview.training." type, LISTS + n_lists, G_MAXINT, G_MAXINT,      \
    attrs, { 0.0 }, add }

static const char *const norm_attrs[] = { "epsilon", "momentum", "training_mode",
                                          NULL };

static const char *const dropout_attrs[] = { "seed", NULL };

static const TpFunction functions[] = {
  { "Dropout", 1, 3, 2, dropout_attrs, { 0.0 }, add_dropout },
  { "BatchNormalization", 5, 5, 3, norm_attrs, { 0.0 }, add_batch_normalization },
  OPTIMIZER ("Adagrad", 3, adagrad_attrs, add_adagrad),
  OPTIMIZER ("Adam", 4, adam_attrs, add_adam),
  OPTIMIZER ("Momentum", 3, momentum_attrs, add_momentum),
};

const TpFunction *
tp_function_list_training (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
