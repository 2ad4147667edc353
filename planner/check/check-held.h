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
} TpCheckerHeld;
void tp_checker_held_init (TpCheckerHeld *held, TpChecker *checker);
void tp_checker_held_clear (TpCheckerHeld *held);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerHeld, tp_checker_held_clear)

/* Bytes of @root that any of the ops in @held then has on @device when op @step
 * begins. */
gint64 tp_checker_held_find (TpCheckerHeld *held, int root, int device,
                             int step);

#endif
