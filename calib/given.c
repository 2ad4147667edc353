/* given.c: see given.h. */
#include "config.h"

#include "calib/given.h"

/* FALSE: the graph gives no cost of it here, but it is a kernel of ours, too. */
static gboolean
use_group (const TpGraph *graph, const TpGroup *group, const char *device,
           TpCost *cost)
{
  const TpNodeCost *given = tp_costs_find_given (graph, group, device);

  if (given != NULL)
    cost->time_ns = given->time_ns;
  else if (group->is_claimed)
    cost->reason = g_intern_static_string (TP_COSTS_CLAIMED_ELSEWHERE);
  else
    return FALSE;
  return TRUE;
}

gboolean
tp_given_use (const TpGraph *graph, const TpGroup *group, const TpKey *key,
              const char *device, TpCost *cost)
{
  const TpNodeCost *given = NULL;

  if (group != NULL && use_group (graph, group, device, cost))
    return TRUE;
  for (int i = 0; i < key->n_nodes && given == NULL; i++)
    given = tp_node_find_cost (&graph->nodes[key->nodes[i]], device);
  if (given == NULL)
    return FALSE;
  if (group == NULL)
    cost->time_ns = given->time_ns;
  else
    cost->reason = g_intern_static_string (TP_COSTS_GIVEN_IN_GROUP);
  return TRUE;
}
