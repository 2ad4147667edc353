/* lookup.c: the costs of a graph, from what was measured.
 *
 * Opens no device: a plan is made in a fraction of the time that loading a
 * driver takes. */
#include "config.h"

#include "calib/lookup.h"

#include "calib/accuracy.h"
#include "calib/columns.h"
#include "calib/correct.h"
#include "calib/estimate.h"
#include "calib/facts.h"
#include "calib/fault.h"
#include "calib/given.h"
#include "calib/keys.h"
#include "calib/posterior.h"
#include "calib/speeds.h"
#include "calib/trust.h"
#include "ir/guard.h"
#include "ir/map.h"
#include "ir/roots.h"
#include "machine/machine-costs.h"
#include "runtime/device.h"
#include "runtime/devices.h"
#include "runtime/threads.h"

#include <math.h>
#include <string.h>

/* ---- one device --------------------------------------------------------- */

typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;
  const TpKeys *keys;         /* (nullable) before a device is measured */
  const TpWorks *works;       /* (nullable) before one is simulated */
  const TpCalibOptions *options;
  TpCosts *costs;
  TpDeviceMatch *match;
  const TpDeviceRow *row;     /* (nullable) of match */
  TpEstimator *estimator;
  const char *device;
  const TpDeviceOps *kind;    /* of device */
  int index;
  gboolean is_elsewhere;      /* the table is of another machine */
  double *expected;           /* as for tp_posterior_draw (); of all devices */
  TpCorrector *corrector;     /* of all devices */
  GPtrArray *rows;            /* [device]: TpDeviceRow, or NULL */
  GPtrArray *faults;          /* [device]: TpFault, or NULL */
  int n_estimated;
  const char *first_estimated; /* label */
} Column;

static gboolean
use_entry (const TpEntryRow *entry, TpCost *cost)
{
  if (entry == NULL)
    return FALSE;
  if (entry->state == TP_ENTRY_FAILED)
    cost->reason = g_intern_string (entry->reason);
  else
    {
      cost->time_ns = entry->stats.median_ns;
      cost->spread_ns = entry->stats.half_ns;
      if (*entry->schedule != 0)
        cost->schedule = g_intern_string (entry->schedule);
    }
  return TRUE;
}

static gboolean
fill_cost (Column *column, const TpKey *key, TpCost *cost, GError **error)
{
  g_autoptr (TpEntryRow) entry = NULL;
  GError *failure = NULL;

  int group = (int) (key - column->keys->keys) - column->keys->n_nodes;

  if (tp_given_use (column->graph,
                    group < 0 ? NULL : &column->groups->groups[group], key,
                    column->device, cost)
      || !tp_key_is_runnable (key, column->device, &cost->reason))
    return TRUE;
  if (key->is_free)
    {
      cost->time_ns = 0;
      return TRUE;
    }
  entry = tp_device_match_find_entry (column->match, key->digest, key->dtype,
                                      &failure);
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (use_entry (entry, cost))
    return TRUE;
  if (column->n_estimated++ == 0)
    column->first_estimated = key->label;
  return tp_estimator_fill (column->estimator, key, cost, error);
}

/* A group costs no less than its dearest node and no more than all of them:
 * else an estimate beside measured nodes would promise gains out of nothing. A
 * node that cannot run here takes its group along. */
static void
bound_group (const Column *column, const TpGroup *group, TpCost *cost)
{
  gint64 sum = 0, most = 0;

  for (int i = 0; i < group->n_nodes; i++)
    {
      const TpCost *node = tp_costs_node (column->costs, group->nodes[i],
                                          column->index);

      if (node->time_ns == TP_COST_NONE)
        {
          *cost = (TpCost){ .time_ns = TP_COST_NONE,
                             .reason = node->reason };
          return;
        }
      sum = MIN (sum + node->time_ns, G_MAXINT64 / 4);
      most = MAX (most, node->time_ns);
    }
  if (cost->time_ns != TP_COST_NONE && cost->is_estimated)
    cost->time_ns = CLAMP (cost->time_ns, most, sum);
}

/* What the roofline has for @group as one, to its nodes apart: log. */
static double
find_expected (const Column *column, const TpGroup *group, const TpKey *key)
{
  double sum = 0;

  for (int i = 0; i < group->n_nodes; i++)
    {
      const TpKey *node = &column->keys->keys[group->nodes[i]];

      if (node->digest != NULL && !node->is_free)
        sum += tp_estimator_roofline_ns (column->estimator, &node->work);
    }
  return key->digest == NULL || sum == 0
             ? NAN
             : log (tp_estimator_roofline_ns (column->estimator, &key->work)
                    / sum);
}

static void
map_transfer (const Column *column, gint64 bytes, TpCost *cells[2])
{
  const TpDeviceRow *row = column->row;
  const TpFit *fits[2] = { &row->map_to_host, &row->map_to_device };

  for (int i = 0; i < 2; i++)
    {
      double time_ns
          = MIN (tp_fit_evaluate_ns (fits[i], (double) bytes), 1e17);
      double off = (double) MIN (row->map_permille, 1000) / 1000;

      *cells[i] = (TpCost){ .time_ns = (gint64) time_ns,
                            .spread_ns = (gint64) (time_ns * off) };
    }
}

static void
estimate_transfer (const Column *column, gint64 bytes, gboolean to_device,
                   TpCost *cell)
{
  const TpFit *fit = NULL;

  if (column->row != NULL && !tp_device_is_host (column->device))
    fit = to_device ? &column->row->to_device : &column->row->to_host;
  cell->time_ns
      = tp_estimator_transfer_ns (column->estimator, bytes, to_device);
  cell->spread_ns
      = (gint64) (cell->time_ns * (fit != NULL ? fit->residual : 1));
  cell->is_estimated = fit == NULL;
}

static void
fill_transfers (Column *column)
{
  TpCosts *costs = column->costs;
  g_autofree gboolean *are_ends = NULL;

  if (column->index == costs->host)
    return; /* feeding it is no more than what every device does then */
  if (column->row != NULL && column->row->map_to_host.n_points > 0
      && column->row->map_to_device.n_points > 0
      && tp_costs_map (costs, column->index))
    are_ends = tp_roots_find_ends (column->graph);
  for (int to_host = 0; to_host < 2; to_host++)
    costs->latencies_ns[to_host * costs->n_devices + column->index]
        = tp_estimator_transfer_ns (column->estimator, 0, !to_host);
  for (int i = 0; i < costs->n_tensors; i++)
    {
      const TpTensor *tensor = &column->graph->tensors[i];
      TpCost *cells[2] = { tp_costs_fetch (costs, i, column->index),
                           tp_costs_feed (costs, i, column->index) };

      if (tp_tensor_is_resident (tensor))
        continue; /* every session has its own copy, made once */
      if (are_ends != NULL && !are_ends[i])
        map_transfer (column, tensor->size_bytes, cells);
      else
        for (int to_device = 0; to_device < 2; to_device++)
          estimate_transfer (column, tensor->size_bytes, to_device,
                             cells[to_device]);
    }
}

static gboolean
fill_column (Column *column, GError **error)
{
  const TpKeys *keys = column->keys;

  for (int i = 0; i < keys->n; i++)
    {
      TpCost *cost = i < keys->n_nodes
                         ? tp_costs_node (column->costs, i, column->index)
                         : tp_costs_group (column->costs, i - keys->n_nodes,
                                           column->index);
      int group;

      if (!fill_cost (column, &keys->keys[i], cost, error))
        return FALSE;
      if (i < keys->n_nodes)
        continue;
      group = i - keys->n_nodes;
      bound_group (column, &column->groups->groups[group], cost);
      column->expected[(gsize) group * column->costs->n_devices
                       + column->index]
          = find_expected (column, &column->groups->groups[group],
                           &keys->keys[i]);
    }
  fill_transfers (column);
  return TRUE;
}

/* ---- what to say of it -------------------------------------------------- */

/* What would help. */
static const char *
find_remedy (const Column *column)
{
  return column->is_elsewhere  ? "calibrate on that machine and export again"
         : column->row != NULL ? "run `tplan calibrate` with this model"
                               : "run `tplan calibrate`";
}

static TpFault *
find_fault (const Column *column)
{
  char *what;

  if (column->match->stale_reason != NULL)
    what = g_strdup_printf ("device '%s': its measurements are stale: %s",
                            column->device, column->match->stale_reason);
  else if (column->n_estimated == 0)
    return NULL;
  else if (column->row == NULL)
    what = g_strdup_printf ("device '%s' was never measured: its times are "
                            "estimates", column->device);
  else
    what = g_strdup_printf ("device '%s': %d of %d times are estimates, such "
                            "as '%s'",
                            column->device, column->n_estimated,
                            column->keys->n, column->first_estimated);
  return tp_fault_new (what, find_remedy (column));
}

/* Drivers that run on a CPU name it. */
gboolean
tp_lookup_is_cpu (const TpDeviceRow *row)
{
  g_autofree char *cpu = tp_facts_dup_cpu_of (row->facts);

  return row->is_host
         || (*cpu != 0 && strstr (row->identity, cpu) != NULL);
}

static gboolean
is_this_cpu (const Column *column)
{
  return column->row != NULL && !tp_device_is_host (column->device)
         && tp_lookup_is_cpu (column->row);
}

gboolean
tp_lookup_leaves_room (const TpCalibOptions *options)
{
  return (gint64) options->n_devices * tp_threads_count (options->n_threads)
         <= tp_threads_count_processors ();
}

/* Worth saying: figures alone do not tell why such a device is no help. And worth
 * remembering, where it is so of all devices. */
static void
note_same_silicon (const Column *column)
{
  TpCosts *costs = column->costs;
  gboolean is_same
      = costs->host >= 0
        && !tp_device_is_simulated (costs->devices[costs->host])
        && is_this_cpu (column);

  if (column->index == costs->host)
    return;
  costs->is_same_silicon &= is_same;
  if (is_same && column->options->warnings != NULL)
    g_ptr_array_add (
        column->options->warnings,
        g_strdup_printf (
            "device '%s' is the CPU that '%s' runs on: moving ops there wins no "
            "second processor%s",
            column->device, costs->devices[costs->host],
            tp_lookup_leaves_room (column->options)
                ? ", but where both work at once, with so few threads"
                : ""));
}

/* What works in host memory takes from it, and so does the processor under another
 * name. Of other devices that do the table does not tell. */
static void
note_pool (const Column *column)
{
  if (tp_device_is_host (column->device) || is_this_cpu (column))
    column->costs->pools[column->index] = g_strdup ("host");
}

static void
note_drawn (const Column *column)
{
  TpCosts *costs = column->costs;
  const TpDeviceRow *row = column->row;

  if (row == NULL || row->busy_mw == 0)
    return;
  if (costs->drawn == NULL)
    costs->drawn = g_new0 (TpDrawn, costs->n_devices);
  costs->drawn[column->index]
      = (TpDrawn){ row->busy_mw, MIN (row->idle_mw, row->busy_mw),
                   row->copy_mw, g_intern_string (row->counters) };
}

static gboolean
note_fault (const Column *column, GError **error)
{
  TpFault *fault = find_fault (column);

  g_ptr_array_index (column->faults, column->index) = fault;
  return fault == NULL || !column->options->is_stale_error
         || tp_fault_fail (fault, error);
}

static gboolean
fill_measured (Column *column, TpCostDb *db, GError **error)
{
  g_auto (TpDeviceMatch) match = { 0 };
  g_autoptr (TpEstimator) estimator = NULL;
  TpCostDb *table;

  if (!tp_device_match_init (&match, db, column->device,
                             column->options->n_threads, error))
    return FALSE;
  column->match = &match;
  column->row = tp_device_match_get_row (column->match, &table);
  if (column->row != NULL)
    {
      column->costs->memory_bytes[column->index] = column->row->memory_bytes;
      g_ptr_array_index (column->rows, column->index)
          = tp_device_row_copy (column->row);
    }
  note_pool (column);
  note_drawn (column);
  estimator = tp_estimator_new (table, column->row, column->kind,
                                column->options->n_threads);
  column->estimator = estimator;
  if (!fill_column (column, error) || !note_fault (column, error)
      || !tp_corrector_read (column->corrector, column->index, column->match,
                             error))
    return FALSE;
  note_same_silicon (column);
  return TRUE;
}

/* Of figures made up by hand that name no link: worth saying, for a device that is
 * meant to be a card would look better than it is. */
static void
note_no_link (const Column *column, const TpMachine *machine)
{
  if (machine->link_gbps > 0 || column->index == column->costs->host
      || column->options->warnings == NULL
      || g_strv_contains (tp_machine_list (), machine->name))
    return;
  g_ptr_array_add (
      column->options->warnings,
      g_strdup_printf ("device '%s' has no link: it works in host memory, and a "
                       "copy is read and written at its %g GB/s; with "
                       "link=12GB/s+8us it would be a card",
                       column->device, machine->bandwidth_gbps));
}

static gboolean
fill_simulated (Column *column, GError **error)
{
  g_autoptr (TpMachine) machine = tp_machine_parse (
      column->device + strcspn (column->device, ":") + 1, error);

  if (machine == NULL)
    return FALSE;
  column->costs->is_same_silicon = FALSE;
  note_no_link (column, machine);
  tp_machine_fill_costs (machine, column->index, column->works, column->costs);
  return TRUE;
}

static gboolean
fill (Column *column, TpCostDb *db, GError **error)
{
  return column->kind->is_simulated ? fill_simulated (column, error)
                                    : fill_measured (column, db, error);
}

/* Bad figures are for fill_simulated () to tell. */
static gboolean
works_in_host_memory (const char *device)
{
  g_autoptr (TpMachine) machine = NULL;

  if (!tp_device_is_simulated (device))
    return tp_device_is_host (device);
  machine = tp_machine_parse (strchr (device, ':') + 1, NULL);
  return machine != NULL && machine->link_gbps <= 0;
}

int
tp_lookup_find_host (const char *const *devices, int n_devices)
{
  for (int i = 0; i < n_devices; i++)
    if (works_in_host_memory (devices[i]))
      return i;
  return TP_COSTS_HOST;
}

/* ---- noise --------------------------------------------------------------- */

int *
tp_lookup_number_kernels (const TpKeys *keys)
{
  g_autoptr (TpMap) numbers
      = tp_map_new (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree int *kernels = tp_new0 (int, keys->n + 1);

  for (int i = 0; i < keys->n; i++)
    {
      const TpKey *key = &keys->keys[i];
      g_autofree char *name = NULL;

      if (key->digest == NULL)
        continue;
      name = g_strconcat (key->digest, " ", key->dtype, NULL);
      kernels[i] = GPOINTER_TO_INT (tp_map_lookup (numbers, name));
      if (kernels[i] != 0)
        continue;
      kernels[i] = i + 1;
      tp_map_insert (numbers, g_steal_pointer (&name),
                     GINT_TO_POINTER (kernels[i]));
    }
  return g_steal_pointer (&kernels);
}

/* Estimates of groups stay between their nodes, which have moved. */
static void
bound_groups (TpCosts *costs, const TpGroups *groups)
{
  for (int d = 0; d < costs->n_devices; d++)
    {
      const Column column = { .costs = costs, .index = d };

      for (int g = 0; g < costs->n_groups; g++)
        if (!tp_device_is_simulated (costs->devices[d]))
          bound_group (&column, &groups->groups[g],
                       tp_costs_group (costs, g, d));
    }
}

/* What figures are likely to be, by those of their kind and by whole plans. */
static void
heed_noise (const Column *column)
{
  TpCosts *costs = column->costs;
  g_autofree char *network = tp_keys_find_network (column->keys);

  if (!column->options->is_raw)
    {
      costs->kernels = tp_lookup_number_kernels (column->keys);
      tp_posterior_draw (costs, column->groups, column->expected);
    }
  tp_corrector_apply (column->corrector, costs, column->graph, column->groups,
                      network);
  if (!column->options->is_raw)
    bound_groups (costs, column->groups);
}

static double *
new_expected (const TpCosts *costs)
{
  gsize n = (gsize) costs->n_groups * costs->n_devices;
  double *expected = tp_new (double, n + 1);

  for (gsize i = 0; i < n; i++)
    expected[i] = NAN;
  return expected;
}

static gboolean
fill_all (Column *column, TpCostDb *db, TpKeys **keys, TpWorks **works,
          GError **error)
{
  for (int i = 0; i < column->options->n_devices; i++)
    {
      column->device = column->options->devices[i];
      column->index = i;
      column->n_estimated = 0;
      column->row = NULL;
      /* whether there is one here, the session will say */
      column->kind = tp_device_find_kind (column->device, error);
      if (column->kind == NULL)
        return FALSE;
      if (!column->kind->is_simulated && *keys == NULL)
        *keys = tp_keys_new (column->graph, column->groups, FALSE);
      if (column->kind->is_simulated && *works == NULL)
        *works = tp_works_new (column->graph, column->groups);
      column->keys = *keys;
      column->works = *works;
      if (!fill (column, db, error))
        return FALSE;
    }
  return TRUE;
}

TpCosts *
tp_cost_db_lookup (TpCostDb *db, const TpGraph *graph, const TpGroups *groups,
                   const TpCalibOptions *options, GError **error)
{
  g_autoptr (TpCosts) costs = tp_costs_new (options->n_devices,
                                            options->devices, graph, groups);
  g_autofree double *expected = new_expected (costs);
  g_autoptr (TpCorrector) corrector = tp_corrector_new (options);
  g_autoptr (TpKeys) keys = NULL;
  g_autoptr (TpWorks) works = NULL;
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_device_row_free);
  g_autoptr (GPtrArray) faults
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tp_fault_free);
  Column column = { .graph = graph, .groups = groups, .options = options,
                    .costs = costs, .expected = expected,
                    .corrector = corrector, .rows = rows,
                    .faults = faults,
                    .is_elsewhere = tp_cost_db_get_machine (db) != NULL };

  tp_accuracy_set (db, options->is_relaxed);
  g_ptr_array_set_size (rows, options->n_devices);
  g_ptr_array_set_size (faults, options->n_devices);
  costs->host = tp_lookup_find_host (options->devices, options->n_devices);
  if (options->wants_maps)
    costs->is_mapped = tp_new0 (gboolean, costs->n_devices + 1);
  costs->is_same_silicon = options->n_devices > 1;
  if (!fill_all (&column, db, &keys, &works, error))
    return NULL;
  costs->has_own_processors
      = costs->is_same_silicon && tp_lookup_leaves_room (options) && !column.is_elsewhere;
  if (options->wants_speeds)
    tp_speeds_fill (costs, (TpDeviceRow *const *) rows->pdata);
  if (keys != NULL)
    heed_noise (&column);
  for (int i = 0; i < options->n_devices; i++)
    tp_costs_take_given (costs, graph, groups, i);
  if (!tp_costs_has_mapped (costs))
    g_clear_pointer (&costs->is_mapped, g_free);
  if (!options->trusts_estimates)
    tp_trust_measured (costs, graph, groups);
  tp_faults_report (faults, costs, options->warnings);
  tp_costs_seal (costs);
  return g_steal_pointer (&costs);
}
