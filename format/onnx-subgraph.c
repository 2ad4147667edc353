/* onnx-subgraph.c: see onnx-subgraph.h.
 *
 * What a graph defines gets names of its own, since others may use the same; all other
 * names are those of the body or graph around it. So its names are gathered before its
 * nodes are read. */
#include "config.h"

#include "format/onnx-subgraph.h"

#include "format/onnx-items.h"
#include "format/onnx-node.h"
#include "format/onnx-tensor.h"
#include "ir/array.h"
#include "ir/name-hash.h"

#include <string.h>

#define MAX_DEPTH 16
#define MAX_VALUES 4096       /* inputs, or outputs */

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

void
tp_onnx_subgraph_init (TpOnnxSubgraph *self, const TpWire *wire,
                       const char *name)
{
  *self = (TpOnnxSubgraph){ .name = name, .outer = *wire,
                            .paths = { { wire->path, "attribute", -1 },
                                       { &self->paths[0], "g", -1 } } };
  self->names = tp_map_new (tp_name_hash, g_str_equal, g_free, g_free);
  self->strings = tp_region_new (TP_REGION_NO_BUDGET);
  self->inputs = tp_array_new (sizeof (char *));
  self->outputs = tp_array_new (sizeof (char *));
}

void
tp_onnx_subgraph_clear (TpOnnxSubgraph *self)
{
  g_free (self->prefix);
  tp_map_free (self->names);
  tp_region_free (self->strings);
  tp_array_unref (self->inputs);
  tp_array_unref (self->outputs);
}

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

typedef struct
{
  TpOnnx *onnx;
  TpOnnxSubgraphs *all;
  int n_attributes;           /* seen */
} Search;

static gboolean
take_graph (Search *self, const TpWire *wire, const Attribute *attribute,
            GError **error)
{
  for (int i = 0; i < self->all->n; i++)
    {
      TpOnnxSubgraph *graph = &self->all->graphs[i];

      if (strcmp (graph->name, attribute->name) != 0)
        continue;
      if (graph->graph.number != 0)
        tp_wire_set_error (wire, wire->pos, error, "a second attribute '%s'",
                           graph->name);
      else if (attribute->graph.number == 0)
        tp_wire_set_error (wire, wire->pos, error, "attribute '%s' must be a "
                           "graph", graph->name);
      else
        {
          graph->graph = attribute->graph;
          graph->paths[0].index = self->n_attributes - 1;
          return TRUE;
        }
      return FALSE;
    }
  if (self->all->only == NULL)
    return TRUE;
  tp_wire_set_error (wire, wire->pos, error, "If has no attribute '%s'; it has "
                     "%s", attribute->name, self->all->only);
  return FALSE;
}

static gboolean
read_attributes (const TpWire *wire, const TpWireField *field, gpointer user,
                 GError **error)
{
  Search *self = user;
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

gboolean
tp_onnx_subgraphs_find (TpOnnx *onnx, const TpWire *wire, TpOnnxSubgraphs *all,
                        GError **error)
{
  Search self = { onnx, all, 0 };

  return tp_wire_read (*wire, read_attributes, &self, error);
}

gboolean
tp_onnx_subgraph_check_depth (const TpOnnx *onnx, const TpWire *wire,
                              const char *type, GError **error)
{
  int depth = 0;

  for (const TpOnnxCall *call = onnx->call; call != NULL; call = call->parent)
    depth += call->function == NULL;
  if (depth < MAX_DEPTH)
    return TRUE;
  tp_wire_set_error (wire, wire->pos, error, "%s is nested deeper than %d", type,
                     MAX_DEPTH);
  return FALSE;
}

/* ---- the names of a graph ----------------------------------------------- */

typedef struct
{
  TpOnnx *onnx;
  TpOnnxSubgraph *graph;
  const char *constant;       /* (nullable): what the graph has of it already */
  guint32 number;             /* of the field that is wanted */
  gboolean takes_inputs;
  const char *name;           /* of the input or output that is read */
} Walk;

/* What a node or an initializer defines. */
static gboolean
define_name (const TpWire *wire, const TpWireField *field, gpointer user,
             GError **error)
{
  Walk *walk = user;
  TpOnnxSubgraph *graph = walk->graph;
  const char *name;

  if (field->number != walk->number)
    return TRUE;
  if (!tp_wire_get_string (wire, field, graph->strings, &name, error))
    return FALSE;
  if (*name != '\0' && !tp_map_find (graph->names, name, NULL))
    tp_onnx_define_name (walk->onnx, &graph->call, name, walk->constant);
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

  return field->number != VALUE_NAME
         || tp_wire_get_string (wire, field, walk->graph->strings, &walk->name,
                                error);
}

/* An input or output, which goes to @values. */
static gboolean
add_value (Walk *walk, const TpWire *wire, const TpWireField *field,
           TpArray *values, GError **error)
{
  const char *kind = values == walk->graph->inputs ? "input" : "output";
  TpWirePath path = { wire->path, kind, (int) values->len };
  TpWire inner;

  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error))
    return FALSE;
  inner = tp_wire_enter (wire, field, &path);
  walk->name = "";
  if (!tp_wire_read (inner, read_value, walk, error))
    return FALSE;
  tp_array_append_val (values, walk->name);
  if (*walk->name == '\0')
    tp_wire_set_error (&inner, inner.pos, error, "an %s of a branch or a body has "
                       "no name", kind);
  else if (values->len > MAX_VALUES)
    tp_wire_set_error (&inner, inner.pos, error, "more than %d %ss", MAX_VALUES,
                       kind);
  else
    return TRUE;
  return FALSE;
}

static gboolean
add_input (Walk *walk, const TpWire *wire, const TpWireField *field,
           GError **error)
{
  TpOnnxSubgraph *graph = walk->graph;

  if (!walk->takes_inputs)
    {
      tp_wire_set_error (wire, wire->pos, error, "a branch of an If takes no "
                         "inputs: it names tensors of the graph around it");
      return FALSE;
    }
  if (!add_value (walk, wire, field, graph->inputs, error))
    return FALSE;
  if (tp_map_find (graph->names, walk->name, NULL))
    {
      tp_wire_set_error (wire, field->data, error, "'%s' is defined twice",
                         walk->name);
      return FALSE;
    }
  tp_onnx_define_name (walk->onnx, &graph->call, walk->name, NULL);
  return TRUE;
}

static gboolean
read_names (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Walk *walk = user;

  switch (field->number)
    {
    case GRAPH_NODE:
      return define_all (walk, wire, field, NODE_OUTPUT, error);
    case GRAPH_INITIALIZER:
      return define_all (walk, wire, field, TENSOR_NAME, error);
    case GRAPH_OUTPUT:
      return add_value (walk, wire, field, walk->graph->outputs, error);
    case GRAPH_SPARSE_INITIALIZER:
      tp_wire_set_unsupported (wire, error, "sparse tensors: save dense ones");
      return FALSE;
    case GRAPH_INPUT:
      return add_input (walk, wire, field, error);
    default:
      return TRUE;
    }
}

gboolean
tp_onnx_subgraph_read_names (TpOnnx *onnx, TpOnnxSubgraph *self,
                             const char *stem, gboolean takes_inputs,
                             GError **error)
{
  const TpOnnxCall *parent = onnx->call;
  Walk walk = { .onnx = onnx, .graph = self, .takes_inputs = takes_inputs };

  self->wire = tp_wire_enter (&self->outer, &self->graph, &self->paths[1]);
  self->prefix = g_strdup_printf ("%s#%d", stem, onnx->n_calls);
  self->call = (TpOnnxCall){
    .parent = parent, .depth = parent == NULL ? 1 : parent->depth + 1,
    .prefix = self->prefix, .names = self->names,
    .attrs = parent == NULL ? NULL : parent->attrs
  };
  return tp_onnx_check_calls (onnx, &self->wire, error)
         && tp_wire_read (self->wire, read_names, &walk, error);
}

/* ---- what is in a graph ------------------------------------------------- */

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
  if (!tp_onnx_add_tensor (onnx, wire, NULL, TRUE, error)
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

static void
map_names (const TpOnnx *onnx, TpArray *names)
{
  for (guint i = 0; i < names->len; i++)
    {
      const char **name = &tp_array_index (names, const char *, i);

      *name = tp_onnx_map_name (onnx, *name);
    }
}

static gboolean
read_body (TpOnnx *onnx, gpointer user, GError **error)
{
  const TpOnnxSubgraph *self = user;
  static const TpOnnxItems all[] = {
    { GRAPH_INITIALIZER, "initializer", add_initializer },
    { GRAPH_NODE, "node", add_node },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    if (!tp_onnx_read_items (onnx, self->wire, all[i], error))
      return FALSE;
  map_names (onnx, self->inputs);
  map_names (onnx, self->outputs);
  return TRUE;
}

gboolean
tp_onnx_subgraph_read_body (TpOnnx *onnx, TpOnnxSubgraph *self, GError **error)
{
  return tp_onnx_in_call (onnx, &self->call, read_body, self, error);
}
