/* whole-run.c: see whole-run.h. */
#include "config.h"

#include "cli/whole-run.h"

#include "api/child.h"
#include "api/costs.h"
#include "api/graph.h"
#include "calib/patience.h"
#include "cli/keep.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "runtime/devices.h"

#define SECOND_NS G_GINT64_CONSTANT (1000000000)
#define RUNS 15               /* of networks that take long */
#define RUNS_MAX 1000
#define ENOUGH 15             /* undisturbed ones */
#define N_TRIES 3             /* each of twice as many runs */
#define WARMUP 3
#define SITTINGS 3
#define SITTINGS_PART 4       /* of what kernels may take, after which no more begin */
#define RUNS_NS (SECOND_NS / 2)     /* of all others */
#define LONGEST_NS (6 * SECOND_NS)  /* all runs of a try, as foretold */
#define READY_NS (30 * SECOND_NS)   /* to compile and to open a device */

typedef struct
{
  TpCli *cli;
  const TplanGraph *graph;
  const char *device;
} Whole;

static int
count_runs (gint64 run_ns)
{
  return (int) CLAMP (RUNS_NS / MAX (run_ns, 1), RUNS, RUNS_MAX);
}

static gboolean
keep (TpCli *cli, const TplanPlan *plan, const TpRunTimes *times,
      GError **error)
{
  if (tp_cli_keep_runs (cli, plan, (gint64 *) (void *) times->calm_ns->data,
                        (int) times->calm_ns->len, (int) times->all_ns->len))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "%u of %u runs were disturbed",
               times->all_ns->len - times->calm_ns->len, times->all_ns->len);
  return FALSE;
}

/* Enough runs, or no time for more. */
static gboolean
is_over (const TpRepeat *repeat, const TpRepeatJob *job, gint64 run_ns)
{
  const TpRunTimes *times = &repeat->times;

  return (times->calm_ns->len >= ENOUGH
          && 2 * times->calm_ns->len >= times->all_ns->len)
         || 2 * job->n_runs * run_ns > LONGEST_NS;
}

/* Again, with more runs each time, while others disturb most of them. */
static gboolean
repeat_and_keep (TpCli *cli, const TplanPlan *plan, TplanSession *session,
                 TpRunData *data, GError **error)
{
  gint64 run_ns = tplan_plan_get_cost_ns (plan);
  TpRepeatJob job = {
    .session = session,
    .data = data,
    .n_runs = count_runs (run_ns),
    .n_warmup = TP_REPEAT_WARM,
    .wait_ns = tp_patience_get_wait_us () * 1000,
  };
  gboolean is_good = TRUE, is_last = FALSE;

  for (int i = 0; i < N_TRIES && !is_last && is_good; i++)
    {
      TpRepeat repeat;

      tp_repeat_init (&repeat);
      is_good = tp_repeat_run (&repeat, &job, cli, error);
      is_last = is_good && (i + 1 == N_TRIES || is_over (&repeat, &job, run_ns));
      if (is_last)
        is_good = keep (cli, plan, &repeat.times, error);
      tp_repeat_clear (&repeat);
      job.n_runs *= 2;
      job.wait_ns = 0;
    }
  return is_good;
}

static gboolean
run_plan (TpCli *cli, const TplanPlan *plan, GError **error)
{
  TplanSession *session
      = tplan_session_new (plan, cli->device_options.n_threads, error);
  TpRunData data = { 0 };
  gboolean is_good
      = session != NULL
        && tp_run_data_init (&data,
                             tp_api_get_graph (tplan_plan_get_graph (plan)),
                             NULL, cli->seed, error)
        && repeat_and_keep (cli, plan, session, &data, error);

  tp_run_data_clear (&data);
  tplan_session_free (session);
  return is_good;
}

/* In the child. Says why nothing was kept, or nothing. */
static void
run_whole (gpointer data, GString *out)
{
  const Whole *whole = data;
  TpCli cli = *whole->cli;
  const TpRival alone = { whole->device, FALSE };
  g_autoptr (GError) error = NULL;
  TplanPlan *plan;
  gint64 cost_ns;

  cli.is_quiet = TRUE;
  plan = tp_cli_make_rival (&cli, whole->graph, &alone, &error);
  cost_ns = plan != NULL ? tplan_plan_get_cost_ns (plan) : 0;
  if (cost_ns > LONGEST_NS / (RUNS + WARMUP))
    g_string_append (out, "it would take too long");
  else if (plan == NULL || !run_plan (&cli, plan, &error))
    g_string_append (out, error->message);
  tplan_plan_free (plan);
}

static gint64
find_deadline (gint64 left_ns)
{
  gint64 most_ns
      = READY_NS + tp_patience_get_wait_us () * 1000 + 2 * LONGEST_NS;

  return left_ns > 0 ? MIN (left_ns, most_ns) : most_ns;
}

typedef struct
{
  gint64 begin_us;
  gint64 time_limit_ns;       /* 0: none */
} Hours;

static gint64
find_left_ns (const Hours *hours)
{
  gint64 gone_us = g_get_monotonic_time () - hours->begin_us;

  return MAX (hours->time_limit_ns - gone_us * 1000, 0);
}

static void
sit (const Whole *whole, const Hours *hours)
{
  gint64 left_ns = find_left_ns (hours);
  g_autoptr (GError) error = NULL;
  g_autofree char *said = NULL;

  if (tp_device_is_simulated (whole->device)
      || (hours->time_limit_ns > 0 && left_ns == 0))
    return;
  said = tp_child_ask_within (run_whole, (gpointer) whole,
                              find_deadline (left_ns), &error);
  if (whole->cli->is_verbose)
    tp_cli_note (whole->cli, "run as a whole on %s: %s%s", whole->device,
                 said != NULL && *said == 0 ? "kept" : "not kept: ",
                 said == NULL ? error->message : said);
}

/* No process is quite as fast as the next, so there are several where that takes
 * little beside the kernels. */
static gboolean
is_worth_more (const Hours *hours, int n_devices)
{
  gint64 gone_us = g_get_monotonic_time () - hours->begin_us;

  return gone_us * SITTINGS_PART < tp_patience_get_most_us () * n_devices;
}

void
tp_cli_run_wholes (TpCli *cli, const TplanGraph *graph, gint64 time_limit_ns)
{
  const Hours hours = { g_get_monotonic_time (), time_limit_ns };
  TplanCosts *costs = tp_cli_get_costs (cli, NULL);
  const char *const *names = tp_api_get_devices (costs);
  int n = (int) g_strv_length ((char **) names);

  for (int k = 0; k < n * SITTINGS; k++)
    {
      const Whole whole = { cli, graph, names[k % n] };

      if (*tp_cli_get_cancelled () || (k >= n && !is_worth_more (&hours, n)))
        break;
      tp_cli_progress (k % n, n, "run as a whole", 0, cli);
      sit (&whole, &hours);
    }
  tp_cli_progress_end (cli);
}
