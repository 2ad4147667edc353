/* quoted-graph.h: graphs of JSON that is written with ' for ". */
#ifndef TP_TESTS_QUOTED_GRAPH_H
#define TP_TESTS_QUOTED_GRAPH_H

#include "format/graph-load.h"

#include <string.h>

static inline TpGraph *
test_load_quoted (const char *quoted)
{
  g_autofree char *json = g_strdelimit (g_strdup (quoted), "'", '"');
  g_autoptr (GError) error = NULL;
  TpGraph *graph
      = tp_graph_load_json ("g.json", json, strlen (json), NULL, &error);

  g_assert_no_error (error);
  return graph;
}

#endif
