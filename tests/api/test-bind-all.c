/* test-bind-all.c: the proof and what it stands on, side by side: the reasons are those
 * of one after the other. */
#include "bind-case.h"

#include "api/bind.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "planner/check/check.h"
#include "planner/fuse.h"

#define N_OPS 1500            /* worth a thread */

static TpGraph *
new_chain (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("chain", 17);
  const TpDimSpec dims[] = { { 64, NULL } };
  const TpTensorSpec input = { "t0", TPLAN_DTYPE_FLOAT32, 1, dims, "test" };
  char names[2][24] = { "t0", "t0" };
  TpGraph *graph;

  tp_graph_builder_add_input (builder, &input, NULL);
  for (int i = 0; i < N_OPS; i++)
    {
      TpNode node = { .type = i % 3 == 0 ? "Softmax" : "Relu", .place = "test" };
      const char *in = names[i % 2], *out = names[1 - i % 2];
      TpNodeNames ends = { 1, &in, 1, &out };

      g_snprintf (names[1 - i % 2], sizeof names[0], "t%d", i + 1);
      tp_graph_builder_add_node (builder, &node, ends, &error);
      g_assert_no_error (error);
    }
  tp_graph_builder_add_output (builder, names[N_OPS % 2], "test", NULL);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

static void
spoil_nothing (BindCase *it)
{
}

static void
spoil_total (BindCase *it)
{
  it->plan->cost_ns++;
}

static void
spoil_bytes (BindCase *it)
{
  it->plan->peak_bytes[0]++;
  it->plan->weight_bytes[1]++;
}

/* Of one that is not proved nothing else is said. */
static void
spoil_both (BindCase *it)
{
  spoil_total (it);
  spoil_bytes (it);
}

static void
spoil_flag (BindCase *it)
{
  g_free (it->plan->placements[7].schedule);
  it->plan->placements[7].schedule = g_strdup ("fast");
  spoil_bytes (it);
}

/* Neither may be reached for. */
static void
spoil_device (BindCase *it)
{
  it->plan->placements[N_OPS - 1].device = 1000000;
}

static void
spoil_groups (BindCase *it)
{
  ((int *) it->plan->all_groups->groups[3].nodes)[1] = 1000000;
}

static const BindMutation mutations[] = {
  { "nothing", spoil_nothing }, { "total", spoil_total },
  { "bytes", spoil_bytes },     { "both", spoil_both },
  { "flag", spoil_flag },       { "device", spoil_device },
  { "groups", spoil_groups },
};

static void
test_same (gconstpointer data)
{
  const BindMutation *mutation = data;
  g_autoptr (GPtrArray) want = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) have = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TpGroups) groups = NULL;
  BindCase it = { new_chain (), NULL };
  gboolean is_good;

  groups = tp_fuse_find (it.graph, NULL);
  g_assert_cmpint (groups->n_groups, >, 3);
  bind_case_plan (&it, groups);
  mutation->mutate (&it);
  is_good = tp_check (it.plan, it.graph, want)
            && tp_bind_check (it.plan, it.graph, want);
  g_assert_cmpint (is_good, ==, mutation->mutate == spoil_nothing);
  g_assert_cmpint (tp_bind_check_all (it.plan, it.graph, have), ==, is_good);
  g_assert_cmpuint (have->len, ==, want->len);
  for (guint i = 0; i < want->len; i++)
    g_assert_cmpstr (have->pdata[i], ==, want->pdata[i]);
  bind_case_clear (&it);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (mutations); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/bind-all/%s", mutations[i].name);

      g_test_add_data_func (path, &mutations[i], test_same);
    }
  return g_test_run ();
}
