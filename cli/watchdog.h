/* watchdog.h: ends the program when a kernel does not end. */
#ifndef TP_CLI_WATCHDOG_H
#define TP_CLI_WATCHDOG_H

#include "include/tplan.h"

/* When nothing of the run that is watched has ended for so long, the op is named
 * and the program ends with TP_EXIT_DEVICE. @limit: as typed; NULL: never. */
gboolean tp_cli_watchdog_set (const char *limit, GError **error);
/* Instead of ending, the program begins anew with @flag behind its command. */
void tp_cli_watchdog_restart (const char *flag);
/* What is to be watched, if anything; NULL, before that is freed: nothing. Starts a
 * thread: all that forks comes before. */
void tp_cli_watchdog_watch (TplanSession *session);

#endif
