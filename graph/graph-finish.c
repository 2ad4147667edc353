/* graph-finish.c: from names and symbolic shapes to a graph. */
#include "config.h"

#include "graph/graph-finish.h"

#include "graph/graph-body.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "graph/graph-empty.h"
#include "graph/graph-given.h"
#include "graph/graph-infer.h"
#include "graph/graph-limit.h"
#include "graph/graph-node.h"
#include "graph/graph-state.h"
#include "graph/graph-taken.h"
#include "ir/array.h"
#include "ir/decimal.h"
#include "ir/near-name.h"
#include "ir/region.h"

#include <string.h>

/* ---- every name must mean something ------------------------------------ */

static void
set_undefined_error (TpGraphBuilder *builder, int tensor, GError **error)
{
  const TpBuilderState *state
      = &tp_array_index (builder->states, TpBuilderState, tensor);
  const char *name = tp_draft_tensor (builder->draft, tensor)->name;
  g_autofree char *place = NULL;

  if (state->user >= 0)
    place = g_strdup_printf (
        "%s.inputs[%d]", tp_draft_node (builder->draft, state->user)->place,
        state->input);
  else
    place = g_strdup (state->wanted != NULL ? state->wanted : "outputs");
  tp_builder_set_error (builder, place, error,
                        "no op, input or initializer gives the tensor '%s': "
                        "define it or correct the name", name);
}

static gboolean
check_defined (TpGraphBuilder *builder, GError **error)
{
  for (guint i = 0; i < builder->states->len; i++)
    if (!tp_array_index (builder->states, TpBuilderState, i).is_defined)
      {
        set_undefined_error (builder, i, error);
        return FALSE;
      }
  if (builder->draft->outputs->len > 0)
    return TRUE;
  tp_builder_set_error (builder, "outputs", error, "the graph has no outputs");
  return FALSE;
}

/* No two that are made up are the same: each ends in a number of its own, or in '_' after
 * another that does. */
static char *
make_node_name (TpGraphBuilder *builder, int index)
{
  char number[TP_DECIMAL_SIZE];
  char *name;

  tp_decimal_write (index, number);
  name = g_strconcat (tp_draft_node (builder->draft, index)->type, "_", number,
                      NULL);
  while (tp_map_size (builder->nodes) > 0
         && tp_graph_builder_has_node (builder, name))
    {
      char *longer = g_strconcat (name, "_", NULL);
      g_free (name);
      name = longer;
    }
  return name;
}

static gboolean
name_nodes (TpGraphBuilder *builder, GError **error)
{
  for (guint i = 0; i < builder->draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (builder->draft, i);
      g_autofree char *name = NULL;

      if (node->name != NULL)
        continue;
      name = make_node_name (builder, (int) i);
      node->name = tp_region_strdup (builder->draft->region, name, error);
      if (node->name == NULL)
        return FALSE;
    }
  return TRUE;
}

/* ---- dimensions -------------------------------------------------------- */

/* What a name stands for, or NULL. */
static const gint64 *
find_dim (TpGraphBuilder *builder, TpDims *dims, const char *name)
{
  const gint64 *value = tp_dims_find (dims, name);

  return value != NULL ? value : tp_dims_find (builder->dims, name);
}

/* An input that its file says has no elements; that of a dimension with a name may be by
 * mistake. */
static gboolean
may_be_empty (const TpGraphBuilder *builder, const TpBuilderSpec *spec,
              const TpDimSpec *dim)
{
  const TpArray *inputs = builder->draft->inputs;

  for (guint i = 0; i < inputs->len && dim->name == NULL; i++)
    if (tp_array_index (inputs, int, i) == spec->tensor)
      return TRUE;
  return FALSE;
}

/* Dimension @i of @spec; -1 on error. */
static gint64
bind_dim (TpGraphBuilder *builder, const TpBuilderSpec *spec, int i,
          TpDims *dims, GError **error)
{
  const TpDimSpec *dim = &spec->dims[i];
  g_autofree char *place = g_strdup_printf ("%s.shape[%d]", spec->place, i);
  const gint64 *value
      = dim->name == NULL ? &dim->value : find_dim (builder, dims, dim->name);

  if (value == NULL)
    tp_builder_set_error (builder, place, error,
                          "dimension '%s' has no value: give it one, as "
                          "with --dim %s=8",
                          dim->name, dim->name);
  else if (*value >= 1 || (*value == 0 && may_be_empty (builder, spec, dim)))
    return *value;
  else if (*value == 0 && dim->name == NULL)
    {
      g_autofree char *prefix = tp_draft_dup_prefix (builder->draft, place);

      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "%sdimension is 0: only constants and inputs may be empty", prefix);
    }
  else
    tp_builder_set_error (
        builder, place, error,
        "dimension is %" G_GINT64_FORMAT ", must be 1 or more", *value);
  return -1;
}

static gboolean
has_shape (const TpTensor *tensor, TpDtype dtype, int rank, const gint64 *dims)
{
  return tensor->dtype == dtype && tensor->rank == rank
         && memcmp (tensor->dims, dims, rank * sizeof (gint64)) == 0;
}

static gboolean
bind_spec (TpGraphBuilder *builder, const TpBuilderSpec *spec, TpDims *dims,
           GError **error)
{
  TpTensor *tensor = tp_draft_tensor (builder->draft, spec->tensor);
  gint64 values[TP_MAX_RANK];

  for (int i = 0; i < spec->rank; i++)
    if ((values[i] = bind_dim (builder, spec, i, dims, error)) < 0)
      return FALSE;
  if (tensor->rank != TP_RANK_UNKNOWN)
    {
      if (has_shape (tensor, spec->dtype, spec->rank, values))
        return TRUE;
      tp_builder_set_error (builder, spec->place, error,
                            "tensor '%s' is said to have two shapes or types",
                            tensor->name);
      return FALSE;
    }
  if (tp_draft_set_shape (builder->draft, tensor, spec->dtype, spec->rank,
                          values))
    return TRUE;
  tp_builder_set_error (builder, spec->place, error,
                        "tensor '%s' has too many elements: its size "
                        "overflows 64 bits", tensor->name);
  return FALSE;
}

/* Of all that are named. */
static TpDims *
gather_dims (TpGraphBuilder *builder)
{
  g_autoptr (TpDims) all = tp_dims_new ();

  for (int i = 0; i < tp_dims_size (builder->dims); i++)
    tp_dims_set (all, tp_dims_get_name (builder->dims, i), 0);
  for (guint i = 0; i < builder->specs->len; i++)
    {
      const TpBuilderSpec *spec
          = &tp_array_index (builder->specs, TpBuilderSpec, i);

      for (int j = 0; j < spec->rank; j++)
        if (spec->dims[j].name != NULL)
          tp_dims_set (all, spec->dims[j].name, 0);
    }
  return g_steal_pointer (&all);
}

static void
set_dim_error (TpGraphBuilder *builder, const char *name, const TpDims *all,
               GError **error)
{
  static const char *const end = NULL;
  g_autoptr (TpArray) names = tp_dims_sort_names (all);
  const char *const *known;
  g_autofree char *prefix = tp_draft_dup_prefix (builder->draft, NULL);
  g_autofree char *near = NULL, *list = NULL;

  tp_array_append_val (names, end);
  known = (const char *const *) names->data;
  near = tp_near_name_ask (name, known);
  list = tp_near_name_list (known);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%sthe graph has no dimension '%s'%s%s", prefix, name, near, list);
}

gboolean
tp_builder_check_dims (TpGraphBuilder *builder, const TpDims *dims,
                       GError **error)
{
  g_autoptr (TpDims) all = NULL;

  if (dims == NULL)
    return TRUE;
  all = gather_dims (builder);
  for (int i = 0; i < tp_dims_size (dims); i++)
    if (tp_dims_find (all, tp_dims_get_name (dims, i)) == NULL)
      {
        set_dim_error (builder, tp_dims_get_name (dims, i), all, error);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_graph_name (TpGraphBuilder *builder, GError **error)
{
  gint64 most = builder->draft->limits.values[TP_LIMIT_NAME];
  gsize size = strlen (builder->draft->name);

  if ((gint64) size <= most)
    return TRUE;
  tp_builder_set_limit_error (builder, TP_LIMIT_NAME, "name", error,
                              "the graph's name has %" G_GSIZE_FORMAT
                              " bytes, more than %" G_GINT64_FORMAT, size,
                              most);
  return FALSE;
}

gboolean
tp_graph_builder_check (TpGraphBuilder *builder, GError **error)
{
  return check_graph_name (builder, error) && check_defined (builder, error)
         && tp_builder_check_states (builder, error)
         && tp_builder_check_groups (builder, error)
         && name_nodes (builder, error)
         && tp_draft_part_bodies (builder->draft, error);
}

gboolean
tp_graph_builder_bind_all (TpGraphBuilder *builder, TpDims *dims,
                           GError **error)
{
  if (!tp_builder_check_dims (builder, dims, error))
    return FALSE;
  for (guint i = 0; i < builder->specs->len; i++)
    if (!bind_spec (builder, &tp_array_index (builder->specs, TpBuilderSpec, i),
                    dims, error))
      return FALSE;
  tp_draft_take_empty_inputs (builder->draft);
  return TRUE;
}

TpGraph *
tp_graph_builder_finish (TpGraphBuilder *builder, TpDims *dims, GError **error)
{
  if (!tp_graph_builder_check (builder, error)
      || !tp_draft_check_types (builder->draft, error)
      || !tp_graph_builder_bind_all (builder, dims, error)
      || !tp_draft_infer (builder->draft, error)
      || !tp_builder_check_state_shapes (builder, error)
      || !tp_branch_forget (builder->draft, error))
    return NULL;
  return tp_draft_finish (builder->draft, error);
}
