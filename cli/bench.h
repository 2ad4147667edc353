/* bench.h: plans run in turns, in one process, to see which is faster. */
#ifndef TP_CLI_BENCH_H
#define TP_CLI_BENCH_H

#include "calib/contest.h"
#include "cli/bench-flight.h"
#include "cli/cli.h"
#include "cli/run-data.h"

/* One contestant. */
typedef struct
{
  char *name;                 /* "plan", "cpu", of a file */
  TplanPlan *plan;
  const char *device;         /* (nullable) the only one that has ops; (owned by
                               * the plan) */
  gboolean is_unfused;        /* made with no fusion rule, beside one that was */
  int n_in_flight;            /* 1: one run at a time. Else the plan is that of
                               * another contestant */
  TpBenchFlight *flight;      /* NULL: one run at a time */
  TplanSession *session;
  gint64 first_ns;            /* to make it ready and to run it once */
  gint64 memory_bytes;        /* that the session takes, on all devices */
  int n_per_turn;             /* in flight: these together are one time */
  gboolean is_led;            /* each turn by a run that does not count */
} TpBenchEntry;

typedef struct
{
  gint64 time_limit_ns;       /* of the rounds */
  int n_rounds_least;         /* to run in any case; at least 1 */
  int n_rounds;               /* 0: until intervals are narrow */
} TpBenchOptions;

typedef struct
{
  GPtrArray *entries;         /* TpBenchEntry */
  gboolean is_simulated;      /* all of them */
  TpRunData data;             /* what all run on */
  TpContest *contest;         /* once run */
  gint64 start_ns, time_ns;   /* of the rounds */
  gint64 sat_ns;              /* since when its sessions are what they are */
  gint64 making_ns;           /* how long it took to make them */
  double load;                /* before them; below 0: not known */
  gint64 n_switches;          /* involuntary ones, while they lasted */
  gboolean is_alone;          /* nobody else had a processor meanwhile */
} TpBench;

void tp_bench_init (TpBench *bench);
void tp_bench_clear (TpBench *bench);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpBench, tp_bench_clear)

/* Takes @plan. */
void tp_bench_add (TpBench *bench, const char *name, TplanPlan *plan);
/* For each device of @plan that can run all of its graph, the plan that has it
 * run all; but for one that is here already. */
gboolean tp_bench_add_singles (TpBench *bench, TpCli *cli,
                               const TplanPlan *plan, GError **error);
/* For each that is here and has fused groups, the plan that the same options give
 * without fusion. */
gboolean tp_bench_add_unfused (TpBench *bench, TpCli *cli, GError **error);

/* For each that is here, the same with @n runs in flight. */
void tp_bench_add_flights (TpBench *bench, int n);

/* Says so, where others kept the machine busy. */
void tp_bench_note_busy (const TpBench *bench, const TpCli *cli);
/* Makes all ready and runs them. TPLAN_ERROR_USAGE: they take other inputs, or
 * some are simulated and some are not. TPLAN_ERROR_INTERRUPTED: before the first
 * round ended. */
gboolean tp_bench_run (TpBench *bench, const TpCli *cli,
                       const TpBenchOptions *options, GError **error);

const TpBenchEntry *tp_bench_get (const TpBench *bench, int i);
/* What tp_bench_add () took. */
TplanPlan *tp_bench_steal_plan (TpBench *bench, int i);
/* The fastest of those that run on one device; the first where none does. */
int tp_bench_find_base (const TpBench *bench);
/* tp_graph_count_items () of what they run. */
gint64 tp_bench_count_items (const TpBench *bench);
/* Whether other work got in the way. */
gboolean tp_bench_is_busy (const TpBench *bench);

#endif
