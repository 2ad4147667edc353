/* mix-union.c: see mix-union.h. */
#include "config.h"

#include "planner/mix-union.h"

#include "ir/guard.h"

#include <string.h>

/* What is filled in, from where on. */
typedef struct
{
  TpMixUnion *all;
  const TpMixPart *part;
  TpMixFirst first;
  int *numbers;               /* that are free */
} Filler;

/* ---- the graph ----------------------------------------------------------- */

static const int *
add_numbers (Filler *filler, const int *numbers, int n, int first)
{
  int *own = filler->numbers;

  for (int i = 0; i < n; i++)
    own[i] = numbers[i] < 0 ? numbers[i] : first + numbers[i];
  filler->numbers += n;
  return own;
}

static void
add_node (Filler *filler, int index)
{
  TpNode *node = &filler->all->graph.nodes[filler->first.node + index];
  int first = filler->first.tensor;

  *node = filler->part->graph->nodes[index];
  node->inputs = add_numbers (filler, node->inputs, node->n_inputs, first);
  node->outputs = add_numbers (filler, node->outputs, node->n_outputs, first);
}

static void
add_tensor (Filler *filler, int index)
{
  TpTensor *tensor = &filler->all->graph.tensors[filler->first.tensor + index];

  *tensor = filler->part->graph->tensors[index];
  tensor->consumers = add_numbers (filler, tensor->consumers,
                                   tensor->n_consumers, filler->first.node);
  if (tensor->producer >= 0)
    tensor->producer += filler->first.node;
  if (tensor->state > 0)
    tensor->state += filler->first.tensor;
}

static void
add_colocation (Filler *filler, int index)
{
  const TpColocation *it = &filler->part->graph->colocations[index];
  int own = filler->first.colocation + index;

  filler->all->colocations[own]
      = (TpColocation){ it->n_nodes, add_numbers (filler, it->nodes, it->n_nodes,
                                                  filler->first.node) };
  for (int k = 0; k < it->n_nodes; k++)
    filler->all->colocation_of[filler->first.node + it->nodes[k]] = own;
}

/* Those of all parts, in their order, at *@at. */
static void
add_ends (int **at, const int *tensors, int n, int first)
{
  for (int i = 0; i < n; i++)
    *(*at)++ = first + tensors[i];
}

static void
fill_ends (TpMixUnion *all, const TpMix *mix)
{
  TpGraph *graph = &all->graph;
  int *at;

  for (int i = 0; i < mix->n_parts; i++)
    {
      graph->n_inputs += mix->parts[i].graph->n_inputs;
      graph->n_outputs += mix->parts[i].graph->n_outputs;
    }
  at = all->ends
      = tp_new (int, (gsize) graph->n_inputs + (gsize) graph->n_outputs + 1);
  graph->inputs = at;
  graph->outputs = at + graph->n_inputs;
  for (int i = 0; i < mix->n_parts; i++)
    add_ends (&at, mix->parts[i].graph->inputs, mix->parts[i].graph->n_inputs,
              all->first[i].tensor);
  for (int i = 0; i < mix->n_parts; i++)
    add_ends (&at, mix->parts[i].graph->outputs,
              mix->parts[i].graph->n_outputs, all->first[i].tensor);
}

static gsize
count_numbers (const TpGraph *graph)
{
  gsize n = 0;

  for (int i = 0; i < graph->n_colocations; i++)
    n += graph->colocations[i].n_nodes;
  for (int i = 0; i < graph->n_nodes; i++)
    n += graph->nodes[i].n_inputs + graph->nodes[i].n_outputs;
  for (int i = 0; i < graph->n_tensors; i++)
    n += graph->tensors[i].n_consumers;
  return n;
}

/* ---- figures ------------------------------------------------------------- */

/* What is too much is so still. */
static TpCost
multiply (TpCost cost, gint64 times)
{
  if (cost.time_ns != TP_COST_NONE
      && __builtin_mul_overflow (cost.time_ns, times, &cost.time_ns))
    cost.time_ns = TP_COST_NONE - 1;
  return cost;
}

static void
copy_rows (TpCost *to, const TpMixPart *part, TpCostsGet get, int n_rows)
{
  const TpCosts *from = part->plan->costs;
  int n = from->n_devices;

  for (int i = 0; i < n_rows; i++)
    for (int d = 0; d < n; d++)
      to[(gsize) i * n + d] = multiply (*get (from, i, d), part->n_runs);
}

static void
add_costs (const Filler *filler)
{
  const TpCosts *from = filler->part->plan->costs;
  TpCosts *to = filler->all->costs;
  gsize n = (gsize) to->n_devices;

  copy_rows (&to->nodes[filler->first.node * n], filler->part, tp_costs_node,
             from->n_nodes);
  copy_rows (&to->groups[filler->first.group * n], filler->part,
             tp_costs_group, from->n_groups);
  copy_rows (&to->feeds[filler->first.tensor * n], filler->part,
             tp_costs_feed, from->n_tensors);
  copy_rows (&to->fetches[filler->first.tensor * n], filler->part,
             tp_costs_fetch, from->n_tensors);
}

static void
add_groups (TpMixUnion *all, const TpMixPart *part, int first)
{
  const TpGroups *groups = part->plan->all_groups;

  for (int i = 0; i < groups->n_groups; i++)
    {
      const TpGroup *group = &groups->groups[i];
      g_autofree int *nodes = tp_new (int, (gsize) group->n_nodes + 1);

      for (int k = 0; k < group->n_nodes; k++)
        nodes[k] = first + group->nodes[k];
      tp_groups_add_copy (all->groups,
                          &(TpGroup){ .n_nodes = group->n_nodes, .nodes = nodes,
                                      .is_claimed = group->is_claimed });
    }
}

/* ---- all ----------------------------------------------------------------- */

static void
find_firsts (TpMixUnion *all, const TpMix *mix)
{
  all->first = tp_new0 (TpMixFirst, (gsize) mix->n_parts + 1);
  for (int i = 0; i < mix->n_parts; i++)
    {
      const TpMixPart *part = &mix->parts[i];

      all->first[i + 1] = (TpMixFirst){
        .node = all->first[i].node + part->graph->n_nodes,
        .tensor = all->first[i].tensor + part->graph->n_tensors,
        .group = all->first[i].group + part->plan->all_groups->n_groups,
        .colocation = all->first[i].colocation + part->graph->n_colocations,
      };
    }
}

/* All but what is in it. */
static void
alloc_graph (TpMixUnion *all, TpMixFirst n)
{
  TpGraph *graph = &all->graph;

  graph->n_nodes = n.node;
  graph->n_tensors = n.tensor;
  graph->n_colocations = n.colocation;
  graph->nodes = tp_new0 (TpNode, (gsize) n.node + 1);
  graph->tensors = tp_new0 (TpTensor, (gsize) n.tensor + 1);
  all->colocations = tp_new0 (TpColocation, (gsize) n.colocation + 1);
  all->colocation_of = tp_new (int, (gsize) n.node + 1);
  memset (all->colocation_of, -1, sizeof (int) * ((gsize) n.node + 1));
  graph->colocations = all->colocations;
  graph->colocation_of = all->colocation_of;
}

static void
fill_graph (TpMixUnion *all, const TpMix *mix)
{
  Filler filler = { .all = all };
  gsize n_numbers = 0;

  for (int i = 0; i < mix->n_parts; i++)
    n_numbers += count_numbers (mix->parts[i].graph);
  all->numbers = filler.numbers = tp_new (int, n_numbers + 1);
  alloc_graph (all, all->first[mix->n_parts]);
  fill_ends (all, mix);
  for (int i = 0; i < mix->n_parts; i++)
    {
      filler.part = &mix->parts[i];
      filler.first = all->first[i];
      for (int k = 0; k < filler.part->graph->n_nodes; k++)
        add_node (&filler, k);
      for (int k = 0; k < filler.part->graph->n_tensors; k++)
        add_tensor (&filler, k);
      for (int k = 0; k < filler.part->graph->n_colocations; k++)
        add_colocation (&filler, k);
    }
}

void
tp_mix_union_init (TpMixUnion *all, const TpMix *mix)
{
  const TpCosts *costs = mix->parts[0].plan->costs;

  find_firsts (all, mix);
  fill_graph (all, mix);
  all->groups = tp_groups_new ();
  for (int i = 0; i < mix->n_parts; i++)
    add_groups (all, &mix->parts[i], all->first[i].node);
  all->costs = tp_costs_new (costs->n_devices,
                             (const char *const *) costs->devices,
                             &all->graph, all->groups);
  all->costs->host = costs->host;
  for (int i = 0; i < costs->n_devices; i++)
    all->costs->pools[i] = g_strdup (costs->pools[i]);
  all->costs->is_same_silicon = costs->is_same_silicon;
  all->costs->has_own_processors = costs->has_own_processors;
  for (int i = 0; i < mix->n_parts; i++)
    add_costs (&(Filler){ all, &mix->parts[i], all->first[i], NULL });
}

void
tp_mix_union_clear (TpMixUnion *all)
{
  g_clear_pointer (&all->graph.outline, g_free);
  g_clear_pointer (&all->graph.nodes, g_free);
  g_clear_pointer (&all->graph.tensors, g_free);
  g_clear_pointer (&all->groups, tp_groups_free);
  g_clear_pointer (&all->costs, tp_costs_unref);
  g_clear_pointer (&all->first, g_free);
  g_clear_pointer (&all->numbers, g_free);
  g_clear_pointer (&all->ends, g_free);
  g_clear_pointer (&all->colocations, g_free);
  g_clear_pointer (&all->colocation_of, g_free);
}
