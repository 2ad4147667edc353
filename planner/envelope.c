/* envelope.c: see envelope.h.
 *
 * M. J. Eisner, D. G. Severance, Mathematical techniques for efficient record
 * segmentation in large shared databases, 1976: between two plans that are the
 * cheapest for two values of x, try the value where they cost the same. If nothing
 * is cheaper there, that is where the one gives way to the other; else there is a
 * plan in between, and two smaller intervals.
 *
 * x is a fraction with small terms, so that sums stay exact; where two lines meet is
 * rounded to one. */
#include "config.h"

#include "planner/envelope.h"

#include "ir/array.h"

#include <math.h>

#define MAX_TERM (1 << 20)    /* of q, and of a step to it */
#define MAX_SUM (G_GINT64_CONSTANT (1) << 40) /* of p */

__extension__ typedef __int128 Wide;

/* The cheapest plan for one x. */
typedef struct
{
  TpRatio x;
  TpPiece piece;
} Point;

typedef struct
{
  const TpLines *lines;
  TpArray *points;            /* Point: all plans that were made */
  TpArray *pieces;            /* TpPiece */
  TpEnvelope *out;
} Search;

/* ---- x as a fraction ---------------------------------------------------- */

/* The best with small terms: where the continued fraction of @x has to end. */
static TpRatio
find_ratio (const Search *search, double x)
{
  TpRatio last = { 1, 0 }, it = { (gint64) floor (x), 1 };
  double rest = x - floor (x);

  while (rest > 1e-12)
    {
      double term = floor (1 / rest);
      TpRatio next;

      if (term > MAX_TERM)
        break;
      next = (TpRatio){ (gint64) term * it.p + last.p,
                        (gint64) term * it.q + last.q };
      if (next.p > MAX_SUM || next.q > MAX_TERM
          || !tp_lines_fits (search->lines, next))
        break;
      rest = 1 / rest - term;
      last = it;
      it = next;
    }
  return it;
}

static double
get_value (TpRatio x)
{
  return (double) x.p / (double) x.q;
}

static gboolean
is_less (TpRatio x, TpRatio y)
{
  return (Wide) x.p * y.q < (Wide) y.p * x.q;
}

/* ---- plans -------------------------------------------------------------- */

static gboolean
add_point (Search *search, TpRatio x, GError **error)
{
  Point point = { .x = x };
  Point *it;
  gboolean is_proved;

  tp_array_append_val (search->points, point);
  it = &tp_array_index (search->points, Point, search->points->len - 1);
  if (!tp_lines_place (search->lines, x, &it->piece, &is_proved, error))
    return FALSE;
  search->out->n_plans++;
  search->out->is_proved &= is_proved;
  return TRUE;
}

static gint64
cost_at (const TpPiece *piece, TpRatio x)
{
  return piece->fixed * x.q + piece->scaled * x.p;
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
  double x = (double) (high->piece.fixed - low->piece.fixed)
             / (double) (low->piece.scaled - high->piece.scaled);

  return CLAMP (x, get_value (low->x), get_value (high->x));
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
  TpRatio x = find_ratio (search, find_meeting (get_point (search, low),
                                                get_point (search, high)));
  const TpPiece *piece;

  *out_is_cheaper = FALSE;
  if (!is_less (get_point (search, low)->x, x)
      || !is_less (x, get_point (search, high)->x))
    return TRUE;              /* too near to an end to be told from it */
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

      if (get_point (search, low)->piece.scaled
          > get_point (search, high)->piece.scaled)
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

/* But for those that are the cheapest at an end alone, where another is, too. */
static void
finish (Search *search, double high)
{
  TpEnvelope *out = search->out;
  int n = (int) search->pieces->len;
  TpPiece *pieces = tp_array_steal (search->pieces);

  for (int i = 0; i < n; i++)
    {
      TpPiece *it = &pieces[i];

      it->to = i + 1 < n ? pieces[i + 1].from : high;
      if (it->from < it->to)
        pieces[out->n_pieces++] = *it;
      else
        g_free (it->devices);
    }
  out->pieces = pieces;
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
tp_envelope_find (const TpLines *lines, double low, double high,
                  GError **error)
{
  g_auto (Search) search = { lines, tp_array_new (sizeof (Point)),
                             tp_array_new (sizeof (TpPiece)),
                             g_new0 (TpEnvelope, 1) };

  search.out->is_proved = TRUE;
  if (!add_point (&search, find_ratio (&search, low), error)
      || !add_point (&search, find_ratio (&search, high), error))
    return NULL;
  add_piece (&search, 0, low);
  if (!search_all (&search, error))
    return NULL;
  finish (&search, high);
  return g_steal_pointer (&search.out);
}
