/* share-proof.h: why no placement on several devices is cheaper than so much.
 *
 * What tensors and groups cost is shared out among the ops that are at their
 * ends; then the least is found op by op. A tree of choices proves more where
 * that is not enough. docs/planner.md, "More devices", has the words. */
#ifndef TP_IR_SHARE_PROOF_H
#define TP_IR_SHARE_PROOF_H

#include "ir/array.h"
#include "ir/memory-proof.h"
#include "ir/pointers.h"

#include <glib.h>

/* Kind of the certificate. */
#define TP_PLAN_SHARE_TREE "share-tree"

/* What op @op answers for of the copies of a tensor, of the gain of a group, or of
 * bytes that have a price, on each device: amounts from @first. */
typedef struct
{
  char kind;                  /* 't': tensor @index, which the op reads; 'g':
                               * group @index, of which it is; 'm': the bytes of
                               * tensor @index, which it holds */
  int index;
  int row;                    /* 'm': which price; else 0 */
  int op;
  guint first;                /* in amounts, one for each device */
} TpShareRow;

typedef struct
{
  TpArray *rows;              /* TpShareRow: those of the first bound that are
                               * otherwise; in the first itself, all but zeros */
  TpArray *amounts;           /* gint64, >= 0 */
} TpShareBound;

/* The tree: each branch before what is below it. */
typedef struct
{
  gboolean is_branch;         /* op @index: on each device it may be on, in their
                               * order, what follows; else an end: bound @index
                               * is enough */
  int index;
} TpShareEntry;

typedef struct
{
  gint64 unit;                /* amounts are in 1 / @unit of a nanosecond */
  TpPointers *bounds;         /* TpShareBound */
  TpArray *entries;           /* TpShareEntry */
  TpShareBound *room;         /* (nullable): of what keeps to limits of memory, with
                               * @prices on what is held */
  TpArray *prices;            /* TpMemoryPrice */
  gint64 room_ns;             /* what fits costs no less */
} TpShareProof;

TpShareBound *tp_share_bound_new (void);
TpShareBound *tp_share_bound_copy (const TpShareBound *bound);
void tp_share_bound_free (TpShareBound *bound); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpShareBound, tp_share_bound_free)

TpShareProof *tp_share_proof_new (void);
/* Of what fits alone, with a unit of 1 and no row. */
TpShareProof *tp_share_proof_new_priced (void);
void tp_share_proof_free (TpShareProof *proof); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpShareProof, tp_share_proof_free)

#endif
