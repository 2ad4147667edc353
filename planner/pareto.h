/* pareto.h: all plans that are the least for some worth of two things, or three. */
#ifndef TP_PLANNER_PARETO_H
#define TP_PLANNER_PARETO_H

#include "ir/pareto.h"

/* (unowned), all of it. */
typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;
  TpCosts *costs;             /* with the rates that all aims want; spreads are not
                               * heeded */
  const gint64 *limits;       /* (nullable): [row] (ir/pools.h): bytes of memory; 0: no
                               * limit */
  int n_aims;                 /* 2 or 3 */
  const TpAim *aims;          /* [n_aims]: each once */
} TpParetoTask;

/**
 * tp_pareto_find:
 *
 * Pure. Where all are told apart, the work is at most 2 k + 1 plans for k corners of two
 * things, and of three one for each corner and each piece of the hull.
 *
 * Returns: (transfer full): %NULL with @error set: those of tp_place_with () for
 *   objective "weighted".
 */
TpPareto *tp_pareto_find (const TpParetoTask *task, GError **error);

#endif
