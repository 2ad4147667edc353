/* winograd-model.h: what Winograd's filtering takes, in cycles. */
#ifndef TP_SCHEDULE_WINOGRAD_MODEL_H
#define TP_SCHEDULE_WINOGRAD_MODEL_H

#include "schedule/winograd.h"

/* Of the cycles of tp_contract_model_blocks(), for a choice as far as it is
 * made, but for its blocks. */
double tp_winograd_model (const TpWinograd *w, const TpChoice *choice);

#endif
