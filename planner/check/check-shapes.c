/* check-shapes.c: see check-shapes.h. */
#include "config.h"

#include "planner/check/check-shapes.h"

#include "ir/outline.h"

gboolean
tp_checker_are_of_shape (const TpGraph *graph, int one, int other)
{
  const TpTensorOutline *outlines = tp_graph_get_outline (graph)->tensors;
  const TpTensor *a = &graph->tensors[one], *b = &graph->tensors[other];
  gboolean is_same;

  if (outlines[one].form == outlines[other].form)
    return TRUE;
  is_same = a->rank == b->rank;
  for (int i = 0; is_same && i < a->rank; i++)
    is_same = a->dims[i] == b->dims[i];
  return is_same;
}

gboolean
tp_checker_merges (const TpGraph *graph, int before, int after)
{
  const TpTensor *from = &graph->tensors[before], *to = &graph->tensors[after];
  int k = 0;

  if (from->dtype != to->dtype)
    return FALSE;
  if (!tp_tensor_is_row_major (from) || !tp_tensor_is_row_major (to))
    return FALSE;
  for (int i = 0; i < to->rank; i++)
    {
      gint64 rest = to->dims[i];

      while (rest > 1 && k < from->rank && from->dims[k] > 0
             && rest % from->dims[k] == 0)
        rest /= from->dims[k++];
      if (rest != 1)
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_checker_have_common_device (const TpGraph *graph, int one, int other)
{
  const TpNodeOutline *nodes = tp_graph_get_outline (graph)->nodes;
  const char *const *pins;

  if (!nodes[one].is_pinned || !nodes[other].is_pinned)
    return TRUE;
  pins = graph->nodes[one].pins;
  for (int i = 0; pins[i] != NULL; i++)
    if (g_strv_contains (graph->nodes[other].pins, pins[i]))
      return TRUE;
  return FALSE;
}
