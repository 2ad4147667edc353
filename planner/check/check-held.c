/* check-held.c: what ops hold in memory.
 *
 * At the beginning of an op a device has what an op at or after it reads there and
 * one before it made, what that op itself makes there, and every constant that is
 * read there at all. What a group may keep to itself is there only while the op that
 * makes it runs, and no more of it than the group makes in the end: a group in
 * effect runs where it ends, with all that it reads, and of what others read then
 * only what is read at its end or later.
 *
 * Groups that only the graph says are one kernel are run op by op, so they hold what
 * these do.
 *
 * Where ops may run in any order there is, constants apart, only what an op makes and
 * reads itself. */
#include "config.h"

#include "planner/check/check-held.h"

#include "ir/guard.h"
#include "ir/units.h"

static void
find_roots (const TpGraph *graph, int *roots)
{
  for (int i = 0; i < graph->n_tensors; i++)
    roots[i] = i;
  for (int i = 0; i < graph->n_nodes; i++)
    if (tp_node_is_view (&graph->nodes[i]))
      roots[graph->nodes[i].outputs[0]] = roots[graph->nodes[i].inputs[0]];
}

/* The roots that op @index reads, each once, into @out; how many. */
static int
list_reads (const TpCheckerHeld *held, int index, int *out)
{
  const TpNode *node = &held->checker->graph->nodes[index];
  int n = 0;

  for (int i = 0; i < node->n_inputs && !tp_node_is_view (node); i++)
    {
      int root = node->inputs[i] < 0 ? -1 : held->roots[node->inputs[i]];
      gboolean is_new = root >= 0;

      for (int k = 0; k < n; k++)
        is_new = is_new && out[k] != root;
      if (is_new)
        out[n++] = root;
    }
  return n;
}

static int
count_inputs (const TpGraph *graph, int *out_most)
{
  int n = 0;

  *out_most = 0;
  for (int i = 0; i < graph->n_nodes; i++)
    {
      n += graph->nodes[i].n_inputs;
      *out_most = MAX (*out_most, graph->nodes[i].n_inputs);
    }
  return n;
}

void
tp_checker_held_init (TpCheckerHeld *held, TpChecker *checker)
{
  const TpGraph *graph = checker->graph;
  int most, n_inputs = count_inputs (graph, &most);
  g_autofree int *n_done = tp_new0 (int, graph->n_tensors + 1);
  int *reads = held->reads = tp_new (int, most + 1);

  held->checker = checker;
  held->is_unordered = checker->plan->span_proof != NULL;
  held->roots = tp_new (int, graph->n_tensors + 1);
  held->firsts = tp_new0 (int, graph->n_tensors + 2);
  held->readers = tp_new (int, n_inputs + 1);
  held->ops = tp_new (int, MAX (n_inputs, 1) + 1);
  find_roots (graph, held->roots);
  for (int i = 0; i < graph->n_nodes; i++)
    for (int k = list_reads (held, i, reads); k > 0; k--)
      held->firsts[reads[k - 1] + 1]++;
  for (int i = 0; i < graph->n_tensors; i++)
    held->firsts[i + 1] += held->firsts[i];
  for (int i = 0; i < graph->n_nodes; i++)
    for (int k = list_reads (held, i, reads); k > 0; k--)
      held->readers[held->firsts[reads[k - 1]] + n_done[reads[k - 1]]++] = i;
}

void
tp_checker_held_clear (TpCheckerHeld *held)
{
  g_clear_pointer (&held->roots, g_free);
  g_clear_pointer (&held->firsts, g_free);
  g_clear_pointer (&held->readers, g_free);
  g_clear_pointer (&held->ops, g_free);
  g_clear_pointer (&held->reads, g_free);
}

/* The last op of the group that @op is inside of, where that may be in effect on
 * @device, as one kernel; else -1. */
static int
find_end (const TpCheckerHeld *held, int op, int device)
{
  const TpChecker *checker = held->checker;
  int index = op < 0 ? -1 : checker->group_of[op];
  const TpGroup *group;

  if (index < 0 || checker->gains[(gsize) index * checker->costs->n_devices + device]
                       <= 0)
    return -1;
  group = &checker->plan->all_groups->groups[index];
  return group->is_claimed || group->nodes[group->n_nodes - 1] == op
             ? -1
             : group->nodes[group->n_nodes - 1];
}

static gint64
find_size (const TpGraph *graph, int tensor)
{
  return MAX (graph->tensors[tensor].size_bytes, 1);
}

/* Of what @op makes inside a group that ends with @end: where the group is in
 * effect, there is what that makes in its place. */
static gint64
find_inside (const TpGraph *graph, int op, int root, int end)
{
  const TpNode *last = &graph->nodes[end];
  gint64 size = find_size (graph, root), made = 0;

  for (int i = 0; i < last->n_outputs && made < size; i++)
    if (last->outputs[i] >= 0
        && !tp_tensor_is_resident (&graph->tensors[last->outputs[i]]))
      made += MIN (find_size (graph, last->outputs[i]), size);
  return graph->nodes[op].outputs[0] == root ? MIN (size, made) : 0;
}

static void
find_readers (TpCheckerHeld *held, int root, int device, int step)
{
  const TpChecker *checker = held->checker;
  int end = find_end (held, step, device);
  gboolean is_constant
      = tp_tensor_is_resident (&checker->graph->tensors[root]);

  for (int i = held->firsts[root]; i < held->firsts[root + 1]; i++)
    {
      int op = held->readers[i];
      gboolean is_with = end < 0 || op >= end
                         || checker->group_of[op] == checker->group_of[step];

      if (is_constant || (held->is_unordered ? op == step : op >= step && is_with))
        held->ops[held->n_ops++] = op;
    }
}

/* A constant of the host that is sent from there has no other bytes there. */
static gboolean
is_kept (const TpChecker *checker, int root, int device)
{
  return device == checker->plan->costs->host
         && tp_graph_find_streamed (checker->graph, root) >= 0;
}

gint64
tp_checker_held_find (TpCheckerHeld *held, int root, int device, int step)
{
  const TpGraph *graph = held->checker->graph;
  const TpTensor *tensor = &graph->tensors[root];
  int end = find_end (held, tensor->producer, device);

  held->n_ops = 0;
  if (held->roots[root] != root || is_kept (held->checker, root, device))
    return 0;
  if (tp_tensor_is_resident (tensor))
    {
      find_readers (held, root, device, step);
      return tp_tensor_get_resident_bytes (tensor);
    }
  if (tensor->producer == step)
    {
      held->ops[held->n_ops++] = step;
      return end < 0 ? find_size (graph, root)
                     : find_inside (graph, step, root, end);
    }
  if (tensor->producer < step && end < 0)
    find_readers (held, root, device, step);
  return find_size (graph, root);
}

gint64
tp_checker_held_find_own (TpCheckerHeld *held, int device, int step)
{
  const TpGraph *graph = held->checker->graph;
  const TpNode *node = &graph->nodes[step];
  int n_reads = held->is_unordered ? list_reads (held, step, held->reads) : 0;
  gint64 sum = 0;

  for (int i = 0; i < node->n_outputs + n_reads; i++)
    {
      int root = i < node->n_outputs ? node->outputs[i]
                                     : held->reads[i - node->n_outputs];
      gint64 bytes;

      if (root < 0 || (i >= node->n_outputs
                       && tp_tensor_is_resident (&graph->tensors[root])))
        continue;
      bytes = tp_checker_held_find (held, root, device, step);
      sum += held->n_ops == 0 ? 0 : bytes;
    }
  return sum;
}
