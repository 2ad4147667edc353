/* apart.c: see apart.h. */
#include "config.h"

#include "cli/apart.h"

#include "api/session.h"
#include "calib/cost-db.h"
#include "calib/facts.h"
#include "calib/samples.h"
#include "calib/seat.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "ir/clock.h"
#include "runtime/pool.h"
#include "runtime/threads.h"

#include <math.h>

#define DUE_NS 20000000
#define CORES_DUE_NS 300000   /* others stay longer */
#define CONTENDED 1.05        /* on average: worth a word */
#define CALMER 0.93           /* likewise: than when kernels were timed */
#define OTHER_CLOCK 0.05
#define N_PROBES 5
#define N_LOOKS 20            /* where it is asked but once */
#define PAUSE_US (G_USEC_PER_SEC / 4)

static void
note_least (TpCostDb *db, int n_threads, TpProcessors *least)
{
  g_autoptr (GPtrArray) devices = NULL;
  TpProcessors its;

  if (db != NULL)
    devices = tp_cost_db_list_devices (db, NULL, NULL);
  for (guint i = 0; devices != NULL && i < devices->len; i++)
    {
      const TpDeviceRow *device = devices->pdata[i];
      g_autofree char *facts = tp_facts_gather (device->name, n_threads);
      g_autofree char *difference = tp_facts_compare (device->facts, facts);

      if (difference != NULL)
        continue;
      tp_cost_db_find_least (db, device->id, &its);
      tp_samples_note_least (least, &its);
    }
}

/* Beside any figure that was measured on a machine such as this, here or in the
 * system's table. */
static TpProcessors
find_least (const char *path, int n_threads)
{
  g_autoptr (TpCostDb) db = tp_cost_db_open (path, TRUE, NULL);
  TpProcessors least = { 0 };

  note_least (db, n_threads, &least);
  if (db != NULL)
    note_least (tp_cost_db_get_system (db), n_threads, &least);
  return least;
}

void
tp_apart_init (TpApart *apart, const TpCli *cli, int n_threads)
{
  *apart = (TpApart){ .n_threads = tp_threads_count (n_threads) };
  apart->least = find_least (cli->cost_path, n_threads);
  tp_pool_prepare (apart->n_threads, NULL); /* without it one probe finds no other */
  tp_apart_look (apart);
}

/* A thread of the pool that somebody else keeps from its processor. */
static gboolean
is_away (const TpApart *apart, const TpProcessors *now)
{
  return (now->handover_ns == 0 || now->crowding == 0)
         && !tp_probe_is_pool_whole (apart->n_threads);
}

/* Again, where a thread was only late, or could not come because the caller has the
 * processor that it is pinned to. */
static void
probe (const TpApart *apart, TpProcessors *out_now)
{
  TpSeat seat = { 0 };

  tp_probe_processors (apart->n_threads, out_now);
  if (out_now->handover_ns > 0 && out_now->crowding > 0)
    return;
  tp_seat_take (&seat);
  for (int i = 0; i < N_PROBES
                  && (out_now->handover_ns == 0 || out_now->crowding == 0)
                  && tp_probe_is_pool_whole (apart->n_threads);
       i++)
    tp_probe_processors (apart->n_threads, out_now);
  tp_seat_leave (&seat);
}

/* Likewise. */
static gint64
probe_contention (const TpApart *apart)
{
  gint64 contention = tp_probe_contention (apart->n_threads);
  TpSeat seat;

  if (contention > 0)
    return contention;
  tp_seat_take (&seat);
  contention = tp_probe_contention (apart->n_threads);
  tp_seat_leave (&seat);
  return contention;
}

gboolean
tp_apart_look_at_cores (TpApart *apart)
{
  const TpProcessors now
      = { .contention = apart->least.contention > 0
                            ? probe_contention (apart) : 0 };

  apart->is_contended = tp_samples_are_contended (&now, &apart->least);
  if (now.contention > 0)
    {
      apart->sum += (double) now.contention / apart->least.contention;
      apart->n_sum++;
    }
  apart->looked_at_cores_ns = tp_clock_get_ns ();
  return apart->is_contended;
}

double
tp_apart_get_contention (const TpApart *apart)
{
  return apart->n_sum > 0 ? MAX (apart->sum / apart->n_sum, 1) : 0;
}

double
tp_apart_get_slowness (const TpApart *apart)
{
  return apart->n_fma > 0 && apart->least.fma_ns > 0
             ? apart->fma_sum / apart->n_fma / (double) apart->least.fma_ns : 0;
}

gboolean
tp_apart_concerns (TplanSession *session)
{
  const TpPlan *plan = tp_api_get_session_plan (session);

  for (int i = 0; i < plan->n_devices; i++)
    {
      const TpDeviceInfo *info
          = tp_session_get_info (tp_api_get_session (session), i);

      if (info != NULL && info->is_apart)
        return FALSE;
    }
  return TRUE;
}

/* Where the thread that timed kernels was. */
static void
look_at_clock (TpApart *apart)
{
  TpSeat seat;

  if (apart->least.fma_ns == 0)
    return;
  tp_seat_take (&seat);
  apart->fma_ns = tp_probe_fma_ns ();
  tp_seat_leave (&seat);
  apart->fma_sum += (double) apart->fma_ns;
  apart->n_fma++;
}

gboolean
tp_apart_look (TpApart *apart)
{
  look_at_clock (apart);
  if (apart->n_threads > 1
      && (apart->least.handover_ns > 0 || apart->least.crowding > 0))
    {
      TpProcessors now;

      probe (apart, &now);
      apart->is_apart = tp_samples_are_apart (&now, &apart->least)
                        || is_away (apart, &now);
      apart->was_apart |= apart->is_apart;
      if (apart->is_apart)
        apart->apart = now;
    }
  apart->looked_ns = tp_clock_get_ns ();
  return apart->is_apart;
}

gboolean
tp_apart_is_due (const TpApart *apart)
{
  return tp_clock_get_ns () - apart->looked_ns >= DUE_NS;
}

gboolean
tp_apart_are_cores_due (const TpApart *apart)
{
  return tp_clock_get_ns () - apart->looked_at_cores_ns >= CORES_DUE_NS;
}

void
tp_apart_wait (TpApart *apart, gint64 limit_ns)
{
  gint64 end_ns = tp_clock_get_ns () + limit_ns;

  while (apart->is_apart && tp_clock_get_ns () < end_ns
         && !*tp_cli_get_cancelled ())
    {
      g_usleep (PAUSE_US);
      tp_apart_look (apart);
    }
}

/* The first calibration on a machine cannot know what alone is. */
static void
note_calm (const TpApart *apart, const TpCli *cli)
{
  if (apart->n_sum > 0 && apart->sum / apart->n_sum < CALMER)
    tp_cli_note (cli, "note: others used these cores when kernels were timed, and "
                      "less so now: times are shorter than foretold: `tplan cost "
                      "forget --all`, then `tplan calibrate`");
}

static void
note_clock (const TpApart *apart, const TpCli *cli)
{
  double slowness = tp_apart_get_slowness (apart);

  if (slowness > 0 && fabs (slowness - 1) > OTHER_CLOCK)
    tp_cli_note (cli, "note: the clock of the processors was %.2f times that which "
                      "kernels were timed at: times are %s than foretold",
                 1 / slowness, slowness > 1 ? "longer" : "shorter");
}

static gboolean
note_contention (const TpApart *apart, const TpCli *cli)
{
  double contention = tp_apart_get_contention (apart);

  note_calm (apart, cli);
  note_clock (apart, cli);
  if (contention < CONTENDED)
    return FALSE;
  tp_cli_note (cli, "note: others used the cores of these processors: what fills "
                    "them took %.2f times as long as alone: times are longer than "
                    "foretold", contention);
  return TRUE;
}

gboolean
tp_apart_note (const TpApart *apart, const TpCli *cli)
{
  gboolean is_contended = note_contention (apart, cli);

  if (!apart->was_apart)
    return is_contended;
  if (apart->apart.handover_ns == 0 || apart->apart.crowding == 0)
    tp_cli_note (cli, "note: others kept %d threads from running at once: times "
                      "are longer than foretold", apart->n_threads);
  else
    tp_cli_note (cli,
                 "note: processors were not as when kernels were timed: "
                 "%" G_GINT64_FORMAT " ns there and back instead of %"
                 G_GINT64_FORMAT ", all at once %.2f times as long as one instead "
                 "of %.2f: times are longer than foretold",
                 apart->apart.handover_ns, apart->least.handover_ns,
                 apart->apart.crowding / 1e3, apart->least.crowding / 1e3);
  return TRUE;
}

gboolean
tp_cli_note_apart (const TpCli *cli, TpApart *out_apart)
{
  tp_apart_init (out_apart, cli, cli->device_options.n_threads);
  for (int i = 0; i < N_LOOKS; i++)
    tp_apart_look_at_cores (out_apart);
  return tp_apart_note (out_apart, cli);
}
