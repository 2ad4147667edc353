/* mix-loads.h: how busy several graphs keep the engines of a machine, as text and
 * JSON. */
#ifndef TP_CLI_MIX_LOADS_H
#define TP_CLI_MIX_LOADS_H

#include <jansson.h>

#include "cli/cli.h"

/* A table of engines that do anything: what part of each second all graphs keep it
 * busy, and each of them. */
void tp_cli_print_mix_loads (const TpCli *cli, const TplanMix *mix);
/* "cpu busy 62.1 % of each second predicted (simulated), proved least"; g_free (). */
char *tp_cli_format_mix_busy (const TplanMix *mix);
/* Adds "parts", "engines", "busiest", "busy", "bound", "gap", "simulated". */
void tp_cli_add_mix_json (json_t *object, const TplanMix *mix);
/* "30/s": runs a second; g_free (). */
char *tp_cli_format_rate (double runs_per_second);

#endif
