/* check-share-room.c: see check-share-room.h.
 *
 * With a price on what devices hold when some ops begin all placements cost at least
 * what rows prove. One that keeps to the limits pays no more for memory than the limits
 * would: without that it costs at least what is left. Devices that share memory pay for it
 * together. */
#include "config.h"

#include "planner/check/check-share-room.h"

#include "planner/check/check-answers.h"

#define MAX_PRICES 16

typedef TpCheckerBytes Wide;

static const TpMemoryPrice *
get_price (const TpShareProof *proof, guint row)
{
  return &tp_array_index (proof->prices, TpMemoryPrice, row);
}

gboolean
tp_checker_check_prices (TpChecker *checker, const TpShareProof *proof)
{
  gboolean is_good = proof->prices->len <= MAX_PRICES;

  for (guint i = 0; i < proof->prices->len && is_good; i++)
    {
      const TpMemoryPrice *it = get_price (proof, i);

      is_good = it->price >= 0 && it->price <= TP_PLAN_MAX_NUMBER
                && it->device >= 0 && it->device < checker->costs->n_devices
                && it->step >= 0 && it->step < checker->graph->n_nodes
                && tp_checker_find_limit (checker->plan->costs,
                                          checker->plan->memory_limits,
                                          it->device) > 0;
    }
  return is_good
         || tp_checker_fail (checker, "share_prices: too many, or a price on "
                                      "what has no limit");
}

/* What one that keeps to the limits pays at most. */
static Wide
sum_limits (const TpChecker *checker, const TpShareProof *proof)
{
  const TpCosts *costs = checker->plan->costs;
  const gint64 *limits = checker->plan->memory_limits;
  Wide shared[TP_LOAD_MAX_ENGINES / 3] = { 0 }, sum = 0;

  for (guint i = 0; i < proof->prices->len; i++)
    {
      const TpMemoryPrice *it = get_price (proof, i);

      if (tp_checker_shares_room (costs, limits, it->device))
        shared[it->device] += it->price;
      else
        sum += (Wide) it->price
               * tp_checker_find_limit (costs, limits, it->device)
               >> 30;
    }
  return sum + (tp_checker_pay_shared (costs, limits, shared) >> 30);
}

void
tp_checker_check_share_room (TpChecker *checker)
{
  const TpShareProof *proof = checker->plan->share_proof;
  g_auto (TpCheckerAnswers) answers = { 0 };
  Wide most;

  if (proof->room == NULL)
    return;
  if (checker->plan->memory_limits == NULL
      || proof->room_ns > checker->plan->cost_ns)
    {
      tp_checker_fail (checker, "share_room_ns is more than the plan costs, or "
                                "there is no limit");
      return;
    }
  if (!tp_checker_check_prices (checker, proof))
    return;
  tp_checker_answers_init (&answers, checker, proof->prices);
  if (!tp_checker_answers_read (&answers, proof->room, "share_room",
                                answers.amounts))
    return;
  most = tp_checker_answers_sum (&answers)
         - sum_limits (checker, proof) * proof->unit;
  if (proof->room_ns > 0 && most <= (proof->room_ns - (Wide) 1) * proof->unit)
    tp_checker_fail (checker,
                     "share_room does not prove that what fits costs at least %"
                     G_GINT64_FORMAT,
                     proof->room_ns);
}
