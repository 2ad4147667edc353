/* pareto.c: see pareto.h.
 *
 * Y. P. Aneja, K. P. K. Nair, Bicriteria transportation problem, 1979: between two
 * plans, weigh both things so that the two come to the same, and ask for the least.
 * If it is less, there is a corner in between, and two smaller intervals; else there
 * is none. Weights are whole numbers, and every sum is exact: the weights of two
 * points are what they differ by, and only where these are too large for sums of all
 * costs is the best fraction taken that is not. */
#include "config.h"

#include "planner/pareto.h"

#include "include/tplan.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "ir/pointers.h"
#include "ir/pools.h"
#include "planner/place.h"
#include "planner/rated.h"

#include <stdlib.h>

#define MAX_PLANS 1000

__extension__ typedef __int128 Wide;

typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;
  TpCosts *costs;
  TpAim first, second;
  TpProblem *problem;         /* for its sum of all costs */
  gint64 most_first, most_second; /* of a nanosecond */
  TpPointers *plans;          /* TpPlan: all that were made */
  int n_proved;               /* of them */
  TpArray *open;              /* Pair */
  gboolean is_complete;
  gint64 *memory;             /* [row] (ir/pools.h): what there is */
} Search;

/* Two plans, the first of which takes less of the first thing. */
typedef struct
{
  int low, high;
} Pair;

/* What both are worth. */
typedef struct
{
  gint64 first, second;
} Worth;

static void
unref_plan (gpointer plan)
{
  tp_plan_unref (plan);
}

static void
search_clear (Search *search)
{
  g_clear_pointer (&search->problem, tp_problem_free);
  g_clear_pointer (&search->plans, tp_pointers_free);
  g_clear_pointer (&search->memory, g_free);
  g_clear_pointer (&search->open, tp_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static TpPlan *
get_plan (const Search *search, int index)
{
  return search->plans->pdata[index];
}

static gint64
get_first (const Search *search, int index)
{
  return get_plan (search, index)->rate_proof->totals[search->first];
}

static gint64
get_second (const Search *search, int index)
{
  return get_plan (search, index)->rate_proof->totals[search->second];
}

/* ---- worth ---------------------------------------------------------------- */

/* The most that a nanosecond takes of @aim, on any engine. */
static gint64
find_most (const TpCosts *costs, TpAim aim)
{
  gint64 aims[TP_N_AIMS] = { 0 }, weights[TP_RATES_MAX_ENGINES], most = 0;

  aims[aim] = 1;
  if (!tp_rates_weigh (costs, aims, ~0u, weights))
    return TP_PROBLEM_LIMIT;
  for (int e = 0; e < 3 * costs->n_devices; e++)
    most = MAX (most, weights[e]);
  return most;
}

static gboolean
fits (const Search *search, Worth worth)
{
  Wide most = (Wide) worth.first * search->most_first
              + (Wide) worth.second * search->most_second;

  return most < TP_PROBLEM_LIMIT
         && tp_rated_fits (search->problem, (gint64) most);
}

/* The best fraction that fits, of the convergents of the continued fraction; FALSE:
 * it is not @worth itself. */
static gboolean
round_worth (const Search *search, Worth *worth)
{
  gint64 rest = worth->first, divisor = worth->second;
  Worth last = { 1, 0 }, before = { 0, 1 };

  while (divisor > 0)
    {
      Wide term = rest / divisor;
      Wide first = term * last.first + before.first;
      Wide second = term * last.second + before.second;
      Worth next = { (gint64) first, (gint64) second };
      gint64 left = rest % divisor;

      if (first >= TP_PROBLEM_LIMIT || second >= TP_PROBLEM_LIMIT
          || !fits (search, next))
        break;
      before = last;
      last = next;
      rest = divisor;
      divisor = left;
    }
  *worth = last;
  return divisor == 0;
}

/* ---- plans ---------------------------------------------------------------- */

static gboolean
add_plan (Search *search, Worth worth, GError **error)
{
  gint64 aims[TP_N_AIMS] = { 0 };
  const TpPlaceOptions options = { .objective = "weighted",
                                   .aims = aims,
                                   .limits = search->memory };
  TpPlan *plan;

  aims[search->first] = worth.first;
  aims[search->second] = worth.second;
  plan = tp_place_with (search->graph, search->groups, search->costs, &options,
                        error);
  if (plan == NULL)
    return FALSE;
  search->n_proved
      += plan->rate_proof->cost == tp_rate_proof_get_bound (plan->rate_proof);
  tp_pointers_add (search->plans, plan);
  return TRUE;
}

static Wide
weigh (const Search *search, int index, Worth worth)
{
  return (Wide) worth.first * get_first (search, index)
         + (Wide) worth.second * get_second (search, index);
}

/* Whether there is a corner between @pair; adds what there is. */
static gboolean
split (Search *search, Pair pair, GError **error)
{
  Worth worth
      = { get_second (search, pair.low) - get_second (search, pair.high),
          get_first (search, pair.high) - get_first (search, pair.low) };
  int middle = (int) search->plans->len;
  gboolean is_exact;
  Wide value;

  if (worth.first <= 0 || worth.second <= 0)
    return TRUE;              /* one is no worse than the other in both */
  is_exact = round_worth (search, &worth) && middle < MAX_PLANS;
  if (middle >= MAX_PLANS || !fits (search, worth))
    {
      search->is_complete = FALSE;
      return TRUE;
    }
  if (!add_plan (search, worth, error))
    return FALSE;
  value = weigh (search, middle, worth);
  if (value < weigh (search, pair.low, worth)
      && value < weigh (search, pair.high, worth))
    {
      tp_array_append_vals (search->open, &(Pair){ middle, pair.high }, 1);
      tp_array_append_vals (search->open, &(Pair){ pair.low, middle }, 1);
    }
  else
    search->is_complete = search->is_complete && is_exact;
  return TRUE;
}

static gboolean
search_all (Search *search, GError **error)
{
  if (!add_plan (search, (Worth){ 1, 0 }, error)
      || !add_plan (search, (Worth){ 0, 1 }, error))
    return FALSE;
  tp_array_append_vals (search->open, &(Pair){ 0, 1 }, 1);
  while (search->open->len > 0)
    {
      Pair pair = tp_array_index (search->open, Pair, search->open->len - 1);

      tp_array_set_size (search->open, search->open->len - 1);
      if (!split (search, pair, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- corners -------------------------------------------------------------- */

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const Search *search = data;
  const int *i = a, *k = b;
  gint64 x = get_first (search, *i) - get_first (search, *k);
  gint64 y = get_second (search, *i) - get_second (search, *k);

  if (x != 0)
    return x < 0 ? -1 : 1;
  return y != 0 ? (y < 0 ? -1 : 1) : *i - *k;
}

/* Whether @middle is below the line between the two others. */
static gboolean
is_corner (const Search *search, int low, int middle, int high)
{
  Wide x = get_first (search, middle) - get_first (search, low);
  Wide y = get_second (search, middle) - get_second (search, low);
  Wide far_x = get_first (search, high) - get_first (search, low);
  Wide far_y = get_second (search, high) - get_second (search, low);

  return x * far_y - y * far_x > 0;
}

static TpPareto *
finish (const Search *search)
{
  int n = (int) search->plans->len, n_kept = 0;
  g_autofree int *order = tp_new (int, (gsize) n + 1);
  g_autofree int *kept = tp_new (int, (gsize) n + 1);
  g_autoptr (TpPareto) out = g_new0 (TpPareto, 1);

  for (int i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, n, sizeof *order, compare, (gpointer) search);
  for (int i = 0; i < n; i++)
    {
      if (n_kept > 0
          && get_second (search, order[i])
                 >= get_second (search, kept[n_kept - 1]))
        continue;
      while (n_kept > 1
             && !is_corner (search, kept[n_kept - 2], kept[n_kept - 1],
                            order[i]))
        n_kept--;
      kept[n_kept++] = order[i];
    }
  out->first = search->first;
  out->second = search->second;
  out->n_plans = n;
  out->n_proved = search->n_proved;
  out->is_complete = search->is_complete && search->n_proved == n;
  out->plans = tp_new0 (TpPlan *, (gsize) n_kept + 1);
  for (int i = 0; i < n_kept; i++)
    out->plans[out->n_points++] = tp_plan_ref (get_plan (search, kept[i]));
  return g_steal_pointer (&out);
}

TpPareto *
tp_pareto_find (const TpGraph *graph, const TpGroups *groups, TpCosts *costs,
                const TpAim *aims, GError **error)
{
  g_auto (Search) search = { .graph = graph, .groups = groups, .costs = costs,
                             .first = aims[0], .second = aims[1],
                             .is_complete = TRUE };

  search.plans = tp_pointers_new (unref_plan);
  search.open = tp_array_new (sizeof (Pair));
  search.problem = tp_problem_new (graph, groups, costs, "weighted", error);
  if (search.problem == NULL
      || !tp_rated_check (search.problem, aims[0], error)
      || !tp_rated_check (search.problem, aims[1], error))
    return NULL;
  search.memory = tp_pools_list_memory (costs);
  search.most_first = find_most (costs, aims[0]);
  search.most_second = find_most (costs, aims[1]);
  return search_all (&search, error) ? finish (&search) : NULL;
}
