/* window.h: kernels with a tile of points per step, each with all of its reduce
 * axes: vectors along a spatial axis, or single lanes, which fit every nest. */
#ifndef TP_SCHEDULE_WINDOW_H
#define TP_SCHEDULE_WINDOW_H

#include "schedule/grid.h"

#define TP_WINDOW_MAX_POINTS 16   /* vectors per step */

typedef struct
{
  TpNest *nest;               /* a copy, made to suit */
  TpGrid grid;
  int n;                      /* reduce axes, outer to inner */
  int axes[TP_NEST_MAX_AXES];
  gboolean is_unrolled[TP_NEST_MAX_AXES];
} TpWindowPlan;

/* Takes @nest; a grid of single points, reduce axes by falling stride of the
 * first load that has them. */
void tp_window_plan_init (TpWindowPlan *window, TpNest *nest);
void tp_window_plan_clear (TpWindowPlan *window);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpWindowPlan, tp_window_plan_clear)
/* Unrolls the innermost @n_terms of the reduce axes, of which the outermost may be a part
 * of its axis, which is split. FALSE: they have no such part; @window is of no use then. */
gboolean tp_window_plan_unroll (TpWindowPlan *window, gint64 n_terms);
/* Emits @window as a kernel of its own. */
void tp_window_plan_emit (const TpWindowPlan *window, TpBuild *build);
/* Emits @windows as one kernel, whose groups they share out among them. */
void tp_window_plan_emit_shared (const TpWindowPlan *windows, int n,
                                 TpBuild *build);

#endif
