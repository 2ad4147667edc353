/* affinity.c: see affinity.h.
 *
 * Runtimes name ops as the model does. ONNX Runtime takes session options: rules of
 * parts of names, the longest of which is meant, so that a whole name always wins.
 * OpenVINO has an "affinity" in the runtime information of each op, TensorFlow a
 * scope for the device in which an op is made: those read a map. */
#include "config.h"

#include "format/affinity.h"

#include "format/json.h"
#include "format/placement.h"
#include "include/tplan.h"
#include "ir/near-name.h"
#include "ir/text.h"

#include <string.h>

#define TP_GIVEN_DEVICE_HOST "cpu" /* as ONNX Runtime calls it */
#define MAX_OPTION_BYTES 8192 /* of the value of an option, in ONNX Runtime */

static GPtrArray *
list_devices (const TpAffinity *it)
{
  return tp_placement_list_devices (it->devices, it->builder->draft->nodes->len);
}

/* ---- ONNX Runtime ------------------------------------------------------- */

/* Appends "gpu:0(conv1,relu1)". */
static gboolean
append_rule (const TpAffinity *it, const char *device, GString *value,
             GError **error)
{
  int n = 0;

  tp_text_append (value, device);
  for (guint i = 0; i < it->builder->draft->nodes->len; i++)
    {
      const char *name = tp_draft_node (it->builder->draft, i)->name;

      if (g_strcmp0 (it->devices[i], device) != 0)
        continue;
      if (strpbrk (name, ",;()= \t") != NULL)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                       "op '%s': rules of onnxruntime cannot name it: "
                       "--placement with -o FILE.onnx tells it otherwise",
                       name);
          return FALSE;
        }
      tp_text_append_c (value, n++ == 0 ? '(' : ',');
      tp_text_append (value, name);
    }
  tp_text_append_c (value, ')');
  return TRUE;
}

static gboolean
write_options (const TpAffinity *it, GString *out, GError **error)
{
  g_autoptr (GPtrArray) devices = list_devices (it);
  g_autoptr (GString) value = g_string_new (NULL);

  for (guint i = 0; i < devices->len; i++)
    {
      if (i > 0)
        tp_text_append_c (value, ';');
      if (!append_rule (it, devices->pdata[i], value, error))
        return FALSE;
    }
  if (value->len > MAX_OPTION_BYTES)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "the names of %u ops take %" G_GSIZE_FORMAT " bytes, of which "
                   "an option of onnxruntime has %d: --placement with -o "
                   "FILE.onnx has no such limit", it->builder->draft->nodes->len,
                   value->len, MAX_OPTION_BYTES);
      return FALSE;
    }
  tp_text_append (out, "{\n  \"session.name_based_layer_assignment\": ");
  tp_json_append_string (out, value->str);
  tp_text_append (out, "\n}\n");
  return TRUE;
}

/* ---- maps --------------------------------------------------------------- */

static void
append_entry (GString *out, const char *key, const char *value,
              const char *indent)
{
  if (out->str[out->len - 1] == '{')
    tp_text_append_printf (out, "\n%s", indent);
  else
    tp_text_append_printf (out, ",\n%s", indent);
  tp_json_append_string (out, key);
  tp_text_append (out, ": ");
  tp_json_append_string (out, value);
}

static void
append_ops (const TpAffinity *it, GString *out, const char *indent)
{
  for (guint i = 0; i < it->builder->draft->nodes->len; i++)
    if (it->devices[i] != NULL)
      append_entry (out, tp_draft_node (it->builder->draft, i)->name, it->devices[i],
                    indent);
}

static gboolean
write_map (const TpAffinity *it, GString *out, G_GNUC_UNUSED GError **error)
{
  tp_text_append_c (out, '{');
  append_ops (it, out, "  ");
  tp_text_append (out, "\n}\n");
  return TRUE;
}

/* An op that makes an output of the model is called like that output there. */
static gboolean
write_hetero (const TpAffinity *it, GString *out, G_GNUC_UNUSED GError **error)
{
  g_autoptr (GPtrArray) devices = list_devices (it);
  TpDraft *draft = it->builder->draft;

  tp_text_append (out, "{\n  \"device\": \"HETERO:");
  for (guint i = 0; i < devices->len; i++)
    {
      if (i > 0)
        tp_text_append_c (out, ',');
      tp_text_append (out, devices->pdata[i]);
    }
  tp_text_append (out, "\",\n  \"affinity\": {");
  append_ops (it, out, "    ");
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int k = 0; it->devices[i] != NULL && k < node->n_outputs; k++)
        {
          const TpTensor *output
              = node->outputs[k] < 0
                    ? NULL
                    : tp_draft_tensor (draft, node->outputs[k]);

          if (output != NULL && output->is_output
              && !tp_graph_builder_has_node (it->builder, output->name))
            append_entry (out, output->name, it->devices[i], "    ");
        }
    }
  tp_text_append (out, "\n  }\n}\n");
  return TRUE;
}

/* ---- all ---------------------------------------------------------------- */

static const TpAffinityKind kinds[] = {
  { "onnxruntime", TP_GIVEN_DEVICE_HOST, "gpu:", write_options },
  { "openvino", "CPU", "GPU.", write_hetero },
  { "tensorflow", "/device:CPU:0", "/device:GPU:", write_map },
};

const char **
tp_affinity_list (void)
{
  const char **names = g_new0 (const char *, G_N_ELEMENTS (kinds) + 1);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    names[i] = kinds[i].name;
  return names;
}

const TpAffinityKind *
tp_affinity_find (const char *name, GError **error)
{
  g_autofree const char **known = tp_affinity_list ();
  g_autofree char *near = NULL, *list = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].name, name) == 0)
      return &kinds[i];
  near = tp_near_name_ask (name, known);
  list = g_strjoinv (", ", (char **) known);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--to: no runtime '%s'%s: there are %s", name, near, list);
  return NULL;
}

gboolean
tp_affinity_write (const TpAffinityKind *kind, const TpAffinity *affinity,
                   GString *out, GError **error)
{
  return kind->write (affinity, out, error);
}
