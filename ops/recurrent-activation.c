/* recurrent-activation.c: the functions a recurrent op may be told to apply. */
#include "config.h"

#include "ops/recurrent-activation.h"

#include "ops/recurrent.h"

#include <math.h>
#include <string.h>

struct TpActivationKind
{
  const char *name;
  gboolean has_alpha, has_beta; /* takes the next value of the attribute */
  double alpha, beta;           /* when there is none */
  double (*value) (const TpActivation *self, double x);
  int (*expr) (const TpActivation *self, TpNest *nest, int x);
};

/* ---- values ------------------------------------------------------------ */

static double
relu_value (const TpActivation *self, double x)
{
  return x < 0.0 ? 0.0 : x;
}

static double
tanh_value (const TpActivation *self, double x)
{
  return tanh (x);
}

static double
sigmoid_value (const TpActivation *self, double x)
{
  return 1.0 / (1.0 + exp (-x));
}

static double
affine_value (const TpActivation *self, double x)
{
  return self->alpha * x + self->beta;
}

static double
leaky_relu_value (const TpActivation *self, double x)
{
  return x < 0.0 ? self->alpha * x : x;
}

static double
thresholded_relu_value (const TpActivation *self, double x)
{
  return x >= self->alpha ? x : 0.0;
}

static double
scaled_tanh_value (const TpActivation *self, double x)
{
  return self->alpha * tanh (self->beta * x);
}

static double
hard_sigmoid_value (const TpActivation *self, double x)
{
  x = self->alpha * x + self->beta;
  return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

static double
elu_value (const TpActivation *self, double x)
{
  return x < 0.0 ? self->alpha * expm1 (x) : x;
}

static double
softsign_value (const TpActivation *self, double x)
{
  return x / (1.0 + fabs (x));
}

static double
softplus_value (const TpActivation *self, double x)
{
  return x > 0.0 ? x + log1p (exp (-x)) : log1p (exp (x));
}

/* ---- expressions ------------------------------------------------------- */

static int
with_const (TpNest *nest, TpExprOp op, int x, double value)
{
  if (op == TP_EXPR_MAX || op == TP_EXPR_MIN) /* NaN stays */
    return tp_nest_binary (nest, op, tp_nest_const (nest, value), x);
  return tp_nest_binary (nest, op, x, tp_nest_const (nest, value));
}

static int
relu_expr (const TpActivation *self, TpNest *nest, int x)
{
  return with_const (nest, TP_EXPR_MAX, x, 0.0);
}

static int
tanh_expr (const TpActivation *self, TpNest *nest, int x)
{
  return tp_nest_unary (nest, TP_EXPR_TANH, x);
}

static int
sigmoid_expr (const TpActivation *self, TpNest *nest, int x)
{
  return tp_nest_unary (nest, TP_EXPR_SIGMOID, x);
}

static int
affine_expr (const TpActivation *self, TpNest *nest, int x)
{
  return with_const (nest, TP_EXPR_ADD,
                     with_const (nest, TP_EXPR_MUL, x, self->alpha),
                     self->beta);
}

static int
leaky_relu_expr (const TpActivation *self, TpNest *nest, int x)
{
  return tp_nest_select (nest, with_const (nest, TP_EXPR_LESS, x, 0.0),
                         with_const (nest, TP_EXPR_MUL, x, self->alpha), x);
}

static int
thresholded_relu_expr (const TpActivation *self, TpNest *nest, int x)
{
  return tp_nest_select (nest, with_const (nest, TP_EXPR_LESS, x, self->alpha),
                         tp_nest_const (nest, 0.0), x);
}

static int
scaled_tanh_expr (const TpActivation *self, TpNest *nest, int x)
{
  x = with_const (nest, TP_EXPR_MUL, x, self->beta);
  return with_const (nest, TP_EXPR_MUL, tp_nest_unary (nest, TP_EXPR_TANH, x),
                     self->alpha);
}

static int
hard_sigmoid_expr (const TpActivation *self, TpNest *nest, int x)
{
  x = with_const (nest, TP_EXPR_MAX, affine_expr (self, nest, x), 0.0);
  return with_const (nest, TP_EXPR_MIN, x, 1.0);
}

static int
elu_expr (const TpActivation *self, TpNest *nest, int x)
{
  int below = with_const (nest, TP_EXPR_MIN, x, 0.0);

  below = tp_nest_unary (nest, TP_EXPR_EXP, below);
  below = with_const (nest, TP_EXPR_SUB, below, 1.0);
  below = with_const (nest, TP_EXPR_MUL, below, self->alpha);
  return tp_nest_select (nest, with_const (nest, TP_EXPR_LESS, x, 0.0), below,
                         x);
}

static int
softsign_expr (const TpActivation *self, TpNest *nest, int x)
{
  return tp_nest_binary (
      nest, TP_EXPR_DIV, x,
      with_const (nest, TP_EXPR_ADD, tp_nest_unary (nest, TP_EXPR_ABS, x),
                  1.0));
}

/* max (x, 0) + log (1 + exp (-|x|)) */
static int
softplus_expr (const TpActivation *self, TpNest *nest, int x)
{
  int tail = tp_nest_unary (nest, TP_EXPR_ABS, x);

  tail = tp_nest_unary (nest, TP_EXPR_NEG, tail);
  tail = tp_nest_unary (nest, TP_EXPR_EXP, tail);
  tail = with_const (nest, TP_EXPR_ADD, tail, 1.0);
  tail = tp_nest_unary (nest, TP_EXPR_LOG, tail);
  return tp_nest_binary (nest, TP_EXPR_ADD,
                         with_const (nest, TP_EXPR_MAX, x, 0.0), tail);
}

/* ---- the table --------------------------------------------------------- */

static const TpActivationKind kinds[] = {
  { "Affine", TRUE, TRUE, 1.0, 0.0, affine_value, affine_expr },
  { "Elu", TRUE, FALSE, 1.0, 0.0, elu_value, elu_expr },
  { "HardSigmoid", TRUE, TRUE, 0.2, 0.5, hard_sigmoid_value,
    hard_sigmoid_expr },
  { "LeakyRelu", TRUE, FALSE, 0.01, 0.0, leaky_relu_value, leaky_relu_expr },
  { "Relu", FALSE, FALSE, 0.0, 0.0, relu_value, relu_expr },
  { "ScaledTanh", TRUE, TRUE, 1.0, 1.0, scaled_tanh_value, scaled_tanh_expr },
  { "Sigmoid", FALSE, FALSE, 0.0, 0.0, sigmoid_value, sigmoid_expr },
  { "Softplus", FALSE, FALSE, 0.0, 0.0, softplus_value, softplus_expr },
  { "Softsign", FALSE, FALSE, 0.0, 0.0, softsign_value, softsign_expr },
  { "Tanh", FALSE, FALSE, 0.0, 0.0, tanh_value, tanh_expr },
  { "ThresholdedRelu", TRUE, FALSE, 1.0, 0.0, thresholded_relu_value,
    thresholded_relu_expr },
};

/* Case does not matter. */
static const TpActivationKind *
find_kind (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_ascii_strcasecmp (kinds[i].name, name) == 0)
      return &kinds[i];
  return NULL;
}

/* Parameters are consumed in order by the functions that have them. */
static double
take (const double *values, int n, gboolean is_taken, int *pos, double fallback)
{
  return is_taken && *pos < n ? values[(*pos)++] : fallback;
}

gboolean
tp_activations_read (TpRecurrent *self, const TpNode *node, GError **error)
{
  int n = self->kind->n_functions;
  int n_all = n * self->n_directions;
  int n_names = 0, n_alphas = 0, n_betas = 0, alpha = 0, beta = 0;
  const char *const *names = tp_node_get_strings (node, "activations", &n_names);
  const double *alphas = tp_node_get_floats (node, "activation_alpha",
                                             &n_alphas);
  const double *betas = tp_node_get_floats (node, "activation_beta", &n_betas);

  if (n_names != 0 && n_names != n_all)
    return tp_op_fail (node, error,
                       "'activations' names %d functions, %d are needed",
                       n_names, n_all);
  for (int i = 0; i < n_all; i++)
    {
      const char *name = n_names > 0 ? names[i] : self->kind->usual[i % n];
      const TpActivationKind *kind = find_kind (name);

      if (kind == NULL)
        return tp_op_fail (node, error, "activation '%s' is not known", name);
      self->functions[i / n][i % n] = (TpActivation){
        kind, take (alphas, n_alphas, kind->has_alpha, &alpha, kind->alpha),
        take (betas, n_betas, kind->has_beta, &beta, kind->beta)
      };
    }
  return TRUE;
}

double
tp_activation_value (const TpActivation *activation, double x)
{
  return activation->kind->value (activation, x);
}

int
tp_activation_expr (const TpActivation *activation, TpNest *nest, int x)
{
  return activation->kind->expr (activation, nest, x);
}
