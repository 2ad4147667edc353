/* measuring.h: measures what a table lacks, with a bar, and says what failed. */
#ifndef TP_CLI_MEASURING_H
#define TP_CLI_MEASURING_H

#include "api/road.h"
#include "cli/cli.h"

/* tp_road_measure () of @graph (nullable); @asked: its time limit and level. */
gboolean tp_cli_measure (TpCli *cli, const TplanGraph *graph,
                         const TpWatch *asked, TpMeasured *out_measured,
                         GError **error);

#endif
