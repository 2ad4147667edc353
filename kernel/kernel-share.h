/* kernel-share.h: which pure values of a kernel under construction are in scope, to
 * be used again. */
#ifndef TP_KERNEL_KERNEL_SHARE_H
#define TP_KERNEL_KERNEL_SHARE_H

#include "ir/array.h"
#include "kernel/kernel.h"

typedef struct
{
  TpArray *values;    /* TpValue, oldest first */
  TpArray *scopes;    /* guint: how many there were when a region opened */
  int *slots;         /* 1 + a value, where its instruction hashes to or after;
                       * 0: free */
  guint n_slots;      /* a power of 2, at least twice as many as values */
} TpSharing;

void tp_sharing_init (TpSharing *sharing);
void tp_sharing_clear (TpSharing *sharing); /* also of zeros */

/* @instrs: of the kernel. -1: there is none. */
TpValue tp_sharing_find (const TpSharing *sharing, const TpInstr *instrs,
                         const TpInstr *instr);
void tp_sharing_add (TpSharing *sharing, const TpInstr *instrs, TpValue value);
void tp_sharing_open (TpSharing *sharing);
/* Forgets what was added since. */
void tp_sharing_close (TpSharing *sharing, const TpInstr *instrs);

#endif
