/* devices.c: which devices there are to plan for.
 *
 * OpenCL drivers start threads, print and crash. What is only asked of them is
 * asked in a child process, so that this one can still fork to calibrate. */
#include "config.h"

#include "api/devices.h"

#include "calib/lookup.h"
#include "ir/posix.h"
#include "runtime/device.h"
#include "runtime/devices.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_MAX_BYTES (1 << 20)

static void
child_answer (int fd, void (*work) (gpointer, GString *), gpointer data)
{
  g_autoptr (GString) out = g_string_new (NULL);

  work (data, out);
  _exit (tp_posix_write (fd, out->str, out->len) ? 0 : 1);
}

static void
read_answer (int fd, GString *answer)
{
  char bytes[4096];
  gssize n;

  while ((n = read (fd, bytes, sizeof bytes)) != 0)
    if (n > 0 && answer->len < CHILD_MAX_BYTES)
      g_string_append_len (answer, bytes, n);
    else if (n > 0 || errno != EINTR)
      break;
}

char *
tp_devices_ask (void (*work) (gpointer data, GString *out), gpointer data,
                GError **error)
{
  g_autoptr (GString) answer = g_string_new (NULL);
  int fds[2] = { -1, -1 }, status = 0;
  pid_t child = -1;

  fflush (NULL);
  if (pipe (fds) == 0)
    child = fork ();
  if (child == 0)
    {
      close (fds[0]);
      child_answer (fds[1], work, data);
    }
  if (fds[1] >= 0)
    close (fds[1]);
  if (child > 0)
    {
      read_answer (fds[0], answer);
      status = tp_posix_wait (child);
    }
  if (fds[0] >= 0)
    close (fds[0]);
  if (child > 0 && WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return g_string_free (g_steal_pointer (&answer), FALSE);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "asking for devices failed (%s): name them with --devices",
               child < 0 ? g_strerror (errno)
                         : WIFSIGNALED (status) ? g_strsignal (WTERMSIG (status))
                                                : "the driver ended");
  return NULL;
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

gboolean
tp_devices_check (TpCostDb *db, const TpCalibOptions *options, GError **error)
{
  g_auto (GStrv) names = NULL;

  for (int i = 0; i < options->n_devices; i++)
    {
      const char *device = options->devices[i];
      int known = 1;

      if (tp_device_find_kind (device, error) == NULL)
        return FALSE;
      if (!tp_device_is_simulated (device))
        known = is_measured (db, device, options->n_threads, error);
      if (known < 0)
        return FALSE;
      if (known == 0 && names == NULL)
        names = ask_names (error);
      if (known == 0
          && (names == NULL || !check_name (names, device, error)))
        return FALSE;
    }
  return TRUE;
}
