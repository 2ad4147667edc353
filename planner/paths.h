/* paths.h: paths through a graph, from tensor to tensor, each made by an op that reads the
 * one before. However engines overlap, a run takes no less than any of them. */
#ifndef TP_PLANNER_PATHS_H
#define TP_PLANNER_PATHS_H

#include "ir/room-proof.h"
#include "planner/problem.h"

typedef struct
{
  const TpProblem *problem;   /* (unowned), without weights */
  const int *group_of;        /* (unowned) [op]: -1: none */
} TpPaths;

/* A longest, with ops where @devices has them; of weight 0. NULL: there are none. */
TpPath *tp_paths_find_longest (const TpPaths *paths, const guint8 *devices);
/* What it takes at least: kernels, less what groups in effect may save of them, and copies
 * of what nobody else reads. */
gint64 tp_paths_measure (const TpPaths *paths, const TpPath *path,
                        const guint8 *devices);

/* How often those of @list (TpPath) pass, as they weigh. */
void tp_paths_count (const TpPaths *paths, const TpPointers *list, TpPassed *out);
void tp_passed_clear (TpPassed *passed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpPassed, tp_passed_clear)

#endif
