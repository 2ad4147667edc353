/* sweep-scale.h: `tplan sweep --scale`: all plans there are, as one thing takes
 * longer. */
#ifndef TP_CLI_SWEEP_SCALE_H
#define TP_CLI_SWEEP_SCALE_H

#include "cli/cli.h"

/* @text: of --scale, "WHAT=LOW..HIGH". */
gboolean tp_sweep_scale (TpCli *cli, const char *text, GError **error);

#endif
