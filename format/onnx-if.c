/* onnx-if.c: see onnx-if.h.
 *
 * What a branch defines gets names of its own, since both branches may use the same;
 * all other names are those of the body or graph around it. So its names are
 * gathered before its nodes are read. */
#include "config.h"

#include "format/onnx-if.h"

#include "format/onnx-items.h"
#include "format/onnx-node.h"
#include "format/onnx-scope.h"
#include "format/onnx-tensor.h"
#include "format/onnx.h"
#include "graph/graph-branch.h"
#include "ir/array.h"
#include "ir/name-hash.h"

#include <string.h>

#define MAX_DEPTH 16
#define MAX_OUTPUTS 4096

enum { NODE_OUTPUT = 2, NODE_ATTRIBUTE = 5 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_G = 6 };
enum { TENSOR_NAME = 8 };
enum { VALUE_NAME = 1 };
enum
{
  GRAPH_NODE = 1,
  GRAPH_INITIALIZER = 5,
  GRAPH_INPUT = 11,
  GRAPH_OUTPUT = 12,
  GRAPH_SPARSE_INITIALIZER = 15,
};

typedef struct
{
  const char *name;           /* of the attribute */
  TpWireField graph;          /* number 0: there is none */
  TpWirePath paths[2];        /* of the attribute, and of its graph */
  TpWire wire;
  TpOnnxCall call;
  char *prefix;
  TpMap *names;
  TpRegion *strings;
  TpArray *outputs;           /* const char*: as they are called around it */
} Branch;

typedef struct
{
  TpOnnx *onnx;
  const TpWire *wire;         /* of the node */
  Branch branches[2];         /* else, then */
  int n_attributes;           /* seen */
} If;

static void
if_clear (If *self)
{
  for (int i = 0; i < 2; i++)
    {
      g_free (self->branches[i].prefix);
      tp_map_free (self->branches[i].names);
      tp_region_free (self->branches[i].strings);
      tp_array_unref (self->branches[i].outputs);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (If, if_clear)

/* ---- the attributes ------------------------------------------------------ */

typedef struct
{
  TpRegion *strings;
  const char *name;
  TpWireField graph;
} Attribute;

static gboolean
read_attribute (const TpWire *wire, const TpWireField *field, gpointer user,
                GError **error)
{
  Attribute *self = user;

  if (field->number == ATTRIBUTE_NAME)
    return tp_wire_get_string (wire, field, self->strings, &self->name, error);
  if (field->number != ATTRIBUTE_G)
    return TRUE;
  self->graph = *field;
  return tp_wire_expect (wire, field, TP_WIRE_BYTES, error);
}

static gboolean
take_graph (If *self, const TpWire *wire, const Attribute *attribute,
            GError **error)
{
  for (int i = 0; i < 2; i++)
    {
      Branch *branch = &self->branches[i];

      if (strcmp (branch->name, attribute->name) != 0)
        continue;
      if (branch->graph.number != 0)
        tp_wire_set_error (wire, wire->pos, error, "a second attribute '%s'",
                           branch->name);
      else if (attribute->graph.number == 0)
        tp_wire_set_error (wire, wire->pos, error, "attribute '%s' must be a "
                           "graph", branch->name);
      else
        {
          branch->graph = attribute->graph;
          branch->paths[0].index = self->n_attributes - 1;
          return TRUE;
        }
      return FALSE;
    }
  tp_wire_set_error (wire, wire->pos, error, "If has no attribute '%s'; it has "
                     "then_branch and else_branch", attribute->name);
  return FALSE;
}

static gboolean
read_attributes (const TpWire *wire, const TpWireField *field, gpointer user,
                 GError **error)
{
  If *self = user;
  TpWirePath path = { wire->path, "attribute", self->n_attributes };
  Attribute attribute = { .strings = self->onnx->strings, .name = "" };
  TpWire inner;

  if (field->number != NODE_ATTRIBUTE)
    return TRUE;
  self->n_attributes++;
  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error))
    return FALSE;
  inner = tp_wire_enter (wire, field, &path);
  return tp_wire_read (inner, read_attribute, &attribute, error)
         && take_graph (self, &inner, &attribute, error);
}

/* ---- the names of a branch ----------------------------------------------- */

typedef struct
{
  TpOnnx *onnx;
  Branch *branch;
  const char *constant;       /* (nullable): what the graph has of it already */
  guint32 number;             /* of the field that is wanted */
  int index;
} Walk;

/* What a node or an initializer defines. */
static gboolean
define_name (const TpWire *wire, const TpWireField *field, gpointer user,
             GError **error)
{
  Walk *walk = user;
  Branch *branch = walk->branch;
  const char *name;

  if (field->number != walk->number)
    return TRUE;
  if (!tp_wire_get_string (wire, field, branch->strings, &name, error))
    return FALSE;
  if (*name != '\0' && !tp_map_find (branch->names, name, NULL))
    tp_onnx_define_name (walk->onnx, &branch->call, name, walk->constant);
  return TRUE;
}

static gboolean
define_all (Walk *walk, const TpWire *wire, const TpWireField *field,
            guint32 number, GError **error)
{
  TpWirePath path = { wire->path,
                      field->number == GRAPH_NODE ? "node" : "initializer", -1 };
  TpWire inner;

  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error))
    return FALSE;
  inner = tp_wire_enter (wire, field, &path);
  walk->constant = tp_onnx_find_constant (walk->onnx, &inner);
  walk->number = number;
  return tp_wire_read (inner, define_name, walk, error);
}

static gboolean
read_value (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Walk *walk = user;
  Branch *branch = walk->branch;

  return field->number != VALUE_NAME
         || tp_wire_get_string (wire, field, branch->strings,
                                &tp_array_index (branch->outputs, const char *,
                                                 branch->outputs->len - 1),
                                error);
}

static gboolean
add_output (Walk *walk, const TpWire *wire, const TpWireField *field,
            GError **error)
{
  static const char *const unnamed = "";
  TpArray *outputs = walk->branch->outputs;
  TpWirePath path = { wire->path, "output", (int) outputs->len };
  TpWire inner;

  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error))
    return FALSE;
  inner = tp_wire_enter (wire, field, &path);
  tp_array_append_val (outputs, unnamed);
  if (!tp_wire_read (inner, read_value, walk, error))
    return FALSE;
  if (*tp_array_index (outputs, const char *, outputs->len - 1) == '\0')
    tp_wire_set_error (&inner, inner.pos, error, "an output of a branch has no "
                       "name");
  else if (outputs->len > MAX_OUTPUTS)
    tp_wire_set_error (&inner, inner.pos, error, "more than %d outputs",
                       MAX_OUTPUTS);
  else
    return TRUE;
  return FALSE;
}

static gboolean
read_names (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  switch (field->number)
    {
    case GRAPH_NODE:
      return define_all (user, wire, field, NODE_OUTPUT, error);
    case GRAPH_INITIALIZER:
      return define_all (user, wire, field, TENSOR_NAME, error);
    case GRAPH_OUTPUT:
      return add_output (user, wire, field, error);
    case GRAPH_SPARSE_INITIALIZER:
      tp_wire_set_unsupported (wire, error, "sparse tensors: save dense ones");
      return FALSE;
    case GRAPH_INPUT:
      tp_wire_set_error (wire, wire->pos, error, "a branch of an If takes no "
                         "inputs: it names tensors of the graph around it");
      return FALSE;
    default:
      return TRUE;
    }
}

/* ---- what is in a branch ------------------------------------------------- */

static gboolean
read_tensor_name (const TpWire *wire, const TpWireField *field, gpointer user,
                  GError **error)
{
  Attribute *tensor = user;

  return field->number != TENSOR_NAME
         || tp_wire_get_string (wire, field, tensor->strings, &tensor->name,
                                error);
}

static gboolean
add_initializer (TpOnnx *onnx, TpWire wire, GError **error)
{
  Attribute tensor = { .strings = onnx->strings, .name = "" };

  if (tp_onnx_find_constant (onnx, &wire) != NULL)
    return TRUE;
  tp_region_clear (onnx->strings);
  if (!tp_onnx_add_tensor (onnx, wire, NULL, error)
      || !tp_wire_read (wire, read_tensor_name, &tensor, error))
    return FALSE;
  tp_onnx_share_constant (onnx, &wire, tensor.name);
  return TRUE;
}

static gboolean
add_node (TpOnnx *onnx, TpWire wire, GError **error)
{
  return tp_onnx_find_constant (onnx, &wire) != NULL
         || tp_onnx_add_node (onnx, wire, error);
}

static gboolean
read_body (TpOnnx *onnx, gpointer user, GError **error)
{
  const Branch *branch = user;
  static const TpOnnxItems all[] = {
    { GRAPH_INITIALIZER, "initializer", add_initializer },
    { GRAPH_NODE, "node", add_node },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    if (!tp_onnx_read_items (onnx, branch->wire, all[i], error))
      return FALSE;
  for (guint i = 0; i < branch->outputs->len; i++)
    {
      const char **name
          = &tp_array_index (branch->outputs, const char *, i);

      *name = tp_onnx_map_name (onnx, *name);
    }
  return TRUE;
}

static void
branch_init (Branch *branch, const If *self, const char *name)
{
  *branch = (Branch){ .name = name,
                      .paths = { { self->wire->path, "attribute", -1 },
                                 { &branch->paths[0], "g", -1 } } };
  branch->names = tp_map_new (tp_name_hash, g_str_equal, g_free, g_free);
  branch->strings = tp_region_new (TP_REGION_NO_BUDGET);
  branch->outputs = tp_array_new (sizeof (char *));
}

static gboolean
read_branch (If *self, int value, const char *condition, GError **error)
{
  TpOnnx *onnx = self->onnx;
  const TpOnnxCall *parent = onnx->call;
  Branch *branch = &self->branches[value];
  Walk walk = { .onnx = onnx, .branch = branch };
  g_autofree char *place = NULL;

  branch->wire = tp_wire_enter (self->wire, &branch->graph, &branch->paths[1]);
  branch->prefix = g_strdup_printf ("If#%d", onnx->n_calls);
  branch->call = (TpOnnxCall){
    .parent = parent, .depth = parent == NULL ? 1 : parent->depth + 1,
    .prefix = branch->prefix, .names = branch->names,
    .attrs = parent == NULL ? NULL : parent->attrs
  };
  place = tp_wire_path_to_string (branch->wire.path);
  if (!tp_onnx_check_calls (onnx, &branch->wire, error)
      || !tp_wire_read (branch->wire, read_names, &walk, error)
      || !tp_graph_builder_enter_branch (onnx->builder, condition, value, place,
                                         error)
      || !tp_onnx_in_call (onnx, &branch->call, read_body, branch, error))
    return FALSE;
  tp_graph_builder_leave_branch (onnx->builder);
  return TRUE;
}

/* ---- the whole ----------------------------------------------------------- */

static gboolean
check_depth (const If *self, GError **error)
{
  int depth = 0;

  for (const TpOnnxCall *call = self->onnx->call; call != NULL;
       call = call->parent)
    depth += call->function == NULL;
  if (depth < MAX_DEPTH)
    return TRUE;
  tp_wire_set_error (self->wire, self->wire->pos, error, "If is nested deeper "
                     "than %d", MAX_DEPTH);
  return FALSE;
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
  const char *condition;

  for (int i = 0; i < 2; i++)
    branch_init (&self.branches[i], &self, names[i]);
  if (!check_depth (&self, error) || !check_inputs (&self, arguments, error)
      || !tp_wire_read (*wire, read_attributes, &self, error)
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
