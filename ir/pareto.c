/* pareto.c: see pareto.h. */
#include "config.h"

#include "ir/pareto.h"

void
tp_pareto_free (TpPareto *pareto)
{
  if (pareto == NULL)
    return;
  for (int i = 0; i < pareto->n_points; i++)
    tp_plan_unref (pareto->plans[i]);
  g_free (pareto->plans);
  g_free (pareto->faces);
  g_free (pareto);
}

double
tp_pareto_find_rate (const TpPareto *pareto, int index)
{
  const gint64 *here = pareto->plans[index]->rate_proof->totals;
  const gint64 *next;

  if (index + 1 >= pareto->n_points)
    return 0;
  next = pareto->plans[index + 1]->rate_proof->totals;
  return (double) (here[pareto->aims[1]] - next[pareto->aims[1]])
         / (double) (next[pareto->aims[0]] - here[pareto->aims[0]]);
}
