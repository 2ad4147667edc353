/* op-einsum.c: sums of products, by Einstein's convention: "bij,bkj->bik". */
#include "config.h"

#include "ir/guard.h"
#include "ops/op-util.h"

#include <string.h>

#define MAX_LABELS TP_NEST_MAX_AXES

/* A label stands for an index that runs over dimensions of inputs; the product
 * of the inputs is summed over those that are not the output's. The dimensions
 * of "..." have digits for labels, counted from the right. */
typedef struct
{
  char **terms;               /* of the inputs: a label for each dimension */
  char labels[MAX_LABELS + 1]; /* the output's first */
  gint64 extents[MAX_LABELS];
  int n_labels, n_outputs;
  gint64 n_products;
} Einsum;

static void
einsum_clear (Einsum *einsum)
{
  g_strfreev (einsum->terms);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Einsum, einsum_clear)

/* @term for @rank dimensions, without spaces; NULL with an error. */
static char *
expand_term (const TpNode *node, const char *term, int rank, GError **error)
{
  g_autoptr (GString) labels = g_string_new (NULL);
  const char *dots = strstr (term, "...");
  int n_letters = 0;

  for (const char *p = term; *p != '\0'; p++)
    n_letters += g_ascii_isalpha (*p) != 0;
  if (dots == NULL ? n_letters != rank : n_letters > rank)
    {
      tp_op_fail (node, error, "'%s' of the equation does not stand for %d "
                  "dimensions", term, rank);
      return NULL;
    }
  for (const char *p = term; *p != '\0'; p++)
    if (p == dots)
      {
        for (int i = rank - n_letters - 1; i >= 0; i--)
          g_string_append_c (labels, '0' + i);
        p += 2;
      }
    else if (g_ascii_isalpha (*p))
      g_string_append_c (labels, *p);
    else if (*p != ' ')
      {
        tp_op_fail (node, error, "'%c' in the equation is neither a letter "
                    "nor one of ',', '...', '->'", *p);
        return NULL;
      }
  return g_string_free (g_steal_pointer (&labels), FALSE);
}

/* The output when the equation does not say it: what "..." stands for, and the
 * letters that are there once, in the order of the alphabet. */
static char *
imply_output (char *const *terms, int n_dots)
{
  GString *labels = g_string_new (NULL);

  for (int i = n_dots - 1; i >= 0; i--)
    g_string_append_c (labels, '0' + i);
  for (char c = 'A'; c <= 'z'; c++)
    {
      int n = 0;

      for (int i = 0; terms[i] != NULL; i++)
        for (const char *p = terms[i]; *p != '\0'; p++)
          n += *p == c;
      if (n == 1)
        g_string_append_c (labels, c);
    }
  return g_string_free (labels, FALSE);
}

/* The most dimensions "..." stands for. */
static int
count_dots (char *const *terms)
{
  int n = 0;

  for (int i = 0; terms[i] != NULL; i++)
    for (const char *p = terms[i]; *p != '\0'; p++)
      if (g_ascii_isdigit (*p))
        n = MAX (n, *p - '0' + 1);
  return n;
}

/* NULL with an error. */
static char *
find_output (const TpNode *node, char *const *terms, const char *given,
             GError **error)
{
  int n_dots = count_dots (terms);
  int n_letters = 0;

  if (given == NULL)
    return imply_output (terms, n_dots);
  for (const char *p = given; *p != '\0'; p++)
    n_letters += g_ascii_isalpha (*p) != 0;
  return expand_term (node, given,
                      n_letters + (strstr (given, "...") ? n_dots : 0), error);
}

static gboolean
add_label (Einsum *einsum, const TpNode *node, char label, GError **error)
{
  if (strchr (einsum->labels, label) != NULL)
    return TRUE;
  if (einsum->n_labels == MAX_LABELS)
    return tp_op_refuse (node, error, "the equation has more than %d labels",
                         MAX_LABELS);
  einsum->labels[einsum->n_labels] = label;
  einsum->extents[einsum->n_labels++] = -1;
  return TRUE;
}

static gboolean
add_labels (Einsum *einsum, const TpNode *node, const char *output,
            GError **error)
{
  if (strlen (output) > TP_MAX_RANK)
    return tp_op_refuse (node, error, "the output has more than %d dimensions",
                         TP_MAX_RANK);
  for (const char *p = output; *p != '\0'; p++)
    if (strchr (p + 1, *p) != NULL)
      return tp_op_fail (node, error, "label '%c' of the output is there twice",
                         *p);
    else if (!add_label (einsum, node, *p, error))
      return FALSE;
  einsum->n_outputs = einsum->n_labels;
  for (int i = 0; einsum->terms[i] != NULL; i++)
    for (const char *p = einsum->terms[i]; *p != '\0'; p++)
      if (!add_label (einsum, node, *p, error))
        return FALSE;
  return TRUE;
}

static int
find_label (const Einsum *einsum, int input, int dim)
{
  return strchr (einsum->labels, einsum->terms[input][dim]) - einsum->labels;
}

static gboolean
set_extent (Einsum *einsum, const TpNode *node, int label, gint64 extent,
            GError **error)
{
  gint64 *own = &einsum->extents[label];

  if (*own == -1 || *own == 1)
    *own = extent;
  if (extent == 1 || *own == extent)
    return TRUE;
  return tp_op_fail (node, error,
                     "label '%c' is for %" G_GINT64_FORMAT
                     " and %" G_GINT64_FORMAT,
                     einsum->labels[label], *own, extent);
}

/* What stands between commas; of "", which is how a scalar is written, one. */
static char **
split_terms (const char *side)
{
  char **terms = g_strsplit (side, ",", -1);

  if (terms[0] != NULL)
    return terms;
  g_strfreev (terms);
  terms = g_new0 (char *, 2);
  terms[0] = g_strdup ("");
  return terms;
}

static gboolean
split_equation (Einsum *einsum, const TpNode *node, const int *ranks,
                char **out_output, GError **error)
{
  const char *equation = tp_node_get_string (node, "equation", "");
  g_auto (GStrv) sides = g_strsplit (equation, "->", 2);
  int n = 0;

  if (sides[0] == NULL)
    return tp_op_fail (node, error, "the equation is empty");
  einsum->terms = split_terms (sides[0]);
  n = g_strv_length (einsum->terms);
  if (n != node->n_inputs)
    return tp_op_fail (node, error, "equation '%s' is for %d inputs, not %d",
                       equation, n, node->n_inputs);
  for (int i = 0; i < n; i++)
    {
      char *term = expand_term (node, einsum->terms[i], ranks[i], error);

      if (term == NULL)
        return FALSE;
      g_free (einsum->terms[i]);
      einsum->terms[i] = term;
    }
  *out_output = find_output (node, einsum->terms, sides[1], error);
  return *out_output != NULL;
}

static gboolean
einsum_init (Einsum *einsum, const TpNode *node, const int *ranks,
             const gint64 *const *dims, GError **error)
{
  g_autofree char *output = NULL;
  *einsum = (Einsum){ 0 };
  if (!split_equation (einsum, node, ranks, &output, error)
      || !add_labels (einsum, node, output, error))
    return FALSE;
  for (int i = 0; i < node->n_inputs; i++)
    for (int k = 0; k < ranks[i]; k++)
      if (!set_extent (einsum, node, find_label (einsum, i, k), dims[i][k],
                       error))
        return FALSE;
  for (int i = 0; i < einsum->n_outputs; i++)
    if (einsum->extents[i] == -1)
      return tp_op_fail (node, error, "label '%c' of the output is in no input",
                         einsum->labels[i]);
  if (!tp_dims_count (einsum->n_labels, einsum->extents, &einsum->n_products))
    return tp_op_fail (node, error,
                       "the equation asks for more than 2^60 products");
  return TRUE;
}

static gboolean
init_of_tensors (Einsum *einsum, const TpNode *node,
                 const TpTensor *const *inputs, GError **error)
{
  g_autofree int *ranks = tp_new (int, node->n_inputs);
  g_autofree const gint64 **dims = tp_new (const gint64 *, node->n_inputs);

  for (int i = 0; i < node->n_inputs; i++)
    {
      if (inputs[i] == NULL)
        return tp_op_fail (node, error, "input %d may not be left out", i);
      ranks[i] = inputs[i]->rank;
      dims[i] = inputs[i]->dims;
    }
  return einsum_init (einsum, node, ranks, dims, error);
}

static gboolean
einsum_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  g_auto (Einsum) einsum = { 0 };

  if (!tp_infer_one_dtype (node, inputs, error)
      || !init_of_tensors (&einsum, node, inputs, error))
    return FALSE;
  outputs[0].dtype = inputs[0]->dtype;
  outputs[0].rank = einsum.n_outputs;
  memcpy (outputs[0].dims, einsum.extents,
          einsum.n_outputs * sizeof einsum.extents[0]);
  return TRUE;
}

/* Expression: input @i at the axes of its labels. A label that is there twice
 * walks the diagonal. */
static int
load_input (TpLowering *lowering, const Einsum *einsum, const int *axes, int i)
{
  const TpTensor *x = tp_lowering_get_input (lowering, i);
  TpAccess *load = tp_lowering_add_load (lowering, i);

  for (int k = 0; k < x->rank; k++)
    if (x->dims[k] != 1)
      load->stride[axes[find_label (einsum, i, k)]] += x->strides[k];
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static gboolean
einsum_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  g_autofree const TpTensor **inputs
      = tp_new (const TpTensor *, node->n_inputs);
  g_auto (Einsum) einsum = { 0 };
  int axes[MAX_LABELS];
  int product = -1;

  for (int i = 0; i < node->n_inputs; i++)
    inputs[i] = tp_lowering_get_input (&lowering, i);
  if (!init_of_tensors (&einsum, node, inputs, error))
    return FALSE;
  tp_lowering_add_output_axes (&lowering);
  for (int i = 0; i < einsum.n_labels; i++)
    axes[i] = i < einsum.n_outputs
                  ? i
                  : tp_lowering_add_reduce_axis (&lowering, einsum.extents[i]);
  for (int i = 0; i < node->n_inputs; i++)
    {
      int x = load_input (&lowering, &einsum, axes, i);

      product = i == 0 ? x : tp_nest_binary (lowering.nest, TP_EXPR_MUL,
                                             product, x);
    }
  return tp_lowering_finish (
      &lowering, tp_lowering_reduce (&lowering, TP_COMBINE_SUM, product));
}

/* The product of all inputs at one point of all labels. */
static double
multiply_at (const Einsum *einsum, const TpNode *node,
             const TpRefTensor *const *inputs, const gint64 *at)
{
  double product = 1.0;

  for (int i = 0; i < node->n_inputs; i++)
    {
      const TpRefTensor *x = inputs[i];
      gint64 index = 0;

      for (int k = 0; k < x->rank; k++)
        index = index * x->dims[k]
                + (x->dims[k] == 1 ? 0 : at[find_label (einsum, i, k)]);
      product *= x->data[index];
    }
  return product;
}

static void
einsum_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  g_autofree int *ranks = tp_new (int, node->n_inputs);
  g_autofree const gint64 **dims = tp_new (const gint64 *, node->n_inputs);
  g_auto (Einsum) einsum = { 0 };
  gint64 at[MAX_LABELS] = { 0 };
  gint64 n_summed = 1;

  for (int i = 0; i < node->n_inputs; i++)
    {
      ranks[i] = inputs[i]->rank;
      dims[i] = inputs[i]->dims;
    }
  if (!einsum_init (&einsum, node, ranks, dims, NULL))
    g_assert_not_reached ();
  for (int i = einsum.n_outputs; i < einsum.n_labels; i++)
    n_summed *= einsum.extents[i];
  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      double sum = 0.0;

      /* The labels to sum over come last, so they turn fastest. */
      for (gint64 k = 0; k < n_summed; k++)
        {
          sum += multiply_at (&einsum, node, inputs, at);
          tp_dims_next (einsum.n_labels, einsum.extents, at);
        }
      outputs[0].data[i] = sum;
    }
}

static const TpAttrSpec einsum_attrs[] = {
  { "equation", TP_ATTR_STRING, TRUE },
  { 0 },
};

static gint64
einsum_count_products (const TpNode *node, const TpTensor *const *inputs,
                       const TpTensor *output)
{
  g_auto (Einsum) einsum = { 0 };

  return init_of_tensors (&einsum, node, inputs, NULL) ? einsum.n_products
                                                       : G_MAXINT64;
}

const TpOp tp_op_einsum = {
  .name = "Einsum",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 1,
  .n_inputs_max = TP_VARIADIC,
  .n_outputs_max = 1,
  .attrs = einsum_attrs,
  .tolerance = 1e-5,
  .infer = einsum_infer,
  .lower = einsum_lower,
  .reference = einsum_reference,
  .products = TP_PRODUCT (TP_PRODUCT_ALL),
  .count_products = einsum_count_products,
};
