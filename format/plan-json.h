/* plan-json.h: what the writer and the reader of plans agree on. */
#ifndef TP_FORMAT_PLAN_JSON_H
#define TP_FORMAT_PLAN_JSON_H

#include "format/plan-text.h"
#include "ir/plan.h"

#define TP_PLAN_FORMATS "tplan-plan/" /* and a version: some tplan reads it */
#define TP_PLAN_FORMAT "tplan-plan/3"
#define TP_PLAN_RELAXED "relaxed"     /* its accuracy, where it is said */

/* JSON, as docs/plan-format.md has it. Byte-equal
 * for equal plans. The last two lines are the SHA-256 of all before them and the
 * closing brace. */
char *tp_plan_to_json (const TpPlan *plan, const TpGraph *graph);
/* The same in pieces, the last of which ends the plan. */
void tp_plan_write (const TpPlan *plan, const TpGraph *graph, TpPlanTake take,
                    gpointer data);
/* That text in parts, but for its digest. */
typedef enum
{
  TP_PLAN_PART_HEAD,          /* what was planned, and what all is together */
  TP_PLAN_PART_TENSORS,       /* the graph's */
  TP_PLAN_PART_PLACES,        /* ops, groups and copies */
  TP_PLAN_PART_TABLES,        /* costs, and the flows of the cut: needs no graph */
  TP_PLAN_PART_PROOFS,        /* all other certificates */
  TP_N_PLAN_PARTS
} TpPlanPart;

/* Text, up to @end. */
typedef struct
{
  const char *at, *end;
} TpPlanSpan;

/* Where @part ends, if @span begins with it; NULL: it does not. */
const char *tp_plan_skip_part (const TpPlan *plan, const TpGraph *graph,
                               TpPlanPart part, TpPlanSpan span);

#endif
