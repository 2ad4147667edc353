/* limit-questions.h: what is asked of one placement. */
#ifndef TP_PLANNER_LIMIT_QUESTIONS_H
#define TP_PLANNER_LIMIT_QUESTIONS_H

#include "planner/limit-model.h"

/* Of a placement: kernels and copies, groups where they save. */
gint64 tp_limit_model_cost (const TpLimitModel *model, const gint8 *devices);
/* What it costs more with the unit of @op on its other device, where it may be. */
gint64 tp_limit_model_move (const TpLimitModel *model, gint8 *devices, int op);

#endif
