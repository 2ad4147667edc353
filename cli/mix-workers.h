/* mix-workers.h: several graphs run side by side, each by threads of its own. */
#ifndef TP_CLI_MIX_WORKERS_H
#define TP_CLI_MIX_WORKERS_H

#include "cli/cli.h"
#include "cli/run-data.h"

typedef struct
{
  const TplanMixPart *part;
  TplanSession *session;
  TpRunData data;             /* what came out at first is what is to come out */
  int n;                      /* runs that are asked for in a round */
  gint64 *asked_ns;           /* [run]: when, after the start; NULL: as soon as
                               * there is a thread for it */
  gint64 *took_ns;            /* [run that was done]: since it was asked for */
  int n_taken;                /* atomic; in this round */
  int n_done;                 /* atomic; in all rounds */
} TpMixGraph;

typedef struct
{
  TplanMix *mix;
  int n_graphs;
  TpMixGraph *graphs;
  int n_in_flight;            /* runs of each that may be under way at a time */
  gboolean may_slow_down;     /* nobody said how many */
  int n_rounds;               /* how often all is done that is asked for; 1 */
  gint64 time_limit_ns;       /* after which no run begins */
  gint64 *busy_ns;            /* [engine]: in all rounds */
  gint64 start_ns, time_ns;   /* of the round */
  GMutex lock;                /* over @error */
  GError *error;              /* the first */
  gint has_failed;            /* atomic */
} TpMixWorkers;

/* Loads the plans of the file @path. @n_in_flight: 0: two, or one where memory does not
 * suffice. TPLAN_ERROR_UNSUPPORTED: devices are simulated. */
TpMixWorkers *tp_mix_workers_new (const TpCli *cli, const char *path,
                                  int n_in_flight, GError **error);
void tp_mix_workers_free (TpMixWorkers *workers); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpMixWorkers, tp_mix_workers_free)

/* What makes a graph ready, by the two calls below. */
typedef struct
{
  gboolean (*open) (gpointer data, const TpCli *cli, int graph, GError **error);
  gpointer data;
} TpMixOpening;

/* All graphs, and those that were once more where fewer runs at a time want less
 * memory. */
gboolean tp_mix_workers_open_all (TpMixWorkers *workers, const TpCli *cli,
                                  const TpMixOpening *opening, GError **error);
/* Makes ready and runs once by itself. @inputs: as of tp_run_data_init (). */
gboolean tp_mix_workers_open (TpMixWorkers *workers, const TpCli *cli,
                              int graph, char *const *inputs, GError **error);
/* @n runs of @graph in each of n_rounds. TPLAN_ERROR_USAGE: too many; @remedy: what to
 * do then. */
gboolean tp_mix_workers_ask (TpMixWorkers *workers, int graph, double n,
                             const char *remedy, GError **error);
/* A round: all graphs at once, as long as it takes. */
gboolean tp_mix_workers_run (TpMixWorkers *workers, GError **error);

/* Of the runs that were done, once they are sorted: the nearest rank; 0: there is
 * none. */
void tp_mix_workers_sort (TpMixWorkers *workers);
gint64 tp_mix_graph_get_quantile (const TpMixGraph *graph, double q);

#endif
