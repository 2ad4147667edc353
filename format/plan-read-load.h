/* plan-read-load.h: what engines carry, and its proof, read back. */
#ifndef TP_FORMAT_PLAN_READ_LOAD_H
#define TP_FORMAT_PLAN_READ_LOAD_H

#include "format/plan-read.h"

/* A plan may do without. Whether it proves anything is for tp_check () to say. */
gboolean tp_plan_read_load_proof (TpPlanPlace root, TpPlan *plan,
                                  GError **error);

/* The same of @n_parts plans that have one together, of @n_devices; *@out_proof is
 * the caller's, also after an error. */
gboolean tp_plan_read_loads (TpPlanPlace root, int n_devices, int n_parts,
                             TpLoadProof **out_proof, GError **error);

/* Of what fits into limits of memory, once the rest is read. */
gboolean tp_plan_read_room (TpPlanPlace root, TpPlan *plan, GError **error);
/* The same of @n_parts plans that have it together: a tree of ends. */
gboolean tp_plan_read_room_of_parts (TpPlanPlace root, int n_parts,
                                     TpLoadProof *proof, GError **error);
/* Why what fits into limits of memory has no less, but for weights and bound. */
gboolean tp_plan_read_fitting (TpPlanPlace place, int n_devices,
                               TpRoomProof *room, GError **error);

#endif
