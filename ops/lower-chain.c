/* lower-chain.c: a chain of nodes to nests: one per node that is not elementwise, and
 * those that are within these. */
#include "config.h"

#include "ops/lower-chain.h"

#include "nest/nest-expr.h"
#include "nest/nest-fuse.h"
#include "ops/op-util.h"

#include <string.h>

static const TpTensor *
node_get_output (const TpGraph *graph, const TpNode *node)
{
  return &graph->tensors[node->outputs[0]];
}

/* ---- may it be? -------------------------------------------------------- */

static gboolean
check_tensor (const TpNode *node, const TpTensor *tensor, GError **error)
{
  if (tensor->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty", tensor->name);
  return TRUE;
}

/* Somebody reads output @i of @node. */
static gboolean
node_needs_output (const TpGraph *graph, const TpNode *node, int i)
{
  const TpTensor *tensor = NULL;

  if (node->outputs[i] < 0)
    return FALSE;
  tensor = &graph->tensors[node->outputs[i]];
  return tensor->is_output || tensor->n_consumers > 0;
}

static gboolean
check_node (const TpGraph *graph, const TpNode *node, GError **error)
{
  if (node->op == NULL)
    return tp_op_refuse (node, error,
                         "type '%s' is not known: give its costs, or see "
                         "`tplan ops`",
                         node->type);
  if (node->op->kind == TP_OP_VIEW)
    return TRUE;
  if (node->op->lower == NULL)
    return tp_op_refuse (node, error,
                         "type '%s' has no kernels: only the device ref "
                         "runs it, where it is named (--devices cpu,ref)",
                         node->type);
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0
        && !check_tensor (node, &graph->tensors[node->outputs[i]], error))
      return FALSE;
  return TRUE;
}

/* Inputs that were read while lowering, such as axes, may be of any type. */
static gboolean
check_operands (const TpGraph *graph, const TpNode *node,
                const TpLowered *lowered, GError **error)
{
  for (int i = 0; i < lowered->n_operands; i++)
    if (lowered->operands[i].tensor >= 0
        && !check_tensor (node, &graph->tensors[lowered->operands[i].tensor],
                          error))
      return FALSE;
  return TRUE;
}

/* The nests from @first on are of classes that kernels have. */
static gboolean
check_classes (const TpNode *node, const TpLowered *lowered, int first,
               GError **error)
{
  for (int i = first; i < lowered->n_nests; i++)
    {
      g_autoptr (GError) why = NULL;

      if (!tp_nest_check_classes (lowered->nests[i], &why))
        return tp_op_refuse (node, error, "%s", why->message);
    }
  return TRUE;
}

/* Some nest of @lowered writes each output of @node that somebody reads. */
static gboolean
check_outputs (const TpGraph *graph, const TpNode *node,
               const TpLowered *lowered, GError **error)
{
  for (int i = 0; i < node->n_outputs; i++)
    {
      gboolean is_written = !node_needs_output (graph, node, i);

      for (int k = 0; k < lowered->n_nests && !is_written; k++)
        {
          int operand = lowered->nests[k]->store.operand;

          is_written = lowered->operands[operand].tensor == node->outputs[i];
        }
      if (!is_written)
        return tp_op_refuse (node, error, "kernels do not compute output %d ('%s')",
                             i, graph->tensors[node->outputs[i]].name);
    }
  return TRUE;
}

static gboolean
node_reads (const TpNode *node, int tensor)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] == tensor)
      return TRUE;
  return FALSE;
}

/* Of a chain, what is not elementwise: one op of any kind, or a product, a reduction
 * of its rows, and a product with these. */
static gboolean
check_anchors (const TpGraph *graph, const int *nodes, int n_nodes,
               GError **error)
{
  static const TpOpKind kinds[]
      = { TP_OP_CONTRACT, TP_OP_REDUCE, TP_OP_CONTRACT };
  const TpNode *anchors[G_N_ELEMENTS (kinds) + 1] = { NULL };
  guint n = 0;

  for (int i = 0; i < n_nodes && n < G_N_ELEMENTS (anchors); i++)
    {
      const TpNode *node = &graph->nodes[nodes[i]];

      if (node->op->kind != TP_OP_MAP && node->op->kind != TP_OP_VIEW)
        anchors[n++] = node;
    }
  for (guint i = 0; n == G_N_ELEMENTS (kinds) && i < n; i++)
    if (anchors[i]->op->kind != kinds[i])
      n = 2;
  if (n > 1 && n != G_N_ELEMENTS (kinds))
    return tp_op_refuse (anchors[1], error,
                         "a second op that is not elementwise in one kernel");
  return TRUE;
}

/* What has the same elements in the same order, for ops before it and after; not the
 * same bytes as others. */
static gboolean
is_view_between (const TpGraph *graph, const int *nodes, int n_nodes, int i)
{
  const TpNode *node = &graph->nodes[nodes[i]];

  return i > 0 && i + 1 < n_nodes && (node->op->flags & TP_OP_OF_BITS) == 0
         && tp_tensor_is_row_major (&graph->tensors[node->inputs[0]])
         && tp_tensor_is_row_major (node_get_output (graph, node));
}

gboolean
tp_lower_check_chain (const TpGraph *graph, const int *nodes, int n_nodes,
                      GError **error)
{
  for (int i = 0; i < n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[nodes[i]];
      const TpTensor *out = NULL;

      if (!check_node (graph, node, error))
        return FALSE;
      if (n_nodes > 1 && node->op->kind == TP_OP_VIEW
          && !is_view_between (graph, nodes, n_nodes, i))
        return tp_op_refuse (node, error, "a view cannot be fused");
      if (i + 1 == n_nodes)
        return TRUE;
      out = node_get_output (graph, node);
      if (out->is_output || out->n_consumers != 1
          || !node_reads (&graph->nodes[nodes[i + 1]], node->outputs[0]))
        return tp_op_refuse (node, error,
                             "its output '%s' is read by others than op "
                             "'%s': they cannot be one kernel",
                             out->name, graph->nodes[nodes[i + 1]].name);
      for (int k = 1; k < node->n_outputs; k++)
        if (node_needs_output (graph, node, k))
          return tp_op_refuse (node, error,
                               "it has several outputs: they cannot all leave "
                               "one kernel with op '%s'",
                               graph->nodes[nodes[i + 1]].name);
    }
  return TRUE;
}

/* ---- joining ----------------------------------------------------------- */

/* Replaces those of the first @n_before nests that write @operand, and the one
 * after them, which reads it, by their compositions. */
static gboolean
join_epilogue (TpLowered *lowered, int n_before, int operand)
{
  g_autoptr (TpNest) map = lowered->nests[n_before];

  g_assert (lowered->n_nests == n_before + 1);
  lowered->n_nests = n_before;
  for (int i = 0; i < n_before; i++)
    {
      TpNest *fused = NULL;

      if (lowered->nests[i]->store.operand != operand)
        continue;
      fused = tp_nest_fuse (lowered->nests[i], map, operand);
      if (fused == NULL)
        return FALSE;
      tp_nest_free (lowered->nests[i]);
      lowered->nests[i] = fused;
    }
  return TRUE;
}

static gboolean
join_prologue (TpLowered *lowered, int operand)
{
  g_autoptr (TpNest) map = lowered->nests[0];

  lowered->n_nests--;
  memmove (lowered->nests, lowered->nests + 1,
           lowered->n_nests * sizeof lowered->nests[0]);
  for (int i = 0; i < lowered->n_nests; i++)
    {
      TpNest *fused = tp_nest_fuse_prologue (map, lowered->nests[i], operand);

      if (fused == NULL)
        return FALSE;
      tp_nest_free (lowered->nests[i]);
      lowered->nests[i] = fused;
    }
  return TRUE;
}

/* @operand, which a nest that is no map writes, is handed on in scratch. */
static gboolean
join_scratch (TpLowered *lowered, int n_before, int operand)
{
  if (lowered->nests[n_before - 1]->store.operand != operand
      || (n_before > 1
          && lowered->nests[n_before - 2]->store.operand == operand))
    return FALSE;
  lowered->operands[operand].tensor = -1;
  lowered->operands[operand].is_scratch = TRUE;
  return TRUE;
}

/* What @before makes is read as what the view @node makes: by other strides. */
static void
pass_view (TpLowered *lowered, const TpGraph *graph, const TpNode *before,
           const TpNode *node)
{
  int operand = tp_lowered_get_tensor (lowered, graph, before->outputs[0]);

  lowered->operands[operand].tensor = node->outputs[0];
}

/* Adds @node, which reads the output of @before (NULL: it is the first). */
static gboolean
add_node (TpLowered *lowered, const TpGraph *graph, const TpNode *before,
          const TpNode *node, GError **error)
{
  int n_before = lowered->n_nests;
  int operand = -1;
  gboolean is_joined = FALSE;

  if (before != NULL && node->op->kind == TP_OP_VIEW)
    {
      pass_view (lowered, graph, before, node);
      return TRUE;
    }
  if (!node->op->lower (graph, node, lowered, error)
      || !check_operands (graph, node, lowered, error)
      || !check_classes (node, lowered, n_before, error)
      || !check_outputs (graph, node, lowered, error))
    return FALSE;
  if (before == NULL)
    return TRUE;
  if (lowered->n_iterations > 1)
    return tp_op_refuse (node, error,
                         "a recurrence cannot be fused with op '%s'",
                         before->name);
  operand = tp_lowered_get_tensor (lowered, graph, before->outputs[0]);
  if (node->op->kind == TP_OP_MAP)
    is_joined = join_epilogue (lowered, n_before, operand);
  else if (lowered->nests[n_before - 1]->n_stages > 0)
    is_joined = join_scratch (lowered, n_before, operand);
  else
    is_joined = n_before == 1 && join_prologue (lowered, operand);
  if (!is_joined)
    return tp_op_refuse (node, error,
                         "does not line up with op '%s' for one kernel",
                         before->name);
  return TRUE;
}

gboolean
tp_lower_chain (TpLowered *lowered, const TpGraph *graph, const int *nodes,
                int n_nodes, GError **error)
{
  const TpNode *before = NULL;

  if (!tp_lower_check_chain (graph, nodes, n_nodes, error)
      || !check_anchors (graph, nodes, n_nodes, error))
    return FALSE;
  for (int i = 0; i < n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[nodes[i]];

      if (!add_node (lowered, graph, before, node, error))
        return FALSE;
      before = node;
    }
  return TRUE;
}
