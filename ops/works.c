/* works.c: see works.h. */
#include "config.h"

#include "ops/works.h"

#include "ir/guard.h"
#include "nest/nest-work.h"
#include "ops/like.h"
#include "ops/lower.h"

static TpNodeWork
find_work (const TpGraph *graph, const int *nodes, int n_nodes)
{
  g_autoptr (TpLowered) lowered
      = tp_lower_nodes (graph, nodes, n_nodes, NULL);
  TpNodeWork work = { .is_lowerable = lowered != NULL };

  if (lowered != NULL)
    tp_lowered_count_work (lowered, &work.work);
  return work;
}

TpWorks *
tp_works_new (const TpGraph *graph, const TpGroups *groups)
{
  int n_groups = groups != NULL ? groups->n_groups : 0;
  g_autofree int *like = tp_lower_find_like (graph, groups);
  g_autoptr (TpWorks) works = g_new0 (TpWorks, 1);

  works->graph = graph;
  works->groups = groups;
  works->works = tp_new (TpNodeWork, graph->n_nodes + n_groups + 1);

  for (int i = 0; i < graph->n_nodes + n_groups; i++)
    {
      const TpGroup *group
          = i < graph->n_nodes ? NULL : &groups->groups[i - graph->n_nodes];

      if (group != NULL && group->is_claimed)
        works->works[i] = (TpNodeWork){ 0 };
      else if (like[i] < i && works->works[like[i]].is_lowerable)
        works->works[i] = works->works[like[i]];
      else if (group == NULL)
        works->works[i] = find_work (graph, &i, 1);
      else
        works->works[i] = find_work (graph, group->nodes, group->n_nodes);
    }
  return g_steal_pointer (&works);
}

void
tp_works_free (TpWorks *works)
{
  if (works == NULL)
    return;
  g_free (works->works);
  g_free (works);
}
