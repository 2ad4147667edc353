/* pareto.h: plans of which none takes less of one thing without more of another. */
#ifndef TP_IR_PARETO_H
#define TP_IR_PARETO_H

#include "ir/plan.h"

#define TP_PARETO_NONE (-1)

/* Where plans are as good as each other, and none is better: a piece of the hull. */
typedef struct
{
  int points[TP_N_AIMS];      /* those plans; or TP_PARETO_NONE */
  double worth[TP_N_AIMS];    /* [TpAim]: what a unit of each is worth there, in those
                               * of plans; only what they are to each other counts */
} TpParetoFace;

/* The corners of the lower hull of what placements take of two things or three, by the
 * first, of equals by the second. Each plan is the least for what its rate_proof says
 * all are worth. */
typedef struct
{
  int n_aims;                 /* 2 or 3 */
  TpAim aims[TP_N_AIMS];      /* [n_aims] */
  int n_points;
  TpPlan **plans;             /* [n_points] */
  int n_plans;                /* that were made to find them */
  int n_proved;               /* of those, that are proved to be the least */
  gboolean is_complete;       /* whatever things are worth, no placement takes less than
                               * the best point */
  double gap;                 /* else: by at most this part of it; 1: that is not
                               * known */
  int n_faces;
  TpParetoFace *faces;        /* [n_faces] */
} TpPareto;

void tp_pareto_free (TpPareto *pareto); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPareto, tp_pareto_free)

/* Of two things: what one of the first is worth of the second where point @index gives
 * way to the next, which takes more of the first; 0 at the last. In their units. */
double tp_pareto_find_rate (const TpPareto *pareto, int index);

#endif
