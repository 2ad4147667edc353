/* plan-read-head.h: what was planned, and how. */
#ifndef TP_FORMAT_PLAN_READ_HEAD_H
#define TP_FORMAT_PLAN_READ_HEAD_H

#include "format/plan-read.h"

/* Whether this tplan reads it. */
gboolean tp_plan_check_format (const TpPlanReader *reader, const json_t *root,
                               GError **error);
/* Fills @plan and the devices of the reader, which are none yet, from @root. */
gboolean tp_plan_read_head (TpPlanPlace root, TpPlan *plan, GError **error);

#endif
