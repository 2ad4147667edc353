/* onnx-if.c: see onnx-if.h. */
#include "config.h"

#include "format/onnx-if.h"

#include "format/onnx-subgraph.h"
#include "format/onnx.h"
#include "graph/graph-branch.h"
#include "ir/array.h"

typedef struct
{
  TpOnnx *onnx;
  const TpWire *wire;         /* of the node */
  TpOnnxSubgraph branches[2]; /* else, then */
} If;

static void
if_clear (If *self)
{
  for (int i = 0; i < 2; i++)
    tp_onnx_subgraph_clear (&self->branches[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (If, if_clear)

static gboolean
read_branch (If *self, int value, const char *condition, GError **error)
{
  TpOnnx *onnx = self->onnx;
  TpOnnxSubgraph *branch = &self->branches[value];
  g_autofree char *place = NULL;

  if (!tp_onnx_subgraph_read_names (onnx, branch, "If", FALSE, error))
    return FALSE;
  place = tp_wire_path_to_string (branch->wire.path);
  if (!tp_graph_builder_enter_branch (onnx->builder, condition, value, place,
                                      error)
      || !tp_onnx_subgraph_read_body (onnx, branch, error))
    return FALSE;
  tp_graph_builder_leave_branch (onnx->builder);
  return TRUE;
}

static gboolean
check_inputs (const If *self, const TpOnnxArguments *arguments, GError **error)
{
  if (arguments->inputs->len == 1
      && *tp_array_index (arguments->inputs, const char *, 0) != '\0')
    return TRUE;
  tp_wire_set_error (self->wire, self->wire->pos, error, "If has %u inputs, must "
                     "have one, the condition", arguments->inputs->len);
  return FALSE;
}

static gboolean
check_branches (const If *self, GError **error)
{
  for (int i = 1; i >= 0; i--)
    if (self->branches[i].graph.number == 0)
      {
        tp_wire_set_error (self->wire, self->wire->pos, error, "If has no %s: it "
                           "needs then_branch and else_branch",
                           self->branches[i].name);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_outputs (const If *self, const TpArray *outputs, GError **error)
{
  guint n_then = self->branches[1].outputs->len;
  guint n_else = self->branches[0].outputs->len;

  if (n_then == n_else && outputs->len <= n_then && outputs->len > 0)
    return TRUE;
  tp_wire_set_error (self->wire, self->wire->pos, error, "If has %u outputs, "
                     "then_branch gives %u and else_branch %u: they must be as "
                     "many", outputs->len, n_then, n_else);
  return FALSE;
}

/* Of several outputs each is an op: the first has the name, which is free. */
static gboolean
add_output_op (const If *self, const char *name,
               const TpOnnxArguments *arguments, guint i, GError **error)
{
  TpGraphBuilder *builder = self->onnx->builder;
  g_autofree char *place = tp_wire_path_to_string (self->wire->path);
  const char *inputs[3]
      = { tp_array_index (arguments->inputs, const char *, 0),
          tp_array_index (self->branches[1].outputs, const char *, i),
          tp_array_index (self->branches[0].outputs, const char *, i) };
  const char *output = tp_array_index (arguments->outputs, const char *, i);
  TpNode node = { .place = place };

  if (*name != '\0' && !tp_graph_builder_has_node (builder, name))
    node.name = name;
  return *output == '\0'
         || tp_graph_builder_add_if (
             builder, &node, (TpNodeNames){ 3, inputs, 1, &output }, error);
}

gboolean
tp_onnx_add_if (TpOnnx *onnx, const TpWire *wire, const char *name,
                const TpOnnxArguments *arguments, GError **error)
{
  static const char *const names[] = { "else_branch", "then_branch" };
  g_auto (If) self = { .onnx = onnx, .wire = wire };
  TpOnnxSubgraphs all = { 2, self.branches, "then_branch and else_branch" };
  const char *condition;

  for (int i = 0; i < 2; i++)
    tp_onnx_subgraph_init (&self.branches[i], wire, names[i]);
  if (!tp_onnx_subgraph_check_depth (onnx, wire, "If", error)
      || !check_inputs (&self, arguments, error)
      || !tp_onnx_subgraphs_find (onnx, wire, &all, error)
      || !check_branches (&self, error))
    return FALSE;
  condition = tp_array_index (arguments->inputs, const char *, 0);
  if (!read_branch (&self, TRUE, condition, error)
      || !read_branch (&self, FALSE, condition, error)
      || !check_outputs (&self, arguments->outputs, error))
    return FALSE;
  for (guint i = 0; i < arguments->outputs->len; i++)
    if (!add_output_op (&self, name, arguments, i, error))
      return FALSE;
  return TRUE;
}
