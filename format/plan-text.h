/* plan-text.h: the text of a plan in the making. It is handed on in pieces: of a large
 * plan it is several times what the plan itself takes. */
#ifndef TP_FORMAT_PLAN_TEXT_H
#define TP_FORMAT_PLAN_TEXT_H

#include "ir/digest.h"

/* What stands before the digest in the end, how long that is, and what is behind it. */
#define TP_PLAN_DIGEST_KEY " \"sha256\": \""
#define TP_PLAN_DIGEST_LENGTH 64
#define TP_PLAN_TAIL "\"\n}\n"

/* Takes the next bytes, which are good for the call only. */
typedef void (*TpPlanTake) (gpointer data, const char *bytes, gsize size);

typedef struct
{
  GString *text;              /* what is not handed on yet: to be appended to */
  TpDigest *digest;           /* of what is; (nullable): it is not signed */
  TpPlanTake take;
  gpointer data;
} TpPlanText;

/* A TpPlanTake: appends to a GString, @text. */
void tp_plan_text_keep (gpointer text, const char *bytes, gsize size);

void tp_plan_text_init (TpPlanText *out, TpPlanTake take, gpointer data);
/* The same, for tp_plan_text_sign () in the end. */
void tp_plan_text_init_signed (TpPlanText *out, TpPlanTake take,
                               gpointer data);
void tp_plan_text_clear (TpPlanText *out);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpPlanText, tp_plan_text_clear)

/* Between the elements of lists that grow with the graph: hands on what there is, if
 * it is much. */
void tp_plan_text_pass (TpPlanText *out);
/* Hands on all. */
void tp_plan_text_hand_on (TpPlanText *out);
/* Hands on all, then the digest of it. Once. */
void tp_plan_text_sign (TpPlanText *out);

#endif
