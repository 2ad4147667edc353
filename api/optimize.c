/* optimize.c: the road with options of the public calls. */
#include "config.h"

#include "api/optimize.h"

#include "api/road.h"
#include "api/watch.h"
#include "ir/guard.h"

typedef struct
{
  const TplanGraph *graph;
  const TplanCosts *costs;
  const TpRoadOptions *options;
  const TpFollower *follower;
  GError **error;
  TplanPlan *plan;
} PlanCall;

static void
plan_call (gpointer data)
{
  PlanCall *call = data;
  g_auto (TpRoadNotes) notes = { NULL, 0, 0 };

  call->plan = tp_road_plan (call->graph, call->costs, call->options, &notes,
                             call->error);
  tp_follower_log (call->follower, notes.warnings);
}

static gboolean
check_level (TplanLevel level, GError **error)
{
  if (level == TPLAN_LEVEL_ESTIMATE || level == TPLAN_LEVEL_MEASURE)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "no level %d: there are TPLAN_LEVEL_ESTIMATE and "
               "TPLAN_LEVEL_MEASURE", (int) level);
  return FALSE;
}

static void
fill_options (const TplanOptimizeOptions *options, TpFollower *follower,
              TpRoadOptions *road)
{
  road->pins = options->pins;
  road->memory = (TpMemoryTexts){ .limits = options->memory_limits,
                                  .reserves = options->memory_reserves };
  road->no_fuse = options->no_fuse;
  road->streams_weights = options->streams_weights;
  road->micro_batches = options->micro_batches;
  road->n_micro_batches = options->n_micro_batches;
  road->tries_micro_batches = options->tries_micro_batches;
  road->objective = options->objective;
  road->rates = (TpStatedRates){ .watts = options->watts,
                                 .prices = options->prices };
  road->is_exact = options->is_exact;
  road->is_measured = options->level == TPLAN_LEVEL_MEASURE;
  road->asks_drivers = options->asks_drivers;
  road->trusts_estimates = options->trusts_estimates;
  road->is_stale_error = options->needs_measured;
  road->watch = tp_follower_get_watch (follower, 0);
  road->tell = tp_follower_tell;
}

TplanPlan *
tp_road_optimize (const TplanGraph *graph, const TplanCosts *costs,
                  const TplanOptimizeOptions *options, gboolean ignores_memory,
                  GError **error)
{
  TpRoadOptions road = { .ignores_memory = ignores_memory,
                         .is_apart = ignores_memory };
  TpFollower follower;
  PlanCall call = { graph, costs, &road, &follower, error, NULL };

  if (!check_level (options->level, error))
    return NULL;
  tp_follower_init (&follower, &options->watch);
  fill_options (options, &follower, &road);
  if (!tp_api_read_accuracy (options->accuracy, &road.watch.is_relaxed, error))
    return NULL;
  tp_guard (plan_call, &call, "to plan this model", error);
  return call.plan;
}

TplanPlan *
tplan_graph_optimize_full (const TplanGraph *graph, const TplanCosts *costs,
                           const TplanOptimizeOptions *options, GError **error)
{
  static const TplanOptimizeOptions defaults;

  g_return_val_if_fail (graph != NULL && costs != NULL, NULL);
  return tp_road_optimize (graph, costs, options == NULL ? &defaults : options,
                           FALSE, error);
}

TplanPlan *
tplan_graph_optimize (const TplanGraph *graph, const TplanCosts *costs,
                      const char *const *pins, GError **error)
{
  const TplanOptimizeOptions options = { .pins = pins };

  return tplan_graph_optimize_full (graph, costs, &options, error);
}
