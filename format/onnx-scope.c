/* onnx-scope.c: see onnx-scope.h. */
#include "config.h"

#include "format/onnx-scope.h"

#include "format/onnx.h"
#include "graph/graph-builder.h"
#include "ir/array.h"

#include <string.h>

#define MAX_DEPTH 32
#define MAX_CALLS 100000
#define LARGE_BYTES 1024      /* of a value; an op more is less than that */

/* ---- bodies -------------------------------------------------------------- */

gboolean
tp_onnx_check_calls (const TpOnnx *onnx, const TpWire *wire, GError **error)
{
  if (onnx->call != NULL && onnx->call->depth >= MAX_DEPTH)
    tp_wire_set_error (wire, wire->pos, error, "functions and branches of If are "
                       "nested deeper than %d", MAX_DEPTH);
  else if (onnx->n_calls >= MAX_CALLS)
    tp_wire_set_error (wire, wire->pos, error, "functions and branches of If are "
                       "called more than %d times", MAX_CALLS);
  else
    return TRUE;
  return FALSE;
}

gboolean
tp_onnx_in_call (TpOnnx *onnx, const TpOnnxCall *call,
                 gboolean (*read) (TpOnnx *onnx, gpointer user, GError **error),
                 gpointer user, GError **error)
{
  g_autoptr (TpRegion) strings = onnx->strings; /* the caller's are still needed */
  const TpOnnxCall *parent = onnx->call;
  gboolean is_done;

  onnx->n_calls++;
  onnx->call = call;
  onnx->strings = tp_region_new (TP_REGION_NO_BUDGET);
  is_done = read (onnx, user, error);
  tp_region_free (onnx->strings);
  onnx->strings = g_steal_pointer (&strings);
  onnx->call = parent;
  return is_done;
}

/* ---- names --------------------------------------------------------------- */

void
tp_onnx_define_name (const TpOnnx *onnx, const TpOnnxCall *call,
                     const char *name, const char *mapped)
{
  g_autoptr (GString) own = g_string_new (mapped);

  if (mapped == NULL)
    {
      g_string_printf (own, "%s:%s", call->prefix, name);
      while (tp_graph_builder_is_defined (onnx->builder, own->str))
        g_string_append_c (own, '_');
    }
  tp_map_insert (call->names, g_strdup (name), g_strdup (own->str));
}

const char *
tp_onnx_map_name (const TpOnnx *onnx, const char *name)
{
  const TpOnnxCall *call = onnx->call;
  const char *mapped = NULL;

  if (*name == '\0')
    return name;
  for (; call != NULL; call = call->parent)
    {
      mapped = tp_map_lookup (call->names, name);
      if (mapped != NULL || call->function != NULL)
        break;
    }
  if (mapped != NULL || call == NULL)
    return mapped != NULL ? mapped : name;
  tp_onnx_define_name (onnx, call, name, NULL);
  return tp_map_lookup (call->names, name);
}

gboolean
tp_onnx_has_arguments (const TpOnnx *onnx)
{
  return onnx->call != NULL && onnx->call->attrs != NULL;
}

const TpAttr *
tp_onnx_find_argument (const TpOnnx *onnx, const char *name)
{
  for (guint i = 0; tp_onnx_has_arguments (onnx) && i < onnx->call->attrs->len;
       i++)
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

/* What a function gives goes by the name that each call has for it. */
void
tp_onnx_share_constant (TpOnnx *onnx, const TpWire *wire, const char *name)
{
  const TpOnnxCall *call = onnx->call;
  const char *shared;
  Constant *constant;

  if (call == NULL)
    return;
  for (guint i = 0; call->outputs != NULL && i < call->outputs->len; i++)
    if (strcmp (tp_array_index (call->outputs, const char *, i), name) == 0)
      return;
  shared = tp_onnx_map_name (onnx, name);
  constant = g_new (Constant, 1);
  *constant = (Constant){ g_strdup (name), g_strdup (shared) };
  tp_map_insert (onnx->constants, (gpointer) wire->pos, constant);
}

const char *
tp_onnx_find_constant (const TpOnnx *onnx, const TpWire *wire)
{
  const Constant *constant = tp_map_lookup (onnx->constants, wire->pos);

  return constant == NULL ? NULL : constant->shared;
}

gboolean
tp_onnx_take_constant (const TpOnnx *onnx, const TpWire *wire)
{
  const Constant *constant = tp_map_lookup (onnx->constants, wire->pos);

  if (constant == NULL
      || tp_map_find (onnx->call->names, constant->name, NULL))
    return FALSE;
  tp_onnx_define_name (onnx, onnx->call, constant->name, constant->shared);
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
