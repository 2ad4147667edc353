/* check-costs.c: what parts of a plan cost by its objective. To add one, write its
 * function and a row. */
#include "config.h"

#include "planner/check/check-costs.h"

static gint64
measure_time (const TpCost *cost)
{
  return cost->time_ns;
}

static const struct
{
  const char *name;
  TpCheckerMeasure measure;
} objectives[] = {
  { "time", measure_time },
  { "throughput", measure_time },
  { "energy", measure_time },
  { "price", measure_time },
  { "weighted", measure_time },
  { "makespan", measure_time },
};

TpCheckerMeasure
tp_checker_find_measure (const char *objective)
{
  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    if (g_strcmp0 (objectives[i].name, objective) == 0)
      return objectives[i].measure;
  return NULL;
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
