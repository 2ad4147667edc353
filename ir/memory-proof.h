/* memory-proof.h: why no plan that fits into memory is cheaper than so much.
 *
 * A tree of choices: an op is on the first device or on the second. What hangs at
 * its ends says why nothing below is both fitting and cheaper. docs/planner.md,
 * "Memory limits", has the words. */
#ifndef TP_IR_MEMORY_PROOF_H
#define TP_IR_MEMORY_PROOF_H

#include "ir/array.h"
#include "ir/pointers.h"

#include <glib.h>

/* What is held on a device when an op begins: costs @price for every 2^30 bytes. */
typedef struct
{
  int device;
  int step;                   /* the op */
  gint64 price;
} TpMemoryPrice;

#define TP_MEMORY_MAX_PRICES 24 /* of one bound */
#define TP_SWEEP_MAX_DEVICES 4 /* of which all placements are swept */

/* Of what a term costs, the part that one of its readers answers for. */
typedef struct
{
  char kind;                  /* 'h', 'd': copy of tensor @index to the second
                               * device, to the first; 'c', 'e': gain of group
                               * @index on the first, on the second; 'm': bytes
                               * of tensor @index; 'k': nothing, of colocation
                               * @index */
  int index;
  int row;                    /* 'm': which price; else 0 */
  int op;                     /* the reader */
  gint64 amount;              /* 'k': may be below 0 */
} TpMemoryShare;

/* A lower bound of what placements cost, for any choices of ops. */
typedef struct
{
  gboolean has_costs;         /* FALSE: of memory alone: above 0, none fits */
  TpArray *prices;            /* TpMemoryPrice */
  TpArray *shares;            /* TpMemoryShare */
} TpMemoryBound;

typedef enum
{
  TP_PROOF_BRANCH,            /* op @index: on the first device, what follows; on
                               * the second, what follows that */
  TP_PROOF_BOUND,             /* bound @index: none is cheaper, or none fits */
  TP_PROOF_FULL,              /* ops that are on device @index already take more
                               * when op @step begins */
  TP_PROOF_PLACED,            /* no choice is left: it costs enough, or its
                               * arenas do not fit */
  TP_PROOF_PEAK,              /* device @index holds no more than @bytes at any
                               * step, constants apart: what follows; else: what
                               * follows that */
  TP_PROOF_SWEEP,             /* with what is fixed, op after op and with these
                               * @prices on constants, none is cheaper, or none
                               * fits */
} TpProofKind;

typedef struct
{
  TpProofKind kind;
  int index, step;
  gint64 bytes;
  gint64 prices[TP_SWEEP_MAX_DEVICES]; /* [device]: of 2^30 bytes */
} TpProofEntry;

typedef struct
{
  gint64 bound_ns;            /* what fits costs no less */
  TpPointers *bounds;         /* TpMemoryBound */
  TpArray *entries;           /* TpProofEntry: the tree, each branch before what is
                               * below it */
} TpMemoryProof;

TpMemoryBound *tp_memory_bound_new (void);
void tp_memory_bound_free (TpMemoryBound *bound);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpMemoryBound, tp_memory_bound_free)

TpMemoryProof *tp_memory_proof_new (void);
void tp_memory_proof_free (TpMemoryProof *proof);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpMemoryProof, tp_memory_proof_free)

#endif
