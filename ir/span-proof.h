/* span-proof.h: when each kernel and copy of a run begins where engines work at once,
 * and how long a run takes at least.
 *
 * docs/planner.md, "Makespan", has the words. */
#ifndef TP_IR_SPAN_PROOF_H
#define TP_IR_SPAN_PROOF_H

#include "ir/room-proof.h"

/* Kind of the certificate. */
#define TP_PLAN_SCHEDULE "schedule"
#define TP_SPAN_END -1

typedef struct
{
  gint64 span_ns;             /* when the last of them ends */
  gint64 low_ns, high_ns;     /* between which a run is with 90 %; -1: not worked
                               * out */
  gint64 bound_ns;            /* no placement has less, in whatever order; none that
                               * fits, if there is @room */
  TpRoomProof *room;          /* (nullable): of what fits into limits of memory */
  int n_nodes;
  gint64 *starts;             /* [node]: in ns; all of a group in effect have that
                               * of its kernel */
  int n_transfers;
  gint64 *fetch_starts;       /* [transfer]: of the way to host memory; -1: there
                               * is none */
  gint64 *feed_starts;        /* [transfer]: of the way from there; likewise */
  gint64 *ends, *fetch_ends, *feed_ends; /* (nullable) likewise, where engines slow
                               * each other; NULL: all take what they take alone */
  int n_waists;
  int *waists;                /* ops of which all others come before or after; the
                               * stages are between them */
  int n_entries;              /* 0: the bound needs no tree */
  int *tree;                  /* for each stage, and each pair of devices of the ops
                               * where it starts and ends, a tree: op that is
                               * fixed, to the first device and then to the second;
                               * TP_SPAN_END: it is fixed as far as is needed */
} TpSpanProof;

/* All starts 0, no tree. */
TpSpanProof *tp_span_proof_new (int n_nodes, int n_transfers);
/* Ends, all 0. */
void tp_span_proof_add_ends (TpSpanProof *proof);
void tp_span_proof_free (TpSpanProof *proof); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpSpanProof, tp_span_proof_free)

#endif
