/* session-limits.c: see session-limits.h. */
#include "config.h"

#include "runtime/session-limits.h"

#include "ir/pools.h"
#include "ir/types.h"
#include "runtime/ledger.h"
#include "runtime/session-private.h"

/* Of what plans do not foretell, all has to be reserved: a plan may take less than its
 * limit, and the next one all of a lower limit. Where others share it, who comes after may
 * want more. */
static char *
format_remedy (const TpSession *session, const TpLedgerExcess *it,
               gboolean is_shared)
{
  const char *name = tp_pools_get_name (session->plan->costs, it->row);
  const char *least = is_shared ? "at least " : "";
  gint64 reserve = MAX (it->used_bytes - it->plan_bytes,
                        it->used_bytes - it->allowed_bytes);

  if (reserve < it->allowed_bytes)
    return g_strdup_printf ("plan again with a reserve of %s%" G_GINT64_FORMAT
                            " bytes (--mem-reserve=%s=%" G_GINT64_FORMAT ")",
                            least, reserve, name, reserve);
  return g_strdup_printf ("plan again with a limit of %s%" G_GINT64_FORMAT
                          " bytes and a reserve of %" G_GINT64_FORMAT
                          " (--mem-limit=%s=%" G_GINT64_FORMAT
                          " --mem-reserve=%s=%" G_GINT64_FORMAT ")",
                          least, it->used_bytes, reserve, name, it->used_bytes,
                          name, reserve);
}

/* What else than weights takes memory: "" or ends in a space. */
static char *
format_runs (const TpSession *session)
{
  return session->n_slots == 1
             ? g_strdup ("")
             : g_strdup_printf ("tensors of %d runs in flight, ",
                                session->n_slots);
}

/* What a session takes but while it is made; rows of pools have the sum. */
static const char *
format_start (const TpSession *session, const TpLedgerExcess *it)
{
  int host = session->execution->host;
  const TpDevice *device = host < 0 ? NULL : session->devices[host].device;
  gint64 used_bytes = device == NULL ? 0 : device->used_bytes;

  return session->start_bytes > used_bytes
                 && (it->row == host || it->row >= session->plan->n_devices)
             ? ", while weights are computed (--no-pass=precompute does that in "
               "every run)"
             : "";
}

static char *
format_others (const TpLedgerExcess *it)
{
  return it->others_bytes == 0
             ? g_strdup ("")
             : g_strdup_printf (", and %" G_GINT64_FORMAT
                                " of other sessions of these plans",
                                it->others_bytes);
}

static void
fail_limit (const TpSession *session, const TpLedgerExcess *it,
            gboolean is_shared, GError **error)
{
  const TpPlan *plan = session->plan;
  g_autofree char *remedy = format_remedy (session, it, is_shared);
  g_autofree char *runs = format_runs (session);
  g_autofree char *others = format_others (it);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "%s '%s' takes %" G_GINT64_FORMAT " bytes with %sweights "
               "packed for kernels and their scratch%s%s, %" G_GINT64_FORMAT
               " more than the %s limit%s: %s%s%s",
               it->row < plan->n_devices ? "device" : "memory",
               tp_pools_get_name (plan->costs, it->row), it->used_bytes, runs,
               is_shared ? "" : format_start (session, it), others,
               it->used_bytes - it->allowed_bytes,
               is_shared ? "plans'" : "plan's",
               it->reserve_bytes > 0 ? " and reserve" : "",
               session->n_slots == 1 ? "" : "have fewer in flight, or ",
               it->others_bytes == 0 ? "" : "free other sessions, or ",
               remedy);
}

static void
fill_entry (const TpSession *session, TpLedgerEntry *entry)
{
  const TpExecution *execution = session->execution;
  int n = execution->n_devices;

  entry->used = g_new0 (gint64, n + 1);
  entry->foretold = g_new0 (gint64, n + 1);
  for (int i = 0; i < n; i++)
    {
      const TpDevice *device = session->devices[i].device;
      gint64 *foretold = &entry->foretold[i];

      entry->used[i] = device == NULL ? 0 : device->used_bytes;
      if (!tp_size_add (execution->memory[i].arena_bytes,
                        execution->memory[i].weight_bytes, foretold))
        *foretold = TP_LEDGER_MOST;
      *foretold = MIN (*foretold, TP_LEDGER_MOST);
    }
}

gboolean
tp_session_check_limits (const TpSession *session, GError **error)
{
  const TpPlan *plan = session->plan;
  g_auto (TpLedgerEntry) entry = { NULL, NULL };
  g_autoptr (TpLedger) own = NULL;
  TpLedgerExcess excess;
  int host = session->execution->host;

  if (plan->memory_limits == NULL)
    return TRUE;
  own = tp_ledger_new (plan->costs, plan->memory_limits, plan->memory_reserves);
  fill_entry (session, &entry);
  if (host >= 0 && session->start_bytes > entry.used[host])
    entry.used[host] = session->start_bytes;
  if (tp_ledger_enter (own, &entry, &excess))
    return TRUE;
  fail_limit (session, &excess, FALSE, error);
  return FALSE;
}

gboolean
tp_session_enter (TpSession *session, TpLedger *ledger, GError **error)
{
  TpLedgerExcess excess;

  fill_entry (session, &session->entry);
  if (tp_ledger_enter (ledger, &session->entry, &excess))
    {
      session->ledger = tp_ledger_ref (ledger);
      return TRUE;
    }
  fail_limit (session, &excess, TRUE, error);
  return FALSE;
}

void
tp_session_leave (TpSession *session)
{
  if (session->ledger != NULL)
    tp_ledger_leave (session->ledger, &session->entry);
  g_clear_pointer (&session->ledger, tp_ledger_unref);
  tp_ledger_entry_clear (&session->entry);
}
