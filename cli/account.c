/* account.c: by what a run differs from what its plan foretold.
 *
 * Steps are timed one by one, waited for, in runs of their own; what they do not
 * add up to is the rest. */
#include "config.h"

#include "cli/account.h"

#include "api/plan.h"
#include "api/session.h"
#include "calib/seat.h"
#include "cli/output.h"
#include "cli/predicted.h"
#include "cli/text.h"
#include "ir/compare.h"

#include <math.h>
#include <stdlib.h>

#define RUNS 5

/* A part below this share of the prediction is not worth a word. */
#define SHARE_TOLD 0.01

static const TpPlan *
get_plan (const TpAccount *account)
{
  return tp_api_get_plan (account->plan);
}

void
tp_account_clear (TpAccount *account)
{
  g_clear_pointer (&account->steps, g_free);
  g_clear_pointer (&account->parts, g_free);
}

/* ---- timing ------------------------------------------------------------- */

static gint64
find_miss (const TpSessionStep *step)
{
  return ABS (step->measured_ns - step->predicted_ns);
}

static int
compare_misses (const void *a, const void *b)
{
  gint64 x = find_miss (a), y = find_miss (b);

  return (x < y) - (x > y);
}

/* Where runs are timed, too. */
static gboolean
run_seated (TpAccount *account, GError **error)
{
  gboolean is_good;
  TpSeat seat;

  tp_seat_take (&seat);
  is_good = tp_session_run_profiled (
      tp_api_get_session (account->session),
      (const void *const *) account->data->inputs, account->data->outputs, error);
  tp_seat_leave (&seat);
  return is_good;
}

/* Fills times_ns[step * RUNS + run]. */
static gboolean
time_steps (TpAccount *account, gint64 *times_ns, GError **error)
{
  TpSession *session = tp_api_get_session (account->session);

  for (int run = 0; run < RUNS; run++)
    {
      int n;
      const TpSessionStep *steps;

      if (!run_seated (account, error))
        return FALSE;
      steps = tp_session_get_steps (session, &n);
      for (int i = 0; i < n; i++)
        times_ns[(gsize) i * RUNS + run] = steps[i].measured_ns;
    }
  return TRUE;
}

static void
add_up (TpAccount *account)
{
  const TpPlan *plan = get_plan (account);
  TpAccountPart *rest;

  account->n_parts = plan->n_devices + 2;
  account->parts = g_new0 (TpAccountPart, account->n_parts);
  rest = &account->parts[plan->n_devices + 1];
  *rest = (TpAccountPart){ tp_plan_get_run_ns (plan), account->measured_ns };
  for (int i = 0; i < account->n_steps; i++)
    {
      const TpSessionStep *step = &account->steps[i];
      int which = step->node >= 0 ? step->device : plan->n_devices;

      account->parts[which].predicted_ns += step->predicted_ns;
      account->parts[which].measured_ns += step->measured_ns;
      rest->predicted_ns -= step->predicted_ns;
      rest->measured_ns -= step->measured_ns;
    }
}

gboolean
tp_account_make (TpAccount *account, GError **error)
{
  const TpSessionStep *steps = tp_session_get_steps (
      tp_api_get_session (account->session), &account->n_steps);
  g_autofree gint64 *times_ns
      = g_new0 (gint64, (gsize) account->n_steps * RUNS + 1);

  if (!time_steps (account, times_ns, error))
    return FALSE;
  account->steps = g_memdup2 (steps, sizeof *steps * account->n_steps);
  for (int i = 0; i < account->n_steps; i++)
    {
      gint64 *mine = &times_ns[(gsize) i * RUNS];

      qsort (mine, RUNS, sizeof *mine, tp_compare_int64);
      account->steps[i].measured_ns = mine[RUNS / 2];
    }
  if (account->n_steps > 0)
    qsort (account->steps, account->n_steps, sizeof *account->steps,
           compare_misses);
  add_up (account);
  return TRUE;
}

/* ---- telling ------------------------------------------------------------ */

static const char *
get_step_name (const TpAccount *account, const TpSessionStep *step)
{
  const TpGraph *graph = account->data->graph;

  return step->node >= 0 ? graph->nodes[step->node].name
                         : graph->tensors[step->tensor].name;
}

static const char *
get_step_place (const TpAccount *account, const TpSessionStep *step)
{
  return step->device == TP_COSTS_HOST ? TP_PLAN_HOST
                                       : get_plan (account)->devices[step->device];
}

char *
tp_account_step_to_text (const TpAccount *account, int i)
{
  const TpSessionStep *step;
  g_autofree char *predicted = NULL, *measured = NULL;

  if (i >= account->n_steps)
    return NULL;
  step = &account->steps[i];
  predicted = tp_cli_format_time (step->predicted_ns);
  measured = tp_cli_format_time (step->measured_ns);
  return g_strdup_printf ("%s %s %s: predicted %s, took %s",
                          get_step_name (account, step),
                          step->node >= 0 ? "on" : "to",
                          get_step_place (account, step), predicted, measured);
}

static gint64
get_excess (const TpAccountPart *part)
{
  return part->measured_ns - part->predicted_ns;
}

/* Kernels of a device, or copies: as many of these as there are in a run. */
static int
count_engines (const TpAccount *account)
{
  int n = 0;

  for (int i = 0; i <= get_plan (account)->n_devices; i++)
    n += account->parts[i].measured_ns > 0;
  return n;
}

static char *
name_part (const TpAccount *account, int which)
{
  const TpPlan *plan = get_plan (account);

  if (which < plan->n_devices)
    return g_strdup_printf ("%s kernels", plan->devices[which]);
  if (which == plan->n_devices)
    return g_strdup ("copies");
  if (get_excess (&account->parts[which]) >= 0)
    return g_strdup ("between steps");
  /* of one nothing overlaps: the runs looked at were slower than those timed */
  return g_strdup (count_engines (account) > 1 ? "overlap" : "only in runs looked at");
}

/* The step that makes most of what a part is off by, if one does. */
static int
find_culprit (const TpAccount *account, int which)
{
  gint64 excess_ns = get_excess (&account->parts[which]);
  int n_devices = get_plan (account)->n_devices;

  for (int i = 0; i < account->n_steps; i++)
    {
      const TpSessionStep *step = &account->steps[i];
      gint64 off_ns = step->measured_ns - step->predicted_ns;

      if ((step->node >= 0 ? step->device : n_devices) == which)
        return (off_ns < 0) == (excess_ns < 0)
                       && 2 * ABS (off_ns) >= ABS (excess_ns)
                   ? i
                   : -1;
    }
  return -1;
}

static char *
format_part (const TpAccount *account, int which)
{
  gint64 excess_ns = get_excess (&account->parts[which]);
  g_autofree char *name = name_part (account, which);
  g_autofree char *time = tp_cli_format_time (ABS (excess_ns));
  int culprit = find_culprit (account, which);
  g_autofree char *step
      = culprit < 0 ? NULL : tp_account_step_to_text (account, culprit);

  return g_strdup_printf ("%s %c%s%s%s%s", name, excess_ns < 0 ? '-' : '+',
                          time, step == NULL ? "" : " (",
                          step == NULL ? "" : step, step == NULL ? "" : ")");
}

/* The part, of those not told yet, that is furthest off; -1: none matters. */
static int
find_largest (const TpAccount *account, const gboolean *is_told)
{
  double least = SHARE_TOLD * (double) tp_plan_get_run_ns (get_plan (account));
  int largest = -1;

  for (int i = 0; i < account->n_parts; i++)
    {
      double excess_ns = (double) ABS (get_excess (&account->parts[i]));

      if (!is_told[i] && excess_ns > 0 && excess_ns >= least)
        {
          least = excess_ns;
          largest = i;
        }
    }
  return largest;
}

char **
tp_account_to_lines (const TpAccount *account)
{
  const TpPlan *plan = get_plan (account);
  g_autofree gboolean *is_told = g_new0 (gboolean, account->n_parts);
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  gint64 run_ns = tp_plan_get_run_ns (plan);
  double error
      = run_ns > 0 ? (double) account->measured_ns / (double) run_ns - 1 : 0;

  if (account->parts == NULL)
    return g_new0 (char *, 1);
  g_ptr_array_add (
      lines, g_strdup_printf ("took %.0f %% %s%s", 100 * fabs (error),
                              error < 0 ? "less" : "longer",
                              tp_cli_judge_interval (account->plan,
                                                     account->measured_ns)));
  for (int i; (i = find_largest (account, is_told)) >= 0;)
    {
      is_told[i] = TRUE;
      g_ptr_array_add (lines, format_part (account, i));
    }
  if (account->preempted > 0)
    g_ptr_array_add (lines,
                     g_strdup_printf ("preempted in %.0f %% of the runs",
                                      100 * account->preempted));
  if (plan->n_estimated > 0 && !plan->is_simulated)
    g_ptr_array_add (lines, g_strdup_printf (
                                "%d of %d ops have estimated times",
                                plan->n_estimated, plan->n_placements));
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&lines), FALSE);
}

json_t *
tp_account_to_json (const TpAccount *account)
{
  const TpPlan *plan = get_plan (account);
  json_t *parts = json_array (), *worst = json_array ();

  for (int i = 0; i < account->n_parts; i++)
    {
      g_autofree char *name = i <= plan->n_devices ? name_part (account, i)
                                                   : g_strdup ("rest");

      json_array_append_new (
          parts, json_pack ("{s:s, s:I, s:I}", "part", name, "predicted_ns",
                            (json_int_t) account->parts[i].predicted_ns,
                            "measured_ns",
                            (json_int_t) account->parts[i].measured_ns));
    }
  for (int i = 0; i < MIN (TP_ACCOUNT_WORST, account->n_steps); i++)
    {
      const TpSessionStep *step = &account->steps[i];

      json_array_append_new (
          worst,
          json_pack ("{s:o, s:o, s:I, s:I}",
                     step->node >= 0 ? "op" : "copy_of",
                     tp_cli_string (get_step_name (account, step)), "device",
                     tp_cli_string (get_step_place (account, step)),
                     "predicted_ns",
                     (json_int_t) step->predicted_ns, "measured_ns",
                     (json_int_t) step->measured_ns));
    }
  return json_pack ("{s:o, s:f, s:o}", "parts", parts, "preempted",
                    account->preempted, "worst", worst);
}
