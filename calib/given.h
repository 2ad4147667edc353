/* given.h: what a graph says that its ops cost. */
#ifndef TP_CALIB_GIVEN_H
#define TP_CALIB_GIVEN_H

#include "calib/keys.h"

/* Fills in @cost of @key on @device, where the graph says what it is, or that it is
 * none: no kernel of ours may undercut what it says. @group: (nullable): that @key is
 * of. FALSE: it does not. */
gboolean tp_given_use (const TpGraph *graph, const TpGroup *group,
                       const TpKey *key, const char *device, TpCost *cost);

#endif
