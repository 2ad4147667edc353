/* check-vertex.c: see check-vertex.h. */
#include "config.h"

#include "planner/check/check-vertex.h"

TpCheckerVertices
tp_checker_number_vertices (const TpChecker *checker)
{
  int n_tensors = checker->graph->n_tensors;
  int n_groups = checker->costs->n_groups;
  const int counts[TP_N_CUT_VERTICES] = {
    [TP_CUT_SOURCE] = 1,
    [TP_CUT_SINK] = 1,
    [TP_CUT_NODE] = checker->graph->n_nodes,
    [TP_CUT_ON_SECOND] = n_tensors,
    [TP_CUT_ON_FIRST] = n_tensors,
    [TP_CUT_WHOLE_FIRST] = n_groups,
    [TP_CUT_WHOLE_SECOND] = n_groups,
    [TP_CUT_TOGETHER] = checker->graph->n_colocations,
  };
  TpCheckerVertices vertices = { { 0 } };

  for (int i = 0; i < TP_N_CUT_VERTICES; i++)
    vertices.bases[i + 1] = vertices.bases[i] + counts[i];
  return vertices;
}
