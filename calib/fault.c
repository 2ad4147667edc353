/* fault.c: see fault.h. */
#include "config.h"

#include "calib/fault.h"

#include "calib/trust.h"

struct TpFault
{
  char *what;
  const char *remedy;         /* (unowned) */
};

TpFault *
tp_fault_new (char *what, const char *remedy)
{
  TpFault *fault = g_new0 (TpFault, 1);

  fault->what = what;
  fault->remedy = remedy;
  return fault;
}

void
tp_fault_free (TpFault *fault)
{
  if (fault == NULL)
    return;
  g_free (fault->what);
  g_free (fault);
}

gboolean
tp_fault_fail (const TpFault *fault, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_STALE, "%s: %s", fault->what,
               fault->remedy);
  return FALSE;
}

/* @n of @n_ops are what the device may not have. */
static char *
format (const TpFault *fault, int n, int n_ops)
{
  if (n == 0)
    return g_strdup_printf ("%s: %s", fault->what, fault->remedy);
  return g_strdup_printf ("%s, and it may have none of %d of %d ops: %s, or trust "
                          "estimates with `tplan optimize --trust-estimates`",
                          fault->what, n, n_ops, fault->remedy);
}

void
tp_faults_report (const GPtrArray *faults, const TpCosts *costs,
                  GPtrArray *warnings)
{
  for (int d = 0; d < costs->n_devices && warnings != NULL; d++)
    {
      const TpFault *fault = g_ptr_array_index (faults, d);

      if (fault != NULL)
        g_ptr_array_add (warnings,
                         format (fault, tp_trust_count_doubted (costs, d),
                                 costs->n_nodes));
    }
}
