/* row-check.c: see row-check.h. */
#include "config.h"

#include "calib/row-check.h"

#include "calib/columns.h"
#include "calib/speeds.h"
#include "include/tplan.h"

#include <math.h>
#include <string.h>

#define DIGEST_LENGTH 64      /* SHA-256 in hex */
#define MAX_REAL 1e18         /* of any figure: ns, GFLOP/s, GB/s, points */
#define MAX_NUMBER (G_MAXINT64 / 4) /* a few of them can be added */

static char *
find_integer_fault (const TpColumn *column, gint64 value)
{
  return value >= 0 && value <= MAX_NUMBER
             ? NULL
             : g_strdup_printf ("%s is %" G_GINT64_FORMAT, column->name, value);
}

static char *
find_real_fault (const TpColumn *column, double value)
{
  return value >= 0 && value <= MAX_REAL
             ? NULL
             : g_strdup_printf ("%s is %g", column->name, value);
}

static char *
find_fault (const TpColumn *columns, const void *row)
{
  char *fault = NULL;

  for (int i = 0; columns[i].name != NULL && fault == NULL; i++)
    {
      const void *field = (const char *) row + columns[i].offset;

      if (columns[i].kind == TP_COLUMN_INT)
        fault = find_integer_fault (&columns[i], *(const int *) field);
      else if (columns[i].kind == TP_COLUMN_INT64
               || columns[i].kind == TP_COLUMN_PROBE)
        fault = find_integer_fault (&columns[i], *(const gint64 *) field);
      else if (columns[i].kind == TP_COLUMN_REAL)
        fault = find_real_fault (&columns[i], *(const double *) field);
    }
  return fault;
}

char *
tp_device_row_find_fault (const TpDeviceRow *row)
{
  char *fault = find_fault (tp_device_columns, row);

  return fault != NULL ? fault : tp_speeds_find_fault (row->speeds);
}

char *
tp_entry_row_find_fault (const TpEntryRow *row)
{
  char *fault = find_fault (tp_entry_columns, row);

  if (fault != NULL)
    return fault;
  if (row->state < TP_N_ENTRY_STATES && strlen (row->digest) == DIGEST_LENGTH
      && (row->state == TP_ENTRY_FAILED
          || (row->stats.n > 0 && row->stats.min_ns <= row->stats.median_ns)))
    return NULL;
  return g_strdup ("state, digest, n, min_ns and median_ns contradict each "
                   "other");
}

char *
tp_whole_row_find_fault (const TpWholeRow *row)
{
  char *fault = find_fault (tp_whole_columns, row);

  if (fault != NULL)
    return fault;
  if (strlen (row->digest) == DIGEST_LENGTH
      && strlen (row->network) == DIGEST_LENGTH && row->n > 0
      && row->n_devices > 0 && row->median_ns > 0 && row->predicted_ns > 0
      && row->kernels_ns <= row->predicted_ns)
    return NULL;
  return g_strdup ("digest, network, n, n_devices, kernels_ns, predicted_ns and "
                   "median_ns contradict each other");
}

gboolean
tp_device_row_check (const TpDeviceRow *row, const char *path, GError **error)
{
  g_autofree char *fault = tp_device_row_find_fault (row);

  if (fault != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: device '%s': %s: `tplan cost forget %s` lets it be "
                 "measured anew", path, row->name, fault, row->name);
  return fault == NULL;
}

gboolean
tp_entry_row_check (const TpEntryRow *row, const char *path, GError **error)
{
  g_autofree char *fault = tp_entry_row_find_fault (row);

  if (fault != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: entry '%s' (%.12s): %s: `tplan cost forget --all` "
                 "lets it be measured anew", path, row->label, row->digest, fault);
  return fault == NULL;
}

gboolean
tp_whole_row_check (const TpWholeRow *row, const char *path, GError **error)
{
  g_autofree char *fault = tp_whole_row_find_fault (row);

  if (fault != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: whole plan '%s' (%.12s): %s: `tplan cost forget --all` "
                 "lets it be measured anew", path, row->label, row->digest,
                 fault);
  return fault == NULL;
}
