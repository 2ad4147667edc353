/* check-load-room.c: see check-load-room.h. A sum of loads by weights is a sum of costs as
 * any other: what none that fits is below is proved as that of a plan within limits, of
 * figures times the weight of the engine that they keep busy. */
#include "config.h"

#include "planner/check/check-load-room.h"

#include "planner/check/check-memory.h"
#include "planner/check/check-share-room.h"
#include "planner/check/check-weigh.h"

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)
#define MAX_UNIT (1 << 20)

__extension__ typedef __int128 Wide;

/* What weights add up to; 0: they are none, which was said. A group is one kernel where
 * that saves anything, weighted or not, so none is 0. */
static gint64
sum_weights (TpChecker *checker)
{
  const TpRoomProof *room = checker->plan->load_proof->room;
  int n_engines = checker->plan->load_proof->n_engines;
  gboolean is_one = tp_costs_is_one_engine (checker->costs);
  Wide sum = 0;

  for (int e = 0; e < n_engines; e++)
    {
      gint64 weight = room->weights[e];

      sum = MIN (sum + weight, MAX_SUM);
      if (weight < 1 || (is_one && weight != room->weights[0]))
        sum = MAX_SUM;
    }
  if (sum < MAX_SUM)
    return is_one ? room->weights[0] : (gint64) sum;
  tp_checker_fail (checker, "load_room: weights are below 1, or too large, or "
                            "differ where all engines are one");
  return 0;
}

static gboolean
check_form (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  const TpRoomProof *room = plan->load_proof->room;
  gboolean is_shared = checker->costs->n_devices > 2;

  if (plan->memory_limits != NULL && plan->span_proof == NULL
      && is_shared == (room->tree == NULL)
      && is_shared == (room->shares != NULL)
      && (!is_shared
          || (room->shares->room != NULL
              && room->shares->unit >= 1
              && room->shares->unit <= MAX_UNIT)))
    return TRUE;
  return tp_checker_fail (checker, "load_room: there is no limit, or no proof "
                                   "for so many devices");
}

/* What no weighted sum of what fits is below. */
static gint64
prove (TpCheckerWeighed *weighed)
{
  const TpChecker *checker = &weighed->checker;
  const TpRoomProof *room = checker->plan->load_proof->room;
  TpPlan plan = *checker->plan;
  int n_gains = checker->costs->n_groups * checker->costs->n_devices;

  plan.memory_proof = room->tree;
  plan.share_proof = room->shares;
  plan.bound_ns = plan.constant_ns = 0;
  plan.cost_ns = MAX_SUM;
  for (int i = 0; i < n_gains; i++)
    plan.constant_ns += weighed->gains[i];
  weighed->checker.plan = &plan;
  if (checker->costs->n_devices > 2)
    tp_checker_check_share_room (&weighed->checker);
  else
    tp_checker_check_memory_proof (&weighed->checker);
  return room->tree != NULL ? room->tree->bound_ns : room->shares->room_ns;
}

void
tp_checker_check_load_room (TpChecker *checker)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  const TpRoomProof *room = proof->room;
  g_auto (TpCheckerWeighed) weighed = { 0 };
  gint64 sum, least, bound;

  if (room == NULL || !check_form (checker)
      || (sum = sum_weights (checker)) == 0
      || !tp_checker_weigh (checker, room->weights, &weighed))
    return;
  least = prove (&weighed);
  bound = MIN (least / sum + (least % sum > 0), proof->load_ns);
  if (room->bound_ns != bound || least < 0)
    tp_checker_fail (checker,
                     "load_room proves that what fits has a busiest engine that "
                     "carries %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                     bound, room->bound_ns);
}
