/* cost-diff.h: what has moved between two cost tables. */
#ifndef TP_CLI_COST_DIFF_H
#define TP_CLI_COST_DIFF_H

#include "cli/cli.h"

/* Prints, in the format asked for, what differs by more than both spreads;
 * @is_all: the rest too. */
gboolean tp_cost_diff (TpCli *cli, const char *const *paths, gboolean is_all,
                       GError **error);

#endif
