/* graph-bind.c: inputs and dimensions whose values are known while a graph is
 * loaded. */
#include "config.h"

#include "graph/graph-bind.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-draft.h"
#include "graph/graph-finish.h"
#include "graph/graph-limit.h"
#include "ir/array.h"
#include "ir/region.h"

/* Where an input of the file is in the list of the draft; -1: it is none. */
static int
find_input (TpGraphBuilder *builder, const char *name)
{
  const TpArray *inputs = builder->draft->inputs;
  int index = tp_builder_find_tensor (builder, name);

  for (guint i = 0; i < inputs->len; i++)
    if (tp_array_index (inputs, int, i) == index)
      return i;
  return -1;
}

/* What the file says of @tensor; every input has one. */
static guint
find_spec (TpGraphBuilder *builder, int tensor)
{
  guint i = 0;

  while (tp_array_index (builder->specs, TpBuilderSpec, i).tensor != tensor)
    i++;
  return i;
}

static gboolean
check_value (TpGraphBuilder *builder, const TpBuilderSpec *spec,
             const TpInputValue *value, GError **error)
{
  const char *name = tp_draft_tensor (builder->draft, spec->tensor)->name;

  if (value->dtype != spec->dtype)
    tp_builder_set_error (builder, spec->place, error,
                          "input '%s' is of %s, the value bound to it of %s",
                          name, tp_dtype_get_name (spec->dtype),
                          tp_dtype_get_name (value->dtype));
  else if (value->rank != spec->rank)
    tp_builder_set_error (builder, spec->place, error,
                          "input '%s' has %d dimensions, the value bound to it "
                          "%d", name, spec->rank, value->rank);
  else
    return TRUE;
  return FALSE;
}

/* A dimension without a number gets that of the value. */
static gboolean
match_dims (TpGraphBuilder *builder, const TpBuilderSpec *spec,
            const TpInputValue *value, TpDims *dims, GError **error)
{
  for (int i = 0; i < spec->rank; i++)
    {
      const TpDimSpec *dim = &spec->dims[i];
      const gint64 *known = dim->name == NULL ? &dim->value
                                              : tp_dims_find (dims, dim->name);

      if (known == NULL)
        tp_graph_builder_set_dim (builder, dim->name, value->dims[i]);
      else if (*known != value->dims[i])
        {
          tp_builder_set_error (
              builder, spec->place, error,
              "dimension %d is %" G_GINT64_FORMAT ", that of the value bound "
              "to it %" G_GINT64_FORMAT, i, *known, value->dims[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
make_constant (TpGraphBuilder *builder, const TpBuilderSpec *spec,
               const TpInputValue *value, GError **error)
{
  TpTensor *tensor = tp_draft_tensor (builder->draft, spec->tensor);

  if (!tp_tensor_set_shape (tensor, value->dtype, value->rank, value->dims))
    {
      tp_builder_set_error (builder, spec->place, error,
                            "the value bound to '%s' is too large",
                            tensor->name);
      return FALSE;
    }
  tensor->init.data = tp_region_dup (builder->draft->region, value->data,
                                     tensor->size_bytes, 1, error);
  tensor->init.kind = TP_INIT_DATA;
  return tensor->init.data != NULL;
}

static gboolean
bind_value (TpGraphBuilder *builder, const char *name, const TpInputValue *value,
            TpDims *dims, GError **error)
{
  int input = find_input (builder, name);
  g_autofree char *prefix = NULL;
  TpBuilderSpec spec;
  guint index;

  if (input < 0)
    {
      prefix = tp_draft_dup_prefix (builder->draft, NULL);
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%sthe graph has no input '%s' to bind: leave it out",
                   prefix, name);
      return FALSE;
    }
  index = find_spec (builder,
                     tp_array_index (builder->draft->inputs, int, input));
  spec = tp_array_index (builder->specs, TpBuilderSpec, index);
  if (!check_value (builder, &spec, value, error)
      || !match_dims (builder, &spec, value, dims, error)
      || !make_constant (builder, &spec, value, error))
    return FALSE;
  tp_array_remove_index (builder->specs, index);
  tp_array_remove_index (builder->draft->inputs, input);
  return TRUE;
}

gboolean
tp_graph_builder_bind (TpGraphBuilder *builder, TpInputValues *values,
                       TpDims *dims, GError **error)
{
  GHashTableIter iter;
  gpointer name, value;

  if (values == NULL)
    return TRUE;
  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!bind_value (builder, name, value, dims, error))
      return FALSE;
  return TRUE;
}

void
tp_graph_builder_assume (TpGraphBuilder *builder, TpDims *dims,
                         TpDims *assumed)
{
  for (guint i = 0; i < builder->specs->len; i++)
    {
      const TpBuilderSpec *spec
          = &tp_array_index (builder->specs, TpBuilderSpec, i);

      for (int k = 0; k < spec->rank; k++)
        {
          const char *name = spec->dims[k].name;

          if (name == NULL || tp_dims_find (builder->dims, name) != NULL
              || tp_dims_find (dims, name) != NULL)
            continue;
          tp_graph_builder_set_dim (builder, name, 1);
          tp_dims_set (assumed, name, 1);
        }
    }
}

/* @spec with the numbers that @dims gives its names. */
static gboolean
fix_spec (TpGraphBuilder *builder, TpBuilderSpec *spec, const TpDims *dims,
          GError **error)
{
  TpDimSpec *fixed = tp_region_alloc (builder->draft->region,
                                      MAX (spec->rank, 1), sizeof *fixed,
                                      error);

  if (fixed == NULL)
    return FALSE;
  for (int k = 0; k < spec->rank; k++)
    {
      const char *name = spec->dims[k].name;
      const gint64 *value = name == NULL ? NULL : tp_dims_find (dims, name);

      fixed[k] = value == NULL ? spec->dims[k] : (TpDimSpec){ *value, NULL };
    }
  spec->dims = fixed;
  return TRUE;
}

gboolean
tp_graph_builder_fix (TpGraphBuilder *builder, const TpDims *dims,
                      GError **error)
{
  g_autoptr (TpDims) open = tp_dims_new ();

  if (!tp_builder_check_dims (builder, dims, error))
    return FALSE;
  for (int i = 0; i < tp_dims_size (builder->dims); i++)
    {
      const char *name = tp_dims_get_name (builder->dims, i);

      if (tp_dims_find (dims, name) == NULL)
        tp_dims_set (open, name, *tp_dims_find (builder->dims, name));
    }
  tp_dims_unref (builder->dims);
  builder->dims = g_steal_pointer (&open);
  for (guint i = 0; i < builder->specs->len; i++)
    if (!fix_spec (builder, &tp_array_index (builder->specs, TpBuilderSpec, i),
                   dims, error))
      return FALSE;
  return TRUE;
}
