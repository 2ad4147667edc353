/* plan-read-flows.h: flows of cut networks, read back. */
#ifndef TP_FORMAT_PLAN_READ_FLOWS_H
#define TP_FORMAT_PLAN_READ_FLOWS_H

#include "format/plan-read.h"

typedef struct
{
  gint64 *flows;              /* the caller's */
  int n_flows;
} TpPlanFlows;

/* List @key of @root, of @n, or if that is -1 of any number: whose they are, the graph
 * says. */
gboolean tp_plan_read_flows (TpPlanPlace root, const char *key, int n,
                             TpPlanFlows *out, GError **error);

#endif
