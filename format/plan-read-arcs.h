/* plan-read-arcs.h: arcs of cut networks, read back. */
#ifndef TP_FORMAT_PLAN_READ_ARCS_H
#define TP_FORMAT_PLAN_READ_ARCS_H

#include "format/plan-read.h"

typedef struct
{
  gboolean is_tied;           /* in: each has the flow of a tie */
  TpArc *arcs;                /* out: the caller's, also after an error */
  int n_arcs;
} TpPlanArcList;

/* List @key of @root; the groups of @plan are known. Of NULL any vertex will do, also
 * one that the graph lacks. */
gboolean tp_plan_read_arcs (TpPlanPlace root, const char *key,
                            const TpPlan *plan, TpPlanArcList *list,
                            GError **error);
/* Whether those of @plan are of vertices that there are. */
gboolean tp_plan_check_arcs (const TpPlanReader *reader, const TpPlan *plan);

#endif
