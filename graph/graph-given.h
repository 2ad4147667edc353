/* graph-given.h: groups of ops of which a file says what they cost as one kernel. */
#ifndef TP_GRAPH_GRAPH_GIVEN_H
#define TP_GRAPH_GRAPH_GIVEN_H

#include "graph/graph-builder.h"

/* The ops called @names, all yet to be added. @figures: with a place; copied.
 * TPLAN_ERROR_INPUT: fewer than two, one twice, or one that is in another. */
gboolean tp_graph_builder_add_group (TpGraphBuilder *builder,
                                     const char *const *names,
                                     const TpGroupFigures *figures,
                                     GError **error);
/* That of the op called @name (nullable), or NULL. */
const TpGroupFigures *tp_builder_find_group (TpGraphBuilder *builder,
                                             const char *name);
/* Whether there are ops of all names that groups have. */
gboolean tp_builder_check_groups (TpGraphBuilder *builder, GError **error);

#endif
