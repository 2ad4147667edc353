/* bind-figures.h: two sets of costs compared, with names for what differs. */
#ifndef TP_API_BIND_FIGURES_H
#define TP_API_BIND_FIGURES_H

#include "ir/plan.h"

/* What is being compared, and what was found. */
typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  const TpGroups *groups;     /* that the graph has */
  GPtrArray *reasons;         /* gets char * */
  guint n_before;             /* reasons that were there */
} TpBind;

/* Takes down a fault, unless there are many already; returns FALSE. */
gboolean tp_bind_fail (TpBind *bind, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* The figures of the plan with @want: equal in every part but for schedules,
 * which plans do not list. Times of TP_COST_OPEN are left alone, so are reasons
 * that are not named. @whence: where those come from. */
gboolean tp_bind_compare (TpBind *bind, const TpCosts *want,
                          const char *whence);
/* Whether they are one. */
gboolean tp_bind_compare_silicon (TpBind *bind, const TpCosts *want);
/* Whether the memory of each is mapped. */
gboolean tp_bind_compare_mapped (TpBind *bind, const TpCosts *want);
/* What is wrong with devices as a whole. A plan from before that was asked says
 * nothing of it. */
gboolean tp_bind_compare_errors (TpBind *bind, const TpCosts *want);
/* Likewise, how engines slow each other. */
gboolean tp_bind_compare_speeds (TpBind *bind, const TpCosts *want);

#endif
