/* rate-text.h: watts and prices as people write them. */
#ifndef TP_IR_RATE_TEXT_H
#define TP_IR_RATE_TEXT_H

#include "ir/rates.h"

#define TP_RATE_WATTS_FORM "BUSY[:IDLE[:COPY]]"
#define TP_RATE_PRICE_FORM "AMOUNT/h[:use]"

/* Nothing is stated. */
void tp_rate_init (TpRate *rate);
/* TP_RATE_WATTS_FORM, in watts, to a milliwatt; what is left out is 0. FALSE: no
 * such text, and @rate is as it was. */
gboolean tp_rate_parse_watts (const char *text, TpRate *rate);
/* TP_RATE_PRICE_FORM, with at most five decimals; ":use": paid for what is done. */
gboolean tp_rate_parse_price (const char *text, TpRate *rate);

/* What these read back as the same. NULL: it is not stated; the caller frees. */
char *tp_rate_format_watts (const TpRate *rate);
char *tp_rate_format_price (const TpRate *rate);

#endif
