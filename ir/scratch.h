/* scratch.h: memory for work that is done again and again: what one round had is
 * there for the next, which asks the system only for what it needs beyond. */
#ifndef TP_IR_SCRATCH_H
#define TP_IR_SCRATCH_H

#include <glib.h>

typedef struct TpScratchBlock TpScratchBlock;

typedef struct
{
  TpScratchBlock *blocks;     /* the one in use comes first */
  gsize pos;                  /* bytes of it that are taken */
  gsize all_bytes;            /* of all blocks */
} TpScratch;                  /* all 0: empty */

void tp_scratch_clear (TpScratch *scratch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpScratch, tp_scratch_clear)

/* A new round: what was given out is no more. */
void tp_scratch_reset (TpScratch *scratch);

/* Until the round ends, not zeroed. Without memory the guarded call is left
 * (ir/guard.h). */
void *tp_scratch_alloc (TpScratch *scratch, gsize n, gsize size);
void *tp_scratch_alloc0 (TpScratch *scratch, gsize n, gsize size);

#define tp_scratch_new(scratch, Type, n) \
  ((Type *) tp_scratch_alloc ((scratch), (n), sizeof (Type)))
#define tp_scratch_new0(scratch, Type, n) \
  ((Type *) tp_scratch_alloc0 ((scratch), (n), sizeof (Type)))

#endif
