/* gantt.h: when each engine is at work in a run, in text. */
#ifndef TP_CLI_GANTT_H
#define TP_CLI_GANTT_H

#include "cli/bars.h"
#include "cli/cli.h"

/* Two lines for each engine that has work, what was predicted above what was
 * measured, over one axis of time: '#' where it works for half of what a character
 * stands for or more, '.' where it works at all. Nothing where one engine does
 * everything. */
void tp_gantt_print (const TpBars *bars, const TpCli *cli);

#endif
