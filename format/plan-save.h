/* plan-save.h: plans in files, as they are or packed by gzip. */
#ifndef TP_FORMAT_PLAN_SAVE_H
#define TP_FORMAT_PLAN_SAVE_H

#include "format/file-save.h"
#include "ir/plan.h"

/* Into a file in the making, as the plan is written. */
gboolean tp_plan_save_to (const TpPlan *plan, const TpGraph *graph,
                          gboolean is_packed, TpSaver *saver, GError **error);
/* Packed where @path ends in ".gz". */
gboolean tp_plan_save (const TpPlan *plan, const TpGraph *graph,
                       const char *path, GError **error);
/* All of it. */
GBytes *tp_plan_to_bytes (const TpPlan *plan, const TpGraph *graph,
                          gboolean is_packed, GError **error);

#endif
