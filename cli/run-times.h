/* run-times.h: how long repeated runs took: ranks, outliers, items a second. */
#ifndef TP_CLI_RUN_TIMES_H
#define TP_CLI_RUN_TIMES_H

#include <jansson.h>

#include "cli/text.h"
#include "include/tplan.h"

typedef struct
{
  GArray *all_ns;             /* gint64; sorted once tp_run_times_end () */
  GArray *calm_ns;            /* gint64, those that nobody else had a processor
                               * in; in no order */
} TpRunTimes;

void tp_run_times_init (TpRunTimes *times);
void tp_run_times_clear (TpRunTimes *times);
void tp_run_times_add (TpRunTimes *times, gint64 time_ns, gboolean is_calm);
void tp_run_times_end (TpRunTimes *times);

/* The nearest rank, of one run at least. */
gint64 tp_run_times_get_quantile (const TpRunTimes *times, double q);
/* Those that took more than twice the median. */
int tp_run_times_count_outliers (const TpRunTimes *times);

/* What is computed in one run, by the first dimension of what goes in and comes
 * out; 1 where they do not agree. */
gint64 tp_graph_count_items (const TplanGraph *graph);

/* Rows of @table: ranks, outliers where there are some, items of @graph. */
void tp_run_times_add_rows (const TpRunTimes *times, const TplanGraph *graph,
                            TpTable *table);
void tp_run_times_add_json (const TpRunTimes *times, const TplanGraph *graph,
                            json_t *object);

#endif
