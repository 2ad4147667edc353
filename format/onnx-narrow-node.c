/* onnx-narrow-node.c: see onnx-narrow-node.h. */
#include "config.h"

#include "format/onnx-narrow-node.h"

#include "format/onnx-tensor.h"
#include "graph/function-narrow.h"
#include "ir/guard.h"

#include <string.h>

/* NULL: input @i is of one of our types. */
static const TpNarrow *
find_narrow (const TpOnnxNarrowNode *self, guint i)
{
  return i < self->inputs->len
             ? tp_map_lookup (self->onnx->narrow,
                              tp_array_index (self->inputs, const char *, i))
             : NULL;
}

gboolean
tp_onnx_check_narrow (const TpOnnxNarrowNode *self, const TpWire *wire,
                      GError **error)
{
  for (guint i = 0; i < self->inputs->len; i++)
    {
      const TpNarrow *narrow = find_narrow (self, i);

      if (narrow == NULL || tp_function_takes_narrow (self->type, (int) i))
        continue;
      tp_wire_set_unsupported (wire, error, "op type '%s' reads '%s', which is "
                               "%s: only what makes reals of it, or moves it, may: "
                               "convert the model", self->type,
                               tp_array_index (self->inputs, const char *, i),
                               tp_onnx_get_type_name (narrow->onnx));
      return FALSE;
    }
  return TRUE;
}

/* NULL: it is not given. */
static TpAttr *
find_attr (const TpOnnxNarrowNode *self, const char *name)
{
  for (guint i = 0; i < self->attrs->len; i++)
    if (strcmp (tp_array_index (self->attrs, TpAttr, i).name, name) == 0)
      return &tp_array_index (self->attrs, TpAttr, i);
  return NULL;
}

gboolean
tp_onnx_spell_narrow (TpOnnxNarrowNode *self, const TpWire *wire, GError **error)
{
  const TpNarrowUser *user = tp_function_find_user (self->type);
  const TpNarrow *narrow = user == NULL || user->input < 0
                               ? NULL
                               : find_narrow (self, (guint) user->input);
  TpAttr *given, said = { .kind = TP_ATTR_INT };

  if (narrow == NULL)
    return TRUE;
  given = find_attr (self, user->attr);
  if (given != NULL && given->i != 0 && given->i != narrow->onnx)
    {
      tp_wire_set_error (wire, wire->pos, error, "%s is %s, input %d is %s",
                         user->attr, tp_onnx_get_type_name (given->i), user->input,
                         tp_onnx_get_type_name (narrow->onnx));
      return FALSE;
    }
  said.name = user->attr;
  said.i = narrow->onnx;
  if (given == NULL)
    tp_array_append_val (self->attrs, said);
  else
    given->i = narrow->onnx;
  if (strcmp (self->type, user->becomes) != 0)
    tp_array_set_size (self->inputs, (guint) user->input);
  self->type = user->becomes;
  return TRUE;
}

void
tp_onnx_note_narrow (const TpOnnxNarrowNode *self, const TpNode *node)
{
  int n = (int) self->inputs->len;
  g_autofree const TpNarrow **inputs = NULL;

  if (tp_map_size (self->onnx->narrow) == 0
      && tp_function_find_user (node->type) == NULL)
    return;
  inputs = tp_new0 (const TpNarrow *, n + 1);
  for (int i = 0; i < n; i++)
    inputs[i] = find_narrow (self, (guint) i);
  for (guint i = 0; i < self->outputs->len; i++)
    {
      const TpNarrow *narrow = tp_function_find_made (node, n, inputs, (int) i);

      if (narrow != NULL)
        tp_onnx_set_narrow (self->onnx, tp_array_index (self->outputs, const char *, i),
                            narrow);
    }
}
