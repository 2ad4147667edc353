/* graph-json-op.c: ops of JSON graphs: names, attributes, pins and costs. */
#include "config.h"

#include "format/graph-json-op.h"

#include "format/graph-json-cost.h"
#include "format/graph-json-shape.h"
#include "graph/graph-constant.h"
#include "graph/graph-expand.h"
#include "ir/array.h"
#include "ir/guard.h"

#include <string.h>

/* An op as read; arrays are its own, strings the document's. */
typedef struct
{
  const TpGraphJson *reader;
  const json_t *json;
  gsize index;
  char *path;
  TpNode node;
  const char **inputs, **outputs;
  const char **pins;
  TpArray *attrs;             /* TpAttr */
  GPtrArray *lists;           /* memory of list attributes */
  TpArray *costs;             /* TpNodeCost */
} Op;

static void
op_clear (Op *op)
{
  g_free (op->path);
  g_free (op->inputs);
  g_free (op->outputs);
  g_free (op->pins);
  tp_array_unref (op->attrs);
  g_ptr_array_unref (op->lists);
  tp_array_unref (op->costs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Op, op_clear)

static TpJsonPlace
op_place (const Op *op)
{
  return tp_graph_json_place (op->reader, op->path, op->json);
}

/* ---- attributes -------------------------------------------------------- */

/* Lists are of integers as long as every item is one. */
static gboolean
read_list_attr (Op *op, const json_t *list, TpAttr *attr)
{
  gsize n = json_array_size (list);
  gint64 *ints = tp_new0 (gint64, MAX (n, 1));
  double *floats = tp_new0 (double, MAX (n, 1));
  gboolean is_ints = TRUE;
  json_t *item;
  size_t i;

  g_ptr_array_add (op->lists, ints);
  g_ptr_array_add (op->lists, floats);
  json_array_foreach (list, i, item)
    {
      if (!json_is_number (item))
        return FALSE;
      is_ints &= json_is_integer (item);
      ints[i] = json_integer_value (item);
      floats[i] = json_number_value (item);
    }
  attr->kind = is_ints ? TP_ATTR_INTS : TP_ATTR_FLOATS;
  attr->n = n;
  attr->ints = ints;
  attr->floats = floats;
  return TRUE;
}

static gboolean
read_strings_attr (Op *op, const json_t *list, TpAttr *attr)
{
  gsize n = json_array_size (list);
  const char **strings = tp_new0 (const char *, n);
  json_t *item;
  size_t i;

  g_ptr_array_add (op->lists, strings);
  json_array_foreach (list, i, item)
    if ((strings[i] = json_string_value (item)) == NULL)
      return FALSE;
  attr->kind = TP_ATTR_STRINGS;
  attr->n = n;
  attr->strings = strings;
  return TRUE;
}

static gboolean
read_attr (Op *op, const json_t *value, TpAttr *attr)
{
  if (json_is_string (json_array_get (value, 0)))
    return read_strings_attr (op, value, attr);
  if (json_is_array (value))
    return read_list_attr (op, value, attr);
  if (json_is_integer (value) || json_is_boolean (value))
    {
      attr->kind = TP_ATTR_INT;
      attr->i = json_is_boolean (value) ? json_is_true (value)
                                        : json_integer_value (value);
      return TRUE;
    }
  if (json_is_real (value))
    {
      attr->kind = TP_ATTR_FLOAT;
      attr->f = json_real_value (value);
      return TRUE;
    }
  if (json_is_object (value))
    {
      const char *tensor
          = json_string_value (json_object_get (value, "tensor"));

      attr->kind = TP_ATTR_TENSOR;
      attr->i = tensor == NULL || json_object_size (value) != 1
                    ? -1
                    : tp_graph_builder_find_constant (op->reader->builder,
                                                      tensor);
      return attr->i >= 0;
    }
  attr->kind = TP_ATTR_STRING;
  attr->s = json_string_value (value);
  return attr->s != NULL;
}

static gboolean
read_attrs (Op *op, GError **error)
{
  json_t *attrs = json_object_get (op->json, "attrs"), *value;
  const char *name;

  if (attrs != NULL && !json_is_object (attrs))
    {
      tp_json_set_error (op_place (op), "attrs", error, "must be an object");
      return FALSE;
    }
  json_object_foreach (attrs, name, value)
    {
      TpAttr attr = { .name = name };
      g_autofree char *at = NULL;

      if (read_attr (op, value, &attr))
        {
          tp_array_append_val (op->attrs, attr);
          continue;
        }
      at = g_strconcat ("attrs.", name, NULL);
      tp_json_set_error (op_place (op), at, error, "must be a number, a "
                         "string, a list of numbers or of strings, or "
                         "{\"tensor\": initializer}");
      return FALSE;
    }
  op->node.n_attrs = op->attrs->len;
  op->node.attrs = (const TpAttr *) (void *) op->attrs->data;
  return TRUE;
}

/* ---- pins and costs ---------------------------------------------------- */

static gboolean
read_pins (Op *op, GError **error)
{
  const json_t *device = json_object_get (op->json, "device");

  if (device == NULL)
    return TRUE;
  if (json_is_string (device))
    {
      op->pins = g_new0 (const char *, 2);
      op->pins[0] = json_string_value (device);
    }
  else if (!json_is_array (device))
    {
      tp_json_set_error (op_place (op), "device", error,
                         "must be the name of a device, or a list of names");
      return FALSE;
    }
  else if (!tp_json_get_strings (op_place (op), "device", TRUE, &op->pins,
                                 error))
    return FALSE;
  if (op->pins[0] == NULL)
    {
      tp_json_set_error (op_place (op), "device", error,
                         "an empty list leaves the op no device");
      return FALSE;
    }
  op->node.pins = op->pins;
  return TRUE;
}

static gboolean
read_costs (Op *op, GError **error)
{
  if (!tp_graph_json_read_costs (op_place (op), op->costs, error))
    return FALSE;
  op->node.n_costs = op->costs->len;
  op->node.costs = (const TpNodeCost *) (void *) op->costs->data;
  return TRUE;
}

/* ---- inputs and outputs ------------------------------------------------ */

/* The op after @op that gives @tensor; -1: none does. */
static gssize
find_later_producer (const Op *op, const char *tensor)
{
  const json_t *ops = op->reader->ops;

  for (gsize i = op->index; i < json_array_size (ops); i++)
    {
      json_t *outputs = json_object_get (json_array_get (ops, i), "outputs");
      json_t *item;
      size_t j;

      json_array_foreach (outputs, j, item)
        if (g_strcmp0 (json_string_value (item), tensor) == 0)
          return i;
    }
  return -1;
}

static gboolean
check_inputs (const Op *op, GError **error)
{
  for (int i = 0; op->inputs[i] != NULL; i++)
    {
      g_autofree char *at = NULL;
      gssize later;

      if (*op->inputs[i] == '\0'
          || tp_graph_builder_is_defined (op->reader->builder, op->inputs[i]))
        continue;
      at = g_strdup_printf ("inputs[%d]", i);
      later = find_later_producer (op, op->inputs[i]);
      if (later < 0)
        tp_json_set_error (op_place (op), at, error,
                           "no op, input or initializer gives the tensor "
                           "'%s': define it or correct the name",
                           op->inputs[i]);
      else
        tp_json_set_error (op_place (op), at, error,
                           "tensor '%s' is used before it is defined, by "
                           "ops[%zd]: reorder the ops, or break the cycle",
                           op->inputs[i], later);
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_names (Op *op, GError **error)
{
  if (!tp_json_get_strings (op_place (op), "inputs", FALSE, &op->inputs, error)
      || !tp_json_get_strings (op_place (op), "outputs", TRUE, &op->outputs,
                               error))
    return FALSE;
  return check_inputs (op, error);
}

static gboolean
read_dtypes (const Op *op, TpDtype *dtypes, gsize n, GError **error)
{
  g_autofree const char **names = NULL;

  if (!tp_json_get_strings (op_place (op), "dtypes", FALSE, &names, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    dtypes[i] = TPLAN_DTYPE_FLOAT32;
  if (names[0] == NULL)
    return TRUE;
  for (gsize i = 0; i < n; i++)
    if (names[i] == NULL || !tp_dtype_find (names[i], &dtypes[i]))
      {
        tp_json_set_error (op_place (op), "dtypes", error,
                           "must name the element type of each output");
        return FALSE;
      }
  return TRUE;
}

/* "shapes" and "dtypes": what the outputs are, for ops known by cost only. */
static gboolean
declare_outputs (const Op *op, GError **error)
{
  gsize n = g_strv_length ((char **) op->outputs);
  g_autofree TpDtype *dtypes = tp_new0 (TpDtype, n + 1);
  json_t *shapes;

  if (!tp_json_get_list (op_place (op), "shapes", FALSE, &shapes, error)
      || !read_dtypes (op, dtypes, n, error))
    return FALSE;
  if (shapes == NULL)
    return TRUE;
  if (json_array_size (shapes) != n)
    {
      tp_json_set_error (op_place (op), "shapes", error,
                         "must have a shape for each output");
      return FALSE;
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *path
          = g_strdup_printf ("%s.shapes[%" G_GSIZE_FORMAT "]", op->path, i);
      TpDimSpec dims[TP_MAX_RANK];
      TpTensorSpec output = {
        .name = op->outputs[i], .dtype = dtypes[i], .dims = dims, .place = path
      };

      if (!tp_graph_json_read_shape (
              tp_graph_json_place (op->reader, path,
                                   json_array_get (shapes, i)),
              dims, &output.rank, error)
          || !tp_graph_builder_declare (op->reader->builder, &output, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_node (const Op *op, GError **error)
{
  TpNodeNames names = { g_strv_length ((char **) op->inputs), op->inputs,
                        g_strv_length ((char **) op->outputs), op->outputs };

  return tp_graph_builder_add_node (op->reader->builder, &op->node, names,
                                    error);
}

gboolean
tp_graph_json_add_op (const TpGraphJson *reader, const json_t *json,
                      gsize index, GError **error)
{
  static const char *const keys[]
      = { "name", "type", "inputs", "outputs", "attrs", "device", "cost",
          "shapes", "dtypes", "colocation", NULL };
  g_auto (Op) op = {
    .reader = reader, .json = json, .index = index,
    .path = g_strdup_printf ("ops[%" G_GSIZE_FORMAT "]", index),
    .attrs = tp_array_new (sizeof (TpAttr)),
    .lists = g_ptr_array_new_with_free_func (g_free),
    .costs = tp_array_new (sizeof (TpNodeCost)),
  };
  TpJsonPlace place = op_place (&op);

  op.node.place = op.path;
  return tp_json_check_object (place, keys, error)
         && tp_json_get_string (place, "name", FALSE, &op.node.name, error)
         && tp_json_get_string (place, "type", TRUE, &op.node.type, error)
         && read_names (&op, error) && read_attrs (&op, error)
         && tp_json_get_string (place, "colocation", FALSE,
                                &op.node.colocation, error)
         && read_pins (&op, error) && read_costs (&op, error)
         && declare_outputs (&op, error) && add_node (&op, error);
}
