/* rated-model.c: see rated-model.h. */
#include "config.h"

#include "planner/rated-model.h"

#include "ir/array.h"
#include "planner/copies.h"

#include <string.h>

void
tp_rated_clear (TpRated *rated)
{
  g_clear_pointer (&rated->weighed, tp_problem_free);
}

gboolean
tp_rated_fits (const TpProblem *problem, gint64 most)
{
  return most < TP_PROBLEM_LIMIT / (problem->sum + 1);
}

/* FALSE: too much for numbers. */
static gboolean
find_weights (TpRated *rated, const TpProblem *problem, const gint64 *aims,
              guint used)
{
  rated->divisor = 1;
  if (!tp_rates_weigh (problem->costs, aims, used, rated->weights))
    return FALSE;
  for (int e = 0; e < 3 * problem->n_devices; e++)
    if (!tp_rated_fits (problem, rated->weights[e]))
      return FALSE;
  return TRUE;
}

gboolean
tp_rated_init (TpRated *rated, const TpProblem *problem, const gint64 *aims,
               guint used)
{
  if (!find_weights (rated, problem, aims, used))
    return FALSE;
  rated->weighed = tp_problem_weigh (problem, rated->weights);
  return TRUE;
}

/* 0: all are 0. */
static gint64
find_common_divisor (const gint64 *weights, int n)
{
  gint64 common = 0;

  for (int e = 0; e < n; e++)
    for (gint64 other = weights[e]; other != 0;)
      {
        gint64 rest = common % other;

        common = other;
        other = rest;
      }
  return common;
}

gboolean
tp_rated_init_below (TpRated *rated, const TpProblem *problem,
                     const gint64 *aims, guint used, gint64 limit)
{
  int n = 3 * problem->n_devices;
  gint64 most = 0;

  if (!find_weights (rated, problem, aims, used))
    return FALSE;
  for (int e = 0; e < n; e++)
    most = MAX (most, rated->weights[e]);
  rated->divisor = MAX (find_common_divisor (rated->weights, n), 1);
  if (most / rated->divisor >= limit / (problem->sum + 1))
    rated->divisor = most / MAX (limit / (problem->sum + 1), 1) + 1;
  for (int e = 0; e < n; e++)
    rated->weights[e] /= rated->divisor;
  rated->weighed = tp_problem_weigh (problem, rated->weights);
  return TRUE;
}

static gboolean
counts_all (const TpProblem *problem, const gint64 *weights)
{
  for (int d = 0; d < problem->n_devices; d++)
    if (weights[d] == 0)
      return FALSE;
  return TRUE;
}

void
tp_rated_raise (TpRated *rated, const TpProblem *problem, gint64 limit)
{
  gint64 most = limit / (problem->sum + 1) - 2, largest = 0;
  int n = 3 * problem->n_devices;

  if (counts_all (problem, rated->weights))
    return;
  for (int e = 0; e < n; e++)
    largest = MAX (largest, rated->weights[e]);
  rated->times
      = largest == 0 ? 1 : CLAMP (most / largest, 1, problem->sum + 1);
  for (int e = 0; e < n; e++)
    rated->weights[e] = rated->weights[e] * rated->times + 1;
  g_clear_pointer (&rated->weighed, tp_problem_free);
  rated->weighed = tp_problem_weigh (problem, rated->weights);
}

/* ---- what is asked -------------------------------------------------------- */

gboolean
tp_rated_check (const TpProblem *problem, TpAim aim, GError **error)
{
  static const char *const options[]
      = { "", "--watts %s=BUSY:IDLE", "--price %s=AMOUNT/h" };
  int device = tp_rates_find_missing (problem->costs, aim);
  g_autoptr (GString) option = g_string_new (options[aim]);

  if (device < 0)
    return TRUE;
  g_string_replace (option, "%s", problem->costs->devices[device], 1);
  if (aim == TP_AIM_ENERGY && !problem->costs->is_simulated)
    g_string_append (option, ", or have it counted, where the system does: "
                             "`tplan calibrate --energy`");
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "the least %s is asked for, and what '%s' takes of it is not "
               "stated: give %s",
               tp_aim_get_name (aim), problem->costs->devices[device],
               option->str);
  return FALSE;
}

gboolean
tp_rated_check_all (const TpProblem *problem, GError **error)
{
  gboolean is_some = FALSE;

  for (int aim = 0; aim < TP_N_AIMS; aim++)
    {
      is_some = is_some || problem->aims[aim] > 0;
      if (problem->aims[aim] > 0
          && !tp_rated_check (problem, (TpAim) aim, error))
        return FALSE;
    }
  if (!is_some)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "what time, energy and price are worth is not said: ask for "
                 "'energy' or 'price', or plan for all with `tplan pareto`");
  return is_some;
}

gboolean
tp_rated_fail_limit (GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
               "all costs together reach 2^62 where times count by watts or "
               "prices: mend the costs, or state less");
  return FALSE;
}

/* ---- what a placement takes ----------------------------------------------- */

static gint64
sum_placement (const TpProblem *weighed, const guint8 *devices)
{
  g_autoptr (TpArray) copies = tp_copies_list (weighed, devices);
  gint64 sum = 0;

  for (int i = 0; i < weighed->graph->n_nodes; i++)
    sum += tp_problem_node_cost (weighed, i, devices[i]);
  for (guint i = 0; i < copies->len; i++)
    {
      const TpTransfer *it = &tp_array_index (copies, TpTransfer, i);

      sum += tp_problem_edge_cost (weighed, it->tensor, it->from, it->to);
    }
  for (int i = 0; i < weighed->costs->n_groups; i++)
    {
      int device = tp_problem_find_fused (weighed, i, devices);

      if (device >= 0)
        sum -= tp_problem_get_gain (weighed, i, device);
    }
  return sum;
}

guint
tp_rated_list_used (const TpProblem *problem, const guint8 *devices)
{
  guint used = 0;

  for (int i = 0; i < problem->graph->n_nodes; i++)
    used |= 1u << devices[i];
  return used;
}

gint64
tp_rated_sum (const TpProblem *problem, const guint8 *devices, TpAim aim)
{
  gint64 one[TP_N_AIMS] = { 0 };
  g_auto (TpRated) rated = { .weighed = NULL };

  one[aim] = 1;
  return tp_rated_init (&rated, problem, one, tp_rated_list_used (problem, devices))
             ? sum_placement (rated.weighed, devices)
             : -1;
}

gboolean
tp_rated_fill_totals (const TpProblem *problem, const guint8 *devices,
                      TpRateProof *proof, GError **error)
{
  for (int aim = 0; aim < TP_N_AIMS; aim++)
    {
      gboolean is_stated
          = tp_rates_find_missing (problem->costs, (TpAim) aim) < 0;

      proof->totals[aim]
          = is_stated ? tp_rated_sum (problem, devices, (TpAim) aim) : -1;
      if (is_stated && proof->totals[aim] < 0)
        return tp_rated_fail_limit (error);
    }
  return TRUE;
}

gint64
tp_rated_take (const TpProblem *problem, const guint8 *devices)
{
  g_auto (TpRated) rated = { .weighed = NULL };

  return tp_rated_init (&rated, problem, problem->aims,
                     tp_rated_list_used (problem, devices))
             ? sum_placement (rated.weighed, devices)
             : -1;
}

gboolean
tp_rated_offer (const TpProblem *problem, const guint8 *tried, guint8 *best,
                TpRateProof *proof, GError **error)
{
  gint64 cost = tp_rated_take (problem, tried);

  if (cost < 0)
    return tp_rated_fail_limit (error);
  if (cost >= proof->cost)
    return TRUE;
  proof->cost = cost;
  memcpy (best, tried, problem->graph->n_nodes);
  return TRUE;
}
