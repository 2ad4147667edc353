/* once.c: see once.h. */
#include "config.h"

#include "calib/once.h"

#include "calib/child.h"
#include "calib/columns.h"
#include "calib/inbox.h"
#include "calib/patience.h"
#include "calib/samples.h"

#include <string.h>

/* It sees the part of a TpCalibration that it knows. */
static void
constants_work (TpChannel *channel, gpointer data)
{
  tp_constants_work (channel, &((TpCalibration *) data)->constants);
}

int
tp_once_count_sittings (const TpCalibration *self)
{
  return self->options->is_brief ? 1 : TP_SITTINGS_MOST;
}

/* A device known to the system table only gets a row in @db too, for what is
 * added to it. */
static gboolean
match_device (TpCalibration *self, int index, GError **error)
{
  TpDeviceMatch *match = &self->matches[index];
  const TpDeviceRow *row;
  TpCostDb *table;

  tp_device_match_clear (match);
  if (!tp_device_match_init (match, self->db,
                             g_ptr_array_index (self->devices, index),
                             self->options->n_threads, error))
    return FALSE;
  row = tp_device_match_get_row (match, &table);
  self->is_unknown[index] = row == NULL || tp_fit_is_poor (&row->to_device)
                            || tp_fit_is_poor (&row->to_host);
  g_clear_pointer (&self->rows[index], tp_device_row_free);
  if (row == NULL)
    return TRUE;
  self->rows[index] = tp_device_row_copy (row);
  return table == self->db
         || tp_cost_db_put_device (self->db, self->rows[index], error);
}

static void
note_least (TpCostDb *db, const TpDeviceRow *row, TpProcessors *least)
{
  TpProcessors its;

  if (row == NULL)
    return;
  tp_cost_db_find_least (db, row->id, &its);
  tp_samples_note_least (least, &its);
}

TpProcessors
tp_once_find_least (const TpCalibration *self)
{
  TpProcessors least = { 0 };

  for (guint i = 0; i < self->devices->len; i++)
    note_least (self->db, self->rows[i], &least);
  for (guint i = 0; i < self->devices->len; i++)
    note_least (self->matches[i].dbs[1], self->matches[i].rows[1], &least);
  return least;
}

int
tp_once_count_unknown (const TpCalibration *self)
{
  int n = 0;

  for (guint i = 0; i < self->devices->len; i++)
    n += self->is_unknown[i];
  return n;
}

#define REMOVE(array, i, n)                                                   \
  memmove (&(array)[i], &(array)[(i) + 1], ((n) - (i)) * sizeof (array)[0])

/* Goes on as if it had not been named. */
static void
drop_device (TpCalibration *self, guint i)
{
  guint n = self->devices->len; /* each array has one more */

  tp_device_match_clear (&self->matches[i]);
  tp_device_row_free (self->rows[i]);
  g_hash_table_unref (self->failed[i]);
  g_ptr_array_remove_index (self->devices, i);
  REMOVE (self->matches, i, n);
  REMOVE (self->rows, i, n);
  REMOVE (self->is_unknown, i, n);
  REMOVE (self->has_given_up, i, n);
  REMOVE (self->failed, i, n);
  self->report.n_lost++;
}

/* A driver that does not survive it costs its device, unless there is no other. */
static gboolean
drop_broken (TpCalibration *self, GError **error)
{
  guint device = self->end.beat.device;
  g_autofree char *what = NULL;

  if (device >= self->devices->len || self->devices->len == 1
      || self->keys != NULL)
    return tp_child_fail_to_open (self, error);
  what = tp_child_describe_end (self);
  tp_inbox_warn (self, g_strdup_printf ("%s: the device is left out", what));
  drop_device (self, device);
  return TRUE;
}

gboolean
tp_once_match (TpCalibration *self, GError **error)
{
  for (guint i = 0; i < self->devices->len; i++)
    if (!match_device (self, i, error))
      return FALSE;
  return TRUE;
}

/* Until a child comes through. */
static gboolean
run_constants (TpCalibration *self, GError **error)
{
  gboolean is_through = FALSE;

  while (!is_through && tp_once_count_unknown (self) > 0)
    {
      self->constants = (TpConstantsJob){
        .n_threads = self->options->n_threads,
        .n_devices = self->devices->len,
        .devices = (const char *const *) self->devices->pdata,
        .is_wanted = self->is_unknown,
        .least = tp_once_find_least (self),
        .is_brief = self->options->is_brief,
      };
      if (!tp_child_run (self, constants_work, error))
        return FALSE;
      is_through = !tp_child_is_broken (self);
      if ((!is_through && !drop_broken (self, error))
          || !tp_once_match (self, error))
        return FALSE;
    }
  return TRUE;
}

/* Copies, by other processes, as long as all stay within what one may take. What
 * these do not come through with, the first did, and it is said. */
static gboolean
copy_again (TpCalibration *self, GError **error)
{
  int n = self->devices->len;
  g_autofree gboolean *is_wanted = g_new0 (gboolean, n + 1);

  for (int i = 0; i < n; i++)
    is_wanted[i] = self->rows[i] != NULL
                   && g_hash_table_contains (
                       self->transfers, g_ptr_array_index (self->devices, i));
  self->constants.is_wanted = is_wanted;
  self->constants.is_again = TRUE;
  for (int i = 1; i < tp_once_count_sittings (self) && !tp_calibration_is_over (self)
                  && g_hash_table_size (self->transfers) > 0
                  && self->transfers_us <= tp_patience_get_most_us () / (i + 1);
       i++)
    {
      if (!tp_child_run (self, constants_work, error))
        return FALSE;
      if (!tp_child_is_broken (self))
        continue;
      tp_inbox_warn (self, tp_child_describe_end (self));
      break;
    }
  self->constants = (TpConstantsJob){ 0 };
  g_hash_table_remove_all (self->transfers);
  return TRUE;
}

gboolean
tp_once_measure (TpCalibration *self, GError **error)
{
  if (tp_once_count_unknown (self) > 0 && tp_child_wait_for_turn (self))
    {
      if (!tp_once_match (self, error))
        return FALSE;
      if (tp_calibration_is_over (self))
        return TRUE;
    }
  self->n_total += tp_once_count_unknown (self);
  if (!run_constants (self, error) || !copy_again (self, error))
    return FALSE;
  for (guint i = self->devices->len; self->keys == NULL && i-- > 0;)
    if (self->rows[i] == NULL && self->has_given_up[i])
      drop_device (self, i);
  return TRUE;
}
