/* elsewhere.c: see elsewhere.h. */
#include "config.h"

#include "api/elsewhere.h"

#include "calib/columns.h"
#include "calib/facts.h"
#include "calib/machine-file.h"
#include "format/file.h"

#include <fcntl.h>
#include <unistd.h>

gboolean
tp_elsewhere_is (const char *path)
{
  int file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char text[64];
  gssize n = file < 0 ? 0 : read (file, text, sizeof text);

  if (file >= 0)
    close (file);
  return n > 0 && tp_machine_file_is (text, n);
}

TpCostDb *
tp_elsewhere_open (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = tp_file_load (path, TP_FILE_PLAIN, error);
  const char *text;
  gsize size;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  if (tp_machine_file_is (text, size))
    return tp_machine_file_open (path, text, size, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: not a machine file: `tplan machine export` makes one", path);
  return NULL;
}

/* All devices of a file have one number. */
int
tp_elsewhere_count_threads (TpCostDb *db)
{
  g_autoptr (GPtrArray) rows = tp_cost_db_list_devices (db, NULL, NULL);
  const TpDeviceRow *row
      = rows == NULL || rows->len == 0 ? NULL : rows->pdata[0];
  g_autofree char *text
      = row == NULL ? NULL : tp_facts_find (row->facts, "threads");
  gint64 n = text == NULL ? 0 : g_ascii_strtoll (text, NULL, 10);

  return (int) CLAMP (n, 0, G_MAXINT16);
}
