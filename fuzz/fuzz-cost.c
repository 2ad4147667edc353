/* fuzz-cost.c: tables of costs, imported and exported again. */
#include "config.h"

#include "calib/cost-db.h"
#include "calib/exchange.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <unistd.h>

static TpCostDb *
open_table (void)
{
  static char *path;
  TpCostDb *db;

  if (path == NULL)
    {
      path = g_strdup_printf ("%s/fuzz-cost-%d.db", g_get_tmp_dir (),
                              (int) getpid ());
      setenv ("TPLAN_SYSTEM_COST", "", 1);
    }
  unlink (path);
  db = tp_cost_db_open (path, FALSE, NULL);
  unlink (path);
  return db;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static TpCostDb *db;
  static int n_uses;
  g_autofree char *text = NULL;
  int n;

  if (n_uses++ % 1000 == 0)
    {
      g_clear_pointer (&db, tp_cost_db_close);
      db = open_table ();
    }
  if (tp_cost_db_import (db, (const char *) data, size, &n, NULL))
    text = tp_cost_db_export (db, NULL);
  return 0;
}
