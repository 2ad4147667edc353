/* speeds.c: see speeds.h. */
#include "config.h"

#include "calib/speeds.h"

#include "ir/guard.h"

#include <stdlib.h>
#include <string.h>

#define KEY_LENGTH 12
#define N_FIELDS (2 + TP_SPEEDS_N)
#define FAILED "failed"

static char *
dup_key (const TpDeviceRow *row)
{
  g_autofree char *text = g_strconcat (row->identity, "\n", row->facts, NULL);
  char *key = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  key[KEY_LENGTH] = 0;
  return key;
}

/* Of one other device, @fields as they stand in the text. */
static gboolean
read_speeds (char *const *fields, int *out)
{
  if (g_strv_length ((char **) fields) != N_FIELDS
      || strlen (fields[1]) != KEY_LENGTH)
    return FALSE;
  for (int i = 0; i < TP_SPEEDS_N; i++)
    {
      gint64 speed;

      if (!g_ascii_string_to_signed (fields[2 + i], 10, 1, TP_SPEED_ALONE,
                                     &speed, NULL))
        return FALSE;
      out[i] = (int) speed;
    }
  for (int e = 0; e < TP_SPEEDS_MAX_ENGINES; e++)
    if (out[e * TP_SPEEDS_MAX_ENGINES + e] != TP_SPEED_ALONE)
      return FALSE;
  return TRUE;
}

static gboolean
has_failed (char *const *fields)
{
  return g_strv_length ((char **) fields) == 3
         && strlen (fields[1]) == KEY_LENGTH && strcmp (fields[2], FAILED) == 0;
}

/* What @row says beside @other; NULL: nothing. */
static char **
find_part (const TpDeviceRow *row, const TpDeviceRow *other)
{
  g_auto (GStrv) parts = g_strsplit (row->speeds, ";", -1);
  g_autofree char *key = dup_key (other);

  for (int i = 0; parts[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (g_strstrip (parts[i]), " ", -1);

      if (g_strv_length (fields) > 2 && strcmp (fields[0], other->name) == 0
          && strcmp (fields[1], key) == 0)
        return g_steal_pointer (&fields);
    }
  return NULL;
}

static gboolean
find_in_row (const TpDeviceRow *row, const TpDeviceRow *other, int *out)
{
  g_auto (GStrv) fields = find_part (row, other);

  return fields != NULL && read_speeds (fields, out);
}

static gboolean
is_settled_in_row (const TpDeviceRow *row, const TpDeviceRow *other)
{
  g_auto (GStrv) fields = find_part (row, other);
  int speeds[TP_SPEEDS_N];

  return fields != NULL && (has_failed (fields) || read_speeds (fields, speeds));
}

gboolean
tp_speeds_are_settled (const TpDeviceRow *first, const TpDeviceRow *second)
{
  return is_settled_in_row (first, second) || is_settled_in_row (second, first);
}

/* The engines of two devices, the other way round. */
static void
swap_devices (int *speeds)
{
  int swapped[TP_SPEEDS_N], n = TP_SPEEDS_MAX_ENGINES;

  for (int e = 0; e < n; e++)
    for (int k = 0; k < n; k++)
      swapped[(e ^ 1) * n + (k ^ 1)] = speeds[e * n + k];
  memcpy (speeds, swapped, sizeof swapped);
}

gboolean
tp_speeds_find_measured (const TpDeviceRow *first, const TpDeviceRow *second,
                         int *out)
{
  if (find_in_row (second, first, out))
    return TRUE;
  if (!find_in_row (first, second, out))
    return FALSE;
  swap_devices (out);
  return TRUE;
}

void
tp_speeds_keep (TpDeviceRow *row, const TpDeviceRow *other, const int *speeds)
{
  g_auto (GStrv) parts = g_strsplit (row->speeds, ";", -1);
  g_autofree char *key = dup_key (other);
  g_autofree char *name = g_strconcat (other->name, " ", NULL);
  GString *text = g_string_new (NULL);

  for (int i = 0; parts[i] != NULL; i++)
    if (*g_strstrip (parts[i]) != 0 && !g_str_has_prefix (parts[i], name))
      g_string_append_printf (text, "%s; ", parts[i]);
  g_string_append_printf (text, "%s%s", name, key);
  if (speeds == NULL)
    g_string_append (text, " " FAILED);
  for (int i = 0; speeds != NULL && i < TP_SPEEDS_N; i++)
    g_string_append_printf (text, " %d", speeds[i]);
  g_free (row->speeds);
  row->speeds = g_string_free (text, FALSE);
}

char *
tp_speeds_dup_other (const TpDeviceRow *row, int index, int *out)
{
  g_auto (GStrv) parts = g_strsplit (row->speeds, ";", -1);

  for (int i = 0; parts[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (g_strstrip (parts[i]), " ", -1);

      if (read_speeds (fields, out) && index-- == 0)
        return g_strdup (fields[0]);
    }
  return NULL;
}

char *
tp_speeds_find_fault (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  int speeds[TP_SPEEDS_N];

  for (int i = 0; *text != 0 && parts[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (g_strstrip (parts[i]), " ", -1);

      if (!read_speeds (fields, speeds) && !has_failed (fields))
        return g_strdup_printf ("speeds: '%.40s' is not a device, its key and "
                                "%d speeds from 1 to %d",
                                parts[i], TP_SPEEDS_N, TP_SPEED_ALONE);
    }
  return NULL;
}

/* Of devices @first and @second, from a table of these two alone. */
static void
take_pair (TpCosts *costs, int first, int second, const int *pair)
{
  int n = costs->n_devices, devices[] = { first, second };

  for (int e = 0; e < TP_SPEEDS_MAX_ENGINES; e++)
    for (int k = 0; k < TP_SPEEDS_MAX_ENGINES; k++)
      costs->speeds[((gsize) (e / 2) * n + devices[e % 2]) * 3 * n
                    + (k / 2) * n + devices[k % 2]]
          = pair[e * TP_SPEEDS_MAX_ENGINES + k];
}

void
tp_speeds_fill (TpCosts *costs, TpDeviceRow *const *rows)
{
  gsize n = 3 * (gsize) costs->n_devices;
  int pair[TP_SPEEDS_N];

  for (int i = 0; i < costs->n_devices; i++)
    for (int k = 0; k < i; k++)
      {
        if (rows[i] == NULL || rows[k] == NULL
            || !tp_speeds_find_measured (rows[k], rows[i], pair))
          continue;
        if (costs->speeds == NULL)
          {
            costs->speeds = tp_new (int, n * n);
            for (gsize e = 0; e < n * n; e++)
              costs->speeds[e] = TP_SPEED_ALONE;
          }
        take_pair (costs, k, i, pair);
      }
}
