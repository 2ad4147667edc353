/* plan-read-memory.h: limits of memory, and their proof, read back. */
#ifndef TP_FORMAT_PLAN_READ_MEMORY_H
#define TP_FORMAT_PLAN_READ_MEMORY_H

#include "format/plan-read.h"

/* Keys memory_bound_ns, memory_bounds and memory_tree of @place, as of a plan for so many
 * devices: (transfer full), NULL: an error. */
TpMemoryProof *tp_plan_read_memory_tree (TpPlanPlace place, int n_devices,
                                         GError **error);
/* A plan may do without. Whether it proves anything is for tp_check () to say. */
gboolean tp_plan_read_memory_proof (TpPlanPlace root, TpPlan *plan,
                                    GError **error);
/* One bound, an object, to @bounds. */
gboolean tp_plan_read_bound (TpPlanPlace place, TpPointers *bounds,
                             GError **error);
/* List @key of @place: [device, op, price], rows (TpMemoryPrice). */
gboolean tp_plan_read_prices (TpPlanPlace place, const char *key,
                              TpArray *prices, GError **error);

#endif
