/* window.h: what the two parts of the window schedule share. */
#ifndef TP_SCHEDULE_WINDOW_H
#define TP_SCHEDULE_WINDOW_H

#include "schedule/grid.h"

typedef struct
{
  TpNest *nest;               /* a copy, made to suit */
  TpGrid grid;
  int n;                      /* reduce axes, outer to inner */
  int axes[TP_NEST_MAX_AXES];
  gboolean is_unrolled[TP_NEST_MAX_AXES];
} TpWindow;

/* Chooses vector and tile axes for @nest; may pack constants. */
void tp_window_choose (TpWindow *window, TpBuild *build, const TpNest *nest);
void tp_window_clear (TpWindow *window);

#endif
