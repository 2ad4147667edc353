/* tie.c: of plans that noise cannot tell apart, the one with the fewest copies.
 *
 * With a price on every copy the cheapest placement is again a minimum cut. As
 * the price rises its copies get fewer and its cost goes up: the corners of the
 * lower hull of all (copies, cost). Of two corners, the price at which they cost
 * the same finds one in between, or shows that there is none (M. J. Eisner and
 * D. G. Severance, Mathematical techniques for efficient record segmentation in
 * large shared databases, 1976). That, and not halving, is how the last corner
 * within noise is found, and the least price that proves it. Each price starts
 * from the flow at none, which still fits. */
#include "config.h"

#include "planner/tie.h"

#include "planner/copies.h"
#include "planner/noise.h"

#include <string.h>

#define MAX_STEPS 16 /* cuts; what qualifies by then is taken */

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

/* Those that cost nothing are not counted: no price is on them. */
static gint64
count_copies (const TpProblem *problem, const guint8 *devices)
{
  g_autoptr (GArray) list = tp_copies_list (problem, devices);
  gint64 n = 0;

  for (guint i = 0; i < list->len; i++)
    {
      const TpTransfer *it = &g_array_index (list, TpTransfer, i);

      n += tp_problem_edge_cost (problem, it->tensor, it->from, it->to) > 0;
    }
  return n;
}

static void
corner_init (Corner *corner, const Search *search, const TpNetwork *network,
             gint64 price)
{
  const TpProblem *problem = search->problem;
  int n = problem->graph->n_nodes;

  *corner = (Corner){ .devices = g_new0 (guint8, n + 1), .at.price = price };
  for (int i = 0; i < n; i++)
    corner->devices[i] = tp_network_get_device (network, i);
  corner->at.n_copies = count_copies (problem, corner->devices);
  corner->at.cost = tp_network_get_value (network)
                    - tp_network_get_constant (network)
                    - price * corner->at.n_copies;
}

/* The cheapest placement at @price. */
static void
corner_find (Corner *corner, const Search *search, gint64 price)
{
  const Corner *cheapest = &search->cheapest;
  TpNetwork *network = tp_network_raise (search->solved, price);

  corner_init (corner, search, network, price);
  corner->network = network;
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
  Corner corner;
  Point at;

  corner_find (&corner, search, price);
  at = corner.at;
  if (is_better (&corner, &search->best))
    {
      corner_clear (&search->best);
      search->best = corner;
    }
  else
    corner_clear (&corner);
  return at;
}

/* The least price at which @few costs less than @many, as it does at its own. */
static gint64
find_price (const Point *many, const Point *few)
{
  gint64 price = (few->cost - many->cost) / (many->n_copies - few->n_copies);

  return MIN (price + 1, few->price);
}

/* Between the cheapest and the corner at @top_price. */
static void
search_corners (Search *search, gint64 top_price)
{
  Point many = search->cheapest.at, few = try_price (search, top_price);

  for (int i = 1; i < MAX_STEPS && few.n_copies < many.n_copies; i++)
    {
      Point middle = try_price (search, find_price (&many, &few));

      if (middle.n_copies <= few.n_copies || middle.n_copies >= many.n_copies)
        break; /* nothing lies in between */
      if (few.is_covered || middle.is_covered)
        many = middle;
      else
        few = middle;
    }
}

TpNetwork *
tp_tie_break (const TpProblem *problem, const TpNetwork *solved,
              guint8 *devices)
{
  Search search = { .problem = problem, .solved = solved };
  gint64 limit = MIN (tp_noise_limit_ns (problem),
                      tp_network_max_price (solved));
  TpNetwork *network;

  if (limit < 1)
    return NULL;
  corner_init (&search.cheapest, &search, solved, 0);
  /* What noise covers costs at most the limit more than the cheapest, so with
   * that price on every copy nothing that has more copies costs less. */
  if (search.cheapest.at.n_copies > 0)
    search_corners (&search, limit);
  network = g_steal_pointer (&search.best.network);
  if (network != NULL)
    memcpy (devices, search.best.devices, problem->graph->n_nodes);
  corner_clear (&search.best);
  corner_clear (&search.cheapest);
  return network;
}
