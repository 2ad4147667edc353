/* columns.c: see columns.h. */
#include "config.h"

#include "calib/columns.h"

#include <stddef.h>

#define DEVICE(field, kind) #field, kind, offsetof (TpDeviceRow, field)
#define ENTRY(field, kind) kind, offsetof (TpEntryRow, field)
#define WHOLE(field, kind) #field, kind, offsetof (TpWholeRow, field)

const TpColumn tp_device_columns[] = {
  { DEVICE (name, TP_COLUMN_TEXT), TRUE },
  { DEVICE (identity, TP_COLUMN_TEXT), TRUE },
  { DEVICE (facts, TP_COLUMN_TEXT), TRUE },
  { DEVICE (is_host, TP_COLUMN_INT64), FALSE },
  { DEVICE (peak_gflops, TP_COLUMN_REAL), FALSE },
  { DEVICE (bandwidth_gbps, TP_COLUMN_REAL), FALSE },
  { DEVICE (launch_ns, TP_COLUMN_REAL), FALSE },
  { DEVICE (sync_ns, TP_COLUMN_REAL), FALSE },
  { DEVICE (full_points, TP_COLUMN_REAL), FALSE },
  { DEVICE (memory_bytes, TP_COLUMN_INT64), FALSE },
  { "to_device_base_ns", TP_COLUMN_REAL,
    offsetof (TpDeviceRow, to_device.base_ns), FALSE },
  { "to_device_per_byte_ns", TP_COLUMN_REAL,
    offsetof (TpDeviceRow, to_device.per_byte_ns), FALSE },
  { "to_device_residual", TP_COLUMN_REAL,
    offsetof (TpDeviceRow, to_device.residual), FALSE },
  { "to_device_points", TP_COLUMN_POINTS, offsetof (TpDeviceRow, to_device),
    FALSE },
  { "to_host_base_ns", TP_COLUMN_REAL,
    offsetof (TpDeviceRow, to_host.base_ns), FALSE },
  { "to_host_per_byte_ns", TP_COLUMN_REAL,
    offsetof (TpDeviceRow, to_host.per_byte_ns), FALSE },
  { "to_host_residual", TP_COLUMN_REAL,
    offsetof (TpDeviceRow, to_host.residual), FALSE },
  { "to_host_points", TP_COLUMN_POINTS, offsetof (TpDeviceRow, to_host),
    FALSE },
  { "map_to_device_points", TP_COLUMN_POINTS,
    offsetof (TpDeviceRow, map_to_device), FALSE },
  { "map_to_host_points", TP_COLUMN_POINTS,
    offsetof (TpDeviceRow, map_to_host), FALSE },
  { DEVICE (map_permille, TP_COLUMN_PROBE), FALSE },
  { DEVICE (busy_mw, TP_COLUMN_PROBE), FALSE },
  { DEVICE (idle_mw, TP_COLUMN_PROBE), FALSE },
  { DEVICE (copy_mw, TP_COLUMN_PROBE), FALSE },
  { DEVICE (counters, TP_COLUMN_NOTE), FALSE },
  { DEVICE (speeds, TP_COLUMN_NOTE), FALSE },
  { DEVICE (measured_at, TP_COLUMN_INT64), FALSE },
  { NULL, 0, 0, FALSE },
};

const TpColumn tp_entry_columns[] = {
  { "device", ENTRY (device, TP_COLUMN_INT64), TRUE },
  { "digest", ENTRY (digest, TP_COLUMN_TEXT), TRUE },
  { "dtype", ENTRY (dtype, TP_COLUMN_TEXT), TRUE },
  { "schedule", ENTRY (schedule, TP_COLUMN_TEXT), TRUE },
  { "family", ENTRY (family, TP_COLUMN_TEXT), FALSE },
  { "label", ENTRY (label, TP_COLUMN_TEXT), FALSE },
  { "state", ENTRY (state, TP_COLUMN_INT64), FALSE },
  { "reason", ENTRY (reason, TP_COLUMN_TEXT), FALSE },
  { "n", ENTRY (stats.n, TP_COLUMN_INT), FALSE },
  { "min_ns", ENTRY (stats.min_ns, TP_COLUMN_INT64), FALSE },
  { "median_ns", ENTRY (stats.median_ns, TP_COLUMN_INT64), FALSE },
  { "mad_ns", ENTRY (stats.mad_ns, TP_COLUMN_INT64), FALSE },
  { "half_ns", ENTRY (stats.half_ns, TP_COLUMN_INT64), FALSE },
  { "fma_ns", ENTRY (fma_ns, TP_COLUMN_INT64), FALSE },
  { "stream_ns", ENTRY (stream_ns, TP_COLUMN_INT64), FALSE },
  { "handover_ns", ENTRY (processors.handover_ns, TP_COLUMN_PROBE), FALSE },
  { "crowding", ENTRY (processors.crowding, TP_COLUMN_PROBE), FALSE },
  { "contention", ENTRY (processors.contention, TP_COLUMN_PROBE), FALSE },
  { "flops", ENTRY (work.flops, TP_COLUMN_INT64), FALSE },
  { "read_bytes", ENTRY (work.read_bytes, TP_COLUMN_INT64), FALSE },
  { "written_bytes", ENTRY (work.written_bytes, TP_COLUMN_INT64), FALSE },
  { "constant_bytes", ENTRY (work.constant_bytes, TP_COLUMN_INT64), FALSE },
  { "n_points", ENTRY (work.n_points, TP_COLUMN_INT64), FALSE },
  { "measured_at", ENTRY (measured_at, TP_COLUMN_INT64), FALSE },
  { NULL, 0, 0, FALSE },
};

const TpColumn tp_whole_columns[] = {
  { WHOLE (device, TP_COLUMN_INT64), TRUE },
  { WHOLE (digest, TP_COLUMN_TEXT), TRUE },
  { WHOLE (measured_us, TP_COLUMN_INT64), TRUE },
  { WHOLE (network, TP_COLUMN_TEXT), FALSE },
  { WHOLE (label, TP_COLUMN_TEXT), FALSE },
  { WHOLE (n_devices, TP_COLUMN_INT), FALSE },
  { WHOLE (kernels_ns, TP_COLUMN_INT64), FALSE },
  { WHOLE (predicted_ns, TP_COLUMN_INT64), FALSE },
  { WHOLE (spread_ns, TP_COLUMN_INT64), FALSE },
  { WHOLE (median_ns, TP_COLUMN_INT64), FALSE },
  { WHOLE (half_ns, TP_COLUMN_INT64), FALSE },
  { WHOLE (n, TP_COLUMN_INT), FALSE },
  { NULL, 0, 0, FALSE },
};

char *
tp_columns_join (const TpColumn *columns, gboolean is_placeholder)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; columns[i].name != NULL; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            is_placeholder ? "?" : columns[i].name);
  return g_string_free (text, FALSE);
}

char *
tp_columns_join_keys (const TpColumn *columns)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; columns[i].name != NULL; i++)
    if (columns[i].is_key)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
                              columns[i].name);
  return g_string_free (text, FALSE);
}

char *
tp_columns_declare (const TpColumn *columns)
{
  static const char *const types[]
      = { "INTEGER", "INTEGER", "REAL", "TEXT", "INTEGER", "TEXT",
          "TEXT" };
  g_autofree char *keys = tp_columns_join_keys (columns);
  GString *text = g_string_new (NULL);

  for (int i = 0; columns[i].name != NULL; i++)
    g_string_append_printf (text, "%s %s NOT NULL, ", columns[i].name,
                            types[columns[i].kind]);
  g_string_append_printf (text, "UNIQUE (%s)", keys);
  return g_string_free (text, FALSE);
}

/* ---- rows --------------------------------------------------------------- */

/* The text that @row owns in @column; NULL: it is no text. */
static char **
find_text (const TpColumn *column, gpointer row)
{
  return column->kind == TP_COLUMN_TEXT || column->kind == TP_COLUMN_NOTE
             ? (char **) (void *) ((char *) row + column->offset)
             : NULL;
}

/* @from: (nullable): what to copy; else all is 0 and "". */
static gpointer
row_new (const TpColumn *columns, gsize size, gconstpointer from)
{
  gpointer row = from == NULL ? g_malloc0 (size) : g_memdup2 (from, size);

  for (int i = 0; columns[i].name != NULL; i++)
    {
      char **text = find_text (&columns[i], row);

      if (text != NULL)
        *text = g_strdup (from == NULL ? "" : *text);
    }
  return row;
}

static void
row_free (const TpColumn *columns, gpointer row)
{
  if (row == NULL)
    return;
  for (int i = 0; columns[i].name != NULL; i++)
    {
      char **text = find_text (&columns[i], row);

      if (text != NULL)
        g_free (*text);
    }
  g_free (row);
}

TpDeviceRow *
tp_device_row_new (void)
{
  return row_new (tp_device_columns, sizeof (TpDeviceRow), NULL);
}

TpDeviceRow *
tp_device_row_copy (const TpDeviceRow *row)
{
  return row_new (tp_device_columns, sizeof *row, row);
}

void
tp_device_row_free (TpDeviceRow *row)
{
  row_free (tp_device_columns, row);
}

TpEntryRow *
tp_entry_row_new (void)
{
  return row_new (tp_entry_columns, sizeof (TpEntryRow), NULL);
}

void
tp_entry_row_free (TpEntryRow *row)
{
  row_free (tp_entry_columns, row);
}

TpWholeRow *
tp_whole_row_new (void)
{
  return row_new (tp_whole_columns, sizeof (TpWholeRow), NULL);
}

void
tp_whole_row_free (TpWholeRow *row)
{
  row_free (tp_whole_columns, row);
}

const char *
tp_entry_state_get_name (gint64 state)
{
  static const char *const names[TP_N_ENTRY_STATES] = {
    [TP_ENTRY_SETTLED] = "settled",
    [TP_ENTRY_PROVISIONAL] = "provisional",
    [TP_ENTRY_FAILED] = "failed",
    [TP_ENTRY_TRIED] = "tried",
  };

  return state >= 0 && state < TP_N_ENTRY_STATES ? names[state] : "unknown";
}
