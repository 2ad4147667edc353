/* predicted.c: see predicted.h. */
#include "config.h"

#include "cli/predicted.h"

#include "api/plan.h"
#include "cli/output.h"
#include "cli/text.h"

#include <string.h>

static gboolean
has_interval (const TpPlan *plan)
{
  return tp_plan_has_interval (plan)
         && plan->cost_low_ns < plan->cost_high_ns;
}

char *
tp_cli_format_interval (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autofree char *low = tp_cli_format_time (plan->cost_low_ns);
  g_autofree char *high = tp_cli_format_time (plan->cost_high_ns);

  return has_interval (plan) ? g_strdup_printf (" (90 %%: %s to %s)", low, high)
                             : g_strdup ("");
}

void
tp_cli_add_interval (json_t *object, const char *prefix,
                     const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autofree char *low = g_strconcat (prefix, "low_ns", NULL);
  g_autofree char *high = g_strconcat (prefix, "high_ns", NULL);
  gboolean is_known = tp_plan_has_interval (plan);

  json_object_set_new (object, low,
                       is_known ? json_integer (plan->cost_low_ns)
                                : json_null ());
  json_object_set_new (object, high,
                       is_known ? json_integer (plan->cost_high_ns)
                                : json_null ());
}

const char *
tp_cli_judge_interval (const TplanPlan *handle, gint64 time_ns)
{
  const TpPlan *plan = tp_api_get_plan (handle);

  if (!has_interval (plan))
    return "";
  return plan->cost_low_ns <= time_ns && time_ns <= plan->cost_high_ns
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
