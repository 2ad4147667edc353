/* predicted.c: see predicted.h. */
#include "config.h"

#include "cli/predicted.h"

#include "api/plan.h"
#include "cli/output.h"
#include "cli/text.h"

#include <string.h>

char *
tp_cli_format_between (gint64 low_ns, gint64 high_ns)
{
  g_autofree char *low = tp_cli_format_time (low_ns);
  g_autofree char *high = tp_cli_format_time (high_ns);

  return low_ns < high_ns
             ? g_strdup_printf (" (90 %%: %s to %s)", low, high)
             : g_strdup ("");
}

char *
tp_cli_format_interval (const TplanPlan *handle)
{
  gint64 low_ns, high_ns;

  tp_plan_get_interval (tp_api_get_plan (handle), &low_ns, &high_ns);
  return tp_cli_format_between (low_ns, high_ns);
}

void
tp_cli_add_between (json_t *object, const char *prefix, gint64 low_ns,
                    gint64 high_ns)
{
  g_autofree char *low = g_strconcat (prefix, "low_ns", NULL);
  g_autofree char *high = g_strconcat (prefix, "high_ns", NULL);

  json_object_set_new (object, low,
                       low_ns >= 0 ? json_integer (low_ns) : json_null ());
  json_object_set_new (object, high,
                       low_ns >= 0 ? json_integer (high_ns) : json_null ());
}

void
tp_cli_add_interval (json_t *object, const char *prefix,
                     const TplanPlan *handle)
{
  gint64 low_ns, high_ns;

  if (!tp_plan_get_interval (tp_api_get_plan (handle), &low_ns, &high_ns))
    low_ns = -1;
  tp_cli_add_between (object, prefix, low_ns, high_ns);
}

const char *
tp_cli_judge_interval (const TplanPlan *handle, gint64 time_ns)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  gint64 low_ns, high_ns;

  if (!tp_plan_get_interval (plan, &low_ns, &high_ns) || low_ns == high_ns)
    return "";
  return low_ns <= time_ns && time_ns <= high_ns
             ? ", within the interval"
             : ", outside the interval";
}

static double
get_factor (const TpPlan *plan, int device)
{
  return plan->costs->errors->factors[device] / TP_COST_BILLION;
}

static gboolean
is_corrected (const TpPlan *plan, int device)
{
  return plan->costs != NULL && plan->costs->errors != NULL
         && plan->costs->errors->n_wholes[device] > 0;
}

void
tp_cli_note_factors (const TpCli *cli, const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);

  for (int i = 0; i < plan->n_devices; i++)
    if (is_corrected (plan, i))
      {
        gint64 n = plan->costs->errors->n_wholes[i];

        tp_cli_note (cli,
                     "note: times on %s are multiplied by %.3f, as whole plans "
                     "took that (%" G_GINT64_FORMAT " sitting%s); --exact "
                     "leaves them",
                     plan->devices[i], get_factor (plan, i), n,
                     n == 1 ? "" : "s");
      }
}

json_t *
tp_cli_factors_to_json (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  json_t *object = json_object ();

  for (int i = 0; i < plan->n_devices; i++)
    if (is_corrected (plan, i))
      json_object_set_new (
          object, plan->devices[i],
          json_pack ("{s:f, s:I}", "factor", get_factor (plan, i), "wholes",
                     (json_int_t) plan->costs->errors->n_wholes[i]));
  return object;
}
