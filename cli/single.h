/* single.h: what a graph would take all on one device, by the figures of its
 * plan. */
#ifndef TP_CLI_SINGLE_H
#define TP_CLI_SINGLE_H

#include <jansson.h>

#include "include/tplan.h"

/* Nanoseconds, as the planner adds them up: fused where that saves, fed and
 * fetched. null: @device, by its place in @plan, cannot run all.
 * Pins are no matter: what they cost is to be seen. */
json_t *tp_cli_single_to_json (const TplanPlan *plan, int device);

#endif
