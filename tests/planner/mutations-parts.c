/* mutations-parts.c: ways to spoil what a plan says of ops, groups, transfers
 * and costs. */
#include "config.h"

#include "mutations.h"

#include <string.h>

static gint64
pick_shift (void)
{
  return g_test_rand_bit () ? 1 : -1;
}

static void
reseal (TpPlan *plan)
{
  tp_costs_seal (plan->costs);
  g_free (plan->costs_digest);
  plan->costs_digest = g_strdup (plan->costs->digest);
}

/* ---- placements -------------------------------------------------------- */

static gboolean
move_op (TpPlan *plan, const TpTestCase *test)
{
  TpPlacement *it = &plan->placements[pick (plan->n_placements)];

  it->device = (it->device + 1) % plan->n_devices;
  return TRUE;
}

/* All but the proof fits the new place. */
static gboolean
move_op_and_totals (TpPlan *plan, const TpTestCase *test)
{
  TpPlacement *it = &plan->placements[pick (plan->n_placements)];
  g_autofree guint8 *devices = NULL;
  gint64 cost;

  it->device = (it->device + 1) % plan->n_devices;
  devices = tp_test_plan_devices (plan);
  cost = tp_test_case_cost (test, devices);
  it->time_ns
      = tp_costs_node (plan->costs, it->node, it->device)->time_ns;
  if (cost == TP_COST_NONE || cost == plan->cost_ns)
    return FALSE;
  plan->cost_ns = plan->bound_ns = cost;
  return TRUE;
}

TP_TEST_SPOIL (move_to_nowhere,
               plan->placements[pick (plan->n_placements)].device
                 = g_test_rand_bit () ? plan->n_devices : -1)

static gboolean
violate_pin (TpPlan *plan, const TpTestCase *test)
{
  for (int i = 0; i < plan->n_placements; i++)
    {
      const char *const *pins = test->graph->nodes[i].pins;
      int other = (plan->placements[i].device + 1) % plan->n_devices;

      if (pins == NULL || g_strv_contains (pins, plan->devices[other]))
        continue;
      plan->placements[i].device = other;
      return TRUE;
    }
  return FALSE;
}

/* Whether what a file has of the placement of @node is not as the costs have it. */
static gboolean
is_misplaced (const TpPlan *plan, int node)
{
  const TpPlacement *it = &plan->placements[node];
  const TpCost *cost = tp_costs_node (plan->costs, node, it->device);

  return it->time_ns != cost->time_ns || it->spread_ns != cost->spread_ns;
}

/* Of two that take as long it may be as good a plan. */
static gboolean
swap_placements (TpPlan *plan, const TpTestCase *test)
{
  TpPlacement kept = plan->placements[0];

  if (plan->n_placements < 2 || is_misplaced (plan, 0)
      || is_misplaced (plan, 1))
    return FALSE;
  plan->placements[0] = plan->placements[1];
  plan->placements[1] = kept;
  return is_misplaced (plan, 0) || is_misplaced (plan, 1);
}

TP_TEST_SPOIL (change_time,
               plan->placements[pick (plan->n_placements)].time_ns += pick_shift ())
TP_TEST_SPOIL (change_spread,
               plan->placements[pick (plan->n_placements)].spread_ns += pick_shift ())
TP_TEST_SPOIL (drop_placement, plan->n_placements--)

/* ---- figures ----------------------------------------------------------- */

static TpCost *
pick_figure (TpPlan *plan)
{
  TpCosts *costs = plan->costs;

  switch (pick (3))
    {
    case 0:
      return tp_costs_node (costs, pick (costs->n_nodes), pick (2));
    case 1:
      return tp_costs_feed (costs, pick (costs->n_tensors), 1);
    default:
      return tp_costs_fetch (costs, pick (costs->n_tensors), 1);
    }
}

static gboolean
change_figure (TpPlan *plan, const TpTestCase *test)
{
  TpCost *cost = pick_figure (plan);

  cost->time_ns = cost->time_ns == TP_COST_NONE ? 1
                                                : cost->time_ns + pick_shift ();
  return TRUE;
}

/* Of one that the plan does not pay the proof holds as it is. */
static gboolean
change_figure_and_digest (TpPlan *plan, const TpTestCase *test)
{
  int node = pick (plan->costs->n_nodes);

  tp_costs_node (plan->costs, node, plan->placements[node].device)->time_ns++;
  reseal (plan);
  return TRUE;
}

static gboolean
make_figure_negative (TpPlan *plan, const TpTestCase *test)
{
  int node = pick (plan->costs->n_nodes);
  const char *const *pins = test->graph->nodes[node].pins;

  tp_costs_node (plan->costs, node, 0)->time_ns = -5;
  reseal (plan);
  return pins == NULL || g_strv_contains (pins, plan->devices[0]);
}

static gboolean
make_figures_huge (TpPlan *plan, const TpTestCase *test)
{
  for (int i = 0; i < plan->costs->n_nodes; i++)
    for (int d = 0; d < plan->n_devices; d++)
      tp_costs_node (plan->costs, i, d)->time_ns = G_GINT64_CONSTANT (1)
                                                   << 62;
  reseal (plan);
  return TRUE;
}

static gboolean
change_host (TpPlan *plan, const TpTestCase *test)
{
  int *host = &plan->costs->host;

  *host = *host == plan->n_devices - 1 ? TP_COSTS_HOST : *host + 1;
  reseal (plan);
  return TRUE;
}

static gboolean
change_host_to_nowhere (TpPlan *plan, const TpTestCase *test)
{
  plan->costs->host
      = g_test_rand_bit () ? plan->n_devices : TP_COSTS_HOST - 1;
  reseal (plan);
  return TRUE;
}

TP_TEST_SPOIL (drop_figures, plan->costs->n_nodes--)

/* ---- groups ------------------------------------------------------------ */

static void
copy_groups_but (TpGroups **groups, int left_out)
{
  TpGroups *copy = tp_groups_new ();

  for (int i = 0; i < (*groups)->n_groups; i++)
    if (i != left_out)
      tp_groups_add (copy, (*groups)->groups[i].nodes,
                     (*groups)->groups[i].n_nodes);
  tp_groups_free (*groups);
  *groups = copy;
}

static gboolean
drop_group (TpPlan *plan, const TpTestCase *test)
{
  if (plan->groups->n_groups == 0)
    return FALSE;
  copy_groups_but (&plan->groups, pick (plan->groups->n_groups));
  return TRUE;
}

static gboolean
add_group (TpPlan *plan, const TpTestCase *test)
{
  int nodes[] = { 0, 1 };

  if (plan->n_placements < 2)
    return FALSE;
  tp_groups_add (plan->groups, nodes, 2);
  return TRUE;
}

static gboolean
split_group (TpPlan *plan, const TpTestCase *test)
{
  TpGroup *group;
  int n_rest;

  if (plan->groups->n_groups == 0)
    return FALSE;
  group = &plan->groups->groups[pick (plan->groups->n_groups)];
  if (group->n_nodes < 2)
    return FALSE;
  n_rest = group->n_nodes - 1;
  group->n_nodes = 1;
  tp_groups_add (plan->groups, group->nodes + 1, n_rest);
  return TRUE;
}

static gboolean
swap_members (TpPlan *plan, const TpTestCase *test)
{
  int *nodes, kept;

  if (plan->groups->n_groups == 0)
    return FALSE;
  nodes = (int *) plan->groups->groups[0].nodes;
  kept = nodes[0];
  nodes[0] = nodes[1];
  nodes[1] = kept;
  return TRUE;
}

static gboolean
drop_offer (TpPlan *plan, const TpTestCase *test)
{
  if (plan->all_groups->n_groups == 0)
    return FALSE;
  copy_groups_but (&plan->all_groups, pick (plan->all_groups->n_groups));
  return TRUE;
}

static gboolean
overlap_offers (TpPlan *plan, const TpTestCase *test)
{
  TpGroups *offers = plan->all_groups;

  if (offers->n_groups < 2)
    return FALSE;
  ((int *) offers->groups[0].nodes)[0] = offers->groups[1].nodes[0];
  return TRUE;
}

static gboolean
offer_nowhere (TpPlan *plan, const TpTestCase *test)
{
  if (plan->all_groups->n_groups == 0)
    return FALSE;
  ((int *) plan->all_groups->groups[0].nodes)[0]
      = g_test_rand_bit () ? -1 : plan->n_placements;
  return TRUE;
}

/* ---- transfers --------------------------------------------------------- */

static TpTransfer *
pick_transfer (TpPlan *plan)
{
  return plan->n_transfers == 0 ? NULL
                                : &plan->transfers[pick (plan->n_transfers)];
}

static gboolean
drop_transfer (TpPlan *plan, const TpTestCase *test)
{
  TpTransfer *it = pick_transfer (plan);

  if (it == NULL)
    return FALSE;
  memmove (it, it + 1,
           (char *) &plan->transfers[plan->n_transfers] - (char *) (it + 1));
  plan->n_transfers--;
  return TRUE;
}

static gboolean
add_transfer (TpPlan *plan, const TpTestCase *test)
{
  plan->transfers = g_renew (TpTransfer, plan->transfers,
                             plan->n_transfers + 1);
  plan->transfers[plan->n_transfers++] = (TpTransfer){ 0, 0, 1, 16, 0 };
  return TRUE;
}

static gboolean
change_transfer_size (TpPlan *plan, const TpTestCase *test)
{
  TpTransfer *it = pick_transfer (plan);

  if (it != NULL)
    it->size_bytes += 4;
  return it != NULL;
}

static gboolean
change_transfer_time (TpPlan *plan, const TpTestCase *test)
{
  TpTransfer *it = pick_transfer (plan);

  if (it != NULL)
    it->time_ns += pick_shift ();
  return it != NULL;
}

static gboolean
turn_transfer (TpPlan *plan, const TpTestCase *test)
{
  TpTransfer *it = pick_transfer (plan);

  if (it != NULL)
    {
      int from = it->from;

      it->from = it->to;
      it->to = from;
    }
  return it != NULL;
}

static gboolean
change_transfer_tensor (TpPlan *plan, const TpTestCase *test)
{
  TpTransfer *it = pick_transfer (plan);

  if (it != NULL)
    it->tensor = (it->tensor + 1) % test->graph->n_tensors;
  return it != NULL;
}

const TpTestMutation tp_test_part_mutations[] = {
  { "move-op", move_op },
  { "move-op-and-totals", move_op_and_totals },
  { "move-to-nowhere", move_to_nowhere },
  { "violate-pin", violate_pin },
  { "swap-placements", swap_placements },
  { "change-time", change_time },
  { "change-spread", change_spread },
  { "drop-placement", drop_placement },
  { "change-figure", change_figure },
  { "change-figure-and-digest", change_figure_and_digest },
  { "make-figure-negative", make_figure_negative },
  { "make-figures-huge", make_figures_huge },
  { "change-host", change_host },
  { "change-host-to-nowhere", change_host_to_nowhere },
  { "drop-figures", drop_figures },
  { "drop-group", drop_group },
  { "add-group", add_group },
  { "split-group", split_group },
  { "swap-members", swap_members },
  { "drop-offer", drop_offer },
  { "overlap-offers", overlap_offers },
  { "offer-nowhere", offer_nowhere },
  { "drop-transfer", drop_transfer },
  { "add-transfer", add_transfer },
  { "change-transfer-size", change_transfer_size },
  { "change-transfer-time", change_transfer_time },
  { "turn-transfer", turn_transfer },
  { "change-transfer-tensor", change_transfer_tensor },
  { NULL, NULL },
};
