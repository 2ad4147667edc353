/* fuse-case.c: see fuse-case.h. */
#include "config.h"

#include "fuse-case.h"

#include "format/graph-load.h"
#include "graph/graph-group.h"
#include "planner/check/check-fusion.h"
#include "planner/check/check-readings.h"
#include "planner/fuse.h"

#include <string.h>

TpGraph *
fuse_case_load (const FuseCase *it)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf (
      HEAD "\"outputs\":[%s],\"ops\":[%s]}", it->outputs, it->ops);
  TpGraph *graph = tp_graph_load_json ("case.json", text, strlen (text), NULL,
                                       &error);

  g_assert_no_error (error);
  return graph;
}


char *
fuse_case_write (const TpGroups *groups, const TpGraph *graph)
{
  GString *out = g_string_new (NULL);

  for (int g = 0; g < groups->n_groups; g++)
    for (int k = 0; k < groups->groups[g].n_nodes; k++)
      g_string_append_printf (
          out, "%s%s", k > 0 ? "+" : g > 0 ? " " : "",
          graph->nodes[groups->groups[g].nodes[k]].name);
  return g_string_free (out, FALSE);
}

/* With the groups that the graph gives of @devices, if any. */
static void
compare (const TpGraph *graph, const char *const *left_out,
         const char *const *devices)
{
  g_autoptr (TpGroups) have
      = tp_checker_find_groups (graph, left_out, devices);
  g_autoptr (TpGroups) want = tp_fuse_find_all (graph, left_out, devices);
  g_autofree char *has = fuse_case_write (have, graph);
  g_autofree char *should = fuse_case_write (want, graph);

  g_assert_cmpstr (has, ==, should);
  for (int i = 0; i < want->n_groups; i++)
    g_assert_cmpint (have->groups[i].is_claimed, ==,
                     want->groups[i].is_claimed);
}

void
fuse_case_compare (const TpGraph *graph, const char *const *left_out)
{
  static const char *const cpu[] = { "cpu", NULL };

  compare (graph, left_out, NULL);
  if (graph->n_groups > 0)
    compare (graph, left_out, cpu);
}

/* ---- groups that are given ------------------------------------------------ */

static void
give (TpGraph *graph, const int *nodes, int n)
{
  static const TpNodeCost costs[]
      = { { .device = "cpu", .time_ns = 7, .spread_ns = 1 },
          { .device = "gpu", .time_ns = 5 } };
  static const TpGroupFigures kinds[]
      = { { "both", 2, costs }, { "cpu", 1, costs }, { "gpu", 1, costs + 1 } };
  g_autoptr (GError) error = NULL;
  TpGroupFigures *own = tp_region_dup (
      graph->region, &kinds[g_test_rand_int_range (0, 3)], 1, sizeof *own,
      &error);

  g_assert_no_error (error);
  for (int i = 0; i < n; i++)
    graph->nodes[nodes[i]].group = own;
}

static gboolean
is_read_within (const TpGraph *graph, int node, const gboolean *is_in)
{
  const TpNode *it = &graph->nodes[node];

  for (int k = 0; k < it->n_outputs; k++)
    {
      const TpTensor *tensor
          = it->outputs[k] < 0 ? NULL : &graph->tensors[it->outputs[k]];

      if (tensor == NULL || tensor->is_output || tensor->state > 0
          || tensor->n_consumers == 0)
        return FALSE;
      for (int c = 0; c < tensor->n_consumers; c++)
        if (!is_in[tensor->consumers[c]])
          return FALSE;
    }
  return TRUE;
}

/* @last, and what nothing else reads, as far as chance goes. */
static void
give_upwards (TpGraph *graph, int last)
{
  g_autofree gboolean *is_in = g_new0 (gboolean, graph->n_nodes);
  g_autofree int *nodes = g_new (int, graph->n_nodes);
  int n = 0;

  for (int i = last; i >= 0 && n < 40; i--)
    if (graph->nodes[i].group == NULL
        && (i == last
            || (g_test_rand_int_range (0, 8) > 0
                && is_read_within (graph, i, is_in))))
      {
        is_in[i] = TRUE;
        nodes[n++] = i;
      }
  if (n > 1)
    give (graph, nodes, n);
}

void
fuse_case_give (TpGraph *graph)
{
  g_autoptr (TpGroups) made = tp_fuse_find (graph, NULL);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < made->n_groups; i++)
    if (g_test_rand_int_range (0, 4) == 0)
      give (graph, made->groups[i].nodes, made->groups[i].n_nodes);
  for (int i = graph->n_nodes - 1; i > 0; i--)
    if (graph->nodes[i].group == NULL && g_test_rand_int_range (0, 8) == 0)
      give_upwards (graph, i);
  tp_graph_group (graph, graph->region, &error);
  g_assert_no_error (error);
}

/* ---- rules that are left out ---------------------------------------------- */

void
fuse_case_compare_all (const TpGraph *graph)
{
  const char *const *rules = tp_fuse_list ();
  guint n = g_strv_length ((char **) rules);

  for (guint i = 0; i <= n; i++)
    g_assert_cmpstr (tp_checker_get_rule ((int) i), ==, rules[i]);
  for (guint set = 0; set < 1u << n; set++)
    {
      const char *left_out[33] = { NULL };

      for (guint i = 0, k = 0; i < n; i++)
        if (set >> i & 1)
          left_out[k++] = rules[i];
      fuse_case_compare (graph, left_out);
    }
}
