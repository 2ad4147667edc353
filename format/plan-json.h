/* plan-json.h: what the writer and the reader of plans agree on. */
#ifndef TP_FORMAT_PLAN_JSON_H
#define TP_FORMAT_PLAN_JSON_H

#include "ir/plan.h"

#define TP_PLAN_FORMAT "tplan-plan/1"
#define TP_PLAN_HEAD "{\n \"format\": \"" TP_PLAN_FORMAT "\",\n"
#define TP_PLAN_DIGEST_KEY " \"sha256\": \""
#define TP_PLAN_TAIL "\"\n}\n"
#define TP_PLAN_DIGEST_LENGTH 64

/* Figures above are refused, so that sums of a few never overflow. */
#define TP_PLAN_MAX_NUMBER (G_GINT64_CONSTANT (1) << 62)

#endif
