/* test-bind.c: plans proved for what they stand on, which is not what it should
 * be. Each lie is planned and signed again, so that the proof holds: only what
 * it stands on is wrong. */
#include "api/bind.h"
#include "bind-case.h"
#include "planner/check/check.h"

#include <string.h>

static int
find_given (const BindCase *it)
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
scale_all (BindCase *it, int percent)
{
  TpCosts *costs = it->plan->costs;

  scale (costs->nodes, 2 * costs->n_nodes, percent);
  scale (costs->groups, 2 * costs->n_groups, percent);
  scale (costs->feeds, 2 * costs->n_tensors, percent);
  scale (costs->fetches, 2 * costs->n_tensors, percent);
  bind_case_replan (it);
}

static void
halve_all (BindCase *it)
{
  scale_all (it, 50);
}

static void
double_all (BindCase *it)
{
  scale_all (it, 200);
}

static void
cheapen_op (BindCase *it)
{
  tp_costs_node (it->plan->costs, 0, 1)->time_ns--;
  bind_case_replan (it);
}

static void
cheapen_group (BindCase *it)
{
  tp_costs_group (it->plan->costs, 0, 0)->time_ns = 1;
  bind_case_replan (it);
}

static void
change_given (BindCase *it)
{
  tp_costs_node (it->plan->costs, find_given (it), 0)->time_ns += 1;
  bind_case_replan (it);
}

static void
estimate_given (BindCase *it)
{
  tp_costs_node (it->plan->costs, find_given (it), 0)->is_estimated = TRUE;
  bind_case_replan (it);
}

static void
give_elsewhere (BindCase *it)
{
  tp_costs_node (it->plan->costs, find_given (it), 1)->time_ns = 1;
  bind_case_replan (it);
}

static void
free_copies (BindCase *it)
{
  scale (it->plan->costs->feeds, 2 * it->plan->costs->n_tensors, 0);
  scale (it->plan->costs->fetches, 2 * it->plan->costs->n_tensors, 0);
  bind_case_replan (it);
}

static void
free_feeds (BindCase *it)
{
  scale (it->plan->costs->feeds, 2 * it->plan->costs->n_tensors, 0);
  bind_case_replan (it);
}

static void
change_fetch (BindCase *it)
{
  TpCosts *costs = it->plan->costs;

  tp_costs_fetch (costs, costs->n_tensors - 1, 1)->time_ns++;
  bind_case_replan (it);
}

static void
forget_kernels (BindCase *it)
{
  for (int i = 0; i < it->plan->costs->n_nodes; i++)
    if (i != find_given (it))
      *tp_costs_node (it->plan->costs, i, 1) = (TpCost){
        .time_ns = TP_COST_NONE, .reason = "no kernel for this case" };
  bind_case_replan (it);
}

static void
forget_groups (BindCase *it)
{
  for (int i = 0; i < 2 * it->plan->costs->n_groups; i++)
    it->plan->costs->groups[i] = (TpCost){
      .time_ns = TP_COST_NONE, .reason = "no kernel for this case" };
  bind_case_replan (it);
}

static void
change_reason (BindCase *it)
{
  tp_costs_node (it->plan->costs, find_given (it), 1)->reason = "no idea";
  bind_case_replan (it);
}

static void
strip_estimated (BindCase *it)
{
  for (int i = 0; i < 2 * it->plan->costs->n_nodes; i++)
    it->plan->costs->nodes[i].is_estimated = FALSE;
  bind_case_replan (it);
}

static void
strip_estimated_groups (BindCase *it)
{
  for (int i = 0; i < 2 * it->plan->costs->n_groups; i++)
    it->plan->costs->groups[i].is_estimated = FALSE;
  bind_case_replan (it);
}

static void
add_spread (BindCase *it)
{
  for (int i = 0; i < 2 * it->plan->costs->n_nodes; i++)
    it->plan->costs->nodes[i].spread_ns = 5;
  bind_case_replan (it);
}

static void
add_measured (BindCase *it)
{
  TpCost *cost = tp_costs_node (it->plan->costs, 0, 0);

  cost->measured_ns = cost->time_ns + 1;
  bind_case_replan (it);
}

static void
add_kernels (BindCase *it)
{
  TpCosts *costs = it->plan->costs;

  costs->kernels = g_new0 (int, costs->n_nodes + costs->n_groups + 1);
  bind_case_replan (it);
}

/* Made-up devices are nobody's processors. */
static void
change_silicon (BindCase *it)
{
  it->plan->costs->is_same_silicon = TRUE;
  bind_case_replan (it);
}

static void
change_processors (BindCase *it)
{
  it->plan->costs->is_same_silicon = TRUE;
  it->plan->costs->has_own_processors = TRUE;
  bind_case_replan (it);
}

static void
change_host (BindCase *it)
{
  it->plan->costs->host = TP_COSTS_HOST;
  bind_case_replan (it);
}

/* ---- flags and what is worked out --------------------------------------- */

static void
rename_devices (BindCase *it)
{
  for (int i = 0; i < 2; i++)
    {
      const char *name = i == 0 ? "cpu" : "opencl:0";

      g_free (it->plan->costs->devices[i]);
      it->plan->costs->devices[i] = g_strdup (name);
    }
  it->plan->costs->is_simulated = FALSE;
  bind_case_replan (it);
  g_strfreev (it->plan->origin.facts);
  it->plan->origin.facts = g_strsplit ("cpu=it,cpu=it", ",", -1);
}

static void
rename_devices_trusting (BindCase *it)
{
  rename_devices (it);
  it->plan->origin.trusts_estimates = TRUE;
}

static void
rename_devices_exact (BindCase *it)
{
  rename_devices_trusting (it);
  it->plan->origin.is_exact = TRUE;
}

static void
deny_simulation (BindCase *it)
{
  it->plan->costs->is_simulated = FALSE;
  bind_case_replan (it);
}

static void
rename_to_nothing (BindCase *it)
{
  g_free (it->plan->costs->devices[1]);
  it->plan->costs->devices[1] = g_strdup ("sim:nothing");
  bind_case_replan (it);
}

static void
change_profile (BindCase *it)
{
  g_free (it->plan->costs->devices[1]);
  it->plan->costs->devices[1] = g_strdup ("sim:desktop-gpu");
  bind_case_replan (it);
}

static void
change_peak (BindCase *it)
{
  it->plan->peak_bytes[0]--;
}

static void
change_weights (BindCase *it)
{
  it->plan->weight_bytes[1]++;
}

static void
add_schedule (BindCase *it)
{
  it->plan->placements[0].schedule = g_strdup ("window lanes=8");
}

/* ---- errors of devices --------------------------------------------------- */

static void
claim_factor (BindCase *it)
{
  TpCosts *costs = it->plan->costs;

  costs->errors = tp_cost_errors_new (2);
  costs->errors->factors[0] /= 2;
  costs->errors->n_wholes[0] = 3;
  bind_case_replan (it);
}

/* Of a device that is made up. */
static void
claim_errors (BindCase *it)
{
  it->plan->costs->errors = tp_cost_errors_new (2);
  it->plan->costs->errors->covariances[0] = 1000000;
  bind_case_replan (it);
}

static void
claim_relation (BindCase *it)
{
  it->plan->costs->errors = tp_cost_errors_new (2);
  it->plan->costs->errors->covariances[1] = 1000000;
  bind_case_replan (it);
}

static const BindMutation mutations[] = {
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
  { "rename-devices", rename_devices },
  { "rename-devices-trusting", rename_devices_trusting },
  { "rename-devices-exact", rename_devices_exact },
  { "deny-simulation", deny_simulation },
  { "rename-to-nothing", rename_to_nothing },
  { "change-profile", change_profile },
  { "change-peak", change_peak },
  { "change-weights", change_weights },
  { "add-schedule", add_schedule },
  { "claim-factor", claim_factor },
  { "claim-errors", claim_errors },
  { "claim-relation", claim_relation },
};

static void
test_good (void)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  BindCase it;

  bind_case_init (&it);
  g_assert_true (tp_check (it.plan, it.graph, reasons));
  if (!tp_bind_check (it.plan, it.graph, reasons))
    g_error ("%s", (char *) reasons->pdata[0]);
  g_assert_cmpuint (reasons->len, ==, 0);
  bind_case_clear (&it);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bind/good", test_good);
  for (gsize i = 0; i < G_N_ELEMENTS (mutations); i++)
    {
      g_autofree char *path = g_strconcat ("/bind/", mutations[i].name, NULL);

      g_test_add_data_func (path, &mutations[i], bind_case_refuse);
    }
  return g_test_run ();
}
