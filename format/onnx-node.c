/* onnx-node.c: NodeProto and AttributeProto. */
#include "config.h"

#include "format/onnx-node.h"

#include "format/onnx-flex.h"
#include "format/onnx-function.h"
#include "format/onnx-if.h"
#include "format/onnx-loop.h"
#include "format/onnx-narrow-node.h"
#include "format/onnx-opset.h"
#include "format/onnx-scope.h"
#include "format/onnx-tensor.h"
#include "format/onnx.h"
#include "graph/control.h"
#include "graph/function.h"
#include "graph/graph-expand.h"
#include "ir/array.h"
#include "ops/op.h"

#include <string.h>

enum
{
  NODE_INPUT = 1,
  NODE_OUTPUT = 2,
  NODE_NAME = 3,
  NODE_OP_TYPE = 4,
  NODE_ATTRIBUTE = 5,
  NODE_DOMAIN = 7,
};

enum
{
  ATTRIBUTE_NAME = 1,
  ATTRIBUTE_F = 2,
  ATTRIBUTE_I = 3,
  ATTRIBUTE_S = 4,
  ATTRIBUTE_T = 5,
  ATTRIBUTE_G = 6,
  ATTRIBUTE_FLOATS = 7,
  ATTRIBUTE_INTS = 8,
  ATTRIBUTE_STRINGS = 9,
  ATTRIBUTE_TP = 14,
  ATTRIBUTE_TYPE = 20,
  ATTRIBUTE_REF_NAME = 21,
};

/* Of what is read elsewhere, or not at all. */
enum { TYPE_GRAPH = 5, TYPE_TYPE = 13 };

/* Number of the type, our kind, and the field that holds the value. */
static const struct
{
  gint64 type;
  TpAttrKind kind;
  guint32 field;
} forms[] = {
  { 1, TP_ATTR_FLOAT, ATTRIBUTE_F },   { 2, TP_ATTR_INT, ATTRIBUTE_I },
  { 3, TP_ATTR_STRING, ATTRIBUTE_S },  { 4, TP_ATTR_TENSOR, ATTRIBUTE_T },
  { 6, TP_ATTR_FLOATS, ATTRIBUTE_FLOATS },
  { 7, TP_ATTR_INTS, ATTRIBUTE_INTS },
  { 8, TP_ATTR_STRINGS, ATTRIBUTE_STRINGS },
};

#define MAX_LIST (1 << 24)  /* numbers in an attribute */
#define MAX_NAMES (1 << 20) /* inputs or outputs of a node */

typedef struct
{
  TpOnnx *onnx;
  TpArray *inputs, *outputs;  /* const char* */
  const char *name, *type, *domain;
  TpArray *attrs;             /* TpAttr */
  TpArray *lists;             /* TpArray*: values of list attributes */
  int n_attributes;           /* seen */
  gboolean has_reference;     /* to an argument of the call */
  gboolean has_graphs;        /* graphs and types are not read here */
  const char *last_name;      /* of an input or output, as it stands there */
} Node;

typedef struct
{
  Node *node;
  TpAttr attr;
  gint64 type;
  guint32 fields;             /* a bit for each value field seen */
  TpWireField tensor;
  const char *argument;       /* of the call, which is its value; or "" */
  TpArray *ints, *floats, *texts; /* texts: const char* */
} Attribute;

static void
node_clear (Node *node)
{
  tp_array_unref (node->inputs);
  tp_array_unref (node->outputs);
  tp_array_unref (node->attrs);
  for (guint i = 0; i < node->lists->len; i++)
    tp_array_unref (tp_array_index (node->lists, TpArray *, i));
  tp_array_unref (node->lists);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Node, node_clear)

/* ---- attributes -------------------------------------------------------- */

static void
add_int (gpointer user, guint64 bits)
{
  Attribute *self = user;
  gint64 value = bits;

  if (self->ints->len <= MAX_LIST) /* one more shows that it is too many */
    tp_array_append_val (self->ints, value);
}

static void
add_float (gpointer user, guint64 bits)
{
  Attribute *self = user;
  guint32 narrow = bits;
  float value;
  double wide;

  memcpy (&value, &narrow, sizeof value);
  wide = value;
  if (self->floats->len <= MAX_LIST)
    tp_array_append_val (self->floats, wide);
}

static gboolean
add_text (const TpWire *wire, const TpWireField *field, Attribute *self,
          GError **error)
{
  const char *text;

  if (!tp_wire_get_string (wire, field, self->node->onnx->strings, &text,
                           error))
    return FALSE;
  if (self->texts->len <= MAX_LIST)
    tp_array_append_val (self->texts, text);
  return TRUE;
}

static gboolean
read_attribute (const TpWire *wire, const TpWireField *field, gpointer user,
                GError **error)
{
  Attribute *self = user;
  TpRegion *strings = self->node->onnx->strings;

  if (field->number < 32)
    self->fields |= 1u << field->number;
  switch (field->number)
    {
    case ATTRIBUTE_NAME:
      return tp_wire_get_string (wire, field, strings, &self->attr.name,
                                 error);
    case ATTRIBUTE_TYPE:
      return tp_wire_get_int (wire, field, &self->type, error);
    case ATTRIBUTE_REF_NAME:
      return tp_wire_get_string (wire, field, strings, &self->argument, error);
    case ATTRIBUTE_F:
      return tp_wire_get_float (wire, field, &self->attr.f, error);
    case ATTRIBUTE_I:
      return tp_wire_get_int (wire, field, &self->attr.i, error);
    case ATTRIBUTE_S:
      return tp_wire_get_string (wire, field, strings, &self->attr.s, error);
    case ATTRIBUTE_T:
      self->tensor = *field;
      return tp_wire_expect (wire, field, TP_WIRE_BYTES, error);
    case ATTRIBUTE_STRINGS:
      return add_text (wire, field, self, error);
    case ATTRIBUTE_FLOATS:
      return tp_wire_get_repeated (
          wire, field, (TpWireSink){ TP_WIRE_FIXED32, add_float, self }, error);
    case ATTRIBUTE_INTS:
      return tp_wire_get_repeated (
          wire, field, (TpWireSink){ TP_WIRE_VARINT, add_int, self }, error);
    default:
      return TRUE;
    }
}

/* Old files give no type: it is that of the one value there is. */
static gboolean
find_kind (Attribute *self, const TpWire *wire, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    if (self->type == forms[i].type
        || (self->type == 0 && self->fields & (1u << forms[i].field)))
      {
        self->attr.kind = forms[i].kind;
        return TRUE;
      }
  tp_wire_set_unsupported (wire, error, "attribute '%s' has ONNX type %"
                           G_GINT64_FORMAT "; known are numbers, strings, "
                           "tensors, lists of numbers and of strings", self->attr.name,
                           self->type);
  return FALSE;
}

/* A tensor attribute becomes a constant with a name made up. */
static gboolean
add_tensor (Attribute *self, const TpWire *wire, GError **error)
{
  TpOnnx *onnx = self->node->onnx;
  TpWirePath path = { wire->path, "t", -1 };
  TpWireField none = { .type = TP_WIRE_BYTES, .data = wire->end };
  const TpWireField *field = self->tensor.number ? &self->tensor : &none;
  g_autoptr (GString) name = g_string_new (NULL);
  const char *output = self->node->outputs->len > 0
                           ? tp_array_index (self->node->outputs, const char *, 0)
                           : "";

  g_string_printf (name, "%s:%s", output, self->attr.name);
  while (tp_graph_builder_is_defined (onnx->builder, name->str))
    g_string_append_c (name, '_');
  self->attr.i = onnx->builder->constants->len;
  return tp_onnx_add_tensor (onnx, tp_wire_enter (wire, field, &path),
                             name->str,
                             strcmp (self->node->type, "Constant") == 0, error);
}

/* Without that argument the attribute is left out. */
static void
take_argument (Attribute *self)
{
  const TpAttr *argument =
      tp_onnx_find_argument (self->node->onnx, self->argument);
  TpAttr attr;

  self->node->has_reference = TRUE;
  if (argument == NULL)
    return;
  attr = *argument;
  attr.name = self->attr.name;
  tp_array_append_val (self->node->attrs, attr);
}

static gboolean
is_passed_over (const Attribute *self)
{
  if (!self->node->has_graphs)
    return FALSE;
  if (self->type == 0)
    return (self->fields & (1u << ATTRIBUTE_G | 1u << ATTRIBUTE_TP)) != 0;
  return self->type == TYPE_GRAPH || self->type == TYPE_TYPE;
}

static gboolean
finish_attribute (Attribute *self, const TpWire *wire, GError **error)
{
  TpAttr *attr = &self->attr;

  if (*self->argument != '\0' && tp_onnx_has_arguments (self->node->onnx))
    {
      take_argument (self);
      return TRUE;
    }
  if (is_passed_over (self))
    return TRUE;
  if (!find_kind (self, wire, error))
    return FALSE;
  if (attr->kind == TP_ATTR_TENSOR && !add_tensor (self, wire, error))
    return FALSE;
  attr->ints = (const gint64 *) (void *) self->ints->data;
  attr->floats = (const double *) (void *) self->floats->data;
  attr->strings = (const char *const *) (void *) self->texts->data;
  attr->n = attr->kind == TP_ATTR_INTS      ? self->ints->len
            : attr->kind == TP_ATTR_STRINGS ? self->texts->len
                                            : self->floats->len;
  if (attr->n > MAX_LIST)
    {
      tp_wire_set_error (wire, wire->pos, error, "attribute '%s' has more than "
                         "%d values", attr->name, MAX_LIST);
      return FALSE;
    }
  tp_array_append_val (self->node->attrs, *attr);
  return TRUE;
}

static TpArray *
add_list (Node *node, gsize size)
{
  guint n = node->lists->len;

  tp_array_set_size (node->lists, n + 1); /* owned as soon as it is there */
  return tp_array_index (node->lists, TpArray *, n) = tp_array_new (size);
}

static gboolean
add_attribute (Node *node, TpWire wire, GError **error)
{
  Attribute self = {
    .node = node,
    .attr = { .name = "", .s = "" },
    .argument = "",
    .ints = add_list (node, sizeof (gint64)),
    .floats = add_list (node, sizeof (double)),
    .texts = add_list (node, sizeof (char *)),
  };

  return tp_wire_read (wire, read_attribute, &self, error)
         && finish_attribute (&self, &wire, error);
}

/* ---- nodes ------------------------------------------------------------- */

static gboolean
read_name (const TpWire *wire, const TpWireField *field, Node *node,
           TpArray *names, GError **error)
{
  const char *name, *mapped;

  if (!tp_wire_get_string (wire, field, node->onnx->strings, &name, error))
    return FALSE;
  node->last_name = name;
  mapped = tp_onnx_map_name (node->onnx, name);
  tp_array_append_val (names, mapped);
  if (names->len <= MAX_NAMES)
    return TRUE;
  tp_wire_set_error (wire, wire->pos, error, "more than %d inputs or outputs",
                     MAX_NAMES);
  return FALSE;
}

static gboolean
read_frame (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Node *node = user;
  TpRegion *strings = node->onnx->strings;

  switch (field->number)
    {
    case NODE_INPUT:
      return read_name (wire, field, node, node->inputs, error);
    case NODE_OUTPUT:
      return read_name (wire, field, node, node->outputs, error);
    case NODE_NAME:
      return tp_wire_get_string (wire, field, strings, &node->name, error);
    case NODE_OP_TYPE:
      return tp_wire_get_string (wire, field, strings, &node->type, error);
    case NODE_DOMAIN:
      return tp_wire_get_string (wire, field, strings, &node->domain, error);
    default:
      return TRUE;
    }
}

static gboolean
read_attributes (const TpWire *wire, const TpWireField *field, gpointer user,
                 GError **error)
{
  Node *node = user;
  TpWirePath path = { wire->path, "attribute", node->n_attributes };

  if (field->number != NODE_ATTRIBUTE)
    return TRUE;
  node->n_attributes++;
  return tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
         && add_attribute (node, tp_wire_enter (wire, field, &path), error);
}

/* Trailing names left out are as good as absent. */
static void
trim (TpArray *names)
{
  while (names->len > 0
         && *tp_array_index (names, const char *, names->len - 1) == '\0')
    tp_array_set_size (names, names->len - 1);
}

/* Ops of other domains that are known by their bare names: exporters wrote
 * them there before ONNX had them, had them of 16 bits, or here as well. */
static const char *const adopted[][2] = {
  { "com.microsoft", "DequantizeLinear" },
  { "com.microsoft", "FastGelu" },
  { "com.microsoft", "Gelu" },
  { "com.microsoft", "QuantizeLinear" },
  { "com.microsoft", "SimplifiedLayerNormalization" },
};

static gboolean
is_ours (const char *domain, const char *type)
{
  if (tp_onnx_domain_is_own (domain))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (adopted); i++)
    if (strcmp (domain, adopted[i][0]) == 0
        && strcmp (type, adopted[i][1]) == 0)
      return TRUE;
  return FALSE;
}

/* Attributes that the call leaves out and the function has a value for. */
static gboolean
read_default (const TpWire *wire, const TpWireField *field, gpointer user,
              GError **error)
{
  Node *node = user;
  TpWirePath path = { wire->path, "attribute_proto", node->n_attributes };
  guint n = node->attrs->len;
  const TpAttr *attrs = NULL;

  if (field->number != TP_ONNX_FUNCTION_DEFAULT)
    return TRUE;
  node->n_attributes++;
  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
      || !add_attribute (node, tp_wire_enter (wire, field, &path), error))
    return FALSE;
  attrs = (const TpAttr *) (void *) node->attrs->data;
  for (guint i = 0; i < n && n < node->attrs->len; i++)
    if (strcmp (attrs[i].name, attrs[n].name) == 0)
      tp_array_set_size (node->attrs, n);
  return TRUE;
}

static gboolean
call_function (Node *node, const TpOnnxFunction *function, const TpWire *wire,
               GError **error)
{
  TpOnnxArguments arguments = { node->inputs, node->outputs, node->attrs };

  if (!tp_wire_read (*wire, read_attributes, node, error))
    return FALSE;
  node->n_attributes = 0;
  return tp_wire_read (tp_onnx_function_get_wire (function), read_default,
                       node, error)
         && tp_onnx_call_function (node->onnx, function, wire, &arguments,
                                   error);
}

/* The value of the Constant @node, or NULL: it is no tensor. */
static const TpTensor *
find_value (const TpGraphBuilder *builder, const TpNode *node)
{
  if (node->n_attrs != 1 || node->attrs[0].kind != TP_ATTR_TENSOR)
    return NULL;
  return tp_draft_tensor (builder->draft,
                          tp_array_index (builder->constants, int,
                                         node->attrs[0].i));
}

static gboolean
add_constant (Node *node, const TpWire *wire, const TpNode *out,
              const char *name, GError **error)
{
  TpOnnx *onnx = node->onnx;
  const TpTensor *value = find_value (onnx->builder, out);
  const char *same = value != NULL ? tp_onnx_share_value (onnx, value, name)
                                   : NULL;
  TpNode copy = { .type = "Identity", .place = out->place, .name = out->name };
  TpNodeNames names = { same != NULL ? 1 : 0, &same, 1, &name };
  const TpNarrow *narrow
      = value != NULL ? tp_map_lookup (onnx->narrow, value->name) : NULL;

  if (narrow != NULL)
    tp_onnx_set_narrow (onnx, name, narrow);
  if (!tp_graph_builder_add_node (onnx->builder, same != NULL ? &copy : out,
                                  names, error))
    return FALSE;
  if (!node->has_reference && same == NULL)
    tp_onnx_share_constant (onnx, wire, node->last_name);
  return TRUE;
}


static gboolean
put_op (Node *node, const TpWire *wire, const TpNode *op, GError **error)
{
  TpOnnx *onnx = node->onnx;
  TpNodeNames names
      = { node->inputs->len, (const char *const *) node->inputs->data,
          node->outputs->len, (const char *const *) node->outputs->data };

  if (tp_onnx_is_flex (op->type))
    return tp_onnx_add_flex (onnx, wire, op, names, error);
  if (tp_control_has_body (op->type))
    return tp_onnx_add_loop (onnx, wire, op, names, error);
  if (strcmp (op->type, "Constant") != 0 || names.n_inputs != 0
      || names.n_outputs != 1)
    return tp_graph_builder_add_node (onnx->builder, op, names, error);
  return add_constant (node, wire, op, names.outputs[0], error);
}

static gboolean
add_op (Node *node, const char *type, const TpWire *wire, GError **error)
{
  TpOnnx *onnx = node->onnx;
  g_autofree char *place = tp_wire_path_to_string (wire->path);
  TpNode out = { .place = place };
  TpOnnxNarrowNode narrow = { onnx, type, node->inputs, node->outputs, node->attrs };

  if (!tp_onnx_check_narrow (&narrow, wire, error))
    return FALSE;
  /* Names of nodes need not be unique in ONNX, so some are dropped. */
  if (*node->name != '\0'
      && !tp_graph_builder_has_node (onnx->builder, node->name))
    out.name = node->name;
  /* Attributes of an unknown op could only hide that it is unknown. */
  node->has_graphs = tp_control_find (type) != NULL || tp_onnx_is_flex (type);
  if ((tp_op_find (type) != NULL || strcmp (type, "Constant") == 0
       || tp_function_is_known (type) || node->has_graphs
       || onnx->options->keep_unknown_attrs)
      && !tp_wire_read (*wire, read_attributes, node, error))
    return FALSE;
  if (!tp_onnx_spell_narrow (&narrow, wire, error))
    return FALSE;
  out.type = narrow.type;
  out.n_attrs = node->attrs->len;
  out.attrs = (const TpAttr *) (void *) node->attrs->data;
  tp_onnx_note_narrow (&narrow, &out);
  return put_op (node, wire, &out, error);
}

/* An op we have is ours even where the model brings a body for it. */
static gboolean
add_node (Node *node, const TpWire *wire, GError **error)
{
  const TpOnnxFunction *function =
      tp_onnx_find_function (node->onnx, node->domain, node->type);
  g_autofree char *type = is_ours (node->domain, node->type)
                              ? g_strdup (node->type)
                              : g_strconcat (node->domain, ".", node->type,
                                             NULL);

  if (strcmp (type, "If") == 0)
    return tp_onnx_add_if (node->onnx, wire, node->name,
                           &(TpOnnxArguments){ node->inputs, node->outputs,
                                               NULL }, error);
  if (function != NULL && tp_op_find (type) == NULL)
    return call_function (node, function, wire, error);
  return add_op (node, type, wire, error);
}

gboolean
tp_onnx_add_node (TpOnnx *onnx, TpWire wire, GError **error)
{
  g_auto (Node) node = {
    .onnx = onnx, .name = "", .type = "", .domain = "",
    .inputs = tp_array_new (sizeof (char *)),
    .outputs = tp_array_new (sizeof (char *)),
    .attrs = tp_array_new (sizeof (TpAttr)),
    .lists = tp_array_new (sizeof (TpArray *)),
  };

  tp_region_clear (onnx->strings);
  if (!tp_wire_read (wire, read_frame, &node, error))
    return FALSE;
  trim (node.inputs);
  trim (node.outputs);
  return add_node (&node, &wire, error);
}
