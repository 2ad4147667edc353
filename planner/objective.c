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
  { "time", TP_OBJECTIVE_SUM, { 0 }, time_node_cost, time_edge_cost },
  { "throughput", TP_OBJECTIVE_MAX, { 0 }, time_node_cost, time_edge_cost },
  { "energy", TP_OBJECTIVE_RATED, { 0, 1, 0 }, time_node_cost,
    time_edge_cost },
  { "price", TP_OBJECTIVE_RATED, { 0, 0, 1 }, time_node_cost, time_edge_cost },
  { "weighted", TP_OBJECTIVE_RATED, { 0 }, time_node_cost, time_edge_cost },
  { "makespan", TP_OBJECTIVE_SPAN, { 0 }, time_node_cost, time_edge_cost },
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

gboolean
tp_objective_is_complete (const TpObjective *objective)
{
  gint64 sum = 0;

  for (int i = 0; i < TP_N_AIMS; i++)
    sum += objective->aims[i];
  return sum > 0 || objective->kind != TP_OBJECTIVE_RATED;
}

static void
make_names (void)
{
  int n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    if (tp_objective_is_complete (&objectives[i]))
      names[n++] = objectives[i].name;
}

const char *const *
tp_objective_list (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, make_names);
  return names;
}
