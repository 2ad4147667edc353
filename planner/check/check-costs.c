/* check-costs.c: see check-costs.h. */
#include "config.h"

#include "planner/check/check-costs.h"

/* Figures of energy and price are made of those of time before anything is placed:
 * of each, a part costs what its figure says. */
static const char *const objectives[]
    = { "time", "throughput", "energy", "price", "weighted", "makespan", NULL };

gboolean
tp_checker_knows_objective (const char *objective)
{
  return objective != NULL && g_strv_contains (objectives, objective);
}

gint64
tp_checker_single_cost (const TpChecker *checker, int device)
{
  const TpGraph *graph = checker->graph;
  gint64 sum = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    {
      if (!tp_checker_may_run (checker, i, device))
        return TP_COST_NONE;
      sum += tp_checker_node_cost (checker, i, device);
    }
  for (int g = 0; g < checker->costs->n_groups; g++)
    sum -= checker->gains[(gsize) g * checker->costs->n_devices + device];
  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensorOutline *tensor = &checker->tensors[i];

      if (tensor->is_resident)
        continue;
      if (tensor->producer < 0)
        sum += tensor->n_readers > 0
                   ? tp_checker_copy_cost (checker, i, TP_COSTS_HOST, device)
                   : 0;
      else if (tensor->is_output)
        sum += tp_checker_copy_cost (checker, i, device, TP_COSTS_HOST);
    }
  return sum;
}
