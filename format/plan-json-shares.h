/* plan-json-shares.h: the proof of plans for three devices and more. */
#ifndef TP_FORMAT_PLAN_JSON_SHARES_H
#define TP_FORMAT_PLAN_JSON_SHARES_H

#include "ir/plan.h"

/* Its rows, in one line. */
void tp_plan_write_share_bound (const TpShareBound *bound, int n_devices,
                                GString *out);
/* Keys share_unit, share_bounds and share_tree, a comma at the end. */
void tp_plan_write_share_proof (const TpShareProof *proof, int n_devices,
                                GString *out);
/* Keys share_room_ns, memory_views, share_prices and share_room, likewise. @graph:
 * (nullable): whose views they are; NULL: they stand there already. */
void tp_plan_write_share_room (const TpShareProof *proof, int n_devices,
                               const TpGraph *graph, GString *out);
/* Nothing, where there is none. */
void tp_plan_write_shares (const TpPlan *plan, const TpGraph *graph,
                           GString *out);

/* Of one graph where several devices are held to limits: its unit, prices and room. */
void tp_plan_write_priced (const TpShareProof *proof, int n_devices,
                           GString *out);

#endif
