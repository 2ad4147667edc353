/* rated-room.c: see rated-room.h.
 *
 * Placements are divided by what is rented (rated-several.c), here into as many parts as
 * there are sets of devices that can be: so the rent is known in each, times are weighted
 * by it, and what fits is looked for, and bounded, as that of a plan for time (share.c).
 * Where times on a device count nothing they are raised a little (rated-model.c), and what
 * is proved then is less by no more than that. */
#include "config.h"

#include "planner/rated-room.h"

#include "ir/guard.h"
#include "planner/share-tree.h"
#include "planner/share.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CLAIM (G_GINT64_CONSTANT (1) << 61)

__extension__ typedef __int128 Wide;

typedef struct
{
  const TpProblem *problem;
  guint rentable;
  TpRateProof *proof;         /* its cost is that of the best */
  guint8 *devices;            /* caller's: the best */
  guint8 *tried;
  gint64 all_times;           /* what none takes more than */
  gint64 least;               /* what none of the parts so far is proved to go below */
  gboolean is_open;           /* nothing is proved of some */
} Search;

/* ---- what is proved -------------------------------------------------------- */

/* All times that ops take anywhere, and all copies to and from host memory. */
static gint64
sum_times (const TpProblem *problem)
{
  const TpGraph *graph = problem->graph;
  gint64 sum = 0;

  for (int d = 0; d < problem->n_devices; d++)
    {
      for (int i = 0; i < graph->n_nodes; i++)
        {
          gint64 cost = tp_problem_node_cost (problem, i, d);

          sum += cost == TP_COST_NONE ? 0 : cost;
        }
      for (int i = 0; i < graph->n_tensors; i++)
        if (!tp_tensor_is_resident (&graph->tensors[i]))
          sum += tp_problem_edge_cost (problem, i, TP_COSTS_HOST, d)
                 + tp_problem_edge_cost (problem, i, d, TP_COSTS_HOST);
    }
  return sum;
}

/* That none of a part is below @least, of times as they count there, proves that much. */
static gint64
prove (const Search *search, const TpRateEnd *end, gint64 least)
{
  Wide proved = least;

  if (end->times > 0)
    proved = MAX (proved - search->all_times + end->times - 1, 0) / end->times;
  return (gint64) MIN (proved * end->divisor, TP_COST_NONE);
}

/* The least that proves @bound. */
static gint64
find_claim (const Search *search, const TpRateEnd *end, gint64 bound)
{
  Wide claim = (bound + (Wide) end->divisor - 1) / end->divisor;

  if (end->times > 0 && claim > 0)
    claim = (claim - 1) * end->times + search->all_times + 1;
  return (gint64) MIN (claim, MAX_CLAIM);
}

/* No more than @bound wants is claimed: it is easier to check. */
static void
lower_claim (const Search *search, TpRateEnd *end, gint64 bound)
{
  gint64 claim = find_claim (search, end, bound);

  if (end->tree != NULL)
    end->tree->bound_ns = MIN (end->tree->bound_ns, claim);
  else if (end->shares->room != NULL)
    end->shares->room_ns = MIN (end->shares->room_ns, claim);
}

/* Takes @end, and of @plan the proof that proves most. */
static void
add_end (Search *search, TpRateEnd *end, TpPlan *plan)
{
  gint64 least = plan->bound_ns;

  tp_pointers_add (search->proof->fitting, end);
  end->tree = g_steal_pointer (&plan->memory_proof);
  if (end->tree == NULL)
    end->shares = g_steal_pointer (&plan->share_proof);
  if (end->tree != NULL)
    least = end->tree->bound_ns;
  else if (end->shares->room != NULL)
    {
      least = end->shares->room_ns;
      tp_pointers_cut (end->shares->bounds, 0);
      tp_array_set_size (end->shares->entries, 0);
    }
  search->least = MIN (search->least, prove (search, end, least));
}

/* What none of a part takes less than, whether it fits or not; the proof into @plan, if there
 * is any. */
static gint64
bound_all (Search *search, const TpRated *rated, const TpRateEnd *end,
           TpPlan *plan)
{
  g_autoptr (TpShareModel) model = tp_share_model_new (rated->weighed, NULL);
  gint64 cost;

  if (model == NULL)
    return 0;
  plan->share_proof
      = tp_share_tree_climb (model, search->tried, &cost, &plan->bound_ns);
  return prove (search, end, plan->bound_ns);
}

/* Whether what fits need not be looked for: none is less than the best. */
static gboolean
is_dear (Search *search, const TpRated *rated, const TpRateEnd *end,
         TpPlan *plan)
{
  if (search->proof->cost == TP_COST_NONE)
    return FALSE;
  if (bound_all (search, rated, end, plan) >= search->proof->cost
      && plan->share_proof != NULL)
    return TRUE;
  g_clear_pointer (&plan->share_proof, tp_share_proof_free);
  return FALSE;
}

/* ---- parts ------------------------------------------------------------------- */

/* Placements that rent @used, as far as they have ops there, and no others. */
typedef struct
{
  guint used;
  gint64 bound;               /* what none takes less than, roughly */
} Part;

/* The times of a part. FALSE: there are no such placements, or too much for numbers:
 * then there are no times either. */
static gboolean
begin (const Search *search, guint used, TpRated *rated, TpRateEnd *end)
{
  end->rented = used;
  end->without = search->rentable & ~used;
  if (!tp_rated_init_below (rated, search->problem, search->problem->aims, used,
                            TP_SHARE_LIMIT))
    return FALSE;
  end->divisor = rated->divisor;
  return tp_problem_bar (rated->weighed, end->without);
}

/* The cheapest that fits; takes @end. Where none is found *error says so. */
static void
find_within (Search *search, const TpRated *rated, TpRateEnd *end,
             GError **error)
{
  g_autoptr (TpRateEnd) owned = end;
  g_autoptr (TpPlan) plan = tp_plan_new ();
  gsize n = (gsize) search->problem->graph->n_nodes;
  g_autofree guint8 *cheapest = tp_new0 (guint8, n + 1);

  memset (search->tried, 0, n);
  if (tp_solver_share.solve (rated->weighed, plan, search->tried, cheapest,
                             error))
    tp_rated_offer (search->problem, search->tried, search->devices,
                    search->proof, error);
  if (plan->share_proof == NULL && plan->memory_proof == NULL)
    search->is_open = TRUE;
  else
    add_end (search, g_steal_pointer (&owned), plan);
}

static void
look (Search *search, guint used, GError **error)
{
  g_auto (TpRated) rated = { .weighed = NULL };
  g_autoptr (TpRateEnd) end = tp_rate_end_new (used, 0);
  g_autoptr (TpPlan) plan = tp_plan_new ();

  if (!begin (search, used, &rated, end))
    {
      search->is_open |= rated.weighed == NULL;
      if (rated.weighed == NULL)
        tp_rated_fail_limit (error);
      return;
    }
  if (is_dear (search, &rated, end, plan))
    {
      add_end (search, g_steal_pointer (&end), plan);
      return;
    }
  tp_rated_raise (&rated, search->problem, TP_SHARE_LIMIT);
  tp_problem_bar (rated.weighed, end->without);
  end->times = rated.times;
  find_within (search, &rated, g_steal_pointer (&end), error);
}

/* All that can be rented comes first, of those that are as cheap. */
static int
compare_parts (const void *a, const void *b)
{
  const Part *one = a, *other = b;

  if (one->bound != other->bound)
    return one->bound < other->bound ? -1 : 1;
  return one->used > other->used ? -1 : one->used < other->used;
}

/* Those that could be the cheapest come first, so that others are too dear. */
static int
list_parts (Search *search, Part *parts)
{
  guint used = search->rentable;
  int n = 0;

  do
    {
      g_auto (TpRated) rated = { .weighed = NULL };
      g_autoptr (TpRateEnd) end = tp_rate_end_new (used, 0);
      g_autoptr (TpPlan) plan = tp_plan_new ();
      Part part = { used, 0 };

      if (search->rentable != 0 && begin (search, used, &rated, end))
        part.bound = bound_all (search, &rated, end, plan);
      parts[n++] = part;
      used = (used - 1) & search->rentable;
    }
  while (used != search->rentable);
  qsort (parts, (gsize) n, sizeof *parts, compare_parts);
  return n;
}

/* ---- all ------------------------------------------------------------------- */

/* What is no less than what is known of all. */
static void
keep_bound (Search *search)
{
  TpRateProof *proof = search->proof;
  gint64 bound = MIN (search->least, proof->cost);

  if (search->is_open || bound < proof->bound)
    {
      tp_pointers_cut (proof->fitting, 0);
      return;
    }
  for (guint i = 0; i < proof->fitting->len; i++)
    lower_claim (search, proof->fitting->pdata[i], bound);
  proof->room = tp_room_proof_new (0);
  proof->room->bound_ns = bound;
}

gboolean
tp_rated_room_search (const TpProblem *problem, guint rentable,
                      guint8 *devices, TpRateProof *proof, GError **error)
{
  g_autofree guint8 *tried
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  Search search = { problem, rentable, proof, devices, tried,
                    sum_times (problem), TP_COST_NONE, FALSE };
  g_autoptr (GError) failure = NULL;
  Part parts[1 << TP_SHARE_MAX_DEVICES];
  int n;

  proof->cost = TP_COST_NONE;
  n = list_parts (&search, parts);
  for (int i = 0; i < n; i++)
    look (&search, parts[i].used, parts[i].used == rentable ? &failure : NULL);
  if (proof->cost == TP_COST_NONE)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  keep_bound (&search);
  return TRUE;
}
