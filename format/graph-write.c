/* graph-write.c: what the writers of graphs share. */
#include "config.h"

#include "format/graph-write.h"

#include "format/file-save.h"
#include "format/json.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "ir/graph-value.h"
#include "ir/text.h"

#include <string.h>

#define BLOCK_BYTES (64 << 10)

gboolean
tp_graph_is_made_up (const char *tensor, int node, int output)
{
  g_autofree char *name = g_strdup_printf ("#%d.%d", node, output);

  return strcmp (name, tensor) == 0;
}

static void
note_uses (const TpArray *nodes, guint8 *uses)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      const TpNode *node = &tp_array_index (nodes, TpNode, i);

      for (int k = 0; k < node->n_inputs; k++)
        if (node->inputs[k] >= 0)
          uses[node->inputs[k]] |= 1;
      for (int k = 0; k < node->n_attrs; k++)
        if (node->attrs[k].kind == TP_ATTR_TENSOR)
          uses[node->attrs[k].i] |= 2;
    }
}

guint8 *
tp_graph_find_uses (TpGraphBuilder *builder)
{
  TpDraft *draft = builder->draft;
  guint8 *uses = g_new0 (guint8, draft->tensors->len + 1);

  note_uses (draft->nodes, uses);
  for (int body = 1; body <= (int) draft->bodies->len; body++)
    note_uses (tp_draft_body (draft, body)->nodes, uses);
  for (guint i = 0; i < draft->outputs->len; i++)
    uses[g_array_index (draft->outputs, int, i)] |= 1;
  return uses;
}

gboolean
tp_graph_check_stateless (TpGraphBuilder *builder, GError **error)
{
  for (guint i = 0; i < builder->draft->tensors->len; i++)
    if (tp_draft_tensor (builder->draft, i)->state > 0)
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                     "'%s' is state, for which ONNX has no word: convert to "
                     ".json", tp_draft_tensor (builder->draft, i)->name);
        return FALSE;
      }
  return TRUE;
}

gint64
tp_graph_count_weight_bytes (TpGraphBuilder *builder)
{
  g_autofree guint8 *uses = tp_graph_find_uses (builder);
  gint64 bytes = 0;

  for (guint i = 0; i < builder->constants->len; i++)
    {
      int index = g_array_index (builder->constants, int, i);
      const TpTensor *tensor = tp_draft_tensor (builder->draft, index);

      if (uses[index] != 0
          && !tp_size_add (bytes, tensor->size_bytes, &bytes))
        return G_MAXINT64;
    }
  return bytes;
}

gboolean
tp_saver_write_tensor (TpSaver *saver, const TpTensor *tensor, GError **error)
{
  gint64 n = BLOCK_BYTES / tp_dtype_get_size (tensor->dtype);
  g_autofree void *block = NULL;

  if (tensor->init.kind == TP_INIT_DATA && tensor->init.scale == NULL
      && tensor->init.steps == NULL)
    return tp_saver_write (saver, tensor->init.data, tensor->size_bytes,
                           error);
  block = g_malloc (BLOCK_BYTES);
  for (gint64 i = 0; i < tensor->count; i += n)
    {
      gint64 m = MIN (n, tensor->count - i);

      tp_tensor_write_part (tensor, i, m, block);
      if (!tp_saver_write (saver, block,
                           m * tp_dtype_get_size (tensor->dtype), error))
        return FALSE;
    }
  return TRUE;
}

/* ---- .safetensors ------------------------------------------------------ */

const char *
tp_safetensors_get_key (const TpTensor *tensor)
{
  return strcmp (tensor->name, "__metadata__") == 0 ? "__metadata__:"
                                                    : tensor->name;
}

static int
compare_widths (const void *a, const void *b)
{
  const TpTensor *x = *(const TpTensor *const *) a;
  const TpTensor *y = *(const TpTensor *const *) b;
  gsize p = tp_dtype_get_size (x->dtype), q = tp_dtype_get_size (y->dtype);

  if (p != q)
    return p > q ? -1 : 1;
  return (x > y) - (x < y); /* as they were */
}

/* Where it lies follows what came before it. */
static void
append_entry (GString *header, const TpTensor *tensor, gint64 *offset)
{
  tp_json_append_string (header, tp_safetensors_get_key (tensor));
  tp_text_append_printf (header, ":{\"dtype\":\"%s\",\"shape\":[",
                         tp_dtype_get (tensor->dtype)->safetensors);
  for (int i = 0; i < tensor->rank; i++)
    tp_text_append_printf (header, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                           tensor->dims[i]);
  tp_text_append_printf (header, "],\"data_offsets\":[%" G_GINT64_FORMAT ",",
                         *offset);
  *offset += tensor->size_bytes;
  tp_text_append_printf (header, "%" G_GINT64_FORMAT "]}", *offset);
}

/* The header, filled up with blanks so that the values begin at a multiple of
 * 64. */
static GString *
make_header (GPtrArray *tensors)
{
  g_autoptr (GString) header = g_string_new ("12345678{");
  gint64 offset = 0;

  for (guint i = 0; i < tensors->len; i++)
    {
      if (i > 0)
        tp_text_append_c (header, ',');
      append_entry (header, tensors->pdata[i], &offset);
    }
  tp_text_append_c (header, '}');
  while (header->len % 64 != 0)
    tp_text_append_c (header, ' ');
  for (int i = 0; i < 8; i++)
    header->str[i] = (char) ((guint64) (header->len - 8) >> (8 * i));
  return g_steal_pointer (&header);
}

gboolean
tp_safetensors_save (const char *path, GPtrArray *tensors, GError **error)
{
  g_autoptr (TpSaver) saver = tp_saver_new (path, error);
  g_autoptr (GString) header = NULL;

  if (saver == NULL)
    return FALSE;
  g_ptr_array_sort (tensors, compare_widths);
  header = make_header (tensors);
  if (!tp_saver_write (saver, header->str, header->len, error))
    return FALSE;
  for (guint i = 0; i < tensors->len; i++)
    if (!tp_saver_write_tensor (saver, tensors->pdata[i], error))
      return FALSE;
  return tp_saver_finish (saver, error);
}
