/* share-tie.c: see share-tie.h.
 *
 * As on two devices (tie.c) what needs the fewest copies there can be is all on one
 * device. With three there is something in between: all on two of them, which is looked
 * for by cuts between placements as the cheapest of all is. */
#include "config.h"

#include "planner/share-tie.h"

#include "ir/guard.h"
#include "planner/copies.h"
#include "planner/noise.h"
#include "planner/share-tree.h"

#include <string.h>

typedef struct
{
  const TpProblem *problem;
  const guint8 *cheapest;
  gint64 least;               /* what that costs */
  guint8 *devices;            /* caller's: the best */
  gint64 cost;                /* of it; TP_COST_NONE: there is none yet */
  int n_copies, n_most;       /* of it; of the cheapest */
} Search;

static void
offer (Search *search, const guint8 *devices, gint64 cost)
{
  int n_copies = tp_copies_count_priced (search->problem, devices);

  if (n_copies >= search->n_most || n_copies > search->n_copies
      || (n_copies == search->n_copies && cost >= search->cost)
      || !tp_noise_covers (search->problem, devices, search->cheapest,
                           cost - search->least))
    return;
  search->cost = cost;
  search->n_copies = n_copies;
  memcpy (search->devices, devices, search->problem->graph->n_nodes);
}

static void
offer_one (Search *search, int device, guint8 *devices)
{
  gint64 cost = tp_problem_single_cost (search->problem, device);

  memset (devices, device, search->problem->graph->n_nodes);
  if (cost != TP_COST_NONE)
    offer (search, devices, cost);
}

/* Of those on no other device than @set. */
static void
offer_set (Search *search, guint set, guint8 *devices)
{
  gint64 weights[3 * TP_SHARE_MAX_DEVICES], cost, bound;
  g_autoptr (TpProblem) some = NULL;
  g_autoptr (TpShareModel) model = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (weights); i++)
    weights[i] = 1;
  some = tp_problem_weigh (search->problem, weights);
  if (!tp_problem_bar (some, ~set)
      || (model = tp_share_model_new (some, NULL)) == NULL)
    return;
  tp_share_proof_free (tp_share_tree_climb (model, devices, &cost, &bound));
  offer (search, devices, cost);
}

static guint
list_used (const Search *search)
{
  guint used = 0;

  for (int i = 0; i < search->problem->graph->n_nodes; i++)
    used |= 1u << search->cheapest[i];
  return used;
}

/* By two of the devices that the cheapest is on. */
static void
offer_pairs (Search *search, guint8 *devices)
{
  guint used = list_used (search);

  if (__builtin_popcount (used) < 3)
    return;
  for (int d = 0; d < search->problem->n_devices; d++)
    for (int e = 0; e < d; e++)
      if ((used >> d & 1) && (used >> e & 1))
        offer_set (search, 1u << d | 1u << e, devices);
}

gint64
tp_share_tie_break (const TpProblem *problem, const guint8 *cheapest,
                    guint8 *devices)
{
  g_autofree guint8 *tried
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  g_autoptr (TpShareModel) model = tp_share_model_new (problem, NULL);
  Search search = { .problem = problem, .cheapest = cheapest,
                    .devices = devices, .cost = TP_COST_NONE };

  if (model == NULL || tp_noise_limit_ns (problem) < 1)
    return 0;
  search.least = tp_share_model_cost (model, cheapest);
  search.n_copies = search.n_most = tp_copies_count_priced (problem, cheapest);
  if (search.n_most == 0)
    return 0;
  for (int d = 0; d < problem->n_devices; d++)
    offer_one (&search, d, tried);
  offer_pairs (&search, tried);
  if (search.cost == TP_COST_NONE)
    return 0;
  return MAX ((search.cost - search.least + search.n_most - search.n_copies - 1)
                  / (search.n_most - search.n_copies),
              1);
}
