/* cost-diff.h: what has moved between two cost tables. */
#ifndef TP_CLI_COST_DIFF_H
#define TP_CLI_COST_DIFF_H

#include "cli/cli.h"

/* @paths: two tables, then models and plans, and NULL. Prints, in the format asked
 * for, what differs by more than both spreads (@is_all: the rest too), and which of
 * the plans change. */
gboolean tp_cost_diff (TpCli *cli, const char *const *paths, gboolean is_all,
                       GError **error);

#endif
