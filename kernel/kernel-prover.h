/* kernel-prover.h: inside the proof that indices stay in their buffers: what is
 * known of the values of a kernel, and arithmetic on it. */
#ifndef TP_KERNEL_KERNEL_PROVER_H
#define TP_KERNEL_KERNEL_PROVER_H

#include "kernel/kernel-affine.h"
#include "kernel/kernel.h"

typedef struct
{
  const TpKernel *kernel;
  TpSolver *solver;
  TpAffine *forms;     /* per value; INDEX and I32 */
  TpAffine *counts;    /* per FOR: how often its body ran before */
  TpAffine *quotients; /* per IMOD and IDIV: its quotient */
  int *match;
  TpAffine lane[17]; /* by width */
  TpAffine active;   /* the lane of the access being checked */
  int at;
  GError **error;
} TpProver;

/* The best bounds that can be found. */
gint64 tp_prover_lower (TpProver *prover, const TpAffine *form);
gint64 tp_prover_upper (TpProver *prover, const TpAffine *form);
/* Any value of its kind. One atom cannot stand for lanes that differ. */
TpAffine tp_prover_fresh (TpProver *prover, TpKind kind, int lanes);
/* @form with the lane of @lanes wide vectors replaced by @with. */
TpAffine tp_prover_replace_lane (const TpProver *prover, const TpAffine *form,
                                 int lanes, const TpAffine *with);
void tp_prover_assume_mask (TpProver *prover, TpValue mask, gboolean is_true);

TpAffine tp_prover_multiply (TpProver *prover, const TpAffine *a,
                             const TpAffine *b);
/* IDIV and IMOD; IMIN and IMAX; SELECT; ISHL and IAND. */
TpAffine tp_prover_divide (TpProver *prover, const TpInstr *instr);
TpAffine tp_prover_extremum (TpProver *prover, const TpInstr *instr);
TpAffine tp_prover_choose (TpProver *prover, const TpInstr *instr);
TpAffine tp_prover_bits_of (TpProver *prover, const TpInstr *instr);

#endif
