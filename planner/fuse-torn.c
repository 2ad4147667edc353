/* fuse-torn.c: see fuse-torn.h. */
#include "config.h"

#include "planner/fuse-torn.h"

#include "ir/guard.h"
#include "planner/fuse-value.h"

typedef struct
{
  const TpGraph *graph;
  const guint8 *counts;
} Scope;

static gboolean
is_private (const Scope *scope, const TpNode *producer, const TpNode *consumer)
{
  return tp_fuse_is_for_one (scope->graph, producer, consumer)
         && tp_fuse_hands_on (scope->graph, producer)
         && !tp_fuse_are_parted (scope->graph, scope->counts, producer, consumer);
}

/* How many nodes hand what they make to @node. */
static int
count_givers (const Scope *scope, const TpNode *node)
{
  const TpGraph *graph = scope->graph;
  int n = 0, giver = -1;

  for (int k = 0; k < node->n_inputs; k++)
    {
      int tensor = node->inputs[k];
      int maker = tensor < 0 ? -1 : graph->tensors[tensor].producer;

      if (maker < 0 || maker == giver
          || !is_private (scope, &graph->nodes[maker], node))
        continue;
      n++;
      giver = maker;
    }
  return n;
}

/* Whether a map alone goes on with what @node makes. */
static gboolean
feeds_map (const Scope *scope, const TpNode *node)
{
  const TpGraph *graph = scope->graph;
  const TpTensor *out = node->n_outputs == 1 && node->outputs[0] >= 0
                            ? &graph->tensors[node->outputs[0]]
                            : NULL;
  const TpNode *reader = out == NULL || out->n_consumers != 1
                             ? NULL
                             : &graph->nodes[out->consumers[0]];

  return reader != NULL && tp_fuse_get_kind (reader) == TP_OP_MAP
         && is_private (scope, node, reader);
}

guint8 *
tp_fuse_find_torn (const TpGraph *graph, const guint8 *counts, gboolean *out_any)
{
  const Scope scope = { graph, counts };
  g_autofree guint8 *is_torn = tp_new0 (guint8, graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];
      TpOpKind kind = tp_fuse_get_kind (node);

      is_torn[i] = kind == TP_OP_MAP ? count_givers (&scope, node) > 1
                                     : kind == TP_OP_REDUCE
                                           && count_givers (&scope, node) > 0
                                           && feeds_map (&scope, node);
      *out_any |= is_torn[i];
    }
  return g_steal_pointer (&is_torn);
}
