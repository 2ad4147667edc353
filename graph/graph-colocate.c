/* graph-colocate.c: ops that name one colocation are joined, and those that read
 * or store one state: sets of ops that
 * know one of theirs, the first (B. A. Galler and M. J. Fischer, An improved
 * equivalence algorithm, 1964). */
#include "config.h"

#include "graph/graph-colocate.h"

#include "ir/guard.h"
#include "ir/map.h"
#include "ir/name-hash.h"

typedef struct
{
  const TpGraph *graph;
  int *firsts;                /* [node]: one of its set, not after it */
  gboolean has_any;
} Sets;

static int
find (Sets *sets, int node)
{
  while (sets->firsts[node] != node)
    node = sets->firsts[node] = sets->firsts[sets->firsts[node]];
  return node;
}

static void
join (Sets *sets, int a, int b)
{
  a = find (sets, a);
  b = find (sets, b);
  sets->firsts[MAX (a, b)] = MIN (a, b);
  sets->has_any |= a != b;
}

static void
join_named (Sets *sets)
{
  g_autoptr (TpMap) named
      = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);

  for (int i = 0; i < sets->graph->n_nodes; i++)
    {
      const char *name = sets->graph->nodes[i].colocation;
      gpointer first;

      if (name == NULL)
        continue;
      first = tp_map_lookup (named, name);
      if (first != NULL)
        join (sets, GPOINTER_TO_INT (first) - 1, i);
      else
        tp_map_insert (named, (char *) name, GINT_TO_POINTER (i + 1));
    }
}

/* All that reads or makes what is one state is with it. */
static void
join_states (Sets *sets)
{
  const TpGraph *graph = sets->graph;
  g_autofree int *holders = tp_new0 (int, graph->n_tensors + 1); /* 1 + node */

  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *tensor = &graph->tensors[i];
      int *holder = &holders[MAX (tensor->state - 1, 0)];
      int n_ends = tensor->n_consumers + (tensor->producer >= 0);

      for (int k = 0; k < n_ends && tensor->state > 0; k++)
        {
          int node = k < tensor->n_consumers ? tensor->consumers[k]
                                             : tensor->producer;

          if (*holder > 0)
            join (sets, *holder - 1, node);
          *holder = node + 1;
        }
    }
}

/* Room for the sets of two and more, with no nodes yet; @numbers: [node]: of the
 * set that begins with it, or -1. */
static TpColocation *
make_room (Sets *sets, TpRegion *region, int *numbers, int *out_n,
           GError **error)
{
  int n_nodes = sets->graph->n_nodes, n_all = 0, n = 0;
  g_autofree int *sizes = tp_new0 (int, n_nodes + 1);
  TpColocation *out;
  int *nodes;

  for (int i = 0; i < n_nodes; i++)
    sizes[find (sets, i)]++;
  for (int i = 0; i < n_nodes; i++)
    {
      numbers[i] = sizes[i] > 1 ? n++ : -1;
      n_all += sizes[i] > 1 ? sizes[i] : 0;
    }
  out = tp_region_alloc (region, n, sizeof (TpColocation), error);
  nodes = out == NULL ? NULL
                      : tp_region_alloc (region, n_all, sizeof (int), error);
  if (nodes == NULL)
    return NULL;
  for (int i = 0; i < n_nodes; i++)
    if (numbers[i] >= 0)
      {
        out[numbers[i]] = (TpColocation){ 0, nodes };
        nodes += sizes[i];
      }
  *out_n = n;
  return out;
}

/* Each node into its set. */
static gboolean
take_sets (Sets *sets, TpGraph *graph, TpRegion *region, GError **error)
{
  g_autofree int *numbers = tp_new (int, graph->n_nodes + 1);
  int *places = tp_region_alloc (region, graph->n_nodes, sizeof (int), error);
  TpColocation *colocations
      = places == NULL ? NULL
                       : make_room (sets, region, numbers,
                                    &graph->n_colocations, error);

  if (colocations == NULL)
    return FALSE;
  for (int i = 0; i < graph->n_nodes; i++)
    {
      TpColocation *it;

      places[i] = numbers[find (sets, i)];
      if (places[i] < 0)
        continue;
      it = &colocations[places[i]];
      ((int *) it->nodes)[it->n_nodes++] = i;
    }
  graph->colocations = colocations;
  graph->colocation_of = places;
  return TRUE;
}

gboolean
tp_graph_colocate (TpGraph *graph, TpRegion *region, GError **error)
{
  g_autofree int *firsts = tp_new (int, graph->n_nodes + 1);
  Sets sets = { .graph = graph, .firsts = firsts };

  for (int i = 0; i < graph->n_nodes; i++)
    firsts[i] = i;
  join_named (&sets);
  join_states (&sets);
  return !sets.has_any || take_sets (&sets, graph, region, error);
}
