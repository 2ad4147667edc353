/* load-proof.h: what each engine carries in one run, and why no placement has a
 * busiest engine that carries less than so much.
 *
 * Engines are numbered: devices, then the way to each from host memory, then the way
 * back from each. docs/planner.md, "Throughput", has the words. */
#ifndef TP_IR_LOAD_PROOF_H
#define TP_IR_LOAD_PROOF_H

#include "ir/pointers.h"
#include "ir/room-proof.h"
#include "ir/share-proof.h"

/* Kinds of the certificate: of two devices, and of more. */
#define TP_PLAN_WEIGHTED_CUT "weighted-cut"
#define TP_PLAN_WEIGHTED_SHARES "weighted-shares"
#define TP_LOAD_MAX_ENGINES 18 /* of six devices */
#define TP_LOAD_END -1

typedef struct
{
  int n_engines;
  gint64 *loads;              /* [engine]: of the plan, in ns */
  gint64 load_ns;             /* the most of these */
  gint64 bound_ns;            /* no placement has less */
  gint64 low_ns, high_ns;     /* between which @load_ns is with 90 %; -1: not worked
                               * out, as in plans for makespan */
  int n_entries;
  int *tree;                  /* op that is fixed, to each device that it may be on,
                               * one after the other; TP_LOAD_END: the next bound */
  int n_bounds;
  gint64 *weights;            /* [bound * n_engines + engine]: with these the flows
                               * prove it: the flow, less weighted fusion gains, is
                               * the least weighted sum of loads; the most is no
                               * less than their mean */
  int n_flows;
  gint64 *flows;              /* of each bound as many, one after the other, of it
                               * those of each part; one device has none */
  TpPointers *shares;         /* (nullable): [bound * n_parts + part] TpShareBound: of
                               * three devices and more in place of flows; a plan is
                               * one part */
  gint64 *share_units;        /* [bound]: amounts there are in 1 / that */
  TpRoomProof *room;          /* (nullable): of what fits into limits of memory */
} TpLoadProof;

/* What no placement goes below, or none that fits, if that is known. */
gint64 tp_load_proof_get_bound (const TpLoadProof *proof);

/* All 0, without tree and bounds. */
TpLoadProof *tp_load_proof_new (int n_engines);
void tp_load_proof_free (TpLoadProof *proof); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLoadProof, tp_load_proof_free)

#endif
