/* function-body.c: see function-body.h. */
#include "config.h"

#include "graph/function-body.h"

#include "graph/graph-node.h"

#define MAX_INPUTS 6

static const char *
get_name (int n, const char *const *names, int i)
{
  return i < n && names[i] != NULL && *names[i] != '\0' ? names[i] : NULL;
}

const char *
tp_body_get_input (const TpBody *self, int i)
{
  return get_name (self->ends.n_inputs, self->ends.inputs, i);
}

const char *
tp_body_get_output (const TpBody *self, int i)
{
  return get_name (self->ends.n_outputs, self->ends.outputs, i);
}

const TpTensor *
tp_body_find_constant (const TpBody *self, const char *name)
{
  int index = name == NULL ? -1 : tp_builder_find_tensor (self->builder, name);
  const TpTensor *tensor
      = index < 0 ? NULL : tp_draft_tensor (self->builder->draft, index);

  return tensor != NULL && tensor->rank != TP_RANK_UNKNOWN ? tensor : NULL;
}

void
tp_body_refuse (TpBody *self, const char *format, ...)
{
  g_autofree char *prefix = NULL;
  g_autofree char *what = NULL;
  va_list args;

  if (self->has_failed)
    return;
  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  prefix = tp_draft_dup_prefix (self->builder->draft, self->node->place);
  g_set_error (self->error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED, "%s%s: %s",
               prefix, self->node->type, what);
  self->has_failed = TRUE;
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
tp_body_add_node (TpBody *self, const TpNode *node, TpNodeNames names)
{
  TpNode own = *node;

  own.pins = self->node->pins;
  own.colocation = self->node->colocation;
  own.group = self->node->group;
  own.place = self->node->place;
  if (!self->has_failed)
    self->has_failed = !tp_builder_add_plain_node (self->builder, &own, names,
                                                   self->error);
}

const char *
tp_body_add (TpBody *self, const char *type, const TpAttr *attr,
             const char *output, ...)
{
  const char *inputs[MAX_INPUTS];
  TpNode node = { .type = type, .n_attrs = attr != NULL, .attrs = attr };
  int n = 0;
  va_list args;

  if (output == NULL)
    output = tp_body_make_name (self);
  va_start (args, output);
  while ((inputs[n] = va_arg (args, const char *)) != NULL)
    {
      n++;
      g_assert (n < MAX_INPUTS);
    }
  va_end (args);
  tp_body_add_node (self, &node, (TpNodeNames){ n, inputs, 1, &output });
  return output;
}

TpAttr
tp_body_make_int (const char *name, gint64 value)
{
  return (TpAttr){ .name = name, .kind = TP_ATTR_INT, .i = value };
}

TpAttr
tp_body_take_float (const TpBody *self, const char *name, double usual)
{
  return (TpAttr){ .name = name,
                   .kind = TP_ATTR_FLOAT,
                   .f = tp_node_get_float (self->node, name, usual) };
}

const char *
tp_body_add_input (TpBody *self, const char *x, int i)
{
  const char *other = tp_body_get_input (self, i);

  return other == NULL ? x : tp_body_apply (self, "Add", x, other, NULL);
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

const char *
tp_body_add_ints (TpBody *self, int n, const gint64 *values)
{
  TpAttr attr = { .name = "value_ints", .kind = TP_ATTR_INTS, .n = n,
                  .ints = values };

  return tp_body_add (self, "Constant", &attr, NULL, NULL);
}

const char *
tp_body_add_reshape (TpBody *self, const char *x, int n, const gint64 *dims)
{
  return tp_body_add (self, "Reshape", NULL, NULL, x,
                      tp_body_add_ints (self, n, dims), NULL);
}

const char *
tp_body_add_view (TpBody *self, const char *type, const char *x, gint64 axis)
{
  TpAttr axes = { .name = "axes", .kind = TP_ATTR_INTS, .n = 1, .ints = &axis };
  TpAttr value = axes;

  if (self->builder->draft->opset < 13)
    return tp_body_add (self, type, &axes, NULL, x, NULL);
  value.name = "value_ints";
  return tp_body_add (self, type, NULL, NULL, x,
                      tp_body_add (self, "Constant", &value, NULL, NULL), NULL);
}

const char *
tp_body_apply (TpBody *self, const char *type, const char *a, const char *b,
               const char *c)
{
  return tp_body_add (self, type, NULL, NULL, a, b, c, NULL);
}

const char *
tp_body_join (TpBody *self, int n, const char *const *parts)
{
  TpAttr axis = { .name = "axis", .kind = TP_ATTR_INT };
  TpNode node = { .type = "Concat", .n_attrs = 1, .attrs = &axis };
  const char *all = tp_body_make_name (self);

  tp_body_add_node (self, &node, (TpNodeNames){ n, parts, 1, &all });
  return all;
}

const char *
tp_body_slice (TpBody *self, const char *list, const char *from, const char *to)
{
  return tp_body_apply (self, "Slice", list, from, to);
}

const char *
tp_body_add_shape (TpBody *self, const char *x)
{
  return tp_body_apply (self, "Shape", x, NULL, NULL);
}

const char *
tp_body_pick (TpBody *self, const char *shape, gint64 i)
{
  return tp_body_apply (self, "Gather", shape, TP_BODY_INTS (self, i), NULL);
}

const char *
tp_body_multiply_all (TpBody *self, const char *list)
{
  static const TpAttr keepdims = { .name = "keepdims", .kind = TP_ATTR_INT,
                                   .i = 1 };

  return tp_body_add (self, "ReduceProd", &keepdims, NULL, list, NULL);
}

const char *
tp_body_count_to (TpBody *self, const char *n)
{
  return tp_body_apply (self, "Range", tp_body_add_int (self, 0),
                        tp_body_add_view (self, "Squeeze", n, 0),
                        tp_body_add_int (self, 1));
}
