/* plan-read-same.h: does a plan say what its canonical text says? */
#ifndef TP_FORMAT_PLAN_READ_SAME_H
#define TP_FORMAT_PLAN_READ_SAME_H

#include "format/plan-read.h"

/* @root, the top of a plan, with @text, as it would be written now. All must be equal
 * but the order of keys and the digest at the end: so what was only written for others
 * is checked here. Errors name the place. */
gboolean tp_plan_read_same (TpPlanPlace root, const char *text, GError **error);

#endif
