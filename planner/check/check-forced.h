/* check-forced.h: what more flows once an op is forced to its other device. */
#ifndef TP_PLANNER_CHECK_FORCED_H
#define TP_PLANNER_CHECK_FORCED_H

#include "planner/check/check-private.h"

typedef struct TpCheckerForced TpCheckerForced;

typedef enum
{
  TP_CHECKER_FORCED_EXACT,    /* no more than that */
  TP_CHECKER_FORCED_MORE,     /* at least that; not looked for more */
  TP_CHECKER_FORCED_UNKNOWN,  /* at least that; the looking ended */
} TpCheckerForcedKind;

/* From the flow of a plan that was found to prove it, of two devices: the one with the
 * price of a tie, where there is one. */
TpCheckerForced *tp_checker_forced_new (const TpChecker *checker);
void tp_checker_forced_free (TpCheckerForced *forced);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpCheckerForced, tp_checker_forced_free)

/* How much more flows, at least or exactly. */
typedef struct
{
  TpCheckerForcedKind kind;
  gint64 amount;
  gint64 looks;               /* so many arcs may be looked at; then those left */
} TpCheckerForcedAnswer;

/* Once @op, which is on @device, is on the other. @most: more than that is not looked
 * for. The flow is what it was afterwards. */
void tp_checker_forced_find (TpCheckerForced *forced, int op, int device,
                             gint64 most, TpCheckerForcedAnswer *answer);

#endif
