/* check-load.c: see check-load.h. What engines carry, and what bounds that, is the
 * business of check-loads.c. */
#include "config.h"

#include "planner/check/check-load.h"

#include "planner/check/check-load-room.h"
#include "planner/check/check-loads.h"
#include "planner/check/check-proof.h"
#include "planner/check/check-shares.h"
#include "planner/check/check-tie.h"

/* No price on a copy, and no margins: how far a figure may move is not known. */
static gboolean
check_form (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;

  if (plan->load_proof == NULL
      || plan->load_proof->n_engines != 3 * plan->n_devices
      || plan->load_proof->n_engines > TP_LOAD_MAX_ENGINES)
    return tp_checker_fail (checker, "what engines carry is missing");
  if (plan->tie_price_ns != 0)
    return tp_checker_fail (checker, "no tie is broken for such a plan");
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].margin_ns != -1)
      return tp_checker_fail (checker, "op '%s' has a margin, which is not "
                                       "known of such a plan",
                              checker->graph->nodes[i].name);
  return TRUE;
}

void
tp_checker_check_load (TpChecker *checker)
{
  const TpCheckerLoadPart part = { checker, 1 };
  const TpCheckerLoads loads = { 1, &part, checker->plan->load_proof };

  if (!check_form (checker))
    return;
  tp_checker_check_cut (checker);
  tp_checker_check_cheapest (checker);
  if (checker->reasons->len == 0) /* the rest stands on the parts */
    {
      tp_checker_check_loads (&loads);
      tp_checker_check_load_room (checker);
    }
}

void
tp_checker_check_load_several (TpChecker *checker)
{
  const TpCheckerLoadPart part = { checker, 1 };
  const TpCheckerLoads loads = { 1, &part, checker->plan->load_proof };

  if (!check_form (checker))
    return;
  tp_checker_check_shares (checker);
  tp_checker_check_cheapest (checker);
  if (checker->reasons->len == 0) /* the rest stands on the parts */
    {
      tp_checker_check_loads (&loads);
      tp_checker_check_load_room (checker);
    }
}
