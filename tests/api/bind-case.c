/* bind-case.c: see bind-case.h. */
#include "bind-case.h"

#include "api/bind.h"
#include "calib/certain.h"
#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/plan-memory.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "planner/margin.h"
#include "planner/place.h"

const char *const bind_case_devices[] = { "sim:desktop-cpu", "sim:laptop-gpu", NULL };

void
bind_case_plan_costs (BindCase *it, const TpGroups *groups, TpCosts *costs)
{
  g_autoptr (GError) error = NULL;

  tp_plan_unref (it->plan);
  tp_costs_seal (costs);
  it->plan = tp_place (it->graph, groups, costs, "time", &error);
  g_assert_no_error (error);
  it->plan->origin.facts = g_strsplit (",", ",", -1);
  tp_plan_count_memory (it->plan, it->graph);
}

void
bind_case_plan (BindCase *it, const TpGroups *groups)
{
  g_autoptr (TpCosts) costs
      = tp_costs_find_certain (it->graph, groups, bind_case_devices, NULL, NULL);

  bind_case_plan_costs (it, groups, costs);
}

TpGraph *
bind_case_load (const char *name)
{
  g_autofree char *path
      = g_test_build_filename (G_TEST_DIST, "..", "plans", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) raw = tp_graph_load (path, NULL, &error);
  TpGraph *graph;

  g_assert_no_error (error);
  graph = tp_graph_prepare (raw, &error);
  g_assert_no_error (error);
  return graph;
}

void
bind_case_init (BindCase *it)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGroups) groups = NULL;

  *it = (BindCase){ bind_case_load ("given.json"), NULL };
  groups = tp_fuse_find (it->graph, NULL);
  g_assert_cmpint (groups->n_groups, >=, 2);
  bind_case_plan (it, groups);
  tp_place_margins (it->plan, it->graph, &error);
  g_assert_no_error (error);
}

void
bind_case_clear (BindCase *it)
{
  tp_plan_unref (it->plan);
  tp_graph_unref (it->graph);
}

/* Plans again with the costs of the plan, changed. */
void
bind_case_replan (BindCase *it)
{
  g_autoptr (TpCosts) costs = tp_costs_ref (it->plan->costs);
  g_autoptr (TpPlan) old = tp_plan_ref (it->plan);

  bind_case_plan_costs (it, old->all_groups, costs);
}

/* That nothing else is wrong with it shows that binding is what refuses. */
void
bind_case_refuse (gconstpointer data)
{
  const BindMutation *mutation = data;
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  BindCase it;

  bind_case_init (&it);
  mutation->mutate (&it);
  if (!tp_check (it.plan, it.graph, reasons))
    g_error ("%s: %s", mutation->name, (char *) reasons->pdata[0]);
  g_assert_false (tp_bind_check (it.plan, it.graph, reasons));
  g_assert_cmpuint (reasons->len, >, 0);
  g_test_message ("%s", (char *) reasons->pdata[0]);
  bind_case_clear (&it);
}
