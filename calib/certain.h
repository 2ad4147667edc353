/* certain.h: what the costs of a graph must be, whatever was measured. */
#ifndef TP_CALIB_CERTAIN_H
#define TP_CALIB_CERTAIN_H

#include "ir/costs.h"

#define TP_COST_OPEN (-1)     /* as a time: for measurements to say */

/* Costs that follow from @graph, @groups and the names of the devices alone:
 * those of simulated devices, those the graph gives, views, what has no kernel.
 * The host is set, and the numbers of kernels where a device is real; all other
 * times are TP_COST_OPEN, and no digest is there. Where there can be no figure for
 * other reasons too, none is named. NULL: a device of no kind, or figures of a
 * simulated one that cannot be read. */
TpCosts *tp_costs_find_certain (const TpGraph *graph, const TpGroups *groups,
                                const char *const *devices, const gboolean *is_mapped,
                               GError **error);
/* The same, but its figures are not to be changed: rows that are equal may be there
 * once. */
TpCosts *tp_costs_find_certain_to_read (const TpGraph *graph,
                                        const TpGroups *groups,
                                        const char *const *devices,
                                        const gboolean *is_mapped,
                                        GError **error);

#endif
