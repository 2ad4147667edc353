/* cmd-pareto.c: all plans that are the least for some worth of time, energy or
 * price. */
#include "config.h"

#include "api/graph.h"
#include "api/pareto.h"
#include "api/plan.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/pareto-files.h"
#include "cli/pareto-worths.h"
#include "cli/planning.h"
#include "cli/rates.h"
#include "cli/text.h"
#include "cli/values.h"
#include "format/plan-json.h"

#include <glib/gstdio.h>
#include <string.h>

static struct
{
  char *objectives;           /* (nullable): all that is stated */
  char *plans;                /* (nullable): folder */
} given;

static const GOptionEntry pareto_options[] = {
  { "objectives", 0, 0, G_OPTION_ARG_STRING, &given.objectives,
    "two or all of time,energy,price", "A,B" },
  { "plans", 0, 0, G_OPTION_ARG_FILENAME, &given.plans,
    "write each plan to DIR/point-N.json", "DIR" },
  TP_SHAPING_OPTIONS,
  TP_MACHINE_OPTION,
  { 0 },
};

/* Two of them, the first of which rises, or all. */
typedef struct
{
  const char *text;
  int n_aims;
  TpAim aims[TP_N_AIMS];
  const char *worth;          /* of two: what one of the first is worth of the second */
  double unit;                /* of that, in units of the plans */
} Objectives;

static const Objectives objectives[] = {
  { "time,energy", 2, { TP_AIM_TIME, TP_AIM_ENERGY }, "J/s", 1e-3 },
  { "time,price", 2, { TP_AIM_TIME, TP_AIM_PRICE }, "per hour",
    1.0 / TP_RATE_PARTS },
  { "energy,price", 2, { TP_AIM_ENERGY, TP_AIM_PRICE }, "per kWh",
    1e6 / TP_RATE_PARTS },
  { "time,energy,price", 3, { TP_AIM_TIME, TP_AIM_ENERGY, TP_AIM_PRICE },
    "per hour, per kWh", 0 },
};

typedef struct
{
  const Objectives *objectives;
  TplanPlan *plan;            /* whose figures count */
  TpPareto *pareto;
  TpBreakEven *evens;         /* of all devices beside the host, if prices count */
  int n_evens;
} Found;

static void
found_clear (Found *found)
{
  g_clear_pointer (&found->plan, tplan_plan_free);
  g_clear_pointer (&found->pareto, tp_pareto_free);
  g_clear_pointer (&found->evens, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Found, found_clear)

/* ---- what is asked -------------------------------------------------------- */

/* None: they are found once it is known what is stated. */
static gboolean
parse_objectives (Found *found, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    if (given.objectives != NULL
        && strcmp (objectives[i].text, given.objectives) == 0)
      found->objectives = &objectives[i];
  if (found->objectives != NULL || given.objectives == NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "objectives '%s' are none of time,energy; time,price; "
               "energy,price; time,energy,price", given.objectives);
  return FALSE;
}

/* The most that is stated of all devices; the first says what lacks, if it is that. */
static void
find_objectives (Found *found)
{
  const TpCosts *costs = tp_api_get_plan (found->plan)->costs;

  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    {
      gboolean is_stated = i == 0;

      if (tp_rates_find_missing (costs, objectives[i].aims[0]) < 0
          && tp_rates_find_missing (costs, objectives[i].aims[1]) < 0)
        is_stated = objectives[i].n_aims == 2
                    || tp_rates_find_missing (costs, objectives[i].aims[2]) < 0;
      if (is_stated && objectives[i].aims[0] == TP_AIM_TIME)
        found->objectives = &objectives[i];
    }
}

static gboolean
is_joint (const Found *found)
{
  return found->objectives->n_aims == 3;
}

/* Of prices, up to which devices beside the host pay. */
static gboolean
find_evens (Found *found, GError **error)
{
  const TpPlan *plan = tp_api_get_plan (found->plan);
  int host = tp_plan_get_host (plan);

  if (found->objectives->aims[found->objectives->n_aims - 1] != TP_AIM_PRICE
      || host < 0)
    return TRUE;
  found->evens = g_new0 (TpBreakEven, plan->n_devices);
  for (int d = 0; d < plan->n_devices; d++)
    if (d != host
        && !tp_api_find_break_even (found->plan, d,
                                    &found->evens[found->n_evens++], error))
      return FALSE;
  return TRUE;
}

static gboolean
find (Found *found, TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = NULL;

  if (!parse_objectives (found, error)
      || !tp_pareto_files_check (cli, error)
      || (given.plans != NULL && !tp_cli_check_folder (given.plans, error))
      || (dims = tp_cli_parse_dims (cli, error)) == NULL)
    return FALSE;
  tp_cli_planning.knows_rates = TRUE;
  tp_cli_planning.is_apart = TRUE;
  found->plan = tp_cli_make_plan (cli, cli->args[0], dims, error);
  if (found->plan == NULL)
    return FALSE;
  if (found->objectives == NULL)
    find_objectives (found);
  found->pareto
      = tp_api_find_pareto (found->plan, found->objectives->n_aims,
                            found->objectives->aims, error);
  return found->pareto != NULL && find_evens (found, error);
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
worth_to_json (const Found *found, int index)
{
  return is_joint (found) || index < 0 ? json_null ()
                                       : json_real (find_worth (found, index));
}

static json_t *
point_to_json (const Found *found, int index)
{
  const TpPlan *plan = found->pareto->plans[index];
  TpTaken taken = tp_cli_find_taken (plan);
  json_t *devices = json_object (), *aims = json_array (), *point;

  for (int d = 0; d < plan->n_devices; d++)
    json_object_set_new (devices, plan->devices[d],
                         json_integer (count_on (plan, d)));
  for (int i = 0; i < TP_N_AIMS; i++)
    json_array_append_new (aims, json_integer (plan->rate_proof->aims[i]));
  point = json_pack ("{s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:i, s:o}", "point",
                     index + 1, "cost_ns", (json_int_t) plan->cost_ns,
                     "energy_j", number_or_null (taken.energy_j), "price",
                     number_or_null (taken.price), "worth_from",
                     worth_to_json (found, index), "worth_to",
                     worth_to_json (found, index - 1), "devices", devices,
                     "copies", plan->n_transfers, "aims", aims);
  if (is_joint (found))
    json_object_update_new (point,
                            tp_pareto_worths_to_json (found->pareto, index));
  return point;
}

static double
get_price (const TpBreakEven *even)
{
  return (double) even->price / TP_RATE_PARTS;
}

static json_t *
even_to_json (const Found *found, const TpBreakEven *even)
{
  static const char *const kinds[] = { "never", "below", "always" };

  return json_pack (
      "{s:s, s:s, s:o, s:b}", "device",
      tp_api_get_plan (found->plan)->devices[even->device], "pays",
      kinds[even->kind], "price",
      even->kind == TP_BREAK_EVEN_BELOW ? json_real (get_price (even))
                                        : json_null (),
      "proved", even->is_proved);
}

static json_t *
evens_to_json (const Found *found)
{
  json_t *list = json_array ();

  for (int i = 0; i < found->n_evens; i++)
    json_array_append_new (list, even_to_json (found, &found->evens[i]));
  return list;
}

static void
note_even (const TpCli *cli, const Found *found, const TpBreakEven *even)
{
  const TpPlan *plan = tp_api_get_plan (found->plan);
  const TpRate *rate = &plan->costs->rates[even->device];
  const char *name = plan->devices[even->device];
  const char *proved = even->is_proved ? "" : ", as far as plans were found";
  double stated = (double) rate->price / TP_RATE_PARTS;

  if (even->kind == TP_BREAK_EVEN_NEVER)
    tp_cli_note (cli, "%s never pays: not even for nothing a run costs less with "
                      "it%s", name, proved);
  else if (even->kind == TP_BREAK_EVEN_ALWAYS)
    tp_cli_note (cli, "%s pays at any price%s", name, proved);
  else
    tp_cli_note (cli, "%s pays up to %.5f an hour%s%s: stated are %.5f", name,
                 get_price (even), rate->is_per_use ? " of use" : "", proved,
                 stated);
}

static json_t *
gap_to_json (const TpPareto *pareto)
{
  return pareto->gap < 1 ? json_real (pareto->gap) : json_null ();
}

static json_t *
found_to_json (const Found *found)
{
  json_t *points = json_array (), *document;
  const TpPlan *plan = tp_api_get_plan (found->plan);

  for (int i = 0; i < found->pareto->n_points; i++)
    json_array_append_new (points, point_to_json (found, i));
  document = json_pack (
      "{s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:i, s:i, s:b, s:o, s:b}", "format",
      "tplan-pareto/1", "graph", tp_cli_string (plan->graph_name), "objectives",
      found->objectives->text, "worth_unit", found->objectives->worth, "points",
      points, "break_even",
      found->n_evens == 1 ? even_to_json (found, found->evens) : json_null (),
      "break_evens", evens_to_json (found), "plans", found->pareto->n_plans,
      "proved", found->pareto->n_proved, "complete",
      found->pareto->is_complete, "gap", gap_to_json (found->pareto),
      "simulated", plan->is_simulated);
  if (is_joint (found))
    json_object_set_new (document, "faces",
                         tp_pareto_faces_to_json (found->pareto));
  return document;
}

/* From where on, and to where, or of which times and of which energy. */
static char *
format_worth (const Found *found, int index, int column)
{
  if (is_joint (found))
    return tp_pareto_worths_format (found->pareto, index,
                                    column == 0 ? TP_WORTH_HOUR : TP_WORTH_KWH);
  index -= column;
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
                format_worth (found, index, 0), format_worth (found, index, 1),
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
          ">ENERGY", ">PRICE OF 1E6", is_joint (found) ? ">PER HOUR" : worth,
          is_joint (found) ? ">PER KWH" : ">TO", "PLACEMENT", ">COPIES",
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
  return pareto->gap >= 1
             ? g_strdup ("; some may lack")
             : g_strdup_printf ("; some may lack that are less by up to %.2g %%",
                                100 * pareto->gap);
}

/* For what each is the least; the caller frees. */
static char *
describe_worth (const Found *found)
{
  const Objectives *it = found->objectives;

  if (is_joint (found))
    return g_strdup ("somewhere between these worths of an hour and of a "
                     "kilowatt-hour");
  return g_strdup_printf ("where %s is worth so much %s (%s)",
                          tp_aim_get_name (it->aims[0]),
                          tp_aim_get_name (it->aims[1]), it->worth);
}

static void
print_notes (const TpCli *cli, const Found *found)
{
  g_autofree char *watts = tp_cli_describe_watts (tp_api_get_plan (found->plan));
  g_autofree char *worth = describe_worth (found);
  int n = found->pareto->n_plans, n_proved = found->pareto->n_proved;
  g_autofree char *proved = n_proved == n ? g_strdup ("each")
                                          : g_strdup_printf ("%d", n_proved);
  g_autofree char *gap = format_gap (found->pareto);

  tp_cli_note (cli, "each is the least %s%s: %d plans were made, %s proved "
                    "least%s",
               worth, tp_cli_simulated (found->plan), n, proved, gap);
  for (int i = 0; i < found->n_evens; i++)
    note_even (cli, found, &found->evens[i]);
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

  if (n > 0 && !tp_cli_make_folder (given.plans, error))
    return FALSE;
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
          | TP_USES_FILES,
  .options = pareto_options,
  .run = pareto_run,
};
