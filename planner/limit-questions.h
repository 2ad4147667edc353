/* limit-questions.h: what is asked of one placement. */
#ifndef TP_PLANNER_LIMIT_QUESTIONS_H
#define TP_PLANNER_LIMIT_QUESTIONS_H

#include "planner/limit-model.h"

/* Of a placement: kernels and copies, groups where they save. */
gint64 tp_limit_model_cost (const TpLimitModel *model, const gint8 *devices);
/* What it costs more with the unit of @op on its other device, where it may be. */
gint64 tp_limit_model_move (const TpLimitModel *model, gint8 *devices, int op);
/* What @devices (TP_LIMIT_FREE: either) holds at least on @device when op @step
 * begins. */
gint64 tp_limit_model_held (const TpLimitModel *model, const gint8 *devices,
                            int device, int step);
/* The most of these over all steps, and the first with so much. */
gint64 tp_limit_model_peak (const TpLimitModel *model, const gint8 *devices,
                            int device, int *out_step);
/* @shares: [op]: bytes that it, with others or alone, holds on @device at @step. */
void tp_limit_model_share (const TpLimitModel *model, int device, int step,
                           gint64 *shares);

#endif
