/* room-proof.h: why what fits into limits of memory takes no less than so much, where
 * that is no sum of times by itself.
 *
 * A sum of times, each as often as its engine weighs, is proved as that of a plan within
 * limits is; and so is what the busiest carries, which is no less than their mean. So is
 * how long a run takes, with paths through the graph beside engines. docs/planner.md,
 * "Throughput" and "Makespan", has the words. */
#ifndef TP_IR_ROOM_PROOF_H
#define TP_IR_ROOM_PROOF_H

#include "ir/memory-proof.h"
#include "ir/pointers.h"
#include "ir/share-proof.h"

/* Through the graph, from tensor to tensor. */
typedef struct
{
  gint64 weight;              /* at least 1 */
  int n_tensors;              /* at least 1; each but the first is made by an op that
                               * reads the one before */
  int *tensors;
} TpPath;

TpPath *tp_path_new (int n_tensors); /* all 0 */
TpPath *tp_path_copy (const TpPath *path);
void tp_path_free (TpPath *path); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPath, tp_path_free)

/* A tree of ops that are fixed. At each of its ends weights of engines, and of each graph that
 * is there at once a bound with prices on memory. */
typedef struct
{
  int n_entries;
  int *tree;                  /* as of TpLoadProof */
  int n_ends;
  gint64 *weights;            /* [end * n_engines + engine], at least 1 */
  TpPointers *bounds;         /* [end * n_parts + part] TpMemoryBound: of two devices */
  TpPointers *shares;         /* likewise TpShareProof: of more, of each its unit, prices and
                               * room */
} TpRoomEnds;

TpRoomEnds *tp_room_ends_new (void); /* without any */
void tp_room_ends_free (TpRoomEnds *ends); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRoomEnds, tp_room_ends_free)

/* One of @tree, @shares and @ends. */
typedef struct
{
  gint64 *weights;            /* [engine], at least 1; of @ends none */
  TpPointers *paths;          /* TpPath: of makespan; else none */
  gint64 bound_ns;            /* none that fits has less */
  TpMemoryProof *tree;        /* of two devices: that of the least weighted sum */
  TpShareProof *shares;       /* of more: likewise its room, and no bounds */
  TpRoomEnds *ends;           /* of loads; of several graphs always */
} TpRoomProof;

TpRoomProof *tp_room_proof_new (int n_engines); /* all 0, no paths */
void tp_room_proof_free (TpRoomProof *proof); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRoomProof, tp_room_proof_free)

#endif
