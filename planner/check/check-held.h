/* check-held.h: what ops hold in memory. */
#ifndef TP_PLANNER_CHECK_HELD_H
#define TP_PLANNER_CHECK_HELD_H

#include "planner/check/check-private.h"

typedef struct
{
  TpChecker *checker;
  int *roots;                 /* [tensor]: whose bytes it has */
  int *firsts, *readers;      /* [root], into the other: ops that read it, but for
                               * views */
  int *ops, n_ops;            /* found last, ascending */
  int *reads;                 /* of one op */
  gboolean is_unordered;      /* ops may run in any order */
} TpCheckerHeld;

/* Whether ops run in any order is for the plan of @checker to say: for makespan. */
void tp_checker_held_init (TpCheckerHeld *held, TpChecker *checker);
void tp_checker_held_clear (TpCheckerHeld *held);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerHeld, tp_checker_held_clear)

/* Bytes of @root that any of the ops in @held then has on @device when op @step
 * begins. */
gint64 tp_checker_held_find (TpCheckerHeld *held, int root, int device,
                             int step);
/* What op @step has there because it runs there itself: what it makes, and in any order
 * what it reads. */
gint64 tp_checker_held_find_own (TpCheckerHeld *held, int device, int step);

#endif
