/* envelope.c: which plan is the cheapest, as one thing takes longer.
 *
 * M. J. Eisner, D. G. Severance, Mathematical techniques for efficient record
 * segmentation in large shared databases, 1976: between two plans that are the
 * cheapest for two values of x, try the value where they cost the same. If nothing
 * is cheaper there, that is where the one gives way to the other; else there is a
 * plan in between, and two smaller intervals.
 *
 * Costs are integers: for x = p / q those that grow are taken p times, the others q
 * times. p and q are small, so that sums stay exact; what a line costs is worked out
 * from its plan without rounding, and so is where two lines meet. */
#include "config.h"

#include "planner/envelope.h"

#include "include/tplan.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "planner/place.h"
#include "planner/problem.h"

#include <math.h>

#define MAX_TERM (1 << 20)    /* of p and q */

typedef struct
{
  gint64 p, q;
} Ratio;

/* The cheapest plan for one x. */
typedef struct
{
  Ratio x;
  TpPiece piece;
} Point;

typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;
  const TpCosts *costs;
  const TpScale *scale;
  TpArray *points;            /* Point: all plans that were made */
  TpArray *pieces;            /* TpPiece */
  TpEnvelope *out;
} Search;

/* ---- x as a fraction ---------------------------------------------------- */

/* The best with small terms: where the continued fraction of @x has to end. */
static Ratio
find_ratio (double x)
{
  Ratio last = { 1, 0 }, it = { (gint64) floor (x), 1 };
  double rest = x - floor (x);

  while (rest > 1e-12 && it.p < MAX_TERM && it.q < MAX_TERM)
    {
      double term = floor (1 / rest);
      Ratio next;

      if (term > MAX_TERM)
        break;
      next = (Ratio){ (gint64) term * it.p + last.p,
                      (gint64) term * it.q + last.q };
      if (next.p > MAX_TERM || next.q > MAX_TERM)
        break;
      rest = 1 / rest - term;
      last = it;
      it = next;
    }
  return it;
}

static double
get_value (Ratio x)
{
  return (double) x.p / (double) x.q;
}

/* ---- costs -------------------------------------------------------------- */

/* Beyond what adds up, which the planner then says. */
static gint64
multiply (gint64 time_ns, gint64 by)
{
  if (time_ns == TP_COST_NONE)
    return TP_COST_NONE;
  return MIN (time_ns, TP_PROBLEM_LIMIT / by) * by;
}

static void
multiply_table (const Search *search, Ratio x, const TpCost *from, TpCost *to,
                int n_rows)
{
  int n_devices = search->costs->n_devices, device = search->scale->device;

  for (int i = 0; i < n_rows * n_devices; i++)
    to[i] = (TpCost){ .time_ns = multiply (from[i].time_ns,
                                           i % n_devices == device ? x.p
                                                                   : x.q),
                      .reason = from[i].reason };
}

static void
multiply_copies (const Search *search, Ratio x, TpCostsGet get, TpCosts *to)
{
  gint64 by = search->scale->device == TP_SCALE_COPIES ? x.p : x.q;

  for (int i = 0; i < to->n_tensors; i++)
    for (int d = 0; d < to->n_devices; d++)
      get (to, i, d)->time_ns
          = multiply (get (search->costs, i, d)->time_ns, by);
}

static TpCosts *
scale_costs (const Search *search, Ratio x)
{
  const TpCosts *from = search->costs;
  TpCosts *to = tp_costs_new (from->n_devices,
                              (const char *const *) from->devices,
                              search->graph, search->groups);

  to->host = from->host;
  to->is_simulated = from->is_simulated;
  multiply_table (search, x, from->nodes, to->nodes, from->n_nodes);
  multiply_table (search, x, from->groups, to->groups, from->n_groups);
  multiply_copies (search, x, tp_costs_feed, to);
  multiply_copies (search, x, tp_costs_fetch, to);
  tp_costs_seal (to);
  return to;
}

/* ---- plans -------------------------------------------------------------- */

/* The part of what @plan costs that grows with x. */
static gint64
sum_scaled (const Search *search, const TpPlan *plan)
{
  gint64 sum = 0;

  if (search->scale->device == TP_SCALE_COPIES)
    for (int i = 0; i < plan->n_transfers; i++)
      sum += plan->transfers[i].time_ns;
  else
    for (int i = 0; i < plan->n_placements; i++)
      if (plan->placements[i].device == search->scale->device)
        sum += plan->placements[i].time_ns;
  return sum;
}

static gboolean
add_point (Search *search, Ratio x, GError **error)
{
  g_autoptr (TpCosts) costs = scale_costs (search, x);
  g_autoptr (TpPlan) plan
      = tp_place (search->graph, search->groups, costs, "time", error);
  Point point = { .x = x };
  guint8 *devices;
  gint64 scaled;

  if (plan == NULL)
    return FALSE;
  scaled = sum_scaled (search, plan);
  point.piece = (TpPiece){ .fixed_ns = (plan->cost_ns - scaled) / x.q,
                           .scaled_ns = scaled / x.p,
                           .n_copies = plan->n_transfers };
  tp_array_append_val (search->points, point);
  devices = tp_new (guint8, plan->n_placements + 1);
  for (int i = 0; i < plan->n_placements; i++)
    devices[i] = plan->placements[i].device;
  tp_array_index (search->points, Point, search->points->len - 1)
      .piece.devices = devices;
  search->out->n_plans++;
  search->out->is_proved &= plan->bound_ns == plan->cost_ns;
  return TRUE;
}

static gint64
cost_at (const TpPiece *piece, Ratio x)
{
  return piece->fixed_ns * x.q + piece->scaled_ns * x.p;
}

/* ---- the search --------------------------------------------------------- */

/* That of point @index, which gives it away: it is used once. */
static void
add_piece (Search *search, int index, double from)
{
  TpPiece *piece = &tp_array_index (search->points, Point, index).piece;
  TpPiece copy = *piece;

  copy.from = from;
  tp_array_append_val (search->pieces, copy);
  piece->devices = NULL;
}

/* Where two lines meet that do not fall alike: between the points. */
static double
find_meeting (const Point *low, const Point *high)
{
  double x = (double) (high->piece.fixed_ns - low->piece.fixed_ns)
             / (double) (low->piece.scaled_ns - high->piece.scaled_ns);

  return CLAMP (x, get_value (low->x), get_value (high->x));
}

static gboolean
is_end (Ratio x, const Point *point)
{
  return x.p == point->x.p && x.q == point->x.q;
}

static const Point *
get_point (const Search *search, int index)
{
  return &tp_array_index (search->points, Point, index);
}

/* Where neither is cheaper than the other: whether a third plan is. Adds it. */
static gboolean
add_between (Search *search, int low, int high, gboolean *out_is_cheaper,
             GError **error)
{
  Ratio x = find_ratio (
      find_meeting (get_point (search, low), get_point (search, high)));
  const TpPiece *piece;

  *out_is_cheaper = FALSE;
  if (is_end (x, get_point (search, low))
      || is_end (x, get_point (search, high)))
    return TRUE;
  if (!add_point (search, x, error))
    return FALSE;
  piece = &get_point (search, search->points->len - 1)->piece;
  *out_is_cheaper = cost_at (piece, x)
                        < cost_at (&get_point (search, low)->piece, x)
                    && cost_at (piece, x)
                           < cost_at (&get_point (search, high)->piece, x);
  return TRUE;
}

/* From the first point to the second. Points are open, the nearest last, until all
 * pieces before theirs are found. */
static gboolean
search_all (Search *search, GError **error)
{
  g_autoptr (TpArray) open = tp_array_new (sizeof (int));
  int low = 0;

  tp_array_append_vals (open, &(int){ 1 }, 1);
  while (open->len > 0)
    {
      int high = tp_array_index (open, int, open->len - 1);
      gboolean is_cheaper = FALSE;

      if (get_point (search, low)->piece.scaled_ns
          > get_point (search, high)->piece.scaled_ns)
        {
          int middle = search->points->len;

          if (!add_between (search, low, high, &is_cheaper, error))
            return FALSE;
          if (is_cheaper)
            tp_array_append_val (open, middle);
          else
            add_piece (search, high,
                       find_meeting (get_point (search, low),
                                     get_point (search, high)));
        }
      if (is_cheaper)
        continue;
      low = high;
      tp_array_set_size (open, open->len - 1);
    }
  return TRUE;
}

static void
finish (Search *search)
{
  TpEnvelope *out = search->out;

  out->n_pieces = (int) search->pieces->len;
  out->pieces = tp_array_steal (search->pieces);
  for (int i = 0; i < out->n_pieces; i++)
    out->pieces[i].to = i + 1 < out->n_pieces ? out->pieces[i + 1].from
                                              : search->scale->high;
}

static void
search_clear (Search *search)
{
  for (guint i = 0; i < search->points->len; i++)
    g_free (tp_array_index (search->points, Point, i).piece.devices);
  for (guint i = 0; i < search->pieces->len; i++)
    g_free (tp_array_index (search->pieces, TpPiece, i).devices);
  tp_array_unref (search->points);
  tp_array_unref (search->pieces);
  g_clear_pointer (&search->out, tp_envelope_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

TpEnvelope *
tp_envelope_find (const TpGraph *graph, const TpGroups *groups,
                  const TpCosts *costs, const TpScale *scale, GError **error)
{
  g_auto (Search) search
      = { graph, groups, costs, scale, tp_array_new (sizeof (Point)),
          tp_array_new (sizeof (TpPiece)), g_new0 (TpEnvelope, 1) };

  search.out->is_proved = TRUE;
  if (!add_point (&search, find_ratio (scale->low), error)
      || !add_point (&search, find_ratio (scale->high), error))
    return NULL;
  add_piece (&search, 0, scale->low);
  if (!search_all (&search, error))
    return NULL;
  finish (&search);
  return g_steal_pointer (&search.out);
}
