/* cmd-pareto.c: all plans that are the least for some worth of time, energy or
 * price. */
#include "config.h"

#include "api/graph.h"
#include "api/pareto.h"
#include "api/plan.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/pareto-files.h"
#include "cli/planning.h"
#include "cli/rates.h"
#include "cli/text.h"
#include "cli/values.h"
#include "format/plan-json.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

static struct
{
  char *objectives;           /* (nullable): "time,energy" */
  char *plans;                /* (nullable): folder */
} given;

static const GOptionEntry pareto_options[] = {
  { "objectives", 0, 0, G_OPTION_ARG_STRING, &given.objectives,
    "time,energy (default), time,price or energy,price", "A,B" },
  { "plans", 0, 0, G_OPTION_ARG_FILENAME, &given.plans,
    "write each plan to DIR/point-N.json", "DIR" },
  TP_SHAPING_OPTIONS,
  TP_MACHINE_OPTION,
  { 0 },
};

/* Two of them, the first of which rises. */
typedef struct
{
  const char *text;
  TpAim aims[2];
  const char *worth;          /* what one of the first is worth of the second */
  double unit;                /* of that, in units of the plans */
} Objectives;

static const Objectives objectives[] = {
  { "time,energy", { TP_AIM_TIME, TP_AIM_ENERGY }, "J/s", 1e-3 },
  { "time,price", { TP_AIM_TIME, TP_AIM_PRICE }, "per hour",
    1.0 / TP_RATE_PARTS },
  { "energy,price", { TP_AIM_ENERGY, TP_AIM_PRICE }, "per kWh",
    1e6 / TP_RATE_PARTS },
};

typedef struct
{
  const Objectives *objectives;
  TplanPlan *plan;            /* whose figures count */
  TpPareto *pareto;
  int device;                 /* not the host; -1: its price is not asked about */
  TpBreakEven even;           /* of it */
} Found;

static void
found_clear (Found *found)
{
  g_clear_pointer (&found->plan, tplan_plan_free);
  g_clear_pointer (&found->pareto, tp_pareto_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Found, found_clear)

/* ---- what is asked -------------------------------------------------------- */

static gboolean
parse_objectives (Found *found, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    if (given.objectives == NULL
        || strcmp (objectives[i].text, given.objectives) == 0)
      {
        found->objectives = &objectives[i];
        return TRUE;
      }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "objectives '%s' are none of time,energy; time,price; "
               "energy,price", given.objectives);
  return FALSE;
}

/* Of prices, up to which the device beside the host pays. */
static gboolean
find_even (Found *found, GError **error)
{
  int host = tp_plan_get_host (tp_api_get_plan (found->plan));

  found->device = -1;
  if (found->objectives->aims[1] != TP_AIM_PRICE || host < 0
      || tp_api_get_plan (found->plan)->n_devices != 2)
    return TRUE;
  found->device = 1 - host;
  return tp_api_find_break_even (found->plan, found->device, &found->even,
                                 error);
}

static gboolean
find (Found *found, TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = NULL;

  if (!parse_objectives (found, error)
      || !tp_pareto_files_check (cli, error)
      || (dims = tp_cli_parse_dims (cli, error)) == NULL)
    return FALSE;
  tp_cli_planning.knows_rates = TRUE;
  tp_cli_planning.is_apart = TRUE;
  found->plan = tp_cli_make_plan (cli, cli->args[0], dims, error);
  if (found->plan == NULL)
    return FALSE;
  found->pareto
      = tp_api_find_pareto (found->plan, 2, found->objectives->aims, error);
  return found->pareto != NULL && find_even (found, error);
}

/* ---- what is told --------------------------------------------------------- */

/* What one of the first is worth of the second, from point @index on: there the plan
 * before it is as good; at the first point nothing is worth more. */
static double
find_worth (const Found *found, int index)
{
  return tp_pareto_find_rate (found->pareto, index) * found->objectives->unit;
}

static int
count_on (const TpPlan *plan, int device)
{
  int n = 0;

  for (int i = 0; i < plan->n_placements; i++)
    n += plan->placements[i].device == device;
  return n;
}

static char *
format_devices (const TpPlan *plan)
{
  GString *text = g_string_new (NULL);

  for (int d = 0; d < plan->n_devices; d++)
    if (count_on (plan, d) > 0)
      g_string_append_printf (text, "%s%d on %s", text->len > 0 ? ", " : "",
                              count_on (plan, d), plan->devices[d]);
  return g_string_free (text, FALSE);
}

static json_t *
number_or_null (double number)
{
  return number < 0 ? json_null () : json_real (number);
}

static json_t *
point_to_json (const Found *found, int index)
{
  const TpPlan *plan = found->pareto->plans[index];
  TpTaken taken = tp_cli_find_taken (plan);
  json_t *devices = json_object (), *aims = json_array ();

  for (int d = 0; d < plan->n_devices; d++)
    json_object_set_new (devices, plan->devices[d],
                         json_integer (count_on (plan, d)));
  for (int i = 0; i < TP_N_AIMS; i++)
    json_array_append_new (aims, json_integer (plan->rate_proof->aims[i]));
  return json_pack ("{s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:i, s:o}", "point",
                    index + 1, "cost_ns", (json_int_t) plan->cost_ns,
                    "energy_j", number_or_null (taken.energy_j), "price",
                    number_or_null (taken.price), "worth_from",
                    json_real (find_worth (found, index)), "worth_to",
                    index == 0 ? json_null ()
                               : json_real (find_worth (found, index - 1)),
                    "devices", devices, "copies", plan->n_transfers, "aims",
                    aims);
}

static double
get_price (const Found *found)
{
  return (double) found->even.price / TP_RATE_PARTS;
}

static json_t *
even_to_json (const Found *found)
{
  static const char *const kinds[] = { "never", "below", "always" };

  if (found->device < 0)
    return json_null ();
  return json_pack (
      "{s:s, s:s, s:o}", "device",
      tp_api_get_plan (found->plan)->devices[found->device], "pays",
      kinds[found->even.kind], "price",
      found->even.kind == TP_BREAK_EVEN_BELOW ? json_real (get_price (found))
                                              : json_null ());
}

static void
note_even (const TpCli *cli, const Found *found)
{
  const TpPlan *plan = tp_api_get_plan (found->plan);
  const TpRate *rate = &plan->costs->rates[MAX (found->device, 0)];
  const char *name = plan->devices[MAX (found->device, 0)];
  double stated = (double) rate->price / TP_RATE_PARTS;

  if (found->device < 0)
    return;
  if (found->even.kind == TP_BREAK_EVEN_NEVER)
    tp_cli_note (cli, "%s never pays: not even for nothing a run costs less with "
                      "it", name);
  else if (found->even.kind == TP_BREAK_EVEN_ALWAYS)
    tp_cli_note (cli, "%s pays at any price", name);
  else
    tp_cli_note (cli, "%s pays up to %.5f an hour%s: stated are %.5f", name,
                 get_price (found), rate->is_per_use ? " of use" : "", stated);
}

static json_t *
found_to_json (const Found *found)
{
  json_t *points = json_array ();
  const TpPlan *plan = tp_api_get_plan (found->plan);

  for (int i = 0; i < found->pareto->n_points; i++)
    json_array_append_new (points, point_to_json (found, i));
  return json_pack ("{s:s, s:o, s:s, s:s, s:o, s:o, s:i, s:i, s:b, s:o, s:b}", "format",
                    "tplan-pareto/1", "graph",
                    tp_cli_string (plan->graph_name), "objectives",
                    found->objectives->text, "worth_unit",
                    found->objectives->worth, "points", points,
                    "break_even", even_to_json (found), "plans",
                    found->pareto->n_plans, "proved",
                    found->pareto->n_proved, "complete",
                    found->pareto->is_complete, "gap",
                    number_or_null (found->pareto->gap), "simulated",
                    plan->is_simulated);
}

static char *
format_worth (const Found *found, int index)
{
  return index < 0 ? g_strdup ("any more")
                   : g_strdup_printf ("%.4g", find_worth (found, index));
}

static void
add_row (TpTable *table, const Found *found, int index)
{
  const TpPlan *plan = found->pareto->plans[index];
  TpTaken taken = tp_cli_find_taken (plan);

  tp_table_add (table, g_strdup_printf ("%d", index + 1),
                tp_cli_format_time (plan->cost_ns),
                taken.energy_j < 0 ? NULL
                                   : tp_cli_format_energy (taken.energy_j),
                taken.price < 0 ? NULL
                                : tp_cli_format_price (1e6 * taken.price),
                format_worth (found, index), format_worth (found, index - 1),
                format_devices (plan),
                g_strdup_printf ("%d", plan->n_transfers));
}

static void
print_table (const TpCli *cli, const Found *found)
{
  g_autofree char *worth = g_strconcat (">", found->objectives->worth, NULL);
  const char *const headers[]
      = { ">POINT", tp_api_get_plan (found->plan)->is_simulated
                        ? ">SIMULATED TIME" : ">TIME",
          ">ENERGY", ">PRICE OF 1E6", worth, ">TO", "PLACEMENT", ">COPIES",
          NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (int i = 0; i < found->pareto->n_points; i++)
    add_row (table, found, i);
  tp_table_print (table, cli);
}

/* What may lack; the caller frees. */
static char *
format_gap (const TpPareto *pareto)
{
  if (pareto->is_complete)
    return g_strdup ("");
  return pareto->gap < 0
             ? g_strdup ("; some may lack")
             : g_strdup_printf ("; some may lack that are less by up to %.2g %%",
                                100 * pareto->gap);
}

static void
print_notes (const TpCli *cli, const Found *found)
{
  const Objectives *it = found->objectives;
  g_autofree char *watts = tp_cli_describe_watts (tp_api_get_plan (found->plan));
  int n = found->pareto->n_plans, n_proved = found->pareto->n_proved;
  g_autofree char *proved = n_proved == n ? g_strdup ("each")
                                          : g_strdup_printf ("%d", n_proved);
  g_autofree char *gap = format_gap (found->pareto);

  tp_cli_note (cli, "each is the least where %s is worth so much %s (%s)%s: %d "
                    "plans were made, %s proved least%s",
               tp_aim_get_name (it->aims[0]), tp_aim_get_name (it->aims[1]),
               it->worth, tp_cli_simulated (found->plan), n, proved,
               gap);
  note_even (cli, found);
  tp_cli_note (cli, "%s; prices are as stated", watts);
}

/* ---- plans in files ------------------------------------------------------- */

static char *
name_point (int index)
{
  g_autofree char *base = g_strdup_printf ("point-%d.json", index + 1);

  return g_build_filename (given.plans, base, NULL);
}

/* None is written unless all may be. */
static gboolean
write_plans (TpCli *cli, const Found *found, GError **error)
{
  const TpGraph *graph
      = tp_api_get_graph (tplan_plan_get_graph (found->plan));
  int n = given.plans == NULL ? 0 : found->pareto->n_points;

  if (n > 0 && g_mkdir_with_parents (given.plans, 0777) != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "cannot make folder '%s': %s", given.plans,
                   g_strerror (errno));
      return FALSE;
    }
  for (int i = 0; i < n; i++)
    {
      g_autofree char *path = name_point (i);

      if (!tp_cli_check_output (cli, path, error))
        return FALSE;
    }
  for (int i = 0; i < n; i++)
    {
      g_autofree char *path = name_point (i);
      g_autofree char *text = tp_plan_to_json (found->pareto->plans[i], graph);

      if (!tp_cli_write_output (cli, path, text, strlen (text), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
pareto_run (TpCli *cli, GError **error)
{
  g_auto (Found) found = { .plan = NULL };
  json_t *document;

  if (!find (&found, cli, error) || !write_plans (cli, &found, error))
    return FALSE;
  document = found_to_json (&found);
  if (!tp_pareto_files_write (cli, document, error))
    {
      json_decref (document);
      return FALSE;
    }
  if (cli->format != TP_FORMAT_TABLE)
    {
      tp_cli_print_data (cli, document, "points");
      return TRUE;
    }
  json_decref (document);
  print_table (cli, &found);
  print_notes (cli, &found);
  return TRUE;
}

const TpCommand tp_command_pareto = {
  .name = "pareto",
  .arguments = "MODEL",
  .summary = "Plans a model for all worths of energy or price",
  .details = "-o: .svg .csv .json",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_PLANNING | TP_USES_RATES | TP_USES_FORMAT
          | TP_USES_OUTPUT,
  .options = pareto_options,
  .run = pareto_run,
};
