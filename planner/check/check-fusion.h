/* check-fusion.h: which groups the rules of docs/planner.md give, "Fusion groups". */
#ifndef TP_PLANNER_CHECK_FUSION_H
#define TP_PLANNER_CHECK_FUSION_H

#include "ir/costs.h"

#define TP_CHECKER_MAX_FUSED 32 /* ops of a group */

/* Of the rules, in the order in which they are applied; NULL: there are no more. */
const char *tp_checker_get_rule (int index);

/* What the rules make of a graph. */
typedef struct
{
  TpGroups *groups;           /* chains by their first ops, then wholes by what puts
                               * them together; of the first reading, and then, where
                               * an op is torn, of the second (TpGroup.is_second) */
  TpGroups *given;            /* of which the graph gives a cost */
  gboolean has_second;        /* an op is torn */
  gboolean *is_torn;          /* [op]: elementwise, and several values are handed to it;
                               * or a reduction to which one is, and that hands its own
                               * to an elementwise op */
} TpCheckerReadings;

/* @left_out: rules, NULL-terminated (nullable). @devices: a cost of one of which makes a
 * group given, NULL-terminated (nullable). */
void tp_checker_read_rules (const TpGraph *graph, const char *const *left_out,
                            const char *const *devices,
                            TpCheckerReadings *out_readings);
void tp_checker_readings_clear (TpCheckerReadings *readings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerReadings, tp_checker_readings_clear)

#endif
