/* run-times.h: how long repeated runs took: ranks, outliers, items a second. */
#ifndef TP_CLI_RUN_TIMES_H
#define TP_CLI_RUN_TIMES_H

#include <jansson.h>

#include "calib/samples.h"
#include "cli/text.h"
#include "include/tplan.h"

typedef struct
{
  GArray *samples;            /* TpSample, as they came */
  GArray *all_ns, *calm_ns;   /* gint64, once tp_run_times_end (): sorted; the
                               * calm ones are those that nobody disturbed, as they
                               * would be at the clock that kernels were timed at */
  int n_warmup;               /* runs before them */
  int n_looked, n_cores_looked; /* samples whose processors are settled */
  int n_preempted;            /* in which somebody else had a processor */
  int n_apart;                /* beside which processors were apart, cli/apart.h */
  int n_contended;            /* beside which others used their cores */
  gboolean is_alone;          /* nobody else had a processor for long: threads
                               * that lost theirs made room for each other */
  int n_threads;              /* of "cpu"; 0: all devices are simulated */
  double contention;          /* how much longer than alone work took that fills a
                               * core; 0: not known */
  double slowness;            /* of the clock, cli/apart.h; 0: not known */
} TpRunTimes;

void tp_run_times_init (TpRunTimes *times);
void tp_run_times_clear (TpRunTimes *times);
/* @sample: without its processors. */
void tp_run_times_add (TpRunTimes *times, const TpSample *sample);
/* Whether processors were apart before or after those added since the last
 * call, and what tp_probe_fma_ns () says now; 0: nobody asked. */
void tp_run_times_look (TpRunTimes *times, gboolean is_apart, gint64 fma_ns);
/* Likewise, whether others used their cores. */
void tp_run_times_look_at_cores (TpRunTimes *times, gboolean is_contended);
/* @fma_ns: of the clock that times are told at; 0: as they are. */
void tp_run_times_end (TpRunTimes *times, gint64 fma_ns);
/* Of those added so far, one at least; in nanoseconds. */
double tp_run_times_get_mean (const TpRunTimes *times);

/* The nearest rank, of one run at least. */
gint64 tp_run_times_get_quantile (const TpRunTimes *times, double q);

/* What is computed in one run, by the first dimension of what goes in and comes
 * out; 1 where they do not agree. */
gint64 tp_graph_count_items (const TplanGraph *graph);

/* A row of @table where some were disturbed, or at another clock: what is left speaks
 * for the machine that was measured, and is held against @plan. */
void tp_run_times_add_calm (const TpRunTimes *times, const TplanPlan *plan,
                            TpTable *table);
/* Rows of @table: ranks, outliers where there are some, items of @graph. */
void tp_run_times_add_rows (const TpRunTimes *times, const TplanGraph *graph,
                            TpTable *table);
void tp_run_times_add_json (const TpRunTimes *times, const TplanGraph *graph,
                            json_t *object);

#endif
