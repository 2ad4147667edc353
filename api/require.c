/* require.c: what a program insists on: "opencl:0>=95%time". */
#include "config.h"

#include "api/objects.h"

#include <string.h>

typedef struct
{
  const TplanDevice *device;
  gboolean is_least;          /* else at most */
  double percent;
  gboolean is_time;           /* else ops */
} Demand;

static const TplanDevice *
find_device (const TplanPlan *plan, const char *name, gsize length)
{
  for (int i = 0; i < plan->plan->n_devices; i++)
    if (strlen (plan->devices[i].name) == length
        && strncmp (plan->devices[i].name, name, length) == 0)
      return &plan->devices[i];
  return NULL;
}

/* The last comparison counts: figures of simulated devices have "=" too. */
static const char *
find_comparison (const char *text)
{
  const char *least = g_strrstr (text, ">="), *most = g_strrstr (text, "<=");

  if (least == NULL || (most != NULL && most > least))
    return most;
  return least;
}

static gboolean
parse (const TplanPlan *plan, const char *text, Demand *out)
{
  const char *at = find_comparison (text);
  char *end = NULL;

  if (at == NULL)
    return FALSE;
  out->device = find_device (plan, text, at - text);
  out->is_least = *at == '>';
  out->percent = g_ascii_strtod (at + 2, &end);
  if (out->device == NULL || end == at + 2 || *end != '%'
      || !(out->percent >= 0 && out->percent <= 100))
    return FALSE;
  out->is_time = strcmp (end + 1, "time") == 0;
  return out->is_time || strcmp (end + 1, "ops") == 0;
}

static double
find_share (const TplanPlan *plan, const Demand *demand)
{
  double all = 0, its;

  for (int i = 0; i < plan->plan->n_devices; i++)
    all += demand->is_time ? plan->devices[i].time_ns
                           : plan->devices[i].n_ops;
  its = demand->is_time ? demand->device->time_ns : demand->device->n_ops;
  return all > 0 ? 100 * its / all : 0;
}

gboolean
tplan_plan_require (const TplanPlan *plan, const char *text, GError **error)
{
  Demand demand;
  double share;

  g_return_val_if_fail (plan != NULL && text != NULL, FALSE);
  if (!parse (plan, text, &demand))
    {
      g_autofree char *list = g_strjoinv (", ", plan->plan->devices);

      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "'%s' is not DEVICE>=N%%time or DEVICE<=N%%ops; devices of "
                   "the plan are %s",
                   text, list);
      return FALSE;
    }
  share = find_share (plan, &demand);
  if (demand.is_least ? share >= demand.percent : share <= demand.percent)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
               "'%s' is required, the plan gives it %.1f %% of the %s: see "
               "`tplan explain`",
               text, share, demand.is_time ? "time" : "ops");
  return FALSE;
}
