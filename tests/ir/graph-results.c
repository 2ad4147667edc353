/* graph-results.c: see graph-results.h. */
#include "config.h"

#include "graph-results.h"
#include "ops/reference.h"

#include <math.h>

GPtrArray *
graph_run (const TpGraph *graph)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];
      double *values = g_new (double, MAX (tensor->count, 1));

      for (gint64 k = 0; k < tensor->count; k++)
        values[k] = tp_dtype_is_integer (tensor->dtype)
                        ? 1
                        : tp_random_uniform (i, k);
      g_ptr_array_add (inputs, values);
    }
  return tp_graph_run_reference (graph, (const double *const *) inputs->pdata,
                                 FALSE, NULL);
}

static gboolean
is_near (double a, double b, double tolerance)
{
  return a == b || (isnan (a) && isnan (b))
         || fabs (a - b) <= tolerance * (1 + fabs (a));
}

void
graph_assert_same (const TpGraph *a, const TpGraph *b, double tolerance,
                   const char *what)
{
  g_autoptr (GPtrArray) p = graph_run (a), q = graph_run (b);

  g_assert_nonnull (p);
  g_assert_nonnull (q);
  g_assert_cmpint (a->n_outputs, ==, b->n_outputs);
  for (int i = 0; i < a->n_outputs; i++)
    {
      const TpTensor *tensor = &a->tensors[a->outputs[i]];
      const TpTensor *other = &b->tensors[b->outputs[i]];

      g_assert_cmpstr (tensor->name, ==, other->name);
      g_assert_cmpint (tensor->dtype, ==, other->dtype);
      g_assert_cmpint (tensor->count, ==, other->count);
      for (gint64 k = 0; k < tensor->count; k++)
        {
          double x = ((const double *) p->pdata[i])[k];
          double y = ((const double *) q->pdata[i])[k];

          if (!is_near (x, y, tolerance))
            g_error ("%s: '%s'[%" G_GINT64_FORMAT "] is %g, not %g", what,
                     tensor->name, k, y, x);
        }
    }
}
