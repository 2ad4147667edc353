/* Units of the example networks, nodes and fused groups: the schedule of each
 * program makes it again. NETWORKS in the environment says which. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/costs.h"
#include "kernel/kernel-text.h"
#include "nests.h"
#include "ops/lower.h"
#include "planner/fuse.h"

#define NETWORKS "squeezenet1_1 mobilenet_v2 unet bert_mini lstm_lm gru_tagger"

static const TpTarget *const targets[] = { &target_avx512, &target_avx2,
                                           &target_gpu };

static TpGraph *
load (const char *network)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strconcat (network, ".json", NULL);
  g_autofree char *path = g_test_build_filename (
      G_TEST_BUILT, "..", "..", "examples", name, NULL);
  g_autoptr (TpGraph) raw = tp_graph_load (path, NULL, &error);
  TpGraph *graph;

  g_assert_no_error (error);
  graph = tp_graph_prepare (raw, &error);
  g_assert_no_error (error);
  return graph;
}

static void
assert_same_kernels (const TpProgram *a, const TpProgram *b)
{
  g_assert_cmpint (a->n_steps, ==, b->n_steps);
  for (int i = 0; i < a->n_steps; i++)
    {
      g_autofree char *x = tp_kernel_to_text (a->steps[i].kernel);
      g_autofree char *y = tp_kernel_to_text (b->steps[i].kernel);

      g_assert_cmpstr (x, ==, y);
      g_assert_cmpstr (a->steps[i].kernel->name, ==,
                       b->steps[i].kernel->name);
    }
}

static int
check_unit (const TpGraph *graph, const int *nodes, int n_nodes)
{
  g_autoptr (TpLowered) lowered
      = tp_lower_nodes (graph, nodes, n_nodes, NULL);

  for (guint i = 0; lowered != NULL && i < G_N_ELEMENTS (targets); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpProgram) first
          = tp_program_new (lowered, targets[i], NULL, &error);
      g_autoptr (TpProgram) again = NULL;

      g_assert_no_error (error);
      again = tp_program_new (lowered, targets[i], first->schedule, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (again->schedule, ==, first->schedule);
      assert_same_kernels (first, again);
    }
  return lowered != NULL;
}

static void
test_network (gconstpointer network)
{
  g_autoptr (TpGraph) graph = load (network);
  g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    n += check_unit (graph, &i, 1);
  for (int i = 0; i < groups->n_groups; i++)
    n += check_unit (graph, groups->groups[i].nodes,
                     groups->groups[i].n_nodes);
  g_assert_cmpint (n, >, 4);
}

int
main (int argc, char **argv)
{
  const char *wanted = g_getenv ("NETWORKS");
  g_auto (GStrv) networks = g_strsplit (wanted != NULL ? wanted : NETWORKS,
                                        " ", -1);

  g_test_init (&argc, &argv, NULL);
  for (int i = 0; networks[i] != NULL; i++)
    {
      g_autofree char *path = g_strconcat ("/units/", networks[i], NULL);

      g_test_add_data_func (path, networks[i], test_network);
    }
  return g_test_run ();
}
