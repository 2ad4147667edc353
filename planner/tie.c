/* tie.c: of plans that noise cannot tell apart, the one with the fewest copies.
 *
 * The fewest copies there can be are those of a plan that needs one device only;
 * whether it is within noise is seen without a cut. Where pins or missing kernels
 * forbid such a plan, a cut with a price on every copy that outbids all noise
 * finds the fewest. In between nothing is looked at: with both devices in use a
 * copy costs what it costs, and doing without some of them within noise gave away
 * more than it saved (tests/planner/test-regret.c).
 *
 * What is taken is to be proved the cheapest with a price on every copy, the least
 * there is: then it gives away no more than that for each copy saved. Plans that
 * are cheapest at some price are the corners of the lower hull of all (copies,
 * cost); from the cheapest, the price at which two of them cost the same leads to
 * the next (M. J. Eisner and D. G. Severance, Mathematical techniques for
 * efficient record segmentation in large shared databases, 1976). Each price
 * starts from the flow at none, which still fits. */
#include "config.h"

#include "planner/tie.h"

#include "ir/guard.h"
#include "planner/copies.h"
#include "planner/noise.h"

#include <string.h>

#define MAX_STEPS 8 /* cuts; then a price that is enough */

typedef struct
{
  gint64 price, cost, n_copies;
  gboolean is_covered;        /* by noise */
} Point;

typedef struct
{
  Point at;
  TpNetwork *network;         /* NULL: of the cheapest, which is not owned */
  guint8 *devices;
} Corner;

typedef struct
{
  const TpProblem *problem;
  const TpNetwork *solved;
  Corner cheapest;
  Corner best;                /* covered; the fewest copies, at the least price */
} Search;

static void
corner_clear (Corner *corner)
{
  tp_network_free (corner->network);
  g_free (corner->devices);
  memset (corner, 0, sizeof *corner);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Corner, corner_clear)

static void
search_clear (Search *search)
{
  corner_clear (&search->cheapest);
  corner_clear (&search->best);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static void
corner_init (Corner *corner, const Search *search, const TpNetwork *network,
             gint64 price)
{
  const TpProblem *problem = search->problem;
  int n = problem->graph->n_nodes;

  corner->at.price = price;
  corner->devices = tp_new0 (guint8, n + 1);
  for (int i = 0; i < n; i++)
    corner->devices[i] = tp_network_get_device (network, i);
  corner->at.n_copies = tp_copies_count_priced (problem, corner->devices);
  corner->at.cost = tp_network_get_value (network)
                    - tp_network_get_constant (network)
                    - price * corner->at.n_copies;
}

/* The cheapest placement at @price. */
static void
corner_find (Corner *corner, const Search *search, gint64 price)
{
  const Corner *cheapest = &search->cheapest;

  corner->network = tp_network_raise (search->solved, price);
  corner_init (corner, search, corner->network, price);
  corner->at.is_covered
      = corner->at.n_copies < cheapest->at.n_copies
        && tp_noise_covers (search->problem, corner->devices,
                            cheapest->devices,
                            corner->at.cost - cheapest->at.cost);
}

static gboolean
is_better (const Corner *corner, const Corner *best)
{
  if (!corner->at.is_covered || best->network == NULL)
    return corner->at.is_covered;
  return corner->at.n_copies < best->at.n_copies
         || (corner->at.n_copies == best->at.n_copies
             && corner->at.price < best->at.price);
}

/* The placement at @price, which is kept if it is the best so far. */
static Point
try_price (Search *search, gint64 price)
{
  g_auto (Corner) corner = { 0 };
  Point at;

  corner_find (&corner, search, price);
  at = corner.at;
  if (is_better (&corner, &search->best))
    {
      corner_clear (&search->best);
      search->best = corner;
      corner = (Corner){ 0 };
    }
  return at;
}

/* The least price at which @few costs less than @many, as it does at its own. */
static gint64
find_price (const Point *many, const Point *few)
{
  gint64 price = (few->cost - many->cost) / (many->n_copies - few->n_copies);

  return MIN (price + 1, few->price);
}

/* Down to the least price that proves @few, or something as good. */
static void
prove (Search *search, Point few)
{
  Point many = search->cheapest.at;

  for (int i = 0; i < MAX_STEPS; i++)
    {
      Point middle = try_price (search, find_price (&many, &few));

      if (middle.n_copies <= few.n_copies || middle.n_copies >= many.n_copies)
        return;
      many = middle;
    }
  try_price (search, few.price);
}

/* All on one device, within noise, with fewer copies than the cheapest. With the
 * price of @out its every copy more would have to save the whole excess.
 * Returns whether a plan on one device is allowed at all. */
static gboolean
find_alone (const Search *search, Point *out)
{
  const TpProblem *problem = search->problem;
  int n = problem->graph->n_nodes;
  g_autofree guint8 *devices = tp_new0 (guint8, n + 1);
  gboolean is_allowed = FALSE;

  *out = search->cheapest.at;
  for (int d = 0; d < problem->n_devices; d++)
    {
      Point it = { .cost = tp_problem_single_cost (problem, d) };

      if (it.cost == TP_COST_NONE)
        continue;
      is_allowed = TRUE;
      memset (devices, d, n);
      it.n_copies = tp_copies_count_priced (problem, devices);
      it.price = it.cost - search->cheapest.at.cost + 1;
      if (it.n_copies < out->n_copies
          && tp_noise_covers (problem, devices, search->cheapest.devices,
                              it.price - 1))
        *out = it;
    }
  return is_allowed;
}

static void
search_fewest (Search *search, gint64 top_price)
{
  Point few;

  if (!find_alone (search, &few))
    {
      few = try_price (search, top_price);
      if (!few.is_covered)
        return;
    }
  few.price = MIN (few.price, top_price);
  if (few.n_copies < search->cheapest.at.n_copies)
    prove (search, few);
}

TpNetwork *
tp_tie_break (const TpProblem *problem, const TpNetwork *solved,
              guint8 *devices)
{
  g_auto (Search) search = { .problem = problem, .solved = solved };
  gint64 limit = MIN (tp_noise_limit_ns (problem),
                      tp_network_get_max_price (solved) - 1);
  TpNetwork *network;

  if (limit < 1)
    return NULL;
  corner_init (&search.cheapest, &search, solved, 0);
  /* What noise covers costs at most the limit more than the cheapest, so with
   * more than that on every copy nothing that has more copies costs less. */
  if (search.cheapest.at.n_copies > 0)
    search_fewest (&search, limit + 1);
  network = g_steal_pointer (&search.best.network);
  if (network != NULL)
    memcpy (devices, search.best.devices, problem->graph->n_nodes);
  return network;
}
