/* check-load-room.c: see check-load-room.h. The busiest engine carries no less than any
 * mean of what engines carry; a run takes no less than that, nor than a path, nor than a
 * mean of both. */
#include "config.h"

#include "planner/check/check-load-room.h"

#include "planner/check/check-ends.h"
#include "planner/check/check-fitting.h"

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

/* What weights add up to; 0: they are none, which was said. A group is one kernel where
 * that saves anything, weighted or not, so none is 0. */
static gint64
sum_weights (TpChecker *checker, const TpRoomProof *room,
             const TpCheckerPassed *passed)
{
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
  if (sum + passed->sum < MAX_SUM)
    return (is_one ? room->weights[0] : (gint64) sum) + passed->sum;
  tp_checker_fail (checker, "what fits: weights are below 1, or too large, or "
                            "differ where all engines are one");
  return 0;
}

/* @best: of the plan. */
static void
check (TpChecker *checker, const TpRoomProof *room, gint64 best)
{
  g_auto (TpCheckerPassed) passed = { 0 };
  gint64 sum, least, bound;

  if (!tp_checker_count_paths (checker, room->paths, &passed)
      || (sum = sum_weights (checker, room, &passed)) == 0
      || (least = tp_checker_prove_fitting (checker, room->weights, &passed,
                                            room)) < 0)
    return;
  bound = MIN (least / sum + (least % sum > 0), best);
  if (room->bound_ns != bound)
    tp_checker_fail (checker,
                     "what fits has at least %" G_GINT64_FORMAT " by its proof, "
                     "not %" G_GINT64_FORMAT,
                     bound, room->bound_ns);
}

void
tp_checker_check_load_room (TpChecker *checker)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  const TpCheckerLoadPart part = { checker, 1 };
  const TpCheckerLoads loads = { 1, &part, proof };

  if (proof->room == NULL)
    return;
  if (proof->room->paths->len > 0 || checker->plan->span_proof != NULL)
    tp_checker_fail (checker, "load_room: of a run, or of paths");
  else if (proof->room->ends != NULL)
    tp_checker_check_ends (&loads, checker->plan->memory_limits);
  else
    check (checker, proof->room, proof->load_ns);
}

void
tp_checker_check_span_room (TpChecker *checker)
{
  const TpSpanProof *proof = checker->plan->span_proof;

  if (proof->room != NULL)
    check (checker, proof->room, proof->span_ns);
}
