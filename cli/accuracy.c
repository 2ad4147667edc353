/* accuracy.c: see accuracy.h. */
#include "config.h"

#include "cli/accuracy.h"

#include "calib/accuracy.h"

#include <string.h>

gboolean
tp_cli_parse_accuracy (const char *text, gboolean *out_is_relaxed,
                       GError **error)
{
  *out_is_relaxed = text != NULL && strcmp (text, "relaxed") == 0;
  if (text == NULL || *out_is_relaxed || strcmp (text, "full") == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "accuracy '%s' is neither full nor relaxed", text);
  return FALSE;
}

int
tp_cli_count_relaxed (const TpPlan *plan)
{
  int n = 0;

  for (int i = 0; i < plan->n_placements; i++)
    {
      const char *schedule = plan->placements[i].schedule;

      n += schedule != NULL && tp_accuracy_is_relaxed (schedule);
    }
  return n;
}

char *
tp_cli_format_accuracy (const TpPlan *plan)
{
  int n = tp_cli_count_relaxed (plan);

  return n == 0 ? NULL
                : g_strdup_printf ("relaxed: %d kernel%s with errors up to 1e-5 "
                                   "of the magnitudes that are summed",
                                   n, n == 1 ? "" : "s");
}
