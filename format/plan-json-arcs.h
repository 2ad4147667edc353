/* plan-json-arcs.h: arcs of cut networks, as text. */
#ifndef TP_FORMAT_PLAN_JSON_ARCS_H
#define TP_FORMAT_PLAN_JSON_ARCS_H

#include "format/plan-text.h"
#include "ir/cut-vertex.h"

typedef struct
{
  const TpArc *arcs;
  int n_arcs;
  gboolean is_tied;           /* each with the flow of the tie */
} TpPlanArcs;

/* A member of the plan, and the comma behind it. */
void tp_plan_write_arcs (TpPlanText *out, const char *key, TpPlanArcs arcs);

/* Between what a total is, as KEY_low_ns and KEY_high_ns; @low_ns below 0: nothing. */
void tp_plan_write_interval (GString *out, const char *key, gint64 low_ns,
                             gint64 high_ns);

/* A list of numbers, on a line. */
void tp_plan_write_numbers (GString *out, const char *key,
                            const gint64 *numbers, int n);
void tp_plan_write_indices (GString *out, const char *key, const int *indices,
                            int n);

#endif
