/* rated-several.c: see rated-several.h.
 *
 * As on two devices (rated.c), what is asked for is a sum of times that are weighted but
 * for the rent, which depends on which devices have ops at all. So placements are divided
 * by that: one device after the other has an op, and is rented, or has none. Where some
 * are still open the rent is counted of those that have one for sure, which is no more
 * than what is paid; and what no placement is below then (share-tree.c) need not be
 * divided further if something was found that takes no more. */
#include "config.h"

#include "planner/rated-several.h"

#include "ir/guard.h"
#include "planner/limit-layout.h"
#include "planner/rated-room.h"
#include "planner/share-move.h"
#include "planner/share-tree.h"
#include "planner/share.h"

#include <string.h>

typedef struct
{
  const TpProblem *problem;
  TpRateProof *proof;         /* being made; its cost is that of the best */
  guint8 *devices;            /* caller's: the best */
  guint8 *tried;
  guint rentable;             /* devices: what they cost depends on whether they have
                               * ops */
} Search;

/* The host is rented anyway. */
static guint
list_rentable (const TpProblem *problem)
{
  const TpCosts *costs = problem->costs;
  guint set = 0;

  for (int d = 0; d < problem->n_devices; d++)
    if (problem->aims[TP_AIM_PRICE] > 0 && d != costs->host
        && !costs->rates[d].is_per_use && costs->rates[d].price > 0)
      set |= 1u << d;
  return set;
}

/* What was tried, if that takes less than the best. FALSE: more than can be counted. */
static gboolean
offer (Search *search, GError **error)
{
  return tp_rated_offer (search->problem, search->tried, search->devices,
                         search->proof, error);
}

/* ---- the tree -------------------------------------------------------------- */

/* An end, or what is divided. */
typedef struct
{
  guint rented, without;
} Part;

/* What of it is still open that was made use of; 0: nothing. */
static guint
find_open (const Search *search, Part part)
{
  guint open = search->rentable & ~part.rented & ~part.without;

  return open & tp_rated_list_used (search->problem, search->tried);
}

static void
add_end (Search *search, Part part, gint64 divisor, TpShareProof *shares)
{
  TpRateEnd *end = tp_rate_end_new (part.rented, part.without);

  tp_pointers_add (search->proof->ends, end);
  end->divisor = divisor;
  end->shares = shares;
}

/* FALSE: what none is below is no less than the best, or nothing is left to divide: an
 * end was added, or, with *error set, nothing could be done. */
static gboolean
look (Search *search, Part part, GError **error)
{
  g_auto (TpRated) rated = { .weighed = NULL };
  g_autoptr (TpShareModel) model = NULL;
  g_autoptr (TpShareProof) shares = NULL;
  gint64 cost, bound;

  if (!tp_rated_init_below (&rated, search->problem, search->problem->aims,
                            part.rented, TP_SHARE_LIMIT))
    return tp_rated_fail_limit (error);
  if (!tp_problem_bar (rated.weighed, part.without))
    return FALSE;             /* there is no such placement */
  model = tp_share_model_new (rated.weighed, error);
  if (model == NULL)
    return FALSE;
  shares = tp_share_tree_climb (model, search->tried, &cost, &bound);
  if (!offer (search, error))
    return FALSE;
  if (bound < search->proof->cost / rated.divisor)
    {
      if (find_open (search, part) != 0)
        return TRUE;
      g_clear_pointer (&shares, tp_share_proof_free);
      shares = tp_share_tree_search (model, search->tried, &cost, &bound);
    }
  search->proof->bound = MIN (search->proof->bound, bound * rated.divisor);
  add_end (search, part, rated.divisor, g_steal_pointer (&shares));
  offer (search, error);
  return FALSE;
}

/* At most 2^6 parts, and as deep as there are devices. FALSE: *error is set. */
static gboolean
divide (Search *search, Part part, GError **error)
{
  guint open, device;

  if (!look (search, part, error))
    return *error == NULL;
  open = find_open (search, part);
  device = open & -open;
  return divide (search, (Part){ part.rented | device, part.without }, error)
         && divide (search, (Part){ part.rented, part.without | device },
                    error);
}

/* All that can on one device, each in turn. */
static gboolean
start (Search *search, GError **error)
{
  g_autoptr (TpShareModel) model
      = tp_share_model_new (search->problem, error);

  if (model == NULL)
    return FALSE;
  for (int d = 0; d < search->problem->n_devices; d++)
    {
      tp_share_move_start (model, d, search->tried);
      tp_share_model_spread (model, search->tried);
      if (!offer (search, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
search_all (Search *search, GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (!start (search, &failure)
      || !divide (search, (Part){ 0, 0 }, &failure))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  search->proof->bound = MIN (search->proof->bound, search->proof->cost);
  return TRUE;
}

/* ---- limits of memory ------------------------------------------------------ */

/* Whether what was found fits. */
static gboolean
fits (const Search *search)
{
  g_auto (TpLimitLayout) layout = { 0 };

  tp_limit_layout_init (&layout, search->problem);
  return tp_limit_layout_get_over (&layout, (const gint8 *) search->devices)
         == 0;
}

/* ---- the solver ------------------------------------------------------------ */

static gboolean
solve (const TpProblem *problem, TpRateProof *proof, guint8 *devices,
       GError **error)
{
  g_autofree guint8 *tried
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  Search search = { problem, proof, devices, tried, 0 };

  if (!tp_rated_check_all (problem, error))
    return FALSE;
  search.rentable = list_rentable (problem);
  memcpy (proof->aims, problem->aims, sizeof proof->aims);
  proof->cost = proof->bound = TP_COST_NONE;
  return search_all (&search, error)
         && (problem->limits == NULL || fits (&search)
             || tp_rated_room_search (problem, search.rentable, devices, proof,
                                      error))
         && tp_rated_fill_totals (problem, devices, proof, error);
}

/* With the plan that takes the least time, and its proof, as on two devices. */
static gboolean
rated_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
             guint8 *cheapest, GError **error)
{
  TpProblem free = *problem;

  free.limits = NULL;
  free.heeds_noise = FALSE;
  plan->rate_proof = tp_rate_proof_new ();
  return solve (problem, plan->rate_proof, devices, error)
         && tp_solver_share.solve (&free, plan, cheapest, cheapest, error);
}

const TpSolver tp_solver_rated_several = {
  .name = "rated-shares",
  .max_devices = TP_SHARE_MAX_DEVICES,
  .kinds = TP_OBJECTIVE_RATED,
  .keeps_limits = TRUE,
  .allows_changes = TRUE,
  .certificate = TP_PLAN_RATED_SHARES,
  .solve = rated_solve,
};
