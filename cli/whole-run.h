/* whole-run.h: after its kernels, a model as a whole: on each device that can run
 * it all, so that plans are corrected by what no single kernel tells
 * (docs/calibration.md, "Whole plans"). */
#ifndef TP_CLI_WHOLE_RUN_H
#define TP_CLI_WHOLE_RUN_H

#include "cli/cli.h"

/* Each in a child: a driver that ends it costs this whole alone, and is no error.
 * Left out are devices that would take too long, and all once @time_limit_ns is
 * over; 0: there is no limit. */
void tp_cli_run_wholes (TpCli *cli, const TplanGraph *graph,
                        gint64 time_limit_ns);

#endif
