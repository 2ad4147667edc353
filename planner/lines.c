/* lines.c: see lines.h.
 *
 * Costs are integers: for x = p / q what does not change is taken q times, what does p
 * times. */
#include "config.h"

#include "planner/lines.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/plan.h"
#include "planner/copies.h"
#include "planner/rated.h"
#include "planner/solver.h"

#include <string.h>

#define MAX_TERM (1 << 20)    /* of p and q, of times */

__extension__ typedef __int128 Wide;

/* Costs for one x. Times that change are its own, all else is borrowed. */
typedef struct
{
  TpCosts costs;
  TpCosts *own;               /* (nullable) */
  TpRate *rates;              /* (nullable) */
  TpProblem *problem;
} At;

static void
at_clear (At *at)
{
  g_clear_pointer (&at->problem, tp_problem_free);
  g_clear_pointer (&at->own, tp_costs_unref);
  g_clear_pointer (&at->rates, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (At, at_clear)

void
tp_lines_clear (TpLines *lines)
{
  g_clear_pointer (&lines->fixed, tp_costs_unref);
  g_clear_pointer (&lines->scaled, tp_costs_unref);
  g_clear_pointer (&lines->fixed_rates, g_free);
  g_clear_pointer (&lines->scaled_rates, g_free);
}

static TpCosts *
new_times (const TpLines *lines, const TpCosts *as)
{
  TpCosts *costs = tp_costs_new (as->n_devices,
                                 (const char *const *) as->devices,
                                 lines->graph, lines->groups);

  costs->host = as->host;
  costs->is_simulated = as->is_simulated;
  return costs;
}

void
tp_lines_init_times (TpLines *lines, const TpCosts *costs)
{
  gsize n = (gsize) costs->n_nodes * costs->n_devices;

  lines->fixed = new_times (lines, costs);
  lines->scaled = new_times (lines, costs);
  for (gsize i = 0; i < n; i++)
    {
      if (costs->nodes[i].time_ns != TP_COST_NONE)
        lines->fixed->nodes[i].time_ns = 0;
      lines->fixed->nodes[i].reason = costs->nodes[i].reason;
      lines->scaled->nodes[i].time_ns = 0;
    }
}

/* ---- costs for one x ------------------------------------------------------ */

/* Beyond what adds up, which the planner then says. */
static gint64
blend (gint64 fixed, gint64 scaled, TpRatio x)
{
  Wide sum = (Wide) fixed * x.q + (Wide) scaled * x.p;

  return fixed == TP_COST_NONE ? TP_COST_NONE
                               : (gint64) MIN (sum, (Wide) TP_PROBLEM_LIMIT);
}

/* Figures of copies have a row for each tensor here. */
static void
blend_table (const TpCost *fixed, const TpCost *scaled, TpRatio x, TpCost *out,
             gsize n)
{
  for (gsize i = 0; i < n; i++)
    out[i] = (TpCost){ .time_ns
                       = blend (fixed[i].time_ns, scaled[i].time_ns, x),
                       .reason = fixed[i].reason };
}

static void
blend_times (const TpLines *lines, TpRatio x, At *at)
{
  const TpCosts *fixed = lines->fixed, *scaled = lines->scaled;
  gsize n_devices = fixed->n_devices;

  at->own = new_times (lines, fixed);
  blend_table (fixed->nodes, scaled->nodes, x, at->own->nodes,
               fixed->n_nodes * n_devices);
  blend_table (fixed->groups, scaled->groups, x, at->own->groups,
               fixed->n_groups * n_devices);
  blend_table (fixed->feeds, scaled->feeds, x, at->own->feeds,
               fixed->n_tensors * n_devices);
  blend_table (fixed->fetches, scaled->fetches, x, at->own->fetches,
               fixed->n_tensors * n_devices);
  at->costs = *at->own;
}

static gint64
blend_rate (gint64 fixed, gint64 scaled, TpRatio x)
{
  return fixed == TP_RATE_NONE ? TP_RATE_NONE : blend (fixed, scaled, x);
}

static void
blend_rates (const TpLines *lines, TpRatio x, At *at)
{
  int n = lines->times->n_devices;

  at->costs = *lines->times;
  if (at->rates == NULL)
    at->rates = tp_new0 (TpRate, (gsize) n + 1);
  at->costs.rates = at->rates;
  for (int d = 0; d < n; d++)
    {
      const TpRate *fixed = &lines->fixed_rates[d];
      const TpRate *scaled = &lines->scaled_rates[d];

      at->rates[d] = (TpRate){
        .busy_mw = blend_rate (fixed->busy_mw, scaled->busy_mw, x),
        .idle_mw = blend (fixed->idle_mw, scaled->idle_mw, x),
        .copy_mw = blend (fixed->copy_mw, scaled->copy_mw, x),
        .price = blend_rate (fixed->price, scaled->price, x),
        .is_per_use = fixed->is_per_use,
      };
    }
}

static gboolean
at_init (At *at, const TpLines *lines, TpRatio x, GError **error)
{
  if (lines->fixed != NULL)
    blend_times (lines, x, at);
  else
    blend_rates (lines, x, at);
  at->problem = tp_problem_new (lines->graph, lines->groups, &at->costs,
                                lines->objective, error);
  return at->problem != NULL;
}

/* A run costs as much as it takes, if all of it is rented and drawn all the time. */
static gboolean
fits_rates (const TpLines *lines, TpRatio x)
{
  g_auto (At) at = { .rates = NULL };
  const TpObjective *objective = tp_objective_find (lines->objective);
  gint64 weights[TP_RATES_MAX_ENGINES];

  blend_rates (lines, x, &at);
  if (!tp_rates_weigh (&at.costs, objective->aims, ~0u, weights))
    return FALSE;
  for (int e = 0; e < 3 * at.costs.n_devices; e++)
    if (weights[e] >= TP_PROBLEM_LIMIT / (lines->sum + 1))
      return FALSE;
  return TRUE;
}

gboolean
tp_lines_fits (const TpLines *lines, TpRatio x)
{
  return lines->fixed != NULL ? x.p <= MAX_TERM && x.q <= MAX_TERM
                              : fits_rates (lines, x);
}

/* ---- what a placement costs ----------------------------------------------- */

/* By one of the two tables, with the groups that are in effect for x. */
static gint64
sum_times (const At *at, const TpArray *copies, const TpCosts *costs,
           const guint8 *devices)
{
  gint64 sum = 0;

  for (int i = 0; i < costs->n_nodes; i++)
    sum += tp_costs_node (costs, i, devices[i])->time_ns;
  for (guint i = 0; i < copies->len; i++)
    {
      const TpTransfer *it = &tp_array_index (copies, TpTransfer, i);

      sum += tp_costs_copy (costs, it->tensor, it->from, it->to).time_ns;
    }
  for (int i = 0; i < costs->n_groups; i++)
    {
      const TpGroup *group = &at->problem->groups->groups[i];
      int device = tp_problem_find_fused (at->problem, i, devices);

      if (device < 0)
        continue;
      sum += tp_costs_group (costs, i, device)->time_ns;
      for (int k = 0; k < group->n_nodes; k++)
        sum -= tp_costs_node (costs, group->nodes[k], device)->time_ns;
    }
  return sum;
}

/* As if the rate were 1 and nothing else cost anything, or the other way round. */
static gint64
sum_rates (const TpLines *lines, TpRatio x, At *at, const guint8 *devices)
{
  const TpObjective *objective = tp_objective_find (lines->objective);

  blend_rates (lines, x, at);
  return tp_rated_sum (at->problem, devices,
                       objective->aims[TP_AIM_ENERGY] > 0 ? TP_AIM_ENERGY
                                                          : TP_AIM_PRICE);
}

static void
fill_piece (const TpLines *lines, At *at, const guint8 *devices, TpPiece *out)
{
  g_autoptr (TpArray) copies = tp_copies_list (at->problem, devices);

  out->n_copies = (int) copies->len;
  if (lines->fixed == NULL)
    {
      out->fixed = sum_rates (lines, (TpRatio){ 0, 1 }, at, devices);
      out->scaled = sum_rates (lines, (TpRatio){ 1, 0 }, at, devices);
      return;
    }
  out->fixed = sum_times (at, copies, lines->fixed, devices);
  out->scaled = sum_times (at, copies, lines->scaled, devices);
}

/* Of rates on two devices, that takes no other plan beside it. */
static gboolean
solve (const TpProblem *problem, TpPlan *plan, guint8 *devices, GError **error)
{
  g_autofree guint8 *cheapest
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  const TpSolver *solver = tp_solver_find (problem, error);

  if (solver == NULL)
    return FALSE;
  if (solver != &tp_solver_rated)
    return solver->solve (problem, plan, devices, cheapest, error);
  plan->rate_proof = tp_rated_solve (problem, devices, error);
  return plan->rate_proof != NULL;
}

gboolean
tp_lines_place (const TpLines *lines, TpRatio x, TpPiece *out,
                gboolean *out_is_proved, GError **error)
{
  g_auto (At) at = { .own = NULL };
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *devices
      = tp_new0 (guint8, (gsize) lines->graph->n_nodes + 1);
  gint64 bound;

  if (!at_init (&at, lines, x, error)
      || !solve (at.problem, plan, devices, error))
    return FALSE;
  bound = plan->rate_proof == NULL
              ? plan->bound_ns
              : tp_rate_proof_get_bound (plan->rate_proof);
  *out = (TpPiece){ .from = 0 };
  if (plan->rate_proof != NULL)
    out->time_ns = plan->rate_proof->totals[TP_AIM_TIME];
  fill_piece (lines, &at, devices, out);
  *out_is_proved = bound == out->fixed * x.q + out->scaled * x.p;
  out->devices = g_steal_pointer (&devices);
  return TRUE;
}
