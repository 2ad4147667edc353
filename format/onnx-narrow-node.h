/* onnx-narrow-node.h: nodes that read or make what is narrower than our element types. */
#ifndef TP_FORMAT_ONNX_NARROW_NODE_H
#define TP_FORMAT_ONNX_NARROW_NODE_H

#include "format/onnx-wire.h"
#include "format/onnx.h"

/* What there is of a node so far. */
typedef struct
{
  TpOnnx *onnx;
  const char *type;
  TpArray *inputs;            /* const char* */
  const TpArray *outputs;     /* const char* */
  TpArray *attrs;             /* TpAttr */
} TpOnnxNarrowNode;

/* Whether it may read its inputs. */
gboolean tp_onnx_check_narrow (const TpOnnxNarrowNode *self, const TpWire *wire,
                               GError **error);
/* What an input says of the output becomes an attribute, and maybe another op. */
gboolean tp_onnx_spell_narrow (TpOnnxNarrowNode *self, const TpWire *wire,
                               GError **error);
/* Which of its outputs are narrow; @node: its type and attributes. */
void tp_onnx_note_narrow (const TpOnnxNarrowNode *self, const TpNode *node);

#endif
