/* problem.c: checks that graph, groups and costs fit together and can be
 * planned at all. */
#include "config.h"

#include "planner/problem.h"

#include "ir/guard.h"
#include "ir/near-name.h"

#include <string.h>

#define MAX_NAMED 4 /* ops named in one message */

static gboolean
is_pinned_away (const TpNode *node, const char *device)
{
  return node->pins != NULL && !g_strv_contains (node->pins, device);
}

/* Of what keeps engine @index busy; @passed: as often. */
static gint64
find_weight (const TpProblem *problem, int index, gint64 passed)
{
  return problem->weights == NULL ? 1 : problem->weights[index] + passed;
}

gint64
tp_problem_node_cost (const TpProblem *problem, int node, int device)
{
  const TpCosts *costs = problem->costs;
  const TpCost *cost = tp_costs_node (costs, node, device);

  if (cost->time_ns == TP_COST_NONE
      || (problem->is_barred != NULL
          && problem->is_barred[(gsize) node * problem->n_devices + device])
      || is_pinned_away (&problem->graph->nodes[node],
                         costs->devices[device]))
    return TP_COST_NONE;
  return problem->objective->node_cost (costs, cost, device)
         * find_weight (problem, device,
                        problem->passed == NULL ? 0 : problem->passed->ops[node]);
}

/* Each half of a copy has its own weight. */
static gint64
weigh_copy (const TpProblem *problem, int tensor, int from, int to)
{
  const TpPassed *passed = problem->passed;
  gint64 times = passed == NULL ? 0 : passed->tensors[tensor], cost = 0;
  int n = problem->n_devices;

  if (from == to)
    return 0;
  if (from != TP_COSTS_HOST)
    cost += find_weight (problem, 2 * n + from, times)
            * problem->objective->edge_cost (problem->costs, tensor, from,
                                             TP_COSTS_HOST);
  if (to != TP_COSTS_HOST)
    cost += find_weight (problem, n + to, times)
            * problem->objective->edge_cost (problem->costs, tensor,
                                             TP_COSTS_HOST, to);
  return cost;
}

gint64
tp_problem_edge_cost (const TpProblem *problem, int tensor, int from, int to)
{
  if (problem->weights != NULL)
    return weigh_copy (problem, tensor, from, to);
  return problem->objective->edge_cost (problem->costs, tensor, from, to);
}

gint64
tp_problem_fetch_cost (const TpProblem *problem, int tensor, int device)
{
  const TpTensor *it = &problem->graph->tensors[tensor];

  if (!it->is_output || it->producer < 0
      || problem->costs->host != TP_COSTS_HOST)
    return 0;
  return tp_problem_edge_cost (problem, tensor, device, TP_COSTS_HOST);
}

/* FALSE: out of range. */
static gboolean
add_cost (gint64 *sum, gint64 cost)
{
  if (cost == TP_COST_NONE)
    return TRUE;
  return cost >= 0 && tp_size_add (*sum, cost, sum) && *sum < TP_PROBLEM_LIMIT;
}

static gboolean
check_nodes (const TpProblem *problem, gint64 *sum, GError **error)
{
  for (int i = 0; i < problem->graph->n_nodes; i++)
    for (int d = 0; d < problem->n_devices; d++)
      if (!add_cost (sum, tp_problem_node_cost (problem, i, d)))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                       "op '%s': its cost on %s is negative, or all costs "
                       "together reach 2^62: mend the costs",
                       problem->graph->nodes[i].name,
                       problem->costs->devices[d]);
          return FALSE;
        }
  return TRUE;
}

/* All copies there could be of a tensor, to and from host memory too: more than
 * any plan makes. */
static gboolean
add_copies (const TpProblem *problem, int tensor, int device, gint64 *sum)
{
  for (int other = TP_COSTS_HOST; other < device; other++)
    {
      gint64 there = tp_problem_edge_cost (problem, tensor, other, device);
      gint64 back = tp_problem_edge_cost (problem, tensor, device, other);

      if (there == TP_COST_NONE || back == TP_COST_NONE
          || !add_cost (sum, there) || !add_cost (sum, back))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_tensors (const TpProblem *problem, gint64 *sum, GError **error)
{
  for (int i = 0; i < problem->graph->n_tensors; i++)
    for (int d = 0; d < problem->n_devices; d++)
      {
        const TpTensor *tensor = &problem->graph->tensors[i];

        if (tp_tensor_is_resident (tensor)
            || add_copies (problem, i, d, sum))
          continue;
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                     "tensor '%s': the cost of copying it to or from %s is "
                     "missing or negative, or all costs together reach 2^62: "
                     "mend the costs",
                     tensor->name, problem->costs->devices[d]);
        return FALSE;
      }
  return TRUE;
}

/* What running @group as one saves on @device; 0 when it cannot. */
static gint64
measure_gain (const TpProblem *problem, int group, int device)
{
  const TpGroup *it = &problem->groups->groups[group];
  const TpCost *fused = tp_costs_group (problem->costs, group, device);
  gint64 sum = 0, whole;

  if (fused->time_ns == TP_COST_NONE)
    return 0;
  for (int k = 0; k < it->n_nodes; k++)
    {
      gint64 cost = tp_problem_node_cost (problem, it->nodes[k], device);

      if (cost == TP_COST_NONE)
        return 0;
      sum += cost; /* part of what check_nodes () added up */
    }
  whole = problem->objective->node_cost (problem->costs, fused, device);
  return whole < 0 ? 0 : MAX (0, sum - whole);
}

static gboolean
check_groups (TpProblem *problem, gint64 *sum, GError **error)
{
  const TpGroups *groups = problem->groups;
  g_autofree guint8 *seen = tp_new0 (guint8, problem->graph->n_nodes + 1);
  int n = problem->costs->n_groups;

  problem->gains = tp_new0 (gint64, (gsize) n * problem->n_devices + 1);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < groups->groups[i].n_nodes; k++)
      {
        int node = groups->groups[i].nodes[k];

        if (node >= 0 && node < problem->graph->n_nodes && !seen[node]++)
          continue;
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                     "fusion group %d: op %d is in another group too, or "
                     "does not exist",
                     i, node);
        return FALSE;
      }
  for (int i = 0; i < n; i++)
    for (int d = 0; d < problem->n_devices; d++)
      {
        gint64 gain = measure_gain (problem, i, d);

        problem->gains[(gsize) i * problem->n_devices + d] = gain;
        if (add_cost (sum, gain))
          continue;
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                     "all costs together reach 2^62: mend the costs");
        return FALSE;
      }
  return TRUE;
}

/* "op 'a' (ops[3]): pinned to opencl:0; opencl:0: no kernel for this case" */
static void
describe_stuck (const TpProblem *problem, int index, GString *out)
{
  const TpNode *node = &problem->graph->nodes[index];

  g_string_append_printf (out, "op '%s'", node->name);
  if (node->place != NULL)
    g_string_append_printf (out, " (%s)", node->place);
  if (node->pins != NULL)
    {
      g_autofree char *pins = g_strjoinv (", ", (char **) node->pins);

      g_string_append_printf (out, ": pinned to '%s'", pins);
    }
  for (int d = 0; d < problem->n_devices; d++)
    {
      const char *device = problem->costs->devices[d];
      const TpCost *cost = tp_costs_node (problem->costs, index, d);

      if (is_pinned_away (node, device))
        continue;
      g_string_append_printf (out, ": %s cannot run it (%s)", device,
                              cost->reason == NULL ? "no cost is known"
                                                   : cost->reason);
    }
}

/* Copies are always possible, so the only infinite cuts are ops that no device
 * may run. */
static gboolean
check_feasible (const TpProblem *problem, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *devices = g_strjoinv (", ", problem->costs->devices);
  int n_stuck = 0;

  for (int i = 0; i < problem->graph->n_nodes; i++)
    {
      gboolean is_stuck = TRUE;

      for (int d = 0; d < problem->n_devices; d++)
        if (tp_problem_node_cost (problem, i, d) != TP_COST_NONE)
          is_stuck = FALSE;
      if (!is_stuck || n_stuck++ >= MAX_NAMED)
        continue;
      if (n_stuck > 1)
        g_string_append (text, "; ");
      describe_stuck (problem, i, text);
    }
  if (n_stuck == 0)
    return TRUE;
  if (n_stuck > MAX_NAMED)
    g_string_append_printf (text, "; and %d more", n_stuck - MAX_NAMED);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
               "no device is left among %s for %s: change the pin, or plan "
               "with another device",
               devices, text->str);
  return FALSE;
}

/* "cpu: op 'b' (ops[3]) is pinned elsewhere; gpu: op 'a' (ops[1]) cannot run there
 * (no kernel)": of each device the first op that may not be there. */
static void
describe_apart (const TpProblem *problem, const TpColocation *colocation,
                GString *out)
{
  for (int d = 0; d < problem->n_devices; d++)
    {
      const TpCost *cost;
      const TpNode *node;
      int k = 0;

      while (tp_problem_node_cost (problem, colocation->nodes[k], d)
             != TP_COST_NONE)
        k++;
      node = &problem->graph->nodes[colocation->nodes[k]];
      cost = tp_costs_node (problem->costs, colocation->nodes[k], d);
      g_string_append_printf (out, "%s%s: op '%s'%s%s%s ", d == 0 ? "" : "; ",
                              problem->costs->devices[d], node->name,
                              node->place == NULL ? "" : " (",
                              node->place == NULL ? "" : node->place,
                              node->place == NULL ? "" : ")");
      if (is_pinned_away (node, problem->costs->devices[d]))
        g_string_append (out, "is pinned elsewhere");
      else
        g_string_append_printf (out, "cannot run there (%s)",
                                cost->reason == NULL ? "no cost is known"
                                                     : cost->reason);
    }
}

static gboolean
may_all_be (const TpProblem *problem, const TpColocation *colocation,
            int device)
{
  for (int k = 0; k < colocation->n_nodes; k++)
    if (tp_problem_node_cost (problem, colocation->nodes[k], device)
        == TP_COST_NONE)
      return FALSE;
  return TRUE;
}

/* Where one of a colocation may not be, none of it may. */
static gboolean
check_colocation (const TpProblem *problem, const TpColocation *it,
                  guint8 *is_barred, GError **error)
{
  g_autoptr (GString) text = NULL;
  int n_left = 0;

  for (int d = 0; d < problem->n_devices; d++)
    {
      gboolean may_be = may_all_be (problem, it, d);

      n_left += may_be;
      for (int k = 0; k < it->n_nodes; k++)
        is_barred[(gsize) it->nodes[k] * problem->n_devices + d] = !may_be;
    }
  if (n_left > 0)
    return TRUE;
  text = g_string_new (NULL);
  describe_apart (problem, it, text);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
               "op '%s' and %d more are to be on one device, and none is left "
               "for all of them: %s: change the pins, or what is to be "
               "together",
               problem->graph->nodes[it->nodes[0]].name, it->n_nodes - 1,
               text->str);
  return FALSE;
}

static gboolean
check_colocations (TpProblem *problem, GError **error)
{
  const TpGraph *graph = problem->graph;
  g_autofree guint8 *is_barred = NULL;

  if (graph->n_colocations == 0)
    return TRUE;
  is_barred = tp_new0 (guint8, (gsize) graph->n_nodes * problem->n_devices + 1);
  for (int i = 0; i < graph->n_colocations; i++)
    if (!check_colocation (problem, &graph->colocations[i], is_barred, error))
      return FALSE;
  problem->is_barred = g_steal_pointer (&is_barred);
  return TRUE;
}

static void
fail_objective (const char *objective, GError **error)
{
  const char *const *list = tp_objective_list ();
  g_autofree char *names = g_strjoinv ("', '", (char **) list);
  g_autofree char *near = tp_near_name_ask (objective, list);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "no objective '%s'%s: there are '%s'", objective, near, names);
}

static gboolean
check_parts (const TpProblem *problem, const char *objective, GError **error)
{
  const TpCosts *costs = problem->costs;
  int n_groups = problem->groups == NULL ? 0 : problem->groups->n_groups;

  if (problem->objective == NULL)
    fail_objective (objective, error);
  else if (costs->n_nodes != problem->graph->n_nodes
           || costs->n_tensors != problem->graph->n_tensors
           || costs->n_groups != n_groups)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "costs for %d ops, %d tensors and %d groups do not fit a "
                 "graph of %d, %d and %d",
                 costs->n_nodes, costs->n_tensors, costs->n_groups,
                 problem->graph->n_nodes, problem->graph->n_tensors, n_groups);
  else if (costs->n_devices < 1)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE, "no devices");
  else
    return TRUE;
  return FALSE;
}

void
tp_problem_move (const TpProblem *problem, const int *node, int device,
                 guint8 *devices)
{
  int n;
  const int *nodes = tp_problem_get_together (problem, node, &n);

  for (int i = 0; i < n; i++)
    devices[nodes[i]] = (guint8) device;
}

int
tp_problem_find_fused (const TpProblem *problem, int group,
                       const guint8 *devices)
{
  const TpGroup *it = &problem->groups->groups[group];
  int device = devices[it->nodes[0]];

  for (int k = 1; k < it->n_nodes; k++)
    if (devices[it->nodes[k]] != device)
      return -1;
  return tp_problem_get_gain (problem, group, device) > 0 ? device : -1;
}

/* Feeding and fetching, with all ops on @device. */
static gint64
copies_of_single (const TpProblem *problem, int device)
{
  gint64 sum = 0;

  for (int i = 0; i < problem->graph->n_tensors; i++)
    {
      const TpTensor *tensor = &problem->graph->tensors[i];

      if (tp_tensor_is_resident (tensor))
        continue;
      if (tensor->producer < 0 && tensor->n_consumers > 0)
        sum += tp_problem_edge_cost (problem, i, TP_COSTS_HOST, device);
      if (tensor->producer >= 0 && tensor->is_output)
        sum += tp_problem_edge_cost (problem, i, device, TP_COSTS_HOST);
    }
  return sum;
}

gint64
tp_problem_single_cost (const TpProblem *problem, int device)
{
  const TpGraph *graph = problem->graph;
  gint64 sum = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    {
      gint64 cost = tp_problem_node_cost (problem, i, device);

      if (cost == TP_COST_NONE)
        return TP_COST_NONE;
      sum += cost;
    }
  for (int i = 0; i < problem->costs->n_groups; i++)
    sum -= tp_problem_get_gain (problem, i, device);
  return sum + copies_of_single (problem, device);
}

TpProblem *
tp_problem_new (const TpGraph *graph, const TpGroups *groups,
                const TpCosts *costs, const char *objective, GError **error)
{
  g_autoptr (TpProblem) problem = g_new0 (TpProblem, 1);

  problem->graph = graph;
  problem->groups = groups;
  problem->costs = costs;
  problem->objective = tp_objective_find (objective);
  problem->n_devices = costs->n_devices;
  if (!check_parts (problem, objective, error)
      || !check_nodes (problem, &problem->sum, error)
      || !check_tensors (problem, &problem->sum, error)
      || !check_feasible (problem, error)
      || !check_colocations (problem, error)
      || !check_groups (problem, &problem->sum, error))
    return NULL;
  problem->aims = problem->objective->aims;
  return g_steal_pointer (&problem);
}

TpProblem *
tp_problem_weigh (const TpProblem *problem, const gint64 *weights)
{
  return tp_problem_weigh_passed (problem, weights, NULL);
}

TpProblem *
tp_problem_weigh_passed (const TpProblem *problem, const gint64 *weights,
                         const TpPassed *passed)
{
  g_autoptr (TpProblem) weighed = g_new0 (TpProblem, 1);
  int n_gains = problem->costs->n_groups * problem->n_devices;

  *weighed = *problem;
  weighed->weights = weights;
  weighed->passed = passed;
  weighed->gains = NULL; /* @problem owns them */
  weighed->is_barred = NULL;
  if (problem->is_barred != NULL)
    weighed->is_barred
        = tp_memdup (problem->is_barred, (gsize) problem->graph->n_nodes
                                             * problem->n_devices);
  weighed->gains = tp_new0 (gint64, (gsize) n_gains + 1);
  for (int i = 0; i < n_gains; i++)
    weighed->gains[i]
        = problem->gains[i] * find_weight (weighed, i % problem->n_devices, 0)
          + (passed == NULL ? 0 : passed->gains[i]);
  return g_steal_pointer (&weighed);
}

/* What is to be together may be on the same devices. */
void
tp_problem_gather (const TpProblem *problem, int device, guint8 *devices)
{
  for (int i = 0; i < problem->graph->n_nodes; i++)
    {
      int at = device;

      if (tp_problem_node_cost (problem, i, device) == TP_COST_NONE)
        at = 0;
      while (tp_problem_node_cost (problem, i, at) == TP_COST_NONE)
        at++;
      devices[i] = (guint8) at;
    }
}

static gboolean
has_place (const TpProblem *problem, int node)
{
  for (int d = 0; d < problem->n_devices; d++)
    if (tp_problem_node_cost (problem, node, d) != TP_COST_NONE)
      return TRUE;
  return FALSE;
}

gboolean
tp_problem_bar (TpProblem *problem, guint without)
{
  int n = problem->n_devices, n_nodes = problem->graph->n_nodes;

  if (problem->is_barred == NULL)
    problem->is_barred = tp_new0 (guint8, (gsize) n_nodes * n + 1);
  for (int d = 0; d < n; d++)
    {
      if ((without >> d & 1) == 0)
        continue;
      for (int i = 0; i < n_nodes; i++)
        problem->is_barred[(gsize) i * n + d] = TRUE;
      for (int i = 0; i < problem->costs->n_groups; i++)
        problem->gains[(gsize) i * n + d] = 0;
    }
  for (int i = 0; i < n_nodes; i++)
    if (!has_place (problem, i))
      return FALSE;
  return TRUE;
}

void
tp_problem_free (TpProblem *problem)
{
  if (problem == NULL)
    return;
  g_free (problem->gains);
  g_free (problem->is_barred);
  g_free (problem);
}
