/* graph-builder.c: what both readers call: names become indices, everything is
 * copied and checked, and finish () binds, sorts and infers. */
#include "config.h"

#include "graph/graph-builder.h"

#include "graph/function.h"
#include "graph/graph-attrs.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-constant.h"
#include "graph/graph-draft.h"
#include "graph/graph-limit.h"
#include "ir/graph-value.h"
#include "ir/name-hash.h"
#include "ops/op.h"

#include <string.h>

#define TENSORS_PER_NODE 4
#define MIN_TENSORS 1000 /* whatever the limit on nodes */
/* Of one op whose table entry sets no bound; of ops unknown, outputs alone. */
#define MAX_INPUTS 4096
#define MAX_OUTPUTS 256

TpGraphBuilder *
tp_graph_builder_new (const char *name, int opset)
{
  TpGraphBuilder *builder = g_new0 (TpGraphBuilder, 1);

  builder->draft = tp_draft_new (TP_REGION_NO_BUDGET);
  builder->draft->name
      = tp_region_strdup (builder->draft->region, name ? name : "", NULL);
  builder->draft->opset = opset;
  builder->tensors = g_hash_table_new (tp_name_hash, g_str_equal);
  builder->nodes = g_hash_table_new (tp_name_hash, g_str_equal);
  builder->dims
      = g_hash_table_new_full (tp_name_hash, g_str_equal, g_free, g_free);
  builder->states = g_array_new (FALSE, TRUE, sizeof (TpBuilderState));
  builder->specs = g_array_new (FALSE, TRUE, sizeof (TpBuilderSpec));
  builder->constants = g_array_new (FALSE, TRUE, sizeof (int));
  return builder;
}

void
tp_graph_builder_free (TpGraphBuilder *builder)
{
  g_hash_table_unref (builder->tensors);
  g_hash_table_unref (builder->nodes);
  g_hash_table_unref (builder->dims);
  g_array_unref (builder->states);
  g_array_unref (builder->specs);
  g_array_unref (builder->constants);
  tp_draft_free (builder->draft);
  g_free (builder);
}

void
tp_graph_builder_keep (TpGraphBuilder *builder, GBytes *bytes)
{
  tp_region_own (builder->draft->region, g_bytes_ref (bytes),
                 (GDestroyNotify) g_bytes_unref);
}

void
tp_graph_builder_set_source (TpGraphBuilder *builder, const char *path)
{
  builder->draft->source
      = path ? tp_region_strdup (builder->draft->region, path, NULL) : NULL;
}

void
tp_graph_builder_set_dim (TpGraphBuilder *builder, const char *name,
                          gint64 value)
{
  g_hash_table_insert (builder->dims, g_strdup (name),
                       g_memdup2 (&value, sizeof value));
}

gboolean
tp_graph_builder_has_node (TpGraphBuilder *builder, const char *name)
{
  return g_hash_table_contains (builder->nodes, name);
}

gboolean
tp_graph_builder_is_defined (TpGraphBuilder *builder, const char *tensor)
{
  int index = GPOINTER_TO_INT (g_hash_table_lookup (builder->tensors, tensor));

  return index > 0
         && g_array_index (builder->states, TpBuilderState, index - 1).is_defined;
}

/* ---- names ------------------------------------------------------------- */

static gboolean
check_name (TpGraphBuilder *builder, const char *name, const char *place,
            GError **error)
{
  gint64 most = builder->draft->limits.values[TP_LIMIT_NAME];

  if (*name == '\0')
    tp_builder_set_error (builder, place, error, "a name must not be empty");
  else if ((gint64) strlen (name) > most)
    tp_builder_set_limit_error (builder, TP_LIMIT_NAME, place, error,
                                "a name has %" G_GSIZE_FORMAT " bytes, more "
                                "than %" G_GINT64_FORMAT, strlen (name), most);
  else if (!g_utf8_validate (name, -1, NULL))
    tp_builder_set_error (builder, place, error, "a name is not UTF-8");
  else
    return TRUE;
  return FALSE;
}

/* The tensor called @name, made when new; -1 on error. */
static int
get_tensor (TpGraphBuilder *builder, const char *name, const char *place,
            GError **error)
{
  int index = GPOINTER_TO_INT (g_hash_table_lookup (builder->tensors, name));
  TpTensor tensor = { .rank = TP_RANK_UNKNOWN, .producer = -1 };
  TpBuilderState state = { .user = -1 };
  gint64 most
      = TENSORS_PER_NODE * builder->draft->limits.values[TP_LIMIT_NODES];

  if (index > 0)
    return index - 1;
  if (!check_name (builder, name, place, error))
    return -1;
  if (builder->states->len >= MAX (most, MIN_TENSORS))
    {
      tp_builder_set_limit_error (builder, TP_LIMIT_NODES, place, error,
                                  "more than %" G_GINT64_FORMAT " tensors",
                                  MAX (most, MIN_TENSORS));
      return -1;
    }
  tensor.name = tp_region_strdup (builder->draft->region, name, error);
  if (tensor.name == NULL)
    return -1;
  index = tp_draft_add_tensor (builder->draft, &tensor);
  g_array_append_val (builder->states, state);
  g_hash_table_insert (builder->tensors, (char *) tensor.name,
                       GINT_TO_POINTER (index + 1));
  return index;
}

/* The tensor called @name, from now on defined at @place; -1 on error. */
static int
define_tensor (TpGraphBuilder *builder, const char *name, const char *place,
               GError **error)
{
  int index = get_tensor (builder, name, place, error);
  TpBuilderState *state;

  if (index < 0)
    return -1;
  state = &g_array_index (builder->states, TpBuilderState, index);
  if (state->is_defined)
    {
      tp_builder_set_error (builder, place, error,
                 "tensor '%s' is already defined at %s: rename one", name,
                 state->place);
      return -1;
    }
  state->is_defined = TRUE;
  state->place = tp_region_strdup (builder->draft->region, place ? place : "",
                                   error);
  return state->place == NULL ? -1 : index;
}

/* ---- inputs, constants, outputs ---------------------------------------- */

static gboolean
copy_dims (TpGraphBuilder *builder, TpBuilderSpec *spec, const TpDimSpec *dims,
           GError **error)
{
  TpRegion *region = builder->draft->region;
  TpDimSpec *copy
      = tp_region_dup (region, dims, spec->rank, sizeof (TpDimSpec), error);

  if (copy == NULL)
    return FALSE;
  for (int i = 0; i < spec->rank; i++)
    if (dims[i].name != NULL
        && (!check_name (builder, dims[i].name, spec->place, error)
            || (copy[i].name = tp_region_strdup (region, dims[i].name, error))
                   == NULL))
      return FALSE;
  spec->dims = copy;
  return TRUE;
}

static gboolean
check_rank (TpGraphBuilder *builder, int rank, const char *place,
            GError **error)
{
  gint64 most = builder->draft->limits.values[TP_LIMIT_RANK];

  if (rank < 0 || rank > TP_MAX_RANK)
    tp_builder_set_error (builder, place, error,
                          "rank %d; at most %d is supported", rank,
                          TP_MAX_RANK);
  else if (rank > most)
    tp_builder_set_limit_error (builder, TP_LIMIT_RANK, place, error,
                                "rank %d, more than %" G_GINT64_FORMAT, rank,
                                most);
  else
    return TRUE;
  return FALSE;
}

static gboolean
add_spec (TpGraphBuilder *builder, TpBuilderSpec *spec, const TpDimSpec *dims,
          GError **error)
{
  const char *place = spec->place ? spec->place : "";

  spec->place = tp_region_strdup (builder->draft->region, place, error);
  if (spec->place == NULL || !copy_dims (builder, spec, dims, error))
    return FALSE;
  g_array_append_val (builder->specs, *spec);
  return TRUE;
}

gboolean
tp_graph_builder_add_input (TpGraphBuilder *builder, const char *name,
                            TpDtype dtype, int rank, const TpDimSpec *dims,
                            const char *place, GError **error)
{
  TpBuilderSpec spec = { -1, dtype, rank, NULL, place };

  if (!check_rank (builder, rank, place, error))
    return FALSE;
  spec.tensor = define_tensor (builder, name, place, error);
  if (spec.tensor < 0 || !add_spec (builder, &spec, dims, error))
    return FALSE;
  g_array_append_val (builder->draft->inputs, spec.tensor);
  return TRUE;
}

gboolean
tp_graph_builder_declare (TpGraphBuilder *builder, const char *name,
                          TpDtype dtype, int rank, const TpDimSpec *dims,
                          const char *place, GError **error)
{
  TpBuilderSpec spec = { -1, dtype, rank, NULL, place };

  if (!check_rank (builder, rank, place, error))
    return FALSE;
  spec.tensor = get_tensor (builder, name, place, error);
  if (spec.tensor < 0 || !add_spec (builder, &spec, dims, error))
    return FALSE;
  return TRUE;
}

/* What is not in the file must not be without end. */
static gboolean
check_generated (TpGraphBuilder *builder, const TpTensor *tensor,
                 const char *place, GError **error)
{
  gint64 most = builder->draft->limits.values[TP_LIMIT_GENERATED];

  if (tensor->init.kind != TP_INIT_FILL && tensor->init.kind != TP_INIT_RANDOM)
    return TRUE;
  if (tp_size_add (builder->generated_bytes, tensor->size_bytes,
                   &builder->generated_bytes)
      && builder->generated_bytes <= most)
    return TRUE;
  tp_builder_set_limit_error (builder, TP_LIMIT_GENERATED, place, error,
                              "constant '%s' brings what fill and random make "
                              "to more than %" G_GINT64_FORMAT " bytes",
                              tensor->name, most);
  return FALSE;
}

gboolean
tp_graph_builder_add_constant (TpGraphBuilder *builder, const char *name,
                               TpDtype dtype, int rank, const gint64 *dims,
                               const TpInit *init, const char *place,
                               GError **error)
{
  int index;
  TpTensor *tensor;

  g_assert (init->kind != TP_INIT_NONE);
  if (!check_rank (builder, rank, place, error))
    return FALSE;
  index = define_tensor (builder, name, place, error);
  if (index < 0)
    return FALSE;
  tensor = tp_draft_tensor (builder->draft, index);
  if (!tp_tensor_set_shape (tensor, dtype, rank, dims))
    {
      tp_builder_set_error (builder, place, error,
                 "constant '%s': its shape is negative or too large", name);
      return FALSE;
    }
  tensor->init = *init;
  if (!check_generated (builder, tensor, place, error))
    return FALSE;
  g_array_append_val (builder->constants, index);
  return TRUE;
}

gboolean
tp_graph_builder_add_output (TpGraphBuilder *builder, const char *name,
                             const char *place, GError **error)
{
  int index = get_tensor (builder, name, place, error);

  if (index < 0)
    return FALSE;
  if (tp_draft_tensor (builder->draft, index)->is_output)
    {
      tp_builder_set_error (builder, place, error, "output '%s' is listed twice", name);
      return FALSE;
    }
  tp_draft_tensor (builder->draft, index)->is_output = TRUE;
  g_array_append_val (builder->draft->outputs, index);
  return TRUE;
}

/* ---- nodes ------------------------------------------------------------- */

static gboolean
check_arity (TpGraphBuilder *builder, const TpNode *node, int n_inputs,
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
  else if (op != NULL && n_inputs < op->n_inputs_min)
    tp_builder_set_error (builder, node->place, error,
               "%s has %d inputs, needs at least %d", node->type, n_inputs,
               op->n_inputs_min);
  else if (n_inputs > n_most)
    tp_builder_set_error (builder, node->place, error,
               "%s has %d inputs, takes at most %d", node->type, n_inputs,
               n_most);
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

static gboolean
check_op (TpGraphBuilder *builder, const TpNode *node, GError **error)
{
  g_autofree char *prefix = NULL;

  if (node->op != NULL || node->n_costs > 0 || builder->keeps_unknown)
    return TRUE;
  prefix = tp_draft_dup_prefix (builder->draft, node->place);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "%sunknown op type '%s': see `tplan ops` for those known, or "
               "give the op a \"cost\" to plan without running it",
               prefix, node->type);
  return FALSE;
}

static gboolean
copy_name (TpGraphBuilder *builder, TpNode *node, GError **error)
{
  if (node->name == NULL)
    return TRUE; /* made up at the end, when all others are known */
  if (!check_name (builder, node->name, node->place, error))
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
  g_hash_table_add (builder->nodes, (char *) node->name);
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
copy_costs (TpRegion *region, TpNode *node, GError **error)
{
  TpNodeCost *costs = tp_region_dup (region, node->costs, node->n_costs,
                                     sizeof (TpNodeCost), error);

  for (int i = 0; costs != NULL && i < node->n_costs; i++)
    if ((costs[i].device = tp_region_strdup (region, costs[i].device, error))
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
      inputs[i] = get_tensor (builder, names[i], node->place, error);
      if (inputs[i] < 0)
        return FALSE;
      state = &g_array_index (builder->states, TpBuilderState, inputs[i]);
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
      g_autofree char *name = names[i] != NULL && *names[i] != '\0'
                                  ? g_strdup (names[i])
                                  : make_output_name (builder, i);

      outputs[i] = define_tensor (builder, name, node->place, error);
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
  attr->i = g_array_index (builder->constants, int, attr->i);
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

gboolean
tp_graph_builder_add_node (TpGraphBuilder *builder, const TpNode *src,
                           int n_inputs, const char *const *inputs,
                           int n_outputs, const char *const *outputs,
                           GError **error)
{
  TpRegion *region = builder->draft->region;
  TpNode node = *src;

  if (builder->draft->nodes->len >= builder->draft->limits.values[TP_LIMIT_NODES])
    {
      tp_builder_set_limit_error (
          builder, TP_LIMIT_NODES, src->place, error,
          "more than %" G_GINT64_FORMAT " ops",
          builder->draft->limits.values[TP_LIMIT_NODES]);
      return FALSE;
    }
  if (*src->type == '\0')
    {
      tp_builder_set_error (builder, src->place, error,
                            "an op without a type: see `tplan ops`");
      return FALSE;
    }
  if (!check_name (builder, src->type, src->place, error))
    return FALSE;
  if (strcmp (src->type, "Constant") == 0 && n_inputs == 0 && n_outputs == 1)
    return tp_builder_add_constant_node (builder, src, outputs[0], error);
  if (src->n_costs == 0 && tp_function_is_known (src->type))
    return tp_function_expand (builder, src, n_inputs, inputs, n_outputs,
                               outputs, error);
  node.place = tp_region_strdup (region, src->place ? src->place : "", error);
  node.type = node.place ? tp_region_strdup (region, src->type, error) : NULL;
  if (node.type == NULL)
    return FALSE;
  node.op = tp_op_find (node.type);
  if (node.op != NULL)
    node.type = node.op->name;
  node.opset = builder->draft->opset;
  node.n_inputs = n_inputs;
  node.n_outputs = n_outputs;
  if (!check_op (builder, &node, error)
      || !check_arity (builder, &node, n_inputs, inputs, error)
      || !copy_attrs (builder, src, &node, error)
      || !copy_name (builder, &node, error)
      || !copy_pins (region, &node, error)
      || !copy_costs (region, &node, error)
      || !link_inputs (builder, &node, inputs, error)
      || !link_outputs (builder, &node, outputs, error))
    return FALSE;
  g_array_append_val (builder->draft->nodes, node);
  return TRUE;
}
