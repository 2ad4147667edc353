/* moment.c: see moment.h. */
#include "config.h"

#include "ops/moment.h"

#include <math.h>
#include <string.h>

/* Axes of the nest per dimension of input 0; -1: left out. */
typedef struct
{
  int of[TP_MAX_RANK];
} MomentAxes;

void
tp_moments_count (TpMoments *moments, int rank, const gint64 *dims)
{
  moments->n = 1;
  for (int i = 0; i < rank; i++)
    if (moments->is_reduced[i])
      moments->n *= dims[i];
}

/* ---- nest -------------------------------------------------------------- */

/* The reduce axes come last; those of extent 1 are left out, but one stays. */
static void
add_axes (TpLowering *lowering, const TpMoments *moments, MomentAxes *axes)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);
  gboolean has_reduce = moments->n > 1;

  memset (axes->of, -1, sizeof axes->of);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < x->rank; i++)
      {
        if (moments->is_reduced[i] != pass
            || (pass == 1 && x->dims[i] == 1 && has_reduce))
          continue;
        axes->of[i] = tp_nest_add_axis (lowering->nest, x->dims[i], pass == 1);
        load->stride[axes->of[i]] = x->strides[i];
        has_reduce = has_reduce || pass == 1;
      }
}

/* Expression: input @i, whose dimensions are those of input 0 up to @last. */
static int
load_input (TpLowering *lowering, const MomentAxes *axes, int i, int last)
{
  const TpTensor *input = tp_lowering_get_input (lowering, i);
  TpAccess *load = tp_lowering_add_load (lowering, i);
  int first = last + 1 - input->rank;

  for (int k = 0; k < input->rank; k++)
    if (axes->of[first + k] >= 0 && input->dims[k] != 1)
      load->stride[axes->of[first + k]] = input->strides[k];
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

int
tp_moments_mean_expr (TpNest *nest, const TpMoments *moments, int expr)
{
  int sum = tp_nest_add_stage (nest, TP_COMBINE_SUM, expr);

  return tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_stage (nest, sum),
                         tp_nest_const (nest, 1.0 / moments->n));
}

int
tp_moments_inverse_expr (TpNest *nest, const TpMoments *moments, int centred)
{
  int square = tp_nest_binary (nest, TP_EXPR_MUL, centred, centred);
  int root = tp_moments_mean_expr (nest, moments, square);

  if (moments->epsilon != 0.0)
    root = tp_nest_binary (nest, TP_EXPR_ADD, root,
                           tp_nest_const (nest, moments->epsilon));
  root = tp_nest_unary (nest, TP_EXPR_SQRT, root);
  if (moments->root_epsilon != 0.0)
    root = tp_nest_binary (nest, TP_EXPR_ADD, root,
                           tp_nest_const (nest, moments->root_epsilon));
  return tp_nest_binary (nest, TP_EXPR_DIV, tp_nest_const (nest, 1.0), root);
}

gboolean
tp_moments_lower (TpLowering *lowering, const TpMoments *moments, int last)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpNest *nest = lowering->nest;
  MomentAxes axes;
  int result = -1;

  add_axes (lowering, moments, &axes);
  for (int i = 0; i < x->rank; i++)
    if (axes.of[i] >= 0)
      nest->store.stride[axes.of[i]] = lowering->out->strides[i];
  result = tp_nest_load (nest, 0);
  if (!moments->is_about_zero)
    result = tp_nest_binary (nest, TP_EXPR_SUB, result,
                             tp_moments_mean_expr (nest, moments, result));
  result = tp_nest_binary (nest, TP_EXPR_MUL, result,
                           tp_moments_inverse_expr (nest, moments, result));
  if (last >= 0)
    result = tp_nest_binary (nest, TP_EXPR_MUL, result,
                             load_input (lowering, &axes, 1, last));
  if (last >= 0 && tp_node_has_input (lowering->node, 2))
    result = tp_nest_binary (nest, TP_EXPR_ADD, result,
                             load_input (lowering, &axes, 2, last));
  return tp_lowering_finish (lowering, result);
}

gboolean
tp_moments_lower_statistic (TpLowering *lowering, const TpMoments *moments,
                            int i)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  int tensor = lowering->node->outputs[i];
  const TpTensor *out = &lowering->graph->tensors[tensor];
  TpNest *nest = lowering->nest;
  MomentAxes axes;
  int value = -1;
  int mean = -1;

  nest->store.operand =
      tp_lowered_get_tensor (lowering->lowered, lowering->graph, tensor);
  nest->store.dtype = out->dtype;
  add_axes (lowering, moments, &axes);
  for (int k = 0; k < x->rank; k++)
    if (!moments->is_reduced[k])
      nest->store.stride[axes.of[k]] = out->strides[k];
  value = tp_nest_load (nest, 0);
  mean = tp_moments_mean_expr (nest, moments, value);
  value = tp_nest_binary (nest, TP_EXPR_SUB, value, mean);
  return tp_lowering_finish (
      lowering, i == 1 ? mean : tp_moments_inverse_expr (nest, moments, value));
}

/* ---- reference --------------------------------------------------------- */

/* Which mean element number @at of input 0 belongs to. */
static gint64
find_mean (const TpRefTensor *x, const TpMoments *moments, const gint64 *at)
{
  gint64 index = 0;

  for (int i = 0; i < x->rank; i++)
    if (!moments->is_reduced[i])
      index = index * x->dims[i] + at[i];
  return index;
}

void
tp_moments_measure (const TpRefTensor *x, const TpMoments *moments,
                    double *means, double *deviations)
{
  gint64 n = x->count / moments->n;
  gint64 at[TP_MAX_RANK] = { 0 };

  memset (means, 0, n * sizeof means[0]);
  memset (deviations, 0, n * sizeof deviations[0]);
  for (gint64 i = 0; i < x->count; i++)
    {
      means[find_mean (x, moments, at)] += x->data[i] / moments->n;
      tp_dims_next (x->rank, x->dims, at);
    }
  memset (at, 0, sizeof at);
  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 k = find_mean (x, moments, at);

      deviations[k] += (x->data[i] - means[k]) * (x->data[i] - means[k])
                       / moments->n;
      tp_dims_next (x->rank, x->dims, at);
    }
  for (gint64 i = 0; i < n; i++)
    deviations[i] = sqrt (deviations[i] + moments->epsilon)
                    + moments->root_epsilon;
}

void
tp_moments_normalize (const TpRefTensor *x, const TpMoments *moments,
                      const double *means, const double *deviations,
                      double *out)
{
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 k = find_mean (x, moments, at);

      out[i] = (x->data[i] - means[k]) / deviations[k];
      tp_dims_next (x->rank, x->dims, at);
    }
}
