/* graph-constant.c: Constant ops, which become constants as they are read, and
 * constants by name. */
#include "config.h"

#include "graph/graph-constant.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-limit.h"
#include "ir/array.h"
#include "ir/region.h"

#include <string.h>

int
tp_graph_builder_find_constant (TpGraphBuilder *builder, const char *name)
{
  int index = tp_builder_find_tensor (builder, name);

  for (guint i = builder->constants->len; index >= 0 && i-- > 0;)
    if (tp_array_index (builder->constants, int, i) == index)
      return i;
  return -1;
}

static gboolean
add_floats (TpGraphBuilder *builder, const TpNode *node, const char *output,
            GError **error)
{
  const TpAttr *attr = node->attrs;
  gboolean is_list = attr->kind == TP_ATTR_FLOATS;
  gint64 n = is_list ? attr->n : 1;
  TpTensor constant = { .name = output,
                        .dtype = TPLAN_DTYPE_FLOAT32,
                        .rank = is_list,
                        .dims = &n,
                        .init = { .kind = TP_INIT_DATA } };
  float *data = tp_region_alloc (builder->draft->region, n, sizeof (float),
                                 error);

  if (data == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    data[i] = (float) (is_list ? attr->floats[i] : attr->f);
  constant.init.data = data;
  return tp_graph_builder_add_constant (builder, &constant, node->place, error);
}

static gboolean
add_ints (TpGraphBuilder *builder, const TpNode *node, const char *output,
          GError **error)
{
  const TpAttr *attr = node->attrs;
  gboolean is_list = attr->kind == TP_ATTR_INTS;
  gint64 n = is_list ? attr->n : 1;
  TpTensor constant = { .name = output,
                        .dtype = TPLAN_DTYPE_INT64,
                        .rank = is_list,
                        .dims = &n,
                        .init = { .kind = TP_INIT_DATA } };

  constant.init.data
      = tp_region_dup (builder->draft->region, is_list ? attr->ints : &attr->i,
                       n, sizeof (gint64), error);
  return constant.init.data != NULL
         && tp_graph_builder_add_constant (builder, &constant, node->place,
                                           error);
}

static gboolean
add_tensor (TpGraphBuilder *builder, const TpNode *node, const char *output,
            GError **error)
{
  TpTensor tensor = *tp_draft_tensor (
      builder->draft,
      tp_array_index (builder->constants, int, node->attrs->i));

  tensor.name = output;
  return tp_graph_builder_add_constant (builder, &tensor, node->place, error);
}

gboolean
tp_builder_add_constant_node (TpGraphBuilder *builder, const TpNode *node,
                              const char *output, GError **error)
{
  static const struct
  {
    const char *name;
    TpAttrKind kind;
    gboolean (*add) (TpGraphBuilder *builder, const TpNode *node,
                     const char *output, GError **error);
  } forms[] = {
    { "value", TP_ATTR_TENSOR, add_tensor },
    { "value_float", TP_ATTR_FLOAT, add_floats },
    { "value_floats", TP_ATTR_FLOATS, add_floats },
    { "value_int", TP_ATTR_INT, add_ints },
    { "value_ints", TP_ATTR_INTS, add_ints },
  };

  for (gsize i = 0; node->n_attrs == 1 && i < G_N_ELEMENTS (forms); i++)
    if (strcmp (node->attrs[0].name, forms[i].name) == 0
        && node->attrs[0].kind == forms[i].kind)
      return forms[i].add (builder, node, output, error);
  tp_builder_set_error (builder, node->place, error,
                        "a Constant needs exactly one of the attributes value, "
                        "value_float, value_floats, value_int, value_ints");
  return FALSE;
}
