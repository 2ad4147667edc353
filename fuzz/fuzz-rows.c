/* fuzz-rows.c: rows of a cost table as somebody may have edited them with SQLite. The
 * input says which fields become what; then all is read that commands read. */
#include "config.h"

#include "calib/cost-sql.h"
#include "calib/exchange.h"
#include "calib/lookup.h"
#include "calib/machine-file.h"
#include "calib/row-check.h"
#include "format/graph-load.h"
#include "format/load-options.h"
#include "fuzz/fuzz.h"
#include "graph/pass.h"
#include "ir/plan-memory.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "planner/place.h"

#include <string.h>

#define MAX_EDITS 16

typedef struct
{
  const guint8 *data;
  gsize size;
} Input;

static TpCostDb *db;
static TpGraph *graph;
static TpGroups *groups;

static void
set_up (void)
{
  g_autoptr (GBytes) file = fuzz_get_file ("FUZZ_MACHINE");
  g_autoptr (GBytes) model = fuzz_get_file ("FUZZ_GRAPH_OF_MACHINE");
  const TpLoadOptions options = { .limits = fuzz_get_limits () };
  g_autoptr (TpGraph) read = NULL;
  const char *text;
  gsize size;

  text = g_bytes_get_data (model, &size);
  read = tp_graph_read_json ("graph.json", text, size, &options, NULL);
  graph = read == NULL ? NULL : tp_graph_prepare (read, NULL);
  text = g_bytes_get_data (file, &size);
  db = tp_machine_file_open ("machine.json", text, size, NULL);
  if (db == NULL || graph == NULL)
    g_error ("the machine or its graph cannot be read");
  groups = tp_fuse_find (graph, NULL);
}

/* ---- editing ------------------------------------------------------------ */

static guint8
take_byte (Input *input)
{
  guint8 byte = input->size == 0 ? 0 : *input->data;

  if (input->size > 0)
    {
      input->data++;
      input->size--;
    }
  return byte;
}

/* 8 bytes, or as many as there are. */
static void
take_word (Input *input, void *out)
{
  gsize n = MIN (input->size, 8);

  memset (out, 0, 8);
  if (n > 0)
    memcpy (out, input->data, n);
  input->data += n;
  input->size -= n;
}

/* Of any type, whatever the column's is: SQLite does not mind. */
static void
bind_value (sqlite3_stmt *statement, Input *input)
{
  guint8 kind = take_byte (input);
  gint64 number;
  double real;
  gsize n;

  switch (kind % 6)
    {
    case 0:
      sqlite3_bind_int (statement, 1, (gint8) take_byte (input));
      break;
    case 1:
      take_word (input, &number);
      sqlite3_bind_int64 (statement, 1, number);
      break;
    case 2:
      take_word (input, &real);
      sqlite3_bind_double (statement, 1, real);
      break;
    case 3:
    case 4:
      n = take_byte (input);
      n = MIN (n, input->size);
      if (kind % 6 == 3)
        sqlite3_bind_text (statement, 1, (const char *) input->data, (int) n,
                           SQLITE_TRANSIENT);
      else
        sqlite3_bind_blob (statement, 1, input->data, (int) n,
                           SQLITE_TRANSIENT);
      input->data += n;
      input->size -= n;
      break;
    default:
      sqlite3_bind_zeroblob (statement, 1, take_byte (input) * 64);
      break;
    }
}

/* One field of one row; what the schema forbids is left as it was. */
static void
edit (Input *input)
{
  static const char *const tables[] = { "device", "entry", "whole" };
  static const TpColumn *const columns[]
      = { tp_device_columns, tp_entry_columns, tp_whole_columns };
  int table = take_byte (input) % 3, n = 0;
  g_autofree char *sql = NULL;
  g_autoptr (sqlite3_stmt) statement = NULL;

  while (columns[table][n].name != NULL)
    n++;
  sql = g_strdup_printf (
      "UPDATE OR IGNORE %s SET %s = ?1 WHERE rowid = "
      "(SELECT rowid FROM %s ORDER BY rowid LIMIT 1 OFFSET %d)", tables[table],
      columns[table][take_byte (input) % n].name, tables[table],
      take_byte (input) % 8);
  statement = tp_sql_prepare (db, sql, "edit it", NULL);
  g_assert_nonnull (statement);
  bind_value (statement, input);
  sqlite3_step (statement);
}

/* ---- using -------------------------------------------------------------- */

/* What is exported can be imported, if its devices are to be believed: their rows
 * are shown however wrong they are, so that they can be forgotten. */
static void
export_again (const GPtrArray *devices)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpExchange) again = NULL;
  g_autofree char *text = tp_cost_db_export (db, NULL);

  for (guint i = 0; i < devices->len; i++)
    {
      g_autofree char *fault = tp_device_row_find_fault (devices->pdata[i]);

      if (fault != NULL)
        return;
    }
  if (text == NULL)
    return;
  again = tp_exchange_read (text, strlen (text), &error);
  if (again == NULL)
    g_error ("our own export cannot be read: %s", error->message);
}

/* Whether there is one. */
static gboolean
plan (TpCosts *costs)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TpPlan) made = tp_place (graph, groups, costs, "time", NULL);

  if (made == NULL)
    return FALSE;
  tp_plan_count_memory (made, graph);
  if (!tp_check (made, graph, reasons))
    g_error ("our own plan is not valid: %s",
             (const char *) g_ptr_array_index (reasons, 0));
  return TRUE;
}

static gboolean
look_up (const char *device)
{
  const char *const names[] = { device };
  const TpCalibOptions options
      = { .n_devices = 1, .devices = names, .n_threads = 1 };
  g_autoptr (TpCosts) costs
      = tp_cost_db_lookup (db, graph, groups, &options, NULL);

  return costs != NULL && plan (costs);
}

static void
use (void)
{
  g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (db, NULL, NULL);

  g_assert_nonnull (devices);
  export_again (devices);
  look_up ("ref");
  for (guint i = 0; i < devices->len; i++)
    {
      const TpDeviceRow *row = devices->pdata[i];

      g_assert_true (tp_cost_db_forget (db, row->id, NULL));
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  Input input = { data, size };

  if (db == NULL)
    {
      set_up ();
      g_assert_true (look_up ("ref")); /* or nothing would be tried */
    }
  g_assert_true (tp_cost_db_begin (db, NULL));
  for (int i = 0; i < MAX_EDITS && input.size > 0; i++)
    edit (&input);
  use ();
  tp_cost_db_end (db, FALSE, NULL);
  return 0;
}
