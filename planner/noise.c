/* noise.c: the standard deviation of the difference between two placements.
 *
 * Only figures that one of them pays and the other does not are in it. Figures
 * of one measurement are wrong together: of a kernel that stands in many places,
 * and of all copies in one direction of a link. Their spreads add up before they
 * are squared, so what one placement pays here and the other there cancels. */
#include "config.h"

#include "planner/noise.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/copies.h"

#include <math.h>

typedef struct
{
  const TpProblem *problem;
  double *kernels;            /* [kernel * n_devices + device]: spreads, added */
  double *feeds, *fetches;    /* [device] */
  double squares;             /* of measurements that stand alone */
} Noise;

static const TpCost *
get_figure (const TpCosts *costs, int row, int device)
{
  return row < costs->n_nodes
             ? tp_costs_node (costs, row, device)
             : tp_costs_group (costs, row - costs->n_nodes, device);
}

static void
add_figure (Noise *noise, int row, int device, double sign)
{
  const TpCosts *costs = noise->problem->costs;
  int kernel = tp_costs_get_kernel (costs, row);
  double spread_ns;

  if (device < 0)
    return;
  spread_ns = get_figure (costs, row, device)->spread_ns;
  if (kernel == 0)
    noise->squares += spread_ns * spread_ns;
  else
    noise->kernels[(gsize) kernel * costs->n_devices + device]
        += sign * spread_ns;
}

/* [node, then group]: the device whose figure is paid, or -1. */
static int *
list_paid (const TpProblem *problem, const guint8 *devices)
{
  int n_nodes = problem->graph->n_nodes;
  int *paid = tp_new (int, (gsize) n_nodes + problem->costs->n_groups + 1);

  for (int i = 0; i < n_nodes; i++)
    paid[i] = devices[i];
  for (int g = 0; g < problem->costs->n_groups; g++)
    {
      const TpGroup *group = &problem->groups->groups[g];

      paid[n_nodes + g] = tp_problem_find_fused (problem, g, devices);
      for (int k = 0; k < group->n_nodes && paid[n_nodes + g] >= 0; k++)
        paid[group->nodes[k]] = -1;
    }
  return paid;
}

static void
add_figures (Noise *noise, const guint8 *devices, const guint8 *others)
{
  g_autofree int *here = list_paid (noise->problem, devices);
  g_autofree int *there = list_paid (noise->problem, others);
  int n = noise->problem->graph->n_nodes + noise->problem->costs->n_groups;

  for (int row = 0; row < n; row++)
    {
      if (here[row] == there[row])
        continue;
      add_figure (noise, row, here[row], 1);
      add_figure (noise, row, there[row], -1);
    }
}

static void
add_copies (Noise *noise, const guint8 *devices, double sign)
{
  const TpCosts *costs = noise->problem->costs;
  g_autoptr (TpArray) list = tp_copies_list (noise->problem, devices);

  for (guint i = 0; i < list->len; i++)
    {
      const TpTransfer *it = &tp_array_index (list, TpTransfer, i);

      if (it->from != costs->host && it->from != TP_COSTS_HOST)
        noise->fetches[it->from]
            += sign * tp_costs_fetch (costs, it->tensor, it->from)->spread_ns;
      if (it->to != costs->host && it->to != TP_COSTS_HOST)
        noise->feeds[it->to]
            += sign * tp_costs_feed (costs, it->tensor, it->to)->spread_ns;
    }
}

static double
sum_squares (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i] * values[i];
  return sum;
}

gboolean
tp_noise_covers (const TpProblem *problem, const guint8 *devices,
                 const guint8 *others, gint64 excess_ns)
{
  gsize n_devices = problem->n_devices;
  gsize n = ((gsize) problem->graph->n_nodes + problem->costs->n_groups + 1)
            * n_devices;
  g_autofree double *kernels = tp_new0 (double, n);
  g_autofree double *links = tp_new0 (double, 2 * n_devices);
  Noise noise = { problem, kernels, links, links + n_devices, 0 };

  add_figures (&noise, devices, others);
  add_copies (&noise, devices, 1);
  add_copies (&noise, others, -1);
  return excess_ns * TP_COST_SPREADS / tp_costs_get_tie_sds (problem->costs)
         <= sqrt (noise.squares + sum_squares (kernels, n)
                  + sum_squares (links, 2 * n_devices));
}

static double
sum_spreads (const TpCosts *costs, TpCostsGet get, int n_rows)
{
  double sum = 0;

  for (int i = 0; i < n_rows; i++)
    {
      const TpCost *row = get (costs, i, 0);

      for (int d = 0; d < costs->n_devices; d++)
        if (row[d].time_ns != TP_COST_NONE)
          sum += row[d].spread_ns;
    }
  return sum;
}

gint64
tp_noise_limit_ns (const TpProblem *problem)
{
  const TpCosts *costs = problem->costs;
  double sum = sum_spreads (costs, tp_costs_node, costs->n_nodes)
               + sum_spreads (costs, tp_costs_group, costs->n_groups)
               + sum_spreads (costs, tp_costs_feed, costs->n_tensors)
               + sum_spreads (costs, tp_costs_fetch, costs->n_tensors);

  return (gint64) MIN (sum * tp_costs_get_tie_sds (costs) / TP_COST_SPREADS,
                       TP_PROBLEM_LIMIT);
}
