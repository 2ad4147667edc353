/* plan-json-memory.h: limits of memory, and their proof, as text. */
#ifndef TP_FORMAT_PLAN_JSON_MEMORY_H
#define TP_FORMAT_PLAN_JSON_MEMORY_H

#include "ir/plan.h"

/* Lines of their own, "memory_views" among them. @graph: (nullable): whose views they
 * are; NULL: they stand there already. */
void tp_plan_write_memory_tree (const TpMemoryProof *proof, int n_devices,
                                const TpGraph *graph, GString *out);
/* Likewise; none where @plan has no proof. */
void tp_plan_write_memory_proof (const TpPlan *plan, const TpGraph *graph,
                                 GString *out);

/* [device, op, price], rows (TpMemoryPrice). */
void tp_plan_write_prices (const TpArray *prices, GString *out);
/* One bound, an object. */
void tp_plan_write_bound (const TpMemoryBound *bound, GString *out);
/* Of views the tensor whose bytes they have, for the same op may read others: a list. */
void tp_plan_write_view_list (const TpGraph *graph, GString *out);
/* "memory_views": that list. */
void tp_plan_write_views (const TpGraph *graph, GString *out);
/* In which parts the batch is run, and which weights are streamed: a line for each, if
 * so. */
void tp_plan_write_parts (const TpPlan *plan, GString *out);

/* A line of its own; none where no devices of @costs share memory. */
void tp_plan_write_pools (const TpCosts *costs, GString *out);
/* Likewise; none where nothing is mapped. */
void tp_plan_write_mapped (const TpCosts *costs, GString *out);

#endif
