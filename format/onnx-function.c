/* onnx-function.c: functions of a model (FunctionProto), which are inlined
 * where they are called.
 *
 * The nodes of the body are read again for each call, under other names: what
 * the call names stays, all else gets a name of its own. */
#include "config.h"

#include "format/onnx-function.h"

#include "format/onnx-node.h"
#include "format/onnx-opset.h"
#include "format/onnx.h"
#include "graph/graph-builder-private.h"
#include "ir/array.h"
#include "ir/name-hash.h"

#include <string.h>

#define MAX_DEPTH 32
#define MAX_CALLS 100000
#define LARGE_BYTES 1024      /* of a value; an op more is less than that */

enum
{
  FUNCTION_NAME = 1,
  FUNCTION_INPUT = 4,
  FUNCTION_OUTPUT = 5,
  FUNCTION_NODE = 7,
  FUNCTION_OPSET_IMPORT = 9,
  FUNCTION_DOMAIN = 10,
};

struct TpOnnxFunction
{
  const char *name, *domain;
  TpArray *inputs, *outputs;  /* const char* */
  TpRegion *strings;          /* (unowned) */
  TpWire wire;
  TpWirePath path;
  gint64 opset;               /* of ONNX's own ops; 0: not said */
};

struct TpOnnxCall
{
  const TpOnnxFunction *function;
  const TpOnnxCall *parent;   /* NULL: called by the graph */
  int depth;
  const char *prefix;         /* of names made up */
  TpMap *names;               /* char* -> char*: in the body, in the graph */
  const TpArray *attrs;       /* TpAttr of the call */
};

/* ---- reading ------------------------------------------------------------- */

static gboolean
add_opset (TpOnnxFunction *function, const TpWire *wire,
           const TpWireField *field, GError **error)
{
  TpWirePath path = { wire->path, "opset_import", -1 };
  TpOnnxOpset opset = { .strings = function->strings };

  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
      || !tp_onnx_opset_read (&opset, tp_wire_enter (wire, field, &path),
                              error))
    return FALSE;
  if (tp_onnx_domain_is_own (opset.domain))
    function->opset = opset.version;
  return TRUE;
}

static gboolean
add_name (const TpWire *wire, const TpWireField *field,
          TpOnnxFunction *function, TpArray *names, GError **error)
{
  const char *name;

  if (!tp_wire_get_string (wire, field, function->strings, &name, error))
    return FALSE;
  tp_array_append_val (names, name);
  return TRUE;
}

static gboolean
read_function (const TpWire *wire, const TpWireField *field, gpointer user,
               GError **error)
{
  TpOnnxFunction *function = user;

  switch (field->number)
    {
    case FUNCTION_NAME:
      return tp_wire_get_string (wire, field, function->strings,
                                 &function->name, error);
    case FUNCTION_DOMAIN:
      return tp_wire_get_string (wire, field, function->strings,
                                 &function->domain, error);
    case FUNCTION_INPUT:
      return add_name (wire, field, function, function->inputs, error);
    case FUNCTION_OUTPUT:
      return add_name (wire, field, function, function->outputs, error);
    case FUNCTION_OPSET_IMPORT:
      return add_opset (function, wire, field, error);
    default:
      return TRUE;
    }
}

static void
function_free (TpOnnxFunction *function)
{
  tp_array_unref (function->inputs);
  tp_array_unref (function->outputs);
  g_free (function);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpOnnxFunction, function_free)

TpMap *
tp_onnx_functions_new (void)
{
  return tp_map_new (tp_name_hash, g_str_equal, g_free,
                     (GDestroyNotify) function_free);
}

static gboolean
check_unique (TpOnnx *onnx, const TpOnnxFunction *function, GError **error)
{
  g_autofree char *key = g_strconcat (function->domain, ".", function->name,
                                      NULL);

  if (!tp_map_find (onnx->functions, key, NULL))
    return TRUE;
  tp_wire_set_error (&function->wire, function->wire.pos, error,
                     "a second function '%s'", function->name);
  return FALSE;
}

gboolean
tp_onnx_add_function (TpOnnx *onnx, const TpWire *wire,
                      const TpWireField *field, GError **error)
{
  g_autoptr (TpOnnxFunction) function = g_new0 (TpOnnxFunction, 1);
  g_autofree char *key = NULL;

  function->name = function->domain = "";
  function->inputs = tp_array_new (sizeof (char *));
  function->outputs = tp_array_new (sizeof (char *));
  function->strings = onnx->kept;
  function->path = (TpWirePath){ NULL, "functions",
                                 (int) tp_map_size (onnx->functions) };
  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error))
    return FALSE;
  function->wire = tp_wire_enter (wire, field, &function->path);
  if (!tp_wire_read (function->wire, read_function, function, error)
      || !check_unique (onnx, function, error))
    return FALSE;
  key = g_strconcat (function->domain, ".", function->name, NULL);
  return tp_map_insert (onnx->functions, g_steal_pointer (&key),
                        g_steal_pointer (&function));
}

const TpOnnxFunction *
tp_onnx_find_function (const TpOnnx *onnx, const char *domain,
                       const char *name)
{
  g_autofree char *key = NULL;

  if (tp_map_size (onnx->functions) == 0)
    return NULL;
  key = g_strconcat (domain, ".", name, NULL);
  return tp_map_lookup (onnx->functions, key);
}

TpWire
tp_onnx_function_get_wire (const TpOnnxFunction *function)
{
  return function->wire;
}

/* ---- in a call ----------------------------------------------------------- */

const char *
tp_onnx_map_name (const TpOnnx *onnx, const char *name)
{
  const TpOnnxCall *call = onnx->call;
  const char *mapped = NULL;
  GString *own = NULL;

  if (call == NULL || *name == '\0')
    return name;
  mapped = tp_map_lookup (call->names, name);
  if (mapped != NULL)
    return mapped;
  own = g_string_new (call->prefix);
  g_string_append_printf (own, ":%s", name);
  while (tp_graph_builder_is_defined (onnx->builder, own->str))
    g_string_append_c (own, '_');
  mapped = own->str;
  tp_map_insert (call->names, g_strdup (name), g_string_free (own, FALSE));
  return mapped;
}

const TpAttr *
tp_onnx_find_argument (const TpOnnx *onnx, const char *name)
{
  for (guint i = 0; onnx->call != NULL && i < onnx->call->attrs->len; i++)
    {
      const TpAttr *attr = &tp_array_index (onnx->call->attrs, TpAttr, i);

      if (strcmp (attr->name, name) == 0)
        return attr;
    }
  return NULL;
}

/* ---- constants of bodies -------------------------------------------------- */

typedef struct
{
  char *name;                 /* in the body */
  char *shared;               /* in the graph */
} Constant;

static void
constant_free (gpointer user)
{
  Constant *constant = user;

  g_free (constant->name);
  g_free (constant->shared);
  g_free (constant);
}

TpMap *
tp_onnx_constants_new (void)
{
  return tp_map_new (g_direct_hash, g_direct_equal, NULL, constant_free);
}

static const char *
get_name (const TpArray *names, guint i)
{
  return tp_array_index (names, const char *, i);
}

/* What a function gives goes by the name that each call has for it. */
void
tp_onnx_share_constant (TpOnnx *onnx, const TpWire *wire, const char *name)
{
  const TpOnnxCall *call = onnx->call;
  const char *shared;
  Constant *constant;

  if (call == NULL)
    return;
  for (guint i = 0; i < call->function->outputs->len; i++)
    if (strcmp (get_name (call->function->outputs, i), name) == 0)
      return;
  shared = tp_onnx_map_name (onnx, name);
  constant = g_new (Constant, 1);
  *constant = (Constant){ g_strdup (name), g_strdup (shared) };
  tp_map_insert (onnx->constants, (gpointer) wire->pos, constant);
}

/* FALSE: the node at @wire is none, or the first to be read, or was read by
 * another name before it came. */
static gboolean
take_constant (const TpOnnx *onnx, const TpWire *wire)
{
  const Constant *constant = tp_map_lookup (onnx->constants, wire->pos);

  if (constant == NULL
      || tp_map_find (onnx->call->names, constant->name, NULL))
    return FALSE;
  tp_map_insert (onnx->call->names, g_strdup (constant->name),
                 g_strdup (constant->shared));
  return TRUE;
}

typedef struct
{
  TpTensor value;
  char *name;                 /* in the graph */
} Value;

static void
value_free (gpointer user)
{
  Value *value = user;

  g_free (value->name);
  g_free (value);
}

TpMap *
tp_onnx_values_new (void)
{
  return tp_map_new (g_direct_hash, g_direct_equal, NULL, value_free);
}

static gboolean
is_same_value (const TpTensor *a, const TpTensor *b)
{
  return a->dtype == b->dtype && a->rank == b->rank
         && memcmp (a->dims, b->dims, sizeof a->dims[0] * a->rank) == 0;
}

const char *
tp_onnx_share_value (TpOnnx *onnx, const TpTensor *value, const char *name)
{
  gpointer place = (gpointer) value->init.data;
  Value *known;

  if (onnx->call == NULL || value->init.kind != TP_INIT_DATA
      || value->size_bytes < LARGE_BYTES)
    return NULL;
  known = tp_map_lookup (onnx->values, place);
  if (known != NULL)
    return is_same_value (&known->value, value) ? known->name : NULL;
  known = g_new (Value, 1);
  *known = (Value){ *value, g_strdup (name) };
  tp_map_insert (onnx->values, place, known);
  return NULL;
}

/* ---- calling ------------------------------------------------------------- */

static gboolean
check_call (const TpOnnx *onnx, const TpOnnxFunction *function,
            const TpWire *wire, GError **error)
{
  const TpOnnxCall *parent = onnx->call;

  for (const TpOnnxCall *call = parent; call != NULL; call = call->parent)
    if (call->function == function)
      {
        tp_wire_set_error (wire, wire->pos, error, "function '%s' calls itself",
                           function->name);
        return FALSE;
      }
  if (parent != NULL && parent->depth >= MAX_DEPTH)
    tp_wire_set_error (wire, wire->pos, error, "functions are nested deeper "
                       "than %d", MAX_DEPTH);
  else if (onnx->n_calls >= MAX_CALLS)
    tp_wire_set_error (wire, wire->pos, error, "functions are called more than "
                       "%d times", MAX_CALLS);
  else if (function->opset != 0
           && function->opset != onnx->builder->draft->opset)
    tp_wire_set_unsupported (wire, error, "function '%s' is for opset %"
                             G_GINT64_FORMAT ", the model for %d: convert one",
                             function->name, function->opset,
                             onnx->builder->draft->opset);
  else
    return TRUE;
  return FALSE;
}

/* Inputs left out stay so; outputs left out get names like all others. */
static gboolean
bind_names (TpOnnxCall *call, const TpWire *wire, const TpArray *inputs,
            const TpArray *outputs, GError **error)
{
  const TpOnnxFunction *function = call->function;

  if (inputs->len > function->inputs->len
      || outputs->len > function->outputs->len)
    {
      tp_wire_set_error (wire, wire->pos, error, "function '%s' takes %u inputs "
                         "and gives %u outputs, called with %u and %u",
                         function->name, function->inputs->len,
                         function->outputs->len, inputs->len, outputs->len);
      return FALSE;
    }
  for (guint i = 0; i < outputs->len; i++)
    if (*get_name (outputs, i) != '\0')
      tp_map_insert (call->names, g_strdup (get_name (function->outputs, i)),
                     g_strdup (get_name (outputs, i)));
  for (guint i = 0; i < function->inputs->len; i++)
    tp_map_insert (call->names, g_strdup (get_name (function->inputs, i)),
                   g_strdup (i < inputs->len ? get_name (inputs, i) : ""));
  return TRUE;
}

typedef struct
{
  TpOnnx *onnx;
  int index;
} Walk;

static gboolean
add_body_node (const TpWire *wire, const TpWireField *field, gpointer user,
               GError **error)
{
  Walk *walk = user;
  TpWirePath path = { wire->path, "node", walk->index };
  TpWire node;

  if (field->number != FUNCTION_NODE)
    return TRUE;
  walk->index++;
  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error))
    return FALSE;
  node = tp_wire_enter (wire, field, &path);
  return take_constant (walk->onnx, &node)
         || tp_onnx_add_node (walk->onnx, node, error);
}

gboolean
tp_onnx_call_function (TpOnnx *onnx, const TpOnnxFunction *function,
                       const TpWire *wire, const TpOnnxArguments *arguments,
                       GError **error)
{
  g_autoptr (TpMap) names
      = tp_map_new (tp_name_hash, g_str_equal, g_free, g_free);
  g_autofree char *prefix = g_strdup_printf ("%s#%d",
                                             function->name, onnx->n_calls);
  g_autoptr (TpRegion) strings = NULL;
  const TpOnnxCall *parent = onnx->call;
  TpOnnxCall call = { function, parent, parent != NULL ? parent->depth + 1 : 1,
                      prefix, names, arguments->attrs };
  Walk walk = { onnx, 0 };
  gboolean is_done;

  if (!check_call (onnx, function, wire, error)
      || !bind_names (&call, wire, arguments->inputs, arguments->outputs,
                      error))
    return FALSE;
  onnx->n_calls++;
  onnx->call = &call;
  strings = onnx->strings; /* the caller's are still needed */
  onnx->strings = tp_region_new (TP_REGION_NO_BUDGET);
  is_done = tp_wire_read (function->wire, add_body_node, &walk, error);
  tp_region_free (onnx->strings);
  onnx->strings = g_steal_pointer (&strings);
  onnx->call = parent;
  return is_done;
}
