/* calibrate.c: what must be measured, in which order, and what to do when a
 * driver does not survive it.
 *
 * First the constants of every device the table does not know; then the graph as
 * a plan would run it, fused, and its nodes one by one, which the gains of fusion
 * are reckoned from. Each is done by a child; a child that ends early
 * costs the kernel it was at, and the next one goes on without it. */
#include "config.h"

#include "calib/calibrate.h"

#include "calib/account.h"
#include "calib/calibration.h"
#include "calib/child.h"
#include "calib/columns.h"
#include "calib/inbox.h"
#include "calib/links.h"
#include "calib/measure-steps.h"
#include "calib/once.h"
#include "calib/pairs.h"
#include "calib/patience.h"
#include "calib/plausible.h"
#include "calib/samples.h"
#include "calib/tune.h"
#include "graph/graph-draw.h"
#include "ir/guard.h"
#include "runtime/devices.h"

#include <string.h>

#define BATCH_MAX 24
#define COMPILE_STEPS 12      /* of a kernel by an OpenCL driver */

/* ---- children ----------------------------------------------------------- */

/* They see the part of a TpCalibration that they know. */
static void
measure_work (TpChannel *channel, gpointer data)
{
  tp_measure_work (channel, &((TpCalibration *) data)->measure);
}

static void
watts_work (TpChannel *channel, gpointer data)
{
  tp_watts_work (channel, &((TpCalibration *) data)->watts);
}

/* ---- watts --------------------------------------------------------------- */

/* A driver that does not survive it has none; behind it, another child goes on. */
static gboolean
measure_watts (TpCalibration *self, GError **error)
{
  int n = self->devices->len;

  while (tp_child_wait_for_turn (self))
    ;
  self->n_total += tp_calibration_is_over (self) ? 0 : n;
  for (int first = 0; first < n && !tp_calibration_is_over (self);)
    {
      self->watts = (TpWattsJob){
        .n_threads = self->options->n_threads,
        .first = first,
        .n_devices = n,
        .devices = (const char *const *) self->devices->pdata,
      };
      if (!tp_child_run (self, watts_work, error))
        return FALSE;
      if (tp_child_is_broken (self))
        tp_inbox_warn (self, tp_child_describe_end (self));
      first = tp_child_is_broken (self)
                  ? MAX (first, MIN (self->end.beat.device, n - 1)) + 1 : n;
    }
  return TRUE;
}

/* ---- kernels ------------------------------------------------------------ */

/* Whether the time of @key on @device is still to be had. */
static gboolean
is_missing (TpCalibration *self, int device, int key, gboolean *out_missing,
            GError **error)
{
  const TpKey *named = &self->keys->keys[key];
  GError *failure = NULL;
  g_autoptr (TpEntryRow) row = tp_device_match_find_entry (
      &self->matches[device], named->digest, named->dtype, &failure);

  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (row != NULL && row->state == TP_ENTRY_FAILED
      && !tp_plausible_is_doubt (row))
    g_hash_table_add (self->failed[device], g_strdup (named->digest));
  g_free (self->measure.devices[device].schedules[key]);
  self->measure.devices[device].schedules[key]
      = row != NULL ? g_strdup (row->schedule) : NULL;
  *out_missing = row == NULL || tp_plausible_is_doubt (row)
                 || (!self->options->is_brief
                     && (row->state == TP_ENTRY_PROVISIONAL
                         || tp_samples_are_apart (&row->processors,
                                                  &self->measure.least)
                         || tp_samples_are_contended (&row->processors,
                                                      &self->measure.least)));
  return TRUE;
}

/* Whether larger errors are asked for, and such a schedule of @key is still to be
 * timed. One op by itself has but the model's. */
static gboolean
lacks_relaxed (const TpCalibration *self, int device, int key, int pass)
{
  const TpKey *named = &self->keys->keys[key];
  TpAccuracy accuracy = { 0 };

  if (self->options->is_relaxed && pass != TP_PASS_NODES)
    accuracy = tp_device_match_get_accuracy (&self->matches[device],
                                             named->digest, named->dtype);
  return accuracy.may_relax && !accuracy.is_relaxed;
}

static gboolean
plan_pass (TpCalibration *self, int index, int pass, GError **error)
{
  TpMeasureDevice *device = &self->measure.devices[index];
  TpArray *links = tp_links_list (self->keys, device->name,
                                  self->failed[index], pass);

  tp_array_unref (device->passes[pass]);
  device->passes[pass] = links;
  if (self->has_given_up[index])
    tp_array_set_size (links, 0);
  for (guint i = 0; i < links->len; i++)
    {
      int key = tp_array_index (links, int, i);

      if (!is_missing (self, index, key, &device->is_wanted[key], error))
        return FALSE;
      device->is_wanted[key] |= lacks_relaxed (self, index, key, pass);
    }
  /* what is there in several passes is wanted from the first only */
  for (int before = 0; before < pass; before++)
    for (guint i = 0; i < device->passes[before]->len; i++)
      self->is_covered[tp_array_index (device->passes[before], int, i)] = TRUE;
  tp_links_thin (links, device->is_wanted, self->is_covered);
  memset (self->is_covered, 0, self->keys->n * sizeof (gboolean));
  return TRUE;
}

/* *out_n: links to run. */
static gboolean
plan_all (TpCalibration *self, int *out_n, GError **error)
{
  *out_n = 0;
  self->measure.least = tp_once_find_least (self);
  for (guint i = 0; i < self->devices->len; i++)
    {
      TpMeasureDevice *device = &self->measure.devices[i];

      memset (device->is_wanted, 0, self->keys->n * sizeof (gboolean));
      device->name = g_ptr_array_index (self->devices, i);
      device->identity = self->rows[i]->identity;
      device->is_host = self->rows[i]->is_host != 0;
      device->to_device = self->rows[i]->to_device;
      device->to_host = self->rows[i]->to_host;
      device->compile_steps = device->is_host ? 1 : COMPILE_STEPS;
      for (int pass = 0; pass < TP_N_PASSES; pass++)
        {
          if (!plan_pass (self, i, pass, error))
            return FALSE;
          *out_n += device->passes[pass]->len;
        }
    }
  return TRUE;
}

/* Constants anew of devices that are not what they were; *out_n: how many. */
static gboolean
measure_changed (TpCalibration *self, int *out_n, GError **error)
{
  *out_n = tp_once_count_unknown (self);
  return *out_n == 0 || tp_once_measure (self, error);
}

static int
count_steps (const TpCalibration *self)
{
  int n = 0;

  for (guint i = 0; i < self->devices->len; i++)
    n += tp_measure_count_steps (&self->measure, &self->measure.devices[i]);
  return n;
}

/* All of it is to stay within what one may take. */
static gboolean
is_quick (const TpCalibration *self, int n_sittings)
{
  gint64 most_us = tp_patience_get_most_us () * self->devices->len;

  return self->rounds_us <= most_us / n_sittings;
}

/* The same in other processes, once one has come through. */
static gboolean
sit_again (TpCalibration *self, GError **error)
{
  gboolean is_good;

  for (int i = 1; i < tp_once_count_sittings (self) && !tp_calibration_is_over (self); i++)
    {
      if (!is_quick (self, i + 1))
        {
          self->n_done = MIN (self->n_done + count_steps (self), self->n_total);
          continue;
        }
      tp_sittings_begin (self->sittings, i);
      self->measure.least = tp_once_find_least (self);
      self->measure.is_again = TRUE;
      is_good = tp_child_run (self, measure_work, error);
      self->measure.is_again = FALSE;
      if (!is_good)
        return FALSE;
      if (tp_child_is_broken (self))
        return tp_child_blame (self, error);
    }
  return TRUE;
}

/* Until a child comes through; each that does not leaves fewer kernels. */
static gboolean
measure_chains (TpCalibration *self, GError **error)
{
  int n_links, n_changed = 1;

  while (n_changed > 0)
    {
      if (!plan_all (self, &n_links, error))
        return FALSE;
      if (n_links == 0 || tp_calibration_is_over (self))
        return TRUE;
      if (tp_child_wait_for_turn (self))
        continue;
      tp_sittings_begin (self->sittings, 0);
      self->rounds_us = G_MAXINT64; /* unless it says so, it has timed nothing */
      if (!tp_child_run (self, measure_work, error))
        return FALSE;
      if (tp_child_is_broken (self))
        {
          if (!tp_child_blame (self, error))
            return FALSE;
        }
      else if (!measure_changed (self, &n_changed, error)
               || (n_changed == 0 && !sit_again (self, error)))
        return FALSE;
    }
  return TRUE;
}

/* One child; of one that does not come through nothing is kept. */
static gboolean
run_tuning (TpCalibration *self, gboolean *out_is_over, GError **error)
{
  while (tp_child_wait_for_turn (self))
    ;
  *out_is_over = tp_calibration_is_over (self);
  if (*out_is_over)
    return TRUE;
  tp_sittings_begin (self->sittings, 0);
  if (!tp_child_run (self, measure_work, error))
    return FALSE;
  *out_is_over = tp_calibration_is_over (self);
  return !tp_child_is_broken (self) || tp_child_blame (self, error);
}

static gboolean
measure_graph (TpCalibration *self, GError **error)
{
  int n;

  self->timed = tp_graph_draw_recipes ((TpGraph *) self->graph, error);
  if (self->timed == NULL)
    return FALSE;
  self->keys = tp_keys_new (self->graph, self->groups, TRUE);
  self->is_covered = tp_new0 (gboolean, self->keys->n + 1);
  self->measure = (TpMeasureJob){ .graph = self->timed,
                                  .keys = self->keys,
                                  .n_threads = self->options->n_threads,
                                  .is_brief = self->options->is_brief,
                                  .is_relaxed = self->options->is_relaxed,
                                  .n_devices = self->devices->len };
  self->measure.devices = g_new0 (TpMeasureDevice, self->devices->len + 1);
  for (guint i = 0; i < self->devices->len; i++)
    {
      self->measure.devices[i].is_wanted
          = tp_new0 (gboolean, self->keys->n + 1);
      self->measure.devices[i].schedules = tp_new0 (char *, self->keys->n + 1);
      self->measure.devices[i].batch_max = BATCH_MAX;
    }
  if (!plan_all (self, &n, error))
    return FALSE;
  self->n_total += tp_once_count_sittings (self) * count_steps (self);
  return measure_chains (self, error)
         && (!self->options->is_tuning || tp_calibration_is_over (self)
             || tp_tune_graph (self, run_tuning, error));
}

/* ---- all of it ---------------------------------------------------------- */

static void
calibration_init (TpCalibration *self, const TpCalibOptions *options)
{
  self->options = options;
  self->start_us = g_get_monotonic_time ();
  tp_turn_init (&self->turn);
  if (options->time_limit_ns > 0)
    self->deadline_us = self->start_us + options->time_limit_ns / 1000;
  self->sittings = tp_sittings_new ();
  self->transfers = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                           (GDestroyNotify) g_array_unref);
  self->devices = g_ptr_array_new ();
  for (int i = 0; i < options->n_devices; i++)
    if (!tp_device_is_simulated (options->devices[i]))
      g_ptr_array_add (self->devices, (gpointer) options->devices[i]);
  self->matches = g_new0 (TpDeviceMatch, self->devices->len + 1);
  self->rows = g_new0 (TpDeviceRow *, self->devices->len + 1);
  self->is_unknown = g_new0 (gboolean, self->devices->len + 1);
  self->has_given_up = g_new0 (gboolean, self->devices->len + 1);
  self->failed = g_new0 (GHashTable *, self->devices->len + 1);
  for (guint i = 0; i < self->devices->len; i++)
    self->failed[i] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                             NULL);
}

static void
calibration_clear (TpCalibration *self)
{
  tp_turn_leave (&self->turn);
  for (guint i = 0; i < self->devices->len; i++)
    {
      TpMeasureDevice *it;

      tp_device_match_clear (&self->matches[i]);
      tp_device_row_free (self->rows[i]);
      g_hash_table_unref (self->failed[i]);
      if (self->measure.devices == NULL)
        continue;
      it = &self->measure.devices[i];
      for (int j = 0; j < TP_N_PASSES; j++)
        tp_array_unref (it->passes[j]);
      g_free (it->is_wanted);
      for (int k = 0; it->schedules != NULL && k < self->keys->n; k++)
        g_free (it->schedules[k]);
      g_free (it->schedules);
    }
  g_free (self->measure.devices);
  g_free (self->is_covered);
  g_free (self->matches);
  g_free (self->rows);
  g_free (self->is_unknown);
  g_free (self->has_given_up);
  g_free (self->failed);
  tp_sittings_free (self->sittings);
  g_hash_table_unref (self->transfers);
  g_ptr_array_unref (self->devices);
  tp_keys_free (self->keys);
  g_clear_pointer (&self->timed, tp_graph_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCalibration, calibration_clear)

/* Constants may be missing only when there was no time for them. */
static gboolean
check_rows (const TpCalibration *self, GError **error)
{
  for (guint i = 0; i < self->devices->len; i++)
    if (self->rows[i] == NULL)
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                     "device '%s' changed while it was measured: try again",
                     (char *) g_ptr_array_index (self->devices, i));
        return FALSE;
      }
  return TRUE;
}

static gboolean
calibrate (TpCalibration *self, GError **error)
{
  if (!tp_once_match (self, error) || !tp_once_measure (self, error))
    return FALSE;
  if (!tp_calibration_is_over (self)
      && (!check_rows (self, error) || !tp_pairs_measure (self, error)
          || (self->options->wants_watts && !measure_watts (self, error))
          || (self->graph != NULL && !measure_graph (self, error))))
    return FALSE;
  if (self->keys != NULL && !tp_account_count (self, error))
    return FALSE;
  if (!tp_calibration_is_cancelled (self))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED,
               "calibration interrupted; what was measured is kept in %s",
               tp_cost_db_get_path (self->db));
  return FALSE;
}

gboolean
tp_calibrate (TpCostDb *db, const TpGraph *graph, const TpGroups *groups,
              const TpCalibOptions *options, GError **error)
{
  g_auto (TpCalibration) self = { .db = db, .graph = graph, .groups = groups };
  TpWorkload begin;
  gboolean is_good;

  tp_accuracy_set (db, options->is_relaxed);
  tp_workload_read (&begin);
  calibration_init (&self, options);
  is_good = calibrate (&self, error);
  tp_account_add_load (&self.report, &begin);
  if (options->report != NULL)
    tp_calib_report_add (options->report, &self.report);
  return is_good;
}
