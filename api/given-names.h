/* given-names.h: names of devices that a graph gives costs of. */
#ifndef TP_API_GIVEN_NAMES_H
#define TP_API_GIVEN_NAMES_H

#include "ir/graph.h"

/* That each could be the name of a device, there or not: of ops, groups and copies.
 * TPLAN_ERROR_INPUT names the file, the place and what was meant. */
gboolean tp_given_names_check (const TpGraph *graph, GError **error);

/* What to say of those that @devices, ended by NULL, have no use for; NULL: each op, group
 * and tensor with costs has one of these at least. g_free () */
char *tp_given_names_find_unused (const TpGraph *graph,
                                  const char *const *devices);

#endif
