/* progress.h: a bar on the terminal, Ctrl-C and --timeout. */
#ifndef TP_CLI_PROGRESS_H
#define TP_CLI_PROGRESS_H

#include "cli/cli.h"

/* Ends the program, with TP_EXIT_LIMIT, after @time_ns. */
void tp_cli_start_timeout (gint64 time_ns);

/* A bar with ETA on a terminal, else a line every few seconds; @user_data:
 * TpCli. */
void tp_cli_progress (int done, int total, const char *what, gint64 eta_ns,
                      gpointer user_data);
void tp_cli_progress_end (const TpCli *cli);

/* Set by Ctrl-C once tp_cli_catch_interrupts () was called; a second Ctrl-C
 * ends the process. */
void tp_cli_catch_interrupts (void);
/* The first ends the program again, as before. */
void tp_cli_release_interrupts (void);
const volatile gint *tp_cli_get_cancelled (void);

#endif
