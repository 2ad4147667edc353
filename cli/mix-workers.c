/* mix-workers.c: see mix-workers.h.
 *
 * Each graph has as many workers as may have runs of it under way. A worker takes the
 * next run that is asked for, sleeps until it is, and does it; when all are busy,
 * runs wait, and the time that they wait counts. So a machine that is too slow does not
 * slow down who asks. */
#include "config.h"

#include "cli/mix-workers.h"

#include "api/mix.h"
#include "api/plan.h"
#include "cli/accuracy.h"
#include "cli/origin.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/progress.h"
#include "ir/clock.h"
#include "ir/compare.h"

#include <math.h>
#include <string.h>

#define MOST_RUNS 2000000     /* of a graph */
#define LONGEST_SLEEP_US 50000 /* without asking whether it is to stop */
#define IN_FLIGHT 2           /* of each graph, where nobody says how many */

typedef struct
{
  TpMixWorkers *workers;
  TpMixGraph *graph;
  void **outputs;
  gboolean has_run;
} Worker;

/* ---- making ready --------------------------------------------------------- */

TpMixWorkers *
tp_mix_workers_new (const TpCli *cli, const char *path, int n_in_flight,
                    GError **error)
{
  g_autoptr (TpMixWorkers) workers = g_new0 (TpMixWorkers, 1);
  const TpMix *mix;

  g_mutex_init (&workers->lock);
  workers->n_in_flight = n_in_flight > 0 ? n_in_flight : IN_FLIGHT;
  workers->may_slow_down = n_in_flight == 0;
  workers->n_rounds = 1;
  workers->time_limit_ns = G_MAXINT64;
  workers->mix = tp_cli_load_mix (cli, path, error);
  if (workers->mix == NULL)
    return NULL;
  mix = tp_api_get_mix (workers->mix);
  if (mix->parts[0].plan->is_simulated)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "%s: simulated devices run one graph at a time: run one with "
                   "--part, or see with explain what is predicted of all", path);
      return NULL;
    }
  tplan_mix_get_parts (workers->mix, &workers->n_graphs);
  workers->graphs = g_new0 (TpMixGraph, workers->n_graphs);
  workers->busy_ns = g_new0 (gint64, mix->proof->n_engines);
  return g_steal_pointer (&workers);
}

static void
close_all (TpMixWorkers *workers)
{
  for (int i = 0; i < workers->n_graphs; i++)
    {
      TpMixGraph *graph = &workers->graphs[i];

      tplan_session_free (graph->session);
      tp_run_data_clear (&graph->data);
      g_free (graph->asked_ns);
      g_free (graph->took_ns);
      memset (graph, 0, sizeof *graph);
    }
}

void
tp_mix_workers_free (TpMixWorkers *workers)
{
  if (workers == NULL)
    return;
  close_all (workers);
  g_free (workers->graphs);
  g_free (workers->busy_ns);
  g_clear_error (&workers->error);
  g_mutex_clear (&workers->lock);
  tplan_mix_free (workers->mix);
  g_free (workers);
}

gboolean
tp_mix_workers_open (TpMixWorkers *workers, const TpCli *cli, int index,
                     char *const *inputs, GError **error)
{
  TpMixGraph *graph = &workers->graphs[index];
  const TplanSessionOptions options
      = { .n_threads = cli->device_options.n_threads,
          .n_in_flight = workers->n_in_flight };

  graph->part = &tplan_mix_get_parts (workers->mix, NULL)[index];
  if (!tp_run_data_init (&graph->data,
                         tp_api_get_mix (workers->mix)->parts[index].graph,
                         inputs, cli->seed, error))
    return FALSE;
  tp_origin_note (cli, tp_api_get_plan (graph->part->plan), graph->part->name);
  graph->data.is_relaxed
      = tp_cli_count_relaxed (tp_api_get_mix (workers->mix)->parts[index].plan) > 0;
  graph->session
      = tplan_mix_new_session (workers->mix, index, &options, error);
  return graph->session != NULL
         && tp_run_data_reset (&graph->data, graph->session, error)
         && tplan_session_run (graph->session,
                               (const void *const *) graph->data.inputs,
                               graph->data.outputs, error);
}

static gboolean
try_to_open (TpMixWorkers *workers, const TpCli *cli,
             const TpMixOpening *opening, GError **error)
{
  for (int i = 0; i < workers->n_graphs; i++)
    if (!opening->open (opening->data, cli, i, error))
      return FALSE;
  return TRUE;
}

gboolean
tp_mix_workers_open_all (TpMixWorkers *workers, const TpCli *cli,
                         const TpMixOpening *opening, GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (try_to_open (workers, cli, opening, &failure))
    return TRUE;
  if (!workers->may_slow_down
      || !g_error_matches (failure, TPLAN_ERROR, TPLAN_ERROR_MEMORY))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  close_all (workers);
  workers->n_in_flight = 1;
  if (!try_to_open (workers, cli, opening, error))
    return FALSE;
  tp_cli_note (cli, "note: one run of each graph at a time: %s", failure->message);
  return TRUE;
}

gboolean
tp_mix_workers_ask (TpMixWorkers *workers, int index, double n,
                    const char *remedy, GError **error)
{
  TpMixGraph *graph = &workers->graphs[index];
  const char *name
      = tplan_mix_get_parts (workers->mix, NULL)[index].name;

  if (n * workers->n_rounds > MOST_RUNS)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "'%s' would be run %.0f times, and at most %d are counted: "
                   "%s", name, n * workers->n_rounds, MOST_RUNS, remedy);
      return FALSE;
    }
  graph->n = MAX (1, (int) n);
  graph->took_ns = g_new0 (gint64, (gsize) graph->n * workers->n_rounds);
  return TRUE;
}

/* ---- running -------------------------------------------------------------- */

static gboolean
is_over (const TpMixWorkers *workers)
{
  return *tp_cli_get_cancelled () || g_atomic_int_get (&workers->has_failed)
         || tp_clock_get_ns () - workers->start_ns >= workers->time_limit_ns;
}

/* FALSE: it is over before. */
static gboolean
sleep_until (const TpMixWorkers *workers, gint64 when_ns)
{
  while (!is_over (workers))
    {
      gint64 left_us = (when_ns - tp_clock_get_ns ()) / 1000;

      if (left_us <= 0)
        return TRUE;
      g_usleep ((gulong) MIN (left_us, LONGEST_SLEEP_US));
    }
  return FALSE;
}

static void
stop_all (TpMixWorkers *workers, GError *error)
{
  g_mutex_lock (&workers->lock);
  if (workers->error == NULL)
    workers->error = g_steal_pointer (&error);
  g_mutex_unlock (&workers->lock);
  g_clear_error (&error);
  g_atomic_int_set (&workers->has_failed, TRUE);
}

static gpointer
work (gpointer data)
{
  Worker *worker = data;
  TpMixWorkers *workers = worker->workers;
  TpMixGraph *graph = worker->graph;
  GError *error = NULL;
  int index;

  while ((index = g_atomic_int_add (&graph->n_taken, 1)) < graph->n)
    {
      gint64 asked_ns = graph->asked_ns == NULL
                            ? tp_clock_get_ns ()
                            : workers->start_ns + graph->asked_ns[index];

      if (!sleep_until (workers, asked_ns))
        break;
      if (!tplan_session_run (graph->session,
                              (const void *const *) graph->data.inputs,
                              worker->outputs, &error))
        {
          stop_all (workers, error);
          break;
        }
      worker->has_run = TRUE;
      graph->took_ns[g_atomic_int_add (&graph->n_done, 1)]
          = tp_clock_get_ns () - asked_ns;
    }
  return NULL;
}

static gint64
get_output_bytes (const TpMixGraph *graph, int output)
{
  const TpGraph *it = graph->data.graph;

  return it->tensors[it->outputs[output]].size_bytes;
}

static void
worker_init (Worker *worker, TpMixWorkers *workers, TpMixGraph *graph)
{
  int n = graph->data.graph->n_outputs;

  *worker = (Worker){ workers, graph, g_new0 (void *, n + 1), FALSE };
  for (int i = 0; i < n; i++)
    worker->outputs[i] = g_malloc0 (MAX (get_output_bytes (graph, i), 1));
}

/* What came out last is what came out of a run that had all to itself. */
static void
worker_end (Worker *worker)
{
  const TpMixGraph *graph = worker->graph;
  gboolean is_same = TRUE;

  for (int i = 0; i < graph->data.graph->n_outputs; i++)
    {
      is_same = is_same
                && memcmp (worker->outputs[i], graph->data.outputs[i],
                           get_output_bytes (graph, i)) == 0;
      g_free (worker->outputs[i]);
    }
  g_free (worker->outputs);
  if (worker->has_run && !is_same)
    stop_all (worker->workers,
              g_error_new (TPLAN_ERROR, TPLAN_ERROR_FAILED,
                           "'%s': a run beside others gave another result "
                           "than one by itself: run it alone, and report this",
                           graph->part->name));
}

static void
count_busy (TpMixWorkers *workers, int sign)
{
  const TpMix *mix = tp_api_get_mix (workers->mix);

  for (int e = 0; e < mix->proof->n_engines; e++)
    workers->busy_ns[e] += sign * tp_api_get_busy_ns (workers->mix, e);
}

gboolean
tp_mix_workers_run (TpMixWorkers *workers, GError **error)
{
  int n_each = workers->n_in_flight, n = workers->n_graphs * n_each;
  g_autofree Worker *all = g_new0 (Worker, n);
  g_autofree GThread **threads = g_new0 (GThread *, n);

  for (int i = 0; i < n; i++)
    worker_init (&all[i], workers, &workers->graphs[i / n_each]);
  for (int i = 0; i < workers->n_graphs; i++)
    workers->graphs[i].n_taken = 0;
  count_busy (workers, -1);
  workers->start_ns = tp_clock_get_ns ();
  for (int i = 0; i < n; i++)
    threads[i] = g_thread_new ("graph", work, &all[i]);
  for (int i = 0; i < n; i++)
    g_thread_join (threads[i]);
  workers->time_ns = tp_clock_get_ns () - workers->start_ns;
  count_busy (workers, 1);
  for (int i = 0; i < n; i++)
    worker_end (&all[i]);
  if (workers->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&workers->error));
  return FALSE;
}

/* ---- telling -------------------------------------------------------------- */

void
tp_mix_workers_sort (TpMixWorkers *workers)
{
  for (int i = 0; i < workers->n_graphs; i++)
    qsort (workers->graphs[i].took_ns, workers->graphs[i].n_done,
           sizeof (gint64), tp_compare_int64);
}

gint64
tp_mix_graph_get_quantile (const TpMixGraph *graph, double q)
{
  int rank = (int) ceil (q * graph->n_done);

  return graph->n_done == 0 ? 0 : graph->took_ns[MAX (rank, 1) - 1];
}
