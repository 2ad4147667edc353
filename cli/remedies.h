/* remedies.h: what would help a model that does not fit into memory. */
#ifndef TP_CLI_REMEDIES_H
#define TP_CLI_REMEDIES_H

#include "cli/cli.h"

/* The model of the command line, with @dims, was not to be planned by the options.
 * Where that is for want of memory, says what other options would give a plan and
 * what that takes: each was made, and is what the suggested command makes. */
void tp_cli_note_remedies (TpCli *cli, const GArray *dims);

#endif
