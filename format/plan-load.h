/* plan-load.h: plans read back: bytes, digest, graph, then everything else. */
#ifndef TP_FORMAT_PLAN_LOAD_H
#define TP_FORMAT_PLAN_LOAD_H

#include "format/load-options.h"
#include "ir/graph.h"
#include "ir/plan.h"

/* Whether @text starts as tp_plan_to_json () does. */
gboolean tp_plan_is_plan (const char *text, gsize size);

/* A plan and its graph: files, or what is in memory already. */
typedef struct TpPlanSource
{
  const char *path;           /* of the plan; with @bytes only for people */
  GBytes *bytes;              /* (nullable): the plan, which is no file */
  const char *graph_path;     /* (nullable): the graph; else the one the plan names, looked
                               * for from the working directory, then from the
                               * directory of @path */
  GBytes *graph;              /* (nullable): the graph, which is none either */
} TpPlanSource;

/**
 * tp_plan_read_from:
 * @source: what tp_plan_save () wrote, or several of them for tiers
 * @options: for the graph, but its dimensions are the plan's: those of @options say
 *   which plan, where @source has tiers
 * @out_graph: the prepared graph, loaded again, pinned, its digest compared
 *
 * Checks digest, form, ranges and every index against the graph; whether the
 * plan is any good is tp_check ()'s question.
 * TPLAN_ERROR_INPUT names file and place; TPLAN_ERROR_USAGE: @options do not say
 * which plan.
 */
TpPlan *tp_plan_read_from (const TpPlanSource *source,
                           const TpLoadOptions *options, TpGraph **out_graph,
                           GError **error);
/* The same of the file at @path, with no options. */
TpPlan *tp_plan_load (const char *path, TpGraph **out_graph, GError **error);

#endif
