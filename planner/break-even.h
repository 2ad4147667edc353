/* break-even.h: up to which price a device pays. */
#ifndef TP_PLANNER_BREAK_EVEN_H
#define TP_PLANNER_BREAK_EVEN_H

#include "ir/break-even.h"
#include "ir/costs.h"

/* (unowned), all of it. */
typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;
  const TpCosts *costs;       /* with prices; that of the device says how it is paid, and
                               * not how much */
  const gint64 *limits;       /* (nullable): [row] (ir/pools.h): bytes of memory; 0: no
                               * limit */
} TpBreakEvenTask;

/**
 * tp_break_even_find:
 * @device: not the host, which is there anyway
 *
 * Exact where it is proved: so it is of two devices without limits. FALSE: those of
 * tp_place_with () for objective "price".
 */
gboolean tp_break_even_find (const TpBreakEvenTask *task, int device,
                             TpBreakEven *out, GError **error);

#endif
