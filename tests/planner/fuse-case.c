/* fuse-case.c: see fuse-case.h. */
#include "config.h"

#include "fuse-case.h"

#include "format/graph-load.h"
#include "planner/check/check-fusion.h"
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

void
fuse_case_compare (const TpGraph *graph, const char *const *left_out)
{
  g_autoptr (TpGroups) have = tp_checker_find_groups (graph, left_out);
  g_autoptr (TpGroups) want = tp_fuse_find_all (graph, left_out);
  g_autofree char *has = fuse_case_write (have, graph);
  g_autofree char *should = fuse_case_write (want, graph);

  g_assert_cmpstr (has, ==, should);
}

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
