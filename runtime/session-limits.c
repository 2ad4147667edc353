/* session-limits.c: see session-limits.h. */
#include "config.h"

#include "runtime/session-limits.h"

#include "ir/guard.h"
#include "ir/pools.h"
#include "ir/types.h"
#include "runtime/session-private.h"

/* What a session takes that is above what its plan allows. */
typedef struct
{
  int row;                    /* ir/pools.h */
  gint64 used_bytes;
  gint64 plan_bytes;          /* of that the arenas of one run and weights: what plans
                               * foretell */
  gint64 allowed_bytes;       /* limit and reserve */
} Excess;

/* Of what plans do not foretell, all has to be reserved: a plan may take less than its
 * limit, and the next one all of a lower limit. */
static char *
format_remedy (const TpSession *session, const Excess *it)
{
  const char *name = tp_pools_get_name (session->plan->costs, it->row);
  gint64 reserve = MAX (it->used_bytes - it->plan_bytes,
                        it->used_bytes - it->allowed_bytes);

  if (reserve < it->allowed_bytes)
    return g_strdup_printf ("plan again with a reserve of %" G_GINT64_FORMAT
                            " bytes (--mem-reserve=%s=%" G_GINT64_FORMAT ")",
                            reserve, name, reserve);
  return g_strdup_printf ("plan again with a limit of %" G_GINT64_FORMAT
                          " bytes and a reserve of %" G_GINT64_FORMAT
                          " (--mem-limit=%s=%" G_GINT64_FORMAT
                          " --mem-reserve=%s=%" G_GINT64_FORMAT ")",
                          it->used_bytes, reserve, name, it->used_bytes, name,
                          reserve);
}

static void
fail_limit (const TpSession *session, const Excess *it, GError **error)
{
  const TpPlan *plan = session->plan;
  gboolean has_reserve = plan->memory_reserves != NULL
                         && plan->memory_reserves[it->row] > 0;
  g_autofree char *remedy = format_remedy (session, it);
  g_autofree char *runs
      = session->n_slots == 1
            ? g_strdup ("")
            : g_strdup_printf ("tensors of %d runs in flight, ",
                               session->n_slots);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "%s '%s' takes %" G_GINT64_FORMAT " bytes with %sweights "
               "packed for kernels and their scratch, %" G_GINT64_FORMAT
               " more than the plan's limit%s: %s%s",
               it->row < plan->n_devices ? "device" : "memory",
               tp_pools_get_name (plan->costs, it->row), it->used_bytes, runs,
               it->used_bytes - it->allowed_bytes,
               has_reserve ? " and reserve" : "",
               session->n_slots == 1 ? "" : "have fewer in flight, or ",
               remedy);
}

/* [device]: what the execution of the plan foretells. */
static gint64 *
list_foretold (const TpSession *session)
{
  const TpExecution *execution = session->execution;
  gint64 *bytes = tp_new0 (gint64, execution->n_devices + 1);

  for (int i = 0; i < execution->n_devices; i++)
    if (!tp_size_add (execution->memory[i].arena_bytes,
                      execution->memory[i].weight_bytes, &bytes[i]))
      bytes[i] = G_MAXINT64;
  return bytes;
}

/* [row]: limits with what is reserved of them. */
static gint64 *
list_allowed (const TpPlan *plan)
{
  int n = tp_pools_count_rows (plan->costs);
  gint64 *allowed = tp_memdup (plan->memory_limits, n * sizeof (gint64));

  for (int row = 0; plan->memory_reserves != NULL && row < n; row++)
    if (!tp_size_add (allowed[row], plan->memory_reserves[row], &allowed[row]))
      allowed[row] = G_MAXINT64;
  return allowed;
}

gboolean
tp_session_check_limits (const TpSession *session, GError **error)
{
  const TpPlan *plan = session->plan;
  g_autofree gint64 *used = NULL, *foretold = NULL, *allowed = NULL;

  if (plan->memory_limits == NULL)
    return TRUE;
  used = tp_new0 (gint64, plan->n_devices + 1);
  for (int i = 0; i < plan->n_devices; i++)
    if (session->devices[i].device != NULL)
      used[i] = session->devices[i].device->used_bytes;
  foretold = list_foretold (session);
  allowed = list_allowed (plan);
  for (int row = 0; row < tp_pools_count_rows (plan->costs); row++)
    {
      const Excess it = { row, tp_pools_sum (plan->costs, row, used),
                          tp_pools_sum (plan->costs, row, foretold),
                          allowed[row] };

      if (tp_pools_find_missing (plan->costs, allowed, row, used) == 0)
        continue;
      fail_limit (session, &it, error);
      return FALSE;
    }
  return TRUE;
}
