/* check-readings.h: which groups the rules of docs/planner.md give, read in both orders:
 * "Fusion groups". */
#ifndef TP_PLANNER_CHECK_READINGS_H
#define TP_PLANNER_CHECK_READINGS_H

#include "ir/costs.h"

/* The groups of the first reading, those of the second (TpGroup.is_second) of bundles for
 * which it counts, and those that the graph gives a cost of, of one of @devices,
 * NULL-terminated (nullable). @left_out: rules, NULL-terminated (nullable). */
TpGroups *tp_checker_find_groups (const TpGraph *graph,
                                  const char *const *left_out,
                                  const char *const *devices);

/* Which groups of a family hang together, and which are made by one reading alone. */
typedef struct
{
  const TpGroups *family;     /* (unowned) */
  int n_ops;                  /* that groups may have */
  int *at;                    /* [op]: where the groups that have it begin in */
  int *members;               /* this list */
  int *bundle_of;             /* [op]: the least op of the bundle that it is in */
} TpCheckerBundles;

/* @n_ops: more than any op of @family. */
void tp_checker_bundles_init (TpCheckerBundles *bundles, const TpGroups *family,
                              int n_ops);
void tp_checker_bundles_clear (TpCheckerBundles *bundles);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerBundles, tp_checker_bundles_clear)
/* The bundle of a group of @family. */
int tp_checker_bundles_get (const TpCheckerBundles *bundles, const TpGroup *group);
/* Whether a group of the first reading has just the ops of @group. */
gboolean tp_checker_bundles_have_first (const TpCheckerBundles *bundles,
                                        const TpGroup *group);

#endif
