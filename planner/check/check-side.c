/* check-side.c: see check-side.h. */
#include "config.h"

#include "planner/check/check-side.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"

#include <math.h>

static gint64
count_rows (const TpCosts *costs)
{
  return (gint64) costs->n_nodes + costs->n_groups;
}

/* Kernels are numbered from 1. */
static gint64
count_kernels (const TpCosts *costs)
{
  return costs->kernels == NULL ? 0 : count_rows (costs) + 1;
}

/* Rows, then kernels, then the two directions of a link; each on each
 * device. */
static gint64
number_measurement (const TpChecker *checker, gint64 row, int device)
{
  const TpCosts *costs = checker->costs;
  gint64 n_rows = count_rows (costs);

  if (row < n_rows && costs->kernels != NULL && costs->kernels[row] > 0)
    row = n_rows + costs->kernels[row];
  return row * costs->n_devices + device;
}

static gint64
count_measurements (const TpCosts *costs)
{
  return (count_rows (costs) + count_kernels (costs) + 2) * costs->n_devices;
}

/* Where figures have no spread, there is nothing to allocate either. */
static void
add_term (TpCheckerSide *side, gint64 measurement, const TpCost *cost)
{
  if (cost->spread_ns == 0)
    return;
  if (side->terms == NULL)
    side->terms = tp_new0 (double, count_measurements (side->checker->costs));
  side->terms[measurement] += cost->spread_ns;
}

gboolean
tp_checker_check_kernels (TpChecker *checker)
{
  const TpCosts *costs = checker->costs;
  gint64 n_rows = count_rows (costs);

  for (gint64 i = 0; i < n_rows && costs->kernels != NULL; i++)
    if (costs->kernels[i] < 0 || costs->kernels[i] > n_rows)
      return tp_checker_fail (checker, "kernels[%" G_GINT64_FORMAT "] is %d",
                              i, costs->kernels[i]);
  return TRUE;
}

static void
pay_kernel (TpCheckerSide *side, gint64 row, int device, const TpCost *cost)
{
  add_term (side, number_measurement (side->checker, row, device), cost);
  side->cost += side->checker->measure (cost);
  side->kernels[device] += side->checker->measure (cost);
}

static gboolean
runs_as_one (const TpCheckerSide *side, int index)
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
pay_kernels (TpCheckerSide *side)
{
  const TpChecker *checker = side->checker;
  const TpCosts *costs = checker->costs;
  g_autofree gboolean *fused = tp_new0 (gboolean, costs->n_groups + 1);

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
pay_leg (TpCheckerSide *side, int device, gboolean is_feed, const TpCost *cost)
{
  const TpCosts *costs = side->checker->costs;
  gint64 row = count_rows (costs) + count_kernels (costs) + is_feed;

  if (device != costs->host && device != TP_COSTS_HOST)
    add_term (side, row * costs->n_devices + device, cost);
}

static void
pay_copy (TpCheckerSide *side, int tensor, int from, int to)
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
is_wanted (const TpCheckerSide *side, const TpTensorOutline *tensor, int place)
{
  gboolean is_wanted = tensor->is_output && place == side->checker->costs->host;

  for (int k = 0; k < tensor->n_readers && !is_wanted; k++)
    is_wanted = side->devices[tensor->readers[k]] == place;
  return is_wanted;
}

static void
pay_copies (TpCheckerSide *side)
{
  const TpChecker *checker = side->checker;

  for (int i = 0; i < checker->graph->n_tensors; i++)
    {
      const TpTensorOutline *tensor = &checker->tensors[i];
      int home = tensor->producer < 0 ? checker->costs->host
                                      : side->devices[tensor->producer];

      if (tensor->is_resident)
        continue;
      for (int to = TP_COSTS_HOST; to < checker->costs->n_devices; to++)
        if (to != home && is_wanted (side, tensor, to))
          pay_copy (side, i, home, to);
    }
}

void
tp_checker_side_init (TpCheckerSide *side, TpChecker *checker,
                      const int *devices)
{
  *side = (TpCheckerSide){ .checker = checker, .devices = devices };
  side->kernels = g_new0 (gint64, checker->costs->n_devices + 1);
  pay_kernels (side);
  pay_copies (side);
}

void
tp_checker_side_clear (TpCheckerSide *side)
{
  g_clear_pointer (&side->kernels, g_free);
  g_clear_pointer (&side->terms, g_free);
}

static double
get_term (const TpCheckerSide *side, gint64 measurement)
{
  return side == NULL || side->terms == NULL ? 0 : side->terms[measurement];
}

double
tp_checker_side_sd (const TpCheckerSide *side, const TpCheckerSide *other)
{
  gint64 n = count_measurements (side->checker->costs);
  double squares = 0;

  if (side->terms == NULL && (other == NULL || other->terms == NULL))
    return 0;
  for (gint64 i = 0; i < n; i++)
    {
      double spread = get_term (side, i) - get_term (other, i);

      squares += spread * spread;
    }
  return sqrt (squares) / TP_COST_SPREADS;
}
