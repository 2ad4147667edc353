/* function-body.c: bodies of ops that are other ops, while they are added. */
#include "config.h"

#include "graph/function-body.h"

#include "graph/graph-builder.h"
#include "graph/graph-node.h"

const char *
tp_body_get_input (const TpBody *self, int i)
{
  return i < self->ends.n_inputs && self->ends.inputs[i] != NULL
                 && *self->ends.inputs[i] != '\0'
             ? self->ends.inputs[i]
             : NULL;
}

const char *
tp_body_make_name (TpBody *self)
{
  g_autoptr (GString) name = g_string_new (NULL);

  g_string_printf (name, "%s:%s:%u", self->ends.outputs[0], self->node->type,
                   self->names->len);
  while (tp_graph_builder_is_defined (self->builder, name->str))
    g_string_append_c (name, '_');
  g_ptr_array_add (self->names, g_strdup (name->str));
  return g_ptr_array_index (self->names, self->names->len - 1);
}

void
tp_body_add_node (TpBody *self, const char *type, const TpAttr *attr,
                  const TpNodeNames *names)
{
  TpNode node = { .type = type,
                  .n_attrs = attr != NULL,
                  .attrs = attr,
                  .pins = self->node->pins,
                  .colocation = self->node->colocation,
                  .place = self->node->place };

  if (!self->has_failed)
    self->has_failed =
        !tp_builder_add_plain_node (self->builder, &node, *names, self->error);
}

const char *
tp_body_add (TpBody *self, const char *type, const TpAttr *attr,
             const char *output, ...)
{
  const char *inputs[6];
  int n = 0;
  va_list args;

  if (output == NULL)
    output = tp_body_make_name (self);
  va_start (args, output);
  while ((inputs[n] = va_arg (args, const char *)) != NULL)
    {
      n++;
      g_assert (n < (int)G_N_ELEMENTS (inputs));
    }
  va_end (args);
  tp_body_add_node (self, type, attr, &(TpNodeNames){ n, inputs, 1, &output });
  return output;
}

const char *
tp_body_add_float (TpBody *self, double value)
{
  TpAttr attr = { .name = "value_float", .kind = TP_ATTR_FLOAT, .f = value };

  return tp_body_add (self, "Constant", &attr, NULL, NULL);
}

const char *
tp_body_add_int (TpBody *self, gint64 value)
{
  TpAttr attr = { .name = "value_int", .kind = TP_ATTR_INT, .i = value };

  return tp_body_add (self, "Constant", &attr, NULL, NULL);
}
