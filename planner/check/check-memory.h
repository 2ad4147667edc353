/* check-memory.h: trees of choices as proofs. */
#ifndef TP_PLANNER_CHECK_MEMORY_H
#define TP_PLANNER_CHECK_MEMORY_H

#include "planner/check/check-private.h"
#include "planner/check/check-room.h"

/* That the plan keeps to the limits it names. */
void tp_checker_check_limits (TpChecker *checker);
/* That none which keeps to the limits costs less than the proof says: of the plan at hand,
 * whose cheapest is for others. Two devices; of more, sweeps alone. */
void tp_checker_check_memory_proof (TpChecker *checker);
/* "memory-tree": that none which keeps to the limits costs less than the proof
 * says. Two devices. */
void tp_checker_check_memory_tree (TpChecker *checker);

/* Of two: whether a placement takes more than the limits, as sessions lay it out. */
gboolean tp_checker_is_too_large (const TpChecker *checker,
                                  const gint8 *devices);

/* Adds what arenas and weights of this placement take: [device]. FALSE: it cannot be laid
 * out. */
gboolean tp_checker_add_needed (const TpChecker *checker, const gint8 *devices,
                                TpCheckerBytes *bytes);

#endif
