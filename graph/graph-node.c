/* graph-node.c: ops as a file has them: names, attributes, pins and costs copied,
 * inputs and outputs looked up. */
#include "config.h"

#include "graph/graph-node.h"

#include "graph/control.h"
#include "graph/cut-remedy.h"
#include "graph/graph-attrs.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-constant.h"
#include "graph/graph-limit.h"
#include "ir/array.h"
#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ir/near-name.h"
#include "ir/op.h"
#include "ops/op.h"

#include <string.h>

/* Of one op whose table entry sets no bound; of ops unknown, outputs alone. */
#define MAX_INPUTS 4096
#define MAX_OUTPUTS 256

/* ---- nodes ------------------------------------------------------------- */

static gboolean
check_arity (TpGraphBuilder *builder, const TpNode *node,
             const char *const *inputs, GError **error)
{
  const TpOp *op = node->op;
  int n_max = op != NULL && op->n_outputs_max != TP_VARIADIC
                  ? op->n_outputs_max
                  : MAX_OUTPUTS;
  int n_most = op == NULL                          ? G_MAXINT
               : op->n_inputs_max == TP_VARIADIC ? MAX_INPUTS
                                                 : op->n_inputs_max;

  if (node->n_outputs < 1 || node->n_outputs > n_max)
    tp_builder_set_error (builder, node->place, error,
               "%s has %d outputs, must have %s%d", node->type,
               node->n_outputs, n_max > 1 ? "1 to " : "", n_max);
  else if (op != NULL && node->n_inputs < op->n_inputs_min)
    tp_builder_set_error (builder, node->place, error,
                          "%s has %d inputs, needs at least %d", node->type,
                          node->n_inputs, op->n_inputs_min);
  else if (node->n_inputs > n_most)
    tp_builder_set_error (builder, node->place, error,
                          "%s has %d inputs, takes at most %d", node->type,
                          node->n_inputs, n_most);
  else
    {
      for (int i = 0; op != NULL && i < op->n_inputs_min; i++)
        if (inputs[i] == NULL || *inputs[i] == '\0')
          {
            tp_builder_set_error (builder, node->place, error,
                       "input %d of %s may not be left out", i, node->type);
            return FALSE;
          }
      return TRUE;
    }
  return FALSE;
}

static char *
ask_type (const char *type)
{
  int n;
  const TpOp *const *ops = tp_op_list (&n);
  g_autofree const char **known = tp_new0 (const char *, n + 1);

  for (int i = 0; i < n; i++)
    known[i] = ops[i]->name;
  return tp_near_name_ask (type, known);
}

gboolean
tp_node_refuse_unknown (TpDraft *draft, const TpNode *node, GError **error)
{
  g_autofree char *prefix = tp_draft_dup_prefix (draft, node->place);
  g_autofree char *near = ask_type (node->type);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "%sunknown op type '%s'%s: see `tplan ops` for those known, or "
               "give the op a \"cost\" to plan without running it",
               prefix, node->type, near);
  return FALSE;
}

static gboolean
is_mistyped (const TpNode *node)
{
  g_autofree char *near = ask_type (node->type);

  return *near != '\0';
}

/* What is in a branch may never be asked for. */
gboolean
tp_draft_check_types (TpDraft *draft, GError **error)
{
  g_autofree guint8 *is_unknown = NULL;
  g_autoptr (GError) fault = NULL;
  const TpNode *first = NULL;

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      if (node->op != NULL || node->n_costs > 0 || node->branch != 0)
        continue;
      if (first == NULL)
        is_unknown = tp_new0 (guint8, draft->nodes->len);
      is_unknown[i] = TRUE;
      first = first == NULL ? node : first;
    }
  if (first == NULL)
    return TRUE;
  tp_node_refuse_unknown (draft, first, &fault);
  if (!is_mistyped (first))
    tp_cut_remedy_explain (draft, is_unknown, fault);
  g_propagate_error (error, g_steal_pointer (&fault));
  return FALSE;
}

static gboolean
copy_name (TpGraphBuilder *builder, TpNode *node, GError **error)
{
  if (node->name == NULL)
    return TRUE; /* made up at the end, when all others are known */
  if (!tp_builder_check_name (builder, node->name, node->place, error))
    return FALSE;
  if (tp_graph_builder_has_node (builder, node->name))
    {
      tp_builder_set_error (builder, node->place, error,
                 "there is another op '%s': rename one", node->name);
      return FALSE;
    }
  node->name = tp_region_strdup (builder->draft->region, node->name, error);
  if (node->name == NULL)
    return FALSE;
  tp_map_insert (builder->nodes, (char *) node->name, NULL);
  return TRUE;
}

static gboolean
copy_pins (TpRegion *region, TpNode *node, GError **error)
{
  const char **pins;
  int n = 0;

  if (node->pins == NULL)
    return TRUE;
  while (node->pins[n] != NULL)
    n++;
  pins = tp_region_alloc (region, n + 1, sizeof (char *), error);
  for (int i = 0; pins != NULL && i < n; i++)
    if ((pins[i] = tp_region_strdup (region, node->pins[i], error)) == NULL)
      return FALSE;
  node->pins = pins;
  return pins != NULL;
}

static gboolean
copy_colocation (TpGraphBuilder *builder, TpNode *node, GError **error)
{
  g_autofree char *place = NULL;

  if (node->colocation == NULL)
    return TRUE;
  place = g_strconcat (node->place, ".colocation", NULL);
  if (!tp_builder_check_name (builder, node->colocation, place, error))
    return FALSE;
  node->colocation
      = tp_region_strdup (builder->draft->region, node->colocation, error);
  return node->colocation != NULL;
}

/* The op added last, whose words often come again; NULL: there is none. */
static const TpNode *
get_last (TpGraphBuilder *builder)
{
  guint n = builder->draft->nodes->len;

  return n == 0 ? NULL : tp_draft_node (builder->draft, n - 1);
}

static const char *
keep_device (TpGraphBuilder *builder, const char *device, int i, GError **error)
{
  const TpNode *last = get_last (builder);

  return last != NULL && i < last->n_costs
                 && strcmp (last->costs[i].device, device) == 0
             ? last->costs[i].device
             : tp_region_strdup (builder->draft->region, device, error);
}

static gboolean
copy_costs (TpGraphBuilder *builder, TpNode *node, GError **error)
{
  TpNodeCost *costs
      = tp_region_dup (builder->draft->region, node->costs, node->n_costs,
                       sizeof (TpNodeCost), error);

  for (int i = 0; costs != NULL && i < node->n_costs; i++)
    if ((costs[i].device = keep_device (builder, costs[i].device, i, error))
        == NULL)
      return FALSE;
  node->costs = costs;
  return costs != NULL;
}

static gboolean
link_inputs (TpGraphBuilder *builder, TpNode *node, const char *const *names,
             GError **error)
{
  int *inputs = tp_region_alloc (builder->draft->region, node->n_inputs,
                                 sizeof (int), error);

  if (inputs == NULL)
    return FALSE;
  for (int i = 0; i < node->n_inputs; i++)
    {
      TpBuilderState *state;

      inputs[i] = -1;
      if (names[i] == NULL || *names[i] == '\0')
        continue;
      inputs[i] = tp_builder_get_tensor (builder, names[i], node->place, error);
      if (inputs[i] < 0)
        return FALSE;
      state = &tp_array_index (builder->states, TpBuilderState, inputs[i]);
      if (state->user < 0)
        {
          state->user = builder->draft->nodes->len;
          state->input = i;
        }
    }
  node->inputs = inputs;
  return TRUE;
}

/* A name for an output the file leaves out. */
static char *
make_output_name (TpGraphBuilder *builder, int output)
{
  return g_strdup_printf ("#%u.%d", builder->draft->nodes->len, output);
}

static gboolean
link_outputs (TpGraphBuilder *builder, TpNode *node, const char *const *names,
              GError **error)
{
  int *outputs = tp_region_alloc (builder->draft->region, node->n_outputs,
                                  sizeof (int), error);

  if (outputs == NULL)
    return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    {
      gboolean is_named = names[i] != NULL && *names[i] != '\0';
      g_autofree char *made = is_named ? NULL : make_output_name (builder, i);

      outputs[i] = tp_builder_define_at (builder, is_named ? names[i] : made,
                                         node->place, error);
      if (outputs[i] < 0)
        return FALSE;
    }
  node->outputs = outputs;
  return TRUE;
}

/* What ops may ask of a tensor without seeing the graph. */
static void
describe_tensor (TpGraphBuilder *builder, TpAttr *attr)
{
  const TpTensor *tensor;

  g_assert (attr->i >= 0 && attr->i < builder->constants->len);
  attr->i = tp_array_index (builder->constants, int, attr->i);
  tensor = tp_draft_tensor (builder->draft, attr->i);
  attr->dtype = tensor->dtype;
  attr->n = MIN (tensor->count, 2);
  if (attr->n == 1)
    tp_tensor_write_doubles (tensor, &attr->f);
}

static gboolean
copy_attrs (TpGraphBuilder *builder, const TpNode *src, TpNode *node,
            GError **error)
{
  g_autofree char *prefix = tp_draft_dup_prefix (builder->draft, node->place);

  if (!tp_attrs_copy (builder->draft->region, src, node, prefix, error))
    return FALSE;
  for (int i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].kind == TP_ATTR_TENSOR)
      describe_tensor (builder, (TpAttr *) &node->attrs[i]);
  return TRUE;
}

/* What a file gives a cost is not taken apart. */
static const TpOp *
find_op (TpGraphBuilder *builder, const TpNode *src)
{
  const TpOp *op = src->op != NULL ? src->op : tp_op_find (src->type);

  if (op != NULL || src->n_costs > 0
      || tp_control_has_body (src->type) != (src->body != 0))
    return op;
  op = tp_control_find (src->type);
  builder->draft->has_control |= op != NULL;
  return op;
}

static gboolean
check_new (TpGraphBuilder *builder, const TpNode *node, GError **error)
{
  gint64 most = builder->draft->limits.values[TP_LIMIT_NODES];

  if (builder->draft->nodes->len >= most)
    tp_builder_set_limit_error (builder, TP_LIMIT_NODES, node->place, error,
                                "more than %" G_GINT64_FORMAT " ops", most);
  else if (*node->type == '\0')
    tp_builder_set_error (builder, node->place, error,
                          "an op without a type: see `tplan ops`");
  else
    return tp_builder_check_name (builder, node->type, node->place, error);
  return FALSE;
}

/* @op: (nullable): what is known of it. */
static gboolean
add (TpGraphBuilder *builder, const TpNode *src, const TpOp *op,
     TpNodeNames names, GError **error)
{
  TpRegion *region = builder->draft->region;
  TpNode node = *src;

  node.place = tp_region_strdup (region, src->place ? src->place : "", error);
  if (node.place == NULL)
    return FALSE;
  node.op = op;
  node.type = op != NULL ? op->name : tp_region_strdup (region, src->type, error);
  if (node.type == NULL)
    return FALSE;
  node.opset = builder->draft->opset;
  node.branch = builder->branch;
  node.n_inputs = names.n_inputs;
  node.n_outputs = names.n_outputs;
  if (!check_arity (builder, &node, names.inputs, error)
      || !copy_attrs (builder, src, &node, error)
      || !copy_name (builder, &node, error) || !copy_pins (region, &node, error)
      || !copy_costs (builder, &node, error)
      || !copy_colocation (builder, &node, error)
      || !link_inputs (builder, &node, names.inputs, error)
      || !link_outputs (builder, &node, names.outputs, error))
    return FALSE;
  tp_array_append_val (builder->draft->nodes, node);
  return TRUE;
}

gboolean
tp_builder_add_plain_node (TpGraphBuilder *builder, const TpNode *node,
                           TpNodeNames names, GError **error)
{
  if (!check_new (builder, node, error))
    return FALSE;
  if (strcmp (node->type, "Constant") == 0 && names.n_inputs == 0
      && names.n_outputs == 1)
    return tp_builder_add_constant_node (builder, node, names.outputs[0], error);
  return add (builder, node, find_op (builder, node), names, error);
}

gboolean
tp_builder_add_unknown_node (TpGraphBuilder *builder, const TpNode *node,
                             TpNodeNames names, GError **error)
{
  return check_new (builder, node, error)
         && add (builder, node, NULL, names, error);
}
