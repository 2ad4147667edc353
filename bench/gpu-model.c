/* gpu-model.c: see gpu-model.h. */
#include "config.h"

#include "gpu-model.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/units.h"
#include "nest/nest-text.h"
#include "ops/lower.h"
#include "planner/fuse.h"

/* What cannot be lowered, or to no nest, has no kernel. */
static void
take_unit (GPtrArray *all, GHashTable *seen, const TpGraph *graph,
           const TpPlacedUnit *unit)
{
  g_autoptr (TpLowered) lowered
      = tp_lower_nodes (graph, unit->nodes, unit->n_nodes, NULL);

  if (lowered != NULL && lowered->n_nests > 0
      && g_hash_table_add (seen, tp_lowered_to_text (lowered)))
    g_ptr_array_add (all, g_steal_pointer (&lowered));
}

GPtrArray *
gpu_model_load (const char *path, GError **error)
{
  g_autoptr (TpGraph) raw = tp_graph_load (path, NULL, error);
  g_autoptr (TpGraph) graph = raw != NULL ? tp_graph_prepare (raw, error) : NULL;
  g_autoptr (TpGroups) groups
      = graph != NULL ? tp_fuse_find (graph, NULL) : NULL;
  g_autofree int *places
      = graph != NULL ? g_new0 (int, graph->n_nodes + 1) : NULL;
  g_autoptr (TpUnits) units
      = graph != NULL ? tp_units_new (graph, places, groups, error) : NULL;
  g_autoptr (GPtrArray) all
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tp_lowered_free);
  g_autoptr (GHashTable) seen
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (int i = 0; units != NULL && i < units->n; i++)
    take_unit (all, seen, graph, &units->units[i]);
  return units != NULL ? g_steal_pointer (&all) : NULL;
}
