/* run-errors.c: see run-errors.h.
 *
 * What rounding can do to an output depends on the graph and on what goes in, so it is
 * tried: the references are run again with each result off by what that many roundings
 * leave, at random (Monte Carlo arithmetic: Parker, Pierce, Eggert 2000). A rounding is
 * anywhere within half a unit u in the last place, which has the variance u^2 / 3, and
 * the sums on the way have half of the square of the last on average: n of them leave
 * the variance n u^2 / 6. */
#include "config.h"

#include "cli/run-errors.h"

#include "include/tplan.h"
#include "ops/reference.h"
#include "ops/works.h"

#include <math.h>

/* Below this part of the largest value of a tensor, an error is measured
 * against that part: what is left there is rounding of sums, not of results. */
#define CHECK_FLOOR 0.01

/* The farthest of so many tries, and twice as far: they are but a sample. */
#define TRIES 4
#define MARGIN 2.0
#define SEED 20250101

/* Element @i of row-major @data. */
static double
get_element (TpDtype dtype, const void *data, gint64 i)
{
  gsize size = tp_dtype_get_size (dtype);
  double value = 0.0;

  tp_dtype_load_doubles (dtype, (const char *) data + i * size, 1, 1, &value);
  return value;
}

char *
tp_run_errors_format (const TpRunErrors *errors)
{
  g_autofree char *flushed
      = errors->n_flushed == 0
            ? g_strdup ("")
            : g_strdup_printf ("; 0 for %" G_GINT64_FORMAT " denormals",
                               errors->n_flushed);

  return g_strdup_printf (
      "%s: relative error %.2g (limit %.2g), absolute %.2g, at '%s'%s",
      tp_run_errors_are_good (errors) ? "good" : "WRONG",
      errors->max_rel_error, errors->limit, errors->max_abs_error,
      errors->worst_op == NULL ? "" : errors->worst_op, flushed);
}

/* An error that cannot be counted is infinite. What @dtype cannot hold is not
 * expected of it. */
static double
find_error (TpDtype dtype, double got, double want)
{
  if (isnan (want) && isnan (got))
    return 0;
  if (isinf (got))
    tp_dtype_round (dtype, &want, 1);
  if (got == want)
    return 0;
  return isfinite (got) && isfinite (want) ? fabs (got - want) : HUGE_VAL;
}

/* Whether a device did what it may, which has no denormals in the type whose
 * @least normal number that is. */
static gboolean
is_zero_for (double got, double want, double least)
{
  return got == 0 && want != 0 && fabs (want) <= least;
}

/* Whether @relative is farther beyond @limit than what was found before. */
static gboolean
is_worse (const TpRunErrors *errors, double relative, double limit)
{
  return errors->worst_output == NULL
         || relative * errors->limit > errors->max_rel_error * limit
         || (limit == 0 && relative > errors->max_rel_error);
}

/* Of @scale; @rounded: what one rounding does to the largest value. */
static double
find_limit (const TpRunBounds *bounds, double scale, double rounded)
{
  double rounding = bounds->rounding_rel;
  double least = scale > 0 ? bounds->n_roundings * rounded / scale : 0;

  if (scale > 0 && rounding * scale > bounds->rounding_abs)
    rounding = bounds->rounding_abs / scale;
  return MAX (MAX (bounds->limit, least), rounding);
}

void
tp_run_errors_add (TpRunErrors *errors, const TpRunAnswer *got,
                   const double *want)
{
  const TpTensor *tensor = got->tensor;
  double least = tp_dtype_get (tensor->dtype)->least_normal;
  double largest = 0, rounded;

  for (gint64 i = 0; i < tensor->count; i++)
    if (isfinite (want[i]))
      largest = MAX (largest, fabs (want[i]));
  rounded = largest
            * MAX (got->rounding, tp_dtype_get (tensor->dtype)->rounding);
  largest = MAX (CHECK_FLOOR * largest, least);
  for (gint64 i = 0; i < tensor->count; i++)
    {
      double value = get_element (got->dtype, got->values, i);
      gboolean is_flushed = is_zero_for (value, want[i], least);
      double error = is_flushed ? 0 : find_error (tensor->dtype, value, want[i]);
      double scale = MAX (fabs (want[i]), largest);
      double relative = error == 0 ? 0 : scale > 0 ? error / scale : HUGE_VAL;
      double limit;

      errors->n_flushed += is_flushed;
      errors->max_abs_error = MAX (errors->max_abs_error, error);
      limit = find_limit (&errors->bounds, scale, rounded);
      if (!is_worse (errors, relative, limit))
        continue;
      errors->max_rel_error = relative;
      errors->limit = limit;
      errors->worst_output = tensor->name;
      errors->worst_op = got->op;
    }
}

gboolean
tp_run_errors_are_good (const TpRunErrors *errors)
{
  return errors->max_rel_error <= errors->limit;
}

/* The one that is farther beyond its limit, and the zeros of both. */
void
tp_run_errors_join (TpRunErrors *errors, const TpRunErrors *other)
{
  gint64 n_flushed = errors->n_flushed + other->n_flushed;
  double max_abs_error = MAX (errors->max_abs_error, other->max_abs_error);

  if (is_worse (errors, other->max_rel_error, other->limit))
    *errors = *other;
  errors->n_flushed = n_flushed;
  errors->max_abs_error = max_abs_error;
}

/* ---- what rounding can do -------------------------------------------------- */

/* Half a unit in the last place of what @node makes, of 1. */
static double
get_rounding (const TpGraph *graph, const TpNode *node)
{
  double rounding = 0.0;

  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      rounding = MAX (
          rounding,
          tp_dtype_get (graph->tensors[node->outputs[i]].dtype)->rounding);
  return rounding;
}

/* The deviation that @n operations leave, in float32 at the least, of which the last
 * one is rounded to the type of the result. */
static double
get_deviation (double rounding, double n)
{
  return MAX (rounding * sqrt (1.0 / 3.0),
              MIN (rounding, 0x1p-24) * sqrt (n / 12.0));
}

static gint64
count_results (const TpGraph *graph, const TpNode *node)
{
  gint64 n = 0;

  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      n += graph->tensors[node->outputs[i]].count;
  return MAX (n, 1);
}

/* Of each node, by the operations that its kernels do for each result, of which half
 * add; one that does none moves what it got. */
static TpRounding *
list_roundings (const TpGraph *graph)
{
  g_autoptr (TpWorks) works = tp_works_new (graph, NULL);
  TpRounding *roundings = g_new0 (TpRounding, graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];
      double n = (double) tp_works_get (works, i)->work.flops
                 / (double) count_results (graph, node);

      if (!tp_works_get (works, i)->is_lowerable)
        n = 1.0;
      if (n > 0.0)
        roundings[i] = (TpRounding){
          get_deviation (get_rounding (graph, node), n), n > 1.0
        };
    }
  return roundings;
}

gboolean
tp_run_bounds_find (const TpGraph *graph, const double *const *inputs,
                    const GPtrArray *wanted, TpRunBounds *each, GError **error)
{
  g_autofree TpRounding *roundings = list_roundings (graph);

  for (guint32 k = 0; k < TRIES; k++)
    {
      g_autoptr (GPtrArray) rounded = tp_graph_run_rounded (
          graph, inputs, roundings, SEED + k, error);

      if (rounded == NULL)
        return FALSE;
      for (int i = 0; i < graph->n_outputs; i++)
        {
          const TpTensor *tensor = &graph->tensors[graph->outputs[i]];
          const TpRunAnswer got
              = { tensor, TPLAN_DTYPE_FLOAT64, rounded->pdata[i], NULL, 0.0 };
          TpRunErrors errors = { 0 };

          tp_run_errors_add (&errors, &got, wanted->pdata[i]);
          if (!isfinite (errors.max_rel_error))
            continue;
          each[i].rounding_rel
              = MAX (each[i].rounding_rel, MARGIN * errors.max_rel_error);
          each[i].rounding_abs
              = MAX (each[i].rounding_abs, MARGIN * errors.max_abs_error);
        }
    }
  return TRUE;
}
