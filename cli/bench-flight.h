/* bench-flight.h: a session with several runs in flight, timed. */
#ifndef TP_CLI_BENCH_FLIGHT_H
#define TP_CLI_BENCH_FLIGHT_H

#include "cli/run-data.h"
#include "include/tplan.h"

typedef struct TpBenchFlight TpBenchFlight;

/* @n at a time. TPLAN_ERROR_MEMORY: outputs of that many. */
TpBenchFlight *tp_bench_flight_new (const TpRunData *data, int n,
                                    GError **error);
void tp_bench_flight_free (TpBenchFlight *flight);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpBenchFlight, tp_bench_flight_free)

/* Runs on the inputs of the data, as many under way as there may be; *out_ns: what
 * @n_runs of them take, 1 at least, with others before them and behind. */
gboolean tp_bench_flight_run (TpBenchFlight *flight, TplanSession *session,
                              int n_runs, gint64 *out_ns, GError **error);
/* Whether what came out of each is, bit for bit, what a single run left in the
 * data. */
gboolean tp_bench_flight_is_same (const TpBenchFlight *flight);

#endif
