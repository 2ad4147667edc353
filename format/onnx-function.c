/* onnx-function.c: functions of a model (FunctionProto), which are inlined
 * where they are called.
 *
 * The nodes of the body are read again for each call, under other names: what
 * the call names stays, all else gets a name of its own. */
#include "config.h"

#include "format/onnx-function.h"

#include "format/onnx-node.h"
#include "format/onnx-opset.h"
#include "format/onnx-scope.h"
#include "format/onnx.h"
#include "graph/graph-builder-private.h"
#include "ir/array.h"
#include "ir/name-hash.h"

#include <string.h>

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

/* ---- calling ------------------------------------------------------------- */

static const char *
get_name (const TpArray *names, guint i)
{
  return tp_array_index (names, const char *, i);
}

static gboolean
check_call (const TpOnnx *onnx, const TpOnnxFunction *function,
            const TpWire *wire, GError **error)
{
  for (const TpOnnxCall *call = onnx->call; call != NULL; call = call->parent)
    if (call->function == function)
      {
        tp_wire_set_error (wire, wire->pos, error, "function '%s' calls itself",
                           function->name);
        return FALSE;
      }
  if (!tp_onnx_check_calls (onnx, wire, error))
    return FALSE;
  if (function->opset != 0
      && function->opset != onnx->builder->draft->opset)
    {
      tp_wire_set_unsupported (wire, error, "function '%s' is for opset %"
                               G_GINT64_FORMAT ", the model for %d: convert one",
                               function->name, function->opset,
                               onnx->builder->draft->opset);
      return FALSE;
    }
  return TRUE;
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
  return tp_onnx_take_constant (walk->onnx, &node)
         || tp_onnx_add_node (walk->onnx, node, error);
}

static gboolean
read_body (TpOnnx *onnx, gpointer user, GError **error)
{
  const TpOnnxFunction *function = user;
  Walk walk = { onnx, 0 };

  return tp_wire_read (function->wire, add_body_node, &walk, error);
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
  TpOnnxCall call = { function, onnx->call,
                      onnx->call != NULL ? onnx->call->depth + 1 : 1, prefix,
                      names, arguments->attrs, function->outputs };

  return check_call (onnx, function, wire, error)
         && bind_names (&call, wire, arguments->inputs, arguments->outputs,
                        error)
         && tp_onnx_in_call (onnx, &call, read_body, (gpointer) function,
                             error);
}
