/* sweep-range.h: what `tplan sweep` is to change, from where to where. */
#ifndef TP_CLI_SWEEP_RANGE_H
#define TP_CLI_SWEEP_RANGE_H

#include "cli/cli.h"
#include "ir/envelope.h"
#include "ir/plan.h"

/* Zeroed at first. */
typedef struct
{
  TpScale scale;              /* its device once it is found */
  const char *option;         /* by which it was asked for; NULL: nothing was */
  char *what;                 /* as typed: a device, or "copies"; NULL: all devices */
} TpSweepRange;

void tp_sweep_range_clear (TpSweepRange *range);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpSweepRange, tp_sweep_range_clear)

/* @scale, @bandwidth: (nullable), of these options; or two ends of a --price or --watts
 * of the planning options: there the lower is left in their place, and what they are for
 * is the objective, unless there is one. */
gboolean tp_sweep_range_parse (TpSweepRange *range, const char *scale,
                               const char *bandwidth, GError **error);
/* Among those that @plan is for. */
gboolean tp_sweep_range_find_device (TpSweepRange *range, const TpPlan *plan,
                                     GError **error);

#endif
