/* check-steps.h: all placements of ops that are not fixed, from the last op to
 * the first, as steps between states. */
#ifndef TP_PLANNER_CHECK_STEPS_H
#define TP_PLANNER_CHECK_STEPS_H

#include "ir/array.h"
#include "planner/check/check-room.h"
#include "planner/check/check-share.h"

#define TP_CHECKER_WORDS 8    /* of 64 facts each, at once */

/* One op on one device. */
typedef struct
{
  guint64 facts[TP_CHECKER_WORDS]; /* that hold after it */
  int from, to;               /* states before and after it */
  int device;
  TpCheckerWide cost;
  /* [device]: constants first read; the rest */
  gint64 weights[TP_SWEEP_MAX_DEVICES], held[TP_SWEEP_MAX_DEVICES];
} TpCheckerStep;

typedef struct
{
  TpCheckerHeld *held;
  TpCheckerRoom room;
  int n_devices;              /* TP_SWEEP_MAX_DEVICES at most */
  gboolean is_limited[TP_SWEEP_MAX_DEVICES];
  gint8 *devices;             /* [op]: for which these are; -1: any */
  TpArray *steps;             /* TpCheckerStep: last op first, by to */
  int *first;                 /* [k]: steps of the k-th op; one more */
  int *n_states;              /* [k]: before it; one more */
} TpCheckerSteps;
void tp_checker_steps_clear (TpCheckerSteps *steps);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerSteps, tp_checker_steps_clear)

/* FALSE: there are too many to be looked at. */
gboolean tp_checker_steps_init (TpCheckerSteps *steps, TpCheckerHeld *held,
                                const gint8 *devices);

#endif
