/* costs-elsewhere.h: costs of another machine, to plan for it. */
#ifndef TP_API_COSTS_ELSEWHERE_H
#define TP_API_COSTS_ELSEWHERE_H

#include "include/tplan.h"

/**
 * tp_costs_of_elsewhere:
 * @devices: (nullable): as for tplan_costs_open (); NULL: its host and the first
 *   other device it has
 * @n_threads: 0, or as many as it was measured with
 *
 * Costs of the machine of @path: plans made with them run where it is, and nowhere
 * else. No driver is asked.
 *
 * Returns: (transfer full): to be closed. %NULL with @error:
 *   those of tp_elsewhere_open (), or TPLAN_ERROR_DEVICE: it has no such device;
 *   TPLAN_ERROR_USAGE: it was measured with another number of threads.
 */
TplanCosts *tp_costs_of_elsewhere (const char *path,
                                    const char *const *devices, int n_threads,
                                    GError **error);

#endif
