/* pareto.h: plans of which none takes less of one thing without more of another. */
#ifndef TP_IR_PARETO_H
#define TP_IR_PARETO_H

#include "ir/plan.h"

/* The corners of the lower hull of what placements take of two things, the first
 * rising and the second falling. Each plan is the least for what its rate_proof
 * says both are worth. */
typedef struct
{
  TpAim first, second;
  int n_points;
  TpPlan **plans;             /* [n_points] */
  int n_plans;                /* that were made to find them */
  int n_proved;               /* of those, that are proved to be the least */
  gboolean is_complete;       /* else some may lack that hardly differ from those
                               * there are */
} TpPareto;

void tp_pareto_free (TpPareto *pareto); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPareto, tp_pareto_free)

/* What one of the first is worth of the second where point @index gives way to the
 * next, which takes more of the first; 0 at the last. In their units. */
double tp_pareto_find_rate (const TpPareto *pareto, int index);

#endif
