/* rate-proof.h: what a plan takes of time, energy and money, and why none takes less.
 *
 * docs/planner.md, "Energy and price", has the words. */
#ifndef TP_IR_RATE_PROOF_H
#define TP_IR_RATE_PROOF_H

#include "ir/pointers.h"
#include "ir/rates.h"
#include "ir/room-proof.h"
#include "ir/share-proof.h"

/* Kinds of the certificate: of two devices, and of more. */
#define TP_PLAN_RATED_CUT "rated-cut"
#define TP_PLAN_RATED_SHARES "rated-shares"

/* Of placements that have ops on some devices for sure, and on others none. */
typedef struct
{
  guint rented, without;      /* these, and those: a bit for each */
  gint64 divisor;             /* of what times are weighted with, rounded down: what is
                               * proved is that many times as much */
  gint64 times;               /* 0; of what fits: they count so often, and all times
                               * once besides, where some would count nothing */
  TpShareProof *shares;       /* that none of them is below the bound: of times, as
                               * weighted where @rented have ops, on all devices but
                               * @without; with a room, that none that fits is */
  TpMemoryProof *tree;        /* (nullable): or this one, that none that fits is; no
                               * shares then */
} TpRateEnd;

/* By 1, no proof. */
TpRateEnd *tp_rate_end_new (guint rented, guint without);
void tp_rate_end_free (TpRateEnd *end); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRateEnd, tp_rate_end_free)

typedef struct
{
  gint64 aims[TP_N_AIMS];     /* what a unit of each is worth; not all 0 */
  gint64 totals[TP_N_AIMS];   /* what the plan takes; -1: no rates are stated */
  gint64 cost;                /* the totals, each times what it is worth */
  gint64 bound;               /* no placement costs less: that of the flow or, if
                               * less, of all on one device */
  int n_flows;
  gint64 *flows;              /* of the times, times what they are worth where not
                               * all is on one device; one device has none */
  TpRoomProof *room;          /* (nullable): of what fits into limits of memory: its
                               * bound none costs less than; of two devices, that none
                               * with ops on both does; no weights */
  guint unfit;                /* with it: devices on which all ops do not fit, a bit for
                               * each */
  TpPointers *ends;           /* TpRateEnd: of three devices and more, in place of
                               * flows: each placement is of one; else empty */
  TpPointers *fitting;        /* TpRateEnd: likewise, of what fits, with @room */
} TpRateProof;

/* What no placement costs less than, or none that fits, if that is known. */
gint64 tp_rate_proof_get_bound (const TpRateProof *proof);

/* All 0. */
TpRateProof *tp_rate_proof_new (void);
void tp_rate_proof_free (TpRateProof *proof); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRateProof, tp_rate_proof_free)

#endif
