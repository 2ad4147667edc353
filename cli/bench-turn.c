/* bench-turn.c: see bench-turn.h. */
#include "config.h"

#include "cli/bench-turn.h"

#include "api/plan.h"
#include "api/session.h"
#include "cli/watchdog.h"
#include "ir/clock.h"

/* A turn is long against what the one before left in caches and in sleeping
 * threads, and short against what else goes on in the machine. */
#define TURN_NS 5000000
#define TURN_MAX_RUNS 100
#define WARMUP_RUNS 3
#define WARMUP_NS 200000000
#define FLIGHT_RUNS 4         /* as many times those in flight are a turn at least:
                               * it begins and ends with fewer under way */

static gboolean
run_once (TpBench *bench, TpBenchEntry *entry, gint64 *out_ns, GError **error)
{
  tp_cli_watchdog_watch (entry->session);
  if (!tplan_session_run (entry->session,
                          (const void *const *) bench->data.inputs,
                          bench->data.outputs, error))
    {
      g_prefix_error (error, "%s: ", entry->name);
      return FALSE;
    }
  *out_ns = tplan_session_get_time_ns (entry->session);
  return TRUE;
}

static gint64
sum_memory (const TpBenchEntry *entry)
{
  gint64 bytes = 0;

  for (int i = 0; i < tp_api_get_plan (entry->plan)->n_devices; i++)
    {
      TpSessionMemory memory;

      tp_session_get_memory (tp_api_get_session (entry->session), i, &memory);
      bytes += memory.arena_bytes + memory.weight_bytes
               + memory.workspace_bytes;
    }
  return bytes;
}

static gboolean
make_session (TpBenchEntry *entry, int n_threads, GError **error)
{
  entry->session = tplan_session_new_full (
      entry->plan,
      &(TplanSessionOptions){ .n_threads = n_threads,
                              .n_in_flight = entry->n_in_flight },
      error);
  if (entry->session == NULL)
    g_prefix_error (error, "%s: ", entry->name);
  return entry->session != NULL;
}

static gboolean
make_flight (TpBench *bench, TpBenchEntry *entry, GError **error)
{
  if (entry->n_in_flight <= 1)
    return TRUE;
  entry->flight = tp_bench_flight_new (&bench->data, entry->n_in_flight, error);
  if (entry->flight == NULL)
    g_prefix_error (error, "%s: ", entry->name);
  return entry->flight != NULL;
}

gboolean
tp_bench_open (TpBench *bench, int who, int n_threads, GError **error)
{
  TpBenchEntry *entry = bench->entries->pdata[who];
  gint64 start_ns = tp_clock_get_ns (), unused;

  if (!make_session (entry, n_threads, error)
      || !make_flight (bench, entry, error)
      || !run_once (bench, entry, &unused, error))
    return FALSE;
  entry->first_ns = tp_clock_get_ns () - start_ns;
  entry->memory_bytes = sum_memory (entry);
  return TRUE;
}

/* @out_ns: of all @n_runs. */
static gboolean
fly (TpBenchEntry *entry, int n_runs, gint64 *out_ns, GError **error)
{
  tp_cli_watchdog_watch (entry->session);
  if (tp_bench_flight_run (entry->flight, entry->session, n_runs, out_ns,
                           error))
    return TRUE;
  g_prefix_error (error, "%s: ", entry->name);
  return FALSE;
}

/* As tp_bench_warm_up () does; and what comes out is what comes out of single runs, but
 * for states, which go on. */
static gboolean
warm_up_flight (TpBench *bench, TpBenchEntry *entry, GError **error)
{
  int n = FLIGHT_RUNS * entry->n_in_flight;
  gint64 time_ns;

  if (!run_once (bench, entry, &time_ns, error)
      || !fly (entry, n, &time_ns, error))
    return FALSE;
  entry->n_per_turn = (int) CLAMP (
      FLIGHT_RUNS * TURN_NS / MAX (time_ns / n, 1), n, MAX (n, TURN_MAX_RUNS));
  if (bench->data.n_states > 0 || tp_bench_flight_is_same (entry->flight))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "%s: results differ from those of single runs: please report "
               "it", entry->name);
  return FALSE;
}

gboolean
tp_bench_warm_up (TpBench *bench, int who, GError **error)
{
  TpBenchEntry *entry = bench->entries->pdata[who];
  gint64 start_ns = tp_clock_get_ns ();
  gint64 least_ns = G_MAXINT64;

  if (entry->flight != NULL)
    return warm_up_flight (bench, entry, error);
  for (int i = 0; i < WARMUP_RUNS; i++)
    {
      gint64 time_ns;

      if (!run_once (bench, entry, &time_ns, error))
        return FALSE;
      least_ns = MIN (least_ns, MAX (time_ns, 1));
      if (tp_clock_get_ns () - start_ns > WARMUP_NS)
        break;
    }
  entry->is_led = !bench->is_simulated && least_ns < TURN_NS;
  entry->n_per_turn
      = bench->is_simulated
            ? 1
            : (int) CLAMP (TURN_NS / least_ns, 1, TURN_MAX_RUNS);
  return TRUE;
}

gboolean
tp_bench_open_anew (TpBench *bench, int who, int n_threads, GError **error)
{
  TpBenchEntry *entry = bench->entries->pdata[who];

  tp_cli_watchdog_watch (NULL);
  g_clear_pointer (&entry->session, tplan_session_free);
  return make_session (entry, n_threads, error)
         && tp_bench_warm_up (bench, who, error);
}

gboolean
tp_bench_take_turn (TpBench *bench, int who, GError **error)
{
  TpBenchEntry *entry = bench->entries->pdata[who];
  gint64 time_ns;

  if (entry->flight != NULL)
    {
      if (!fly (entry, entry->n_per_turn, &time_ns, error))
        return FALSE;
      tp_contest_add (bench->contest, who, time_ns / entry->n_per_turn);
      return TRUE;
    }
  if (entry->is_led && !run_once (bench, entry, &time_ns, error))
    return FALSE;
  for (int i = 0; i < entry->n_per_turn; i++)
    {
      if (!run_once (bench, entry, &time_ns, error))
        return FALSE;
      tp_contest_add (bench->contest, who, time_ns);
    }
  return TRUE;
}
