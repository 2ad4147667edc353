/* rates.c: see rates.h. */
#include "config.h"

#include "cli/rates.h"

#include <math.h>
#include <string.h>

#define MAX_ENGINES (3 * 8)
#define PRICES_PER_HOUR (3.6e12 * TP_RATE_PARTS) /* a nanosecond's part in one */

/* ---- what is taken -------------------------------------------------------- */

/* The devices that have an op, a bit for each. */
static guint
list_used (const TpPlan *plan)
{
  guint used = 0;

  for (int i = 0; i < plan->n_placements; i++)
    used |= 1u << plan->placements[i].device;
  return used;
}

static double
sum_copy (const TpPlan *plan, const TpTransfer *it, const gint64 *weights)
{
  const TpCosts *costs = plan->costs;
  int n = plan->n_devices, host = costs->host;
  double sum = 0;

  if (it->to != TP_COSTS_HOST && it->to != host)
    sum += (double) weights[n + it->to]
           * (double) tp_costs_feed (costs, it->tensor, it->to)->time_ns;
  if (it->from != TP_COSTS_HOST && it->from != host)
    sum += (double) weights[2 * n + it->from]
           * (double) tp_costs_fetch (costs, it->tensor, it->from)->time_ns;
  return sum;
}

/* By the rates of @aim; -1: not stated. */
static double
sum_taken (const TpPlan *plan, TpAim aim)
{
  gint64 aims[TP_N_AIMS] = { 0 };
  gint64 weights[MAX_ENGINES];
  double sum = 0;

  aims[aim] = 1;
  if (plan->costs == NULL || 3 * plan->n_devices > MAX_ENGINES
      || tp_rates_find_missing (plan->costs, aim) >= 0
      || !tp_rates_weigh (plan->costs, aims, list_used (plan), weights))
    return -1;
  for (int i = 0; i < plan->n_placements; i++)
    sum += (double) weights[plan->placements[i].device]
           * (double) plan->placements[i].time_ns;
  for (int i = 0; i < plan->n_transfers; i++)
    sum += sum_copy (plan, &plan->transfers[i], weights);
  return sum;
}

TpTaken
tp_cli_find_taken (const TpPlan *plan)
{
  double energy = sum_taken (plan, TP_AIM_ENERGY);
  double price = sum_taken (plan, TP_AIM_PRICE);

  return (TpTaken){ .energy_j = energy < 0 ? -1 : energy / 1e12,
                    .price = price < 0 ? -1 : price / PRICES_PER_HOUR };
}

/* ---- in words ------------------------------------------------------------- */

char *
tp_cli_format_energy (double energy_j)
{
  static const struct
  {
    double below, factor;
    const char *unit;
  } units[] = { { 999.95e-9, 1e9, "nJ" }, { 999.95e-6, 1e6, "uJ" },
                { 999.95e-3, 1e3, "mJ" }, { 999.95, 1, "J" },
                { HUGE_VAL, 1e-3, "kJ" } };
  int i = 0;

  while (energy_j >= units[i].below)
    i++;
  return g_strdup_printf ("%.4g %s", energy_j * units[i].factor,
                          units[i].unit);
}

char *
tp_cli_format_price (double price)
{
  return g_strdup_printf ("%.4g", price);
}

/* What the plan was made for is proved to be least, or limits of memory made it more,
 * or, on three devices and more, a gap is left. The caller frees. */
static char *
describe_proof (const TpPlan *plan, const char *objective)
{
  const TpRateProof *proof = plan->rate_proof;
  gint64 bound;
  double gap;

  if (strcmp (plan->objective, objective) != 0)
    return g_strdup ("");
  bound = tp_rate_proof_get_bound (proof);
  if (proof->cost == bound)
    return g_strdup (proof->room != NULL ? "; proved least that fits"
                                         : "; proved least");
  gap = 100.0 * (double) (proof->cost - bound) / (double) proof->cost;
  return plan->memory_limits == NULL || proof->room != NULL
             ? g_strdup_printf ("; the least%s is up to %.2f %% less",
                                proof->room != NULL ? " that fits" : "", gap)
             : g_strdup_printf ("; without limits of memory %s%.1f %% less",
                                plan->n_devices > 2 ? "up to " : "", gap);
}

/* Whose watts are measured, by name; NULL: those of none. */
static char *
join_measured (const TpCosts *costs, int *out_n)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (int d = 0; d < costs->n_devices; d++)
    if (costs->rates[d].is_measured)
      g_ptr_array_add (names, costs->devices[d]);
  *out_n = names->len;
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (char **) names->pdata);
}

char *
tp_cli_describe_watts (const TpPlan *plan)
{
  int n;
  g_autofree char *names = join_measured (plan->costs, &n);

  if (n == plan->costs->n_devices)
    return g_strdup ("watts are measured");
  if (n == 0)
    return g_strdup ("watts are stated, not measured");
  return g_strdup_printf ("watts of %s are measured, others stated", names);
}

char *
tp_cli_describe_energy (const TpPlan *plan)
{
  TpTaken taken = tp_cli_find_taken (plan);
  g_autofree char *energy = tp_cli_format_energy (MAX (taken.energy_j, 0));
  g_autofree char *watts
      = taken.energy_j < 0 ? NULL : tp_cli_describe_watts (plan);
  double seconds = (double) plan->cost_ns / 1e9;
  g_autofree char *proof = NULL;

  if (watts == NULL)
    return NULL;
  proof = describe_proof (plan, "energy");
  return g_strdup_printf ("%s a run, %.4g W on average%s; %s%s",
                          energy, seconds > 0 ? taken.energy_j / seconds : 0,
                          plan->is_simulated ? ", simulated" : "", watts,
                          proof);
}

char *
tp_cli_describe_price (const TpPlan *plan)
{
  TpTaken taken = tp_cli_find_taken (plan);
  g_autofree char *price = tp_cli_format_price (1e6 * MAX (taken.price, 0));
  g_autofree char *proof = NULL;

  if (taken.price < 0)
    return NULL;
  proof = describe_proof (plan, "price");
  return g_strdup_printf ("%s for a million runs, one after the other%s; prices "
                          "are as stated%s",
                          price, plan->is_simulated ? ", simulated" : "",
                          proof);
}

static json_t *
number_to_json (double number)
{
  return number < 0 ? json_null () : json_real (number);
}

json_t *
tp_cli_rates_to_json (const TpPlan *plan)
{
  TpTaken taken = tp_cli_find_taken (plan);
  double seconds = (double) plan->cost_ns / 1e9;
  const TpRateProof *proof = plan->rate_proof;
  gboolean is_proved
      = proof != NULL && proof->cost == tp_rate_proof_get_bound (proof);

  if (taken.energy_j < 0 && taken.price < 0)
    return json_null ();
  return json_pack ("{s:o, s:o, s:o, s:o}", "energy_j",
                    number_to_json (taken.energy_j), "power_w",
                    taken.energy_j < 0 || seconds <= 0
                        ? json_null ()
                        : json_real (taken.energy_j / seconds),
                    "price", number_to_json (taken.price), "proved_least",
                    is_proved ? json_string (plan->objective) : json_null ());
}
