/* drivers.h: drivers met before they are trusted with this process. */
#ifndef TP_CLI_DRIVERS_H
#define TP_CLI_DRIVERS_H

#include "cli/cli.h"

/* See api/contact.h; before a driver of @devices (NULL: of any) is called. Once in
 * a process; what was found is told. */
void tp_cli_meet_drivers (const TpCli *cli, const char *const *devices);
/* The same, whatever was found before. */
void tp_cli_meet_drivers_again (const TpCli *cli);

#endif
