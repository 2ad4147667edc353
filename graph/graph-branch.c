/* graph-branch.c: see graph-branch.h. */
#include "config.h"

#include "graph/graph-branch.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-node.h"
#include "ops/op-logic.h"

gboolean
tp_graph_builder_enter_branch (TpGraphBuilder *builder, const char *condition,
                               gboolean value, const char *place,
                               GError **error)
{
  TpBranch branch
      = { tp_builder_get_tensor (builder, condition, place, error), value,
          builder->branch, 0 };

  if (branch.condition < 0)
    return FALSE;
  tp_array_append_val (builder->draft->branches, branch);
  builder->branch = builder->draft->branches->len;
  return TRUE;
}

void
tp_graph_builder_leave_branch (TpGraphBuilder *builder)
{
  builder->branch = tp_draft_branch (builder->draft, builder->branch)->parent;
}

gboolean
tp_graph_builder_add_if (TpGraphBuilder *builder, const TpNode *node,
                         TpNodeNames names, GError **error)
{
  TpNode out = { .type = tp_op_if.name, .op = &tp_op_if, .name = node->name,
                 .place = node->place };

  return tp_builder_add_plain_node (builder, &out, names, error);
}
