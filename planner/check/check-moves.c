/* check-moves.c: see check-moves.h. */
#include "config.h"

#include "planner/check/check-moves.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"

/* ---- parts --------------------------------------------------------------- */

static gint64
add_copy (const TpCheckerMoves *moves, int tensor, int from, int to)
{
  gint64 cost = tp_checker_copy_cost (moves->checker, tensor, from, to);

  return cost > 0 ? cost + moves->price : 0;
}

/* To each place but its own where an op, or the caller, reads it. */
static gint64
sum_copies (const TpCheckerMoves *moves, int tensor)
{
  const TpChecker *checker = moves->checker;
  const TpTensorOutline *it = &checker->tensors[tensor];
  int k = checker->costs->n_devices, host = checker->costs->host;
  const int *n_readers = &moves->n_readers[(gsize) tensor * k];
  int from = it->producer < 0 ? host : moves->devices[it->producer];
  gint64 sum = 0;

  for (int d = 0; d < k; d++)
    if (d != from && (n_readers[d] > 0 || (it->is_output && d == host)))
      sum += add_copy (moves, tensor, from, d);
  if (it->is_output && it->producer >= 0 && host == TP_COSTS_HOST)
    sum += add_copy (moves, tensor, from, TP_COSTS_HOST);
  return sum;
}

static gint64
get_gain (const TpCheckerMoves *moves, int group, int device)
{
  const TpChecker *checker = moves->checker;
  gsize cell = (gsize) group * checker->costs->n_devices + device;

  return moves->n_members[cell] == checker->plan->all_groups->groups[group].n_nodes
             ? checker->gains[cell]
             : 0;
}

/* All that hangs on where @op is. */
static gint64
sum_around (const TpCheckerMoves *moves, int op)
{
  const TpChecker *checker = moves->checker;
  const TpNode *node = &checker->graph->nodes[op];
  int device = moves->devices[op], group = checker->group_of[op];
  gint64 sum = tp_checker_node_cost (checker, op, device);

  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0
        && !checker->tensors[node->outputs[i]].is_resident)
      sum += sum_copies (moves, node->outputs[i]);
  for (int i = moves->first[op]; i < moves->first[op + 1]; i++)
    sum += sum_copies (moves, moves->reads[i]);
  for (int d = 0; d < checker->costs->n_devices && group >= 0; d++)
    sum -= get_gain (moves, group, d);
  return sum;
}

/* ---- moving -------------------------------------------------------------- */

/* Counts @op, or no longer. */
static void
count (TpCheckerMoves *moves, int op, int change)
{
  int k = moves->checker->costs->n_devices, device = moves->devices[op];
  int group = moves->checker->group_of[op];

  for (int i = moves->first[op]; i < moves->first[op + 1]; i++)
    moves->n_readers[(gsize) moves->reads[i] * k + device] += change;
  if (group >= 0)
    moves->n_members[(gsize) group * k + device] += change;
}

static void
put (TpCheckerMoves *moves, int op, int device)
{
  count (moves, op, -1);
  moves->devices[op] = device;
  count (moves, op, 1);
}

gint64
tp_checker_moves_try (TpCheckerMoves *moves, const int *ops, int n_ops,
                      int device)
{
  int from = moves->devices[ops[0]];
  gint64 sum = 0;

  for (int i = 0; i < n_ops; i++)
    {
      sum -= sum_around (moves, ops[i]);
      put (moves, ops[i], device);
      sum += sum_around (moves, ops[i]);
    }
  for (int i = 0; i < n_ops; i++)
    put (moves, ops[i], from);
  return sum;
}

/* ---- making -------------------------------------------------------------- */

/* Readers by tensor, as they are, to tensors by reader. */
static void
list_reads (TpCheckerMoves *moves)
{
  const TpChecker *checker = moves->checker;
  int n_nodes = checker->graph->n_nodes, n_tensors = checker->graph->n_tensors;
  g_autofree int *next = tp_new (int, (gsize) n_nodes + 1);

  moves->first = tp_new0 (int, (gsize) n_nodes + 2);
  for (int i = 0; i < n_tensors; i++)
    for (int k = 0; k < checker->tensors[i].n_readers; k++)
      moves->first[checker->tensors[i].readers[k] + 1]
          += !checker->tensors[i].is_resident;
  for (int i = 0; i < n_nodes; i++)
    {
      moves->first[i + 1] += moves->first[i];
      next[i] = moves->first[i];
    }
  moves->reads = tp_new (int, (gsize) moves->first[n_nodes] + 1);
  for (int i = 0; i < n_tensors; i++)
    for (int k = 0; k < checker->tensors[i].n_readers; k++)
      if (!checker->tensors[i].is_resident)
        moves->reads[next[checker->tensors[i].readers[k]]++] = i;
}

void
tp_checker_moves_init (TpCheckerMoves *moves, const TpChecker *checker,
                       const int *devices, gint64 price)
{
  gsize k = checker->costs->n_devices, n = checker->graph->n_nodes;

  moves->checker = checker;
  moves->price = price;
  list_reads (moves);
  moves->devices = tp_memdup (devices, n * sizeof (int));
  moves->n_readers
      = tp_new0 (int, (gsize) checker->graph->n_tensors * k + 1);
  moves->n_members = tp_new0 (int, (gsize) checker->costs->n_groups * k + 1);
  for (gsize i = 0; i < n; i++)
    count (moves, (int) i, 1);
}

void
tp_checker_moves_clear (TpCheckerMoves *moves)
{
  g_free (moves->devices);
  g_free (moves->n_readers);
  g_free (moves->n_members);
  g_free (moves->first);
  g_free (moves->reads);
}
