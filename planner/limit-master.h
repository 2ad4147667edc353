/* limit-master.h: prices on memory found by cutting planes: those for which the placements
 * met prove most are tried next. */
#ifndef TP_PLANNER_LIMIT_MASTER_H
#define TP_PLANNER_LIMIT_MASTER_H

#include "planner/limit-prices.h"

typedef struct
{
  TpArray *columns;           /* TpLimitColumn: of each placement met */
  TpArray *parts;             /* double: of each in the mix that fits and costs least */
  double scale;               /* of costs */
  double most;                /* that a price may be, by scale and limit */
  double steep;               /* it is so many times more where that is too low */
  gboolean is_short;          /* as it is now */
} TpLimitMaster;

void tp_limit_master_init (TpLimitMaster *master, double steep);
void tp_limit_master_clear (TpLimitMaster *master);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitMaster, tp_limit_master_clear)

/* It knows nothing. @scale: of what costs are about; @most: the highest price. */
void tp_limit_master_reset (TpLimitMaster *master, gint64 scale, double most);
/* The placements alone. */
void tp_limit_master_forget (TpLimitMaster *master);
/* @column: its cost not yet by scale. */
void tp_limit_master_add (TpLimitMaster *master, TpLimitColumn column);
static inline const double *
tp_limit_master_get_parts (const TpLimitMaster *master)
{
  return (const double *) (void *) master->parts->data;
}
/* Prices on @n_rows, by scale and limit, for which what was met proves most. FALSE: no
 * more than @value, or next to nothing. */
gboolean tp_limit_master_find (TpLimitMaster *master, int n_rows, double value,
                               TpLimitPrices *out);
/* What @price comes to for 2^30 bytes where a limit of memory is @limit. */
static inline double
tp_limit_master_get_price (const TpLimitMaster *master, double price,
                           double limit)
{
  return price * master->scale / limit * (double) (1 << 30);
}

/* How it ended. */
typedef enum
{
  TP_LIMIT_ENOUGH,
  TP_LIMIT_NO_OTHERS,         /* no prices prove more */
  TP_LIMIT_TIRED,             /* as often as was allowed */
} TpLimitEnd;

typedef struct
{
  /* Tries the prices at hand, and adds what was found; FALSE: that is enough. */
  gboolean (*try) (gpointer data);
  /* Others, for the second time and so on; FALSE: there are none. */
  gboolean (*next) (gpointer data, int round);
} TpLimitAscent;

TpLimitEnd tp_limit_master_climb (const TpLimitAscent *ascent, int n_tries,
                                  gpointer data);

#endif
