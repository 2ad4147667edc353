/* graph-builder.c: what both readers call: names become indices, everything is
 * copied and checked, and finish () binds, sorts and infers. */
#include "config.h"

#include "graph/graph-builder.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "graph/graph-limit.h"
#include "ir/array.h"
#include "ir/name-hash.h"

#include <string.h>

#define TENSORS_PER_NODE 4
#define MIN_TENSORS 1000 /* whatever the limit on nodes */

TpGraphBuilder *
tp_graph_builder_new (const char *name, int opset)
{
  TpGraphBuilder *builder = g_new0 (TpGraphBuilder, 1);

  builder->draft = tp_draft_new (TP_REGION_NO_BUDGET);
  builder->draft->name
      = tp_region_strdup (builder->draft->region, name ? name : "", NULL);
  builder->draft->opset = opset;
  builder->tensors = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  builder->nodes = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  builder->grouped = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  builder->faults = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);
  builder->members = tp_array_new (sizeof (TpBuilderMember));
  builder->dims = tp_dims_new ();
  builder->states = tp_array_new (sizeof (TpBuilderState));
  builder->specs = tp_array_new (sizeof (TpBuilderSpec));
  builder->constants = tp_array_new (sizeof (int));
  return builder;
}

void
tp_graph_builder_free (TpGraphBuilder *builder)
{
  tp_map_free (builder->tensors);
  tp_map_free (builder->nodes);
  tp_map_free (builder->grouped);
  tp_map_free (builder->faults);
  tp_array_unref (builder->members);
  tp_dims_unref (builder->dims);
  tp_array_unref (builder->states);
  tp_array_unref (builder->specs);
  tp_array_unref (builder->constants);
  tp_draft_free (builder->draft);
  g_free (builder);
}

void
tp_graph_builder_keep (TpGraphBuilder *builder, GBytes *bytes)
{
  tp_region_own (builder->draft->region, g_bytes_ref (bytes),
                 (GDestroyNotify) g_bytes_unref);
}

void
tp_graph_builder_set_source (TpGraphBuilder *builder, const char *path)
{
  builder->draft->source
      = path ? tp_region_strdup (builder->draft->region, path, NULL) : NULL;
}

void
tp_graph_builder_set_dim (TpGraphBuilder *builder, const char *name,
                          gint64 value)
{
  tp_dims_set (builder->dims, name, value);
}

gboolean
tp_graph_builder_has_node (TpGraphBuilder *builder, const char *name)
{
  return tp_map_find (builder->nodes, name, NULL);
}

static void
remember (TpGraphBuilder *builder, int index)
{
  builder->recent[builder->n_recent++ % TP_BUILDER_RECENT] = 1 + index;
}

int
tp_builder_find_tensor (TpGraphBuilder *builder, const char *name)
{
  int index;

  for (guint i = 0; i < TP_BUILDER_RECENT; i++)
    {
      index = builder->recent[i] - 1;
      if (index >= 0
          && strcmp (tp_draft_tensor (builder->draft, index)->name, name) == 0)
        return index;
    }
  index = GPOINTER_TO_INT (tp_map_lookup (builder->tensors, name)) - 1;
  if (index >= 0)
    remember (builder, index);
  return index;
}

gboolean
tp_graph_builder_is_defined (TpGraphBuilder *builder, const char *tensor)
{
  int index = tp_builder_find_tensor (builder, tensor);

  return index >= 0
         && tp_array_index (builder->states, TpBuilderState, index).is_defined;
}

/* ---- names ------------------------------------------------------------- */

gboolean
tp_builder_check_name (TpGraphBuilder *builder, const char *name, const char *place,
            GError **error)
{
  gint64 most = builder->draft->limits.values[TP_LIMIT_NAME];

  if (*name == '\0')
    tp_builder_set_error (builder, place, error, "a name must not be empty");
  else if ((gint64) strlen (name) > most)
    tp_builder_set_limit_error (builder, TP_LIMIT_NAME, place, error,
                                "a name has %" G_GSIZE_FORMAT " bytes, more "
                                "than %" G_GINT64_FORMAT, strlen (name), most);
  else if (!g_utf8_validate (name, -1, NULL))
    tp_builder_set_error (builder, place, error, "a name is not UTF-8");
  else
    return TRUE;
  return FALSE;
}

int
tp_builder_get_tensor (TpGraphBuilder *builder, const char *name, const char *place,
            GError **error)
{
  int index = tp_builder_find_tensor (builder, name);
  TpTensor tensor = { .rank = TP_RANK_UNKNOWN, .producer = -1 };
  TpBuilderState state = { .user = -1 };
  gint64 most
      = TENSORS_PER_NODE * builder->draft->limits.values[TP_LIMIT_NODES];

  if (index >= 0)
    return index;
  if (!tp_builder_check_name (builder, name, place, error))
    return -1;
  if (builder->states->len >= MAX (most, MIN_TENSORS))
    {
      tp_builder_set_limit_error (builder, TP_LIMIT_NODES, place, error,
                                  "more than %" G_GINT64_FORMAT " tensors",
                                  MAX (most, MIN_TENSORS));
      return -1;
    }
  tensor.name = tp_region_strdup (builder->draft->region, name, error);
  if (tensor.name == NULL)
    return -1;
  index = tp_draft_add_tensor (builder->draft, &tensor);
  tp_array_append_val (builder->states, state);
  tp_map_insert (builder->tensors, (char *) tensor.name,
                 GINT_TO_POINTER (index + 1));
  remember (builder, index);
  return index;
}

int
tp_builder_define_at (TpGraphBuilder *builder, const char *name,
                      const char *place, GError **error)
{
  int index = tp_builder_get_tensor (builder, name, place, error);
  TpBuilderState *state;

  if (index < 0)
    return -1;
  state = &tp_array_index (builder->states, TpBuilderState, index);
  if (state->is_defined)
    {
      tp_builder_set_error (builder, place, error,
                 "tensor '%s' is already defined at %s: rename one", name,
                 state->place);
      return -1;
    }
  state->is_defined = TRUE;
  state->place = place;
  return index;
}

int
tp_builder_define_tensor (TpGraphBuilder *builder, const char *name,
                          const char *place, GError **error)
{
  const char *kept = tp_region_strdup (builder->draft->region,
                                       place ? place : "", error);

  return kept == NULL ? -1 : tp_builder_define_at (builder, name, kept, error);
}

/* ---- inputs, constants, outputs ---------------------------------------- */

static gboolean
copy_dims (TpGraphBuilder *builder, TpBuilderSpec *spec, const TpDimSpec *dims,
           GError **error)
{
  TpRegion *region = builder->draft->region;
  TpDimSpec *copy
      = tp_region_dup (region, dims, spec->rank, sizeof (TpDimSpec), error);

  if (copy == NULL)
    return FALSE;
  for (int i = 0; i < spec->rank; i++)
    if (dims[i].name != NULL
        && (!tp_builder_check_name (builder, dims[i].name, spec->place, error)
            || (copy[i].name = tp_region_strdup (region, dims[i].name, error))
                   == NULL))
      return FALSE;
  spec->dims = copy;
  return TRUE;
}

static gboolean
check_rank (TpGraphBuilder *builder, int rank, const char *place,
            GError **error)
{
  gint64 most = builder->draft->limits.values[TP_LIMIT_RANK];

  if (rank < 0 || rank > TP_MAX_RANK)
    tp_builder_set_error (builder, place, error,
                          "rank %d; at most %d is supported", rank,
                          TP_MAX_RANK);
  else if (rank > most)
    tp_builder_set_limit_error (builder, TP_LIMIT_RANK, place, error,
                                "rank %d, more than %" G_GINT64_FORMAT, rank,
                                most);
  else
    return TRUE;
  return FALSE;
}

static gboolean
add_spec (TpGraphBuilder *builder, int tensor, const TpTensorSpec *said,
          GError **error)
{
  const char *place = said->place ? said->place : "";
  TpBuilderSpec spec = { tensor, said->dtype, said->rank, NULL, NULL };

  spec.place = tp_region_strdup (builder->draft->region, place, error);
  if (spec.place == NULL || !copy_dims (builder, &spec, said->dims, error))
    return FALSE;
  tp_array_append_val (builder->specs, spec);
  return TRUE;
}

gboolean
tp_graph_builder_add_input (TpGraphBuilder *builder, const TpTensorSpec *spec,
                            GError **error)
{
  int index;

  if (!check_rank (builder, spec->rank, spec->place, error))
    return FALSE;
  index = tp_builder_define_tensor (builder, spec->name, spec->place, error);
  if (index < 0 || !add_spec (builder, index, spec, error))
    return FALSE;
  tp_array_append_val (builder->draft->inputs, index);
  return TRUE;
}

gboolean
tp_graph_builder_declare (TpGraphBuilder *builder, const TpTensorSpec *spec,
                          GError **error)
{
  int index;

  if (!check_rank (builder, spec->rank, spec->place, error))
    return FALSE;
  index = tp_builder_get_tensor (builder, spec->name, spec->place, error);
  return index >= 0 && add_spec (builder, index, spec, error);
}

gboolean
tp_graph_builder_add_state (TpGraphBuilder *builder, const TpTensorSpec *spec,
                            const char *next, GError **error)
{
  const char *place = spec->place == NULL ? "" : spec->place;
  g_autofree char *wanted = g_strconcat (place, ".next", NULL);
  TpBuilderState *state;
  int index, other;

  if (!check_rank (builder, spec->rank, spec->place, error))
    return FALSE;
  index = tp_builder_define_tensor (builder, spec->name, spec->place, error);
  if (index < 0 || !add_spec (builder, index, spec, error))
    return FALSE;
  tp_draft_tensor (builder->draft, index)->state = 1 + index;
  if (next == NULL)
    return TRUE;
  other = tp_builder_get_tensor (builder, next, wanted, error);
  if (other < 0)
    return FALSE;
  if (tp_draft_tensor (builder->draft, other)->state > 0)
    {
      tp_builder_set_error (builder, wanted, error,
                            "'%s' is a state, or the next value of another: "
                            "each has one of its own", next);
      return FALSE;
    }
  tp_draft_tensor (builder->draft, other)->state = 1 + index;
  state = &tp_array_index (builder->states, TpBuilderState, other);
  state->wanted = tp_region_strdup (builder->draft->region, wanted, error);
  return state->wanted != NULL;
}

gboolean
tp_graph_builder_give_copies (TpGraphBuilder *builder, const char *name,
                              const TpGivenCopy *copies, int n, GError **error)
{
  TpRegion *region = builder->draft->region;
  int index = tp_builder_get_tensor (builder, name, NULL, error);
  TpGivenCopy *copy
      = index < 0 ? NULL
                  : tp_region_dup (region, copies, n, sizeof *copies, error);

  for (int i = 0; copy != NULL && i < n; i++)
    if ((copy[i].device = tp_region_strdup (region, copy[i].device, error))
        == NULL)
      return FALSE;
  if (copy == NULL)
    return FALSE;
  tp_draft_tensor (builder->draft, index)->copies = copy;
  tp_draft_tensor (builder->draft, index)->n_copies = n;
  return TRUE;
}

/* What is not in the file must not be without end. */
static gboolean
check_generated (TpGraphBuilder *builder, const TpTensor *tensor,
                 const char *place, GError **error)
{
  gint64 most = builder->draft->limits.values[TP_LIMIT_GENERATED];

  if (tensor->init.kind != TP_INIT_FILL && tensor->init.kind != TP_INIT_RANDOM)
    return TRUE;
  if (tp_size_add (builder->generated_bytes, tensor->size_bytes,
                   &builder->generated_bytes)
      && builder->generated_bytes <= most)
    return TRUE;
  tp_builder_set_limit_error (builder, TP_LIMIT_GENERATED, place, error,
                              "constant '%s' brings what fill and random make "
                              "to more than %" G_GINT64_FORMAT " bytes",
                              tensor->name, most);
  return FALSE;
}

gboolean
tp_graph_builder_add_constant (TpGraphBuilder *builder,
                               const TpTensor *constant, const char *place,
                               GError **error)
{
  int index;
  TpTensor *tensor;

  g_assert (constant->init.kind != TP_INIT_NONE);
  if (!check_rank (builder, constant->rank, place, error))
    return FALSE;
  index = tp_builder_define_tensor (builder, constant->name, place, error);
  if (index < 0)
    return FALSE;
  tensor = tp_draft_tensor (builder->draft, index);
  if (!tp_draft_set_shape (builder->draft, tensor, constant->dtype,
                           constant->rank, constant->dims))
    {
      tp_builder_set_error (builder, place, error,
                            "constant '%s': its shape is negative or too "
                            "large",
                            constant->name);
      return FALSE;
    }
  tensor->init = constant->init;
  if (!check_generated (builder, tensor, place, error))
    return FALSE;
  tp_array_append_val (builder->constants, index);
  return TRUE;
}

gboolean
tp_graph_builder_add_output (TpGraphBuilder *builder, const char *name,
                             const char *place, GError **error)
{
  int index = tp_builder_get_tensor (builder, name, place, error);

  if (index < 0)
    return FALSE;
  if (tp_draft_tensor (builder->draft, index)->is_output)
    {
      tp_builder_set_error (builder, place, error, "output '%s' is listed twice", name);
      return FALSE;
    }
  tp_draft_tensor (builder->draft, index)->is_output = TRUE;
  tp_array_append_val (builder->draft->outputs, index);
  return TRUE;
}
