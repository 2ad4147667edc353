/* graph-survey.c: what can be said of a graph that cannot be planned. */
#include "config.h"

#include "graph/graph-survey.h"

#include "graph/graph-bind.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "graph/graph-finish.h"
#include "graph/graph-infer.h"
#include "graph/graph-taken.h"
#include "ir/name-hash.h"

void
tp_survey_init (TpSurvey *survey)
{
  survey->problems
      = g_hash_table_new_full (tp_name_hash, g_str_equal, g_free, g_free);
  survey->assumed = tp_dims_new ();
}

void
tp_survey_clear (TpSurvey *survey)
{
  g_hash_table_unref (survey->problems);
  tp_dims_unref (survey->assumed);
}

TpGraph *
tp_graph_survey (TpGraphBuilder *builder, TpDims *dims, TpSurvey *survey,
                 GError **error)
{
  tp_graph_builder_assume (builder, dims, survey->assumed);
  if (!tp_graph_builder_bind_all (builder, dims, error)
      || !tp_draft_survey (builder->draft, survey->problems, error)
      || !tp_branch_forget (builder->draft, error))
    return NULL;
  return tp_draft_finish (builder->draft, error);
}
