/* objective.c: the list of objectives. To add one, write its two functions and
 * a row. */
#include "config.h"

#include "planner/objective.h"

#include <pthread.h>
#include <string.h>

static gint64
time_node_cost (const TpCosts *costs, const TpCost *cost, int device)
{
  return cost->time_ns;
}

static gint64
time_edge_cost (const TpCosts *costs, int tensor, int from, int to)
{
  return tp_costs_copy (costs, tensor, from, to).time_ns;
}

static const TpObjective objectives[] = {
  { "time", "ns", TP_OBJECTIVE_SUM, time_node_cost, time_edge_cost },
  { "throughput", "ns", TP_OBJECTIVE_MAX, time_node_cost, time_edge_cost },
  { "makespan", "ns", TP_OBJECTIVE_SPAN, time_node_cost, time_edge_cost },
};

const TpObjective *
tp_objective_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    if (strcmp (objectives[i].name, name) == 0)
      return &objectives[i];
  return NULL;
}

static const char *names[G_N_ELEMENTS (objectives) + 1];

static void
make_names (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    names[i] = objectives[i].name;
}

const char *const *
tp_objective_list (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_names);
  return names;
}
