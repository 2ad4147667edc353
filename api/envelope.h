/* envelope.h: a plan's figures, as one thing of them changes. */
#ifndef TP_API_ENVELOPE_H
#define TP_API_ENVELOPE_H

#include "include/tplan.h"
#include "ir/envelope.h"

/**
 * tp_api_find_envelope:
 * @plan: whose figures and groups count; where they place it does not
 *
 * TPLAN_ERROR_USAGE: @plan has limits of memory, or is for another objective than
 * that of @scale: "time", "energy" for watts, "price" for prices; others: those of
 * tp_scale_make_lines () and tp_envelope_find ().
 */
TpEnvelope *tp_api_find_envelope (const TplanPlan *plan, const TpScale *scale,
                                  GError **error);

#endif
