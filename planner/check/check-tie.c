/* check-tie.c: may a plan cost more than the cheapest?
 *
 * Only where it has fewer copies and the figures cannot tell the two apart: the
 * difference is within one standard deviation of itself, or three where all devices
 * are the same silicon. */
#include "config.h"

#include "planner/check/check-tie.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-facts.h"
#include "planner/check/check-side.h"

#define ROUNDING 1e-9 /* relative: sums are taken in no particular order */

static gboolean
is_shared (const TpChecker *checker)
{
  return g_strcmp0 (checker->plan->certificate, TP_PLAN_SHARE_TREE) == 0;
}

/* Of shares no flow is there that knows a price: it is what each copy saved costs. */
static void
check_price (const TpCheckerSide *side, const TpCheckerSide *cheapest)
{
  TpChecker *checker = side->checker;
  gint64 saved = cheapest->n_copies - side->n_copies;
  gint64 excess = side->cost - cheapest->cost;
  gint64 price = saved <= 0 ? 0 : MAX ((excess + saved - 1) / saved, 1);

  if (is_shared (checker) && checker->plan->tie_price_ns != price)
    tp_checker_fail (checker,
                     "a copy that is saved costs %" G_GINT64_FORMAT
                     ", the price of the tie is %" G_GINT64_FORMAT,
                     price, checker->plan->tie_price_ns);
}

/* @side: of the plan; @cheapest: what it says is cheapest. */
static void
compare_sides (const TpCheckerSide *side, const TpCheckerSide *cheapest)
{
  TpChecker *checker = side->checker;
  gint64 bound = checker->plan->bound_ns, excess = side->cost - cheapest->cost;
  double sds = checker->plan->costs->is_same_silicon ? 3 : 1;
  double noise = sds * tp_checker_side_sd (side, cheapest);

  if (is_shared (checker) /* there may be a gap */
          ? cheapest->cost < bound
          : cheapest->cost != bound)
    tp_checker_fail (checker,
                     "the cheapest plan costs %" G_GINT64_FORMAT
                     ", the bound is %" G_GINT64_FORMAT,
                     cheapest->cost, bound);
  if (side->n_copies >= cheapest->n_copies)
    tp_checker_fail (checker,
                     "a tie is broken for %" G_GINT64_FORMAT
                     " copies instead of %" G_GINT64_FORMAT,
                     side->n_copies, cheapest->n_copies);
  if (excess < 0 || excess > noise * (1 + ROUNDING))
    tp_checker_fail (checker,
                     "the plan costs %" G_GINT64_FORMAT
                     " more than the cheapest, but the figures tell them "
                     "apart from %.0f on",
                     excess, noise);
}

static gboolean
check_cheapest (TpChecker *checker, int *devices)
{
  const TpPlan *plan = checker->plan;

  for (int i = 0; i < plan->n_placements; i++)
    {
      devices[i] = plan->placements[i].cheapest;
      if (devices[i] < 0 || devices[i] >= plan->n_devices
          || !tp_checker_may_run (checker, i, devices[i]))
        return tp_checker_fail (checker,
                                "op '%s' cannot be on device %d in the "
                                "cheapest plan",
                                checker->graph->nodes[i].name, devices[i]);
    }
  return tp_checker_check_together (checker, devices);
}

void
tp_checker_check_cheapest (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  g_autofree int *devices = tp_new (int, plan->n_placements + 1);
  g_auto (TpCheckerSide) side = { 0 };

  if (!check_cheapest (checker, devices)
      || !tp_checker_check_kernels (checker))
    return;
  tp_checker_side_init (&side, checker, devices);
  if (plan->share_proof != NULL /* there may be a gap */
          ? side.cost < plan->bound_ns
          : side.cost != plan->bound_ns)
    tp_checker_fail (checker,
                     "the cheapest plan costs %" G_GINT64_FORMAT
                     ", the bound is %" G_GINT64_FORMAT,
                     side.cost, plan->bound_ns);
}

/* Where noise, or limits of memory on several devices, may be why a plan costs @cost,
 * which is more than the cheapest. */
static void
check_dearer (const TpCheckerSide *side, gint64 cost)
{
  TpChecker *checker = side->checker;
  g_autofree int *devices = tp_new (int, checker->plan->n_placements + 1);
  g_auto (TpCheckerSide) cheapest = { 0 };

  if (!check_cheapest (checker, devices))
    return;
  tp_checker_side_init (&cheapest, checker, devices);
  if (checker->plan->tie_price_ns > 0)
    {
      compare_sides (side, &cheapest);
      check_price (side, &cheapest);
    }
  else if (cheapest.cost < checker->plan->bound_ns || cheapest.cost > cost)
    tp_checker_fail (checker,
                     "the cheapest plan costs %" G_GINT64_FORMAT
                     ", less than the bound or more than the plan",
                     cheapest.cost);
}

void
tp_checker_check_tie (const TpCheckerSide *side, gint64 cost)
{
  TpChecker *checker = side->checker;
  const TpPlan *plan = checker->plan;

  if (g_strcmp0 (plan->certificate, TP_PLAN_MEMORY_TREE) == 0
      || g_strcmp0 (plan->certificate, TP_PLAN_WEIGHTED_CUT) == 0
      || g_strcmp0 (plan->certificate, TP_PLAN_WEIGHTED_SHARES) == 0
      || g_strcmp0 (plan->certificate, TP_PLAN_RATED_CUT) == 0
      || g_strcmp0 (plan->certificate, TP_PLAN_RATED_SHARES) == 0
      || g_strcmp0 (plan->certificate, TP_PLAN_SCHEDULE) == 0)
    return;                   /* what may cost more is for others */
  if (plan->tie_price_ns < 0)
    tp_checker_fail (checker, "the price of the tie is negative");
  else if (plan->tie_price_ns > 0)
    {
      check_dearer (side, cost);
      return;
    }
  if (is_shared (checker)
          ? plan->bound_ns > cost /* there may be a gap */
          : plan->bound_ns != cost)
    tp_checker_fail (checker,
                     "the parts add up to %" G_GINT64_FORMAT
                     ", the bound is %" G_GINT64_FORMAT
                     ": the plan is not proved cheapest",
                     cost, plan->bound_ns);
  if (is_shared (checker) && plan->memory_limits != NULL)
    {
      check_dearer (side, cost);
      return;
    }
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].cheapest != plan->placements[i].device)
      tp_checker_fail (checker,
                       "op '%s' is elsewhere in the cheapest plan, but no "
                       "tie was broken",
                       checker->graph->nodes[i].name);
}
