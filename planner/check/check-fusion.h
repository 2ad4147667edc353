/* check-fusion.h: which groups the rules of docs/planner.md give, "Fusion groups". */
#ifndef TP_PLANNER_CHECK_FUSION_H
#define TP_PLANNER_CHECK_FUSION_H

#include "ir/costs.h"

#define TP_CHECKER_MAX_FUSED 32 /* ops of a group */

/* Of the rules, in the order in which they are applied; NULL: there are no more. */
const char *tp_checker_get_rule (int index);

/* What the rules make of a graph when they are read in one order. */
typedef struct
{
  gboolean is_second;         /* read again, in the other */
  TpGroups *groups;           /* chains by their first ops, then wholes by what puts
                               * them together */
  TpGroups *given;            /* of which the graph gives a cost */
  gboolean *is_torn;          /* [op]: elementwise, and several values are handed to it;
                               * or a reduction to which one is, and that hands its own
                               * to an elementwise op */
} TpCheckerReading;

/* @reading: with nothing but what is asked for. @left_out: rules, NULL-terminated
 * (nullable). @devices: a cost of one of which makes a group given, NULL-terminated
 * (nullable). */
void tp_checker_read_rules (const TpGraph *graph, const char *const *left_out,
                            const char *const *devices, TpCheckerReading *reading);
void tp_checker_reading_clear (TpCheckerReading *reading);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerReading, tp_checker_reading_clear)

#endif
