/* repeat.c: see repeat.h. */
#include "config.h"

#include "cli/repeat.h"

#include "api/plan.h"
#include "api/session.h"
#include "calib/workload.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/watchdog.h"
#include "ir/clock.h"
#include "runtime/threads.h"

#define WARMUP 3              /* runs */
#define WARMUP_NS 50000000

void
tp_repeat_init (TpRepeat *repeat)
{
  *repeat = (TpRepeat){ 0 };
  tp_run_times_init (&repeat->times);
  tp_run_energy_init (&repeat->energy);
}

void
tp_repeat_clear (TpRepeat *repeat)
{
  tp_run_energy_clear (&repeat->energy);
  tp_run_times_clear (&repeat->times);
}

gboolean
tp_repeat_once (TplanSession *session, TpRunData *data, gboolean is_profiled,
                GError **error)
{
  const void *const *inputs = (const void *const *) data->inputs;

  tp_cli_watchdog_watch (session);
  if (is_profiled)
    return tp_session_run_profiled (tp_api_get_session (session), inputs,
                                    data->outputs, error);
  return tplan_session_run (session, inputs, data->outputs, error);
}

gboolean
tp_repeat_first (TplanSession *session, TpRunData *data, GError **error)
{
  return data->n_states == 0
         || (tp_run_data_reset (data, session, error)
             && tp_repeat_once (session, data, FALSE, error));
}

static void
look (TpRepeat *repeat)
{
  gboolean was_apart = repeat->apart.is_apart;

  tp_run_times_look (&repeat->times,
                     tp_apart_look (&repeat->apart) || was_apart,
                     repeat->apart.fma_ns);
}

static void
look_at_cores (TpRepeat *repeat)
{
  gboolean was_contended = repeat->apart.is_contended;

  tp_run_times_look_at_cores (
      &repeat->times,
      tp_apart_look_at_cores (&repeat->apart) || was_contended);
}

static gboolean
run_timed (TpRepeat *repeat, const TpRepeatJob *job, GError **error)
{
  TpSample begin, sample;

  tp_sample_begin (&begin);
  if (!tp_repeat_once (job->session, job->data, FALSE, error))
    return FALSE;
  tp_sample_end (&begin, &sample);
  if (tp_api_get_session_plan (job->session)->is_simulated)
    sample = (TpSample){ 0 }; /* nothing disturbs a made-up clock */
  sample.time_ns = tplan_session_get_time_ns (job->session);
  tp_run_times_add (&repeat->times, &sample);
  tp_run_energy_look (&repeat->energy);
  if (tp_apart_is_due (&repeat->apart))
    look (repeat);
  if (tp_apart_are_cores_due (&repeat->apart))
    look_at_cores (repeat);
  return TRUE;
}

static gboolean
is_over (const TpRepeat *repeat, const TpRepeatJob *job, gint64 begin_ns)
{
  int n = (int) repeat->times.samples->len;

  if (*tp_cli_get_cancelled ()
      || n >= (job->n_runs > 0 ? job->n_runs : TP_REPEAT_MAX))
    return TRUE;
  return job->duration_ns > 0 && n >= MAX (job->n_least, 1)
         && tp_clock_get_ns () - begin_ns >= job->duration_ns;
}

/* As many as asked for; or a few, and all there is time for until a processor that
 * rested is up to speed: graphs of some 100 us took 1.5 times as long before. */
static gboolean
is_warm (const TpRepeat *repeat, const TpRepeatJob *job, gint64 begin_ns)
{
  int n = repeat->times.n_warmup;

  if (*tp_cli_get_cancelled ())
    return TRUE;
  if (job->n_warmup != TP_REPEAT_WARM)
    return n >= job->n_warmup;
  return n >= WARMUP
         && (tp_api_get_session_plan (job->session)->is_simulated
             || tp_clock_get_ns () - begin_ns >= WARMUP_NS);
}

static gboolean
warm_up (TpRepeat *repeat, const TpRepeatJob *job, GError **error)
{
  gint64 begin_ns = tp_clock_get_ns ();

  for (; !is_warm (repeat, job, begin_ns); repeat->times.n_warmup++)
    if (!tp_repeat_once (job->session, job->data, FALSE, error))
      return FALSE;
  return TRUE;
}

static void
wait_for_processors (TpRepeat *repeat, const TpRepeatJob *job, const TpCli *cli)
{
  const TpPlan *plan = tp_api_get_session_plan (job->session);
  int n_threads = tp_api_pick_threads (plan, cli->device_options.n_threads);
  int n_planned = tp_threads_count (plan->origin.n_threads);

  tp_apart_init (&repeat->apart, cli, n_threads);
  if (!tp_apart_concerns (job->session))
    repeat->apart.least.fma_ns = 0;
  repeat->times.n_threads = repeat->apart.n_threads;
  if (repeat->times.n_threads != n_planned)
    tp_cli_note (cli, "note: on %d thread%s; what is foretold is for %d",
                 repeat->times.n_threads,
                 repeat->times.n_threads == 1 ? "" : "s", n_planned);
  if (repeat->apart.is_apart && job->wait_ns > 0)
    tp_cli_note (cli, "waiting for processors to be near each other");
  tp_apart_wait (&repeat->apart, job->wait_ns);
}

gboolean
tp_repeat_run (TpRepeat *repeat, const TpRepeatJob *job, const TpCli *cli,
               GError **error)
{
  const TpPlan *plan = tp_api_get_session_plan (job->session);
  TpWorkload begin, end;
  gint64 begin_ns;

  if (!plan->is_simulated)
    wait_for_processors (repeat, job, cli);
  if (!warm_up (repeat, job, error)
      || !tp_run_data_reset (job->data, job->session, error))
    return FALSE;
  tp_apart_look_at_cores (&repeat->apart);
  tp_workload_read (&begin);
  tp_run_energy_begin (&repeat->energy, job->session);
  begin_ns = tp_clock_get_ns ();
  while (!is_over (repeat, job, begin_ns))
    if (!run_timed (repeat, job, error))
      return FALSE;
  if (repeat->times.samples->len == 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED,
                   "interrupted before the first timed run ended");
      return FALSE;
    }
  tp_run_energy_end (&repeat->energy, tp_run_times_get_mean (&repeat->times));
  tp_workload_read (&end);
  repeat->times.is_alone = tp_workload_was_alone (&begin, &end);
  look (repeat);
  look_at_cores (repeat);
  repeat->times.contention = tp_apart_get_contention (&repeat->apart);
  repeat->times.slowness = tp_apart_get_slowness (&repeat->apart);
  tp_run_times_end (&repeat->times, repeat->apart.least.fma_ns);
  return TRUE;
}
