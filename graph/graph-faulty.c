/* graph-faulty.c: see graph-faulty.h. */
#include "config.h"

#include "graph/graph-faulty.h"

#include "graph/graph-node.h"

struct TpBuilderFault
{
  int code;
  const char *message;
};

static TpBuilderFault *
fault_new (TpRegion *region, const GError *error)
{
  TpBuilderFault *fault = tp_region_alloc (region, 1, sizeof *fault, NULL);

  if (fault == NULL)
    return NULL;
  fault->code = error->code;
  fault->message = tp_region_strdup (region, error->message, NULL);
  return fault->message != NULL ? fault : NULL;
}

/* What is in a branch or body is not left out alone. */
static gboolean
may_wait (const TpGraphBuilder *builder, const GError *fault)
{
  return builder->is_to_be_cut && builder->branch == 0
         && (g_error_matches (fault, TPLAN_ERROR, TPLAN_ERROR_INPUT)
             || g_error_matches (fault, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED));
}

gboolean
tp_builder_put_off (TpGraphBuilder *builder, const TpNode *node,
                    TpNodeNames names, const GError *fault)
{
  TpNode faulty = { .type = node->type, .name = node->name, .place = node->place,
                    .group = node->group };
  TpBuilderFault *kept;

  if (!may_wait (builder, fault))
    return FALSE;
  if (faulty.name != NULL && tp_graph_builder_has_node (builder, faulty.name))
    faulty.name = NULL;
  kept = fault_new (builder->draft->region, fault);
  if (kept == NULL || !tp_builder_add_unknown_node (builder, &faulty, names, NULL))
    return FALSE;
  tp_map_insert (builder->faults,
                 (gpointer) tp_draft_node (builder->draft,
                                           builder->draft->nodes->len - 1)->place,
                 kept);
  return TRUE;
}

gboolean
tp_builder_check_faults (TpGraphBuilder *builder, GError **error)
{
  if (tp_map_size (builder->faults) == 0)
    return TRUE;
  for (guint i = 0; i < builder->draft->nodes->len; i++)
    {
      const TpBuilderFault *fault = tp_map_lookup (
          builder->faults, tp_draft_node (builder->draft, i)->place);

      if (fault != NULL)
        {
          g_set_error_literal (error, TPLAN_ERROR, fault->code, fault->message);
          return FALSE;
        }
    }
  return TRUE;
}
