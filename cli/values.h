/* values.h: dimensions and times as they are typed. */
#ifndef TP_CLI_VALUES_H
#define TP_CLI_VALUES_H

#include "cli/cli.h"
#include "include/tplan.h"

/* "N=8" or "N=1,2,4..64" (a doubling range): name -> list of gint64. */
gboolean tp_cli_parse_dim (const char *text, char **out_name,
                           GArray **out_values, GError **error);

/* Lists of TplanDim, as tplan.h takes them: ended by a NULL name. */
GArray *tp_cli_values_new (void);

/* Replaces the value that @name has. */
void tp_cli_values_set (GArray *values, const char *name, gint64 value);

/* "nodes=2M": a name and a number, which may end in K, M, G or T (1024). */
gboolean tp_cli_parse_limit (const char *text, GArray *limits, GError **error);

/* All of --dim, each with one value; empty when there are none. */
GArray *tp_cli_parse_dims (const TpCli *cli, GError **error);

/* "60", "1.5s", "200ms", "2m", "1h". */
gboolean tp_cli_parse_time (const char *text, gint64 *out_ns, GError **error);

/* Commas part devices, but also the figures of "sim:gflops=1,gbps=2". */
gboolean tp_cli_split_devices (const char *text, char ***out_devices,
                               GError **error);

/* How to read a graph, by the options; @dims, which the caller keeps: those that
 * are not among them are 1; NULL: of a plan, which has its own. */
TplanLoadOptions tp_cli_load_options (const TpCli *cli, const GArray *dims);

#endif
