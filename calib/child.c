/* child.c: see child.h. */
#include "config.h"

#include "calib/child.h"

#include "calib/columns.h"
#include "calib/inbox.h"

#define HANG_US (60 * G_USEC_PER_SEC)
#define TURN_US (100 * 1000)  /* between two looks */

gboolean
tp_calibration_is_cancelled (const TpCalibration *self)
{
  return self->options->cancelled != NULL
         && g_atomic_int_get (self->options->cancelled) != 0;
}

gboolean
tp_calibration_is_over (const TpCalibration *self)
{
  return tp_calibration_is_cancelled (self)
         || (self->deadline_us != 0
             && g_get_monotonic_time () >= self->deadline_us);
}

static gint64
get_hang_us (const TpCalibration *self)
{
  return self->options->hang_limit_ns > 0
             ? MAX (self->options->hang_limit_ns / 1000, 1)
             : HANG_US;
}

gboolean
tp_child_wait_for_turn (TpCalibration *self)
{
  const TpCalibOptions *options = self->options;
  gboolean has_waited = FALSE;

  while (!tp_turn_try (&self->turn, tp_cost_db_get_path (self->db))
         && !tp_calibration_is_over (self))
    {
      if (!has_waited && options->progress != NULL)
        options->progress (0, 0, "waiting for another calibration", 0,
                           options->user_data);
      has_waited = TRUE;
      g_usleep (TURN_US);
    }
  return has_waited;
}

gboolean
tp_child_run (TpCalibration *self, void (*work) (TpChannel *, gpointer),
              GError **error)
{
  const TpWorker worker = { .work = work,
                            .receive = tp_inbox_receive,
                            .data = self,
                            .deadline_us = self->deadline_us,
                            .hang_us = get_hang_us (self),
                            .cancelled = self->options->cancelled };

  return tp_worker_run (&worker, &self->end, error);
}

char *
tp_child_describe_end (const TpCalibration *self)
{
  guint device = self->end.beat.device;
  g_autofree char *how = tp_worker_end_describe (&self->end,
                                                 get_hang_us (self));

  return g_strdup_printf (
      "device '%s': its driver %s while it was opened and probed",
      device < self->devices->len
          ? (char *) g_ptr_array_index (self->devices, device) : "?", how);
}

gboolean
tp_child_fail_to_open (const TpCalibration *self, GError **error)
{
  g_autofree char *what = tp_child_describe_end (self);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "%s: leave the device out with --devices", what);
  return FALSE;
}

gboolean
tp_child_is_broken (const TpCalibration *self)
{
  return self->end.outcome == TP_OUTCOME_CRASHED
         || self->end.outcome == TP_OUTCOME_HUNG;
}

gboolean
tp_child_blame (TpCalibration *self, GError **error)
{
  const TpBeat *beat = &self->end.beat;
  TpMeasureDevice *device;
  g_autofree char *how = tp_worker_end_describe (&self->end,
                                                 get_hang_us (self));
  g_autoptr (GPtrArray) rows = NULL;
  TpEntryRow *row;

  if (beat->device < 0 || beat->device >= (int) self->devices->len
      || beat->key >= self->keys->n)
    return tp_child_fail_to_open (self, error);
  if (beat->phase == TP_PHASE_OPEN)
    {
      self->has_given_up[beat->device] = TRUE;
      tp_inbox_warn (self, tp_child_describe_end (self));
      return TRUE;
    }
  device = &self->measure.devices[beat->device];
  if (beat->key < 0 || (beat->phase == TP_PHASE_COMPILE
                        && device->batch_max > 1))
    {
      if (device->batch_max == 1)
        {
          self->has_given_up[beat->device] = TRUE;
          tp_inbox_warn (
              self, g_strdup_printf ("device '%s': its driver %s while timing",
                                     device->name, how));
        }
      device->batch_max = 1; /* the next time its name will be known */
      return TRUE;
    }
  row = tp_inbox_make_entry (self, beat->device, beat->key);
  row->state = TP_ENTRY_FAILED;
  row->schedule = g_strdup ("");
  row->reason = g_strdup_printf (
      "the driver %s %s it", how,
      beat->phase == TP_PHASE_COMPILE ? "compiling" : "running");
  g_hash_table_add (self->failed[beat->device], g_strdup (row->digest));
  tp_inbox_warn (self, g_strdup_printf ("device '%s': '%s': %s", device->name,
                               row->label, row->reason));
  rows = g_ptr_array_new_with_free_func ((GDestroyNotify) tp_entry_row_free);
  g_ptr_array_add (rows, row);
  return tp_inbox_store (self, rows, error);
}
