/* bind-proof.h: the proof of a plan and what a run takes, beside what else is checked. */
#ifndef TP_API_BIND_PROOF_H
#define TP_API_BIND_PROOF_H

#include "ir/beside.h"
#include "ir/plan.h"
#include "planner/check/check-digest.h"

#define TP_BIND_MANY_NODES 1000 /* worth a thread */

/* { 0 } is none. */
typedef struct
{
  TpPlan counted;             /* the plan, of which no more than the bytes are owned,
                               * and these are counted anew */
  const TpPlan *unproved;     /* NULL: nothing is to be proved */
  const TpGraph *graph;
  GPtrArray *faults;          /* of the proof; with any @counted is not to be read */
  TpCheckerDigest digest;     /* of the costs of @unproved */
  TpBeside beside, counting;
} TpBindProof;

/* The proof is of @unproved (nullable). Borrows all of them. Whoever changes one of them
 * waits for the end. */
void tp_bind_proof_begin (TpBindProof *proof, const TpPlan *plan,
                          const TpPlan *unproved, const TpGraph *graph);
/* Does what of it can be done beside it. */
void tp_bind_proof_help (TpBindProof *proof);
/* Waits; the faults and the bytes are there then. */
void tp_bind_proof_end (TpBindProof *proof);
void tp_bind_proof_clear (TpBindProof *proof);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpBindProof, tp_bind_proof_clear)

#endif
