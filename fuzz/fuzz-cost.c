/* fuzz-cost.c: exports of costs, imported into a table that has some, and exported
 * again. */
#include "config.h"

#include "calib/cost-db.h"
#include "calib/exchange.h"
#include "fuzz/fuzz.h"

#include <string.h>

static TpCostDb *db;

/* A table with figures of the device that inputs mostly tell of. */
static void
set_up (void)
{
  g_autoptr (GBytes) good = fuzz_get_file ("FUZZ_COSTS");
  g_autoptr (GError) error = NULL;
  const char *text;
  gsize size;
  int n;

  text = g_bytes_get_data (good, &size);
  db = tp_cost_db_new_in_memory ("table", &error);
  if (db == NULL || !tp_cost_db_import (db, text, size, &n, &error))
    g_error ("FUZZ_COSTS cannot be imported: %s", error->message);
}

/* What is exported can be imported, and tells nothing new to who exported it. */
static void
export_again (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = tp_cost_db_export (db, &error), *again = NULL;
  int n;

  if (text == NULL || !tp_cost_db_import (db, text, strlen (text), &n, &error))
    g_error ("our own export cannot be read: %s", error->message);
  again = tp_cost_db_export (db, NULL);
  g_assert_cmpstr (again, ==, text);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  int n;

  if (db == NULL)
    set_up ();
  g_assert_true (tp_cost_db_begin (db, NULL));
  if (tp_cost_db_import (db, (const char *) data, size, &n, NULL))
    export_again ();
  tp_cost_db_end (db, FALSE, NULL);
  return 0;
}
