/* limit-peaks.h: what fits costs so much at least, by sweeps over all steps: a
 * tree that says how much devices hold at most besides constants. For graphs of
 * which little is undecided at once. */
#ifndef TP_PLANNER_LIMIT_PEAKS_H
#define TP_PLANNER_LIMIT_PEAKS_H

#include "planner/limit-scope.h"

/* Who keeps the cheapest placement found that fits; @devices: one an op. */
typedef struct
{
  gint64 (*get_cost) (gpointer data); /* TP_COST_NONE: none was found */
  /* Takes it, if it fits and is cheaper; whether it fits. */
  gboolean (*offer) (gpointer data, const gint8 *devices);
  /* It does not fit: looks beside it. */
  void (*search) (gpointer data, const gint8 *devices);
  /* By how much it is laid out in too much. */
  gint64 (*get_over) (gpointer data, const gint8 *devices);
  gpointer data;
} TpLimitKeeper;

/**
 * tp_limit_peaks_search:
 * @scope: of all placements
 * @keeper: of the cheapest; is offered what is found
 *
 * Equal arguments give equal trees: what it may do is counted, not timed.
 *
 * Returns: (transfer full) (nullable): what those that fit cost at least, as of
 *   tp_limit_tree_search(); %NULL: too much is undecided at once.
 */
TpMemoryProof *tp_limit_peaks_search (const TpLimitScope *scope,
                                      const TpLimitKeeper *keeper);

#endif
