/* sweep-files.h: a sweep as a picture, a page or rows. */
#ifndef TP_CLI_SWEEP_FILES_H
#define TP_CLI_SWEEP_FILES_H

#include <jansson.h>

#include "cli/cli.h"

typedef struct
{
  json_t *document;           /* as `tplan sweep --format json` has it */
  const GPtrArray *plans;     /* TplanPlan: that a page shows */
  const char *const *names;   /* of these */
} TpSweepFiles;

/* Whether each of -o is of a kind that can be made, and may be written. */
gboolean tp_sweep_files_check (const TpCli *cli, GError **error);
/* All are made before the first is written. */
gboolean tp_sweep_files_write (TpCli *cli, const TpSweepFiles *files,
                               GError **error);

#endif
