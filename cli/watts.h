/* watts.h: what was measured of what a device draws. */
#ifndef TP_CLI_WATTS_H
#define TP_CLI_WATTS_H

#include <jansson.h>

#include "calib/cost-db.h"

/* {"busy_w", "idle_w", "copy_w", "counters"}; null: not measured. */
json_t *tp_cli_watts_to_json (const TpDeviceRow *row);
/* "65 W, 9.2 W idle, 1.5 W more for copies, by package-0" of a row that has any; the
 * caller frees. */
char *tp_cli_describe_drawn (const TpDeviceRow *row);

#endif
