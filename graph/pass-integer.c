/* pass-integer.c: products and convolutions of small integers by a constant become such
 * of whole numbers in float32, at the speed of those, where that is exact: where every
 * sum of some of the products, and of the bias, is at most 2^24.
 *
 * Of x less its zero point, from -low to high, and weights less theirs, the positive ones
 * P in all and the negative ones N, no such sum is above high * P + low * N or below
 * -(low * P + high * N). P and N are known for each column or filter; of a zero point
 * that is not known, low + high is.
 *
 *   MatMulInteger (x, w)    Cast (MatMulInteger (x, float w))
 *   QLinearConv (x, w, b)   QuantizeLinear ((ConvInteger (x, float w) + b) * scales)
 *
 * A Cast to float32 of what is float32 now does nothing more. */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/graph-sort.h"
#include "graph/pass.h"
#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ops/op-integer.h"
#include "ops/op-util.h"
#include "ops/op.h"

#include <math.h>
#include <string.h>

#define MOST_EXACT 0x1p24     /* of float32 */

typedef struct
{
  TpDraft *draft;
  int n;                      /* tensors that there were */
  int *real;                  /* [tensor]: what it is in float32; -1: nothing yet */
  int *zero;                  /* [tensor]: the zero point that went into that */
} Pass;

/* One node, as it was, and what it is made of. */
typedef struct
{
  Pass *pass;
  TpNode node;
  const TpIntegerInputs *in;
  gboolean is_conv;
  gint64 n_columns;           /* of w, or filters */
  gint64 n_sum;               /* products in a sum */
  double *weights;            /* (owned) less their zero points */
} Rewrite;

static void
rewrite_clear (Rewrite *self)
{
  g_free (self->weights);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rewrite, rewrite_clear)

static gboolean
is_product (const TpNode *node)
{
  return node->op != NULL
         && (tp_node_is (node, "MatMulInteger")
             || tp_node_is (node, "QLinearMatMul")
             || tp_node_is (node, "ConvInteger")
             || tp_node_is (node, "QLinearConv"));
}

/* Input @i, or NULL. */
static const TpTensor *
get_input (const Rewrite *self, int i)
{
  if (i < 0 || !tp_node_has_input (&self->node, i))
    return NULL;
  return tp_draft_tensor (self->pass->draft, self->node.inputs[i]);
}

/* Input @i is left out, or a constant: one number, or @n in a row. */
static gboolean
is_known (const Rewrite *self, int i, gint64 n)
{
  const TpTensor *tensor = get_input (self, i);

  return tensor == NULL
         || (tp_tensor_is_constant (tensor)
             && (tensor->count == 1
                 || (tensor->rank == 1 && tensor->count == n)));
}

/* The values of input @i, one for each column; NULL: it is left out. */
static double *
read_columns (const Rewrite *self, int i)
{
  const TpTensor *tensor = get_input (self, i);
  g_autofree double *values = NULL;

  if (tensor == NULL)
    return NULL;
  values = tp_new (double, self->n_columns + 1);
  tp_tensor_write_doubles (tensor, values);
  for (gint64 k = 1; tensor->count == 1 && k < self->n_columns; k++)
    values[k] = values[0];
  return g_steal_pointer (&values);
}

/* The column that element @i of the weights is of. */
static gint64
column_of (const Rewrite *self, gint64 i)
{
  return self->is_conv ? i / self->n_sum : i % self->n_columns;
}

static void
read_weights (Rewrite *self)
{
  const TpTensor *w = get_input (self, self->in->w);
  g_autofree double *zero = read_columns (self, self->in->w_zero);

  self->weights = tp_new (double, w->count + 1);
  tp_tensor_write_doubles (w, self->weights);
  for (gint64 i = 0; zero != NULL && i < w->count; i++)
    self->weights[i] -= zero[column_of (self, i)];
}

/* ---- is it exact? -------------------------------------------------------- */

/* How far x may be from its zero point. */
typedef struct
{
  gboolean is_known;          /* else @high is how far it may be in all */
  double low, high;
} Reach;

static Reach
find_reach (const Rewrite *self)
{
  const TpDtypeRow *row = tp_dtype_get (get_input (self, 0)->dtype);
  const TpTensor *zero = get_input (self, self->in->x_zero);
  double at = 0.0;

  if (!is_known (self, self->in->x_zero, 1))
    return (Reach){ FALSE, 0.0, (double) (row->high - row->low) };
  if (zero != NULL)
    tp_tensor_write_doubles (zero, &at);
  return (Reach){ TRUE, at - (double) row->low, (double) row->high - at };
}

/* With weights that are @positive and @negative in all. */
static double
find_most (const Reach *reach, double positive, double negative)
{
  if (!reach->is_known)
    return reach->high * MAX (positive, negative);
  return MAX (reach->high * positive + reach->low * negative,
              reach->low * positive + reach->high * negative);
}

static gboolean
is_exact (const Rewrite *self)
{
  gint64 count = get_input (self, self->in->w)->count;
  gint64 n_columns = self->n_columns, n_all = count / self->n_sum;
  g_autofree double *bias = read_columns (self, self->in->bias);
  g_autofree double *positive = tp_new0 (double, n_all + 1);
  g_autofree double *negative = tp_new0 (double, n_all + 1);
  Reach reach = find_reach (self);

  for (gint64 i = 0; i < count; i++)
    {
      gint64 matrix = i / (self->n_sum * n_columns);
      gint64 column = matrix * n_columns + column_of (self, i) % n_columns;
      double w = self->weights[i];

      positive[column] += MAX (w, 0.0);
      negative[column] += MAX (-w, 0.0);
    }
  for (gint64 i = 0; i < n_all; i++)
    if (find_most (&reach, positive[i], negative[i])
            + (bias == NULL ? 0.0 : fabs (bias[i % n_columns]))
        > MOST_EXACT)
      return FALSE;
  return TRUE;
}

/* ---- what it is made of -------------------------------------------------- */

/* The weights as float32, made once of each constant; -1 on error. */
static int
add_weights (Rewrite *self, GError **error)
{
  Pass *pass = self->pass;
  int w = self->node.inputs[self->in->w];
  TpTensor like = *tp_draft_tensor (pass->draft, w);

  if (pass->real[w] >= 0)
    return pass->real[w];
  like.dtype = TPLAN_DTYPE_FLOAT32;
  pass->real[w] = tp_draft_add_values (pass->draft, &like, ":real",
                                       self->weights, error);
  return pass->real[w];
}

/* One number of each column, along the columns of the result. */
static int
add_columns (Rewrite *self, const double *values, const char *suffix,
             GError **error)
{
  const TpTensor *out
      = tp_draft_tensor (self->pass->draft, self->node.outputs[0]);
  TpTensor like = { .name = out->name, .dtype = TPLAN_DTYPE_FLOAT32 };

  like.rank = self->is_conv ? out->rank - 1 : 1;
  for (int i = 0; i < like.rank; i++)
    like.dims[i] = 1;
  like.dims[0] = self->n_columns;
  return tp_draft_add_values (self->pass->draft, &like, suffix, values, error);
}

/* What a sum is multiplied by, each step in float32. */
static int
add_factors (Rewrite *self, GError **error)
{
  g_autofree double *x = read_columns (self, self->in->x_scale);
  g_autofree double *w = read_columns (self, self->in->w_scale);
  g_autofree double *y = read_columns (self, self->in->y_scale);

  for (gint64 i = 0; i < self->n_columns; i++)
    w[i] = (float) ((float) (x[i] * w[i]) / y[i]);
  return add_columns (self, w, ":factors", error);
}

/* A node before the last: its output, of float32, or -1 on error. An input of -1 ends
 * them. */
static int
append (Rewrite *self, const char *type, const int inputs[3], GError **error)
{
  TpDraft *draft = self->pass->draft;
  TpTensor like = *tp_draft_tensor (draft, self->node.outputs[0]);
  int *ends = tp_region_alloc (draft->region, 4, sizeof *ends, error);
  TpNode node = self->node;

  if (ends == NULL)
    return -1;
  memcpy (ends, inputs, 3 * sizeof *ends);
  like.dtype = TPLAN_DTYPE_FLOAT32;
  ends[3] = tp_draft_add_stage (draft, &like, error);
  node.type = type;
  node.op = tp_op_find (type);
  node.name = ends[3] < 0 ? NULL
                          : tp_draft_make_node_name (draft, self->node.name,
                                                     ":step", error);
  if (node.name == NULL)
    return -1;
  node.inputs = ends;
  for (node.n_inputs = 0; node.n_inputs < 3 && ends[node.n_inputs] >= 0;)
    node.n_inputs++;
  node.outputs = ends + 3;
  if (node.op->attrs != tp_op_find ("ConvInteger")->attrs)
    node.n_attrs = 0;
  tp_array_append_val (draft->nodes, node);
  return ends[3];
}

/* Takes the place and the name of the node. */
static gboolean
finish (Rewrite *self, int index, const char *type, const int inputs[3],
        GError **error)
{
  TpDraft *draft = self->pass->draft;
  int *ends = tp_region_dup (draft->region, inputs, 3, sizeof *ends, error);
  TpAttr *to = tp_region_alloc (draft->region, 1, sizeof *to, error);
  TpNode node = self->node;

  if (ends == NULL || to == NULL)
    return FALSE;
  *to = (TpAttr){ .name = "to", .kind = TP_ATTR_INT,
                  .i = tp_dtype_get (TPLAN_DTYPE_INT32)->onnx };
  node.type = type;
  node.op = tp_op_find (type);
  node.inputs = ends;
  node.n_inputs = inputs[1] < 0 ? 1 : 3;
  node.attrs = to;
  node.n_attrs = inputs[1] < 0;
  *tp_draft_node (draft, index) = node;
  return TRUE;
}

static gboolean
add_bias (Rewrite *self, int *sum, GError **error)
{
  g_autofree double *bias = read_columns (self, self->in->bias);
  int values = bias == NULL ? -1 : add_columns (self, bias, ":bias", error);

  if (bias == NULL)
    return TRUE;
  if (values >= 0)
    *sum = append (self, "Add", (int[]){ *sum, values, -1 }, error);
  return values >= 0 && *sum >= 0;
}

static gboolean
rewrite (Rewrite *self, int index, GError **error)
{
  const TpIntegerInputs *in = self->in;
  const char *type = self->is_conv ? "ConvInteger" : "MatMulInteger";
  TpTensor one = { .name = self->node.name, .dtype = TPLAN_DTYPE_FLOAT32 };
  int out = self->node.outputs[0], w = add_weights (self, error);
  int zero = get_input (self, in->x_zero) ? self->node.inputs[in->x_zero] : -1;
  int factors, scale, sum = w < 0 ? -1
                                  : append (self, type,
                                            (int[]){ self->node.inputs[0], w,
                                                     zero }, error);

  if (sum < 0)
    return FALSE;
  if (in->y_scale < 0)
    {
      self->pass->real[out] = sum;
      return finish (self, index, "Cast", (int[]){ sum, -1, -1 }, error);
    }
  if (!add_bias (self, &sum, error))
    return FALSE;
  factors = add_factors (self, error);
  sum = factors < 0 ? -1
                    : append (self, "Mul", (int[]){ sum, factors, -1 }, error);
  scale = sum < 0 ? -1
                  : tp_draft_add_values (self->pass->draft, &one, ":one",
                                         &(double){ 1.0 }, error);
  return scale >= 0
         && finish (self, index, "QuantizeLinear",
                    (int[]){ sum, scale, self->node.inputs[in->y_zero] },
                    error);
}

/* ---- all of them --------------------------------------------------------- */

/* Whether there is enough known of the node, and w is a constant in the file: what is
 * made of it takes four times as much. */
static gboolean
rewrite_init (Rewrite *self, Pass *pass, const TpNode *node)
{
  const TpIntegerInputs *in = is_product (node) ? tp_integer_get_inputs (node)
                                                : NULL;
  const TpTensor *w;
  int index, zero;

  *self = (Rewrite){ .pass = pass, .node = *node, .in = in };
  if (in == NULL || node->n_costs > 0)
    return FALSE;
  index = node->inputs[in->w];
  zero = in->w_zero < node->n_inputs ? node->inputs[in->w_zero] : -1;
  w = get_input (self, in->w);
  if (w->init.kind != TP_INIT_DATA || w->count == 0
      || !tp_dtype_is_integer (w->dtype)
      || (pass->real[index] >= 0 && pass->zero[index] != zero))
    return FALSE;
  self->is_conv = node->op->attrs != NULL;
  self->n_columns = self->is_conv ? w->dims[0]
                    : w->rank > 1 ? w->dims[w->rank - 1]
                                  : 1;
  self->n_sum = self->is_conv ? w->count / w->dims[0]
                : w->rank > 1 ? w->dims[w->rank - 2]
                              : w->count;
  pass->zero[index] = zero;
  return is_known (self, in->w_zero, self->n_columns)
         && is_known (self, in->bias, self->n_columns)
         && is_known (self, in->x_scale, 1)
         && is_known (self, in->w_scale, self->n_columns)
         && is_known (self, in->y_scale, 1);
}

/* Reads, instead of the integers that were Cast from float32, these. */
static gboolean
skip_casts (Pass *pass, GError **error)
{
  for (guint i = 0; i < pass->draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (pass->draft, i);
      int *inputs;

      if (!tp_node_is (node, "Cast") || node->inputs[0] >= pass->n
          || pass->real[node->inputs[0]] < 0
          || tp_draft_tensor (pass->draft, node->outputs[0])->dtype
                 != TPLAN_DTYPE_FLOAT32)
        continue;
      inputs = tp_region_alloc (pass->draft->region, 1, sizeof *inputs, error);
      if (inputs == NULL)
        return FALSE;
      inputs[0] = pass->real[node->inputs[0]];
      node->type = "Identity";
      node->op = tp_op_find (node->type);
      node->inputs = inputs;
      node->n_attrs = 0;
    }
  return TRUE;
}

static gboolean
rewrite_products (TpDraft *draft, GError **error)
{
  int n = (int) draft->tensors->len;
  guint n_nodes = draft->nodes->len;
  g_autofree int *real = tp_new (int, n + 1);
  g_autofree int *zero = tp_new (int, n + 1);
  Pass pass = { draft, n, real, zero };

  memset (real, -1, (n + 1) * sizeof *real);
  for (guint i = 0; i < n_nodes; i++)
    {
      g_auto (Rewrite) self = { 0 };

      if (!rewrite_init (&self, &pass, tp_draft_node (draft, i)))
        continue;
      read_weights (&self);
      if (is_exact (&self) && !rewrite (&self, i, error))
        return FALSE;
    }
  if (draft->nodes->len == n_nodes)
    return TRUE;
  return skip_casts (&pass, error) && tp_draft_sort (draft, error);
}

const TpPass tp_pass_integer = {
  .name = "integer",
  .summary = "products of small integers by float32, where they are exact",
  .concerns = is_product,
  .run = rewrite_products,
};
