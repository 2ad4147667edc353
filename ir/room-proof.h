/* room-proof.h: why what fits into limits of memory takes no less than so much, where
 * that is no sum of times by itself.
 *
 * A sum of times, each as often as its engine weighs, is proved as that of a plan within
 * limits is; and so is what the busiest carries, which is no less than their mean.
 * docs/planner.md, "Throughput", has the words. */
#ifndef TP_IR_ROOM_PROOF_H
#define TP_IR_ROOM_PROOF_H

#include "ir/memory-proof.h"
#include "ir/share-proof.h"

typedef struct
{
  gint64 *weights;            /* [engine], at least 1 */
  gint64 bound_ns;            /* none that fits has less */
  TpMemoryProof *tree;        /* of two devices: that of the least weighted sum */
  TpShareProof *shares;       /* of more: likewise its room, and no bounds */
} TpRoomProof;

TpRoomProof *tp_room_proof_new (int n_engines); /* all 0 */
void tp_room_proof_free (TpRoomProof *proof); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRoomProof, tp_room_proof_free)

#endif
