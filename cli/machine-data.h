/* machine-data.h: what is known of a machine, as the JSON of `tplan machine`. */
#ifndef TP_CLI_MACHINE_DATA_H
#define TP_CLI_MACHINE_DATA_H

#include <jansson.h>

#include "calib/cost-db.h"
#include "cli/cli.h"

/* This machine by its cost table, with the devices that were never measured. */
json_t *tp_machine_data_here (TpCli *cli, GError **error);
/* The machine of a file, or, where @name is "sim:PROFILE", a made-up one. */
json_t *tp_machine_data_elsewhere (TpCli *cli, const char *name,
                                   GError **error);

#endif
