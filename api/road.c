/* road.c: see road.h. */
#include "config.h"

#include "api/road.h"

#include "api/micro.h"
#include "api/objects.h"
#include "api/plan.h"
#include "api/stream.h"
#include "api/way.h"
#include "calib/calibrate.h"
#include "calib/cost-db.h"
#include "calib/lookup.h"
#include "graph/graph-batch.h"
#include "planner/fuse.h"
#include "runtime/devices.h"

#include <string.h>

void
tp_measured_clear (TpMeasured *measured)
{
  g_clear_pointer (&measured->warnings, g_ptr_array_unref);
}

const char *const *
tp_road_list_rules (void)
{
  return tp_fuse_list ();
}

/* ---- whether there is anything to search --------------------------------- */

static gboolean
is_objective (const TpRoadOptions *options, const char *name)
{
  return strcmp (options->objective == NULL ? "time" : options->objective,
                 name)
         == 0;
}

static gboolean
is_side_by_side (const TpRoadOptions *options)
{
  return is_objective (options, "makespan")
         || is_objective (options, "throughput");
}

static gboolean
check_searches (const TpRoadOptions *options, GError **error)
{
  gboolean is_time = is_objective (options, "time");

  if (options->streams_weights && !is_time && !is_side_by_side (options))
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "weights are streamed for the objectives 'time', 'makespan' and "
                 "'throughput', not for '%s': leave one of both out",
                 options->objective);
  else if (options->tries_micro_batches && !is_time
           && !is_side_by_side (options))
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "micro-batches are found for the objectives 'time', 'makespan' "
                 "and 'throughput', not for '%s': give their sizes",
                 options->objective);
  else
    return TRUE;
  return FALSE;
}

static gboolean
has_limits (const TpWay *way)
{
  return !way->options->ignores_memory && way->limits != NULL;
}

/* ---- streaming ---------------------------------------------------------- */

static gboolean
may_stream (const TpWay *way)
{
  return way->options->streams_weights && has_limits (way)
         && way->model->streamed == NULL && way->is_bound;
}

/* A TpStreamSearch.take. */
static gboolean
take_streamed (gpointer data, const char *const *streamed, TpRoadTaken *out,
               GError **error)
{
  const TpWay *first = data;
  g_auto (TpWay) way
      = { .model = first->model,
          .from = first->from,
          .options = first->options,
          .micro_batches = tp_micro_batches_copy (&first->micro_batches),
          .streamed = streamed,
          .streamed_from = first->costs->devices[first->costs->host] };

  return tp_way_take (&way, out, error);
}

static void
warn (TpRoadNotes *notes, const char *text)
{
  g_ptr_array_add (notes->warnings, g_strdup (text));
}

/* @best becomes what is cheapest of that and those with weights streamed; *@error,
 * which says why @way led nowhere, goes where there is one. */
static void
stream (const TpWay *way, TpRoadTaken *best, GError **error)
{
  TpStreamSearch search = { take_streamed, (gpointer) way, way->split,
                            way->limits, 0 };
  g_autoptr (GError) local = NULL;

  if (way->costs->host == TP_COSTS_HOST)
    warn (&best->notes, "no weights are streamed: none of these devices works in "
                        "host memory");
  else if (!tp_stream_search (&search, best, &local))
    {
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&local));
    }
  else if (best->plan != NULL)
    g_clear_error (error);
  if (best->plan != NULL && tp_api_get_plan (best->plan)->streamed == NULL
      && search.n_unmeasured > best->notes.n_unmeasured)
    warn (&best->notes, "kernels that read streamed weights are not measured, and "
                        "win nothing from those that are: measure them with "
                        "`tplan optimize --level=measure`");
}

/* FALSE, with @error: it led nowhere, with weights streamed or not. */
static gboolean
take_best (TpWay *way, TpRoadTaken *best, GError **error)
{
  g_autoptr (GError) local = NULL;

  if ((tp_way_take (way, best, &local)
       || g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE))
      && may_stream (way))
    stream (way, best, &local);
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* ---- micro-batches ------------------------------------------------------- */

/* Those that are asked for; the graph of a plan has them already. */
static gboolean
find_asked (const TplanGraph *graph, const TpRoadOptions *options,
            TpMicroBatches *out, GError **error)
{
  int n = options->n_micro_batches;
  gint64 batch;

  if (n == 0 || graph->micro_batches.n > 0)
    return TRUE;
  batch = tp_graph_find_batch (graph->graph);
  if (n < 2 || n > TP_MICRO_BATCHES_MOST
      || (options->micro_batches == NULL && n > batch))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s: a batch of %" G_GINT64_FORMAT " cannot be split into %d "
                   "micro-batches: there are from 2 to %d, of one at least",
                   tp_get_model_name (graph), batch, n, TP_MICRO_BATCHES_MOST);
      return FALSE;
    }
  *out = options->micro_batches == NULL
             ? tp_micro_batches_new_equal (batch, n)
             : tp_micro_batches_copy (&(TpMicroBatches){
                   n, (gint64 *) options->micro_batches });
  return TRUE;
}

static gboolean
may_split (const TpWay *way)
{
  const TpRoadOptions *options = way->options;

  return options->tries_micro_batches && options->n_micro_batches == 0
         && way->costs != NULL
         && way->model->micro_batches.n == 0 && way->model->streamed == NULL
         && (!is_side_by_side (options) || way->costs->n_devices > 1);
}

/* A TpMicroSearch.take. */
static gboolean
take_split (gpointer data, const TpMicroBatches *micro_batches, TpRoadTaken *out,
            GError **error)
{
  const TpWay *whole = data;
  g_auto (TpWay) way
      = { .model = whole->model,
          .from = whole->from,
          .options = whole->options,
          .micro_batches = tp_micro_batches_copy (micro_batches) };

  return take_best (&way, out, error);
}

static void
warn_split (const TpMicroSearch *search, TpRoadNotes *notes)
{
  g_autofree char *text = NULL;

  if (search->refusal != NULL)
    {
      text = g_strdup_printf ("no micro-batches: %s", search->refusal);
      warn (notes, text);
    }
  else if (search->n_unmeasured > notes->n_unmeasured)
    warn (notes, "kernels of micro-batches are not measured, and win nothing from "
                 "those that are: measure them with `tplan optimize "
                 "--level=measure`");
}

/* As stream (). */
static void
split (const TpWay *way, TpRoadTaken *best, GError **error)
{
  g_auto (TpMicroSearch) search
      = { .take = take_split,
          .data = (gpointer) way,
          .batch = tp_graph_find_batch (way->model->graph),
          .costs = way->costs,
          .is_side_by_side = is_side_by_side (way->options) };
  g_autoptr (GError) local = NULL;

  if (!tp_micro_search (&search, best, &local))
    {
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&local));
    }
  else if (best->plan != NULL)
    g_clear_error (error);
  if (best->plan == NULL
      || tp_api_get_plan (best->plan)->micro_batches.n == 0)
    warn_split (&search, &best->notes);
}

TplanPlan *
tp_road_plan (const TplanGraph *graph, const TplanCosts *costs,
              const TpRoadOptions *options, TpRoadNotes *out_notes,
              GError **error)
{
  g_auto (TpWay) way = { .model = graph, .from = costs, .options = options };
  g_auto (TpRoadTaken) best = { NULL };
  g_autoptr (GError) local = NULL;

  if (check_searches (options, &local)
      && find_asked (graph, options, &way.micro_batches, &local)
      && (take_best (&way, &best, &local)
          || g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE))
      && may_split (&way))
    split (&way, &best, &local);
  if (out_notes != NULL)
    {
      *out_notes = best.notes;
      best.notes = (TpRoadNotes){ NULL };
    }
  if (local == NULL)
    return g_steal_pointer (&best.plan);
  g_propagate_error (error, g_steal_pointer (&local));
  return NULL;
}

/* ---- measuring ---------------------------------------------------------- */

/* Of @n ops or groups; a made-up device has nothing to be measured. */
static void
count_times (const TpCosts *costs, const TpCost *table, int n,
             TpMeasured *measured)
{
  for (int i = 0; i < n * costs->n_devices; i++)
    if (table[i].time_ns != TP_COST_NONE
        && !tp_device_is_simulated (costs->devices[i % costs->n_devices]))
      {
        measured->n_estimated += table[i].is_estimated;
        measured->n_measured += !table[i].is_estimated;
      }
}

/* What the table now has of the model; what lacks is said by numbers. */
static gboolean
count_model (TpWay *way, TpCostDb *db, TpCalibOptions *options,
             TpMeasured *measured, GError **error)
{
  options->warnings = NULL;
  options->trusts_estimates = TRUE; /* all are counted */
  way->costs
      = tp_cost_db_lookup (db, way->graph, way->family, options, error);
  if (way->costs == NULL)
    return FALSE;
  measured->n_groups = way->family->n_groups;
  count_times (way->costs, way->costs->nodes, way->costs->n_nodes,
               measured);
  count_times (way->costs, way->costs->groups, way->costs->n_groups,
               measured);
  return TRUE;
}

gboolean
tp_road_measure (const TplanCosts *costs, const TplanGraph *graph,
                 const TpWatch *watch, TpMeasured *out_measured,
                 GError **error)
{
  g_auto (TpWay) way = { .model = graph, .from = costs };
  g_autoptr (TpCostDb) db = NULL;
  TpCalibOptions options = tp_way_make_options (costs, watch, NULL);

  if (out_measured != NULL)
    {
      *out_measured = (TpMeasured){ 0 };
      out_measured->warnings = g_ptr_array_new_with_free_func (g_free);
      options.warnings = out_measured->warnings;
      options.report = &out_measured->report;
    }
  db = tp_cost_db_open (costs->path, FALSE, error);
  if (db == NULL)
    return FALSE;
  if (graph != NULL)
    {
      way.graph = tp_graph_ref (graph->graph);
      way.family = tp_fuse_find_all (way.graph, NULL,
                                     (const char *const *) costs->devices);
    }
  return tp_calibrate (db, way.graph, way.family, &options, error)
         && (graph == NULL || out_measured == NULL
             || count_model (&way, db, &options, out_measured, error));
}
