/* costs.c: devices and what is known of them. */
#include "config.h"

#include "api/costs.h"

#include "api/devices.h"
#include "api/objects.h"
#include "api/road.h"
#include "api/watch.h"
#include "calib/cost-db.h"
#include "calib/exchange.h"
#include "ir/guard.h"

#include <string.h>

#define TABLE_IN_MEMORY "table" /* what messages call it */

gboolean
tp_api_check_devices (const char *const *devices, GError **error)
{
  if (devices[0] == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "no device named: name one, such as 'cpu'");
      return FALSE;
    }
  for (int i = 0; devices[i] != NULL; i++)
    for (int k = 0; k < i; k++)
      if (g_str_equal (devices[i], devices[k]))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "device '%s' is named twice: leave one out",
                       devices[i]);
          return FALSE;
        }
  return TRUE;
}

/* Caller frees. */
static char **
choose_devices (const char *const *devices, GError **error)
{
  if (devices == NULL)
    return tp_devices_choose (error);
  return tp_api_check_devices (devices, error)
             ? g_strdupv ((char **) devices)
             : NULL;
}

static TplanCosts *
open_costs (const char *path, const char *const *devices, int n_threads,
            GError **error)
{
  g_autoptr (TplanCosts) costs = g_new0 (TplanCosts, 1);
  g_autoptr (TpCostDb) db = NULL;

  costs->devices = choose_devices (devices, error);
  if (costs->devices == NULL)
    return NULL;
  db = tp_cost_db_open (path, TRUE, error); /* is it one? */
  if (db == NULL)
    return NULL;
  costs->path = g_strdup (path);
  costs->n_devices = (int) g_strv_length (costs->devices);
  costs->n_threads = n_threads;
  return g_steal_pointer (&costs);
}

typedef struct
{
  const char *path;
  const char *const *devices;
  int n_threads;
  GError **error;
  TplanCosts *costs;
} OpenCall;

static void
open_call (gpointer data)
{
  OpenCall *call = data;

  call->costs = open_costs (call->path, call->devices, call->n_threads,
                            call->error);
}

TplanCosts *
tplan_costs_open (const char *path, const char *const *devices, int n_threads,
                  GError **error)
{
  OpenCall call = { path, devices, n_threads, error, NULL };

  g_return_val_if_fail (n_threads >= 0, NULL);
  tp_guard (open_call, &call, "to open this table", error);
  return call.costs;
}

void
tplan_costs_close (TplanCosts *costs)
{
  if (costs == NULL)
    return;
  g_free (costs->path);
  g_strfreev (costs->devices);
  g_free (costs);
}

const char *const *
tp_api_get_devices (const TplanCosts *costs)
{
  return (const char *const *) costs->devices;
}

typedef struct
{
  const TplanCosts *costs;
  GBytes *bytes;
  int n;
  GError **error;
  gboolean is_done;
} ExchangeCall;

static void
import_call (gpointer data)
{
  ExchangeCall *call = data;
  g_autoptr (TpCostDb) db
      = tp_cost_db_open (call->costs->path, FALSE, call->error);
  gsize size;
  const char *text = g_bytes_get_data (call->bytes, &size);

  if (db == NULL)
    return;
  call->is_done = tp_cost_db_import (db, size > 0 ? text : "", size, &call->n,
                                     call->error);
  if (!call->is_done)
    g_prefix_error (call->error, "%s: ", TABLE_IN_MEMORY);
}

gboolean
tplan_costs_import (TplanCosts *costs, GBytes *bytes, int *out_n,
                    GError **error)
{
  ExchangeCall call = { costs, bytes, 0, error, FALSE };

  g_return_val_if_fail (costs != NULL && bytes != NULL, FALSE);
  tp_guard (import_call, &call, "to import figures", error);
  tp_set_n (out_n, call.n);
  return call.is_done;
}

static void
export_call (gpointer data)
{
  ExchangeCall *call = data;
  g_autoptr (TpCostDb) db
      = tp_cost_db_open (call->costs->path, TRUE, call->error);
  char *text = db == NULL ? NULL : tp_cost_db_export (db, call->error);

  if (text != NULL)
    call->bytes = g_bytes_new_take (text, strlen (text));
}

GBytes *
tplan_costs_export (const TplanCosts *costs, GError **error)
{
  ExchangeCall call = { .costs = costs, .error = error };

  g_return_val_if_fail (costs != NULL, NULL);
  tp_guard (export_call, &call, "to export figures", error);
  return call.bytes;
}

typedef struct
{
  TplanCosts *costs;
  const TplanGraph *graph;
  const TpWatch *watch;
  const TpFollower *follower; /* (nullable) */
  GError **error;
  gboolean is_done;
} MeasureCall;

static void
measure_call (gpointer data)
{
  MeasureCall *call = data;
  g_auto (TpMeasured) measured = { 0 };
  gboolean is_logged
      = call->follower != NULL && call->follower->asked->log != NULL;

  call->is_done
      = tp_road_measure (call->costs, call->graph, call->watch,
                         is_logged ? &measured : NULL, call->error);
  if (is_logged)
    tp_follower_log (call->follower, measured.warnings);
}

gboolean
tplan_costs_calibrate_full (TplanCosts *costs, const TplanGraph *graph,
                            const TplanCalibrateOptions *options,
                            GError **error)
{
  static const TplanCalibrateOptions defaults;
  TpFollower follower;
  TpWatch watch;
  MeasureCall call = { costs, graph, &watch, &follower, error, FALSE };

  options = options == NULL ? &defaults : options;
  g_return_val_if_fail (costs != NULL && options->time_limit_ns >= 0, FALSE);
  tp_follower_init (&follower, &options->watch);
  watch = tp_follower_get_watch (&follower, options->time_limit_ns);
  watch.wants_watts = options->measures_watts;
  if (!tp_api_read_accuracy (options->accuracy, &watch.is_relaxed, error))
    return FALSE;
  tp_guard (measure_call, &call, "to calibrate", error);
  return call.is_done;
}

gboolean
tplan_costs_calibrate (TplanCosts *costs, const TplanGraph *graph,
                       gint64 time_limit_ns, const volatile gint *cancelled,
                       GError **error)
{
  const TpWatch watch
      = { .time_limit_ns = time_limit_ns, .cancelled = cancelled };
  MeasureCall call = { costs, graph, &watch, NULL, error, FALSE };

  g_return_val_if_fail (costs != NULL && time_limit_ns >= 0, FALSE);
  tp_guard (measure_call, &call, "to calibrate", error);
  return call.is_done;
}
