/* graph-draw.c: see graph-draw.h. */
#include "config.h"

#include "graph/graph-draw.h"

#include "graph/graph-draft.h"

#define STD 0.05              /* about that of weights */

static gboolean
has_recipes (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].init.kind == TP_INIT_RECIPE)
      return TRUE;
  return FALSE;
}

TpGraph *
tp_graph_draw_recipes (TpGraph *graph, GError **error)
{
  g_autoptr (TpDraft) draft = NULL;

  if (!has_recipes (graph))
    return tp_graph_ref (graph);
  draft = tp_draft_new_from_graph (graph);
  for (guint i = 0; i < draft->tensors->len; i++)
    {
      TpInit *init = &tp_draft_tensor (draft, (int) i)->init;

      if (init->kind == TP_INIT_RECIPE)
        *init = (TpInit){ .kind = TP_INIT_RANDOM, .seed = i, .value = STD,
                          .steps = init->steps, .scale = init->scale };
    }
  return tp_draft_finish (draft, error);
}
