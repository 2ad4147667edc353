/* apart.h: are the processors as near to each other as when kernels were timed? */
#ifndef TP_CLI_APART_H
#define TP_CLI_APART_H

#include "cli/cli.h"

/* Says so where they are not (docs/calibration.md, "In company"): kernels then take
 * longer than foretold, small ones most. FALSE: they are near, or nobody knows. */
gboolean tp_cli_note_apart (const TpCli *cli);

#endif
