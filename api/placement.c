/* placement.c: placements that were made elsewhere. */
#include "config.h"

#include "api/placement.h"

#include "api/graph.h"
#include "api/load.h"
#include "api/plan.h"
#include "format/graph-load.h"
#include "format/placement.h"
#include "ir/guard.h"
#include "planner/judge.h"

typedef struct
{
  const TplanPlan *plan;
  const char *path;
  const TplanLoadOptions *options;
  int n_moves;
  GError **error;
  TpJudgement *judgement;
} JudgeCall;

/* Of what was met as a file: its ops by the names that they have there. */
static TpGraphBuilder *
open_source (const JudgeCall *call)
{
  const char *path = tp_api_get_plan (call->plan)->graph_path;
  g_auto (TpLoad) load = { 0 };

  if (!tp_load_init (&load, call->options, call->error))
    return NULL;
  load.options.keep_unknown_attrs = TRUE;
  return tp_graph_open (path, &load.options, call->error);
}

static void
judge_call (gpointer data)
{
  JudgeCall *call = data;
  const TpPlan *plan = tp_api_get_plan (call->plan);
  TpPlacementTarget target = {
    .graph = tp_api_get_graph (tplan_plan_get_graph (call->plan)),
    .devices = (const char *const *) plan->devices,
  };
  g_autofree guint8 *devices = tp_new0 (guint8, target.graph->n_nodes + 1);
  g_autoptr (TpPlacementFile) file
      = tp_placement_load (call->path, call->error);
  g_autoptr (TpGraphBuilder) source
      = file == NULL ? NULL : open_source (call);
  int n_gone;

  target.source = source;
  if (source == NULL
      || !tp_placement_match (file, &target, devices, &n_gone, call->error))
    return;
  call->judgement = tp_placement_judge (plan, target.graph, devices,
                                        call->n_moves, call->error);
  if (call->judgement == NULL)
    g_prefix_error (call->error, "%s: ", call->path);
  else
    call->judgement->n_gone = n_gone;
}

TpJudgement *
tp_api_judge (const TplanPlan *plan, const char *path,
              const TplanLoadOptions *options, int n_moves, GError **error)
{
  JudgeCall call = { plan, path, options, n_moves, error, NULL };

  tp_guard (judge_call, &call, "to judge this placement", error);
  return call.judgement;
}
