/* device-match.c: see device-match.h. */
#include "config.h"

#include "calib/device-match.h"

#include "calib/columns.h"
#include "calib/facts.h"
#include "calib/row-check.h"

#include <string.h>

/* @facts NULL: any row holds. */
static gboolean
match_in (TpDeviceMatch *match, int which, const char *device,
          const char *facts, GError **error)
{
  g_autoptr (GPtrArray) rows = tp_cost_db_list_devices (match->dbs[which],
                                                        device, error);

  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len && match->rows[which] == NULL; i++)
    {
      TpDeviceRow *row = g_ptr_array_index (rows, i);
      g_autofree char *difference
          = facts == NULL ? NULL : tp_facts_compare (row->facts, facts);

      if (difference == NULL
          && !tp_device_row_check (
              row, tp_cost_db_get_path (match->dbs[which]), error))
        return FALSE;
      if (difference == NULL)
        {
          match->rows[which] = row;
          rows->pdata[i] = NULL;
        }
      else if (match->stale_reason == NULL)
        match->stale_reason = g_steal_pointer (&difference);
    }
  return TRUE;
}

gboolean
tp_device_match_init (TpDeviceMatch *match, TpCostDb *db, const char *device,
                      int n_threads, GError **error)
{
  g_autofree char *facts = tp_cost_db_get_machine (db) != NULL
                               ? NULL
                               : tp_facts_gather (device, n_threads);

  memset (match, 0, sizeof *match);
  match->dbs[0] = db;
  match->dbs[1] = tp_cost_db_get_system (db);
  if (!match_in (match, 0, device, facts, error))
    return FALSE;
  /* a system table that cannot be read must not stop anyone */
  if (match->dbs[1] != NULL && !match_in (match, 1, device, facts, NULL))
    match->dbs[1] = NULL;
  if (match->rows[0] != NULL || match->rows[1] != NULL)
    g_clear_pointer (&match->stale_reason, g_free);
  return TRUE;
}

char *
tp_device_match_dup_facts (TpCostDb *db, const char *device, int n_threads,
                     GError **error)
{
  g_autoptr (GPtrArray) rows = NULL;

  if (tp_cost_db_get_machine (db) == NULL)
    return tp_facts_gather (device, n_threads);
  rows = tp_cost_db_list_devices (db, device, error);
  if (rows == NULL)
    return NULL;
  if (rows->len > 0)
    return tp_facts_dup_lasting (((TpDeviceRow *) rows->pdata[0])->facts);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "%s: the machine has no device '%s'",
               tp_cost_db_get_path (db), device);
  return NULL;
}

void
tp_device_match_clear (TpDeviceMatch *match)
{
  g_clear_pointer (&match->rows[0], tp_device_row_free);
  g_clear_pointer (&match->rows[1], tp_device_row_free);
  g_clear_pointer (&match->stale_reason, g_free);
}

const TpDeviceRow *
tp_device_match_get_row (const TpDeviceMatch *match, TpCostDb **out_db)
{
  int which = match->rows[0] != NULL ? 0 : 1;

  *out_db = match->dbs[which];
  return match->rows[which];
}

TpEntryRow *
tp_device_match_find_entry (const TpDeviceMatch *match, const char *digest,
                            const char *dtype, GError **error)
{
  TpEntryRow *entry = NULL;
  GError *failure = NULL;

  for (int i = 0; i < 2 && entry == NULL && failure == NULL; i++)
    if (match->rows[i] != NULL)
      entry = tp_cost_db_find_entry (match->dbs[i], match->rows[i]->id, digest,
                                     dtype, i == 0 ? &failure : NULL);
  if (failure != NULL)
    g_propagate_error (error, failure);
  return entry;
}

TpAccuracy
tp_device_match_get_accuracy (const TpDeviceMatch *match, const char *digest,
                              const char *dtype)
{
  TpAccuracy accuracy = { 0 };

  for (int i = 0; i < 2; i++)
    if (match->rows[i] != NULL)
      tp_accuracy_look (match->dbs[i], match->rows[i]->id, digest, dtype,
                        &accuracy);
  return accuracy;
}
