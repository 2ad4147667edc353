/* run-energy.c: see run-energy.h. */
#include "config.h"

#include "cli/run-energy.h"

#include "api/session.h"
#include "calib/joules.h"
#include "cli/output.h"
#include "cli/rates.h"
#include "ir/clock.h"
#include "runtime/devices.h"

#define LOOK_NS 20000000      /* power is added up over this time */
#define LEAST_NS 500000000    /* counters move once in some milliseconds */

void
tp_run_energy_init (TpRunEnergy *energy)
{
  *energy = (TpRunEnergy){ .predicted_j = -1, .counted_j = -1 };
  energy->counters
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tp_joules_free);
}

void
tp_run_energy_clear (TpRunEnergy *energy)
{
  g_ptr_array_unref (energy->counters);
}

static void
give_up (TpRunEnergy *energy, const char *reason)
{
  g_ptr_array_set_size (energy->counters, 0);
  energy->reason = reason;
}

/* Of a card by itself; of all that draws with the processors once. */
static void
open_counters (TpRunEnergy *energy, const char *device, const char *pci,
               gboolean *has_processors)
{
  TpJoules *joules;

  if (pci == NULL && *has_processors)
    return;
  joules = tp_joules_open (NULL, pci);
  if (joules != NULL)
    g_ptr_array_add (energy->counters, joules);
  else
    energy->uncounted = g_intern_string (device);
  *has_processors |= pci == NULL;
}

static void
open_all (TpRunEnergy *energy, TplanSession *session)
{
  const TpPlan *plan = tp_api_get_session_plan (session);
  gboolean has_processors = FALSE;

  for (int i = 0; i < plan->n_devices; i++)
    {
      const TpDeviceInfo *info
          = tp_session_get_info (tp_api_get_session (session), i);

      if (info != NULL || tp_device_is_host (plan->devices[i]))
        open_counters (energy, plan->devices[i],
                       info == NULL ? NULL : info->pci, &has_processors);
      else if (plan->costs->rates[i].idle_mw > 0) /* nothing runs there */
        energy->uncounted = g_intern_string (plan->devices[i]);
    }
}

void
tp_run_energy_begin (TpRunEnergy *energy, TplanSession *session)
{
  const TpPlan *plan = tp_api_get_session_plan (session);

  energy->predicted_j = tp_cli_find_taken (plan).energy_j;
  if (energy->predicted_j < 0)
    return;
  if (plan->is_simulated)
    {
      give_up (energy, "simulated devices draw nothing");
      return;
    }
  open_all (energy, session);
  if (energy->counters->len == 0)
    give_up (energy, "there are no counters, or none this user may read");
  for (guint i = 0; i < energy->counters->len; i++)
    if (!tp_joules_start (g_ptr_array_index (energy->counters, i)))
      give_up (energy, "a counter cannot be read");
  energy->looked_ns = energy->began_ns = tp_clock_get_ns ();
}

void
tp_run_energy_look (TpRunEnergy *energy)
{
  gint64 now_ns;

  if (energy->counters->len == 0)
    return;
  now_ns = tp_clock_get_ns ();
  if (now_ns - energy->looked_ns < LOOK_NS)
    return;
  energy->looked_ns = now_ns;
  for (guint i = 0; i < energy->counters->len; i++)
    if (!tp_joules_look (g_ptr_array_index (energy->counters, i)))
      give_up (energy, "a counter cannot be read any more");
}

void
tp_run_energy_end (TpRunEnergy *energy, double run_ns)
{
  double sum_w = 0, watts;

  if (energy->counters->len == 0)
    return;
  if (tp_clock_get_ns () - energy->began_ns < LEAST_NS)
    {
      give_up (energy, "it takes runs of half a second: --duration=1s");
      return;
    }
  for (guint i = 0; i < energy->counters->len; i++, sum_w += watts)
    if (!tp_joules_stop (g_ptr_array_index (energy->counters, i), &watts))
      {
        give_up (energy, "a counter stood still");
        return;
      }
  energy->counted_j = sum_w * run_ns / 1e9;
}

/* ---- in words ------------------------------------------------------------- */

static char *
join_sources (const TpRunEnergy *energy)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < energy->counters->len; i++)
    g_ptr_array_add (names, (char *) tp_joules_get_source (
                                g_ptr_array_index (energy->counters, i)));
  g_ptr_array_add (names, NULL);
  return g_strjoinv ("+", (char **) names->pdata);
}

/* As of times: +0.1 says that it was less than predicted by a tenth of it. */
static double
find_error (const TpRunEnergy *energy)
{
  return energy->predicted_j / energy->counted_j - 1;
}

static char *
describe (const TpRunEnergy *energy)
{
  g_autofree char *predicted = tp_cli_format_energy (energy->predicted_j);
  g_autofree char *counted = NULL, *sources = NULL;

  if (energy->counted_j < 0)
    return g_strdup_printf ("%s a run predicted; not counted: %s", predicted,
                            energy->reason);
  counted = tp_cli_format_energy (energy->counted_j);
  sources = join_sources (energy);
  if (energy->uncounted != NULL)
    return g_strdup_printf ("%s a run by %s, without %s, which is not counted; "
                            "%s predicted with it",
                            counted, sources, energy->uncounted, predicted);
  return g_strdup_printf ("%s a run by %s; %s predicted, %+.1f %%", counted,
                          sources, predicted, 100 * find_error (energy));
}

void
tp_run_energy_add_row (const TpRunEnergy *energy, TpTable *table)
{
  if (energy->predicted_j >= 0)
    tp_table_add (table, g_strdup ("energy"), describe (energy));
}

json_t *
tp_run_energy_to_json (const TpRunEnergy *energy)
{
  g_autofree char *sources = join_sources (energy);
  gboolean is_counted = energy->counted_j >= 0;

  if (energy->predicted_j < 0)
    return json_null ();
  return json_pack (
      "{s:f, s:o, s:o, s:o, s:o, s:o}", "predicted_j", energy->predicted_j,
      "counted_j", is_counted ? json_real (energy->counted_j) : json_null (),
      "error",
      is_counted && energy->uncounted == NULL ? json_real (find_error (energy))
                                             : json_null (),
      "counters", is_counted ? tp_cli_string (sources) : json_null (), "reason",
      tp_cli_string (is_counted ? NULL : energy->reason), "uncounted",
      tp_cli_string (is_counted ? energy->uncounted : NULL));
}
