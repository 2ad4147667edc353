/* onnx-put-values.c: ValueInfoProto, written: the graph's inputs, its outputs, and
 * what lies between them. */
#include "config.h"

#include "format/onnx-put-values.h"

#include "format/graph-write.h"
#include "format/onnx-put.h"
#include "graph/graph-draft.h"
#include "ir/dtype.h"

#include <string.h>

enum { GRAPH_INPUT = 11, GRAPH_OUTPUT = 12, GRAPH_VALUE_INFO = 13 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TYPE_ELEM = 1,
       TYPE_SHAPE = 2, SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };

/* Takes @shape. */
static void
put_value (GByteArray *out, int field, const char *name, TpDtype dtype,
           GByteArray *shape)
{
  GByteArray *value = g_byte_array_new (), *type = g_byte_array_new ();
  GByteArray *tensor = g_byte_array_new ();

  tp_onnx_put_int (tensor, TYPE_ELEM, tp_dtype_get (dtype)->onnx);
  tp_onnx_put_message (tensor, TYPE_SHAPE, shape);
  tp_onnx_put_message (type, TYPE_TENSOR, tensor);
  tp_onnx_put_string (value, VALUE_NAME, name);
  tp_onnx_put_message (value, VALUE_TYPE, type);
  tp_onnx_put_message (out, field, value);
}

static void
put_dim (GByteArray *shape, gint64 value, const char *name)
{
  GByteArray *dim = g_byte_array_new ();

  if (name != NULL)
    tp_onnx_put_string (dim, DIM_PARAM, name);
  else
    tp_onnx_put_int (dim, DIM_VALUE, value);
  tp_onnx_put_message (shape, SHAPE_DIM, dim);
}

static gboolean
is_input (const TpDraft *draft, int tensor)
{
  for (guint i = 0; i < draft->inputs->len; i++)
    if (tp_array_index (draft->inputs, int, i) == tensor)
      return TRUE;
  return FALSE;
}

/* Returns whether a dimension has a name. */
static gboolean
put_inputs (GByteArray *out, const TpGraphBuilder *builder)
{
  gboolean is_symbolic = FALSE;

  for (guint i = 0; i < builder->specs->len; i++)
    {
      const TpBuilderSpec *spec
          = &tp_array_index (builder->specs, TpBuilderSpec, i);
      GByteArray *shape;

      if (!is_input (builder->draft, spec->tensor))
        continue;
      shape = g_byte_array_new ();
      for (int k = 0; k < spec->rank; k++)
        {
          put_dim (shape, spec->dims[k].value, spec->dims[k].name);
          is_symbolic |= spec->dims[k].name != NULL;
        }
      put_value (out, GRAPH_INPUT,
                 tp_draft_tensor (builder->draft, spec->tensor)->name,
                 spec->dtype, shape);
    }
  return is_symbolic;
}

/* Of what the graph makes; the name alone, where no more is known. */
static void
put_made (GByteArray *out, int field, const char *name, const TpTensor *type,
          gboolean is_symbolic)
{
  GByteArray *shape, *value;

  if (type == NULL || type->rank < 0)
    {
      value = g_byte_array_new ();
      tp_onnx_put_string (value, VALUE_NAME, name);
      tp_onnx_put_message (out, field, value);
      return;
    }
  shape = g_byte_array_new ();
  for (int k = 0; k < type->rank; k++)
    if (is_symbolic)
      tp_onnx_put_message (shape, SHAPE_DIM, g_byte_array_new ());
    else
      put_dim (shape, type->dims[k], NULL);
  put_value (out, field, name, type->dtype, shape);
}

static void
put_outputs (GByteArray *out, TpDraft *draft, const TpGraph *types,
             gboolean is_symbolic)
{
  for (guint i = 0; i < draft->outputs->len; i++)
    {
      int index = tp_array_index (draft->outputs, int, i);

      put_made (out, GRAPH_OUTPUT, tp_draft_tensor (draft, index)->name,
                types == NULL ? NULL : &types->tensors[types->outputs[i]],
                is_symbolic);
    }
}

/* What lies between inputs and outputs: whoever draws the model, or runs it part by
 * part, need not infer it. */
static void
put_between (GByteArray *out, TpDraft *draft, const TpGraph *types)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int k = 0; k < node->n_outputs; k++)
        {
          int index = node->outputs[k];
          const char *name = tp_draft_tensor (draft, index)->name;
          const TpTensor *type
              = index < types->n_tensors ? &types->tensors[index] : NULL;

          if (type != NULL && type->rank >= 0 && !type->is_output
              && strcmp (type->name, name) == 0
              && !tp_graph_is_made_up (name, (int) i, k))
            put_made (out, GRAPH_VALUE_INFO, name, type, FALSE);
        }
    }
}

void
tp_onnx_put_values (GByteArray *out, const TpGraphBuilder *builder,
                    const TpGraph *types)
{
  gboolean is_symbolic = put_inputs (out, builder);

  put_outputs (out, builder->draft, types, is_symbolic);
  if (types != NULL && !is_symbolic)
    put_between (out, builder->draft, types);
}
