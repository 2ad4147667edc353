/* account.c: how good a calibration is, and what company it had. */
#include "config.h"

#include "calib/account.h"

#include "calib/beaten.h"
#include "calib/columns.h"
#include "ir/map.h"

static void
add_pressure (TpCalibReport *report, const TpWorkload *begin,
              const TpWorkload *now)
{
  for (int i = 0; i < TP_N_PRESSURES; i++)
    {
      gint64 us = tp_pressure_get_us (&begin->pressure, &now->pressure, i);

      if (us < 0)
        continue;
      report->pressed_us[i] += us;
      report->pressed_wall_us[i] += now->wall_us - begin->wall_us;
    }
}

void
tp_account_add_load (TpCalibReport *report, const TpWorkload *begin)
{
  TpWorkload now;
  gint64 others_us;

  tp_workload_read (&now);
  add_pressure (report, begin, &now);
  others_us = tp_workload_get_others_us (begin, &now);
  if (others_us < 0)
    return;
  report->wall_us += now.wall_us - begin->wall_us;
  report->others_us += others_us;
  report->stolen_us += now.stolen_us - begin->stolen_us;
}

/* ---- kernels ------------------------------------------------------------ */

/* What the tables have of a kernel on each device, and where it has no chance. */
typedef struct
{
  int n_devices;
  TpEntryRow **rows;          /* [device] NULL: nothing */
  gboolean *is_beaten;        /* [device] */
  gboolean is_counted;
} Known;

static void
known_free (Known *known)
{
  for (int i = 0; i < known->n_devices; i++)
    if (known->rows[i] != NULL)
      tp_entry_row_free (known->rows[i]);
  g_free (known->rows);
  g_free (known->is_beaten);
  g_free (known);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Known, known_free)

static Known *
known_new (TpCalibration *self, const TpKey *key, GError **error)
{
  g_autoptr (Known) known = g_new0 (Known, 1);

  known->n_devices = self->devices->len;
  known->rows = g_new0 (TpEntryRow *, known->n_devices + 1);
  known->is_beaten = g_new0 (gboolean, known->n_devices + 1);
  for (int i = 0; i < known->n_devices; i++)
    {
      GError *failure = NULL;

      known->rows[i] = tp_device_match_find_entry (
          &self->matches[i], key->digest, key->dtype, &failure);
      known->is_beaten[i] = TRUE; /* until a place is found where it is not */
      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return NULL;
        }
    }
  return g_steal_pointer (&known);
}

static gboolean
has_figures (const TpEntryRow *row)
{
  return row != NULL && row->state != TP_ENTRY_FAILED;
}

/* At the place of @key. */
static gboolean
is_beaten_at (const TpCalibration *self, const TpKey *key, const Known *known,
              int device)
{
  const TpMeasureDevice *devices = self->measure.devices;

  for (int i = 0; has_figures (known->rows[device]) && i < known->n_devices; i++)
    if (i != device && has_figures (known->rows[i])
        && tp_beaten_is (
            self->graph, key,
            &(TpTimed){ &devices[device], &known->rows[device]->stats },
            &(TpTimed){ &devices[i], &known->rows[i]->stats }))
      return TRUE;
  return FALSE;
}

static void
count_entry (TpCalibReport *report, const TpEntryRow *row, gboolean is_beaten)
{
  if (row->state == TP_ENTRY_FAILED)
    {
      report->n_failed++;
      return;
    }
  if (is_beaten)
    {
      report->n_beaten++;
      return;
    }
  report->n_settled += row->state == TP_ENTRY_SETTLED;
  report->n_unsettled += row->state == TP_ENTRY_PROVISIONAL;
  report->time_ns += row->stats.median_ns;
  report->half_ns += row->stats.half_ns;
}

/* Once, however many places it has. */
static void
count_known (TpCalibReport *report, Known *known)
{
  for (int i = 0; i < known->n_devices && !known->is_counted; i++)
    if (known->rows[i] != NULL)
      count_entry (report, known->rows[i], known->is_beaten[i]);
  known->is_counted = TRUE;
}

/* All distinct kernels, by digest; NULL: an error. */
static TpMap *
gather (TpCalibration *self, GError **error)
{
  g_autoptr (TpMap) all = tp_map_new (g_str_hash, g_str_equal, NULL,
                                      (GDestroyNotify) known_free);

  for (int i = 0; i < self->keys->n; i++)
    {
      const TpKey *key = &self->keys->keys[i];
      Known *known;

      if (key->digest == NULL)
        continue;
      known = tp_map_lookup (all, key->digest);
      if (known == NULL)
        {
          known = known_new (self, key, error);
          if (known == NULL)
            return NULL;
          tp_map_insert (all, key->digest, known);
        }
      for (int d = 0; d < known->n_devices; d++)
        known->is_beaten[d] &= is_beaten_at (self, key, known, d);
    }
  return g_steal_pointer (&all);
}

gboolean
tp_account_count (TpCalibration *self, GError **error)
{
  g_autoptr (TpMap) all = gather (self, error);

  for (int i = 0; all != NULL && i < self->keys->n; i++)
    if (self->keys->keys[i].digest != NULL)
      count_known (&self->report,
                   tp_map_lookup (all, self->keys->keys[i].digest));
  return all != NULL;
}
