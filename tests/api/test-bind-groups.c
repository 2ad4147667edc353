/* test-bind-groups.c: plans made with groups that are not those that are to be
 * offered, proved and signed. */
#include "api/bind.h"
#include "bind-case.h"
#include "calib/certain.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "planner/offer.h"

/* All but the first; @extra: (nullable): first of all */
static void
change_groups (BindCase *it, const int *extra, int n_extra)
{
  const TpGroups *old = it->plan->all_groups;
  g_autoptr (TpGroups) groups = tp_groups_new ();

  if (extra != NULL)
    tp_groups_add (groups, extra, n_extra);
  for (int i = 1; i < old->n_groups; i++)
    tp_groups_add (groups, old->groups[i].nodes, old->groups[i].n_nodes);
  bind_case_plan (it, groups);
}

static void
drop_group (BindCase *it)
{
  change_groups (it, NULL, 0);
}

static void
drop_groups (BindCase *it)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();

  bind_case_plan (it, groups);
}

static void
reverse_group (BindCase *it)
{
  const TpGroup *group = &it->plan->all_groups->groups[0];
  int nodes[32], n = group->n_nodes;

  for (int i = 0; i < n; i++)
    nodes[i] = group->nodes[n - 1 - i];
  change_groups (it, nodes, n);
}

static void
offer_one_op (BindCase *it)
{
  change_groups (it, it->plan->all_groups->groups[0].nodes, 1);
}

/* The whole net as one kernel of a nanosecond. */
static void
offer_whole (BindCase *it)
{
  int n = it->graph->n_nodes;
  g_autofree int *nodes = g_new (int, n);
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autoptr (TpCosts) costs = NULL;

  for (int i = 0; i < n; i++)
    nodes[i] = i;
  tp_groups_add (groups, nodes, n);
  costs = tp_costs_find_certain (it->graph, groups, bind_case_devices, NULL, NULL);
  *tp_costs_group (costs, 0, 0)
      = (TpCost){ .time_ns = 1, .is_estimated = TRUE };
  bind_case_plan_costs (it, groups, costs);
}

/* Of a net in which a whole is offered, and its chains are not. */
static void
plan_joined (BindCase *it)
{
  g_autoptr (TpGroups) all = NULL, groups = NULL;
  g_autoptr (TpCosts) costs = NULL;

  tp_graph_unref (it->graph);
  it->graph = bind_case_load ("joined.json");
  all = tp_fuse_find_all (it->graph, NULL, NULL);
  costs = tp_costs_find_certain (it->graph, all, bind_case_devices, NULL, NULL);
  groups = tp_offer_choose (all, it->graph, costs);
  g_assert_cmpint (groups->n_groups, <, all->n_groups);
  bind_case_plan_costs (it, groups, costs);
}

static void
offer_chains (BindCase *it)
{
  static const char *const disabled[] = { "concat", NULL };
  g_autoptr (TpGroups) groups = NULL;

  plan_joined (it);
  groups = tp_fuse_find (it->graph, disabled);
  bind_case_plan (it, groups);
}

static void
name_rule (BindCase *it)
{
  it->plan->no_fuse = g_strsplit ("epilogue", ",", -1);
}

static void
name_no_rule (BindCase *it)
{
  it->plan->no_fuse = g_strsplit ("frobnicate", ",", -1);
}

static const BindMutation mutations[] = {
  { "drop-group", drop_group },
  { "drop-groups", drop_groups },
  { "reverse-group", reverse_group },
  { "offer-one-op", offer_one_op },
  { "offer-whole", offer_whole },
  { "offer-chains", offer_chains },
  { "name-rule", name_rule },
  { "name-no-rule", name_no_rule },
};

static void
test_joined (void)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  BindCase it;

  bind_case_init (&it);
  plan_joined (&it);
  g_assert_true (tp_check (it.plan, it.graph, reasons));
  if (!tp_bind_check (it.plan, it.graph, reasons))
    g_error ("%s", (char *) reasons->pdata[0]);
  bind_case_clear (&it);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bind-groups/joined", test_joined);
  for (gsize i = 0; i < G_N_ELEMENTS (mutations); i++)
    {
      g_autofree char *path
          = g_strconcat ("/bind-groups/", mutations[i].name, NULL);

      g_test_add_data_func (path, &mutations[i], bind_case_refuse);
    }
  return g_test_run ();
}
