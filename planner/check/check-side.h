/* check-side.h: a placement, taken apart into the figures that it pays.
 *
 * Figures of one measurement are one term: their spreads add up, and terms add
 * up by their squares. */
#ifndef TP_PLANNER_CHECK_SIDE_H
#define TP_PLANNER_CHECK_SIDE_H

#include "planner/check/check-private.h"

/* Where the ops are, and what that pays. */
typedef struct
{
  TpChecker *checker;
  const int *devices;         /* (unowned) [node] */
  gint64 cost, n_copies;
  gint64 *kernels;            /* [device]: of cost */
  double *terms;              /* [measurement]: spreads, added; NULL: all 0 */
} TpCheckerSide;
void tp_checker_side_clear (TpCheckerSide *side);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerSide, tp_checker_side_clear)

/* Whether what rows are measurements of may index them; else says so. Before any
 * side. */
gboolean tp_checker_check_kernels (TpChecker *checker);
/* @devices: [node], which is kept. */
void tp_checker_side_init (TpCheckerSide *side, TpChecker *checker,
                           const int *devices);
/* Standard deviation of what it costs; with @other (nullable), of what the one
 * costs more: in a term that both have, what the one pays counts against what
 * the other does. */
double tp_checker_side_sd (const TpCheckerSide *side,
                           const TpCheckerSide *other);

#endif
