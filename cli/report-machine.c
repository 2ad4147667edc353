/* report-machine.c: see report-machine.h. */
#include "config.h"

#include "cli/report-machine.h"

#include "api/plan.h"
#include "calib/cost-db.h"
#include "calib/device-match.h"
#include "cli/origin.h"
#include "cli/output.h"
#include "machine/machine.h"
#include "runtime/devices.h"

#include <string.h>

static void
set_string (json_t *object, const char *key, const char *text)
{
  if (text != NULL && *text != '\0')
    json_object_set_new (object, key, tp_cli_clean_string (text));
}

static void
set_speeds (json_t *object, double gflops, double gbps, double launch_ns)
{
  json_object_set_new (object, "gflops", tp_cli_real (gflops));
  json_object_set_new (object, "gbps", tp_cli_real (gbps));
  json_object_set_new (object, "launch", tp_cli_real (launch_ns));
}

static void
add_profile (json_t *object, const char *name)
{
  const char *profile = strchr (name, ':');
  g_autoptr (TpMachine) machine
      = profile == NULL ? NULL : tp_machine_parse (profile + 1, NULL);

  if (machine == NULL)
    return;
  set_string (object, "what", machine->description);
  set_speeds (object, machine->peak_gflops, machine->bandwidth_gbps,
              machine->launch_ns);
}

static void
add_row (json_t *object, TpCostDb *db, const char *name, int n_threads)
{
  g_auto (TpDeviceMatch) match = { 0 };
  g_autoptr (GError) error = NULL;
  const TpDeviceRow *row;
  TpCostDb *its;

  if (!tp_device_match_init (&match, db, name, n_threads, &error))
    {
      set_string (object, "stale", error->message);
      return;
    }
  row = tp_device_match_get_row (&match, &its);
  if (row == NULL)
    {
      set_string (object, "stale",
                  match.stale_reason != NULL ? match.stale_reason
                                             : "not measured on this machine");
      return;
    }
  set_string (object, "what", row->identity);
  set_speeds (object, row->peak_gflops, row->bandwidth_gbps, row->launch_ns);
  json_object_set_new (object, "measured_at", json_integer (row->measured_at));
}

/* Whether the plan's own figures are of the machine as it is now. */
static void
add_facts (json_t *object, const TpPlan *plan, int device)
{
  g_autofree char *difference = tp_origin_find_difference (plan, device);

  set_string (object, "differs", difference);
}

/* Of the ops as they would run there. */
static void
add_grade (json_t *object, const TpPlan *plan, int device)
{
  TpCalibReport report = { 0 };
  int n_estimated = 0, n_known = 0;

  for (int i = 0; plan->costs != NULL && i < plan->costs->n_nodes; i++)
    {
      const TpCost *cost = tp_costs_node (plan->costs, i, device);

      if (cost->time_ns == TP_COST_NONE)
        continue;
      n_estimated += cost->is_estimated;
      n_known += !cost->is_estimated;
      report.time_ns += cost->is_estimated ? 0 : cost->time_ns;
      report.half_ns += cost->is_estimated ? 0 : cost->spread_ns;
    }
  json_object_set_new (object, "measured", json_integer (n_known));
  json_object_set_new (object, "estimated", json_integer (n_estimated));
  if (report.time_ns > 0 && report.half_ns > 0)
    {
      const char grade[] = { tp_calib_report_get_grade (&report), '\0' };

      json_object_set_new (object, "grade", json_string (grade));
      json_object_set_new (object, "spread",
                           tp_cli_real (tp_calib_report_get_spread (&report)));
    }
}

json_t *
tp_report_machine_to_json (const TpCli *cli, const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpCostDb) db = NULL;
  json_t *list = json_array ();

  if (!plan->is_simulated)
    db = tp_cost_db_open (cli->cost_path, TRUE, &error);
  for (int i = 0; i < plan->n_devices; i++)
    {
      const char *name = plan->devices[i];
      json_t *object = json_object ();
      gboolean is_simulated = tp_device_is_simulated (name);

      json_object_set_new (object, "simulated", json_boolean (is_simulated));
      if (is_simulated)
        add_profile (object, name);
      else if (db != NULL)
        add_row (object, db, name, plan->origin.n_threads);
      else if (error != NULL)
        set_string (object, "stale", error->message);
      if (!is_simulated)
        add_facts (object, plan, i);
      add_grade (object, plan, i);
      json_array_append_new (list, object);
    }
  return list;
}
