/* check-moves.h: what a placement costs more once an op is elsewhere. */
#ifndef TP_PLANNER_CHECK_MOVES_H
#define TP_PLANNER_CHECK_MOVES_H

#include "planner/check/check-private.h"

typedef struct
{
  const TpChecker *checker;   /* (unowned) */
  gint64 price;               /* on top of every copy that costs anything */
  int *devices;               /* [node]: where ops are now */
  int *n_readers;             /* [tensor * n_devices + device]: ops there */
  int *n_members;             /* [group * n_devices + device]: likewise */
  int *first;                 /* [node]: its part of @reads begins there */
  int *reads;                 /* tensors, each once for each op that reads it */
} TpCheckerMoves;

/* @devices: [node]. */
void tp_checker_moves_init (TpCheckerMoves *moves, const TpChecker *checker,
                            const int *devices, gint64 price);
void tp_checker_moves_clear (TpCheckerMoves *moves);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerMoves, tp_checker_moves_clear)

/* What it costs more, or less, if all of @ops, where they may be, are on @device and
 * all others stay. */
gint64 tp_checker_moves_try (TpCheckerMoves *moves, const int *ops, int n_ops,
                             int device);

#endif
