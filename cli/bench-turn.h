/* bench-turn.h: a contestant of a bench made ready, and its turns. */
#ifndef TP_CLI_BENCH_TURN_H
#define TP_CLI_BENCH_TURN_H

#include "cli/bench.h"

/* Makes contestant @who ready and runs it once. */
gboolean tp_bench_open (TpBench *bench, int who, int n_threads, GError **error);
/* Also finds how many of its runs make a turn. */
gboolean tp_bench_warm_up (TpBench *bench, int who, GError **error);
/* Its session gives way to a new one, which is warmed up. */
gboolean tp_bench_open_anew (TpBench *bench, int who, int n_threads,
                             GError **error);
/* Into the round under way. */
gboolean tp_bench_take_turn (TpBench *bench, int who, GError **error);

#endif
