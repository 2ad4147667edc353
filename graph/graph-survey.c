/* graph-survey.c: what can be said of a graph that cannot be planned. */
#include "config.h"

#include "graph/graph-survey.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "graph/graph-finish.h"
#include "graph/graph-infer.h"
#include "ir/name-hash.h"

void
tp_survey_init (TpSurvey *survey)
{
  survey->problems
      = g_hash_table_new_full (tp_name_hash, g_str_equal, g_free, g_free);
  survey->assumed = g_ptr_array_new_with_free_func (g_free);
}

void
tp_survey_clear (TpSurvey *survey)
{
  g_hash_table_unref (survey->problems);
  g_ptr_array_unref (survey->assumed);
}

/* Dimensions that nobody gives a value are 1. */
static void
assume_dims (TpGraphBuilder *builder, TpDims *dims, TpSurvey *survey)
{
  for (guint i = 0; i < builder->specs->len; i++)
    {
      const TpBuilderSpec *spec
          = &g_array_index (builder->specs, TpBuilderSpec, i);

      for (int k = 0; k < spec->rank; k++)
        {
          const char *name = spec->dims[k].name;

          if (name == NULL || g_hash_table_contains (builder->dims, name)
              || (dims != NULL && g_hash_table_contains (dims, name)))
            continue;
          tp_graph_builder_set_dim (builder, name, 1);
          g_ptr_array_add (survey->assumed, g_strdup (name));
        }
    }
}

TpGraph *
tp_graph_survey (TpGraphBuilder *builder, TpDims *dims, TpSurvey *survey,
                 GError **error)
{
  assume_dims (builder, dims, survey);
  if (!tp_graph_builder_bind_all (builder, dims, error)
      || !tp_draft_survey (builder->draft, survey->problems, error))
    return NULL;
  return tp_draft_finish (builder->draft, error);
}
