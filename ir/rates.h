/* rates.h: what devices draw, stated or measured, and what they are rented for.
 *
 * A run takes a time, an energy and a price. All three are sums over what keeps an
 * engine busy, of its time times a rate: 1, the watts drawn by all devices meanwhile,
 * the price of all that is rented meanwhile. Engines are numbered as in
 * ir/load-proof.h. docs/planner.md, "Energy and price", has the words. */
#ifndef TP_IR_RATES_H
#define TP_IR_RATES_H

#include <glib.h>

/* What a run takes. */
typedef enum
{
  TP_AIM_TIME,                /* ns */
  TP_AIM_ENERGY,              /* pJ: ns times mW */
  TP_AIM_PRICE,               /* ns times 1 / TP_RATE_PARTS an hour */
  TP_N_AIMS,
} TpAim;

#define TP_RATE_PARTS 100000  /* of the unit of money; of an hour's price */
#define TP_RATE_MAX G_GINT64_CONSTANT (1000000000) /* 1 MW; 10000 an hour */
#define TP_RATE_NONE (-1)     /* is not stated */
#define TP_RATES_MAX_ENGINES 18 /* of six devices */

/* Of a device. */
typedef struct
{
  gint64 busy_mw;             /* while a kernel runs there; or TP_RATE_NONE */
  gint64 idle_mw;             /* at all other times */
  gint64 copy_mw;             /* above that, while it is copied to or from */
  gint64 price;               /* of an hour, in parts; or TP_RATE_NONE */
  gboolean is_per_use;        /* paid for kernels and copies, not for waiting */
  gboolean is_measured;       /* the watts are, by `tplan calibrate --energy` */
} TpRate;

/* What counters of energy told of a device, in milliwatts as above. */
typedef struct
{
  gint64 busy_mw;             /* 0: nobody asked them */
  gint64 idle_mw, copy_mw;
  const char *counters;       /* (nullable) interned: which; what has them in
                               * common draws it together */
} TpDrawn;

struct TpCosts;

/* TP_AIM_...: "time", "energy", "price". */
const char *tp_aim_get_name (TpAim aim);
/* A device of which @aim must know something and does not, or -1. */
int tp_rates_find_missing (const struct TpCosts *costs, TpAim aim);

/**
 * tp_rates_weigh:
 * @aims: [TP_N_AIMS]: what a unit of each is worth, at least 0; those that are not
 *   0 are stated for all devices
 * @used: devices that have an op, a bit for each: they and the host are rented
 * @out: [3 * devices]: what a nanosecond of each engine is worth
 *
 * FALSE: beyond 2^62.
 */
gboolean tp_rates_weigh (const struct TpCosts *costs, const gint64 *aims,
                         guint used, gint64 *out);

#endif
