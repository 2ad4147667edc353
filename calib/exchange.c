/* exchange.c: cost tables as JSON, "tplan-cost/3": to install on equal
 * machines, to keep beside a report, to read.
 *
 *   { "format": "tplan-cost/3",
 *     "machine": { "cpu": "...", ... },
 *     "devices": [ { "name": "cpu", ..., "entries": [ { ... } ],
 *                    "wholes": [ { ... } ] } ] }
 *
 * "machine" is there where all is of one machine as it was at one time. Every
 * column is there; a column that is missing, of another type or not known is an
 * error with its path. "tplan-cost/2" had no wholes, "tplan-cost/1" no points
 * of links either; what that calls settled is taken as provisional, as that of
 * an older table is. */
#include "config.h"

#include "calib/exchange.h"

#include "calib/columns.h"
#include "calib/cost-wholes.h"
#include "calib/keys-check.h"
#include "calib/machine-json.h"
#include "calib/row-check.h"
#include "ir/foreign-text.h"
#include "ir/guard.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define ROW_BYTES 4096          /* about, as JSON */
#define FORMAT "tplan-cost/3"
#define FORMAT_WITHOUT_WHOLES "tplan-cost/2"
#define OLD_FORMAT "tplan-cost/1"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

TpExchangeDevice *
tp_exchange_device_new (void)
{
  TpExchangeDevice *it = g_new0 (TpExchangeDevice, 1);

  it->device = tp_device_row_new ();
  it->entries = tp_pointers_new ((GDestroyNotify) tp_entry_row_free);
  it->wholes = tp_pointers_new ((GDestroyNotify) tp_whole_row_free);
  return it;
}

void
tp_exchange_device_free (TpExchangeDevice *it)
{
  if (it == NULL)
    return;
  tp_device_row_free (it->device);
  tp_pointers_free (it->entries);
  tp_pointers_free (it->wholes);
  g_free (it);
}

TpExchange *
tp_exchange_new (void)
{
  TpExchange *exchange = g_new0 (TpExchange, 1);

  exchange->devices = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_exchange_device_free);
  return exchange;
}

void
tp_exchange_free (TpExchange *exchange)
{
  if (exchange == NULL)
    return;
  g_ptr_array_unref (exchange->devices);
  tp_machine_info_free (exchange->machine);
  g_free (exchange);
}

static json_t *
points_to_json (const TpFit *fit)
{
  g_autofree char *text = tp_fit_points_to_text (fit);

  return json_string (text);
}

static json_t *
row_to_json (const TpColumn *columns, const void *row)
{
  g_autoptr (json_t) object = json_object ();

  for (int i = 0; columns[i].name != NULL; i++)
    {
      const void *field = (const char *) row + columns[i].offset;
      json_t *value = NULL;

      switch (columns[i].kind)
        {
        case TP_COLUMN_INT:
          value = json_integer (*(const int *) field);
          break;
        case TP_COLUMN_INT64:
        case TP_COLUMN_PROBE:
          value = json_integer (*(const gint64 *) field);
          break;
        case TP_COLUMN_REAL:
          value = json_real (*(const double *) field);
          break;
        case TP_COLUMN_TEXT:
        case TP_COLUMN_NOTE:
          value = json_string (*(char *const *) field);
          break;
        case TP_COLUMN_POINTS:
          value = points_to_json (field);
          break;
        }
      if (json_object_set_new (object, columns[i].name, value) != 0)
        tp_guard_leave (ROW_BYTES);
    }
  return g_steal_pointer (&object);
}

/* Rows of one device, which is said by where they stand. jansson says that there is
 * no memory, and leaves out what there is none for. */
static json_t *
rows_to_json (const TpColumn *columns, const TpPointers *rows)
{
  g_autoptr (json_t) list = json_array ();

  for (guint i = 0; i < rows->len; i++)
    {
      json_t *row = row_to_json (columns, rows->pdata[i]);

      json_object_del (row, "device");
      if (json_array_append_new (list, row) != 0)
        tp_guard_leave (rows->len * ROW_BYTES);
    }
  return g_steal_pointer (&list);
}

static void
add_list (json_t *object, const char *key, json_t *list)
{
  if (json_object_set_new (object, key, list) != 0)
    tp_guard_leave (ROW_BYTES);
}

static json_t *
device_to_json (const TpExchangeDevice *it)
{
  g_autoptr (json_t) object = row_to_json (tp_device_columns, it->device);

  add_list (object, "entries", rows_to_json (tp_entry_columns, it->entries));
  add_list (object, "wholes", rows_to_json (tp_whole_columns, it->wholes));
  return g_steal_pointer (&object);
}

static json_t *
devices_to_json (const GPtrArray *devices)
{
  g_autoptr (json_t) array = json_array ();

  for (guint i = 0; i < devices->len; i++)
    if (json_array_append_new (array, device_to_json (devices->pdata[i])) != 0)
      tp_guard_leave (ROW_BYTES);
  return g_steal_pointer (&array);
}

/* json_dumps() passes over keys for which there is no memory (jansson 2.14): not where
 * all of it is there before. */
static char *
dump (const json_t *root)
{
  const size_t flags = JSON_INDENT (1) | JSON_REAL_PRECISION (17);
  gsize size = json_dumpb (root, NULL, 0, flags);
  g_autofree char *text = tp_alloc (size + 1, 1);

  if (size == 0 || json_dumpb (root, text, size, flags) != size)
    tp_guard_leave (ROW_BYTES);
  text[size] = '\0';
  return g_steal_pointer (&text);
}

char *
tp_exchange_write (const TpExchange *exchange)
{
  g_autoptr (json_t) root = json_object ();
  g_autofree char *out = NULL;
  gsize size;

  add_list (root, "format", json_string (FORMAT));
  if (exchange->machine != NULL)
    add_list (root, "machine", tp_machine_info_to_json (exchange->machine));
  add_list (root, "devices", devices_to_json (exchange->devices));
  out = tp_foreign_text_escape_json (dump (root));
  size = strlen (out);
  out = tp_realloc (out, size + 2, 1);
  memcpy (out + size, "\n", 2);
  return g_steal_pointer (&out);
}

static TpExchangeDevice *
read_device (TpCostDb *db, const TpDeviceRow *row, GError **error)
{
  g_autoptr (TpExchangeDevice) it = tp_exchange_device_new ();

  tp_device_row_free (it->device);
  it->device = tp_device_row_copy (row);
  g_clear_pointer (&it->entries, tp_pointers_free);
  it->entries = tp_cost_db_list_entries (db, row->id, NULL, error);
  if (it->entries == NULL)
    return NULL;
  g_clear_pointer (&it->wholes, tp_pointers_free);
  it->wholes = tp_cost_db_list_wholes (db, row->id, error);
  return it->wholes == NULL ? NULL : g_steal_pointer (&it);
}

char *
tp_cost_db_export (TpCostDb *db, GError **error)
{
  g_autoptr (TpExchange) exchange = tp_exchange_new ();
  g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (db, NULL, error);

  for (guint i = 0; devices != NULL && i < devices->len; i++)
    {
      TpExchangeDevice *it = read_device (db, devices->pdata[i], error);

      if (it == NULL)
        return NULL;
      g_ptr_array_add (exchange->devices, it);
    }
  return devices == NULL ? NULL : tp_exchange_write (exchange);
}

/* ---- import ------------------------------------------------------------- */

static gboolean
read_column (const TpColumn *column, const json_t *value, void *field)
{
  switch (column->kind)
    {
    case TP_COLUMN_INT:
      if (!json_is_integer (value) || json_integer_value (value) < 0
          || json_integer_value (value) > G_MAXINT)
        return FALSE;
      *(int *) field = (int) json_integer_value (value);
      return TRUE;
    case TP_COLUMN_INT64:
      if (!json_is_integer (value) || json_integer_value (value) < 0)
        return FALSE;
      *(gint64 *) field = json_integer_value (value);
      return TRUE;
    case TP_COLUMN_REAL:
      if (!json_is_number (value) || !isfinite (json_number_value (value))
          || json_number_value (value) < 0)
        return FALSE;
      *(double *) field = json_number_value (value);
      return TRUE;
    case TP_COLUMN_TEXT:
      if (!json_is_string (value))
        return FALSE;
      g_free (*(char **) field);
      *(char **) field = g_strdup (json_string_value (value));
      return TRUE;
    case TP_COLUMN_PROBE:
      return value == NULL
             || read_column (&(TpColumn){ .kind = TP_COLUMN_INT64 }, value,
                             field);
    case TP_COLUMN_NOTE:
      return value == NULL
             || read_column (&(TpColumn){ .kind = TP_COLUMN_TEXT }, value,
                             field);
    case TP_COLUMN_POINTS:
      return value == NULL /* older tables have none */
             || (json_is_string (value)
                 && tp_fit_points_from_text (json_string_value (value), field));
    }
  return FALSE;
}

/* @others: keys beside the columns. */
static gboolean
check_keys (const TpColumn *columns, const char *const *others,
            const json_t *object, const char *place, GError **error)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new ();

  for (int i = 0; columns[i].name != NULL; i++)
    if (strcmp (columns[i].name, "device") != 0)
      g_ptr_array_add (known, (gpointer) columns[i].name);
  for (int i = 0; others != NULL && others[i] != NULL; i++)
    g_ptr_array_add (known, (gpointer) others[i]);
  g_ptr_array_add (known, NULL);
  return tp_keys_check (object, (const char *const *) known->pdata, place,
                        error);
}

static gboolean
row_from_json (const TpColumn *columns, const json_t *object, void *row,
               const char *place, GError **error)
{
  static const char *const kinds[] = { "an integer >= 0", "an integer >= 0",
                                       "a number >= 0", "a string",
                                       "an integer >= 0",
                                       "points such as '4:900 64:950'",
                                       "a string" };

  for (int i = 0; columns[i].name != NULL; i++)
    {
      if (strcmp (columns[i].name, "device") == 0)
        continue;
      if (!read_column (&columns[i], json_object_get (object, columns[i].name),
                        (char *) row + columns[i].offset))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                       "%s: '%s' must be %s: export the table again", place,
                       columns[i].name, kinds[columns[i].kind]);
          return FALSE;
        }
    }
  return TRUE;
}

/* Takes @fault (nullable), which the row at @place has. FALSE: it has one. */
static gboolean
check_fault (char *fault, const char *place, GError **error)
{
  g_autofree char *owned = fault;

  if (fault != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: %s: export the table again", place, fault);
  return fault == NULL;
}

/* A list of rows of one kind. */
typedef struct
{
  const char *key;
  const TpColumn *columns;
  gpointer (*new_row) (void);
  char *(*find_fault) (gconstpointer row);
} Kind;

static gpointer
new_entry (void)
{
  return tp_entry_row_new ();
}

static char *
find_entry_fault (gconstpointer row)
{
  return tp_entry_row_find_fault (row);
}

static gpointer
new_whole (void)
{
  return tp_whole_row_new ();
}

static char *
find_whole_fault (gconstpointer row)
{
  return tp_whole_row_find_fault (row);
}

static const Kind entry_kind
    = { "entries", tp_entry_columns, new_entry, find_entry_fault };
static const Kind whole_kind
    = { "wholes", tp_whole_columns, new_whole, find_whole_fault };

static gboolean
read_rows (const Kind *kind, const json_t *object, const char *place,
           TpPointers *rows, GError **error)
{
  const json_t *list = json_object_get (object, kind->key);

  if (!json_is_array (list))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: '%s' must be an array: export the table again", place,
                   kind->key);
      return FALSE;
    }
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      g_autofree char *at
          = g_strdup_printf ("%s.%s[%zu]", place, kind->key, i);
      const json_t *object_of_row = json_array_get (list, i);
      gpointer row = kind->new_row ();

      tp_pointers_add (rows, row);
      if (!check_keys (kind->columns, NULL, object_of_row, at, error)
          || !row_from_json (kind->columns, object_of_row, row, at, error)
          || !check_fault (kind->find_fault (row), at, error))
        return FALSE;
    }
  return TRUE;
}

static TpExchangeDevice *
device_from_json (const json_t *object, gsize index, gboolean has_wholes,
                  GError **error)
{
  static const char *const lists[] = { "entries", "wholes", NULL };
  g_autoptr (TpExchangeDevice) it = tp_exchange_device_new ();
  g_autofree char *place = g_strdup_printf ("devices[%zu]", index);

  if (!check_keys (tp_device_columns, lists, object, place, error)
      || !row_from_json (tp_device_columns, object, it->device, place, error)
      || !check_fault (tp_device_row_find_fault (it->device), place, error)
      || !read_rows (&entry_kind, object, place, it->entries, error)
      || (has_wholes
          && !read_rows (&whole_kind, object, place, it->wholes, error)))
    return NULL;
  return g_steal_pointer (&it);
}

static void
doubt_entries (TpPointers *entries)
{
  for (guint i = 0; i < entries->len; i++)
    {
      TpEntryRow *row = entries->pdata[i];

      if (row->state == TP_ENTRY_SETTLED)
        row->state = TP_ENTRY_PROVISIONAL;
    }
}

static gboolean
is_known_format (const char *format)
{
  return g_strcmp0 (format, FORMAT) == 0
         || g_strcmp0 (format, FORMAT_WITHOUT_WHOLES) == 0
         || g_strcmp0 (format, OLD_FORMAT) == 0;
}

static gboolean
read_head (const json_t *root, TpExchange *exchange, GError **error)
{
  static const char *const keys[] = { "format", "machine", "devices", NULL };
  const char *format = json_string_value (json_object_get (root, "format"));
  const json_t *machine = json_object_get (root, "machine");

  if (!json_is_array (json_object_get (root, "devices"))
      || !is_known_format (format))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "neither a cost table nor a machine: 'format' must be '" FORMAT
                   "' and 'devices' an array: `tplan cost export` makes the "
                   "one, `tplan machine export` the other");
      return FALSE;
    }
  if (!tp_keys_check (root, keys, "the file", error))
    return FALSE;
  if (machine != NULL)
    exchange->machine = tp_machine_info_from_json (machine, error);
  return machine == NULL || exchange->machine != NULL;
}

TpExchange *
tp_exchange_read (const char *text, gsize size, GError **error)
{
  g_autoptr (TpExchange) exchange = tp_exchange_new ();
  json_error_t fault;
  g_autoptr (json_t) root = json_loadb (text, size, JSON_REJECT_DUPLICATES,
                                        &fault);
  const json_t *devices = json_object_get (root, "devices");
  const char *format = json_string_value (json_object_get (root, "format"));

  if (root == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%d:%d: %s: `tplan cost export` makes a table, `tplan machine "
                   "export` a machine", fault.line, fault.column, fault.text);
      return NULL;
    }
  if (!read_head (root, exchange, error))
    return NULL;
  for (gsize i = 0; i < json_array_size (devices); i++)
    {
      TpExchangeDevice *it
          = device_from_json (json_array_get (devices, i), i,
                              strcmp (format, FORMAT) == 0, error);

      if (it == NULL)
        return NULL;
      g_ptr_array_add (exchange->devices, it);
      if (strcmp (format, OLD_FORMAT) == 0)
        doubt_entries (it->entries);
    }
  return g_steal_pointer (&exchange);
}

/* A whole from before @since says nothing of the table's figures: the table
 * kept one that is newer than that of the import. Those that the import
 * replaced took the table's wholes along. */
static gboolean
store_wholes (TpCostDb *db, const TpExchangeDevice *import, gint64 since,
              GError **error)
{
  g_autoptr (TpPointers) taken = tp_pointers_new (NULL);

  for (guint i = 0; i < import->wholes->len; i++)
    {
      TpWholeRow *row = import->wholes->pdata[i];

      row->device = import->device->id;
      if (row->measured_us / G_USEC_PER_SEC > since)
        tp_pointers_add (taken, row);
    }
  return tp_cost_db_put_wholes (db, taken->pdata, taken->len, error);
}

/* Drops what the table knows better. */
static gboolean
store_import (TpCostDb *db, TpExchangeDevice *import, int *out_n,
              GError **error)
{
  g_autoptr (TpPointers) taken = tp_pointers_new (NULL);
  gint64 since = -1;

  if (!tp_cost_db_put_device (db, import->device, error))
    return FALSE;
  for (guint i = 0; i < import->entries->len; i++)
    {
      TpEntryRow *row = import->entries->pdata[i];
      gint64 age;

      row->device = import->device->id;
      age = tp_cost_db_find_age (db, row);
      if (age < row->measured_at)
        tp_pointers_add (taken, row);
      else if (age > row->measured_at)
        since = MAX (since, age);
    }
  *out_n += taken->len;
  return tp_cost_db_put_entries (db, taken->pdata, taken->len, error)
         && store_wholes (db, import, since, error);
}

gboolean
tp_exchange_store (TpExchange *exchange, TpCostDb *db, int *out_n,
                   GError **error)
{
  const GPtrArray *devices = exchange->devices;
  gboolean is_good = TRUE;

  *out_n = 0;
  if (!tp_cost_db_begin (db, error))
    return FALSE;
  for (guint i = 0; is_good && i < devices->len; i++)
    is_good = store_import (db, devices->pdata[i], out_n, error);
  return tp_cost_db_end (db, is_good, error);
}

gboolean
tp_cost_db_import (TpCostDb *db, const char *text, gsize size, int *out_n,
                   GError **error)
{
  g_autoptr (TpExchange) exchange = tp_exchange_read (text, size, error);

  *out_n = 0;
  return exchange != NULL && tp_exchange_store (exchange, db, out_n, error);
}
