/* reference-parts.c: see reference-parts.h.
 *
 * What is linear in each of some inputs is computed digit by digit, to a base so small
 * that the sums of products of digits are exact in double, and added up as integers:
 * as one multiplies by hand. What only compares is shown the ranks of the elements,
 * which are small. Either way the op's own reference does the work. */
#include "config.h"

#include "ops/reference-parts.h"

#include "ir/compare.h"
#include "ir/guard.h"
#include "ir/region.h"
#include "nest/nest-expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_BITS 53         /* of a double */
#define MAX_BASE_BITS 16

typedef struct
{
  const TpNode *node;
  const TpRefTensor *const *inputs;
  TpRegion *memory;
  TpRefTensor *shown;         /* per input, as doubles */
  const TpRefTensor **given;
  TpRefTensor *outputs;       /* of doubles */
} Parts;

double *
tp_reference_get_doubles (TpRegion *region, gint64 n)
{
  double *doubles = tp_region_alloc (region, n + 1, sizeof (double), NULL);

  if (doubles == NULL)
    tp_guard_leave ((gsize) (n + 1) * sizeof (double));
  return doubles;
}

static void
parts_init (Parts *parts, const TpRefTensor *outputs)
{
  for (int i = 0; i < parts->node->n_inputs; i++)
    {
      const TpRefTensor *input = parts->inputs[i];

      if (input == NULL)
        continue;
      parts->shown[i] = *input;
      parts->given[i] = &parts->shown[i];
      if (input->integers == NULL)
        continue;
      parts->shown[i].dtype = TPLAN_DTYPE_FLOAT64;
      parts->shown[i].data
          = tp_reference_get_doubles (parts->memory, input->count);
      for (gint64 k = 0; k < input->count; k++)
        parts->shown[i].data[k] = (double) input->integers[k];
    }
  for (int i = 0; i < parts->node->n_outputs; i++)
    {
      parts->outputs[i] = outputs[i];
      if (outputs[i].integers == NULL)
        continue;
      parts->outputs[i].dtype = TPLAN_DTYPE_FLOAT64;
      parts->outputs[i].data
          = tp_reference_get_doubles (parts->memory, outputs[i].count);
    }
}

static void
parts_run (Parts *parts)
{
  parts->node->op->reference (parts->node, parts->given, parts->outputs);
}

/* ---- sums of products ---------------------------------------------------- */

/* The product of the factors that the node itself has, or 0: it is no integer. */
static double
find_factor (const TpNode *node)
{
  const TpAttrSpec *attrs = node->op->attrs;
  double product = 1.0;

  for (int i = 0; attrs != NULL && attrs[i].name != NULL; i++)
    if (attrs[i].kind == TP_ATTR_FLOAT)
      {
        double factor = tp_node_get_float (node, attrs[i].name, 1.0);

        product *= factor == floor (factor) ? MAX (fabs (factor), 1.0) : 0.0;
      }
  return product;
}

gboolean
tp_reference_has_products (const TpNode *node)
{
  double factor = find_factor (node);

  return node->op->products != NULL && node->n_inputs <= TP_MAX_FACTORS
         && factor > 0.0 && factor < 0x1p30;
}

/* One of the sums: of products of an element of each of these. */
typedef struct
{
  int inputs[TP_MAX_FACTORS];
  int digits[TP_MAX_FACTORS]; /* which are shown */
  int n_inputs;
  int base_bits, n_digits;
} Product;

/* A factor that is left out: there is no such sum. */
static gboolean
product_init (Product *product, const TpNode *node,
              const TpRefTensor *const *inputs, guint mask)
{
  int n = mask == TP_PRODUCT_ALL ? node->n_inputs : TP_MAX_FACTORS;

  *product = (Product){ 0 };
  for (int i = 0; i < n; i++)
    if ((mask & (1u << i)) != 0)
      {
        if (i >= node->n_inputs || inputs[i] == NULL)
          return FALSE;
        product->inputs[product->n_inputs++] = i;
      }
  return TRUE;
}

/* Each sum has at most as many products as there are choices of elements. */
static void
choose_base (Product *product, const Parts *parts, int width)
{
  const TpRefTensor *const *inputs = parts->inputs;
  double bits = EXACT_BITS - log2 (find_factor (parts->node));

  for (int i = 0; i < product->n_inputs; i++)
    bits -= log2 ((double) MAX (inputs[product->inputs[i]]->count, 1));
  product->base_bits = CLAMP ((int) floor (bits / product->n_inputs), 1,
                              MAX_BASE_BITS);
  product->n_digits = (width + product->base_bits - 1) / product->base_bits;
}

/* The digits that @product says; all other inputs are 0. */
static void
show_digits (Parts *parts, const Product *product)
{
  guint64 mask = (G_GUINT64_CONSTANT (1) << product->base_bits) - 1;

  for (int i = 0; i < parts->node->n_inputs; i++)
    if (parts->given[i] != NULL)
      memset (parts->shown[i].data, 0,
              parts->shown[i].count * sizeof (double));
  for (int f = 0; f < product->n_inputs; f++)
    {
      const TpRefTensor *input = parts->inputs[product->inputs[f]];
      double *shown = parts->shown[product->inputs[f]].data;
      int shift = product->digits[f] * product->base_bits;

      for (gint64 k = 0; k < input->count; k++)
        shown[k] = (double) ((guint64) input->integers[k] >> shift & mask);
    }
}

static void
add_output (const Parts *parts, int shift, TpRefTensor *output)
{
  for (gint64 k = 0; k < output->count; k++)
    output->integers[k]
        = (gint64) ((guint64) output->integers[k]
                    + ((guint64) (gint64) parts->outputs[0].data[k] << shift));
}

/* FALSE: there are no more that reach into the @n_digits of the result. */
static gboolean
next_digits (Product *product, int *out_place)
{
  for (int f = 0; f < product->n_inputs; f++)
    {
      product->digits[f]++;
      *out_place = 0;
      for (int k = 0; k < product->n_inputs; k++)
        *out_place += product->digits[k];
      if (*out_place < product->n_digits)
        return TRUE;
      product->digits[f] = 0;
    }
  return FALSE;
}

static void
add_product (Parts *parts, Product *product, TpRefTensor *output)
{
  int place = 0;

  choose_base (product, parts,
               8 * (int) tp_dtype_get (output->dtype)->size);
  do
    {
      show_digits (parts, product);
      parts_run (parts);
      add_output (parts, place * product->base_bits, output);
    }
  while (next_digits (product, &place));
}

static double
find_greatest (const TpRefTensor *tensor)
{
  double greatest = 1.0;

  for (gint64 i = 0; i < tensor->count; i++)
    greatest = MAX (greatest, fabs ((double) tensor->integers[i]));
  return greatest;
}

static gboolean
has_no_factor (const TpNode *node)
{
  const TpAttrSpec *attrs = node->op->attrs;

  for (int i = 0; attrs != NULL && attrs[i].name != NULL; i++)
    if (attrs[i].kind == TP_ATTR_FLOAT
        && tp_node_get_float (node, attrs[i].name, 1.0) != 1.0)
      return FALSE;
  return TRUE;
}

static void
show_sizes (Parts *parts, gboolean is_signed)
{
  for (int i = 0; i < parts->node->n_inputs; i++)
    for (gint64 k = 0; parts->given[i] != NULL && k < parts->given[i]->count;
         k++)
      {
        double value = (double) parts->inputs[i]->integers[k];

        parts->shown[i].data[k] = is_signed ? value : fabs (value);
      }
}

/* The same, by the sums of the sizes of all products, which the op itself adds. */
static gboolean
has_small_sums (Parts *parts)
{
  double greatest = 0.0;

  if (!has_no_factor (parts->node))
    return FALSE;
  show_sizes (parts, FALSE);
  parts_run (parts);
  for (gint64 k = 0; k < parts->outputs[0].count; k++)
    greatest = MAX (greatest, parts->outputs[0].data[k]);
  show_sizes (parts, TRUE);
  return greatest < 0x1p52;
}

/* Whether doubles hold all that comes up on the way, factors of the op included. */
static gboolean
is_small (const TpNode *node, const TpRefTensor *const *inputs)
{
  double product = find_factor (node);

  for (int i = 0; i < node->n_inputs; i++)
    if (inputs[i] != NULL)
      product *= find_greatest (inputs[i])
                 * (double) MAX (inputs[i]->count, 1);
  return product < 0x1p50;
}

void
tp_reference_run_products (const TpNode *node,
                           const TpRefTensor *const *inputs,
                           TpRefTensor *output)
{
  g_autoptr (TpRegion) memory = tp_region_new (TP_REGION_NO_BUDGET);
  g_autofree TpRefTensor *shown = tp_new0 (TpRefTensor, node->n_inputs + 1);
  g_autofree const TpRefTensor **given
      = tp_new0 (const TpRefTensor *, node->n_inputs + 1);
  TpRefTensor doubles[1];
  Parts parts = { node, inputs, memory, shown, given, doubles };

  parts_init (&parts, output);
  memset (output->integers, 0, output->count * sizeof (gint64));
  if (is_small (node, inputs) || has_small_sums (&parts))
    {
      parts_run (&parts);
      add_output (&parts, 0, output);
    }
  else
    for (const guint *mask = node->op->products; *mask != 0; mask++)
      {
        Product product;

        if (product_init (&product, node, inputs, *mask))
          add_product (&parts, &product, output);
      }
  for (gint64 k = 0; k < output->count; k++)
    output->integers[k] = tp_dtype_wrap (output->dtype, output->integers[k]);
}

/* ---- by order ------------------------------------------------------------ */

/* The distinct elements of @x, least first. */
static gint64 *
sort_elements (const TpRefTensor *x, gint64 *out_n)
{
  gint64 *sorted = tp_new (gint64, x->count + 1);
  gint64 n = 0;

  memcpy (sorted, x->integers, x->count * sizeof sorted[0]);
  qsort (sorted, x->count, sizeof sorted[0], tp_compare_int64);
  for (gint64 i = 0; i < x->count; i++)
    if (n == 0 || sorted[i] != sorted[n - 1])
      sorted[n++] = sorted[i];
  *out_n = n;
  return sorted;
}

static void
show_ranks (const TpRefTensor *x, const gint64 *sorted, gint64 n,
            double *out_ranks)
{
  for (gint64 i = 0; i < x->count; i++)
    {
      const gint64 *found = bsearch (&x->integers[i], sorted, n,
                                     sizeof sorted[0], tp_compare_int64);

      out_ranks[i] = (double) (found - sorted);
    }
}

/* Of output 0 ranks, where the record says so; else numbers. */
static void
take_outputs (const Parts *parts, const gint64 *sorted, TpRefTensor *outputs)
{
  for (int i = 0; i < parts->node->n_outputs; i++)
    for (gint64 k = 0; outputs[i].integers != NULL && k < outputs[i].count;
         k++)
      {
        gint64 value = tp_real_to_integer (parts->outputs[i].data[k]);
        gboolean is_rank = i == 0 && parts->node->op->ranks == TP_RANKS_TAKEN
                           && isfinite (parts->outputs[i].data[k]);

        outputs[i].integers[k]
            = tp_dtype_wrap (outputs[i].dtype,
                             is_rank ? sorted[value] : value);
      }
}

void
tp_reference_run_ranks (const TpNode *node, const TpRefTensor *const *inputs,
                        TpRefTensor *outputs)
{
  g_autoptr (TpRegion) memory = tp_region_new (TP_REGION_NO_BUDGET);
  g_autofree TpRefTensor *shown = tp_new0 (TpRefTensor, node->n_inputs + 1);
  g_autofree const TpRefTensor **given
      = tp_new0 (const TpRefTensor *, node->n_inputs + 1);
  g_autofree TpRefTensor *doubles = tp_new0 (TpRefTensor, node->n_outputs + 1);
  g_autofree gint64 *sorted = NULL;
  gint64 n = 0;
  Parts parts = { node, inputs, memory, shown, given, doubles };

  parts_init (&parts, outputs);
  sorted = sort_elements (inputs[0], &n);
  show_ranks (inputs[0], sorted, n, shown[0].data);
  parts_run (&parts);
  take_outputs (&parts, sorted, outputs);
}
