/* quoted-graph.h: graphs of JSON that is written with ' for ". */
#ifndef TP_TESTS_QUOTED_GRAPH_H
#define TP_TESTS_QUOTED_GRAPH_H

#include "format/graph-load.h"

#include <string.h>

/* @quoted becomes JSON, and is still the caller's. */
static inline TpGraph *
test_load_quoted (char *quoted)
{
  g_autoptr (GError) error = NULL;
  TpGraph *graph;

  g_strdelimit (quoted, "'", '"');
  graph = tp_graph_load_json ("g.json", quoted, strlen (quoted), NULL, &error);
  g_assert_no_error (error);
  return graph;
}

#endif
