/* bench-flight.c: see bench-flight.h. */
#include "config.h"

#include "cli/bench-flight.h"

#include "ir/clock.h"

#include <string.h>

struct TpBenchFlight
{
  const TpRunData *data;
  int n;                      /* at a time */
  int n_outputs;
  void **outputs;             /* [at a time][output] */
  TplanRun **runs;            /* [at a time]; NULL: none is under way */
};

static gint64
get_output_bytes (const TpBenchFlight *flight, int output)
{
  const TpGraph *graph = flight->data->graph;

  return graph->tensors[graph->outputs[output]].size_bytes;
}

TpBenchFlight *
tp_bench_flight_new (const TpRunData *data, int n, GError **error)
{
  g_autoptr (TpBenchFlight) flight = g_new0 (TpBenchFlight, 1);

  flight->data = data;
  flight->n = n;
  flight->n_outputs = data->graph->n_outputs;
  flight->outputs = g_new0 (void *, (gsize) n * flight->n_outputs + 1);
  flight->runs = g_new0 (TplanRun *, n);
  for (int i = 0; i < n * flight->n_outputs; i++)
    {
      gint64 bytes = get_output_bytes (flight, i % flight->n_outputs);

      flight->outputs[i] = g_try_malloc0 (MAX (bytes, 1));
      if (flight->outputs[i] != NULL)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "no memory for %" G_GINT64_FORMAT " bytes of an output of "
                   "%d runs: give fewer with --in-flight", bytes, n);
      return NULL;
    }
  return g_steal_pointer (&flight);
}

void
tp_bench_flight_free (TpBenchFlight *flight)
{
  if (flight == NULL)
    return;
  for (int i = 0; i < flight->n * flight->n_outputs; i++)
    g_free (flight->outputs[i]);
  g_free (flight->outputs);
  g_free (flight->runs);
  g_free (flight);
}

/* TRUE too where there is none. */
static gboolean
end_run (TpBenchFlight *flight, int place, GError **error)
{
  g_autoptr (TplanRun) run = g_steal_pointer (&flight->runs[place]);

  return run == NULL || tplan_run_wait (run, error);
}

static gboolean
begin_run (TpBenchFlight *flight, TplanSession *session, int place,
           GError **error)
{
  flight->runs[place] = tplan_session_submit (
      session, (const void *const *) flight->data->inputs,
      flight->outputs + (gsize) place * flight->n_outputs, error);
  return flight->runs[place] != NULL;
}

/* Of each run that ends another begins, until the last that is timed has ended: engines
 * are at work when the clock starts, at the end of the first, and when it stops. */
gboolean
tp_bench_flight_run (TpBenchFlight *flight, TplanSession *session, int n_runs,
                     gint64 *out_ns, GError **error)
{
  gint64 start_ns = 0;
  gboolean is_good = TRUE;

  for (int i = 0; i < flight->n && is_good; i++)
    is_good = begin_run (flight, session, i, error);
  for (int i = 0; i <= n_runs && is_good; i++)
    {
      is_good = end_run (flight, i % flight->n, error);
      if (i == 0)
        start_ns = tp_clock_get_ns ();
      *out_ns = tp_clock_get_ns () - start_ns;
      if (is_good && i < n_runs)
        is_good = begin_run (flight, session, i % flight->n, error);
    }
  for (int i = 0; i < flight->n; i++)
    is_good = end_run (flight, i, is_good ? error : NULL) && is_good;
  return is_good;
}

gboolean
tp_bench_flight_is_same (const TpBenchFlight *flight)
{
  for (int i = 0; i < flight->n * flight->n_outputs; i++)
    if (memcmp (flight->outputs[i],
                flight->data->outputs[i % flight->n_outputs],
                get_output_bytes (flight, i % flight->n_outputs)) != 0)
      return FALSE;
  return TRUE;
}
