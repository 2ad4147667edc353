/* schedule-panels.h: panels of w, for families that cut contractions. */
#ifndef TP_SCHEDULE_SCHEDULE_PANELS_H
#define TP_SCHEDULE_SCHEDULE_PANELS_H

#include "schedule/panel-makers.h"

/* Cycles of what the model chooses; 0: there is no choice. */
double tp_schedule_panels_model (const TpPanelMakers *makers);

#endif
