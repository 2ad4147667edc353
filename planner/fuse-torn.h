/* fuse-torn.h: nodes that could go with either of two chains. */
#ifndef TP_PLANNER_FUSE_TORN_H
#define TP_PLANNER_FUSE_TORN_H

#include "ir/graph.h"

/* [node]: whether it is a map that is handed several values, or a reduction that goes
 * with the maps after it or, with them, between contractions. @counts: as for
 * tp_fuse_find_given (). *@out_any: set if any is. Free it. */
guint8 *tp_fuse_find_torn (const TpGraph *graph, const guint8 *counts,
                           gboolean *out_any);

#endif
