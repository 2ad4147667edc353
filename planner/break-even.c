/* break-even.c: see break-even.h.
 *
 * What a plan costs is a + p b for the price p of an hour, so it is worth it up to
 * (host - a) / b, and the most of that over all plans is asked for. W. Dinkelbach, On
 * nonlinear fractional programming, 1967: with any price ask for the plan that is the
 * cheapest; up to which price that pays is the next to be asked about, until none is
 * higher. */
#include "config.h"

#include "planner/break-even.h"

#include "include/tplan.h"
#include "ir/guard.h"
#include "planner/rated.h"

#include <string.h>

typedef struct
{
  TpCosts costs;              /* those that are asked about, but for the rates */
  TpRate *rates;
  TpProblem *problem;
  guint8 *devices;            /* of the plan met last */
  int device;                 /* not the host */
  gint64 host_cost;           /* all there */
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
check_costs (const TpCosts *costs, GError **error)
{
  if (costs->n_devices == 2 && costs->host >= 0 && costs->rates != NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "up to which price a device pays is known of one beside the "
               "host, with prices: name two devices");
  return FALSE;
}

static gboolean
search_init (Search *search, const TpGraph *graph, const TpGroups *groups,
             const TpCosts *costs, GError **error)
{
  gsize n = (gsize) graph->n_nodes + 1;

  search->costs = *costs;
  search->device = 1 - costs->host;
  search->rates = tp_memdup (costs->rates, 2 * sizeof (TpRate));
  search->rates[search->device].price = 0;
  search->costs.rates = search->rates;
  search->problem
      = tp_problem_new (graph, groups, &search->costs, "price", error);
  search->devices = tp_new0 (guint8, n);
  return search->problem != NULL;
}

/* All on the host; TP_COST_NONE: it cannot. */
static gint64
find_host_cost (Search *search)
{
  int host = search->costs.host;

  if (tp_problem_single_cost (search->problem, host) == TP_COST_NONE)
    return TP_COST_NONE;
  memset (search->devices, host, search->problem->graph->n_nodes);
  return tp_rated_sum (search->problem, search->devices, TP_AIM_PRICE);
}

static gboolean
is_used (const Search *search)
{
  for (int i = 0; i < search->problem->graph->n_nodes; i++)
    if (search->devices[i] == search->device)
      return TRUE;
  return FALSE;
}

/* Up to which price the plan met last pays; it does with @price. */
static gint64
find_limit (Search *search, gint64 price)
{
  gint64 *of_device = &search->rates[search->device].price;
  gint64 fixed, rising;

  *of_device = 0;
  fixed = tp_rated_sum (search->problem, search->devices, TP_AIM_PRICE);
  *of_device = 1;
  rising = tp_rated_sum (search->problem, search->devices, TP_AIM_PRICE)
           - fixed;
  if (rising <= 0)
    return TP_RATE_MAX;
  return CLAMP ((search->host_cost - fixed - 1) / rising, price, TP_RATE_MAX);
}

static gboolean
search_all (Search *search, TpBreakEven *out, GError **error)
{
  gint64 next = 0;

  out->kind = TP_BREAK_EVEN_NEVER;
  do
    {
      g_autoptr (TpRateProof) proof = NULL;

      out->price = next;
      search->rates[search->device].price = next;
      proof = tp_rated_solve (search->problem, search->devices, error);
      if (proof == NULL)
        return FALSE;
      if (proof->cost >= search->host_cost || !is_used (search))
        return TRUE;
      next = find_limit (search, next);
      out->kind = next >= TP_RATE_MAX ? TP_BREAK_EVEN_ALWAYS
                                      : TP_BREAK_EVEN_BELOW;
    }
  while (next > out->price && next < TP_RATE_MAX);
  return TRUE;
}

gboolean
tp_break_even_find (const TpGraph *graph, const TpGroups *groups,
                    const TpCosts *costs, TpBreakEven *out, GError **error)
{
  g_auto (Search) search = { .rates = NULL };

  *out = (TpBreakEven){ .kind = TP_BREAK_EVEN_ALWAYS };
  if (!check_costs (costs, error)
      || !search_init (&search, graph, groups, costs, error)
      || !tp_rated_check (search.problem, TP_AIM_PRICE, error))
    return FALSE;
  search.host_cost = find_host_cost (&search);
  return search.host_cost == TP_COST_NONE || search_all (&search, out, error);
}
