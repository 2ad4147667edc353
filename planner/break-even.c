/* break-even.c: see break-even.h.
 *
 * What a plan costs is a + p b for the price p of an hour of the device, so it costs less
 * than the cheapest without the device up to a price, and the most of that over all plans
 * is asked for. W. Dinkelbach, On nonlinear fractional programming, 1967: with any price
 * ask for the plan that is the cheapest; up to which price that pays tells what to ask
 * next, the least price at which it does not, until no plan does. */
#include "config.h"

#include "planner/break-even.h"

#include "include/tplan.h"
#include "ir/guard.h"
#include "planner/limit-layout.h"
#include "planner/rated-model.h"
#include "planner/solver.h"

#include <string.h>

typedef struct
{
  const TpBreakEvenTask *task;
  int device;
  TpCosts costs;              /* those of the task, but for the rates */
  TpRate *rates;
  TpProblem *problem;
  guint8 *devices;            /* of the plan met last */
  gint64 cost, bound;         /* of that, and what none costs less than */
  gint64 without;             /* what the cheapest costs that does not use the device */
} Search;

static void
search_clear (Search *search)
{
  g_clear_pointer (&search->rates, g_free);
  g_clear_pointer (&search->problem, tp_problem_free);
  g_clear_pointer (&search->devices, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static gboolean
search_init (Search *search, GError **error)
{
  const TpBreakEvenTask *task = search->task;

  search->costs = *task->costs;
  search->problem = tp_problem_new (task->graph, task->groups, &search->costs,
                                    "price", error);
  if (search->problem == NULL
      || !tp_rated_check (search->problem, TP_AIM_PRICE, error))
    return FALSE;
  search->rates = tp_memdup (task->costs->rates, (gsize) task->costs->n_devices
                                                     * sizeof (TpRate));
  search->rates[search->device].price = 0;
  search->costs.rates = search->rates;
  search->devices = tp_new0 (guint8, (gsize) task->graph->n_nodes + 1);
  return TRUE;
}

/* ---- the cheapest --------------------------------------------------------- */

static gboolean
place (Search *search, const TpProblem *problem, GError **error)
{
  const TpSolver *solver = tp_solver_find (problem, error);
  gsize n = (gsize) problem->graph->n_nodes + 1;
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *cheapest = tp_new0 (guint8, n);

  memset (search->devices, 0, n);
  if (solver == NULL
      || !solver->solve (problem, plan, search->devices, cheapest, error))
    return FALSE;
  search->cost = plan->rate_proof->cost;
  search->bound = tp_rate_proof_get_bound (plan->rate_proof);
  return TRUE;
}

static gboolean
fits (const Search *search, const TpProblem *problem)
{
  g_auto (TpLimitLayout) layout = { 0 };

  tp_limit_layout_init (&layout, problem);
  return tp_limit_layout_get_over (&layout, (const gint8 *) search->devices)
         == 0;
}

/* With @price for the device, within limits where they bind. */
static gboolean
find_cheapest (Search *search, TpProblem *problem, gint64 price,
               GError **error)
{
  search->rates[search->device].price = price;
  problem->limits = NULL;
  if (!place (search, problem, error))
    return FALSE;
  problem->limits = search->task->limits;
  return problem->limits == NULL || fits (search, problem)
         || place (search, problem, error);
}

/* All others; TP_COST_NONE: they cannot, or not within limits. */
static gboolean
find_without (Search *search, TpBreakEven *out, GError **error)
{
  const TpBreakEvenTask *task = search->task;
  g_autoptr (TpProblem) problem = tp_problem_new (
      task->graph, task->groups, &search->costs, "price", error);
  g_autoptr (GError) failure = NULL;

  search->without = TP_COST_NONE;
  if (problem == NULL)
    return FALSE;
  out->is_proved = TRUE;
  if (!tp_problem_bar (problem, 1u << search->device))
    return TRUE;
  if (find_cheapest (search, problem, 0, &failure))
    {
      search->without = search->cost;
      out->is_proved = search->cost == search->bound;
      return TRUE;
    }
  out->is_proved = FALSE;     /* where nothing is found something may fit */
  if (g_error_matches (failure, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* ---- prices --------------------------------------------------------------- */

static gboolean
is_used (const Search *search)
{
  return (tp_rated_list_used (search->problem, search->devices)
          >> search->device & 1) != 0;
}

/* Up to which price the plan met last pays; it does with the one that there is. */
static gint64
find_limit (Search *search)
{
  gint64 *of_device = &search->rates[search->device].price;
  gint64 price = *of_device, fixed, rising;

  *of_device = 0;
  fixed = tp_rated_sum (search->problem, search->devices, TP_AIM_PRICE);
  *of_device = 1;
  rising = tp_rated_sum (search->problem, search->devices, TP_AIM_PRICE)
           - fixed;
  if (rising <= 0)
    return TP_RATE_MAX;
  return CLAMP ((search->without - fixed - 1) / rising, price, TP_RATE_MAX);
}

/* A plan that is cheaper without the device than the cheapest that was found so is none
 * with it: then nothing is proved. */
static gboolean
search_all (Search *search, TpBreakEven *out, GError **error)
{
  gint64 next = 0;

  out->kind = TP_BREAK_EVEN_NEVER;
  while (next < TP_RATE_MAX)
    {
      if (!find_cheapest (search, search->problem, next, error))
        return FALSE;
      if (search->cost >= search->without || !is_used (search))
        {
          out->is_proved &= search->bound >= search->without;
          return TRUE;
        }
      out->price = find_limit (search);
      out->kind = TP_BREAK_EVEN_BELOW;
      next = out->price + 1;
    }
  out->kind = TP_BREAK_EVEN_ALWAYS;
  return TRUE;
}

gboolean
tp_break_even_find (const TpBreakEvenTask *task, int device, TpBreakEven *out,
                    GError **error)
{
  g_auto (Search) search = { .task = task, .device = device };

  *out = (TpBreakEven){ .device = device, .kind = TP_BREAK_EVEN_ALWAYS };
  return search_init (&search, error) && find_without (&search, out, error)
         && (search.without == TP_COST_NONE
             || search_all (&search, out, error));
}
