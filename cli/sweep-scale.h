/* sweep-scale.h: all plans there are, as one thing of a machine changes: `tplan sweep`
 * with --scale, --bandwidth, or two ends of a --price or --watts. */
#ifndef TP_CLI_SWEEP_SCALE_H
#define TP_CLI_SWEEP_SCALE_H

#include "cli/sweep-range.h"

/* @range: of something; its device is found. */
gboolean tp_sweep_scale (TpCli *cli, TpSweepRange *range, GError **error);

#endif
