/* load.h: the placement on two devices whose busiest engine carries least, as a
 * pipeline of runs wants it; and a load that no placement goes below. */
#ifndef TP_PLANNER_LOAD_H
#define TP_PLANNER_LOAD_H

#include "ir/plan.h"
#include "planner/problem.h"

/* What weights add up to where costs allow it. */
#define TP_LOAD_WEIGHTS (1 << 16)

typedef struct
{
  int n_engines;              /* as in load-model.h */
  int n_nodes;
  guint8 *devices;            /* [node]: the best placement found */
  gint64 *loads;              /* [engine]: what it makes each carry, in ns */
  gint64 load_ns;             /* the most of these */
  gint64 bound_ns;            /* no placement has less */
  gint64 *weights;            /* [engine]: with these the arcs prove it: the flow,
                               * less the constant, is the least weighted sum of
                               * loads; the most is no less than their mean */
  gint64 constant;            /* weighted fusion gains, taken before the cut */
  int n_arcs;
  TpArc *arcs;
} TpLoadProof;

/**
 * tp_load_solve:
 * @problem: for one device, or two; limits of memory are not looked at
 *
 * Pure: what it may do is counted, not timed.
 *
 * Returns: (transfer full): a placement and its proof. %NULL with @error set:
 *   %TPLAN_ERROR_UNSUPPORTED: more devices: name fewer.
 *   %TPLAN_ERROR_LIMIT: costs too large to be weighted: mend the costs.
 */
TpLoadProof *tp_load_solve (const TpProblem *problem, GError **error);
void tp_load_proof_free (TpLoadProof *proof);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLoadProof, tp_load_proof_free)

#endif
