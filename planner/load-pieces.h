/* load-pieces.h: what moves from device to device at once: an op, or a group, with
 * all that is to be where any of it is. */
#ifndef TP_PLANNER_LOAD_PIECES_H
#define TP_PLANNER_LOAD_PIECES_H

#include "ir/array.h"
#include "planner/load-model.h"

typedef struct
{
  TpArray *ops;               /* int: of all pieces, one after the other */
  TpArray *ends;              /* int: [piece]: where its ops end there */
  int n_ops;                  /* pieces that are no groups, which come first */
} TpLoadPieces;

/* Ops in their order, those that are to be together where the first of them stands;
 * then groups. */
void tp_load_pieces_init (TpLoadPieces *pieces, const TpProblem *problem);
void tp_load_pieces_clear (TpLoadPieces *pieces);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLoadPieces, tp_load_pieces_clear)

TpLoadPiece tp_load_pieces_get (const TpLoadPieces *pieces, int index);
/* Of those that are no groups, @n from @first on as one. */
TpLoadPiece tp_load_pieces_get_run (const TpLoadPieces *pieces, int first,
                                    int n);

#endif
