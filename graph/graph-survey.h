/* graph-survey.h: what can be said of a graph that cannot be planned. */
#ifndef TP_GRAPH_GRAPH_SURVEY_H
#define TP_GRAPH_GRAPH_SURVEY_H

#include "graph/graph-builder.h"

typedef struct
{
  GHashTable *problems;       /* name of an op -> char*: why it is not known */
  TpDims *assumed;            /* dimensions without a value, taken as 1 */
} TpSurvey;

void tp_survey_init (TpSurvey *survey);
void tp_survey_clear (TpSurvey *survey);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpSurvey, tp_survey_clear)

/**
 * tp_graph_survey:
 * @builder: is used up
 *
 * Like tp_graph_builder_finish (), but an op that is unknown, or used in a way
 * that is, goes into @survey, and what hangs on it has rank %TP_RANK_UNKNOWN.
 * Such a graph is for looking at only.
 */
TpGraph *tp_graph_survey (TpGraphBuilder *builder, TpDims *dims,
                          TpSurvey *survey, GError **error);

#endif
