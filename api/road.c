/* road.c: pin, fuse, look up or measure, place, count memory. */
#include "config.h"

#include "api/road.h"

#include "api/devices.h"
#include "api/elsewhere.h"
#include "api/graph.h"
#include "api/objects.h"
#include "api/plan.h"
#include "api/stream.h"
#include "calib/calibrate.h"
#include "calib/cost-db.h"
#include "calib/device-match.h"
#include "calib/lookup.h"
#include "graph/graph-stream.h"
#include "ir/guard.h"
#include "ir/near-name.h"
#include "ir/plan-memory.h"
#include "ir/room.h"
#include "planner/fuse.h"
#include "planner/place.h"
#include "runtime/devices.h"

#include <string.h>

/* Of an op, with its arcs, groups and proof; and of each device it can run on. */
#define PLAN_OP_BYTES 1024
#define PLAN_DEVICE_BYTES 256

#define N_STAGES 3

/* One way along it. */
typedef struct
{
  const TplanGraph *model;
  const TplanCosts *from;
  const TpRoadOptions *options;
  const char *const *streamed; /* (nullable) weights */
  const char *streamed_from;  /* (nullable): set with these */
  TpGraph *graph;             /* pinned, with those streamed */
  TpGroups *groups;
  TpCosts *costs;
  gint64 *limits;             /* [row]: of what there is, and what is asked for */
  char *machine;              /* whose they are; NULL: this one's */
  char **facts;               /* as TpPlanOrigin */
} Road;

static void
road_clear (Road *road)
{
  g_clear_pointer (&road->graph, tp_graph_unref);
  g_clear_pointer (&road->groups, tp_groups_free);
  g_clear_pointer (&road->costs, tp_costs_unref);
  g_clear_pointer (&road->limits, g_free);
  g_clear_pointer (&road->machine, g_free);
  g_clear_pointer (&road->facts, g_strfreev);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Road, road_clear)

void
tp_measured_clear (TpMeasured *measured)
{
  g_clear_pointer (&measured->warnings, g_ptr_array_unref);
}

static TpCalibOptions
make_options (const TplanCosts *costs, const TpWatch *watch,
              GPtrArray *warnings)
{
  return (TpCalibOptions){ .n_devices = costs->n_devices,
                           .devices = (const char *const *) costs->devices,
                           .n_threads = costs->n_threads,
                           .time_limit_ns = watch->time_limit_ns,
                           .is_tuning = watch->is_tuning,
                           .is_brief = watch->is_brief,
                           .cancelled = watch->cancelled,
                           .progress = watch->progress,
                           .user_data = watch->user_data,
                           .warnings = warnings };
}

/* ---- planning ----------------------------------------------------------- */

const char *const *
tp_road_list_rules (void)
{
  return tp_fuse_list ();
}

static gboolean
check_rules (const char *const *no_fuse, GError **error)
{
  const char *const *rules = tp_fuse_list ();
  g_autofree char *list = NULL, *near = NULL;

  for (int i = 0; no_fuse != NULL && no_fuse[i] != NULL; i++)
    if (!g_strv_contains (rules, no_fuse[i]))
      {
        list = g_strjoinv (", ", (char **) rules);
        near = tp_near_name_ask (no_fuse[i], rules);
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                     "no fusion rule '%s'%s: there are %s", no_fuse[i], near,
                     list);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_room (const Road *road, GError **error)
{
  gint64 each_bytes
      = PLAN_OP_BYTES + PLAN_DEVICE_BYTES * (gint64) road->from->n_devices;

  return tp_room_check (road->model->graph->n_nodes * each_bytes,
                        "to plan this model", error);
}

static gboolean
pin_and_fuse (Road *road, GError **error)
{
  g_autoptr (TpGraph) pinned = NULL;

  if (!check_rules (road->options->no_fuse, error)
      || !check_room (road, error))
    return FALSE;
  pinned = tp_graph_pin (road->model->graph, road->options->pins, error);
  road->graph = pinned == NULL
                    ? NULL
                    : tp_graph_stream (pinned, road->streamed,
                                       road->streamed_from, error);
  if (road->graph == NULL)
    return FALSE;
  road->groups = tp_fuse_find (road->graph, road->options->no_fuse);
  return TRUE;
}

/* Of each device; "" of those that depend on nothing. */
static gboolean
gather_facts (Road *road, TpCostDb *db, GError **error)
{
  const TplanCosts *from = road->from;
  const TpMachineInfo *machine = tp_cost_db_get_machine (db);
  gboolean is_real = FALSE;

  road->facts = tp_new0 (char *, from->n_devices + 1);
  for (int i = 0; i < from->n_devices; i++)
    {
      gboolean is_simulated = tp_device_is_simulated (from->devices[i]);

      road->facts[i]
          = is_simulated ? g_strdup ("")
                         : tp_device_match_dup_facts (db, from->devices[i],
                                                      from->n_threads, error);
      if (road->facts[i] == NULL)
        return FALSE;
      is_real |= !is_simulated;
    }
  if (machine != NULL && is_real)
    road->machine = g_strdup (*machine->cpu != 0 ? machine->cpu : "unnamed");
  return TRUE;
}

/* Nothing is measured on a machine that is elsewhere, nor its drivers asked. */
static TpCostDb *
open_table (const Road *road, GError **error)
{
  const TplanCosts *from = road->from;

  if (!from->is_elsewhere)
    return tp_cost_db_open (from->path, !road->options->is_measured, error);
  if (!road->options->is_measured)
    return tp_elsewhere_open (from->path, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s: nothing can be measured on another machine: leave "
               "--level=measure out", from->path);
  return NULL;
}

/* Before the first figure is used. */
static gboolean
make_ready (Road *road, TpCostDb *db, TpCalibOptions *options, GError **error)
{
  if (road->from->is_elsewhere)
    return TRUE;
  return (!road->options->is_measured
          || tp_calibrate (db, road->graph, road->groups, options, error))
         && tp_devices_check (db, options, road->options->asks_drivers, error);
}

static gboolean
wants_rates (const TpRoadOptions *options)
{
  static const char *const wanting[] = { "energy", "price", NULL };

  return options->knows_rates
         || (options->objective != NULL
             && g_strv_contains (wanting, options->objective));
}

/* @warnings gets what is said of figures that are used. */
static gboolean
find_costs (Road *road, GPtrArray *warnings, GError **error)
{
  TpCalibOptions options
      = make_options (road->from, &road->options->watch, warnings);
  g_autoptr (TpCostDb) db = open_table (road, error);
  TpStatedRates rates = road->options->rates;

  rates.machine = db == NULL ? NULL : tp_cost_db_get_machine (db);
  options.is_stale_error = road->options->is_stale_error;
  options.trusts_estimates = road->options->trusts_estimates;
  options.is_raw = road->options->is_exact;
  if (db == NULL || !make_ready (road, db, &options, error)
      || !gather_facts (road, db, error))
    return FALSE;
  road->costs
      = tp_cost_db_lookup (db, road->graph, road->groups, &options, error);
  if (road->costs == NULL
      || !tp_rates_state (road->costs, &rates, wants_rates (road->options),
                          error))
    return FALSE;
  tp_costs_share_copies (road->costs);
  return TRUE;
}

static int
count_unmeasured (const TpCosts *costs)
{
  int n = 0;

  for (int i = 0; i < costs->n_nodes; i++)
    for (int k = 0; k < costs->n_devices; k++)
      if (tp_costs_node (costs, i, k)->is_estimated
          && !tp_device_is_simulated (costs->devices[k]))
        {
          n++;
          break;
        }
  return n;
}

static gboolean
take_notes (const Road *road, TpRoadNotes *notes, GError **error)
{
  const char *path = tp_get_model_name (road->model);
  int n = count_unmeasured (road->costs);

  notes->n_ops = road->costs->n_nodes;
  if (n == 0 || !road->options->is_stale_error)
    {
      notes->n_unmeasured = n;
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_STALE,
               "%s: %d of %d ops are not measured: run `tplan calibrate` with "
               "it",
               path, n, notes->n_ops);
  return FALSE;
}

static void
sign_origin (const Road *road, TpPlan *plan)
{
  g_strfreev (plan->no_fuse);
  plan->no_fuse = g_strdupv ((char **) road->options->no_fuse);
  g_strfreev (plan->origin.facts);
  g_free (plan->origin.machine);
  plan->origin = (TpPlanOrigin){
    .n_threads = road->from->n_threads,
    .is_exact = road->options->is_exact,
    .trusts_estimates = road->options->trusts_estimates,
    .facts = g_strdupv (road->facts),
    .machine = g_strdup (road->machine),
  };
}

/* What this road streams, or what its model did already. */
static void
sign_streamed (const Road *road, TpPlan *plan)
{
  gboolean is_own = road->streamed != NULL;

  g_strfreev (plan->streamed);
  g_free (plan->streamed_from);
  plan->streamed
      = tp_strdupv (is_own ? road->streamed
                           : (const char *const *) road->model->streamed);
  plan->streamed_from = g_strdup (is_own ? road->streamed_from
                                         : road->model->streamed_from);
}

/* What a plan remembers of how it was made. */
static void
sign_plan (const Road *road, TpPlan *plan)
{
  g_free (plan->graph_path);
  plan->graph_path = g_strdup (road->model->path);
  g_clear_pointer (&plan->dims, tp_dims_unref);
  if (road->model->dims != NULL)
    plan->dims = tp_dims_ref (road->model->dims);
  g_strfreev (plan->pins);
  plan->pins = g_strdupv ((char **) road->options->pins);
  g_strfreev (plan->no_pass);
  plan->no_pass = g_strdupv (road->model->no_pass);
  sign_streamed (road, plan);
}

static TpPlan *
choose (const Road *road, const gint64 *limits, GError **error)
{
  const char *objective = road->options->objective;
  const TpPlaceOptions options = {
    .objective = objective == NULL ? "time" : objective,
    .aims = road->options->aims,
    .heeds_noise = !road->options->is_exact,
    .limits = limits,
    .n_cuts = road->options->n_cuts,
  };

  return tp_place_with (road->graph, road->groups, road->costs, &options,
                        error);
}

/* What the plan says that it keeps to, where that did not make it dearer. */
static void
take_asked (TpPlan *plan, TpMemoryLimits *limits, const TpMemoryTexts *texts)
{
  gboolean has_limits = texts->limits != NULL && texts->limits[0] != NULL;

  if (plan->memory_limits == NULL && (has_limits || limits->reserves != NULL))
    plan->memory_limits = g_steal_pointer (&limits->asked);
  plan->memory_reserves = g_steal_pointer (&limits->reserves);
}

/* Within what is asked for, which the plan says, and what there is, which it says
 * where it made the plan dearer. */
static TpPlan *
choose_within (Road *road, GError **error)
{
  const TpMemoryTexts *texts = &road->options->memory;
  gboolean is_free = road->options->ignores_memory;
  g_auto (TpMemoryLimits) limits = { NULL, NULL, NULL };
  TpPlan *plan;

  if (!tp_memory_limits_init (&limits, road->costs, texts, error))
    return NULL;
  plan = choose (road, is_free ? NULL : limits.all, error);
  if (plan != NULL && !is_free)
    take_asked (plan, &limits, texts);
  road->limits = g_steal_pointer (&limits.all);
  return plan;
}

static TplanPlan *
place (Road *road, GError **error)
{
  g_autoptr (TpPlan) plan = choose_within (road, error);
  g_autoptr (TplanGraph) wrap = NULL;

  if (plan == NULL)
    {
      g_prefix_error (error, "%s: ", tp_get_model_name (road->model));
      return NULL;
    }
  sign_plan (road, plan);
  sign_origin (road, plan);
  if (plan->peak_bytes == NULL)
    tp_plan_count_memory (plan, road->graph);
  wrap = tp_api_wrap_graph_of (g_steal_pointer (&road->graph), plan);
  return tp_api_wrap_plan (g_steal_pointer (&plan), g_steal_pointer (&wrap));
}

/* FALSE: it is to stop there. */
static gboolean
enter_stage (const Road *road, int stage, const char *what, GError **error)
{
  const TpRoadOptions *options = road->options;

  if (options->tell != NULL)
    options->tell (stage, N_STAGES, what, 0, options->watch.user_data);
  if (options->watch.cancelled == NULL
      || g_atomic_int_get (options->watch.cancelled) == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED,
               "%s: planning was stopped", tp_get_model_name (road->model));
  return FALSE;
}

/* To its end; what was found on the way stays in @road. */
static gboolean
take (Road *road, TpTaken *out, GError **error)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);

  if (!enter_stage (road, 0, "fusing ops", error)
      || !pin_and_fuse (road, error)
      || !enter_stage (road, 1, "looking up times", error)
      || !find_costs (road, warnings, error))
    return FALSE;
  out->notes.warnings = g_steal_pointer (&warnings);
  if (take_notes (road, &out->notes, error)
      && enter_stage (road, 2, "placing ops", error))
    out->plan = place (road, error);
  return out->plan != NULL;
}

/* ---- streaming ---------------------------------------------------------- */

static gboolean
check_streams (const TpRoadOptions *options, GError **error)
{
  if (!options->streams_weights || options->objective == NULL
      || strcmp (options->objective, "time") == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "weights are streamed for the objective 'time', not for '%s': "
               "leave one of both out", options->objective);
  return FALSE;
}

/* Whether limits made @taken, which may have no plan, dearer. */
static gboolean
is_bound (const Road *road, const TpTaken *taken)
{
  const TpPlan *plan
      = taken->plan == NULL ? NULL : tp_api_get_plan (taken->plan);

  return plan == NULL || plan->memory_proof != NULL
         || (plan->memory_limits != NULL && road->costs->n_devices > 2);
}

static gboolean
may_stream (const Road *road, const TpTaken *taken)
{
  return road->options->streams_weights && !road->options->ignores_memory
         && road->model->streamed == NULL && road->limits != NULL
         && is_bound (road, taken);
}

/* A TpStreamSearch.take. */
static gboolean
take_streamed (gpointer data, const char *const *streamed, TpTaken *out,
               GError **error)
{
  const Road *first = data;
  g_auto (Road) road = { .model = first->model, .from = first->from,
                         .options = first->options, .streamed = streamed,
                         .streamed_from
                         = first->costs->devices[first->costs->host] };

  return take (&road, out, error);
}

/* Of what would stream, if only there were a device to stream from. */
static void
warn_no_host (TpRoadNotes *notes)
{
  g_ptr_array_add (notes->warnings,
                   g_strdup ("no weights are streamed: none of these devices "
                             "works in host memory"));
}

/* Of what might stream, if it were measured. */
static void
warn_unmeasured (TpRoadNotes *notes)
{
  g_ptr_array_add (notes->warnings,
                   g_strdup ("kernels that read streamed weights are not "
                             "measured, and win nothing from those that are: "
                             "measure them with `tplan optimize "
                             "--level=measure`"));
}

/* @best becomes what is cheapest of that and those with weights streamed; *@error,
 * which says why @road led nowhere, goes where there is one. */
static void
stream (const Road *road, TpTaken *best, GError **error)
{
  TpStreamSearch search = { take_streamed, (gpointer) road,
                            road->model->graph, road->limits, 0 };
  g_autoptr (GError) local = NULL;

  if (road->costs->host == TP_COSTS_HOST)
    warn_no_host (&best->notes);
  else if (!tp_stream_search (&search, best, &local))
    {
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&local));
    }
  else if (best->plan != NULL)
    g_clear_error (error);
  if (best->plan != NULL && tp_api_get_plan (best->plan)->streamed == NULL
      && search.n_unmeasured > best->notes.n_unmeasured)
    warn_unmeasured (&best->notes);
}

TplanPlan *
tp_road_plan (const TplanGraph *graph, const TplanCosts *costs,
              const TpRoadOptions *options, TpRoadNotes *out_notes,
              GError **error)
{
  g_auto (Road) road = { .model = graph, .from = costs, .options = options };
  g_auto (TpTaken) best = { NULL };
  g_autoptr (GError) local = NULL;

  if (check_streams (options, &local)
      && (take (&road, &best, &local)
          || g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE))
      && may_stream (&road, &best))
    stream (&road, &best, &local);
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
count_model (Road *road, TpCostDb *db, TpCalibOptions *options,
             TpMeasured *measured, GError **error)
{
  options->warnings = NULL;
  options->trusts_estimates = TRUE; /* all are counted */
  road->costs
      = tp_cost_db_lookup (db, road->graph, road->groups, options, error);
  if (road->costs == NULL)
    return FALSE;
  measured->n_groups = road->groups->n_groups;
  count_times (road->costs, road->costs->nodes, road->costs->n_nodes,
               measured);
  count_times (road->costs, road->costs->groups, road->costs->n_groups,
               measured);
  return TRUE;
}

gboolean
tp_road_measure (const TplanCosts *costs, const TplanGraph *graph,
                 const TpWatch *watch, TpMeasured *out_measured,
                 GError **error)
{
  g_auto (Road) road = { .model = graph, .from = costs };
  g_autoptr (TpCostDb) db = NULL;
  TpCalibOptions options = make_options (costs, watch, NULL);

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
      road.graph = tp_graph_ref (graph->graph);
      road.groups = tp_fuse_find (road.graph, NULL);
    }
  return tp_calibrate (db, road.graph, road.groups, &options, error)
         && (graph == NULL || out_measured == NULL
             || count_model (&road, db, &options, out_measured, error));
}
