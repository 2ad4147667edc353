/* memory-limits.h: what limits of memory did to a plan, in words. */
#ifndef TP_CLI_MEMORY_LIMITS_H
#define TP_CLI_MEMORY_LIMITS_H

#include <jansson.h>

#include "cli/cli.h"

/* Whether limits made @plan dearer, of which is known by how much: not of three
 * devices and more, where the cheapest of all is not known as surely. */
gboolean tp_cli_is_limited (const TplanPlan *plan);
/* Whether its bound is of those that fit alone. */
gboolean tp_cli_is_bound_of_fitting (const TplanPlan *plan);
/* "512 MiB on opencl:0 (beside 64.0 MiB for kernels), 12.0 % dearer for it: without,
 * 3.1 ms with 1.3 GiB on opencl:0"; NULL: there is no limit. Caller frees. */
char *tp_cli_format_limits (const TplanPlan *plan);
/* {"limits": {device: bytes}, "reserves": {device: bytes}, "free_cost_ns",
 * "free_bytes": {device: bytes}}: reserves where there are any, the last two where it
 * is dearer for them; null: there is none. */
json_t *tp_cli_limits_to_json (const TplanPlan *plan);

#endif
