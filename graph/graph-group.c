/* graph-group.c: ops that share what a file says they cost as one kernel, put
 * together.
 *
 * Such a kernel runs where its last op stands, and may have several results: what is
 * read elsewhere, of all that its ops make. So no path may leave a group and come back,
 * and whoever reads anything of it stands after its last op. */
#include "config.h"

#include "graph/graph-group.h"

#include "ir/guard.h"
#include "ir/map.h"

#include <string.h>

#define MAX_TOLD 8 /* ops of a path */

/* ---- what is wrong with one --------------------------------------------- */

static void
set_error (const TpGraph *graph, const TpGivenGroup *group, const char *what,
           GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s%s%s: %s",
               graph->source != NULL ? graph->source : "",
               graph->source != NULL ? ": " : "", group->figures->place, what);
}

/* From @start on, which is none of group @index, to the first op of it that is found;
 * -1: none. @from: [node]: which op comes before it on the way. */
static int
find_way_back (const TpGraph *graph, int index, int start, int *from)
{
  g_autofree int *queue = tp_new (int, graph->n_nodes + 1);
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    from[i] = -1;
  from[start] = start;
  queue[n++] = start;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < graph->nodes[queue[i]].n_outputs; k++)
      {
        int tensor = graph->nodes[queue[i]].outputs[k];
        const TpTensor *it = tensor < 0 ? NULL : &graph->tensors[tensor];

        for (int c = 0; it != NULL && c < it->n_consumers; c++)
          {
            int next = it->consumers[c];

            if (from[next] >= 0)
              continue;
            from[next] = queue[i];
            if (graph->group_of[next] == index)
              return next;
            queue[n++] = next;
          }
      }
  return -1;
}

/* "'a' -> 'x' -> 'c'" */
static char *
describe_way (const TpGraph *graph, int first, int last, const int *from)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int n = 0;

  for (int i = last;; i = from[i])
    {
      g_autofree char *name
          = g_strdup_printf (" -> '%s'", graph->nodes[i].name);

      if (n++ < MAX_TOLD)
        g_string_prepend (text, name);
      if (from[i] == i)
        break;
    }
  if (n > MAX_TOLD)
    g_string_prepend (text, " -> ...");
  g_string_prepend_c (text, '\'');
  g_string_insert (text, 1, graph->nodes[first].name);
  g_string_insert_c (text, 1 + (gssize) strlen (graph->nodes[first].name), '\'');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* @reader, no op of the group, reads @tensor and stands before the last op of that. */
static void
refuse_reader (const TpGraph *graph, const TpTensor *tensor, int reader,
               GError **error)
{
  int index = graph->group_of[tensor->producer];
  const TpGivenGroup *group = &graph->groups[index];
  const char *last = graph->nodes[group->nodes[group->n_nodes - 1]].name;
  g_autofree int *from = tp_new (int, graph->n_nodes + 1);
  int back = find_way_back (graph, index, reader, from);
  g_autofree char *what = NULL;
  g_autofree char *way
      = back < 0 ? NULL : describe_way (graph, tensor->producer, back, from);

  if (way != NULL)
    what = g_strdup_printf ("%s leaves the group and comes back: no kernel can "
                            "do that: add what is between, or leave one end out",
                            way);
  else
    what = g_strdup_printf ("tensor '%s' of op '%s' is read by op '%s', which "
                            "stands before '%s', the last op of the group, and "
                            "that is where it runs: put '%s' after it in \"ops\"",
                            tensor->name, graph->nodes[tensor->producer].name,
                            graph->nodes[reader].name, last,
                            graph->nodes[reader].name);
  set_error (graph, group, what, error);
}

/* Of what an op of @group makes. */
static gboolean
check_value (const TpGraph *graph, const TpGivenGroup *group,
             const TpTensor *tensor, GError **error)
{
  int index = graph->group_of[tensor->producer];

  for (int i = 0; i < tensor->n_consumers; i++)
    if (graph->group_of[tensor->consumers[i]] != index
        && tensor->consumers[i] < group->nodes[group->n_nodes - 1])
      {
        refuse_reader (graph, tensor, tensor->consumers[i], error);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_group (const TpGraph *graph, const TpGivenGroup *group, GError **error)
{
  for (int i = 0; i + 1 < group->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[group->nodes[i]];

      for (int k = 0; k < node->n_outputs; k++)
        if (node->outputs[k] >= 0
            && !check_value (graph, group, &graph->tensors[node->outputs[k]],
                             error))
          return FALSE;
    }
  return TRUE;
}

/* ---- all of them --------------------------------------------------------- */

/* [node]: 1 + the first node that has the same figures; 0: it has none. How many are
 * in each: @sizes, [node]. */
static int *
find_firsts (const TpGraph *graph, int *sizes)
{
  g_autoptr (TpMap) map
      = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);
  g_autofree int *firsts = tp_new0 (int, graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    {
      gpointer key = (gpointer) graph->nodes[i].group;

      if (key == NULL)
        continue;
      firsts[i] = GPOINTER_TO_INT (tp_map_lookup (map, key));
      if (firsts[i] == 0)
        {
          firsts[i] = i + 1;
          tp_map_insert (map, key, GINT_TO_POINTER (i + 1));
        }
      sizes[firsts[i] - 1]++;
    }
  return g_steal_pointer (&firsts);
}

/* Room for those of two nodes and more, with no nodes yet. */
static TpGivenGroup *
make_room (TpGraph *graph, TpRegion *region, const int *sizes, GError **error)
{
  int n = 0, n_all = 0;
  TpGivenGroup *groups;
  int *nodes;

  for (int i = 0; i < graph->n_nodes; i++)
    {
      n += sizes[i] > 1;
      n_all += sizes[i] > 1 ? sizes[i] : 0;
    }
  groups = tp_region_alloc (region, MAX (n, 1), sizeof *groups, error);
  nodes = groups == NULL ? NULL
                         : tp_region_alloc (region, MAX (n_all, 1),
                                            sizeof (int), error);
  if (nodes == NULL)
    return NULL;
  for (int i = 0, at = 0; i < graph->n_nodes; i++)
    if (sizes[i] > 1)
      {
        groups[at++] = (TpGivenGroup){ 0, nodes, graph->nodes[i].group };
        nodes += sizes[i];
      }
  graph->n_groups = n;
  return groups;
}

static gboolean
take_groups (TpGraph *graph, TpRegion *region, GError **error)
{
  g_autofree int *sizes = tp_new0 (int, graph->n_nodes + 1);
  g_autofree int *firsts = find_firsts (graph, sizes);
  int *group_of = tp_region_alloc (region, graph->n_nodes, sizeof (int), error);
  TpGivenGroup *groups
      = group_of == NULL ? NULL : make_room (graph, region, sizes, error);
  int n = 0;

  if (groups == NULL)
    return FALSE;
  for (int i = 0; i < graph->n_nodes; i++)
    {
      int first = firsts[i] - 1;
      TpGivenGroup *it;

      group_of[i] = first < 0 || sizes[first] < 2 ? -1
                    : first == i                  ? n++
                                                  : group_of[first];
      if (group_of[i] < 0)
        continue;
      it = &groups[group_of[i]];
      ((int *) it->nodes)[it->n_nodes++] = i;
    }
  graph->groups = groups;
  graph->group_of = graph->n_groups > 0 ? group_of : NULL;
  return TRUE;
}

gboolean
tp_graph_group (TpGraph *graph, TpRegion *region, GError **error)
{
  gboolean has_any = FALSE;

  for (int i = 0; i < graph->n_nodes && !has_any; i++)
    has_any = graph->nodes[i].group != NULL;
  if (has_any && !take_groups (graph, region, error))
    return FALSE;
  for (int i = 0; i < graph->n_groups; i++)
    if (!check_group (graph, &graph->groups[i], error))
      return FALSE;
  return TRUE;
}
