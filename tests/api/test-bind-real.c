/* test-bind-real.c: plans for real devices, whose figures only a table knows, and lies
 * about them that show without one. */
#include "api/bind.h"
#include "bind-case.h"
#include "calib/certain.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "runtime/device.h"
#include "runtime/devices.h"

#include <string.h>

#define TIME_NS 10000
#define SPREAD_NS 500

static const char *const pairs[][3] = {
  { "cpu", "opencl:0", NULL },
  { "cpu", "ref", NULL },     /* both work in host memory */
  { "ref", "sim:laptop-gpu", NULL },
};

static gboolean
are_there (const char *const *devices)
{
  for (int d = 0; devices[d] != NULL; d++)
    if (tp_device_find_kind (devices[d], NULL) == NULL)
      return FALSE;
  return TRUE;
}

/* What is for a table to say, as if it had been measured: the second device is slower. */
static void
measure (TpCosts *costs, TpCost *table, gsize n_rows)
{
  for (gsize i = 0; i < n_rows * costs->n_devices; i++)
    if (table[i].time_ns == TP_COST_OPEN)
      table[i] = (TpCost){ .time_ns = TIME_NS * (1 + i % costs->n_devices),
                           .spread_ns = SPREAD_NS };
}

static void
init (BindCase *it, const char *const *devices)
{
  g_autoptr (TpGroups) groups = NULL;
  g_autoptr (TpCosts) costs = NULL;

  *it = (BindCase){ bind_case_load ("residual.json"), NULL };
  groups = tp_fuse_find (it->graph, NULL);
  costs = tp_costs_find_certain (it->graph, groups, devices, NULL, NULL);
  g_assert_nonnull (costs);
  measure (costs, costs->nodes, costs->n_nodes);
  measure (costs, costs->groups, costs->n_groups);
  measure (costs, costs->feeds, costs->n_tensors);
  measure (costs, costs->fetches, costs->n_tensors);
  bind_case_plan_costs (it, groups, costs);
  g_strfreev (it->plan->origin.facts);
  it->plan->origin.facts = g_new0 (char *, 3);
  for (int d = 0; d < 2; d++)
    it->plan->origin.facts[d]
        = g_strdup (tp_device_is_simulated (devices[d]) ? "" : "cpu=it");
}

/* Again, with its facts. */
static void
replan (BindCase *it)
{
  g_auto (GStrv) facts = g_strdupv (it->plan->origin.facts);

  bind_case_replan (it);
  g_strfreev (it->plan->origin.facts);
  it->plan->origin.facts = g_steal_pointer (&facts);
}

/* An op that is worked at on both. */
static int
find_op (const BindCase *it)
{
  for (int i = 0; i < it->graph->n_nodes; i++)
    if (tp_costs_node (it->plan->costs, i, 0)->time_ns == TIME_NS)
      return i;
  g_assert_not_reached ();
}

/* ---- lies ------------------------------------------------------------------ */

static void
guess (BindCase *it, int device)
{
  tp_costs_node (it->plan->costs, find_op (it), device)->is_estimated = TRUE;
  replan (it);
}

static void
guess_on_host (BindCase *it)
{
  guess (it, 0);
}

static void
guess_on_device (BindCase *it)
{
  guess (it, 1);
}

static void
guess_group_on_host (BindCase *it)
{
  g_assert_cmpint (it->plan->costs->n_groups, >, 0);
  tp_costs_group (it->plan->costs, 0, 0)->is_estimated = TRUE;
  replan (it);
}

/* Of @tensor, to the second device. */
static void
free_feed (BindCase *it, int tensor)
{
  tp_costs_feed (it->plan->costs, tensor, 1)->time_ns = 0;
  tp_costs_feed (it->plan->costs, tensor, 1)->spread_ns = 0;
}

static void
free_feeds (BindCase *it)
{
  for (int i = 0; i < it->graph->n_tensors; i++)
    free_feed (it, i);
  replan (it);
}

/* The smallest that is moved at all, of less than a kilobyte. */
static int
find_small (const BindCase *it)
{
  const TpTensor *tensors = it->graph->tensors;
  int least = -1;

  for (int i = 0; i < it->graph->n_tensors; i++)
    if (!tp_tensor_is_resident (&tensors[i])
        && (least < 0 || tensors[i].size_bytes < tensors[least].size_bytes))
      least = i;
  g_assert_cmpint (least, >=, 0);
  g_assert_cmpint (tensors[least].size_bytes, <, 1024);
  return least;
}

static void
free_small_feed (BindCase *it)
{
  free_feed (it, find_small (it));
  replan (it);
}

static void
free_small_fetch (BindCase *it)
{
  *tp_costs_fetch (it->plan->costs, find_small (it), 1) = (TpCost){ 0 };
  replan (it);
}

static void
drop_facts (BindCase *it)
{
  *it->plan->origin.facts[0] = '\0';
}

/* By some op, whatever it computes: what its schedule says counts. */
static void
relax (BindCase *it)
{
  char **schedule = &it->plan->placements[find_op (it)].schedule;

  g_free (*schedule);
  *schedule = g_strdup ("winograd output=4 block=1x1 lanes=8 vectors=1 "
                        "tiles=1 panels=1");
}

static const BindMutation real[] = {
  { "guess-on-host", guess_on_host },
  { "guess-on-device", guess_on_device },
  { "guess-group-on-host", guess_group_on_host },
  { "drop-facts", drop_facts },
  { "relax", relax },
  { "free-feeds", free_feeds },
  { "free-small-feed", free_small_feed },
  { "free-small-fetch", free_small_fetch },
};

static void
claim_facts (BindCase *it)
{
  int d = tp_device_is_simulated (it->plan->devices[0]) ? 0 : 1;

  g_free (it->plan->origin.facts[d]);
  it->plan->origin.facts[d] = g_strdup ("cpu=it");
}

/* Of a made-up device. */
static const BindMutation made_up[] = { { "claim-facts", claim_facts } };

/* ---- tests ----------------------------------------------------------------- */

/* What is wrong with it; NULL: nothing. */
static char *
find_fault (const BindCase *it)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  if (!tp_check (it->plan, it->graph, reasons))
    g_error ("%s", (char *) reasons->pdata[0]);
  return tp_bind_check (it->plan, it->graph, reasons)
             ? NULL : g_strdup (reasons->pdata[0]);
}

static void
test_good (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *fault = NULL;
      BindCase it;

      if (!are_there (pairs[i]))
        continue;
      init (&it, pairs[i]);
      fault = find_fault (&it);
      g_assert_cmpstr (fault, ==, NULL);
      bind_case_clear (&it);
    }
}

static void
refuse (const BindMutation *mutation, const char *const *devices)
{
  g_autofree char *fault = NULL;
  BindCase it;

  init (&it, devices);
  mutation->mutate (&it);
  fault = find_fault (&it);
  g_test_message ("%s: %s", mutation->name, fault);
  g_assert_nonnull (fault);
  bind_case_clear (&it);
}

static void
test_lies (void)
{
  for (gsize i = 0; i < 2; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (real) && are_there (pairs[i]); k++)
      refuse (&real[k], pairs[i]);
  refuse (&made_up[0], pairs[2]);
  refuse (&made_up[0], bind_case_devices);
}

/* With trust in estimates the first three are none. */
static void
test_trusting (void)
{
  for (gsize k = 0; k < 3 && are_there (pairs[1]); k++)
    {
      g_autofree char *fault = NULL;
      BindCase it;

      init (&it, pairs[1]);
      real[k].mutate (&it);
      it.plan->origin.trusts_estimates = TRUE;
      fault = find_fault (&it);
      g_assert_cmpstr (fault, ==, NULL);
      bind_case_clear (&it);
    }
}

/* Nor is what a plan owns up to. */
static void
test_relaxed (void)
{
  g_autofree char *fault = NULL;
  BindCase it;

  if (!are_there (pairs[1]))
    return;
  init (&it, pairs[1]);
  relax (&it);
  it.plan->origin.is_relaxed = TRUE;
  fault = find_fault (&it);
  g_assert_cmpstr (fault, ==, NULL);
  bind_case_clear (&it);
}

/* ---- rows that are there once --------------------------------------------- */

static void
assert_equal_rows (const TpCosts *a, const TpCosts *b, TpCostsGet get, int n)
{
  for (int i = 0; i < n; i++)
    for (int d = 0; d < a->n_devices; d++)
      {
        const TpCost *x = get (a, i, d), *y = get (b, i, d);

        g_assert_cmpint (x->time_ns, ==, y->time_ns);
        g_assert_cmpint (x->spread_ns, ==, y->spread_ns);
        g_assert_cmpint (x->is_estimated, ==, y->is_estimated);
        g_assert_cmpstr (x->reason, ==, y->reason);
      }
}

/* Returns whether rows to read are shared. */
static gboolean
compare_shared (const char *name, const char *const *devices)
{
  g_autoptr (TpGraph) graph = bind_case_load (name);
  g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);
  g_autoptr (TpCosts) all
      = tp_costs_find_certain (graph, groups, devices, NULL, NULL);
  g_autoptr (TpCosts) shared
      = tp_costs_find_certain_to_read (graph, groups, devices, NULL, NULL);

  g_assert_null (all->unit_rows);
  g_assert_null (all->copy_rows);
  g_assert_cmpint (shared->host, ==, all->host);
  g_assert_cmpint (shared->n_groups, ==, groups->n_groups);
  assert_equal_rows (all, shared, tp_costs_node, graph->n_nodes);
  assert_equal_rows (all, shared, tp_costs_group, groups->n_groups);
  assert_equal_rows (all, shared, tp_costs_feed, graph->n_tensors);
  assert_equal_rows (all, shared, tp_costs_fetch, graph->n_tensors);
  for (int i = 0; i < graph->n_nodes + groups->n_groups; i++)
    g_assert_cmpint (shared->kernels[i], ==, all->kernels[i]);
  return shared->unit_rows != NULL && shared->copy_rows != NULL;
}

/* What the graph says nothing of, of devices that are all real. */
static void
test_shared (void)
{
  static const struct
  {
    const char *name;
    gboolean is_silent;
  } graphs[] = { { "residual.json", TRUE },
                 { "joined.json", TRUE },
                 { "mlp.json", TRUE },
                 { "given.json", FALSE } };

  for (gsize i = 0; i < G_N_ELEMENTS (graphs); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (pairs); k++)
      if (are_there (pairs[k]))
        g_assert_cmpint (compare_shared (graphs[i].name, pairs[k]), ==,
                         graphs[i].is_silent
                             && !tp_device_is_simulated (pairs[k][1]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bind-real/good", test_good);
  g_test_add_func ("/bind-real/lies", test_lies);
  g_test_add_func ("/bind-real/trusting", test_trusting);
  g_test_add_func ("/bind-real/relaxed", test_relaxed);
  g_test_add_func ("/bind-real/shared", test_shared);
  return g_test_run ();
}
