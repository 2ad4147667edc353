/* plan-json.h: what the writer and the reader of plans agree on. */
#ifndef TP_FORMAT_PLAN_JSON_H
#define TP_FORMAT_PLAN_JSON_H

#include "ir/plan.h"

#define TP_PLAN_FORMAT "tplan-plan/1"
#define TP_PLAN_HEAD "{\n \"format\": \"" TP_PLAN_FORMAT "\",\n"
#define TP_PLAN_DIGEST_KEY " \"sha256\": \""
#define TP_PLAN_TAIL "\"\n}\n"
#define TP_PLAN_DIGEST_LENGTH 64

/* What plans that name no kind of certificate have: there was one kind then. */
#define TP_PLAN_FIRST_CERTIFICATE "min-cut"

/* JSON, format "tplan-plan/1". Byte-equal for equal plans. The last two lines
 * are the SHA-256 of all before them and the closing brace; any other byte in
 * the file is refused. */
char *tp_plan_to_json (const TpPlan *plan, const TpGraph *graph);
gboolean tp_plan_save (const TpPlan *plan, const TpGraph *graph,
                       const char *path, GError **error);

#endif
