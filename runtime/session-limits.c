/* session-limits.c: see session-limits.h. */
#include "config.h"

#include "runtime/session-limits.h"

#include "ir/guard.h"
#include "ir/pools.h"
#include "runtime/session-private.h"

static void
fail_limit (const TpSession *session, int row, gint64 missing, GError **error)
{
  const TpPlan *plan = session->plan;
  g_autofree char *runs
      = session->n_slots == 1
            ? g_strdup ("")
            : g_strdup_printf ("tensors of %d runs in flight, ",
                               session->n_slots);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "%s '%s' takes %" G_GINT64_FORMAT " bytes with %sweights "
               "packed for kernels and their scratch, %" G_GINT64_FORMAT
               " more than the plan's limit: %splan with a limit that is "
               "lower by so much",
               row < plan->n_devices ? "device" : "memory",
               tp_pools_get_name (plan->costs, row),
               plan->memory_limits[row] + missing, runs, missing,
               session->n_slots == 1 ? "" : "have fewer in flight, or ");
}

gboolean
tp_session_check_limits (const TpSession *session, GError **error)
{
  const TpPlan *plan = session->plan;

  g_autofree gint64 *used = tp_new0 (gint64, plan->n_devices + 1);

  if (plan->memory_limits == NULL)
    return TRUE;
  for (int i = 0; i < plan->n_devices; i++)
    if (session->devices[i].device != NULL)
      used[i] = session->devices[i].device->used_bytes;
  for (int row = 0; row < tp_pools_count_rows (plan->costs); row++)
    {
      gint64 missing = tp_pools_find_missing (plan->costs, plan->memory_limits,
                                              row, used);

      if (missing == 0)
        continue;
      fail_limit (session, row, missing, error);
      return FALSE;
    }
  return TRUE;
}
