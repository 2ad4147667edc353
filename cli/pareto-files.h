/* pareto-files.h: points of `tplan pareto` as a picture or rows. */
#ifndef TP_CLI_PARETO_FILES_H
#define TP_CLI_PARETO_FILES_H

#include <jansson.h>

#include "cli/cli.h"

/* Whether each of -o is of a kind that can be made, and may be written. */
gboolean tp_pareto_files_check (const TpCli *cli, GError **error);
/* @document: as --format json has it. All are made before the first is written. */
gboolean tp_pareto_files_write (TpCli *cli, const json_t *document,
                                GError **error);

#endif
