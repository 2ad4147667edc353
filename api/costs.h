/* costs.h: devices and what is known of them. */
#ifndef TP_API_COSTS_H
#define TP_API_COSTS_H

#include "include/tplan.h"

/* NULL-terminated; owned by @costs. */
const char *const *tp_api_get_devices (const TplanCosts *costs);

/* Some, and none twice. */
gboolean tp_api_check_devices (const char *const *devices, GError **error);

#endif

