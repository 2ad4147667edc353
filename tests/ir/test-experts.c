/* test-experts.c: MoE and QMoE of ONNX Runtime, worked out here expert by expert for each
 * token, of those that the router picks alone. */
#include "config.h"

#include "ops/reference.h"
#include "quoted-graph.h"

#include <math.h>

#define TOKENS 3
#define EXPERTS 4
#define OUTER 32
#define INNER 48
#define PICKED 2
#define MOST (EXPERTS * 2 * INNER * OUTER)
#define ALPHA 1.5
#define BETA 0.5
#define LIMIT 1.25

typedef struct
{
  const char *name, *activation;
  int fusion;                 /* of swiglu; 0: two products */
  gboolean has_third;
  int bits, block;            /* 0: reals, a column */
  gboolean has_zeros, normalizes, has_shares;
} Case;

static const Case cases[] = {
  { "relu", "relu", 0, FALSE, 0, 0, FALSE, FALSE, FALSE },
  { "silu-third", "silu", 0, TRUE, 0, 0, FALSE, TRUE, FALSE },
  { "swiglu-turns", "swiglu", 1, FALSE, 0, 0, FALSE, FALSE, FALSE },
  { "swiglu-halves", "swiglu", 2, FALSE, 0, 0, FALSE, FALSE, FALSE },
  { "swiglu-third", "swiglu", 0, TRUE, 0, 0, FALSE, TRUE, FALSE },
  { "bits-4", "identity", 0, FALSE, 4, 16, FALSE, FALSE, FALSE },
  { "bits-4-zeros", "silu", 0, FALSE, 4, 16, TRUE, TRUE, FALSE },
  { "bits-4-column", "silu", 0, FALSE, 4, 0, TRUE, TRUE, FALSE },
  { "bits-8-shares", "relu", 0, FALSE, 8, 16, TRUE, FALSE, TRUE },
  { "bits-8-shares-even", "relu", 0, FALSE, 8, 16, FALSE, TRUE, TRUE },
  { "bits-2-third", "silu", 0, TRUE, 2, 16, TRUE, TRUE, FALSE },
  { "bits-4-swiglu", "swiglu", 1, FALSE, 4, 16, FALSE, TRUE, FALSE },
};

/* A product of each expert, with reals: rows, columns. */
typedef struct
{
  int n_rows, n_columns;
  double weights[MOST], bias[EXPERTS * 2 * INNER];
} Product;

typedef struct
{
  const Case *c;
  GString *tensors;           /* initializers, as JSON */
  Product products[3];
  double x[TOKENS * OUTER], scores[TOKENS * EXPERTS], shares[TOKENS * EXPERTS];
} Model;

/* ---- drawing ----------------------------------------------------------------- */

/* Bytes where the name begins with q. */
static void
add_tensor (Model *self, const char *name, const char *shape, int n, const double *values)
{
  gboolean is_byte = *name == 'q';

  g_string_append_printf (self->tensors, "%s{'name': '%s', 'dtype': '%s', 'shape': [%s], "
                          "'data': [", self->tensors->len == 0 ? "" : ", ", name,
                          is_byte ? "uint8" : "float32", shape);
  for (int i = 0; i < n; i++)
    g_string_append_printf (self->tensors, "%s%.9g", i == 0 ? "" : ", ", values[i]);
  g_string_append (self->tensors, "]}");
}

/* @n of them, from @low to below @high, in steps of @step. */
static void
draw (double *out, int n, int low, int high, double step)
{
  for (int i = 0; i < n; i++)
    out[i] = g_test_rand_int_range (low, high) * step;
}

/* Packs @n numbers of @bits, which begin a byte anew in each row of @width. */
static int
pack (const double *codes, int n, int width, int bits, double *out)
{
  int n_bytes = 0, each = 8 / bits;

  for (int row = 0; row < n / width; row++)
    for (int i = 0; i < width; i++)
      {
        if (i % each == 0)
          out[n_bytes++] = 0;
        out[n_bytes - 1] += codes[row * width + i] * (1 << i % each * bits);
      }
  return n_bytes;
}

/* Codes, scales and zero points, and what they stand for. */
static void
draw_packed (Model *self, int p)
{
  static double codes[MOST], scales[MOST], zeros[MOST], bytes[MOST];
  Product *product = &self->products[p];
  int rows = EXPERTS * product->n_rows, bits = self->c->bits;
  int block = self->c->block == 0 ? product->n_columns : self->c->block;
  int n_blocks = product->n_columns / block, middle = 1 << (bits - 1);
  int width = self->c->block == 0 ? product->n_rows : n_blocks;
  g_autofree char *shape = g_strdup_printf ("%d, %d, %d", EXPERTS, product->n_rows,
                                            product->n_columns * bits / 8);
  g_autofree char *blocks
      = g_strdup_printf (self->c->block == 0 ? "%d, %d" : "%d, %d, %d", EXPERTS,
                         product->n_rows, n_blocks);
  g_autofree char *packed
      = self->c->block == 0
            ? g_strdup_printf ("%d, %d", EXPERTS, (width * bits + 7) / 8)
            : g_strdup_printf ("%d, %d, %d", EXPERTS, product->n_rows, (width * bits + 7) / 8);
  char name[3] = { 'q', (char) ('0' + p), '\0' };

  draw (codes, rows * product->n_columns, 0, 1 << bits, 1);
  draw (scales, rows * n_blocks, 1, 8, 0.25 / middle);
  draw (zeros, rows * n_blocks, 0, 1 << bits, 1);
  for (int i = 0; i < rows * product->n_columns; i++)
    {
      double zero = self->c->has_zeros ? zeros[i / block] : middle;

      product->weights[i] = (codes[i] - zero) * scales[i / block];
    }
  add_tensor (self, name, shape, pack (codes, rows * product->n_columns, product->n_columns,
                                       bits, bytes), bytes);
  name[0] = 's';
  add_tensor (self, name, blocks, rows * n_blocks, scales);
  name[0] = 'q';
  name[1] = (char) ('5' + p);
  add_tensor (self, name, packed, pack (zeros, rows * n_blocks, width, bits, bytes), bytes);
}

static void
draw_product (Model *self, int p, int n_rows, int n_columns)
{
  Product *product = &self->products[p];
  g_autofree char *shape
      = g_strdup_printf ("%d, %d, %d", EXPERTS, n_rows, n_columns);
  g_autofree char *bias = g_strdup_printf ("%d, %d", EXPERTS, n_rows);
  char name[3] = { 'w', (char) ('0' + p), '\0' };

  product->n_rows = n_rows;
  product->n_columns = n_columns;
  draw (product->bias, EXPERTS * n_rows, -8, 8, 0.125);
  draw (product->weights, EXPERTS * n_rows * n_columns, -8, 8, 0.0625);
  if (self->c->bits != 0)
    draw_packed (self, p);
  else
    add_tensor (self, name, shape, EXPERTS * n_rows * n_columns, product->weights);
  name[0] = 'b';
  add_tensor (self, name, bias, EXPERTS * n_rows, product->bias);
}

static char *
name_inputs (const Case *c)
{
  if (c->bits == 0)
    return g_strdup_printf ("'x', 'p', 'w0', 'b0', 'w1', 'b1'%s",
                            c->has_third ? ", 'w2', 'b2'" : "");
  return g_strdup_printf ("'x', 'p', 'q0', 's0', 'b0', 'q1', 's1', 'b1', %s, %s, %s",
                          c->has_third ? "'q2', 's2', 'b2'" : "'', '', ''",
                          !c->has_zeros   ? "'', '', ''"
                          : c->has_third ? "'q5', 'q6', 'q7'"
                                         : "'q5', 'q6', ''",
                          c->has_shares ? "'r'" : "''");
}

/* ---- by hand ------------------------------------------------------------------- */

static double
get_row (const Product *product, int expert, int row, const double *x)
{
  double sum = product->bias[expert * product->n_rows + row];

  for (int i = 0; i < product->n_columns; i++)
    sum += product->weights[(expert * product->n_rows + row) * product->n_columns + i] * x[i];
  return sum;
}

static double
activate (const Model *self, int expert, int i, const double *x)
{
  const Product *in = &self->products[0];
  int fusion = self->c->fusion;
  double gate = get_row (in, expert, fusion == 1 ? 2 * i : i, x), other = 1;

  if (self->c->has_third)
    other = get_row (&self->products[2], expert, i, x);
  else if (fusion != 0)
    other = get_row (in, expert, fusion == 1 ? 2 * i + 1 : INNER + i, x);
  if (strcmp (self->c->activation, "swiglu") == 0)
    {
      gate = MIN (gate, LIMIT);
      other = CLAMP (other, -LIMIT, LIMIT);
      return gate / (1 + exp (-ALPHA * gate)) * (other + BETA);
    }
  if (strcmp (self->c->activation, "relu") == 0)
    gate = MAX (gate, 0);
  else if (strcmp (self->c->activation, "silu") == 0)
    gate /= 1 + exp (-gate);
  return gate * other;
}

/* What experts count for: of those with the greatest scores, which all differ. */
static void
route (const Model *self, int token, double *out)
{
  const double *scores = self->scores + token * EXPERTS;
  double all = 0, picked = 0;

  for (int e = 0; e < EXPERTS; e++)
    {
      int n_above = 0;

      for (int k = 0; k < EXPERTS; k++)
        n_above += scores[k] > scores[e];
      out[e] = self->c->has_shares ? self->shares[token * EXPERTS + e] : exp (scores[e]);
      all += exp (scores[e]);
      out[e] = n_above < PICKED ? out[e] : 0;
      picked += out[e];
    }
  for (int e = 0; e < EXPERTS; e++)
    out[e] /= self->c->normalizes ? picked : self->c->has_shares ? 1 : all;
}

static void
compute (const Model *self, double *y)
{
  for (int token = 0; token < TOKENS; token++)
    {
      double counts[EXPERTS], inner[INNER];

      route (self, token, counts);
      for (int i = 0; i < OUTER; i++)
        y[token * OUTER + i] = 0;
      for (int e = 0; e < EXPERTS; e++)
        {
          for (int i = 0; i < INNER; i++)
            inner[i] = activate (self, e, i, self->x + token * OUTER);
          for (int i = 0; i < OUTER; i++)
            y[token * OUTER + i] += counts[e] * get_row (&self->products[1], e, i, inner);
        }
    }
}

/* ---- the test -------------------------------------------------------------------- */

/* In an order of its own each token has all scores. */
static void
draw_tokens (Model *self)
{
  draw (self->x, TOKENS * OUTER, -8, 8, 0.125);
  draw (self->shares, TOKENS * EXPERTS, 1, 8, 0.125);
  for (int token = 0; token < TOKENS; token++)
    for (int e = 0; e < EXPERTS; e++)
      self->scores[token * EXPERTS + e]
          = (e * (2 * token + 1) + token) % EXPERTS * 0.5 + token;
  add_tensor (self, "x", "3, 32", TOKENS * OUTER, self->x);
  add_tensor (self, "p", "3, 4", TOKENS * EXPERTS, self->scores);
  add_tensor (self, "r", "3, 4", TOKENS * EXPERTS, self->shares);
}

static void
test_case (gconstpointer user)
{
  const Case *c = user;
  g_autoptr (GString) tensors = g_string_new (NULL), text = g_string_new (NULL);
  g_autofree Model *model = g_new0 (Model, 1);
  g_autofree char *inputs = name_inputs (c);
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (GPtrArray) got = NULL;
  g_autoptr (GError) error = NULL;
  double want[TOKENS * OUTER];

  model->c = c;
  model->tensors = tensors;
  draw_tokens (model);
  draw_product (model, 0, c->fusion == 0 ? INNER : 2 * INNER, OUTER);
  draw_product (model, 1, OUTER, INNER);
  draw_product (model, 2, INNER, OUTER);
  g_string_printf (text, "{'format': 'tplan-graph/1', 'opset': 21, 'inputs': [], "
                   "'initializers': [%s], 'ops': [{'type': 'com.microsoft.%s', 'inputs': "
                   "[%s], 'outputs': ['y'], 'attrs': {'k': %d, 'activation_type': '%s', "
                   "'activation_alpha': %g, 'activation_beta': %g, 'swiglu_limit': %g, "
                   "'swiglu_fusion': %d, 'normalize_routing_weights': %d",
                   tensors->str, c->bits == 0 ? "MoE" : "QMoE", inputs, PICKED,
                   c->activation, ALPHA, BETA, LIMIT, c->fusion, c->normalizes);
  if (c->bits != 0)
    g_string_append_printf (text, ", 'expert_weight_bits': %d, 'block_size': %d", c->bits,
                            c->block);
  g_string_append (text, "}}], 'outputs': ['y']}");
  graph = test_load_quoted (text->str);
  got = tp_graph_run_reference (graph, NULL, FALSE, &error);
  g_assert_no_error (error);
  compute (model, want);
  for (int i = 0; i < TOKENS * OUTER; i++)
    g_assert_cmpfloat_with_epsilon (((double *) got->pdata[0])[i], want[i], 1e-5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/experts/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
