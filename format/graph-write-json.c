/* graph-write-json.c: a graph as tplan-graph/1, an entry to a line. */
#include "config.h"

#include "format/graph-write-json.h"

#include "format/graph-write.h"
#include "format/graph-write-costs.h"
#include "format/json.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "ir/graph-value.h"
#include "ir/guard.h"

#include <math.h>
#include <string.h>

#define MAX_INLINE 16         /* elements listed in the document */

typedef struct
{
  TpGraphBuilder *builder;
  GString *text;
  GPtrArray *weights;         /* const TpTensor*: for the second file */
  char *data_name;            /* of that file */
  guint8 *uses;
  const TpBuilderSpec **specs;/* by tensor: what the file says of it, or NULL */
  GError *fault;              /* the first thing that JSON cannot say */
} Writer;

/* ---- values ------------------------------------------------------------ */

static void
add_key (GString *text, const char *key)
{
  tp_json_append_string (text, key);
  g_string_append (text, ": ");
}

/* The fewest digits that read back as @value, of a float where @is_single. */
static void
add_real (GString *text, double value, gboolean is_single)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  for (int n = 6; n <= 17; n++)
    {
      double back;
      g_autofree char *format = g_strdup_printf ("%%.%dg", n);

      g_ascii_formatd (digits, sizeof digits, format, value);
      back = g_ascii_strtod (digits, NULL);
      if (is_single ? (float) back == (float) value : back == value)
        break;
    }
  g_string_append (text, digits);
  if (strpbrk (digits, ".e") == NULL)
    g_string_append (text, ".0");
}

static void
add_int (GString *text, gint64 value)
{
  g_string_append_printf (text, "%" G_GINT64_FORMAT, value);
}

static void
add_shape (GString *text, const TpTensor *tensor)
{
  g_string_append (text, ", \"shape\": [");
  for (int i = 0; i < tensor->rank; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      add_int (text, tensor->dims[i]);
    }
  g_string_append_c (text, ']');
}

static void
add_dims (GString *text, const TpBuilderSpec *spec)
{
  g_string_append_c (text, '[');
  for (int i = 0; i < spec->rank; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if (spec->dims[i].name != NULL)
        tp_json_append_string (text, spec->dims[i].name);
      else
        add_int (text, spec->dims[i].value);
    }
  g_string_append_c (text, ']');
}

/* Begins a list, or an entry of one. */
static void
begin_list (Writer *writer, const char *key)
{
  g_string_append (writer->text, ",\n  ");
  add_key (writer->text, key);
  g_string_append (writer->text, "[");
}

static void
begin_entry (Writer *writer)
{
  const GString *text = writer->text; /* long: its end is known, not sought */
  gboolean is_first = text->str[text->len - 1] == '[';

  g_string_append (writer->text, is_first ? "\n    {" : ",\n    {");
}

/* ---- the frame --------------------------------------------------------- */

static void
add_frame (Writer *writer)
{
  GString *text = writer->text;
  const TpDraft *draft = writer->builder->draft;
  g_autoptr (TpArray) names = tp_dims_sort_names (writer->builder->dims);

  g_string_append (text, "{ \"format\": \"tplan-graph/1\"");
  if (*draft->name != '\0')
    {
      g_string_append (text, ", \"name\": ");
      tp_json_append_string (text, draft->name);
    }
  g_string_append_printf (text, ", \"opset\": %d", draft->opset);
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = tp_array_index (names, const char *, i);

      g_string_append (text, i == 0 ? ",\n  \"dims\": {" : ", ");
      add_key (text, name);
      add_int (text, *tp_dims_find (writer->builder->dims, name));
      g_string_append (text, i + 1 == names->len ? "}" : "");
    }
}

static void
add_inputs (Writer *writer)
{
  TpDraft *draft = writer->builder->draft;

  begin_list (writer, "inputs");
  for (guint i = 0; i < draft->inputs->len; i++)
    {
      int tensor = g_array_index (draft->inputs, int, i);
      const TpBuilderSpec *spec = writer->specs[tensor];

      begin_entry (writer);
      add_key (writer->text, "name");
      tp_json_append_string (writer->text,
                             tp_draft_tensor (draft, tensor)->name);
      g_string_append_printf (writer->text, ", \"dtype\": \"%s\", \"shape\": ",
                              tp_dtype_get_name (spec->dtype));
      add_dims (writer->text, spec);
      g_string_append_c (writer->text, '}');
    }
  g_string_append (writer->text, "]");
}

static void
add_outputs (Writer *writer)
{
  TpDraft *draft = writer->builder->draft;

  begin_list (writer, "outputs");
  for (guint i = 0; i < draft->outputs->len; i++)
    {
      int tensor = g_array_index (draft->outputs, int, i);

      g_string_append (writer->text, i > 0 ? ", " : "");
      tp_json_append_string (writer->text,
                             tp_draft_tensor (draft, tensor)->name);
    }
  g_string_append (writer->text, "]");
}

/* ---- initializers ------------------------------------------------------ */

/* Whether the values can be listed: few, and all of them numbers of JSON. */
static gboolean
is_small (const TpTensor *tensor)
{
  double values[MAX_INLINE];

  if (tensor->count > MAX_INLINE)
    return FALSE;
  tp_tensor_write_doubles (tensor, values);
  for (gint64 i = 0; i < tensor->count; i++)
    if (!isfinite (values[i]))
      return FALSE;
  return TRUE;
}

static void
add_data (GString *text, const TpTensor *tensor)
{
  const TpDtypeRow *row = tp_dtype_get (tensor->dtype);
  gboolean is_real = row->class == TP_CLASS_REAL;
  double reals[MAX_INLINE];
  gint64 memory[MAX_INLINE], integers[MAX_INLINE];

  tp_tensor_write_value (tensor, memory);
  if (is_real)
    row->load_reals (memory, 1, tensor->count, reals);
  else
    row->load_integers (memory, 1, tensor->count, integers);
  g_string_append (text, ", \"data\": [");
  for (gint64 i = 0; i < tensor->count; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if (is_real)
        add_real (text, reals[i], row->size < sizeof (double));
      else
        add_int (text, integers[i]);
    }
  g_string_append_c (text, ']');
}

static void
add_value (Writer *writer, const TpTensor *tensor)
{
  GString *text = writer->text;
  const TpInit *init = &tensor->init;
  gboolean is_plain = init->steps == NULL && init->scale == NULL;

  if (is_plain && init->kind == TP_INIT_RANDOM)
    {
      g_string_append_printf (text, ", \"random\": {\"seed\": %" G_GUINT64_FORMAT
                              ", \"std\": ", init->seed);
      add_real (text, init->value, FALSE);
      g_string_append_c (text, '}');
    }
  else if (is_plain && init->kind == TP_INIT_FILL && isfinite (init->value))
    {
      g_string_append (text, ", \"fill\": ");
      if (tp_dtype_is_integer (tensor->dtype))
        add_int (text, (gint64) init->value);
      else
        add_real (text, init->value, FALSE);
    }
  else if (is_small (tensor))
    add_data (text, tensor);
  else
    {
      g_string_append (text, ", \"file\": ");
      tp_json_append_string (text, writer->data_name);
      g_string_append (text, ", \"key\": ");
      tp_json_append_string (text, tp_safetensors_get_key (tensor));
      g_ptr_array_add (writer->weights, (gpointer) tensor);
    }
}

/* What nothing reads is left out. */
static void
add_initializers (Writer *writer)
{
  TpGraphBuilder *builder = writer->builder;

  begin_list (writer, "initializers");
  for (guint i = 0; i < builder->constants->len; i++)
    {
      int index = g_array_index (builder->constants, int, i);
      const TpTensor *tensor = tp_draft_tensor (builder->draft, index);

      if (writer->uses[index] == 0)
        continue;
      begin_entry (writer);
      add_key (writer->text, "name");
      tp_json_append_string (writer->text, tensor->name);
      g_string_append_printf (writer->text, ", \"dtype\": \"%s\"",
                              tp_dtype_get_name (tensor->dtype));
      add_shape (writer->text, tensor);
      add_value (writer, tensor);
      g_string_append_c (writer->text, '}');
    }
  g_string_append (writer->text, "]");
}

/* ---- states ------------------------------------------------------------ */

/* [tensor]: the next value of it, or -1. */
static int *
find_nexts (const TpDraft *draft)
{
  int *nexts = tp_new (int, draft->tensors->len + 1);

  for (guint i = 0; i < draft->tensors->len; i++)
    nexts[i] = -1;
  for (int i = 0; i < (int) draft->tensors->len; i++)
    {
      int state = tp_array_index (draft->tensors, TpTensor, i).state - 1;

      if (state >= 0 && state != i)
        nexts[state] = i;
    }
  return nexts;
}

static void
add_state (Writer *writer, int index, int next)
{
  TpDraft *draft = writer->builder->draft;
  const TpBuilderSpec *spec = writer->specs[index];

  begin_entry (writer);
  add_key (writer->text, "name");
  tp_json_append_string (writer->text, tp_draft_tensor (draft, index)->name);
  g_string_append_printf (writer->text, ", \"dtype\": \"%s\", \"shape\": ",
                          tp_dtype_get_name (spec->dtype));
  add_dims (writer->text, spec);
  if (next >= 0)
    {
      g_string_append (writer->text, ", \"next\": ");
      tp_json_append_string (writer->text,
                             tp_draft_tensor (draft, next)->name);
    }
  g_string_append_c (writer->text, '}');
}

static void
add_states (Writer *writer)
{
  TpDraft *draft = writer->builder->draft;
  g_autofree int *nexts = find_nexts (draft);
  int n = 0;

  for (int i = 0; i < (int) draft->tensors->len; i++)
    {
      if (tp_draft_tensor (draft, i)->state != 1 + i)
        continue;
      if (n++ == 0)
        begin_list (writer, "state");
      add_state (writer, i, nexts[i]);
    }
  g_string_append (writer->text, n > 0 ? "]" : "");
}

/* ---- ops --------------------------------------------------------------- */

static void
add_names (Writer *writer, const char *key, const TpNode *node, int index,
           gboolean is_output)
{
  GString *text = writer->text;
  int n = is_output ? node->n_outputs : node->n_inputs;
  const int *tensors = is_output ? node->outputs : node->inputs;

  g_string_append (text, ", ");
  add_key (text, key);
  g_string_append_c (text, '[');
  for (int i = 0; i < n; i++)
    {
      const char *name
          = tensors[i] < 0
                ? ""
                : tp_draft_tensor (writer->builder->draft, tensors[i])->name;

      g_string_append (text, i > 0 ? ", " : "");
      if (is_output && tp_graph_is_made_up (name, index, i))
        name = "";
      tp_json_append_string (text, name);
    }
  g_string_append_c (text, ']');
}

static void
add_attr_real (Writer *writer, const TpNode *node, const TpAttr *attr,
               double value)
{
  if (isfinite (value))
    add_real (writer->text, value, TRUE);
  else if (writer->fault == NULL)
    g_set_error (&writer->fault, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "op '%s': attribute '%s' is %g, which JSON cannot say: "
                 "convert to .onnx", node->name, attr->name, value);
}

static void
add_attr (Writer *writer, const TpNode *node, const TpAttr *attr)
{
  GString *text = writer->text;

  switch (attr->kind)
    {
    case TP_ATTR_INT:
      add_int (text, attr->i);
      return;
    case TP_ATTR_FLOAT:
      add_attr_real (writer, node, attr, attr->f);
      return;
    case TP_ATTR_STRING:
      tp_json_append_string (text, attr->s);
      return;
    case TP_ATTR_TENSOR:
      g_string_append (text, "{\"tensor\": ");
      tp_json_append_string (
          text, tp_draft_tensor (writer->builder->draft, attr->i)->name);
      g_string_append_c (text, '}');
      return;
    case TP_ATTR_INTS:
    case TP_ATTR_FLOATS:
    case TP_ATTR_STRINGS:
      g_string_append_c (text, '[');
      for (int i = 0; i < attr->n; i++)
        {
          g_string_append (text, i > 0 ? ", " : "");
          if (attr->kind == TP_ATTR_INTS)
            add_int (text, attr->ints[i]);
          else if (attr->kind == TP_ATTR_STRINGS)
            tp_json_append_string (text, attr->strings[i]);
          else
            add_attr_real (writer, node, attr, attr->floats[i]);
        }
      g_string_append_c (text, ']');
      return;
    }
}

static void
add_attrs (Writer *writer, const TpNode *node)
{
  for (int i = 0; i < node->n_attrs; i++)
    {
      g_string_append (writer->text, i == 0 ? ", \"attrs\": {" : ", ");
      add_key (writer->text, node->attrs[i].name);
      add_attr (writer, node, &node->attrs[i]);
    }
  g_string_append (writer->text, node->n_attrs > 0 ? "}" : "");
}

static void
add_pins_and_costs (GString *text, const TpNode *node)
{
  if (node->colocation != NULL)
    {
      g_string_append (text, ", \"colocation\": ");
      tp_json_append_string (text, node->colocation);
    }
  for (int i = 0; node->pins != NULL && node->pins[i] != NULL; i++)
    {
      g_string_append (text, i == 0 ? ", \"device\": [" : ", ");
      tp_json_append_string (text, node->pins[i]);
    }
  g_string_append (text, node->pins != NULL ? "]" : "");
  if (node->n_costs > 0)
    tp_graph_write_cost (text, node->costs, node->n_costs);
}

/* What the file said of the outputs; all of them or none. */
static void
add_declared (Writer *writer, const TpNode *node)
{
  const TpBuilderSpec **specs = writer->specs;

  if (node->op != NULL || specs[node->outputs[0]] == NULL)
    return;
  for (int i = 0; i < node->n_outputs; i++)
    {
      g_string_append (writer->text, i == 0 ? ", \"shapes\": [" : ", ");
      add_dims (writer->text, specs[node->outputs[i]]);
    }
  for (int i = 0; i < node->n_outputs; i++)
    g_string_append_printf (
        writer->text, "%s\"%s\"", i == 0 ? "], \"dtypes\": [" : ", ",
        tp_dtype_get_name (specs[node->outputs[i]]->dtype));
  g_string_append (writer->text, "]");
}

static void
add_ops (Writer *writer)
{
  TpDraft *draft = writer->builder->draft;

  begin_list (writer, "ops");
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      begin_entry (writer);
      if (node->name != NULL)
        {
          add_key (writer->text, "name");
          tp_json_append_string (writer->text, node->name);
          g_string_append (writer->text, ", ");
        }
      add_key (writer->text, "type");
      tp_json_append_string (writer->text, node->type);
      add_names (writer, "inputs", node, i, FALSE);
      add_names (writer, "outputs", node, i, TRUE);
      add_attrs (writer, node);
      add_pins_and_costs (writer->text, node);
      add_declared (writer, node);
      g_string_append_c (writer->text, '}');
    }
  g_string_append (writer->text, "]");
}

/* ---- the file ---------------------------------------------------------- */

static const TpBuilderSpec **
find_specs (TpGraphBuilder *builder)
{
  const TpBuilderSpec **specs
      = tp_new0 (const TpBuilderSpec *, builder->draft->tensors->len + 1);

  for (guint i = 0; i < builder->specs->len; i++)
    {
      const TpBuilderSpec *spec
          = &g_array_index (builder->specs, TpBuilderSpec, i);

      specs[spec->tensor] = spec;
    }
  return specs;
}

gboolean
tp_graph_write_json (TpGraphBuilder *builder, const char *path,
                     const char *data_path, gboolean *out_has_data,
                     GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) weights = g_ptr_array_new ();
  g_autoptr (GBytes) none = g_bytes_new (NULL, 0);
  g_autofree char *data_name = g_path_get_basename (data_path);
  g_autofree guint8 *uses = tp_graph_find_uses (builder);
  g_autofree const TpBuilderSpec **specs = find_specs (builder);
  Writer writer = { builder, text, weights, data_name, uses, specs, NULL };

  g_assert (builder->draft->branches->len == 0);
  add_frame (&writer);
  add_inputs (&writer);
  add_outputs (&writer);
  add_initializers (&writer);
  add_states (&writer);
  tp_graph_write_groups (text, builder->draft);
  add_ops (&writer);
  tp_graph_write_copies (text, builder->draft);
  g_string_append (text, " }\n");
  if (writer.fault != NULL)
    {
      g_propagate_error (error, writer.fault);
      return FALSE;
    }
  if (out_has_data != NULL)
    *out_has_data = weights->len > 0;
  return (weights->len == 0 || tp_safetensors_save (data_path, weights, error))
         && tp_file_save (path, none, text->str, text->len, error);
}
