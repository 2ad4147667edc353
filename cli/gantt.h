/* gantt.h: when each engine is at work in a run, in text. */
#ifndef TP_CLI_GANTT_H
#define TP_CLI_GANTT_H

#include "cli/cli.h"
#include "ir/plan.h"
#include "runtime/session.h"

/* Of the last run of @session that was profiled: two lines for each engine that has work, what was predicted above what was
 * measured, over one axis of time: '#' where it works for half of what a character
 * stands for or more, '.' where it works at all. Nothing where one engine does
 * everything. */
void tp_gantt_print (const TpPlan *plan, const TpSession *session,
                     const TpCli *cli);

#endif
