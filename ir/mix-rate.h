/* mix-rate.h: how often a graph is run: so many times in so long. */
#ifndef TP_IR_MIX_RATE_H
#define TP_IR_MIX_RATE_H

#include "ir/types.h"

#define TP_MIX_RATE_FORM \
  "such as 30/s, 2.5/min, 100/h, or 33ms from one run to the next"
#define TP_MIX_RATE_MOST (G_GINT64_CONSTANT (1) << 31) /* runs */
#define TP_MIX_RATE_SPAN_NS (G_GINT64_CONSTANT (1) << 62) /* is above any span */

/* Without a common divisor. */
typedef struct
{
  gint64 n_runs;              /* 1 to TP_MIX_RATE_MOST */
  gint64 span_ns;             /* above 0, below TP_MIX_RATE_SPAN_NS */
} TpMixRate;

/* "30/s", "2.5/min", or how long from one to the next: "33ms". FALSE: no such
 * text. */
gboolean tp_mix_rate_parse (const char *text, TpMixRate *out);
/* Runs a second. */
double tp_mix_rate_get (TpMixRate rate);
gboolean tp_mix_rate_is_good (TpMixRate rate);

#endif
