/* check-fitting.c: see check-fitting.h. It is proved as that of a plan for time within
 * limits, of figures times the weight of the engine that they keep busy. */
#include "config.h"

#include "planner/check/check-fitting.h"

#include "planner/check/check-memory.h"
#include "planner/check/check-share-room.h"

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)
#define MAX_UNIT (1 << 20)

static gboolean
check_form (TpChecker *checker, const TpMemoryProof *tree,
            const TpShareProof *shares)
{
  gboolean is_shared = shares != NULL;

  if (checker->plan->memory_limits != NULL && is_shared == (tree == NULL)
      && (!is_shared
          || (checker->costs->n_devices > 2 && shares->room != NULL
              && shares->unit >= 1 && shares->unit <= MAX_UNIT)))
    return TRUE;
  return tp_checker_fail (checker, "what fits: there is no limit, or no proof for "
                                   "so many devices");
}

gint64
tp_checker_prove_weighed (TpCheckerWeighed *weighed, TpMemoryProof *tree,
                          TpShareProof *shares)
{
  TpChecker *checker = &weighed->checker;
  const TpPlan *whole = checker->plan;
  int n_gains = checker->costs->n_groups * checker->costs->n_devices;
  TpPlan plan = *whole;
  gint64 least;

  if (!check_form (checker, tree, shares))
    return -1;
  plan.memory_proof = tree;
  plan.share_proof = shares;
  plan.bound_ns = plan.constant_ns = 0;
  plan.cost_ns = MAX_SUM;
  for (int i = 0; i < n_gains; i++)
    plan.constant_ns += weighed->gains[i];
  checker->plan = &plan;
  if (shares != NULL)
    tp_checker_check_share_room (checker);
  else
    tp_checker_check_memory_proof (checker);
  checker->plan = whole;
  least = shares != NULL ? shares->room_ns : tree->bound_ns;
  if (least < 0)
    tp_checker_fail (checker, "what fits: a bound below 0");
  return MAX (least, -1);
}

gint64
tp_checker_prove_fitting (TpChecker *checker, const gint64 *weights,
                          const TpCheckerPassed *passed,
                          const TpRoomProof *room)
{
  g_auto (TpCheckerWeighed) weighed = { 0 };

  return tp_checker_weigh (checker, weights, passed, &weighed)
             ? tp_checker_prove_weighed (&weighed, room->tree, room->shares)
             : -1;
}
