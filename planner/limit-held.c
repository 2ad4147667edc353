/* limit-held.c: see limit-held.h. */
#include "config.h"

#include "planner/limit-held.h"

#include "ir/guard.h"
#include "ir/memory-proof.h"
#include "ir/roots.h"
#include "ir/units.h"

#include <string.h>

typedef TpLimitWide Wide;

static void
find_hidden (TpLimitHeld *held)
{
  const TpProblem *problem = held->problem;

  held->group_of = tp_new (int, problem->graph->n_nodes + 1);
  for (int i = 0; i < problem->graph->n_nodes; i++)
    held->group_of[i] = -1;
  for (int g = 0; g < problem->costs->n_groups; g++)
    for (int k = 0; k < problem->groups->groups[g].n_nodes; k++)
      held->group_of[problem->groups->groups[g].nodes[k]] = g;
  for (int g = 0; g < problem->costs->n_groups; g++)
    for (int k = 0; k + 1 < problem->groups->groups[g].n_nodes
                    && !problem->groups->groups[g].is_claimed; k++)
      {
        int op = problem->groups->groups[g].nodes[k];
        const TpNode *node = &problem->graph->nodes[op];

        for (int i = 0; i < node->n_outputs; i++)
          for (int d = 0; d < problem->n_devices && node->outputs[i] >= 0; d++)
            if (tp_problem_get_gain (problem, g, d) > 0)
              held->items[node->outputs[i]].hidden |= 1u << d;
      }
}

/* Calls for every op that is no view, and whose bytes it reads, each once. */
static void
visit_reads (const TpGraph *graph, const int *roots, int *last,
             void (*visit) (TpLimitHeld *held, int root, int op),
             TpLimitHeld *held)
{
  for (int i = 0; i < graph->n_tensors; i++)
    last[i] = -1;
  for (int i = 0; i < graph->n_nodes; i++)
    for (int k = 0; k < graph->nodes[i].n_inputs; k++)
      {
        int tensor = graph->nodes[i].inputs[k];

        if (tensor < 0 || tp_node_is_view (&graph->nodes[i])
            || last[roots[tensor]] == i)
          continue;
        last[roots[tensor]] = i;
        visit (held, roots[tensor], i);
      }
}

static void
count_read (TpLimitHeld *held, int root, int op)
{
  held->items[root].n++;
}

static void
take_read (TpLimitHeld *held, int root, int op)
{
  TpLimitHolding *it = &held->items[root];

  tp_array_index (held->readers, int, it->first + it->n++) = op;
}

void
tp_limit_held_init (TpLimitHeld *held, const TpProblem *problem)
{
  const TpGraph *graph = problem->graph;
  g_autofree int *roots = tp_roots_find (graph);
  g_autofree int *last = tp_new (int, graph->n_tensors + 1);
  int n = 0;

  *held = (TpLimitHeld){ .problem = problem };
  held->readers = tp_array_new (sizeof (int));
  held->items = tp_new0 (TpLimitHolding, graph->n_tensors + 1);
  visit_reads (graph, roots, last, count_read, held);
  for (int i = 0; i < graph->n_tensors; i++)
    {
      TpLimitHolding *it = &held->items[i];
      const TpTensor *tensor = &graph->tensors[i];

      it->is_constant = tp_tensor_is_resident (tensor);
      it->is_streamed = tp_graph_find_streamed (graph, i) >= 0;
      it->maker = tensor->producer;
      if (roots[i] == i)
        it->size_bytes = it->is_constant ? tp_tensor_get_resident_bytes (tensor)
                                         : MAX (tensor->size_bytes, 1);
      it->first = n;
      n += it->n;
      it->n = 0;
    }
  tp_array_set_size (held->readers, n);
  visit_reads (graph, roots, last, take_read, held);
  find_hidden (held);
  for (int i = 0; i < graph->n_tensors; i++)
    if (!tp_size_add (held->all_bytes, held->items[i].size_bytes,
                      &held->all_bytes))
      held->all_bytes = G_MAXINT64;
  held->found = tp_new (int, graph->n_nodes + 1);
  held->changes = tp_new (TpLimitWide, graph->n_nodes + 2);
}

void
tp_limit_held_clear (TpLimitHeld *held)
{
  if (held->readers != NULL)
    tp_array_unref (held->readers);
  g_free (held->items);
  g_free (held->group_of);
  g_free (held->found);
  g_free (held->changes);
}

gint64
tp_limit_held_max_price (const TpLimitHeld *held, const gint64 *limits,
                         gint64 sum)
{
  Wide room = (TP_PROBLEM_LIMIT - 1 - MIN (sum, TP_PROBLEM_LIMIT - 1))
              / TP_MEMORY_MAX_PRICES;
  Wide bytes = 1;

  for (int i = 0; i < held->problem->graph->n_tensors; i++)
    bytes += held->items[i].size_bytes;
  for (int d = 0; d < held->problem->n_devices; d++)
    bytes = MAX (bytes, (Wide) limits[d]);
  return (gint64) MIN ((room << 30) / bytes,
                       TP_PROBLEM_LIMIT / TP_MEMORY_MAX_PRICES);
}

/* The last op of the group that @step is inside of, and that may be in effect on
 * @device; -1: there is none, or it is run op by op all the same. */
static int
find_group_end (const TpLimitHeld *held, int device, int step)
{
  const TpProblem *problem = held->problem;
  int group = held->group_of[step];
  const TpGroup *it = group < 0 ? NULL : &problem->groups->groups[group];

  return it == NULL || it->is_claimed || it->nodes[it->n_nodes - 1] == step
                 || tp_problem_get_gain (problem, group, device) <= 0
             ? -1
             : it->nodes[it->n_nodes - 1];
}

/* Ops at or after @step that read it; inside a group, which runs where it ends,
 * those of the group and those at or after its end. In any order @step alone. */
static int
find_readers (const TpLimitHeld *held, const TpLimitHolding *it, int step,
              int end)
{
  const int *readers = (const int *) (void *) held->readers->data + it->first;
  int n = 0;

  for (int i = 0; i < it->n; i++)
    if (it->is_constant
        || (held->problem->is_unordered && readers[i] == step)
        || (!held->problem->is_unordered && readers[i] >= step
            && (readers[i] >= end
                || held->group_of[readers[i]] == held->group_of[step])))
      held->found[n++] = readers[i];
  return n;
}

/* What the last op of a group makes: the group has so much, or what @step made by
 * itself. */
static gint64
sum_made (const TpLimitHeld *held, int op)
{
  const TpNode *node = &held->problem->graph->nodes[op];
  gint64 sum = 0;

  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      sum = MIN (sum + MIN (held->items[node->outputs[i]].size_bytes,
                            TP_PROBLEM_LIMIT / 2),
                 TP_PROBLEM_LIMIT / 2);
  return sum;
}

gint64
tp_limit_held_find (const TpLimitHeld *held, int index, int device, int step,
                    int *out_n)
{
  const TpLimitHolding *it = &held->items[index];
  int end = find_group_end (held, device, step);

  *out_n = 0;
  if (it->size_bytes == 0 || tp_limit_held_is_kept (held, it, device))
    return 0;
  if (!it->is_constant && it->maker == step)
    {
      gboolean is_inside = tp_limit_held_is_hidden (it, device);

      held->found[(*out_n)++] = step;
      if (is_inside && held->problem->graph->nodes[step].outputs[0] != index)
        *out_n = 0;
      return is_inside ? MIN (it->size_bytes, sum_made (held, end))
                       : it->size_bytes;
    }
  if (it->is_constant
      || (it->maker < step && !tp_limit_held_is_hidden (it, device)))
    *out_n = find_readers (held, it, step, end);
  return it->size_bytes;
}

/* ---- one placement ------------------------------------------------------- */

gint64
tp_limit_held_sum (const TpLimitHeld *held, const gint8 *devices,
                   int device, int step)
{
  Wide sum = 0;

  for (int i = 0; i < held->problem->graph->n_tensors; i++)
    {
      int n;
      gint64 bytes = tp_limit_held_find (held, i, device, step, &n);

      if (tp_limit_is_any_on (held->found, n, devices, device))
        sum += bytes;
    }
  return (gint64) MIN (sum, TP_PROBLEM_LIMIT);
}

static void
add_while (Wide *changes, int first, int last, gint64 bytes)
{
  changes[first] += bytes;
  changes[last + 1] -= bytes;
}

/* About: groups are looked at where most is found. Adds what is held of @it to
 * @changes: [step]: more or less than before. */
static void
add_change (const TpLimitHeld *held, const TpLimitHolding *it,
            const gint8 *devices, int device, Wide *changes)
{
  const int *readers = (const int *) (void *) held->readers->data + it->first;
  int n = it->n;

  if (tp_limit_held_is_kept (held, it, device))
    return;
  if (it->maker >= 0 && devices[it->maker] == device)
    add_while (changes, it->maker, it->maker, it->size_bytes);
  if (it->size_bytes == 0 || (!it->is_constant && tp_limit_held_is_hidden (it, device)))
    return;
  while (n > 0 && devices[readers[n - 1]] != device)
    n--;
  if (n > 0 && it->is_constant)
    changes[0] += it->size_bytes;
  else if (n > 0 && !held->problem->is_unordered)
    add_while (changes, it->maker + 1, readers[n - 1], it->size_bytes);
  for (int i = 0; i < n && !it->is_constant && held->problem->is_unordered; i++)
    if (devices[readers[i]] == device)
      add_while (changes, readers[i], readers[i], it->size_bytes);
}

static const Wide *
find_changes (const TpLimitHeld *held, const gint8 *devices, int device)
{
  Wide *changes = held->changes;

  memset (changes, 0, sizeof (Wide) * (held->problem->graph->n_nodes + 2));
  for (int i = 0; i < held->problem->graph->n_tensors; i++)
    add_change (held, &held->items[i], devices, device, changes);
  return changes;
}

void
tp_limit_held_add (const TpLimitHeld *held, const gint8 *devices, int device,
                   double part, double *sums)
{
  const Wide *changes = find_changes (held, devices, device);
  Wide sum = 0;

  for (int i = 0; i < held->problem->graph->n_nodes; i++)
    {
      sum += changes[i];
      sums[i] += part * (double) sum;
    }
}

gint64
tp_limit_held_peak (const TpLimitHeld *held, const gint8 *devices,
                    int device, int *out_step)
{
  const Wide *changes = find_changes (held, devices, device);
  Wide sum = 0, most = 0;

  *out_step = 0;
  for (int i = 0; i < held->problem->graph->n_nodes; i++)
    {
      sum += changes[i];
      if (sum > most)
        *out_step = i;
      most = MAX (most, sum);
    }
  return held->problem->graph->n_nodes == 0
             ? 0
             : tp_limit_held_sum (held, devices, device, *out_step);
}

void
tp_limit_held_share (const TpLimitHeld *held, int device, int step,
                     gint64 *shares)
{
  memset (shares, 0, sizeof (gint64) * held->problem->graph->n_nodes);
  for (int i = 0; i < held->problem->graph->n_tensors; i++)
    {
      int n;
      gint64 bytes = MIN (
          tp_limit_held_find (held, i, device, step, &n),
          TP_PROBLEM_LIMIT / 2);

      for (int k = 0; k < n; k++)
        shares[held->found[k]] = MIN (shares[held->found[k]] + bytes,
                                      TP_PROBLEM_LIMIT / 2);
    }
}
