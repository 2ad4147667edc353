/* test-bind.c: plans proved for what they stand on, which is not what it should
 * be. Each lie is planned and signed again, so that the proof holds: only what
 * it stands on is wrong. */
#include "api/bind.h"
#include "calib/certain.h"
#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/plan-memory.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "planner/margin.h"
#include "planner/place.h"

#include <string.h>

static const char *const sims[] = { "sim:desktop-cpu", "sim:laptop-gpu", NULL };

typedef struct
{
  TpGraph *graph;
  TpPlan *plan;
} Case;

static void
plan_costs (Case *it, const TpGroups *groups, TpCosts *costs)
{
  g_autoptr (GError) error = NULL;

  tp_plan_unref (it->plan);
  tp_costs_seal (costs);
  it->plan = tp_place (it->graph, groups, costs, "time", &error);
  g_assert_no_error (error);
  it->plan->origin.facts = g_strsplit (",", ",", -1);
  tp_plan_count_memory (it->plan, it->graph);
}

static void
plan_groups (Case *it, const TpGroups *groups)
{
  g_autoptr (TpCosts) costs
      = tp_costs_find_certain (it->graph, groups, sims, NULL, NULL);

  plan_costs (it, groups, costs);
}

static void
case_init (Case *it)
{
  g_autofree char *path = g_test_build_filename (
      G_TEST_DIST, "..", "plans", "given.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) raw = tp_graph_load (path, NULL, &error);
  g_autoptr (TpGroups) groups = NULL;

  g_assert_no_error (error);
  *it = (Case){ tp_graph_prepare (raw, &error), NULL };
  g_assert_no_error (error);
  groups = tp_fuse_find (it->graph, NULL);
  g_assert_cmpint (groups->n_groups, >=, 2);
  plan_groups (it, groups);
  tp_place_margins (it->plan, it->graph, &error);
  g_assert_no_error (error);
}

static void
case_clear (Case *it)
{
  tp_plan_unref (it->plan);
  tp_graph_unref (it->graph);
}

/* Plans again with the costs of the plan, changed. */
static void
replan (Case *it)
{
  g_autoptr (TpCosts) costs = tp_costs_ref (it->plan->costs);
  g_autoptr (TpPlan) old = tp_plan_ref (it->plan);

  plan_costs (it, old->all_groups, costs);
}

static int
find_given (const Case *it)
{
  for (int i = 0; i < it->graph->n_nodes; i++)
    if (it->graph->nodes[i].n_costs > 0)
      return i;
  g_assert_not_reached ();
}

/* ---- figures ------------------------------------------------------------ */

static void
scale (TpCost *table, gsize n, int percent)
{
  for (gsize i = 0; i < n; i++)
    if (table[i].time_ns != TP_COST_NONE)
      table[i].time_ns = table[i].time_ns * percent / 100;
}

static void
scale_all (Case *it, int percent)
{
  TpCosts *costs = it->plan->costs;

  scale (costs->nodes, 2 * costs->n_nodes, percent);
  scale (costs->groups, 2 * costs->n_groups, percent);
  scale (costs->feeds, 2 * costs->n_tensors, percent);
  scale (costs->fetches, 2 * costs->n_tensors, percent);
  replan (it);
}

static void
halve_all (Case *it)
{
  scale_all (it, 50);
}

static void
double_all (Case *it)
{
  scale_all (it, 200);
}

static void
cheapen_op (Case *it)
{
  tp_costs_node (it->plan->costs, 0, 1)->time_ns--;
  replan (it);
}

static void
cheapen_group (Case *it)
{
  tp_costs_group (it->plan->costs, 0, 0)->time_ns = 1;
  replan (it);
}

static void
change_given (Case *it)
{
  tp_costs_node (it->plan->costs, find_given (it), 0)->time_ns += 1;
  replan (it);
}

static void
estimate_given (Case *it)
{
  tp_costs_node (it->plan->costs, find_given (it), 0)->is_estimated = TRUE;
  replan (it);
}

static void
give_elsewhere (Case *it)
{
  tp_costs_node (it->plan->costs, find_given (it), 1)->time_ns = 1;
  replan (it);
}

static void
free_copies (Case *it)
{
  scale (it->plan->costs->feeds, 2 * it->plan->costs->n_tensors, 0);
  scale (it->plan->costs->fetches, 2 * it->plan->costs->n_tensors, 0);
  replan (it);
}

static void
free_feeds (Case *it)
{
  scale (it->plan->costs->feeds, 2 * it->plan->costs->n_tensors, 0);
  replan (it);
}

static void
change_fetch (Case *it)
{
  TpCosts *costs = it->plan->costs;

  tp_costs_fetch (costs, costs->n_tensors - 1, 1)->time_ns++;
  replan (it);
}

static void
forget_kernels (Case *it)
{
  for (int i = 0; i < it->plan->costs->n_nodes; i++)
    if (i != find_given (it))
      *tp_costs_node (it->plan->costs, i, 1) = (TpCost){
        .time_ns = TP_COST_NONE, .reason = "no kernel for this case" };
  replan (it);
}

static void
forget_groups (Case *it)
{
  for (int i = 0; i < 2 * it->plan->costs->n_groups; i++)
    it->plan->costs->groups[i] = (TpCost){
      .time_ns = TP_COST_NONE, .reason = "no kernel for this case" };
  replan (it);
}

static void
change_reason (Case *it)
{
  tp_costs_node (it->plan->costs, find_given (it), 1)->reason = "no idea";
  replan (it);
}

static void
strip_estimated (Case *it)
{
  for (int i = 0; i < 2 * it->plan->costs->n_nodes; i++)
    it->plan->costs->nodes[i].is_estimated = FALSE;
  replan (it);
}

static void
strip_estimated_groups (Case *it)
{
  for (int i = 0; i < 2 * it->plan->costs->n_groups; i++)
    it->plan->costs->groups[i].is_estimated = FALSE;
  replan (it);
}

static void
add_spread (Case *it)
{
  for (int i = 0; i < 2 * it->plan->costs->n_nodes; i++)
    it->plan->costs->nodes[i].spread_ns = 5;
  replan (it);
}

static void
add_measured (Case *it)
{
  TpCost *cost = tp_costs_node (it->plan->costs, 0, 0);

  cost->measured_ns = cost->time_ns + 1;
  replan (it);
}

static void
add_kernels (Case *it)
{
  TpCosts *costs = it->plan->costs;

  costs->kernels = g_new0 (int, costs->n_nodes + costs->n_groups + 1);
  replan (it);
}

/* Made-up devices are nobody's processors. */
static void
change_silicon (Case *it)
{
  it->plan->costs->is_same_silicon = TRUE;
  replan (it);
}

static void
change_processors (Case *it)
{
  it->plan->costs->is_same_silicon = TRUE;
  it->plan->costs->has_own_processors = TRUE;
  replan (it);
}

static void
change_host (Case *it)
{
  it->plan->costs->host = TP_COSTS_HOST;
  replan (it);
}

/* ---- groups ------------------------------------------------------------- */

/* All but the first; @extra: (nullable): first of all */
static void
change_groups (Case *it, const int *extra, int n_extra)
{
  const TpGroups *old = it->plan->all_groups;
  g_autoptr (TpGroups) groups = tp_groups_new ();

  if (extra != NULL)
    tp_groups_add (groups, extra, n_extra);
  for (int i = 1; i < old->n_groups; i++)
    tp_groups_add (groups, old->groups[i].nodes, old->groups[i].n_nodes);
  plan_groups (it, groups);
}

static void
drop_group (Case *it)
{
  change_groups (it, NULL, 0);
}

static void
drop_groups (Case *it)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();

  plan_groups (it, groups);
}

static void
reverse_group (Case *it)
{
  const TpGroup *group = &it->plan->all_groups->groups[0];
  int nodes[32], n = group->n_nodes;

  for (int i = 0; i < n; i++)
    nodes[i] = group->nodes[n - 1 - i];
  change_groups (it, nodes, n);
}

static void
offer_one_op (Case *it)
{
  change_groups (it, it->plan->all_groups->groups[0].nodes, 1);
}

/* The whole net as one kernel of a nanosecond. */
static void
offer_whole (Case *it)
{
  int n = it->graph->n_nodes;
  g_autofree int *nodes = g_new (int, n);
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autoptr (TpCosts) costs = NULL;

  for (int i = 0; i < n; i++)
    nodes[i] = i;
  tp_groups_add (groups, nodes, n);
  costs = tp_costs_find_certain (it->graph, groups, sims, NULL, NULL);
  *tp_costs_group (costs, 0, 0)
      = (TpCost){ .time_ns = 1, .is_estimated = TRUE };
  plan_costs (it, groups, costs);
}

static void
name_rule (Case *it)
{
  it->plan->no_fuse = g_strsplit ("epilogue", ",", -1);
}

static void
name_no_rule (Case *it)
{
  it->plan->no_fuse = g_strsplit ("frobnicate", ",", -1);
}

/* ---- flags and what is worked out --------------------------------------- */

static void
rename_devices (Case *it)
{
  for (int i = 0; i < 2; i++)
    {
      const char *name = i == 0 ? "cpu" : "opencl:0";

      g_free (it->plan->costs->devices[i]);
      it->plan->costs->devices[i] = g_strdup (name);
    }
  it->plan->costs->is_simulated = FALSE;
  replan (it);
  g_strfreev (it->plan->origin.facts);
  it->plan->origin.facts = g_strsplit ("cpu=it,cpu=it", ",", -1);
}

static void
rename_devices_trusting (Case *it)
{
  rename_devices (it);
  it->plan->origin.trusts_estimates = TRUE;
}

static void
rename_devices_exact (Case *it)
{
  rename_devices_trusting (it);
  it->plan->origin.is_exact = TRUE;
}

static void
deny_simulation (Case *it)
{
  it->plan->costs->is_simulated = FALSE;
  replan (it);
}

static void
rename_to_nothing (Case *it)
{
  g_free (it->plan->costs->devices[1]);
  it->plan->costs->devices[1] = g_strdup ("sim:nothing");
  replan (it);
}

static void
change_profile (Case *it)
{
  g_free (it->plan->costs->devices[1]);
  it->plan->costs->devices[1] = g_strdup ("sim:desktop-gpu");
  replan (it);
}

static void
change_margin (Case *it)
{
  for (int i = 0; i < it->plan->n_placements; i++)
    if (it->plan->placements[i].margin_ns >= 0)
      it->plan->placements[i].margin_ns++;
}

static void
drop_margin (Case *it)
{
  for (int i = 0; i < it->plan->n_placements; i++)
    if (it->plan->placements[i].margin_ns >= 0)
      {
        it->plan->placements[i].margin_ns = -1;
        return;
      }
}

static void
bound_margin (Case *it)
{
  for (int i = 0; i < it->plan->n_placements; i++)
    if (it->plan->placements[i].margin_ns >= 0)
      it->plan->placements[i].is_margin_least = TRUE;
}

static void
change_peak (Case *it)
{
  it->plan->peak_bytes[0]--;
}

static void
change_weights (Case *it)
{
  it->plan->weight_bytes[1]++;
}

static void
add_schedule (Case *it)
{
  it->plan->placements[0].schedule = g_strdup ("window lanes=8");
}

/* ---- errors of devices --------------------------------------------------- */

static void
claim_factor (Case *it)
{
  TpCosts *costs = it->plan->costs;

  costs->errors = tp_cost_errors_new (2);
  costs->errors->factors[0] /= 2;
  costs->errors->n_wholes[0] = 3;
  replan (it);
}

/* Of a device that is made up. */
static void
claim_errors (Case *it)
{
  it->plan->costs->errors = tp_cost_errors_new (2);
  it->plan->costs->errors->covariances[0] = 1000000;
  replan (it);
}

static void
claim_relation (Case *it)
{
  it->plan->costs->errors = tp_cost_errors_new (2);
  it->plan->costs->errors->covariances[1] = 1000000;
  replan (it);
}

typedef struct
{
  const char *name;
  void (*mutate) (Case *it);
} Mutation;

static const Mutation mutations[] = {
  { "halve-all", halve_all },
  { "double-all", double_all },
  { "cheapen-op", cheapen_op },
  { "cheapen-group", cheapen_group },
  { "change-given", change_given },
  { "estimate-given", estimate_given },
  { "give-elsewhere", give_elsewhere },
  { "free-copies", free_copies },
  { "free-feeds", free_feeds },
  { "change-fetch", change_fetch },
  { "forget-kernels", forget_kernels },
  { "forget-groups", forget_groups },
  { "change-reason", change_reason },
  { "strip-estimated", strip_estimated },
  { "strip-estimated-groups", strip_estimated_groups },
  { "add-spread", add_spread },
  { "add-measured", add_measured },
  { "add-kernels", add_kernels },
  { "change-host", change_host },
  { "change-silicon", change_silicon },
  { "change-processors", change_processors },
  { "drop-group", drop_group },
  { "drop-groups", drop_groups },
  { "reverse-group", reverse_group },
  { "offer-one-op", offer_one_op },
  { "offer-whole", offer_whole },
  { "name-rule", name_rule },
  { "name-no-rule", name_no_rule },
  { "rename-devices", rename_devices },
  { "rename-devices-trusting", rename_devices_trusting },
  { "rename-devices-exact", rename_devices_exact },
  { "deny-simulation", deny_simulation },
  { "rename-to-nothing", rename_to_nothing },
  { "change-profile", change_profile },
  { "change-margin", change_margin },
  { "drop-margin", drop_margin },
  { "bound-margin", bound_margin },
  { "change-peak", change_peak },
  { "change-weights", change_weights },
  { "add-schedule", add_schedule },
  { "claim-factor", claim_factor },
  { "claim-errors", claim_errors },
  { "claim-relation", claim_relation },
};

/* That nothing else is wrong with it shows that binding is what refuses. */
static void
test_mutation (gconstpointer data)
{
  const Mutation *mutation = data;
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  Case it;

  case_init (&it);
  mutation->mutate (&it);
  if (!tp_check (it.plan, it.graph, reasons))
    g_error ("%s: %s", mutation->name, (char *) reasons->pdata[0]);
  g_assert_false (tp_bind_check (it.plan, it.graph, reasons));
  g_assert_cmpuint (reasons->len, >, 0);
  g_test_message ("%s", (char *) reasons->pdata[0]);
  case_clear (&it);
}

static void
test_good (void)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  Case it;

  case_init (&it);
  g_assert_true (tp_check (it.plan, it.graph, reasons));
  if (!tp_bind_check (it.plan, it.graph, reasons))
    g_error ("%s", (char *) reasons->pdata[0]);
  it.plan->version = 1;
  g_assert_true (tp_bind_check (it.plan, it.graph, reasons));
  g_assert_cmpuint (reasons->len, ==, 0);
  case_clear (&it);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bind/good", test_good);
  for (gsize i = 0; i < G_N_ELEMENTS (mutations); i++)
    {
      g_autofree char *path = g_strconcat ("/bind/", mutations[i].name, NULL);

      g_test_add_data_func (path, &mutations[i], test_mutation);
    }
  return g_test_run ();
}
