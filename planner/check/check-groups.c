/* check-groups.c: are the groups of a plan those that may be fused?
 *
 * First of each by itself, from the graph alone: what its ops hand to each other
 * nobody else reads, so it has one result, hangs together, and nothing outside of
 * it comes between; or, of a group that the graph gives, nothing before its last op.
 * Then of all of them: they are what the rules give. */
#include "config.h"

#include "planner/check/check-groups.h"

#include "ir/guard.h"
#include "ir/op.h"
#include "planner/check/check-fusion.h"
#include "planner/check/check-readings.h"
#include "planner/check/check-offers.h"
#include "planner/check/check-private.h"

#include <string.h>

typedef struct
{
  TpChecker checker;          /* of which no more is set than these need */
  int *group_of;              /* [node]; -1: none */
} Groups;

static void
groups_clear (Groups *groups)
{
  g_free (groups->group_of);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Groups, groups_clear)

/* ---- one group ----------------------------------------------------------- */

/* Takes down what is wrong with group @index; returns FALSE. */
static gboolean G_GNUC_PRINTF (3, 4)
fail_at (Groups *groups, int index, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  return tp_checker_fail (&groups->checker, "all_groups[%d]: %s", index, what);
}

static gboolean
is_given (const Groups *groups, int index)
{
  const TpGroup *group = &groups->checker.plan->all_groups->groups[index];

  return group->n_nodes > 1 && group->nodes[0] >= 0
         && group->nodes[0] < groups->checker.graph->n_nodes
         && tp_graph_find_group (groups->checker.graph, group->nodes,
                                 group->n_nodes)
                != NULL;
}

/* Ops that there are, in their order, and of no other group. */
static gboolean
check_members (Groups *groups, int index)
{
  const TpGraph *graph = groups->checker.graph;
  const TpGroup *group = &groups->checker.plan->all_groups->groups[index];

  if (group->n_nodes < 2
      || (group->n_nodes > TP_CHECKER_MAX_FUSED && !is_given (groups, index)))
    return fail_at (groups, index, "%d ops, not 2 to %d", group->n_nodes,
                    TP_CHECKER_MAX_FUSED);
  for (int i = 0; i < group->n_nodes; i++)
    {
      int node = group->nodes[i];

      if (node < 0 || node >= graph->n_nodes
          || (i > 0 && node <= group->nodes[i - 1]))
        return fail_at (groups, index, "its ops are not in the order of the graph");
      if (groups->group_of[node] >= 0)
        return fail_at (groups, index, "op '%s' is of all_groups[%d], too",
                        graph->nodes[node].name, groups->group_of[node]);
      groups->group_of[node] = index;
    }
  return TRUE;
}

/* Kernels know what it does, and may do it amid other things. */
static gboolean
check_kind (Groups *groups, int index, int node)
{
  const TpNodeOutline *it = &groups->checker.nodes[node];
  const TpNode *named = &groups->checker.graph->nodes[node];

  if (it->kind == TP_OP_OPAQUE || it->kind == TP_OP_RECURRENT)
    return fail_at (groups, index, "op '%s' (%s) is never fused", named->name,
                    named->type);
  if (it->n_outputs != 1 || it->outputs[0] < 0)
    return fail_at (groups, index, "op '%s' makes not one tensor", named->name);
  return TRUE;
}

/* What a kernel of somebody else's makes may be read after the last op of it, where that
 * runs. */
static gboolean
check_given_value (Groups *groups, int index, int tensor)
{
  const TpGraph *graph = groups->checker.graph;
  const TpGroup *group = &groups->checker.plan->all_groups->groups[index];
  const TpTensor *value = &graph->tensors[tensor];

  for (int i = 0; i < value->n_consumers; i++)
    if (groups->group_of[value->consumers[i]] != index
        && value->consumers[i] < group->nodes[group->n_nodes - 1])
      return fail_at (groups, index, "op '%s', which is not of it and stands "
                      "before its last op, reads tensor '%s'",
                      graph->nodes[value->consumers[i]].name, value->name);
  return TRUE;
}

/* What all but the last make is read by one op, of the group. */
static gboolean
check_value (Groups *groups, int index, int tensor)
{
  const TpGraph *graph = groups->checker.graph;
  const TpTensorOutline *value = &groups->checker.tensors[tensor];

  if (value->is_output || value->is_state)
    return fail_at (groups, index, "tensor '%s' is %s, and would not be there",
                    graph->tensors[tensor].name,
                    value->is_output ? "an output" : "state");
  for (int i = 0; i < value->n_readers; i++)
    if (groups->group_of[value->readers[i]] != index)
      return fail_at (groups, index, "op '%s', which is not of it, reads tensor "
                      "'%s'", graph->nodes[value->readers[i]].name,
                      graph->tensors[tensor].name);
  return value->n_readers == 1
         || fail_at (groups, index, "tensor '%s' is not for one op of it alone",
                     graph->tensors[tensor].name);
}

/* A kernel of somebody else's may be of any ops. */
static gboolean
check_node (Groups *groups, int index, int node, gboolean is_last)
{
  const TpNodeOutline *it = &groups->checker.nodes[node];
  gboolean is_given_one = is_given (groups, index);

  if (!is_given_one && !check_kind (groups, index, node))
    return FALSE;
  for (int i = 0; i < it->n_outputs && !is_last; i++)
    if (it->outputs[i] >= 0
        && !(is_given_one ? check_given_value : check_value) (groups, index,
                                                              it->outputs[i]))
      return FALSE;
  return TRUE;
}

/* What the graph gives, wherever all of it can be. */
static gboolean
check_figures (Groups *groups, int index)
{
  const TpPlan *plan = groups->checker.plan;
  const TpGroup *group = &plan->all_groups->groups[index];
  const TpGivenGroup *given = tp_graph_find_group (
      groups->checker.graph, group->nodes, group->n_nodes);

  for (int d = 0; plan->costs != NULL && given != NULL && d < plan->n_devices;
       d++)
    {
      const TpNodeCost *want
          = tp_given_group_find_cost (given, plan->devices[d]);
      const TpCost *has = tp_costs_group (plan->costs, index, d);
      gboolean is_there = TRUE;

      for (int i = 0; i < group->n_nodes; i++)
        is_there &= tp_costs_node (plan->costs, group->nodes[i], d)->time_ns
                    != TP_COST_NONE;
      if (want != NULL
          && (is_there ? has->time_ns != want->time_ns
                             || has->spread_ns != want->spread_ns
                       : has->time_ns != TP_COST_NONE))
        return fail_at (groups, index, "on '%s' it does not cost what the graph "
                        "says", plan->devices[d]);
    }
  return TRUE;
}

static gboolean
check_group (Groups *groups, int index)
{
  const TpGroup *group = &groups->checker.plan->all_groups->groups[index];

  if (!check_members (groups, index))
    return FALSE;
  for (int i = 0; i < group->n_nodes; i++)
    if (!check_node (groups, index, group->nodes[i], i + 1 == group->n_nodes))
      return FALSE;
  return check_figures (groups, index);
}

/* ---- all of them ---------------------------------------------------------- */

/* What the rules make of the graph is @out_family: free it. */
static gboolean
are_given (const Groups *groups, const char *const *left_out,
           TpGroups **out_family, TpCheckerFault *out_fault)
{
  *out_family = tp_checker_find_groups (
      groups->checker.graph, left_out,
      (const char *const *) groups->checker.plan->devices);
  return tp_checker_is_choice (*out_family, groups->checker.plan->all_groups,
                               out_fault);
}

static gboolean
check_rule (Groups *groups, const char *name)
{
  for (int i = 0; tp_checker_get_rule (i) != NULL; i++)
    if (strcmp (tp_checker_get_rule (i), name) == 0)
      return TRUE;
  return tp_checker_fail (&groups->checker, "no_fuse: no fusion rule '%s'", name);
}

static gboolean
are_same (const TpGroup *first, const TpGroup *second)
{
  return first->n_nodes == second->n_nodes
         && memcmp (first->nodes, second->nodes,
                    sizeof (int) * (gsize) first->n_nodes) == 0;
}

/* Those that no rule makes are run op by op, and no others. What the graph gives is last
 * of both. */
static gboolean
check_claims (Groups *groups, const TpGroups *family)
{
  const TpGroups *all = groups->checker.plan->all_groups;
  int next = family->n_groups - 1;

  for (int i = all->n_groups - 1; i >= 0; i--)
    {
      gboolean is_there = next >= 0
                          && are_same (&all->groups[i], &family->groups[next]);

      if ((is_there && family->groups[next].is_claimed)
          != all->groups[i].is_claimed)
        return fail_at (groups, i, all->groups[i].is_claimed
                                       ? "the fusion rules make it, so it is no "
                                         "mere claim of the graph"
                                       : "no fusion rule makes it: it is a claim "
                                         "of the graph");
      next -= is_there;
    }
  return TRUE;
}

static gboolean
check_given (Groups *groups)
{
  const TpPlan *plan = groups->checker.plan;
  const TpNode *nodes = groups->checker.graph->nodes;
  g_autoptr (TpGroups) family = NULL;
  TpCheckerFault fault;
  const TpGroup *group;

  if (are_given (groups, (const char *const *) plan->no_fuse, &family, &fault))
    return check_claims (groups, family);
  if (fault.strange < 0)
    {
      group = &family->groups[fault.lacking];
      return tp_checker_fail (&groups->checker,
                              "all_groups: by the fusion rules the %d ops from "
                              "'%s' to '%s' are a group, or their parts are",
                              group->n_nodes, nodes[group->nodes[0]].name,
                              nodes[group->nodes[group->n_nodes - 1]].name);
    }
  group = &plan->all_groups->groups[fault.strange];
  return fail_at (groups, fault.strange,
                  "the fusion rules make no group of the %d ops from '%s' to "
                  "'%s', or not there",
                  group->n_nodes, nodes[group->nodes[0]].name,
                  nodes[group->nodes[group->n_nodes - 1]].name);
}

gboolean
tp_checker_check_groups (const TpPlan *plan, const TpGraph *graph,
                         GPtrArray *reasons)
{
  g_auto (Groups) groups
      = { { .plan = plan, .graph = graph, .reasons = reasons }, NULL };
  gsize n = (gsize) graph->n_nodes;
  gboolean is_good = TRUE;

  groups.checker.tensors = tp_graph_get_outline (graph)->tensors;
  groups.checker.nodes = tp_graph_get_outline (graph)->nodes;
  groups.group_of = tp_new (int, n + 1);
  memset (groups.group_of, -1, n * sizeof (int));
  for (int i = 0; plan->no_fuse != NULL && plan->no_fuse[i] != NULL; i++)
    if (!check_rule (&groups, plan->no_fuse[i]))
      return FALSE;
  for (int i = 0; i < plan->all_groups->n_groups; i++)
    is_good &= check_group (&groups, i);
  return is_good && check_given (&groups);
}
