/* judge.c: what a placement that was made elsewhere costs, and which moves would
 * make it cheaper.
 *
 * A move takes a run of ops, first to last as they stand in the graph, to one
 * device; ops that are to be with others stay. From each first op the run grows
 * op by op, and what the placement costs is kept up: only the tensors and the
 * group of the op that goes can change. So each gain is exact, and trying all runs
 * of n ops takes n steps for each device and tensor of an op; where there are many,
 * runs have a largest length, so that steps stay few. */
#include "config.h"

#include "planner/judge.h"

#include "ir/guard.h"
#include "planner/copies.h"
#include "planner/problem.h"

#include <string.h>

#define MAX_STEPS (1 << 23)   /* tensors looked at: about a second */
#define LONGEST_MOVE 1024     /* ops */

/* A placement that changes, and what it costs. */
typedef struct
{
  const TpProblem *problem;
  guint8 *devices;            /* [node] */
  int *readers;               /* [tensor * n_devices + device]: ops there */
  int *groups;                /* [node]: its group, or -1 */
  int *members;               /* [group * n_devices + device]: ops there */
  guint *seen;                /* [tensor]: the last turn it was met in */
  guint turn;
  gint64 cost;
} State;

static void
state_clear (State *state)
{
  g_clear_pointer (&state->devices, g_free);
  g_clear_pointer (&state->readers, g_free);
  g_clear_pointer (&state->groups, g_free);
  g_clear_pointer (&state->members, g_free);
  g_clear_pointer (&state->seen, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (State, state_clear)

/* ---- what it costs ------------------------------------------------------ */

/* Of all its copies. */
static gint64
cost_of_tensor (const State *state, int index)
{
  const TpProblem *problem = state->problem;
  const TpTensor *tensor = &problem->graph->tensors[index];
  const int *readers = &state->readers[(gsize) index * problem->n_devices];
  int host = problem->costs->host;
  int home = tensor->producer < 0 ? host : state->devices[tensor->producer];
  gint64 sum = 0;

  if (tp_tensor_is_resident (tensor))
    return 0;
  for (int to = TP_COSTS_HOST; to < problem->n_devices; to++)
    if (to != home
        && ((to >= 0 && readers[to] > 0)
            || (tensor->is_output && to == host)))
      sum += tp_problem_edge_cost (problem, index, home, to);
  return sum;
}

/* What its group saves where it is. */
static gint64
gain_around (const State *state, int node)
{
  const TpProblem *problem = state->problem;
  int group = state->groups[node], device = state->devices[node];

  if (group < 0
      || state->members[(gsize) group * problem->n_devices + device]
             != problem->groups->groups[group].n_nodes)
    return 0;
  return tp_problem_get_gain (problem, group, device);
}

/* Of everything that changes when @node goes elsewhere. */
static gint64
cost_around (State *state, int node)
{
  const TpNode *it = &state->problem->graph->nodes[node];
  gint64 sum = tp_problem_node_cost (state->problem, node,
                                     state->devices[node])
               - gain_around (state, node);

  state->turn++;
  for (int i = 0; i < it->n_outputs; i++)
    sum += cost_of_tensor (state, it->outputs[i]);
  for (int i = 0; i < it->n_inputs; i++)
    {
      int tensor = it->inputs[i];

      if (tensor < 0 || state->seen[tensor] == state->turn)
        continue;
      state->seen[tensor] = state->turn;
      sum += cost_of_tensor (state, tensor);
    }
  return sum;
}

/* @by: 1 or -1. */
static void
count_node (State *state, int node, int by)
{
  const TpNode *it = &state->problem->graph->nodes[node];
  int n = state->problem->n_devices, device = state->devices[node];

  if (state->groups[node] >= 0)
    state->members[(gsize) state->groups[node] * n + device] += by;
  for (int i = 0; i < it->n_inputs; i++)
    if (it->inputs[i] >= 0)
      state->readers[(gsize) it->inputs[i] * n + device] += by;
}

static void
move_node (State *state, int node, int device)
{
  state->cost -= cost_around (state, node);
  count_node (state, node, -1);
  state->devices[node] = device;
  count_node (state, node, 1);
  state->cost += cost_around (state, node);
}

static void
state_init (State *state, const TpProblem *problem, const guint8 *devices)
{
  const TpGraph *graph = problem->graph;
  gsize n = problem->n_devices;
  int n_groups = problem->costs->n_groups;

  state->problem = problem;
  state->devices = tp_new0 (guint8, graph->n_nodes + 1);
  memcpy (state->devices, devices, graph->n_nodes);
  state->readers = tp_new0 (int, graph->n_tensors * n + 1);
  state->members = tp_new0 (int, n_groups * n + 1);
  state->seen = tp_new0 (guint, graph->n_tensors + 1);
  state->groups = tp_new (int, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    state->groups[i] = -1;
  for (int i = 0; i < n_groups; i++)
    for (int k = 0; k < problem->groups->groups[i].n_nodes; k++)
      state->groups[problem->groups->groups[i].nodes[k]] = i;
  for (int i = 0; i < graph->n_nodes; i++)
    count_node (state, i, 1);
}

/* ---- moves -------------------------------------------------------------- */

static gboolean
is_bound (const TpGraph *graph, int node)
{
  return graph->colocation_of != NULL && graph->colocation_of[node] >= 0;
}

static gboolean
may_go (const State *state, int node, int device)
{
  return state->devices[node] == device
         || (!is_bound (state->problem->graph, node)
             && tp_problem_node_cost (state->problem, node, device)
                    != TP_COST_NONE);
}

/* The best of those that begin with @first, end before @end and go to @device;
 * of equal ones the shortest. */
static TpMove
try_runs (State *state, int first, int end, int device)
{
  TpMove best = { .first = first, .last = first, .device = device };
  const gint64 before = state->cost;
  g_autofree guint8 *old = NULL;
  int n_moved = 0, n = first;

  if (state->devices[first] == device)
    return best;
  old = tp_memdup (state->devices + first, end - first);
  for (; n < end && may_go (state, n, device); n++)
    {
      if (state->devices[n] == device)
        continue;
      move_node (state, n, device);
      n_moved++;
      if (before - state->cost <= best.gain_ns)
        continue;
      best.last = n;
      best.n_moved = n_moved;
      best.gain_ns = before - state->cost;
    }
  while (n-- > first)
    if (state->devices[n] != old[n - first])
      move_node (state, n, old[n - first]);
  return best;
}

static gboolean
is_better (const TpMove *a, const TpMove *b)
{
  if (a->gain_ns != b->gain_ns)
    return a->gain_ns > b->gain_ns;
  return a->n_moved < b->n_moved;
}

/* What is found of each first op and device, and what may still be taken. */
typedef struct
{
  State *state;
  TpMove *best;               /* [node * n_devices + device] */
  gboolean *is_taken;         /* [node] */
  int max_ops;
} Search;

static void
search_clear (Search *search)
{
  g_clear_pointer (&search->best, g_free);
  g_clear_pointer (&search->is_taken, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static void
search_from (Search *search, int first)
{
  State *state = search->state;
  int n = state->problem->n_devices, end = first;

  while (end < state->problem->graph->n_nodes && end < first + search->max_ops
         && !search->is_taken[end])
    end++;
  for (int d = 0; d < n; d++)
    {
      TpMove *best = &search->best[(gsize) first * n + d];

      if (end > first)
        *best = try_runs (state, first, end, d);
      else
        best->gain_ns = 0;
    }
}

/* What moving all ops looks at. */
static gint64
count_steps (const TpGraph *graph)
{
  gint64 n = 1;

  for (int i = 0; i < graph->n_nodes; i++)
    n += 1 + graph->nodes[i].n_inputs + graph->nodes[i].n_outputs;
  return n;
}

static void
search_init (Search *search, State *state)
{
  gint64 n_nodes = state->problem->graph->n_nodes;
  gint64 n = state->problem->n_devices;

  search->state = state;
  search->best = tp_new0 (TpMove, n_nodes * n + 1);
  search->is_taken = tp_new0 (gboolean, n_nodes + 1);
  search->max_ops
      = (int) CLAMP (MAX_STEPS / (count_steps (state->problem->graph) * n), 1,
                     LONGEST_MOVE);
  for (int i = 0; i < n_nodes; i++)
    search_from (search, i);
}

/* The best there is is taken, and those that ran into it end before it. FALSE:
 * nothing gains. */
static gboolean
search_take (Search *search, TpMove *out)
{
  const TpProblem *problem = search->state->problem;
  gsize n = (gsize) problem->graph->n_nodes * problem->n_devices;

  *out = (TpMove){ 0 };
  for (gsize i = 0; i < n; i++)
    if (is_better (&search->best[i], out))
      *out = search->best[i];
  if (out->gain_ns <= 0)
    return FALSE;
  for (int i = out->first; i <= out->last; i++)
    search->is_taken[i] = TRUE;
  for (int i = MAX (0, out->first - search->max_ops + 1); i <= out->last; i++)
    search_from (search, i);
  return TRUE;
}

/* Makes @move after others, unless it no longer gains. */
static gboolean
make_move (State *state, const TpMove *move)
{
  int n = move->last - move->first + 1;
  g_autofree guint8 *old = tp_memdup (state->devices + move->first, n);
  const gint64 before = state->cost;

  for (int i = 0; i < n; i++)
    if (old[i] != move->device)
      move_node (state, move->first + i, move->device);
  if (state->cost < before)
    return TRUE;
  for (int i = 0; i < n; i++)
    if (old[i] != move->device)
      move_node (state, move->first + i, old[i]);
  return FALSE;
}

static void
find_moves (State *state, int n_moves, TpJudgement *out)
{
  g_auto (Search) search = { 0 };

  search_init (&search, state);
  out->max_ops = search.max_ops;
  out->moves = tp_new0 (TpMove, n_moves + 1);
  while (out->n_moves < n_moves
         && search_take (&search, &out->moves[out->n_moves]))
    out->n_moves++;
  for (int i = 0; i < out->n_moves; i++)
    out->moves[i].is_kept = make_move (state, &out->moves[i]);
  out->moved_ns = state->cost;
}

/* ---- what may be -------------------------------------------------------- */

static gboolean
check_together (const TpProblem *problem, const guint8 *devices,
                GError **error)
{
  const TpGraph *graph = problem->graph;

  for (int i = 0; i < graph->n_colocations; i++)
    {
      const int *nodes = graph->colocations[i].nodes;

      for (int k = 1; k < graph->colocations[i].n_nodes; k++)
        {
          if (devices[nodes[k]] == devices[nodes[0]])
            continue;
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
                       "op '%s' is placed on %s and op '%s' on %s, but the "
                       "graph wants them on one device: place them together",
                       graph->nodes[nodes[0]].name,
                       problem->costs->devices[devices[nodes[0]]],
                       graph->nodes[nodes[k]].name,
                       problem->costs->devices[devices[nodes[k]]]);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
check_ops (const TpProblem *problem, const guint8 *devices, GError **error)
{
  for (int i = 0; i < problem->graph->n_nodes; i++)
    {
      const TpNode *node = &problem->graph->nodes[i];
      const char *device = problem->costs->devices[devices[i]];
      const TpCost *cost = tp_costs_node (problem->costs, i, devices[i]);

      if (tp_problem_node_cost (problem, i, devices[i]) != TP_COST_NONE)
        continue;
      if (cost->time_ns != TP_COST_NONE)
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
                     "op '%s' is placed on %s, where its pin in the graph, or "
                     "what it is to be with, does not let it be: place it "
                     "elsewhere, or change the graph",
                     node->name, device);
      else
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
                     "op '%s' is placed on %s, which cannot run it (%s): place "
                     "it elsewhere", node->name, device,
                     cost->reason == NULL ? "no cost is known" : cost->reason);
      return FALSE;
    }
  return TRUE;
}

/* ---- all of it ---------------------------------------------------------- */

static void
count_costs (State *state, TpJudgement *out)
{
  const TpProblem *problem = state->problem;
  g_autoptr (TpArray) copies = tp_copies_list (problem, state->devices);

  out->n_copies = (int) copies->len;
  for (guint i = 0; i < copies->len; i++)
    {
      const TpTransfer *it = &tp_array_index (copies, TpTransfer, i);

      out->copies_ns
          += tp_problem_edge_cost (problem, it->tensor, it->from, it->to);
    }
  out->cost_ns = out->copies_ns;
  for (int i = 0; i < problem->graph->n_nodes; i++)
    out->cost_ns += tp_problem_node_cost (problem, i, state->devices[i]);
  for (int i = 0; i < problem->costs->n_groups; i++)
    {
      int device = tp_problem_find_fused (problem, i, state->devices);

      out->n_groups += device >= 0;
      if (device >= 0)
        out->cost_ns -= tp_problem_get_gain (problem, i, device);
    }
  state->cost = out->cost_ns;
}

TpJudgement *
tp_placement_judge (const TpPlan *plan, const TpGraph *graph,
                    const guint8 *devices, int n_moves, GError **error)
{
  g_autoptr (TpProblem) problem
      = tp_problem_new (graph, plan->all_groups, plan->costs, plan->objective,
                        error);
  g_autoptr (TpJudgement) out = NULL;
  g_auto (State) state = { 0 };

  if (problem == NULL || !check_ops (problem, devices, error)
      || !check_together (problem, devices, error))
    return NULL;
  out = g_new0 (TpJudgement, 1);
  state_init (&state, problem, devices);
  count_costs (&state, out);
  find_moves (&state, n_moves, out);
  return g_steal_pointer (&out);
}
