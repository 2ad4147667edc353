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
