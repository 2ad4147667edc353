/* limit-sweep.h: the cheapest way through all steps within a box: what ops hold
 * besides constants is nowhere more than so much, and constants leave room for
 * so much. */
#ifndef TP_PLANNER_LIMIT_SWEEP_H
#define TP_PLANNER_LIMIT_SWEEP_H

#include "planner/limit-steps.h"

#define TP_LIMIT_TABLES 3

typedef struct
{
  /* [device]: bytes of the peak, less constants; of 2^30 bytes of constants. */
  gint64 low[TP_SWEEP_MAX_DEVICES], high[TP_SWEEP_MAX_DEVICES];
  gint64 price[TP_SWEEP_MAX_DEVICES];
} TpLimitBox;

/* A way as found. */
typedef struct
{
  gint64 cost;                /* gains of groups subtracted */
  gint64 weights[TP_SWEEP_MAX_DEVICES]; /* [device]: where limited */
  gint64 peaks[TP_SWEEP_MAX_DEVICES];
  gint8 *devices;             /* [op] */
} TpLimitWalk;

typedef struct
{
  const TpLimitSteps *steps;
  TpLimitBox box;
  int *first_node;            /* [layer]: of all nodes */
  gint64 *left[TP_LIMIT_TABLES]; /* [node]: the least to come, at some price */
  gint64 factors[TP_LIMIT_TABLES][TP_SWEEP_MAX_DEVICES]; /* that price */
  int *best;                  /* [node]: the way to that at the first price */
  TpArray *labels;            /* Label, by node */
  int *first_label;           /* [node] */
  TpArray *merged[2];         /* Label: of the node at hand */
  gint64 spare;               /* bytes of limits to be left alone */
  gint64 work_left;           /* labels that may be looked at */
} TpLimitSweep;

typedef enum
{
  TP_LIMIT_SWEEP_NONE,        /* none costs less */
  TP_LIMIT_SWEEP_FOUND,       /* the cheapest */
  TP_LIMIT_SWEEP_SPENT,
} TpLimitSweepEnd;

void tp_limit_sweep_init (TpLimitSweep *sweep, const TpLimitSteps *steps);
void tp_limit_sweep_clear (TpLimitSweep *sweep);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitSweep, tp_limit_sweep_clear)

/* What no placement in @box goes below, by its prices; TP_COST_NONE: there is
 * none. @walk: the one that is least with them. */
gint64 tp_limit_sweep_bound (TpLimitSweep *sweep, const TpLimitBox *box,
                             TpLimitWalk *walk);
/* After that: whether any in the box costs less than @target; looks at
 * @work. */
TpLimitSweepEnd tp_limit_sweep_search (TpLimitSweep *sweep, gint64 target,
                                       gint64 work, TpLimitWalk *walk);

#endif
