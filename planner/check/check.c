/* check.c: is this plan what it says it is?
 *
 * Everything a plan states is worked out again from the graph and the costs, by
 * code that the planner does not use, in time linear in the plan. That no plan
 * is cheaper is the business of check-proof.c; that one may be, of check-tie.c. */
#include "config.h"

#include "planner/check/check.h"

#include "ir/graph-digest.h"
#include "ir/guard.h"
#include "planner/check/check-certificate.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-digest.h"
#include "planner/check/check-facts.h"
#include "planner/check/check-interval.h"
#include "planner/check/check-margins.h"
#include "planner/check/check-private.h"
#include "planner/check/check-side.h"
#include "planner/check/check-tie.h"

#include <string.h>

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

/* ---- form: enough for the rest to be computed at all ------------------- */

static gboolean
check_sizes (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  const TpGraph *graph = checker->graph;
  const TpCosts *costs = plan->costs;

  if (checker->measure == NULL)
    return tp_checker_fail (checker, "objective '%s' is unknown",
                            plan->objective == NULL ? "" : plan->objective);
  if (costs == NULL || plan->all_groups == NULL || plan->groups == NULL)
    return tp_checker_fail (checker, "costs or groups are missing");
  if (plan->n_placements != graph->n_nodes)
    return tp_checker_fail (checker, "%d ops are placed, the graph has %d",
                            plan->n_placements, graph->n_nodes);
  if (costs->n_nodes != graph->n_nodes
      || costs->n_tensors != graph->n_tensors
      || costs->n_groups != plan->all_groups->n_groups)
    return tp_checker_fail (checker, "the costs are for another graph, or for "
                                     "other groups");
  if (plan->n_devices != costs->n_devices || plan->n_devices < 1)
    return tp_checker_fail (checker, "%d devices, the costs are for %d",
                            plan->n_devices, costs->n_devices);
  if (costs->host < TP_COSTS_HOST || costs->host >= costs->n_devices)
    return tp_checker_fail (checker, "the host is device %d of %d",
                            costs->host, costs->n_devices);
  for (int d = 0; d < plan->n_devices; d++)
    if (g_strcmp0 (plan->devices[d], costs->devices[d]) != 0)
      return tp_checker_fail (checker,
                              "device %d is '%s', the costs are for '%s'", d,
                              plan->devices[d], costs->devices[d]);
  return TRUE;
}

static gboolean
check_offered_groups (TpChecker *checker)
{
  const TpGroups *groups = checker->plan->all_groups;
  int n_nodes = checker->graph->n_nodes;

  checker->group_of = tp_new (int, n_nodes + 1);
  for (int i = 0; i < n_nodes; i++)
    checker->group_of[i] = -1;
  for (int g = 0; g < groups->n_groups; g++)
    for (int k = 0; k < groups->groups[g].n_nodes; k++)
      {
        int node = groups->groups[g].nodes[k];

        if (node < 0 || node >= n_nodes)
          return tp_checker_fail (checker, "group %d: there is no op %d", g,
                                  node);
        if (checker->group_of[node] >= 0)
          return tp_checker_fail (checker, "op '%s' is in groups %d and %d",
                                  checker->graph->nodes[node].name,
                                  checker->group_of[node], g);
        checker->group_of[node] = g;
      }
  return TRUE;
}

static gboolean
add_in_range (gint64 *sum, gint64 cost)
{
  if (cost == TP_COST_NONE)
    return TRUE;
  return cost >= 0 && !__builtin_add_overflow (*sum, cost, sum)
         && *sum < MAX_SUM;
}

/* All copies of @tensor from anywhere to anywhere: what is in the host's memory
 * is on the host device too. From each place but one, and to it, there is a copy
 * for every other. */
static gboolean
add_copies_in_range (const TpChecker *checker, int tensor, gint64 *sum)
{
  int n = checker->costs->n_devices, host = checker->costs->host;
  const TpCheckerLegs *legs = &checker->legs[(gsize) tensor * n];
  int n_others = host < 0 ? n : n - 1;
  gint64 all = 0, copies;

  for (int d = 0; d < n; d++)
    if (legs[d].fetch < 0 || legs[d].feed < 0
        || __builtin_add_overflow (all, legs[d].fetch, &all)
        || __builtin_add_overflow (all, legs[d].feed, &all))
      return FALSE;
  return all < MAX_SUM && !__builtin_mul_overflow (all, n_others, &copies)
         && copies < MAX_SUM && add_in_range (sum, copies);
}

/* No cost is negative, not even where an op may not be, and no sum of different ones
 * can overflow. */
static gboolean
check_cost_range (TpChecker *checker)
{
  const TpCosts *costs = checker->costs;
  gint64 sum = 0;
  gboolean is_good = !checker->has_negative;

  for (int i = 0; i < costs->n_nodes; i++)
    for (int d = 0; d < costs->n_devices; d++)
      is_good = is_good
                && add_in_range (&sum, tp_checker_node_cost (checker, i, d));
  for (int i = 0; i < costs->n_tensors; i++)
    if (!checker->tensors[i].is_resident)
      is_good = is_good && add_copies_in_range (checker, i, &sum);
  return is_good
         || tp_checker_fail (checker, "a cost is negative or missing, or all "
                                      "together reach 2^62");
}

static gint64
compute_gain (const TpChecker *checker, int index, int device)
{
  const TpGroup *group = &checker->plan->all_groups->groups[index];
  const TpCost *fused = tp_costs_group (checker->costs, index, device);
  gint64 gain = 0, whole;

  if (fused->time_ns == TP_COST_NONE)
    return 0;
  whole = checker->measure (fused);
  if (whole < 0)
    return 0;
  for (int k = 0; k < group->n_nodes; k++)
    {
      gint64 cost = tp_checker_node_cost (checker, group->nodes[k], device);

      if (cost == TP_COST_NONE)
        return 0;
      gain += cost;
    }
  return gain > whole ? gain - whole : 0;
}

static gboolean
check_placement (TpChecker *checker, int index)
{
  const TpPlacement *it = &checker->plan->placements[index];
  const TpNode *named = &checker->graph->nodes[index];

  if (it->node != index)
    return tp_checker_fail (checker, "ops[%d] places op %d, not '%s'", index,
                            it->node, named->name);
  if (it->device < 0 || it->device >= checker->costs->n_devices)
    return tp_checker_fail (checker, "op '%s': there is no device %d",
                            named->name, it->device);
  return tp_checker_may_run (checker, index, it->device)
         || tp_checker_fail (checker,
                             "op '%s' is on %s, which its pins or lack of "
                             "support rule out",
                             named->name, checker->costs->devices[it->device]);
}

static gboolean
check_form (TpChecker *checker)
{
  int n_devices;

  if (!check_sizes (checker))
    return FALSE;
  checker->costs = checker->plan->costs;
  tp_checker_gather_facts (checker);
  if (!check_offered_groups (checker) || !check_cost_range (checker))
    return FALSE;
  n_devices = checker->costs->n_devices;
  checker->gains
      = tp_new0 (gint64, (gsize) checker->costs->n_groups * n_devices + 1);
  for (int g = 0; g < checker->costs->n_groups; g++)
    for (int d = 0; d < n_devices; d++)
      checker->gains[(gsize) g * n_devices + d]
          = compute_gain (checker, g, d);
  for (int i = 0; i < checker->plan->n_placements; i++)
    if (!check_placement (checker, i))
      return FALSE;
  return TRUE;
}

/* ---- identity ---------------------------------------------------------- */

static void
check_identity (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  g_autofree char *graph_digest = tp_graph_digest (checker->graph);

  if (g_strcmp0 (plan->graph_digest, graph_digest) != 0)
    tp_checker_fail (checker, "the plan is for a graph with digest %s, this "
                              "one has %s",
                     plan->graph_digest, graph_digest);
  if (g_strcmp0 (plan->graph_name, checker->graph->name) != 0)
    tp_checker_fail (checker, "the plan is for graph '%s', this is '%s'",
                     plan->graph_name, checker->graph->name);
  if (!plan->is_simulated != !checker->costs->is_simulated)
    tp_checker_fail (checker, "the plan %s simulated, its costs say otherwise",
                     plan->is_simulated ? "says it is" : "does not say it is");
}

static void
check_digest (TpChecker *checker, const char *digest)
{
  const TpPlan *plan = checker->plan;

  if (g_strcmp0 (plan->costs_digest, digest) != 0
      || g_strcmp0 (plan->costs->digest, digest) != 0)
    tp_checker_fail (checker,
                     "the plan says its costs have digest %s, they have %s",
                     plan->costs_digest, digest);
}

/* ---- parts ------------------------------------------------------------- */

static gboolean
is_fused (const TpChecker *checker, int index)
{
  const TpGroup *group = &checker->plan->all_groups->groups[index];
  int device;

  if (group->n_nodes == 0)
    return FALSE;
  device = checker->devices[group->nodes[0]];
  for (int k = 0; k < group->n_nodes; k++)
    if (checker->devices[group->nodes[k]] != device)
      return FALSE;
  return checker->gains[(gsize) index * checker->costs->n_devices + device]
         > 0;
}

/* The groups in effect are those offered that are on one device and save, in
 * the order in which they were offered. */
static void
check_groups (TpChecker *checker, const gboolean *fused)
{
  const TpGroups *offered = checker->plan->all_groups;
  const TpGroups *groups = checker->plan->groups;
  int n = 0;

  for (int g = 0; g < offered->n_groups; g++)
    {
      const TpGroup *want = &offered->groups[g];
      const TpGroup *have;

      if (!fused[g])
        continue;
      have = n < groups->n_groups ? &groups->groups[n] : NULL;
      n++;
      if (have == NULL || have->n_nodes != want->n_nodes
          || memcmp (have->nodes, want->nodes, sizeof (int) * want->n_nodes)
                 != 0)
        tp_checker_fail (checker,
                         "the group of op '%s' should be in effect as "
                         "groups[%d]",
                         checker->graph->nodes[want->nodes[0]].name, n - 1);
    }
  if (n != groups->n_groups)
    tp_checker_fail (checker, "%d groups are in effect, the plan lists %d", n,
                     groups->n_groups);
}

/* What op @index is expected to state: its cost, or its part of a group's. */
static const TpCost *
expected_cost (const TpChecker *checker, int index, const gboolean *fused,
               gboolean *out_is_first)
{
  int device = checker->devices[index];
  int group = checker->group_of[index];

  *out_is_first = TRUE;
  if (group < 0 || !fused[group])
    return tp_costs_node (checker->costs, index, device);
  *out_is_first = checker->plan->all_groups->groups[group].nodes[0] == index;
  return tp_costs_group (checker->costs, group, device);
}

/* Returns the cost of all kernels. */
static gint64
check_times (TpChecker *checker, const gboolean *fused)
{
  int n_estimated = 0;
  gint64 sum = 0;

  for (int i = 0; i < checker->plan->n_placements; i++)
    {
      const TpPlacement *it = &checker->plan->placements[i];
      gboolean is_first;
      const TpCost *cost = expected_cost (checker, i, fused, &is_first);
      gint64 time_ns = is_first ? cost->time_ns : 0;
      gint64 spread_ns = is_first ? cost->spread_ns : 0;

      n_estimated += cost->is_estimated ? 1 : 0;
      if (is_first)
        sum += checker->measure (cost);
      if (it->time_ns != time_ns || it->spread_ns != spread_ns)
        tp_checker_fail (checker,
                         "op '%s' should take %" G_GINT64_FORMAT
                         " +- %" G_GINT64_FORMAT " ns, the plan says %"
                         G_GINT64_FORMAT " +- %" G_GINT64_FORMAT,
                         checker->graph->nodes[i].name, time_ns, spread_ns,
                         it->time_ns, it->spread_ns);
      if (it->margin_ns < -1 || (it->margin_ns < 0 && it->is_margin_least))
        tp_checker_fail (checker, "op '%s' has a negative margin",
                         checker->graph->nodes[i].name);
    }
  if (n_estimated != checker->plan->n_estimated)
    tp_checker_fail (checker, "%d ops have estimated times, the plan says %d",
                     n_estimated, checker->plan->n_estimated);
  return sum;
}

/* Whether an op on device @place, or the caller who is at the host, reads
 * @tensor. */
static gboolean
is_read_at (const TpChecker *checker, const TpTensorOutline *tensor, int place)
{
  if (tensor->is_output && place == checker->costs->host)
    return TRUE;
  for (int k = 0; k < tensor->n_readers; k++)
    if (checker->devices[tensor->readers[k]] == place)
      return TRUE;
  return FALSE;
}

static void
check_transfer (TpChecker *checker, const TpTransfer *have,
                const TpTransfer *want)
{
  int tensor = want->tensor;
  const TpTensor *named = &checker->graph->tensors[tensor];
  gint64 size_bytes = checker->tensors[tensor].size_bytes;

  if (have == NULL || have->tensor != tensor || have->from != want->from
      || have->to != want->to)
    tp_checker_fail (checker, "tensor '%s' is needed on %s, but no transfer "
                              "takes it there in its place in the list",
                     named->name,
                     want->to == TP_COSTS_HOST
                         ? "the host"
                         : checker->costs->devices[want->to]);
  else if (have->size_bytes != size_bytes || have->time_ns != want->time_ns)
    tp_checker_fail (checker,
                     "the transfer of tensor '%s' should be %" G_GINT64_FORMAT
                     " bytes in %" G_GINT64_FORMAT " ns",
                     named->name, size_bytes, want->time_ns);
}

/* Returns the cost of all copies of tensor @index; *@n are before it in the
 * list. */
static gint64
check_transfers_of (TpChecker *checker, int index, int *n)
{
  const TpPlan *plan = checker->plan;
  const TpTensorOutline *tensor = &checker->tensors[index];
  TpTransfer want = {
    .tensor = index,
    .from = tensor->producer < 0 ? checker->costs->host
                                 : checker->devices[tensor->producer],
  };
  gint64 sum = 0;

  for (want.to = TP_COSTS_HOST; want.to < plan->n_devices; want.to++)
    {
      if (want.to == want.from || !is_read_at (checker, tensor, want.to))
        continue;
      want.time_ns = tp_checker_copy_cost (checker, index, want.from, want.to);
      check_transfer (checker,
                      *n < plan->n_transfers ? &plan->transfers[*n] : NULL,
                      &want);
      ++*n;
      sum += want.time_ns;
    }
  return sum;
}

/* Returns the cost of all copies. */
static gint64
check_transfers (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  gint64 sum = 0;
  int n = 0;

  for (int i = 0; i < checker->graph->n_tensors; i++)
    if (!checker->tensors[i].is_resident)
      sum += check_transfers_of (checker, i, &n);
  if (n != plan->n_transfers)
    tp_checker_fail (checker, "%d transfers are needed, the plan lists %d", n,
                     plan->n_transfers);
  return sum;
}

/* ---- totals ------------------------------------------------------------ */

static void
check_single (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  int best = -1;
  gint64 best_cost = 0;

  for (int d = 0; d < plan->n_devices; d++)
    {
      gint64 cost = tp_checker_single_cost (checker, d);

      if (cost == TP_COST_NONE || (best >= 0 && cost >= best_cost))
        continue;
      best = d;
      best_cost = cost;
    }
  if (plan->best_single != best || plan->best_single_ns != best_cost)
    tp_checker_fail (checker,
                     "the best single device should be %d at %" G_GINT64_FORMAT
                     ", the plan says %d at %" G_GINT64_FORMAT,
                     best, best_cost, plan->best_single, plan->best_single_ns);
}

static void
check_totals (TpChecker *checker, gint64 cost)
{
  const TpPlan *plan = checker->plan;
  gint64 constant = 0;

  for (int i = 0; i < checker->costs->n_groups * plan->n_devices; i++)
    constant += checker->gains[i];
  if (plan->cost_ns != cost)
    tp_checker_fail (checker,
                     "the parts add up to %" G_GINT64_FORMAT
                     ", the plan says it costs %" G_GINT64_FORMAT,
                     cost, plan->cost_ns);
  if (plan->constant_ns != constant)
    tp_checker_fail (checker,
                     "the fusion gains add up to %" G_GINT64_FORMAT
                     ", the plan says %" G_GINT64_FORMAT,
                     constant, plan->constant_ns);
  check_single (checker);
}

static void
check_noise (TpChecker *checker, gint64 cost)
{
  g_auto (TpCheckerSide) side = { 0 };

  if (!tp_checker_check_kernels (checker))
    return;
  tp_checker_side_init (&side, checker, checker->devices);
  tp_checker_check_tie (&side, cost);
  tp_checker_check_interval (&side);
  checker->n_copies = side.n_copies;
}

static void
check_all (TpChecker *checker)
{
  g_auto (TpCheckerDigest) digest = { 0 };
  g_autofree gboolean *fused = NULL;
  guint n_before = checker->reasons->len;
  gint64 cost;

  if (!check_form (checker))
    return;
  if (!checker->leaves_digest)
    tp_checker_digest_begin (&digest, checker->costs, FALSE);
  fused = tp_new0 (gboolean, checker->costs->n_groups + 1);
  for (int g = 0; g < checker->costs->n_groups; g++)
    fused[g] = is_fused (checker, g);
  tp_checker_check_together (checker, checker->devices);
  check_groups (checker, fused);
  cost = check_times (checker, fused);
  cost += check_transfers (checker);
  check_totals (checker, cost);
  check_noise (checker, cost);
  tp_checker_check_certificate (checker);
  check_identity (checker);
  if (!checker->leaves_digest)
    check_digest (checker, tp_checker_digest_end (&digest));
  if (checker->reasons->len == n_before)
    tp_checker_check_margins (checker);
}

void
tp_check_fill (TpChecker *checker)
{
  checker->measure = tp_checker_find_measure (checker->plan->objective);
  check_all (checker);
}

void
tp_check_clear (TpChecker *checker)
{
  tp_checker_drop_facts (checker);
  g_clear_pointer (&checker->gains, g_free);
  g_clear_pointer (&checker->group_of, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpChecker, tp_check_clear)

/* What @checker finds goes into @reasons once all is found. */
static gboolean
check_into (TpChecker *checker, GPtrArray *reasons)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);

  checker->reasons = found;
  tp_check_fill (checker);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (reasons, g_strdup (found->pdata[i]));
  return found->len == 0;
}

gboolean
tp_check (const TpPlan *plan, const TpGraph *graph, GPtrArray *reasons)
{
  g_auto (TpChecker) checker = { .plan = plan, .graph = graph };

  return check_into (&checker, reasons);
}

gboolean
tp_check_undigested (const TpPlan *plan, const TpGraph *graph,
                     GPtrArray *reasons)
{
  g_auto (TpChecker) checker
      = { .plan = plan, .graph = graph, .leaves_digest = TRUE };

  return check_into (&checker, reasons);
}

gboolean
tp_check_digest (const TpPlan *plan, const char *digest, GPtrArray *reasons)
{
  guint n_before = reasons->len;
  TpChecker checker = { .plan = plan, .reasons = reasons };

  check_digest (&checker, digest);
  return reasons->len == n_before;
}
