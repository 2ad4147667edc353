/* check-paths.h: paths through the graph, which a run takes no less than. */
#ifndef TP_PLANNER_CHECK_PATHS_H
#define TP_PLANNER_CHECK_PATHS_H

#include "planner/check/check-private.h"

/* How often they pass, as they weigh. Zeroed at first. */
typedef struct
{
  gint64 *ops, *tensors;
  gint64 *gains;              /* [group * n_devices + device]: of what is saved there,
                               * no more than the ops passed take, each time */
  gint64 sum;                 /* of their weights */
} TpCheckerPassed;

/* @paths: TpPath. FALSE: they are none, which was said. */
gboolean tp_checker_count_paths (TpChecker *checker, const TpPointers *paths,
                                 TpCheckerPassed *out);
void tp_checker_passed_clear (TpCheckerPassed *passed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerPassed, tp_checker_passed_clear)

#endif
