/* inbox.c: what the children of a calibration say. */
#include "config.h"

#include "calib/inbox.h"

#include "calib/columns.h"
#include "calib/plausible.h"

/* ---- progress ----------------------------------------------------------- */

/* At the pace so far, and no longer than it may take. */
static gint64
find_eta_ns (const TpCalibration *self)
{
  gint64 now_us = g_get_monotonic_time ();
  gint64 eta_us = self->n_done == 0
                      ? 0
                      : (now_us - self->start_us) / self->n_done
                            * (self->n_total - self->n_done);

  if (self->deadline_us != 0)
    eta_us = MIN (eta_us, MAX (self->deadline_us - now_us, 0));
  return eta_us * 1000;
}

static void
report (TpCalibration *self, int steps, const char *what)
{
  self->n_done = MIN (self->n_done + steps, self->n_total);
  if (self->options->progress != NULL)
    self->options->progress (self->n_done, self->n_total, what,
                             find_eta_ns (self), self->options->user_data);
}

void
tp_inbox_warn (TpCalibration *self, char *text)
{
  if (self->options->warnings != NULL)
    g_ptr_array_add (self->options->warnings, text);
  else
    g_free (text);
}

/* ---- what children say -------------------------------------------------- */

TpEntryRow *
tp_inbox_make_entry (TpCalibration *self, int device, int key)
{
  const TpKey *named = &self->keys->keys[key];
  TpEntryRow *row = g_new0 (TpEntryRow, 1);

  row->device = self->rows[device]->id;
  row->digest = g_strdup (named->digest);
  row->dtype = g_strdup (named->dtype);
  row->family = g_strdup (named->family);
  row->label = g_strdup (named->label);
  row->work = named->work;
  row->measured_at = g_get_real_time () / G_USEC_PER_SEC;
  return row;
}

/* What cannot be is a failed entry, with the reason. */
static void
doubt_entry (TpCalibration *self, const TpDeviceRow *device, TpEntryRow *row)
{
  TpBounds bounds;
  char *fault;

  if (row->state == TP_ENTRY_FAILED)
    return;
  tp_plausible_find_bounds (&bounds, device, row->stream_ns);
  fault = tp_plausible_find_fault (&bounds, row);
  if (fault == NULL)
    return;
  tp_inbox_warn (self, g_strdup_printf ("device '%s': '%s': %s", device->name,
                                        row->label, fault));
  g_free (row->reason);
  row->reason = fault;
  row->state = TP_ENTRY_FAILED;
}

static TpEntryRow *
read_entry (TpCalibration *self, GVariant *item)
{
  const char *schedule, *reason;
  int device, key, state, n;
  TpEntryRow *row;
  TpStats stats;
  gint64 fma_ns, stream_ns;
  TpProcessors processors;

  g_variant_get (item, "(iiiixxxxxxxxx&s&s)", &device, &key, &state, &n,
                 &stats.min_ns, &stats.median_ns, &stats.mad_ns,
                 &stats.half_ns, &fma_ns, &stream_ns,
                 &processors.handover_ns, &processors.crowding,
                 &processors.contention, &schedule, &reason);
  if (device < 0 || device >= (int) self->devices->len || key < 0
      || key >= self->keys->n || self->keys->keys[key].digest == NULL
      || state < 0 || state >= TP_N_ENTRY_STATES)
    return NULL;
  if (state != TP_ENTRY_FAILED
      && g_hash_table_contains (self->failed[device],
                                self->keys->keys[key].digest))
    return NULL; /* it has failed in a sitting before this one */
  stats.n = n;
  row = tp_inbox_make_entry (self, device, key);
  row->state = state;
  row->stats = stats;
  row->fma_ns = fma_ns;
  row->stream_ns = stream_ns;
  row->processors = processors;
  row->schedule = g_strdup (schedule);
  row->reason = g_strdup (reason);
  if (state != TP_ENTRY_FAILED)
    tp_sittings_take (self->sittings, row);
  doubt_entry (self, self->rows[device], row);
  if (row->state == TP_ENTRY_FAILED)
    g_hash_table_add (self->failed[device], g_strdup (row->digest));
  return row;
}

static gboolean
keep_device (TpCalibration *self, int device, GError **error)
{
  TpDeviceRow *matched = self->matches[device].rows[0];

  if (self->rows[device] == NULL)
    return TRUE;
  if (!tp_cost_db_keep_device (self->db, self->rows[device], error))
    return FALSE;
  if (matched != NULL)
    matched->id = self->rows[device]->id;
  return TRUE;
}

/* Another process may have forgotten a device since @rows were made, and its
 * number may be that of another one by now. */
static gboolean
keep_devices (TpCalibration *self, GPtrArray *rows, GError **error)
{
  g_autofree gint64 *before = g_new0 (gint64, self->devices->len + 1);

  for (guint i = 0; i < self->devices->len; i++)
    {
      before[i] = self->rows[i] != NULL ? self->rows[i]->id : 0;
      if (!keep_device (self, i, error))
        return FALSE;
    }
  for (guint i = 0; i < rows->len; i++)
    {
      TpEntryRow *row = g_ptr_array_index (rows, i);
      guint device = 0;

      while (before[device] != row->device)
        device++;
      row->device = self->rows[device]->id;
    }
  return TRUE;
}

gboolean
tp_inbox_store (TpCalibration *self, GPtrArray *rows, GError **error)
{
  gboolean is_good;

  if (!tp_cost_db_begin (self->db, error))
    return FALSE;
  is_good = keep_devices (self, rows, error)
            && tp_cost_db_put_entries (self->db, rows->pdata, rows->len,
                                       error);
  return tp_cost_db_end (self->db, is_good, error);
}

static gboolean
store_entries (TpCalibration *self, GVariant *payload, GError **error)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_entry_row_free);

  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE (TP_ENTRIES_TYPE)))
    return TRUE;
  for (gsize i = 0; i < g_variant_n_children (payload); i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (payload, i);
      TpEntryRow *row = read_entry (self, item);

      if (row != NULL)
        g_ptr_array_add (rows, row);
    }
  return rows->len == 0 || tp_inbox_store (self, rows, error);
}

static void
doubt_link (TpCalibration *self, const TpDeviceRow *row, TpFit *link,
            const char *way)
{
  g_autofree char *fault
      = tp_plausible_bound_link (link, row->bandwidth_gbps, way);

  if (fault != NULL)
    tp_inbox_warn (self,
                   g_strdup_printf ("device '%s': %s", row->name, fault));
}

static void
doubt_device (TpCalibration *self, TpDeviceRow *row)
{
  g_autofree char *fault = tp_plausible_bound_device (row);

  if (fault != NULL)
    tp_inbox_warn (self,
                   g_strdup_printf ("device '%s': %s", row->name, fault));
}

static void
doubt_links (TpCalibration *self, TpDeviceRow *row)
{
  if (row->is_host)
    return;
  doubt_link (self, row, &row->to_device, "to the device");
  doubt_link (self, row, &row->to_host, "to the host");
}

static gboolean
store_device (TpCalibration *self, GVariant *payload, GError **error)
{
  int device;
  g_autoptr (TpDeviceRow) row = tp_constants_read (payload, &device);

  if (row == NULL || device < 0 || device >= (int) self->devices->len)
    return TRUE;
  doubt_device (self, row);
  doubt_links (self, row);
  return tp_cost_db_put_device (self->db, row, error);
}

/* The row of the first process comes with its own; later ones mend that. */
static gboolean
store_transfers (TpCalibration *self, GVariant *payload, GError **error)
{
  TpTransferTimes times;
  TpDeviceRow *row;
  GArray *sittings;
  const char *name;
  int device;

  if (!tp_transfers_read (payload, &device, &self->transfers_us, &times)
      || device < 0 || device >= (int) self->devices->len)
    return TRUE;
  name = g_ptr_array_index (self->devices, device);
  sittings = g_hash_table_lookup (self->transfers, name);
  if (sittings == NULL)
    {
      sittings = g_array_new (FALSE, FALSE, sizeof times);
      g_hash_table_insert (self->transfers, (gpointer) name, sittings);
    }
  g_array_append_val (sittings, times);
  row = self->rows[device];
  if (!self->constants.is_again || row == NULL)
    return TRUE;
  tp_transfers_fit ((const TpTransferTimes *) (void *) sittings->data,
                    (int) sittings->len, &row->to_device, &row->to_host);
  doubt_links (self, row);
  return tp_cost_db_put_device (self->db, row, error);
}

static gboolean
store_watts (TpCalibration *self, GVariant *payload, GError **error)
{
  g_autoptr (TpDeviceRow) told = tp_device_row_new ();
  TpDeviceRow *row;
  int device;

  if (!tp_watts_read (payload, &device, told) || device < 0
      || device >= (int) self->devices->len || self->rows[device] == NULL)
    return TRUE;
  row = self->rows[device];
  row->busy_mw = told->busy_mw;
  row->idle_mw = told->idle_mw;
  row->copy_mw = told->copy_mw;
  g_free (row->counters);
  row->counters = g_steal_pointer (&told->counters);
  return tp_cost_db_put_device (self->db, row, error);
}

static gboolean
store_speeds (TpCalibration *self, GVariant *payload, GError **error)
{
  int first, second, speeds[TP_SPEEDS_N], n = (int) self->devices->len;

  if (!tp_interference_read (payload, &first, &second, speeds) || first < 0
      || second <= first || second >= n || self->rows[first] == NULL
      || self->rows[second] == NULL)
    return TRUE;
  tp_speeds_keep (self->rows[second], self->rows[first], speeds);
  return tp_cost_db_put_device (self->db, self->rows[second], error);
}

static gboolean
count_samples (TpCalibration *self, GVariant *payload)
{
  int n, n_disturbed, n_apart, n_contended;

  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE ("(iiiix)")))
    return TRUE;
  g_variant_get (payload, "(iiiix)", &n, &n_disturbed, &n_apart, &n_contended,
                 &self->rounds_us);
  self->report.n_samples += MAX (n, 0);
  self->report.n_disturbed += MAX (n_disturbed, 0);
  self->report.n_apart += MAX (n_apart, 0);
  self->report.n_contended += MAX (n_contended, 0);
  return TRUE;
}

/* A number and a text. */
static gboolean
receive_text (TpCalibration *self, int kind, GVariant *payload, GError **error)
{
  const char *text;
  int number;

  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE ("(is)")))
    return TRUE;
  g_variant_get (payload, "(i&s)", &number, &text);
  if (kind == TP_MESSAGE_PROGRESS)
    report (self, MAX (number, 0), text);
  else if (kind == TP_MESSAGE_FATAL)
    {
      g_set_error_literal (error, TPLAN_ERROR, number, text);
      return FALSE;
    }
  else if (number >= 0 && number < (int) self->devices->len)
    {
      self->has_given_up[number] |= kind == TP_MESSAGE_GIVE_UP;
      tp_inbox_warn (self, g_strdup_printf (
                      "device '%s': %s%s",
                      (char *) g_ptr_array_index (self->devices, number),
                      kind == TP_MESSAGE_GIVE_UP
                          ? "not all could be measured: " : "", text));
    }
  return TRUE;
}

gboolean
tp_inbox_receive (int kind, GVariant *payload, gpointer data, GError **error)
{
  TpCalibration *self = data;

  switch (kind)
    {
    case TP_MESSAGE_DEVICE:
      return store_device (self, payload, error);
    case TP_MESSAGE_TRANSFERS:
      return store_transfers (self, payload, error);
    case TP_MESSAGE_WATTS:
      return store_watts (self, payload, error);
    case TP_MESSAGE_SPEEDS:
      return store_speeds (self, payload, error);
    case TP_MESSAGE_ENTRIES:
      return store_entries (self, payload, error);
    case TP_MESSAGE_ACCOUNT:
      return count_samples (self, payload);
    case TP_MESSAGE_CHANGED:
      if (g_variant_is_of_type (payload, G_VARIANT_TYPE ("i"))
          && (guint) g_variant_get_int32 (payload) < self->devices->len)
        self->is_unknown[g_variant_get_int32 (payload)] = TRUE;
      return TRUE;
    default:
      return receive_text (self, kind, payload, error);
    }
}
