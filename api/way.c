/* way.c: see way.h. */
#include "config.h"

#include "api/way.h"

#include "api/devices.h"
#include "api/elsewhere.h"
#include "api/given-names.h"
#include "api/graph.h"
#include "api/objects.h"
#include "api/plan.h"
#include "calib/calibrate.h"
#include "calib/cost-db.h"
#include "calib/device-match.h"
#include "calib/lookup.h"
#include "calib/trust.h"
#include "graph/graph-batch.h"
#include "graph/graph-stream.h"
#include "ir/guard.h"
#include "ir/near-name.h"
#include "ir/plan-memory.h"
#include "ir/room.h"
#include "planner/offer.h"
#include "planner/fuse.h"
#include "planner/place.h"
#include "runtime/devices.h"

#include <string.h>

/* Of an op, with its arcs, groups and proof; and of each device it can run on. */
#define PLAN_OP_BYTES 1024
#define PLAN_DEVICE_BYTES 256

#define N_STAGES 3

void
tp_way_clear (TpWay *way)
{
  tp_micro_batches_clear (&way->micro_batches);
  g_clear_pointer (&way->no_fuse, g_strfreev);
  g_clear_pointer (&way->split, tp_graph_unref);
  g_clear_pointer (&way->graph, tp_graph_unref);
  g_clear_pointer (&way->family, tp_groups_free);
  g_clear_pointer (&way->groups, tp_groups_free);
  g_clear_pointer (&way->costs, tp_costs_unref);
  g_clear_pointer (&way->limits, g_free);
  g_clear_pointer (&way->machine, g_free);
  g_clear_pointer (&way->facts, g_strfreev);
}

TpCalibOptions
tp_way_make_options (const TplanCosts *costs, const TpWatch *watch,
                     GPtrArray *warnings)
{
  return (TpCalibOptions){ .n_devices = costs->n_devices,
                           .devices = (const char *const *) costs->devices,
                           .n_threads = costs->n_threads,
                           .time_limit_ns = watch->time_limit_ns,
                           .is_tuning = watch->is_tuning,
                           .wants_watts = watch->wants_watts,
                           .is_relaxed = watch->is_relaxed,
                           .is_brief = watch->is_brief,
                           .cancelled = watch->cancelled,
                           .progress = watch->progress,
                           .user_data = watch->user_data,
                           .warnings = warnings };
}

/* ---- planning ----------------------------------------------------------- */

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
check_room (const TpWay *way, GError **error)
{
  gint64 each_bytes
      = PLAN_OP_BYTES + PLAN_DEVICE_BYTES * (gint64) way->from->n_devices;

  return tp_room_check (way->model->graph->n_nodes * each_bytes
                            * MAX (way->micro_batches.n, 1),
                        "to plan this model", error);
}

static const char *const *
get_no_fuse (const TpWay *way)
{
  return way->no_fuse != NULL ? (const char *const *) way->no_fuse
                              : way->options->no_fuse;
}

static gboolean
pin_and_fuse (TpWay *way, GError **error)
{
  g_autoptr (TpGraph) pinned = NULL;

  if (!check_rules (way->options->no_fuse, error)
      || !check_room (way, error)
      || !tp_given_names_check (way->model->graph, error))
    return FALSE;
  pinned = tp_graph_pin (way->model->graph, way->options->pins, error);
  if (pinned == NULL)
    return FALSE;
  way->split = tp_graph_split_batch (pinned, way->micro_batches.sizes,
                                     way->micro_batches.n, error);
  if (way->split == NULL)
    {
      g_prefix_error (error, "%s: ", tp_get_model_name (way->model));
      return FALSE;
    }
  way->graph = tp_graph_stream (way->split, way->streamed, way->streamed_from,
                                error);
  if (way->graph == NULL)
    return FALSE;
  way->family = tp_fuse_find_all (
      way->graph, get_no_fuse (way),
      (const char *const *) way->from->devices);
  way->has_wholes = tp_offer_has_wholes (way->family, way->graph);
  return TRUE;
}

/* Of each device; "" of those that depend on nothing. */
static gboolean
gather_facts (TpWay *way, TpCostDb *db, GError **error)
{
  const TplanCosts *from = way->from;
  const TpMachineInfo *machine = tp_cost_db_get_machine (db);
  gboolean is_real = FALSE;

  way->facts = tp_new0 (char *, from->n_devices + 1);
  for (int i = 0; i < from->n_devices; i++)
    {
      gboolean is_simulated = tp_device_is_simulated (from->devices[i]);

      way->facts[i]
          = is_simulated ? g_strdup ("")
                         : tp_device_match_dup_facts (db, from->devices[i],
                                                      from->n_threads, error);
      if (way->facts[i] == NULL)
        return FALSE;
      is_real |= !is_simulated;
    }
  if (machine != NULL && is_real)
    way->machine = g_strdup (*machine->cpu != 0 ? machine->cpu : "unnamed");
  return TRUE;
}

/* Nothing is measured on a machine that is elsewhere, nor its drivers asked. */
static TpCostDb *
open_table (const TpWay *way, GError **error)
{
  const TplanCosts *from = way->from;

  if (!from->is_elsewhere)
    return tp_cost_db_open (from->path, !way->options->is_measured, error);
  if (!way->options->is_measured)
    return tp_elsewhere_open (from->path, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s: nothing can be measured on another machine: leave "
               "--level=measure out", from->path);
  return NULL;
}

/* Before the first figure is used. */
static gboolean
make_ready (TpWay *way, TpCostDb *db, TpCalibOptions *options, GError **error)
{
  if (way->from->is_elsewhere)
    return TRUE;
  return (!way->options->is_measured
          || tp_calibrate (db, way->graph, way->family, options, error))
         && tp_devices_check (db, options, way->options->asks_drivers, error);
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
find_costs (TpWay *way, GPtrArray *warnings, GError **error)
{
  TpCalibOptions options
      = tp_way_make_options (way->from, &way->options->watch, warnings);
  g_autoptr (TpCostDb) db = open_table (way, error);
  TpStatedRates rates = way->options->rates;

  rates.machine = db == NULL ? NULL : tp_cost_db_get_machine (db);
  options.is_stale_error = way->options->is_stale_error;
  options.trusts_estimates = way->options->trusts_estimates;
  options.is_raw = way->options->is_exact;
  options.report = way->options->report;
  options.wants_maps = !way->is_apart && !way->options->is_apart;
  options.wants_speeds = g_strcmp0 (way->options->objective, "makespan") == 0;
  if (db == NULL
      || (way->costs == NULL && (!make_ready (way, db, &options, error)
                                 || !gather_facts (way, db, error))))
    return FALSE;
  g_clear_pointer (&way->costs, tp_costs_unref);
  way->costs
      = tp_cost_db_lookup (db, way->graph, way->family, &options, error);
  if (way->costs == NULL)
    return FALSE;
  g_clear_pointer (&way->groups, tp_groups_free);
  way->groups = tp_offer_choose (way->family, way->graph, way->costs);
  if (!tp_rates_state (way->costs, &rates, wants_rates (way->options),
                          error))
    return FALSE;
  tp_costs_share_copies (way->costs);
  return TRUE;
}

static int
count_unmeasured (const TpCosts *costs)
{
  int n = 0;

  for (int i = 0; i < costs->n_nodes; i++)
    for (int k = 0; k < costs->n_devices; k++)
      if ((tp_costs_node (costs, i, k)->is_estimated
           || tp_trust_is_doubted (tp_costs_node (costs, i, k)))
          && !tp_device_is_simulated (costs->devices[k]))
        {
          n++;
          break;
        }
  return n;
}

static gboolean
take_notes (const TpWay *way, TpRoadNotes *notes, GError **error)
{
  const char *path = tp_get_model_name (way->model);
  int n = count_unmeasured (way->costs);

  notes->n_ops = way->costs->n_nodes;
  if (n == 0 || !way->options->is_stale_error)
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
sign_origin (const TpWay *way, TpPlan *plan)
{
  g_strfreev (plan->no_fuse);
  plan->no_fuse = g_strdupv ((char **) get_no_fuse (way));
  g_strfreev (plan->origin.facts);
  g_free (plan->origin.machine);
  plan->origin = (TpPlanOrigin){
    .n_threads = way->from->n_threads,
    .is_exact = way->options->is_exact,
    .trusts_estimates = way->options->trusts_estimates,
    .is_relaxed = way->options->watch.is_relaxed,
    .facts = g_strdupv (way->facts),
    .machine = g_strdup (way->machine),
  };
}

/* What this way streams, or what its model did already. */
static void
sign_streamed (const TpWay *way, TpPlan *plan)
{
  gboolean is_own = way->streamed != NULL;

  g_strfreev (plan->streamed);
  g_free (plan->streamed_from);
  plan->streamed
      = tp_strdupv (is_own ? way->streamed
                           : (const char *const *) way->model->streamed);
  plan->streamed_from = g_strdup (is_own ? way->streamed_from
                                         : way->model->streamed_from);
}

/* Likewise. */
static void
sign_micro_batches (const TpWay *way, TpPlan *plan)
{
  tp_micro_batches_clear (&plan->micro_batches);
  plan->micro_batches = tp_micro_batches_copy (
      way->micro_batches.n > 0 ? &way->micro_batches
                               : &way->model->micro_batches);
}

/* What a plan remembers of how it was made. */
static void
sign_plan (const TpWay *way, TpPlan *plan)
{
  g_free (plan->graph_path);
  plan->graph_path = g_strdup (way->model->path);
  g_clear_pointer (&plan->dims, tp_dims_unref);
  if (way->model->dims != NULL)
    plan->dims = tp_dims_ref (way->model->dims);
  g_strfreev (plan->pins);
  plan->pins = g_strdupv ((char **) way->options->pins);
  g_strfreev (plan->no_pass);
  plan->no_pass = g_strdupv (way->model->no_pass);
  g_strfreev (plan->ties);
  plan->ties = g_strdupv (way->model->ties);
  g_strfreev (plan->numbers);
  plan->numbers = g_strdupv (way->model->numbers);
  g_strfreev (plan->cut);
  plan->cut = g_strdupv (way->model->cut);
  sign_micro_batches (way, plan);
  sign_streamed (way, plan);
}

static TpPlan *
choose (TpWay *way, const gint64 *limits, GError **error)
{
  const char *objective = way->options->objective;
  const TpPlaceOptions options = {
    .objective = objective == NULL ? "time" : objective,
    .aims = way->options->aims,
    .heeds_noise = !way->options->is_exact,
    .limits = limits,
    .n_cuts = way->options->n_cuts,
  };

  return tp_place_with (way->graph, way->groups, way->costs, &options,
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

/* Where limits bind, all that is on a device has a place of its own: figures are those
 * of copies. The plan, where they do not. */
static TpPlan *
choose_mapped (TpWay *way, const gint64 *limits, GError **error)
{
  g_autoptr (TpPlan) plan = choose (way, NULL, error);
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);

  if (plan == NULL || limits == NULL)
    return g_steal_pointer (&plan);
  tp_plan_count_memory (plan, way->graph);
  if (tp_plan_fits (plan, limits))
    return g_steal_pointer (&plan);
  way->is_apart = TRUE;
  return find_costs (way, said, error) ? choose (way, limits, error) : NULL;
}

/* Within what is asked for, which the plan says, and what there is, which it says
 * where it made the plan dearer. */
static TpPlan *
choose_within (TpWay *way, GError **error)
{
  const TpMemoryTexts *texts = &way->options->memory;
  gboolean is_free = way->options->ignores_memory;
  g_auto (TpMemoryLimits) limits = { NULL, NULL, NULL };
  TpPlan *plan;

  if (!tp_memory_limits_init (&limits, way->costs, texts, error))
    return NULL;
  plan = (tp_costs_has_mapped (way->costs) ? choose_mapped : choose) (
      way, is_free ? NULL : limits.all, error);
  way->is_bound = plan == NULL || plan->memory_limits != NULL;
  if (plan != NULL && !is_free)
    take_asked (plan, &limits, texts);
  way->limits = g_steal_pointer (&limits.all);
  return plan;
}

static TplanPlan *
place (TpWay *way, GError **error)
{
  g_autoptr (TpPlan) plan = choose_within (way, error);
  g_autoptr (TplanGraph) wrap = NULL;

  if (plan == NULL)
    {
      g_prefix_error (error, "%s: ", tp_get_model_name (way->model));
      return NULL;
    }
  sign_plan (way, plan);
  sign_origin (way, plan);
  if (plan->peak_bytes == NULL)
    tp_plan_count_memory (plan, way->graph);
  wrap = tp_api_wrap_graph_of (g_steal_pointer (&way->graph), plan);
  return tp_api_wrap_plan (g_steal_pointer (&plan), g_steal_pointer (&wrap));
}

/* FALSE: it is to stop there. */
static gboolean
enter_stage (const TpWay *way, int stage, const char *what, GError **error)
{
  const TpRoadOptions *options = way->options;

  if (options->tell != NULL)
    options->tell (stage, N_STAGES, what, 0, options->watch.user_data);
  if (options->watch.cancelled == NULL
      || g_atomic_int_get (options->watch.cancelled) == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED,
               "%s: planning was stopped", tp_get_model_name (way->model));
  return FALSE;
}

static gboolean
take (TpWay *way, TpRoadTaken *out, GError **error)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  char *unused;

  if (!enter_stage (way, 0, "fusing ops", error)
      || !pin_and_fuse (way, error)
      || !enter_stage (way, 1, "looking up times", error)
      || !find_costs (way, warnings, error))
    return FALSE;
  out->notes.warnings = g_steal_pointer (&warnings);
  if (take_notes (way, &out->notes, error)
      && enter_stage (way, 2, "placing ops", error))
    out->plan = place (way, error);
  unused = out->plan == NULL
               ? NULL
               : tp_given_names_find_unused (
                     way->model->graph,
                     (const char *const *) way->from->devices);
  if (unused != NULL)
    g_ptr_array_insert (out->notes.warnings, 0, unused);
  return out->plan != NULL;
}

/* ---- parts of wholes ---------------------------------------------------- */

#define WHOLES "concat"       /* the rule that they are by */

/* Where engines work at once parts of a whole may be better on several. */
static gboolean
may_be_parted (const TpWay *way)
{
  return g_strcmp0 (way->options->objective, "makespan") == 0
         && way->costs->n_devices > 1
         && way->groups->n_groups < way->family->n_groups
         && way->has_wholes;
}

static char **
add_rule (const char *const *rules, const char *rule)
{
  int n = rules == NULL ? 0 : (int) g_strv_length ((char **) rules);
  char **all = g_new0 (char *, n + 2);

  for (int i = 0; i < n; i++)
    all[i] = g_strdup (rules[i]);
  all[n] = g_strdup (rule);
  return all;
}

/* The plan without wholes, where its run ends before that of @best. */
static void
take_parted (const TpWay *way, TpRoadTaken *best)
{
  g_auto (TpRoadTaken) taken = { NULL };
  g_auto (TpWay) parted
      = { .model = way->model,
          .from = way->from,
          .options = way->options,
          .micro_batches = tp_micro_batches_copy (&way->micro_batches),
          .streamed = way->streamed,
          .streamed_from = way->streamed_from,
          .no_fuse = add_rule (way->options->no_fuse, WHOLES) };

  if (take (&parted, &taken, NULL)
      && tp_road_taken_get_cost (&taken) < tp_road_taken_get_cost (best))
    {
      TplanPlan *plan = best->plan;

      best->plan = taken.plan;
      taken.plan = plan;
    }
}

gboolean
tp_way_take (TpWay *way, TpRoadTaken *out, GError **error)
{
  if (!take (way, out, error))
    return FALSE;
  if (may_be_parted (way))
    take_parted (way, out);
  return TRUE;
}
