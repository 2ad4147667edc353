/* check-tie.c: may a plan cost more than the cheapest?
 *
 * Only where it has fewer copies and the figures cannot tell the two apart: the
 * difference is within one standard deviation of itself. Both placements are
 * taken apart into the figures they pay. Figures of one measurement are one term,
 * in which what the one pays counts against what the other does; the spreads of a
 * term add up, and terms add up by their squares. */
#include "config.h"

#include "planner/check/check-tie.h"

#include "planner/check/check-costs.h"

#include <math.h>

#define ROUNDING 1e-9 /* relative: sums are taken in no particular order */

/* Where the ops are, and what that pays. */
typedef struct
{
  TpChecker *checker;
  int *devices;               /* [node] */
  gint64 cost, n_copies;
  double *terms;              /* [measurement]: spreads, with signs */
  double sign;
} Side;

static void
add_term (Side *side, gint64 measurement, const TpCost *cost)
{
  side->terms[measurement] += side->sign * cost->spread_ns;
}

/* Rows, then kernels, then the two directions of a link; each on each device. */
static gint64
number_measurement (const TpChecker *checker, gint64 row, int device)
{
  const TpCosts *costs = checker->costs;
  gint64 n_rows = (gint64) costs->n_nodes + costs->n_groups;

  if (row < n_rows && costs->kernels != NULL && costs->kernels[row] > 0)
    row = n_rows + costs->kernels[row];
  return row * costs->n_devices + device;
}

static gint64
count_measurements (const TpCosts *costs)
{
  gint64 n_rows = (gint64) costs->n_nodes + costs->n_groups;

  return (2 * n_rows + 3) * costs->n_devices;
}

static void
pay_kernel (Side *side, gint64 row, int device, const TpCost *cost)
{
  add_term (side, number_measurement (side->checker, row, device), cost);
  side->cost += side->checker->measure (cost);
}

static gboolean
runs_as_one (const Side *side, int index)
{
  const TpChecker *checker = side->checker;
  const TpGroup *group = &checker->plan->all_groups->groups[index];
  int device = group->n_nodes == 0 ? -1 : side->devices[group->nodes[0]];

  for (int k = 1; k < group->n_nodes; k++)
    if (side->devices[group->nodes[k]] != device)
      return FALSE;
  return device >= 0
         && checker->gains[(gsize) index * checker->costs->n_devices + device]
                > 0;
}

static void
pay_kernels (Side *side)
{
  const TpChecker *checker = side->checker;
  const TpCosts *costs = checker->costs;
  g_autofree gboolean *fused = g_new0 (gboolean, costs->n_groups + 1);

  for (int g = 0; g < costs->n_groups; g++)
    {
      int first, device;

      fused[g] = runs_as_one (side, g);
      if (!fused[g])
        continue;
      first = checker->plan->all_groups->groups[g].nodes[0];
      device = side->devices[first];
      pay_kernel (side, (gint64) costs->n_nodes + g, device,
                  tp_costs_group (costs, g, device));
    }
  for (int i = 0; i < costs->n_nodes; i++)
    if (checker->group_of[i] < 0 || !fused[checker->group_of[i]])
      pay_kernel (side, i, side->devices[i],
                  tp_costs_node (costs, i, side->devices[i]));
}

/* The half of a copy that is between host memory and @device. */
static void
pay_leg (Side *side, int device, gboolean is_feed, const TpCost *cost)
{
  const TpCosts *costs = side->checker->costs;
  gint64 row = 2 * ((gint64) costs->n_nodes + costs->n_groups) + 1 + is_feed;

  if (device != costs->host && device != TP_COSTS_HOST)
    add_term (side, row * costs->n_devices + device, cost);
}

static void
pay_copy (Side *side, int tensor, int from, int to)
{
  const TpCosts *costs = side->checker->costs;
  gint64 cost = tp_checker_copy_cost (side->checker, tensor, from, to);

  if (from >= 0)
    pay_leg (side, from, FALSE, tp_costs_fetch (costs, tensor, from));
  if (to >= 0)
    pay_leg (side, to, TRUE, tp_costs_feed (costs, tensor, to));
  side->cost += cost;
  side->n_copies += cost > 0;
}

static gboolean
is_wanted (const Side *side, const TpTensor *tensor, int place)
{
  gboolean is_wanted = tensor->is_output && place == side->checker->costs->host;

  for (int k = 0; k < tensor->n_consumers && !is_wanted; k++)
    is_wanted = side->devices[tensor->consumers[k]] == place;
  return is_wanted;
}

static void
pay_copies (Side *side)
{
  const TpChecker *checker = side->checker;

  for (int i = 0; i < checker->graph->n_tensors; i++)
    {
      const TpTensor *tensor = &checker->graph->tensors[i];
      int home = tensor->producer < 0 ? checker->costs->host
                                      : side->devices[tensor->producer];

      if (tp_tensor_is_constant (tensor))
        continue;
      for (int to = TP_COSTS_HOST; to < checker->costs->n_devices; to++)
        if (to != home && is_wanted (side, tensor, to))
          pay_copy (side, i, home, to);
    }
}

static void
side_init (Side *side, TpChecker *checker, double *terms,
           gboolean is_cheapest)
{
  const TpPlan *plan = checker->plan;

  *side = (Side){ .checker = checker,
                  .devices = g_new0 (int, plan->n_placements + 1),
                  .terms = terms,
                  .sign = is_cheapest ? -1 : 1 };
  for (int i = 0; i < plan->n_placements; i++)
    side->devices[i] = is_cheapest ? plan->placements[i].cheapest
                                   : plan->placements[i].device;
  pay_kernels (side);
  pay_copies (side);
}

static double
sum_squares (const double *terms, gint64 n)
{
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += terms[i] * terms[i];
  return sum;
}

/* @side: of the plan; @cheapest: what it says is cheapest. */
static void
compare_sides (TpChecker *checker, const Side *side, const Side *cheapest)
{
  gint64 bound = checker->plan->bound_ns, excess = side->cost - bound;
  double squares
      = sum_squares (side->terms, count_measurements (checker->costs));
  double sd = sqrt (squares) / TP_COST_SPREADS;

  if (cheapest->cost != bound)
    tp_checker_fail (checker,
                     "the cheapest plan costs %" G_GINT64_FORMAT
                     ", the bound is %" G_GINT64_FORMAT,
                     cheapest->cost, bound);
  if (side->n_copies >= cheapest->n_copies)
    tp_checker_fail (checker,
                     "a tie is broken for %" G_GINT64_FORMAT
                     " copies instead of %" G_GINT64_FORMAT,
                     side->n_copies, cheapest->n_copies);
  if (excess < 0 || excess > sd * (1 + ROUNDING))
    tp_checker_fail (checker,
                     "the plan costs %" G_GINT64_FORMAT
                     " more than the cheapest, but the figures tell them "
                     "apart from %.0f on",
                     excess, sd);
}

static gboolean
check_cheapest (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;

  for (int i = 0; i < plan->n_placements; i++)
    {
      int device = plan->placements[i].cheapest;

      if (device < 0 || device >= plan->n_devices
          || !tp_checker_may_run (checker, i, device))
        return tp_checker_fail (checker,
                                "op '%s' cannot be on device %d in the "
                                "cheapest plan",
                                checker->graph->nodes[i].name, device);
    }
  return TRUE;
}

static gboolean
check_kernels (TpChecker *checker)
{
  const TpCosts *costs = checker->costs;
  gint64 n_rows = (gint64) costs->n_nodes + costs->n_groups;

  for (gint64 i = 0; i < n_rows && costs->kernels != NULL; i++)
    if (costs->kernels[i] < 0 || costs->kernels[i] > n_rows)
      return tp_checker_fail (checker, "kernels[%" G_GINT64_FORMAT "] is %d",
                              i, costs->kernels[i]);
  return TRUE;
}

static void
check_broken (TpChecker *checker)
{
  g_autofree double *terms
      = g_new0 (double, count_measurements (checker->costs));
  Side side, cheapest;

  if (!check_cheapest (checker) || !check_kernels (checker))
    return;
  side_init (&side, checker, terms, FALSE);
  side_init (&cheapest, checker, terms, TRUE);
  compare_sides (checker, &side, &cheapest);
  checker->n_copies = side.n_copies;
  g_free (side.devices);
  g_free (cheapest.devices);
}

void
tp_checker_check_tie (TpChecker *checker, gint64 cost)
{
  const TpPlan *plan = checker->plan;

  if (plan->tie_price_ns < 0)
    tp_checker_fail (checker, "the price of the tie is negative");
  else if (plan->tie_price_ns > 0)
    {
      check_broken (checker);
      return;
    }
  if (plan->bound_ns != cost)
    tp_checker_fail (checker,
                     "the parts add up to %" G_GINT64_FORMAT
                     ", the bound is %" G_GINT64_FORMAT
                     ": the plan is not proved cheapest",
                     cost, plan->bound_ns);
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].cheapest != plan->placements[i].device)
      tp_checker_fail (checker,
                       "op '%s' is elsewhere in the cheapest plan, but no "
                       "tie was broken",
                       checker->graph->nodes[i].name);
}
