/* plan-json.h: what the writer and the reader of plans agree on. */
#ifndef TP_FORMAT_PLAN_JSON_H
#define TP_FORMAT_PLAN_JSON_H

#include "format/plan-text.h"
#include "ir/plan.h"

#define TP_PLAN_FORMAT "tplan-plan/"  /* and the version */
#define TP_PLAN_VERSION 2             /* of these, the last */
#define TP_PLAN_FORMATS "tplan-plan/1 and tplan-plan/2"
#define TP_PLAN_DIGEST_KEY " \"sha256\": \""
#define TP_PLAN_TAIL "\"\n}\n"
#define TP_PLAN_DIGEST_LENGTH 64

/* What plans that name no kind of certificate have: there was one kind then. */
#define TP_PLAN_FIRST_CERTIFICATE "min-cut"

/* JSON in the format of its version, as docs/plan-format.md has it. Byte-equal
 * for equal plans. The last two lines are the SHA-256 of all before them and the
 * closing brace. */
char *tp_plan_to_json (const TpPlan *plan, const TpGraph *graph);
/* The same in pieces, the last of which ends the plan. */
void tp_plan_write (const TpPlan *plan, const TpGraph *graph, TpPlanTake take,
                    gpointer data);
/* Whether that is what they are together. */
gboolean tp_plan_has_text (const TpPlan *plan, const TpGraph *graph,
                           const char *text, gsize size);

#endif
