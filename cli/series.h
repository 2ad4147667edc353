/* series.h: --dim with several values of one dimension. */
#ifndef TP_CLI_SERIES_H
#define TP_CLI_SERIES_H

#include "cli/cli.h"

typedef struct
{
  char *parameter;            /* NULL: each dimension has one value */
  GArray *values;             /* (nullable) gint64, of @parameter, rising */
  GArray *dims;               /* as tp_cli_parse_dims (), with the value that is
                               * set */
} TpSeries;

/* All of --dim. TPLAN_ERROR_USAGE: two have several values, or one stands
 * twice. */
gboolean tp_series_init (TpSeries *series, const TpCli *cli, GError **error);
void tp_series_clear (TpSeries *series);
guint tp_series_count (const TpSeries *series); /* at least 1 */
/* Makes value @index that of the parameter; 0: there is none. */
gint64 tp_series_set (TpSeries *series, guint index);

#endif
