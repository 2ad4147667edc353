/* check-step-facts.h: what matters to ops before, of where ops after them are placed. */
#ifndef TP_PLANNER_CHECK_STEP_FACTS_H
#define TP_PLANNER_CHECK_STEP_FACTS_H

#include "ir/array.h"
#include "ir/memory-proof.h"
#include "planner/check/check-share.h"

typedef struct
{
  int device;                 /* where bytes are, or ops together */
  guint devices;              /* a set */
  const int *ops;             /* any of which on any of these makes it so;
                               * ascending */
  int n;                      /* those to come, before the op at hand */
  int maker;                  /* -1: none */
  TpCheckerWide costs[TP_SWEEP_MAX_DEVICES]; /* [device]: of a copy or a gain, for the
                               * maker there; if none, for who makes it so */
  gint64 weights;             /* of a constant */
  int root;                   /* tensor that is held; else -1 */
  int apart;                  /* of a tensor: it is held only if this holds too; -1 */
  gboolean is_together;       /* all of @ops are on one device */
  gboolean is_own;            /* a constant that one op reads */
  int next;                   /* that begins with the same op */
  int at;                     /* its place among those that hold now */
  /* Of the op at hand: */
  gboolean is_of_op;          /* among ops */
  gboolean is_of_group;       /* or any of the group that it ends */
  gint64 bytes;               /* held while it runs */
} TpCheckerFact;

typedef struct
{
  TpCheckerHeld *held;        /* (unowned) */
  TpChecker *checker;         /* (unowned) */
  const gboolean *is_limited; /* (unowned) [device]: whether bytes count there */
  int k;                      /* devices */
  TpArray *facts;             /* TpCheckerFact */
  int *by_start;              /* [op]: those that begin with it; -1: none */
  int *ends;                  /* [op]: of its group, if that may be one kernel; or itself */
  int *apart;                 /* [op * k + device]: its group's fact there; -1: none */
} TpCheckerFacts;

void tp_checker_facts_init (TpCheckerFacts *facts, TpCheckerHeld *held,
                            const gboolean *is_limited);
void tp_checker_facts_clear (TpCheckerFacts *facts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerFacts, tp_checker_facts_clear)

static inline TpCheckerFact *
tp_checker_facts_get (const TpCheckerFacts *facts, int index)
{
  return &tp_array_index (facts->facts, TpCheckerFact, index);
}

#endif
