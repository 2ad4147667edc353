/* plane-stage.h: staging of rows of a plane. */
#ifndef TP_SCHEDULE_PLANE_STAGE_H
#define TP_SCHEDULE_PLANE_STAGE_H

#include "schedule/plane.h"

/* Fills the padding of scratch @buffer; @base: the first staged row's unit. */
void tp_plane_emit_padding (const TpPlanePlan *plan, TpEmit *emit, int buffer,
                            TpValue base);
/* Copies what is inside of the plane at the current outer axes. */
void tp_plane_emit_copy (const TpPlanePlan *plan, TpEmit *emit, int buffer,
                         TpValue base);

#endif
