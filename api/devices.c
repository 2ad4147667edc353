/* devices.c: which devices there are to plan for.
 *
 * OpenCL drivers start threads, print and crash. What is only asked of them is
 * asked in a child process, so that this one can still fork to calibrate. */
#include "config.h"

#include "api/devices.h"

#include "api/child.h"
#include "calib/device-match.h"
#include "runtime/device.h"
#include "runtime/devices.h"

char *
tp_devices_ask (void (*work) (gpointer data, GString *out), gpointer data,
                GError **error)
{
  g_autoptr (GError) how = NULL;
  char *answer = tp_child_ask (work, data, &how);

  if (answer == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                 "asking for devices failed, a driver %s: `tplan devices` "
                 "finds out which and leaves it out", how->message);
  return answer;
}

static void
list_names (gpointer data, GString *out)
{
  g_autoptr (GPtrArray) names = tp_device_names ();

  (void) data;
  for (guint i = 0; i < names->len && names->pdata[i] != NULL; i++)
    g_string_append_printf (out, "%s%s", i == 0 ? "" : "\n",
                            (const char *) names->pdata[i]);
}

/* All there are; the caller frees. */
static char **
ask_names (GError **error)
{
  g_autofree char *answer = tp_devices_ask (list_names, NULL, error);

  return answer == NULL ? NULL : g_strsplit (answer, "\n", -1);
}

char **
tp_devices_choose (GError **error)
{
  g_auto (GStrv) names = ask_names (error);

  if (names == NULL)
    return NULL;
  return tp_device_choose_defaults ((const char *const *) names, error);
}

/* Whether @device was measured as this machine is now; -1: no table to ask. */
static int
is_measured (TpCostDb *db, const char *device, int n_threads, GError **error)
{
  g_auto (TpDeviceMatch) match = { 0 };
  TpCostDb *table;

  if (!tp_device_match_init (&match, db, device, n_threads, error))
    return -1;
  return tp_device_match_get_row (&match, &table) != NULL;
}

static gboolean
check_name (char *const *names, const char *device, GError **error)
{
  g_autofree char *list = NULL;

  if (g_strv_contains ((const char *const *) names, device))
    return TRUE;
  list = g_strjoinv (", ", (char **) names);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "device '%s' is not in this machine: there are %s; one of "
               "another is planned for by its figures, as sim:PROFILE",
               device, list);
  return FALSE;
}

/* The only one of its kind: no driver is asked. */
static gboolean
check_kind (const TpDeviceOps *kind, GError **error)
{
  const char *reason = "none found";

  if (kind->count (&reason) > 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "device '%s' is absent: %s", kind->name, reason);
  return FALSE;
}

gboolean
tp_devices_check (TpCostDb *db, const TpCalibOptions *options,
                  gboolean asks_drivers, GError **error)
{
  g_auto (GStrv) names = NULL;

  for (int i = 0; i < options->n_devices; i++)
    {
      const char *device = options->devices[i];
      const TpDeviceOps *kind = tp_device_find_kind (device, error);
      int known = 1;

      if (kind == NULL)
        return FALSE;
      if (!kind->is_simulated)
        known = is_measured (db, device, options->n_threads, error);
      if (known < 0 || (!known && kind->which == NULL
                        && !check_kind (kind, error)))
        return FALSE;
      if (known || kind->which == NULL || !asks_drivers)
        continue;
      if (names == NULL)
        names = ask_names (error);
      if (names == NULL || !check_name (names, device, error))
        return FALSE;
    }
  return TRUE;
}
