/* hint.h: commands that messages suggest, made fit to be pasted.
 *
 * Whoever suggests a command, such as `tplan calibrate`, knows its verb and not
 * what was typed. The rest is put in where the message is printed: the model or
 * plan, --dim, --devices and whatever else was given and the command takes. */
#ifndef TP_CLI_HINT_H
#define TP_CLI_HINT_H

#include "cli/cli.h"

/* What hints are made of from now on; both are kept, and @commands ends in
 * NULL. */
void tp_hint_begin (const TpCommand *const *commands, const TpCommand *running,
                    const TpCli *cli);

/* @text with every command in backquotes complete; of one that lacks a file
 * nobody named, --help. The caller frees. */
char *tp_hint_complete (const char *text);

#endif
