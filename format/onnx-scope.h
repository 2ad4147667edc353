/* onnx-scope.h: what names mean in bodies: of functions, and of the branches of an
 * If. */
#ifndef TP_FORMAT_ONNX_SCOPE_H
#define TP_FORMAT_ONNX_SCOPE_H

#include "format/onnx-wire.h"
#include "format/onnx.h"
#include "ir/graph.h"

/* A body being read. */
struct TpOnnxCall
{
  const TpOnnxFunction *function; /* NULL: a branch, which knows all names around */
  const TpOnnxCall *parent;   /* NULL: the graph */
  int depth;
  const char *prefix;         /* of names made up */
  TpMap *names;               /* char* -> char*: in the body, in the graph */
  const TpArray *attrs;       /* (nullable) TpAttr of the call */
  const TpArray *outputs;     /* (nullable) const char*: of the function */
};

/* Whether there may be another body in the one that is being read. @wire: what
 * asks for it. */
gboolean tp_onnx_check_calls (const TpOnnx *onnx, const TpWire *wire,
                              GError **error);
/* Calls @read in the body of @call, with strings of its own. */
gboolean tp_onnx_in_call (TpOnnx *onnx, const TpOnnxCall *call,
                          gboolean (*read) (TpOnnx *onnx, gpointer user,
                                            GError **error),
                          gpointer user, GError **error);

/* What @name in a body is called in the graph; in the graph itself @name. */
const char *tp_onnx_map_name (const TpOnnx *onnx, const char *name);
/* From now on @name is @mapped in @call, or a new name if that is NULL. */
void tp_onnx_define_name (const TpOnnx *onnx, const TpOnnxCall *call,
                          const char *name, const char *mapped);
/* In a function: the attribute @name of the call, or NULL. */
gboolean tp_onnx_has_arguments (const TpOnnx *onnx);
const TpAttr *tp_onnx_find_argument (const TpOnnx *onnx, const char *name);

/* Constants of bodies, by where they stand in the file. */
TpMap *tp_onnx_constants_new (void);
/* What the node or tensor at @wire, called @name in its body, gives is the same in
 * every call: those to come take that of this one. */
void tp_onnx_share_constant (TpOnnx *onnx, const TpWire *wire,
                             const char *name);
/* What it is called in the graph; NULL: it is none, or the first to be read. */
const char *tp_onnx_find_constant (const TpOnnx *onnx, const TpWire *wire);
/* The same, which its body knows from now on. FALSE: NULL, or it was read by another
 * name before it came. */
gboolean tp_onnx_take_constant (const TpOnnx *onnx, const TpWire *wire);

/* Large values of constants in bodies, by where they lie. */
TpMap *tp_onnx_values_new (void);
/* What constant in the graph has the values of @value already; NULL: @name, which
 * is noted, or @value is small, or no body is being read. So a value of one place
 * in the file is one constant, however many calls each give it a name. */
const char *tp_onnx_share_value (TpOnnx *onnx, const TpTensor *value,
                                 const char *name);

#endif
