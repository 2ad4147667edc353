/* plan-scan.h: a line of a plan, read as plans are written.
 *
 * What is expected comes one after the other, with the spaces that the writer puts;
 * a line that has anything else is parsed as JSON. Only for text that is compared
 * in the end with that of the plan that came of it: what is behind the last thing
 * asked for is not looked at. Each is FALSE where it does not come next. */
#ifndef TP_FORMAT_PLAN_SCAN_H
#define TP_FORMAT_PLAN_SCAN_H

#include "ir/types.h"

/* From @begin to @end, read up to @at. */
typedef struct
{
  const char *begin, *at, *end;
} TpPlanScan;

gboolean tp_plan_scan_text (TpPlanScan *scan, const char *text);
/* @name in quotes; no name that would be escaped. */
gboolean tp_plan_scan_name (TpPlanScan *scan, const char *name);
/* The first of @n @names. */
gboolean tp_plan_scan_any (TpPlanScan *scan, char *const *names, int n,
                           int *out_index);
/* As JSON has it, at least @low and of at most 18 digits. */
gboolean tp_plan_scan_number (TpPlanScan *scan, gint64 low, gint64 *out);
/* A comma, @key and its number. */
gboolean tp_plan_scan_member (TpPlanScan *scan, const char *key, gint64 low,
                              gint64 *out);

#endif
