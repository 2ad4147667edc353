/* hand-over.h: memory of a device that the host works in, too, as commands tell of it. */
#ifndef TP_CLI_HAND_OVER_H
#define TP_CLI_HAND_OVER_H

#include "calib/cost-db.h"

#include <jansson.h>

/* [{"bytes", "to_device_ns", "to_host_ns"}]; empty where nothing is handed over. */
json_t *tp_cli_hand_over_to_json (const TpDeviceRow *row);
/* In words; NULL: nothing is. The caller frees. */
char *tp_cli_describe_hand_over (const TpDeviceRow *row);

#endif
