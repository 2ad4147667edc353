/* fuse-case.c: see fuse-case.h. */
#include "config.h"

#include "fuse-case.h"

#include "format/graph-load.h"

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
