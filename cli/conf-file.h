/* conf-file.h: the configuration file, $XDG_CONFIG_HOME/tplan/tplan.conf:
 *   [tplan]
 *   devices=cpu,opencl:0
 *   threads=4
 *   cost=/var/lib/tplan/cost.db
 *   driver-timeout=2s
 *   color=never
 */
#ifndef TP_CLI_CONF_FILE_H
#define TP_CLI_CONF_FILE_H

#include "cli/cli.h"

#define TP_CONF_GROUP "tplan"

/* Empty where there is no file; keys that nobody knows are warned of. NULL: it is
 * malformed. */
GKeyFile *tp_conf_load (const TpCli *cli, GError **error);

#endif
