/* bind.c: see bind.h. */
#include "config.h"

#include "api/bind.h"

#include "api/bind-figures.h"
#include "api/bind-proof.h"
#include "api/elsewhere.h"
#include "calib/accuracy.h"
#include "calib/certain.h"
#include "calib/cost-db.h"
#include "calib/device-match.h"
#include "calib/facts.h"
#include "calib/lookup.h"
#include "calib/trust.h"
#include "ir/guard.h"
#include "planner/check/check.h"
#include "planner/check/check-readings.h"
#include "planner/check/check-groups.h"
#include "planner/check/check-offers.h"
#include "runtime/devices.h"

#include <math.h>
#include <string.h>

/* ---- groups ------------------------------------------------------------- */

static gboolean
are_equal_groups (const TpGroups *a, const TpGroups *b)
{
  if (a->n_groups != b->n_groups)
    return FALSE;
  for (int i = 0; i < a->n_groups; i++)
    if (a->groups[i].n_nodes != b->groups[i].n_nodes
        || memcmp (a->groups[i].nodes, b->groups[i].nodes,
                   a->groups[i].n_nodes * sizeof (int)) != 0)
      return FALSE;
  return TRUE;
}

/* Of @family, of which @costs are, the groups that they say are to be offered; after
 * that they are of these. */
static gboolean
check_choice (TpBind *bind, const TpGroups *family, TpCosts *costs)
{
  g_autoptr (TpGroups) chosen = tp_checker_choose (family, bind->graph, costs);

  return are_equal_groups (chosen, bind->plan->all_groups)
         || tp_bind_fail (bind, "all_groups: by their times others are offered");
}

/* Where the graph and figures of simulated devices say all times. */
static gboolean
check_certain_choice (TpBind *bind)
{
  const TpPlan *plan = bind->plan;
  g_autoptr (TpGroups) family = NULL;
  g_autoptr (TpCosts) costs = NULL;

  for (int i = 0; i < plan->n_devices; i++)
    if (!tp_device_is_simulated (plan->devices[i]))
      return TRUE;
  family = tp_checker_find_groups (bind->graph,
                                   (const char *const *) plan->no_fuse,
                                   (const char *const *) plan->devices);
  if (family->n_groups == plan->all_groups->n_groups)
    return TRUE; /* there are no others */
  costs = tp_costs_find_certain (bind->graph, family,
                                 (const char *const *) plan->devices,
                                 plan->costs->is_mapped, NULL);
  return costs == NULL || check_choice (bind, family, costs);
}

/* ---- figures ------------------------------------------------------------ */

static gboolean
check_flags (TpBind *bind)
{
  const TpPlan *plan = bind->plan;
  gboolean is_simulated = FALSE, is_good = TRUE;

  for (int i = 0; i < plan->n_devices; i++)
    is_simulated |= tp_device_is_simulated (plan->devices[i]);
  if (is_simulated != plan->is_simulated)
    is_good = tp_bind_fail (bind, "simulated: %s, but %s device is",
                            plan->is_simulated ? "true" : "false",
                            is_simulated ? "a" : "no");
  if (is_simulated && plan->costs->speeds != NULL)
    is_good = tp_bind_fail (bind, "speeds: of simulated devices none are known");
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];

      if (it->schedule != NULL
          && tp_device_is_simulated (plan->devices[it->device]))
        is_good = tp_bind_fail (bind, "op '%s': a schedule, but '%s' is simulated",
                                bind->graph->nodes[it->node].name,
                                plan->devices[it->device]);
    }
  return is_good;
}

static TpTrustSigns
find_signs (const TpCost *table, gsize n_cells)
{
  TpTrustSigns signs = { FALSE, FALSE };

  for (gsize i = 0; i < n_cells; i++)
    {
      signs.has_guesses |= table[i].is_estimated;
      signs.has_gaps |= table[i].time_ns == TP_COST_NONE;
    }
  return signs;
}

/* Most plans have neither, which is seen in one walk for all devices. */
static TpTrustSigns
find_all_signs (const TpCosts *costs)
{
  gsize n = (gsize) costs->n_devices;
  TpTrustSigns nodes = find_signs (costs->nodes, n * costs->n_nodes);
  TpTrustSigns groups = find_signs (costs->groups, n * costs->n_groups);

  return (TpTrustSigns){ nodes.has_guesses || groups.has_guesses,
                         nodes.has_gaps };
}

/* A guess is never sure of itself. */
static gboolean
check_guesses (TpBind *bind, const TpCost *table, int n_rows, int device)
{
  const TpPlan *plan = bind->plan;

  for (int i = 0; i < n_rows; i++)
    {
      const TpCost *cost = &table[(gsize) i * plan->n_devices + device];

      if (cost->is_estimated && cost->time_ns != TP_COST_NONE
          && cost->time_ns >= 100 && cost->spread_ns == 0)
        return tp_bind_fail (bind, "'%s': an estimate of %" G_GINT64_FORMAT
                             " ns without a spread: no real device has such",
                             plan->devices[device], cost->time_ns);
    }
  return TRUE;
}

/* An estimate is kept between the dearest op of its group and all of them. */
static gboolean
check_group_guesses (TpBind *bind, int device)
{
  const TpCosts *costs = bind->plan->costs;

  for (int g = 0; g < bind->groups->n_groups; g++)
    {
      const TpGroup *group = &bind->groups->groups[g];
      const TpCost *cost = tp_costs_group (costs, g, device);
      gint64 sum = 0, most = 0;

      if (cost->time_ns == TP_COST_NONE || !cost->is_estimated)
        continue;
      for (int i = 0; i < group->n_nodes; i++)
        {
          gint64 time_ns
              = tp_costs_node (costs, group->nodes[i], device)->time_ns;

          most = MAX (most, time_ns);
          sum = MIN (sum + MIN (time_ns, G_MAXINT64 / 64), G_MAXINT64 / 2);
        }
      if (cost->time_ns < most || cost->time_ns > sum)
        return tp_bind_fail (bind, "group of '%s' on '%s': an estimate that its "
                             "ops rule out",
                             bind->graph->nodes[group->nodes[0]].name,
                             costs->devices[device]);
    }
  return TRUE;
}

/* Nothing is moved in no time: a measured copy takes a nanosecond at least. */
static gboolean
check_copies (TpBind *bind, int device)
{
  const TpCosts *costs = bind->plan->costs;

  for (int i = 0; i < costs->n_tensors; i++)
    {
      const TpTensor *tensor = &bind->graph->tensors[i];

      if ((tp_costs_feed (costs, i, device)->time_ns > 0
           && tp_costs_fetch (costs, i, device)->time_ns > 0)
          || tp_tensor_is_resident (tensor) || tensor->n_copies > 0)
        continue;
      return tp_bind_fail (bind, "tensor '%s': copies to or from '%s' for 0 ns",
                           tensor->name, costs->devices[device]);
    }
  return TRUE;
}

static gboolean
check_device (TpBind *bind, int device, gboolean is_guessing)
{
  const TpCosts *costs = bind->plan->costs;
  const char *name = costs->devices[device];
  const char *const *facts = (const char *const *) bind->plan->origin.facts;

  if (tp_device_is_simulated (name))
    return facts == NULL || *facts[device] == 0
           || tp_bind_fail (bind, "facts: '%s' is simulated, and depends on none",
                            name);
  if (facts == NULL || *facts[device] == 0)
    return tp_bind_fail (bind, "facts: none of device '%s'", name);
  return (!is_guessing
          || (check_guesses (bind, costs->nodes, costs->n_nodes, device)
              && check_guesses (bind, costs->groups, costs->n_groups, device)
              && check_group_guesses (bind, device)))
         && (device == costs->host || check_copies (bind, device));
}

static void
copy_figures (TpCosts *to, const TpCosts *from)
{
  gsize n = from->n_devices;

  memcpy (to->nodes, from->nodes, n * from->n_nodes * sizeof (TpCost));
  memcpy (to->groups, from->groups, n * from->n_groups * sizeof (TpCost));
  for (int i = 0; i < from->n_tensors; i++)
    {
      memcpy (tp_costs_feed (to, i, 0), tp_costs_feed (from, i, 0),
              n * sizeof (TpCost));
      memcpy (tp_costs_fetch (to, i, 0), tp_costs_fetch (from, i, 0),
              n * sizeof (TpCost));
    }
  to->host = from->host;
  if (from->is_mapped != NULL)
    to->is_mapped = tp_memdup (from->is_mapped, n * sizeof (gboolean));
  if (from->kernels != NULL)
    to->kernels = tp_memdup (from->kernels, (from->n_nodes + from->n_groups)
                                                * sizeof (int));
}

/* Estimates that should have been left out, or groups without their ops. */
static gboolean
check_trust (TpBind *bind, const TpTrustSigns *signs)
{
  const TpPlan *plan = bind->plan;
  g_autoptr (TpCosts) again = NULL;

  if (plan->origin.trusts_estimates
      || !tp_trust_has_doubts (plan->costs, bind->groups, signs))
    return TRUE;
  again = tp_costs_new (plan->n_devices, (const char *const *) plan->devices,
                        bind->graph, bind->groups);
  copy_figures (again, plan->costs);
  tp_trust_measured (again, bind->graph, bind->groups);
  return tp_bind_compare (bind, again, "estimates untrusted leave");
}

/* What no whole can have told: of devices that are not real, or of --exact. */
static gboolean
check_factor (TpBind *bind, int device)
{
  const TpPlan *plan = bind->plan;
  const TpCostErrors *errors = plan->costs->errors;
  gboolean is_real = !tp_device_is_simulated (plan->devices[device]);

  return errors->factors[device] == (gint64) TP_COST_BILLION
         || (errors->n_wholes[device] > 0 && is_real && !plan->origin.is_exact)
         || tp_bind_fail (bind, "factors: '%s' has one, and no whole told it",
                          plan->devices[device]);
}

/* Rounded, as all of them are. */
static gboolean
check_covariance (TpBind *bind, int device, int other)
{
  const TpPlan *plan = bind->plan;
  const gint64 *covariances = plan->costs->errors->covariances;
  int n = plan->n_devices;
  double own = (double) covariances[device * n + device];
  double others = (double) covariances[other * n + other];
  double both = (double) covariances[device * n + other];
  gboolean is_real = !tp_device_is_simulated (plan->devices[device]);

  return (both == (double) covariances[other * n + device] && own >= 0
          && others >= 0 && fabs (both) <= sqrt (own * others) + 1
          && (own > 0) == is_real && (is_real || both == 0))
         || tp_bind_fail (bind, "covariances: those of '%s' and '%s' cannot be",
                          plan->devices[device], plan->devices[other]);
}

static gboolean
check_errors (TpBind *bind)
{
  int n = bind->plan->n_devices;
  gboolean is_good = TRUE;

  if (bind->plan->costs->errors == NULL)
    return TRUE;
  for (int i = 0; i < n; i++)
    {
      is_good &= check_factor (bind, i);
      for (int k = 0; k < n; k++)
        is_good &= check_covariance (bind, i, k);
    }
  return is_good;
}

static gboolean
check_figures (TpBind *bind)
{
  const TpPlan *plan = bind->plan;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpCosts) certain
      = tp_costs_find_certain_to_read (bind->graph, bind->groups,
                                       (const char *const *) plan->devices,
                                       plan->costs->is_mapped, &error);
  TpTrustSigns signs = find_all_signs (plan->costs);
  gboolean is_good;

  if (certain == NULL)
    return tp_bind_fail (bind, "devices: %s", error->message);
  if (plan->origin.is_exact)  /* not drawn together */
    g_clear_pointer (&certain->kernels, g_free);
  is_good = tp_bind_compare (bind, certain, "it should be");
  if (plan->is_simulated
      && (plan->costs->is_same_silicon || plan->costs->has_own_processors))
    is_good = tp_bind_fail (bind, "same_silicon: devices are simulated");
  for (int i = 0; i < plan->n_devices; i++)
    is_good &= check_device (bind, i, signs.has_guesses);
  return check_errors (bind) && is_good && check_trust (bind, &signs)
         && check_certain_choice (bind);
}

/* ---- what is worked out from placements --------------------------------- */

static gboolean
compare_bytes (TpBind *bind, const char *key, const gint64 *have,
               const gint64 *want)
{
  for (int i = 0; i < bind->plan->n_devices; i++)
    if (have[i] != want[i])
      return tp_bind_fail (bind, "%s: %" G_GINT64_FORMAT " on '%s', counted %"
                           G_GINT64_FORMAT, key, have[i],
                           bind->plan->devices[i], want[i]);
  return TRUE;
}

/* Kernels with larger errors are in plans that say so, and in no others. */
static void
check_accuracy (TpBind *bind)
{
  for (int i = 0; i < bind->plan->n_placements; i++)
    {
      const TpPlacement *it = &bind->plan->placements[i];

      if (!bind->plan->origin.is_relaxed && it->schedule != NULL
          && tp_accuracy_is_relaxed (it->schedule))
        tp_bind_fail (bind, "op '%s': schedule '%s' has larger errors, which a "
                      "plan has with accuracy \"relaxed\" alone",
                      bind->graph->nodes[it->node].name, it->schedule);
    }
}

static gboolean
check_memory (TpBind *bind, const TpBindProof *proof)
{
  const TpPlan *plan = bind->plan;
  gboolean has_peaks = plan->peak_bytes == NULL
                       || compare_bytes (bind, "peak_bytes", plan->peak_bytes,
                                         proof->counted.peak_bytes);
  gboolean has_weights
      = plan->weight_bytes == NULL
        || compare_bytes (bind, "weight_bytes", plan->weight_bytes,
                          proof->counted.weight_bytes);

  return has_peaks && has_weights;
}

static void
add_faults (GPtrArray *reasons, const GPtrArray *faults)
{
  for (guint i = 0; i < faults->len; i++)
    g_ptr_array_add (reasons, g_strdup (faults->pdata[i]));
}

/* What is wrong with the proof alone goes before all else, which it decides on: in a
 * plan that is not proved figures mean nothing. */
gboolean
tp_bind_check_beside (const TpPlan *plan, const TpPlan *unproved,
                      const TpGraph *graph, GPtrArray *reasons)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  TpBind bind = { plan, graph, plan->all_groups, found, 0 };
  g_auto (TpBindProof) proof = { 0 };
  gboolean has_groups;

  tp_bind_proof_begin (&proof, plan, unproved, graph);
  has_groups = tp_checker_check_groups (plan, graph, found);
  if (has_groups)             /* else their figures mean nothing */
    {
      check_flags (&bind);
      check_accuracy (&bind);
      check_figures (&bind);
    }
  tp_bind_proof_help (&proof);
  tp_bind_proof_end (&proof);
  if (has_groups && proof.faults->len == 0)
    check_memory (&bind, &proof);
  add_faults (reasons, proof.faults->len > 0 ? proof.faults : found);
  return proof.faults->len == 0 && found->len == 0;
}

gboolean
tp_bind_check (const TpPlan *plan, const TpGraph *graph, GPtrArray *reasons)
{
  return tp_bind_check_beside (plan, NULL, graph, reasons);
}

/* Enough for figures, groups and flags to be looked at before the proof has. */
static gboolean
has_form (const TpPlan *plan, const TpGraph *graph)
{
  const TpCosts *costs = plan->costs;
  gboolean is_good
      = costs != NULL && plan->all_groups != NULL && plan->groups != NULL
        && plan->n_placements == graph->n_nodes
        && costs->n_nodes == graph->n_nodes
        && costs->n_tensors == graph->n_tensors
        && costs->n_groups == plan->all_groups->n_groups
        && costs->n_devices == plan->n_devices && plan->n_devices > 0
        && costs->host >= TP_COSTS_HOST && costs->host < costs->n_devices;

  for (int i = 0; is_good && i < plan->n_devices; i++)
    is_good = g_strcmp0 (plan->devices[i], costs->devices[i]) == 0;
  for (int i = 0; is_good && i < plan->n_placements; i++)
    is_good = plan->placements[i].node == i && plan->placements[i].device >= 0
              && plan->placements[i].device < plan->n_devices;
  return is_good;
}

gboolean
tp_bind_check_all (const TpPlan *plan, const TpGraph *graph, GPtrArray *reasons)
{
  return has_form (plan, graph) && graph->n_nodes >= TP_BIND_MANY_NODES
             ? tp_bind_check_beside (plan, plan, graph, reasons)
             : tp_check (plan, graph, reasons)
                   && tp_bind_check (plan, graph, reasons);
}

/* ---- the table ---------------------------------------------------------- */

static gboolean
check_facts (TpBind *bind, TpCostDb *db)
{
  const TpPlan *plan = bind->plan;
  gboolean is_good = TRUE;

  for (int i = 0; i < plan->n_devices; i++)
    {
      g_autofree char *now = NULL, *difference = NULL;

      if (tp_device_is_simulated (plan->devices[i]))
        continue;
      now = tp_device_match_dup_facts (db, plan->devices[i],
                                       plan->origin.n_threads, NULL);
      if (now == NULL)
        return tp_bind_fail (bind, "device '%s' is not in the table's machine",
                             plan->devices[i]);
      difference = tp_facts_compare (plan->origin.facts[i], now);
      if (difference != NULL)
        is_good = tp_bind_fail (bind, "device '%s' is another now: %s",
                                plan->devices[i], difference);
    }
  return is_good;
}

/* Of the unit that begins with an op; only the first of a group has one. */
static const char *
find_schedule (const TpBind *bind, const TpCosts *costs,
               const TpPlacement *place, int group)
{
  if (group < 0)
    return tp_costs_node (costs, place->node, place->device)->schedule;
  for (int i = 0; i < bind->groups->n_groups; i++)
    if (bind->groups->groups[i].nodes[0] == place->node)
      return tp_costs_group (costs, i, place->device)->schedule;
  return NULL;
}

static gboolean
check_schedules (TpBind *bind, const TpCosts *costs)
{
  g_autofree int *groups = tp_plan_map_groups (bind->plan, bind->graph);
  gboolean is_good = TRUE;

  for (int i = 0; i < bind->plan->n_placements; i++)
    {
      const TpPlacement *it = &bind->plan->placements[i];
      const char *want = find_schedule (bind, costs, it, groups[it->node]);

      if (g_strcmp0 (it->schedule, want) != 0)
        is_good = tp_bind_fail (bind, "op '%s': schedule '%s', the table has "
                                "'%s'", bind->graph->nodes[it->node].name,
                                it->schedule == NULL ? "none" : it->schedule,
                                want == NULL ? "none" : want);
    }
  return is_good;
}

gboolean
tp_bind_has_schedules (const TpPlan *plan, const TpGraph *graph,
                       const TpCosts *costs)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  TpBind bind = { plan, graph, plan->all_groups, reasons, 0 };

  return check_schedules (&bind, costs);
}

gboolean
tp_bind_check_table (const TpPlan *plan, const TpGraph *graph,
                     const char *path, GPtrArray *reasons, GError **error)
{
  TpBind bind = { plan, graph, plan->all_groups, reasons, reasons->len };
  const TpCalibOptions options
      = { .n_devices = plan->n_devices,
          .devices = (const char *const *) plan->devices,
          .n_threads = plan->origin.n_threads,
          .trusts_estimates = plan->origin.trusts_estimates,
          .is_relaxed = plan->origin.is_relaxed,
          .is_raw = plan->origin.is_exact,
          .is_of_then = TRUE,
          .wants_speeds = plan->costs->speeds != NULL,
          .wants_maps = plan->costs->is_mapped != NULL,
          .wholes_until_us
          = plan->costs->errors == NULL ? 0 : plan->costs->errors->until_us };
  g_autoptr (TpCostDb) db = NULL;
  g_autoptr (TpGroups) family = NULL;
  g_autoptr (TpCosts) costs = NULL;

  if (plan->origin.facts == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "the plan does not say how its figures were looked up: it is "
                   "to be made again");
      return FALSE;
    }
  db = tp_elsewhere_is (path) ? tp_elsewhere_open (path, error)
                              : tp_cost_db_open (path, TRUE, error);
  family = tp_checker_find_groups (graph, (const char *const *) plan->no_fuse,
                                   options.devices);
  costs = db == NULL ? NULL
                     : tp_cost_db_lookup (db, graph, family, &options, error);
  if (costs == NULL || !check_choice (&bind, family, costs))
    return FALSE;
  return (check_facts (&bind, db) & tp_bind_compare (&bind, costs, "the table has")
          & tp_bind_compare_silicon (&bind, costs)
          & tp_bind_compare_mapped (&bind, costs)
          & tp_bind_compare_errors (&bind, costs)
          & tp_bind_compare_speeds (&bind, costs))
         && check_schedules (&bind, costs);
}
