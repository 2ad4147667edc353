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

static TpNodeWork
find_row (const TpWorks *works, int row)
{
  const TpGraph *graph = works->graph;
  const TpGroup *group
      = row < graph->n_nodes ? NULL
                             : &works->groups->groups[row - graph->n_nodes];

  if (group == NULL)
    return find_work (graph, &row, 1);
  return group->is_claimed ? (TpNodeWork){ 0 }
                           : find_work (graph, group->nodes, group->n_nodes);
}

static gboolean
is_like (const TpWorks *works, int row, int other)
{
  gboolean is_claimed
      = row >= works->graph->n_nodes
        && works->groups->groups[row - works->graph->n_nodes].is_claimed;

  return other < row && !is_claimed && tp_works_get (works, other)->is_lowerable;
}

TpWorks *
tp_works_new (const TpGraph *graph, const TpGroups *groups)
{
  int n_groups = groups != NULL ? groups->n_groups : 0;
  g_autofree int *like = tp_lower_find_like (graph, groups);
  g_autoptr (TpWorks) works = g_new0 (TpWorks, 1);

  works->graph = graph;
  works->groups = groups;
  works->works = tp_array_new (sizeof (TpNodeWork));
  works->rows = tp_new (int, (gsize) graph->n_nodes + n_groups + 1);
  for (int i = 0; i < graph->n_nodes + n_groups; i++)
    if (is_like (works, i, like[i]))
      works->rows[i] = works->rows[like[i]];
    else
      {
        TpNodeWork work = find_row (works, i);

        works->rows[i] = (int) works->works->len;
        tp_array_append_val (works->works, work);
      }
  return g_steal_pointer (&works);
}

void
tp_works_free (TpWorks *works)
{
  if (works == NULL)
    return;
  tp_array_unref (works->works);
  g_free (works->rows);
  g_free (works);
}
