/* plan-json-flows.h: flows of cut networks, and numbers, as text. */
#ifndef TP_FORMAT_PLAN_JSON_FLOWS_H
#define TP_FORMAT_PLAN_JSON_FLOWS_H

#include "format/plan-text.h"

/* A member of the plan, and the comma behind it: as long as the graph is large. */
void tp_plan_write_flows (TpPlanText *out, const char *key,
                          const gint64 *flows, int n);

/* Between what a total is, as KEY_low_ns and KEY_high_ns; @low_ns below 0: nothing. */
void tp_plan_write_interval (GString *out, const char *key, gint64 low_ns,
                             gint64 high_ns);

/* A list of numbers, on a line. */
void tp_plan_write_numbers (GString *out, const char *key,
                            const gint64 *numbers, int n);
void tp_plan_write_indices (GString *out, const char *key, const int *indices,
                            int n);

#endif
