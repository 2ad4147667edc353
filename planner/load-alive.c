/* load-alive.c: see load-alive.h. */
#include "config.h"

#include "planner/load-alive.h"

#include "ir/guard.h"
#include "ir/pools.h"

#include <string.h>

void
tp_load_alive_init (TpLoadAlive *alive, const TpLimitHeld *held)
{
  gsize n = (gsize) held->problem->graph->n_nodes;

  *alive = (TpLoadAlive){ .held = held };
  alive->places = tp_new (int, n + 1);
  alive->changes = tp_new (double, n + 2);
}

void
tp_load_alive_clear (TpLoadAlive *alive)
{
  g_clear_pointer (&alive->places, g_free);
  g_clear_pointer (&alive->changes, g_free);
}

/* Ops of a group in effect run where it ends. */
static void
find_places (TpLoadAlive *alive, const guint8 *devices)
{
  const TpProblem *problem = alive->held->problem;

  for (int i = 0; i < problem->graph->n_nodes; i++)
    alive->places[i] = i;
  for (int g = 0; g < problem->costs->n_groups; g++)
    {
      const TpGroup *group = &problem->groups->groups[g];

      if (group->is_claimed || tp_problem_find_fused (problem, g, devices) < 0)
        continue;
      for (int k = 0; k < group->n_nodes; k++)
        alive->places[group->nodes[k]] = group->nodes[group->n_nodes - 1];
    }
}

/* From where it is made to where it is read last; a constant always. */
static void
add (TpLoadAlive *alive, const TpLimitHolding *it, const guint8 *devices,
     int device)
{
  const int *readers
      = (const int *) (void *) alive->held->readers->data + it->first;
  int start = it->maker < 0 ? 0 : alive->places[it->maker];
  int last = it->maker >= 0 && devices[it->maker] == device ? start : -1;

  for (int i = 0; i < it->n; i++)
    if (devices[readers[i]] == device)
      last = MAX (last, alive->places[readers[i]]);
  if (last < 0)
    return;
  alive->changes[it->is_constant ? 0 : start] += (double) it->size_bytes;
  if (!it->is_constant)
    alive->changes[last + 1] -= (double) it->size_bytes;
}

static double
find_most (TpLoadAlive *alive, const guint8 *devices, int device)
{
  const TpLimitHeld *held = alive->held;
  const TpGraph *graph = held->problem->graph;
  double sum = 0, most = 0;

  memset (alive->changes, 0, sizeof (double) * ((gsize) graph->n_nodes + 2));
  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpLimitHolding *it = &held->items[i];
      gboolean is_inside
          = it->maker >= 0 && alive->places[it->maker] != it->maker;

      if (it->size_bytes > 0 && !is_inside
          && !tp_limit_held_is_kept (held, it, device))
        add (alive, it, devices, device);
    }
  for (int i = 0; i <= graph->n_nodes; i++)
    {
      sum += alive->changes[i];
      most = MAX (most, sum);
    }
  return most;
}

void
tp_load_alive_measure (TpLoadAlive *alive, const guint8 *devices, double *taken)
{
  const TpProblem *problem = alive->held->problem;

  find_places (alive, devices);
  for (int d = 0; d < problem->n_devices; d++)
    {
      gint64 limit = tp_pools_get_limit (problem->costs, problem->limits, d);

      taken[d] = limit <= 0 || limit >= alive->held->all_bytes
                     ? 0
                     : find_most (alive, devices, d) / (double) limit;
    }
}
