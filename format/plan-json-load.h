/* plan-json-load.h: what engines carry, and its proof, as text. */
#ifndef TP_FORMAT_PLAN_JSON_LOAD_H
#define TP_FORMAT_PLAN_JSON_LOAD_H

#include "format/plan-text.h"
#include "ir/plan.h"

/* Lines of their own; none where @plan has no such proof. */
void tp_plan_write_load_proof (const TpPlan *plan, const TpGraph *graph,
                               TpPlanText *out);

/* The same of plans that have it together. */
void tp_plan_write_loads (const TpLoadProof *proof, TpPlanText *out);

/* "load_room", with a tree of ends. @graphs: [part]. */
void tp_plan_write_ends (const TpRoomProof *room, int n_engines,
                         const TpGraph *const *graphs, int n_parts,
                         GString *out);

/* Why what fits into limits of memory has no less, but for weights and bound. */
void tp_plan_write_fitting (const TpRoomProof *room, int n_devices,
                            const TpGraph *graph, GString *out);

#endif
