/* machine-file.c: see machine-file.h. */
#include "config.h"

#include "calib/machine-file.h"

#include "calib/cost-sql.h"
#include "calib/cost-wholes.h"
#include "calib/device-match.h"
#include "calib/exchange.h"
#include "calib/facts.h"
#include "ir/map.h"
#include "ir/name-hash.h"

#include <string.h>

/* ---- writing ------------------------------------------------------------ */

static char *
name_entry (const TpEntryRow *row)
{
  return g_strdup_printf ("%s %s %s", row->digest, row->dtype, row->schedule);
}

/* Entries of the system's table count where the own one has none. */
static gboolean
add_entries (TpExchangeDevice *it, TpCostDb *db, gint64 device,
             TpMap *seen, GError **error)
{
  g_autoptr (TpPointers) rows
      = tp_cost_db_list_entries (db, device, NULL, error);

  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    if (tp_map_insert (seen, name_entry (rows->pdata[i]), NULL))
      tp_pointers_add (it->entries, g_steal_pointer (&rows->pdata[i]));
  return TRUE;
}

static TpExchangeDevice *
read_device (const TpDeviceMatch *match, GError **error)
{
  g_autoptr (TpExchangeDevice) it = tp_exchange_device_new ();
  g_autoptr (TpMap) seen
      = tp_map_new (tp_name_hash, g_str_equal, g_free, NULL);
  TpCostDb *table;
  const TpDeviceRow *row = tp_device_match_get_row (match, &table);

  tp_device_row_free (it->device);
  it->device = tp_device_row_copy (row);
  for (int i = 0; i < 2; i++)
    if (match->rows[i] != NULL
        && !add_entries (it, match->dbs[i], match->rows[i]->id, seen, error))
      return NULL;
  g_clear_pointer (&it->wholes, tp_pointers_free);
  it->wholes = tp_cost_db_list_wholes (table, row->id, error);
  return it->wholes == NULL ? NULL : g_steal_pointer (&it);
}

static gboolean
add_names (GPtrArray *names, TpCostDb *db, GError **error)
{
  g_autoptr (GPtrArray) rows = NULL;

  if (db == NULL)
    return TRUE;
  rows = tp_cost_db_list_devices (db, NULL, error);
  for (guint i = 0; rows != NULL && i < rows->len; i++)
    {
      const TpDeviceRow *row = rows->pdata[i];

      if (!g_ptr_array_find_with_equal_func (names, row->name, g_str_equal,
                                             NULL))
        g_ptr_array_add (names, g_strdup (row->name));
    }
  return rows != NULL;
}

static gboolean
add_device (TpExchange *exchange, const TpDeviceMatch *match, const char *name,
            GPtrArray *out_stale, GError **error)
{
  TpExchangeDevice *it;
  TpCostDb *table;

  if (tp_device_match_get_row (match, &table) == NULL)
    {
      if (out_stale != NULL)
        g_ptr_array_add (out_stale,
                         g_strdup_printf ("device '%s' is left out: its "
                                          "measurements are stale: %s",
                                          name, match->stale_reason));
      return TRUE;
    }
  it = read_device (match, error);
  if (it != NULL)
    g_ptr_array_add (exchange->devices, it);
  return it != NULL;
}

char *
tp_machine_file_write (TpCostDb *db, int n_threads, GPtrArray *out_stale,
                       GError **error)
{
  g_autoptr (TpExchange) exchange = tp_exchange_new ();
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (!add_names (names, db, error)
      || !add_names (names, tp_cost_db_get_system (db), NULL))
    return NULL;
  for (guint i = 0; i < names->len; i++)
    {
      g_auto (TpDeviceMatch) match = { 0 };

      if (!tp_device_match_init (&match, db, names->pdata[i], n_threads, error)
          || !add_device (exchange, &match, names->pdata[i], out_stale, error))
        return NULL;
    }
  if (exchange->devices->len == 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_STALE,
                   "%s: nothing measured holds for this machine: run `tplan "
                   "calibrate`", tp_cost_db_get_path (db));
      return NULL;
    }
  exchange->machine = tp_machine_info_gather ();
  return tp_exchange_write (exchange);
}

/* ---- reading ------------------------------------------------------------ */

gboolean
tp_machine_file_is (const char *text, gsize size)
{
  gsize i = 0;

  while (i < size && g_ascii_isspace (text[i]))
    i++;
  return i < size && text[i] == '{';
}

/* One machine, so that devices have one CPU and one number of threads. */
static gboolean
check_same (const TpDeviceRow *a, const TpDeviceRow *b, GError **error)
{
  static const char *const same[]
      = { TP_FACT_PROCESSOR, "cpu-features", "codegen", "threads", NULL };

  for (int i = 0; same[i] != NULL; i++)
    {
      g_autofree char *one = tp_facts_find (a->facts, same[i]);
      g_autofree char *other = tp_facts_find (b->facts, same[i]);

      if (g_strcmp0 (one, other) == 0)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "devices '%s' and '%s' are of different machines: %s is "
                   "'%s' and '%s': make the file by `tplan machine export`",
                   a->name, b->name, same[i], one == NULL ? "" : one,
                   other == NULL ? "" : other);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_devices (const TpExchange *exchange, GError **error)
{
  const GPtrArray *devices = exchange->devices;

  if (exchange->machine == NULL || devices->len == 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "not of one machine: it has no '%s': make it by `tplan "
                   "machine export`",
                   exchange->machine == NULL ? "machine" : "devices");
      return FALSE;
    }
  for (guint i = 0; i < devices->len; i++)
    for (guint k = 0; k < i; k++)
      {
        const TpDeviceRow *a
            = ((const TpExchangeDevice *) devices->pdata[k])->device;
        const TpDeviceRow *b
            = ((const TpExchangeDevice *) devices->pdata[i])->device;

        if (strcmp (a->name, b->name) == 0)
          {
            g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                         "devices[%u]: '%s' stands there twice: make the file "
                         "by `tplan machine export`", i, b->name);
            return FALSE;
          }
        if (!check_same (a, b, error))
          return FALSE;
      }
  return TRUE;
}

TpCostDb *
tp_machine_file_open (const char *path, const char *text, gsize size,
                      GError **error)
{
  g_autoptr (TpExchange) exchange = tp_exchange_read (text, size, error);
  g_autoptr (TpCostDb) db = NULL;
  int n;

  if (exchange == NULL || !check_devices (exchange, error))
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }
  db = tp_cost_db_new_in_memory (path, error);
  if (db == NULL || !tp_exchange_store (exchange, db, &n, error))
    return NULL;
  db->machine = g_steal_pointer (&exchange->machine);
  return g_steal_pointer (&db);
}
