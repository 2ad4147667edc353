/* room-bound.h: what fits into limits of memory, bounded where what counts is no sum of
 * times but no less than many: what engines carry, how long paths take. */
#ifndef TP_PLANNER_ROOM_BOUND_H
#define TP_PLANNER_ROOM_BOUND_H

#include "ir/load-proof.h"
#include "planner/load-model.h"
#include "planner/paths.h"

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  TpLoadModel model;
  TpPaths paths;
  TpPointers *list;           /* TpPath: those that count */
  gboolean has_paths;
  TpPointers *met;            /* guint8 *: placements */
  gint64 weights[TP_LOAD_MAX_ENGINES]; /* tried last */
  TpRoomProof *proof;         /* (nullable): the best; yours to steal */
  int n_climbs;               /* so far; what the first finds is looked for most */
} TpRoomBound;

/* @problem: with limits; @has_paths: whether paths count, too. */
void tp_room_bound_init (TpRoomBound *it, const TpProblem *problem,
                         gboolean has_paths);
void tp_room_bound_clear (TpRoomBound *it);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpRoomBound, tp_room_bound_clear)

/* That there is such a placement: what is proved is to hold for it. */
void tp_room_bound_meet (TpRoomBound *it, const guint8 *devices);

/* How often that is worth while: @two on two devices, on more by how large the graph is. */
int tp_room_bound_count_climbs (const TpProblem *problem, int two);

/**
 * tp_room_bound_climb:
 * @floor_ns: what was proved otherwise
 * @most_ns: what is enough
 * @devices: (out): [op]: what fits, and is least by the weights tried
 *
 * Tries the weights that prove most as far as placements met tell; keeps what that proves
 * if it is more than @floor_ns and than before.
 *
 * Returns: %FALSE: there are no other weights, or nothing fits.
 */
gboolean tp_room_bound_climb (TpRoomBound *it, gint64 floor_ns, gint64 most_ns,
                              guint8 *devices);

#endif
