/* small-sums.c: see small-sums.h.
 *
 * Of x less its zero point, from -low to high, and weights less theirs, the positive ones
 * P in all and the negative ones N, no such sum is above high * P + low * N or below
 * -(low * P + high * N). P and N are known for each column or filter; of a zero point
 * that is not known, low + high is. */
#include "config.h"

#include "graph/small-sums.h"

#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ops/op-integer.h"
#include "ops/op-util.h"
#include "ops/op.h"

#include <math.h>
#include <string.h>

#define MOST 0x1p24           /* that float32 holds, and all before */

typedef struct
{
  TpDraft *draft;
  const TpNode *node;
  const TpIntegerInputs *in;
  gboolean is_conv;
  gint64 n_columns;           /* of w, or filters */
  gint64 n_sum;               /* products in a sum */
  double *weights;            /* (owned) less their zero points */
} Node;

static void
node_clear (Node *self)
{
  g_free (self->weights);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Node, node_clear)

gboolean
tp_node_multiplies_integers (const TpNode *node)
{
  return tp_node_has_flag (node, TP_OP_OF_BYTES);
}

/* Input @i, or NULL. */
static const TpTensor *
get_input (const Node *self, int i)
{
  if (i < 0 || !tp_node_has_input (self->node, i))
    return NULL;
  return tp_draft_tensor (self->draft, self->node->inputs[i]);
}

/* Input @i is left out, or a constant: one number, or @n in a row. */
static gboolean
is_known (const Node *self, int i, gint64 n)
{
  const TpTensor *tensor = get_input (self, i);

  return tensor == NULL
         || (tp_tensor_is_constant (tensor)
             && (tensor->count == 1
                 || (tensor->rank == 1 && tensor->count == n)));
}

/* The values of input @i, one for each column; NULL: it is left out. */
static double *
read_columns (const Node *self, int i)
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
column_of (const Node *self, gint64 i)
{
  return self->is_conv ? i / self->n_sum : i % self->n_columns;
}

static void
read_weights (Node *self)
{
  const TpTensor *w = get_input (self, self->in->w);
  g_autofree double *zero = read_columns (self, self->in->w_zero);

  self->weights = tp_new (double, w->count + 1);
  tp_tensor_write_doubles (w, self->weights);
  for (gint64 i = 0; zero != NULL && i < w->count; i++)
    self->weights[i] -= zero[column_of (self, i)];
}

/* ---- is it small? -------------------------------------------------------- */

/* How far x may be from its zero point. */
typedef struct
{
  gboolean is_known;          /* else @high is how far it may be in all */
  double low, high;
} Reach;

static Reach
find_reach (const Node *self)
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
is_small (const Node *self)
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
        > MOST)
      return FALSE;
  return TRUE;
}

/* ---- all of them --------------------------------------------------------- */

/* Whether enough is known of the node, and w is a constant in the file. */
static gboolean
node_init (Node *self, TpDraft *draft, const TpNode *node)
{
  const TpIntegerInputs *in = tp_node_multiplies_integers (node) ? tp_integer_get_inputs (node)
                                                : NULL;
  const TpTensor *w;

  *self = (Node){ .draft = draft, .node = node, .in = in };
  if (in == NULL)
    return FALSE;
  w = get_input (self, in->w);
  if (w->init.kind != TP_INIT_DATA || w->count == 0)
    return FALSE;
  self->is_conv = node->op->attrs != NULL;
  self->n_columns = self->is_conv ? w->dims[0]
                    : w->rank > 1 ? w->dims[w->rank - 1]
                                  : 1;
  self->n_sum = self->is_conv ? w->count / w->dims[0]
                : w->rank > 1 ? w->dims[w->rank - 2]
                              : w->count;
  return is_known (self, in->w_zero, self->n_columns)
         && is_known (self, in->bias, self->n_columns);
}

gboolean
tp_draft_has_small_sums (TpDraft *draft, const TpNode *node)
{
  g_auto (Node) self = { 0 };

  if (!node_init (&self, draft, node))
    return FALSE;
  read_weights (&self);
  return is_small (&self);
}
