/* plan-read-shares.h: the proof of plans for three devices and more, read
 * back. */
#ifndef TP_FORMAT_PLAN_READ_SHARES_H
#define TP_FORMAT_PLAN_READ_SHARES_H

#include "format/plan-read.h"

/* The rows of @list: (transfer full), NULL: an error. */
TpShareBound *tp_plan_read_share_rows (TpPlanPlace list, int n_devices,
                                       GError **error);
/* Keys unit, prices and shares of @place, as tp_plan_write_priced() writes them, to @proofs
 * (TpShareProof). */
gboolean tp_plan_read_priced (TpPlanPlace place, int n_devices,
                              TpPointers *proofs, GError **error);
/* Keys share_unit, share_bounds and share_tree of @place: (transfer full), NULL: an
 * error. */
TpShareProof *tp_plan_read_share_proof (TpPlanPlace place, int n_devices,
                                        GError **error);
/* Keys share_room_ns, share_prices and share_room, into @proof. */
gboolean tp_plan_read_share_room (TpPlanPlace place, int n_devices,
                                  TpShareProof *proof, GError **error);
/* A plan may do without. Whether it proves anything is for tp_check () to say. */
gboolean tp_plan_read_shares (TpPlanPlace root, TpPlan *plan, GError **error);

#endif
