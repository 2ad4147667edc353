/* rate-proof.h: what a plan takes of time, energy and money, and why none takes less.
 *
 * docs/planner.md, "Energy and price", has the words. */
#ifndef TP_IR_RATE_PROOF_H
#define TP_IR_RATE_PROOF_H

#include "ir/cut-vertex.h"
#include "ir/rates.h"

/* Kind of the certificate. */
#define TP_PLAN_RATED_CUT "rated-cut"

typedef struct
{
  gint64 aims[TP_N_AIMS];     /* what a unit of each is worth; not all 0 */
  gint64 totals[TP_N_AIMS];   /* what the plan takes; -1: no rates are stated */
  gint64 cost;                /* the totals, each times what it is worth */
  gint64 bound;               /* no placement costs less: that of the flow or, if
                               * less, of all on one device */
  int n_arcs;
  TpArc *arcs;                /* of the times, times what they are worth where not
                               * all is on one device; one device has none */
} TpRateProof;

/* All 0. */
TpRateProof *tp_rate_proof_new (void);
void tp_rate_proof_free (TpRateProof *proof); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRateProof, tp_rate_proof_free)

#endif
