/* intervals.c: offsets for buffers of known lifetimes.
 *
 * Greedy by size: the largest first, each at the lowest offset where it meets
 * none that is alive at the same time. Those already placed are found through
 * a segment tree over the steps: an interval overlaps [first, last] when it
 * contains `first` (kept on the tree path of that step) or starts after it
 * (kept in a list of its start).
 *
 * Gaps are looked for from the bottom up, so those found are wanted by offset.
 * Sorting them for each that is placed took most of the time where thousands are
 * alive together; instead, all that are placed are kept in order, and those
 * found are marked there (PackOrder).
 *
 * Finding them is quadratic in a crowd. Most crowds have a step at which all are
 * alive, where they lie one on another without a gap, and the next can only go on
 * top of them. So after many meetings a skyline is made of those placed (skyline.h);
 * where floor and top are one, none need be met. It is made again after so many
 * more, in the order of offsets, which raises all floors that can be raised.
 *
 * Past MAX_MET meetings the rest, the smallest, goes on top of those it meets.
 *
 * The largest are often many of one size, and go on shelves (shelves.h). */
#include "config.h"

#include "ir/intervals.h"
#include "ir/interval-steps.h"
#include "ir/shelves.h"
#include "ir/skyline.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MET (1 << 24)     /* a fraction of a second */
#define WORD_BITS 64
#define MAX_RECENT 64         /* at least, before they are given ranks */
#define MANY_MET 32           /* for each placed: as long as a skyline takes */
#define MIN_MET (1 << 14)     /* before the first */

typedef struct
{
  int interval;
  int next;
} CoverCell;

typedef struct
{
  const TpInterval *intervals;
  int n_steps;                /* after renumbering */
  int base;                   /* leaves of the tree: a power of two */
  int *starts;                /* step -> list of intervals that start there */
  guint64 *has_start;         /* a bit per step: the list is not empty */
  int *next_start;            /* interval -> next in its start list */
  int *covers;                /* tree vertex -> list of cover cells */
  CoverCell *cells;
  int n_cells, max_cells;
  TpScratch *scratch;
} PackIndex;

/* Intervals, in an array that holds all there are. */
typedef struct
{
  int *ids;
  int n;
} PackList;

/* All that are placed, by offset, but a few that came last. */
typedef struct
{
  const TpInterval *intervals;
  int n;
  int *by_rank;               /* intervals, ascending */
  int *rank_of;               /* interval -> its place there; -1: none */
  guint64 *marks;             /* a bit per rank; 0 between two searches */
  PackList recent;            /* placed since, in no order */
} PackOrder;

static void
pack_index_init (PackIndex *index, const TpInterval *intervals, int n,
                 int n_steps)
{
  index->intervals = intervals;
  index->n_steps = n_steps;
  for (index->base = 1; index->base < n_steps;)
    index->base *= 2;
  index->starts = tp_scratch_new (index->scratch, int, n_steps);
  index->has_start = tp_scratch_new0 (index->scratch, guint64,
                                      n_steps / WORD_BITS + 1);
  index->next_start = tp_scratch_new (index->scratch, int, n);
  index->covers = tp_scratch_new (index->scratch, int,
                                  2 * (gsize) index->base);
  index->max_cells = n;
  index->cells = tp_scratch_new (index->scratch, CoverCell, n);
  for (int i = 0; i < n_steps; i++)
    index->starts[i] = -1;
  for (int i = 0; i < 2 * index->base; i++)
    index->covers[i] = -1;
}

static void
grow_cells (PackIndex *index)
{
  CoverCell *more
      = tp_scratch_new (index->scratch, CoverCell, 2 * (gsize) index->max_cells);

  memcpy (more, index->cells, sizeof (CoverCell) * index->n_cells);
  index->cells = more;
  index->max_cells *= 2;
}

static void
pack_index_cover (PackIndex *index, int vertex, int interval)
{
  if (index->n_cells == index->max_cells)
    grow_cells (index);
  index->cells[index->n_cells] = (CoverCell){ interval, index->covers[vertex] };
  index->covers[vertex] = index->n_cells++;
}

static void
pack_index_add (PackIndex *index, int interval)
{
  const TpInterval *it = &index->intervals[interval];
  int low = it->first + index->base, high = it->last + index->base + 1;

  index->next_start[interval] = index->starts[it->first];
  index->starts[it->first] = interval;
  index->has_start[it->first / WORD_BITS]
      |= G_GUINT64_CONSTANT (1) << it->first % WORD_BITS;
  for (; low < high; low /= 2, high /= 2)
    {
      if (low & 1)
        pack_index_cover (index, low++, interval);
      if (high & 1)
        pack_index_cover (index, --high, interval);
    }
}

/* Bits @first to @last of word number @word. */
static guint64
mask_word (int word, int first, int last)
{
  guint64 mask = ~G_GUINT64_CONSTANT (0);

  if (word == first / WORD_BITS)
    mask &= mask << first % WORD_BITS;
  if (word == last / WORD_BITS)
    mask &= ~G_GUINT64_CONSTANT (0) >> (WORD_BITS - 1 - last % WORD_BITS);
  return mask;
}

/* Appends to @found those that start in @first to @last. */
static void
pack_index_find_starts (const PackIndex *index, int first, int last,
                        PackList *found)
{
  for (int word = first / WORD_BITS; word <= last / WORD_BITS; word++)
    for (guint64 bits = index->has_start[word] & mask_word (word, first, last);
         bits != 0; bits &= bits - 1)
      {
        int step = word * WORD_BITS + __builtin_ctzll (bits);

        for (int i = index->starts[step]; i >= 0; i = index->next_start[i])
          found->ids[found->n++] = i;
      }
}

/* Makes @found the placed intervals alive together with @wanted. */
static void
pack_index_find (const PackIndex *index, const TpInterval *wanted,
                 PackList *found)
{
  found->n = 0;
  for (int v = wanted->first + index->base; v > 0; v /= 2)
    for (int cell = index->covers[v]; cell >= 0;)
      {
        found->ids[found->n++] = index->cells[cell].interval;
        cell = index->cells[cell].next;
      }
  if (wanted->first < wanted->last)
    pack_index_find_starts (index, wanted->first + 1, wanted->last, found);
}

static int
pack_compare_sizes (const void *a, const void *b, void *data)
{
  const TpInterval *intervals = data;
  int x = *(const int *) a, y = *(const int *) b;
  gint64 p = intervals[x].size_bytes, q = intervals[y].size_bytes;

  return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

static gint64
pack_add_saturating (gint64 a, gint64 b)
{
  gint64 sum;

  return __builtin_add_overflow (a, b, &sum) ? G_MAXINT64 : sum;
}

/* ---- the order of those placed -------------------------------------------- */

static void
pack_order_init (PackOrder *order, const TpInterval *intervals, int n,
                 TpScratch *scratch)
{
  order->intervals = intervals;
  order->n = 0;
  order->by_rank = tp_scratch_new (scratch, int, n);
  order->rank_of = tp_scratch_new (scratch, int, n);
  order->marks = tp_scratch_new0 (scratch, guint64, n / WORD_BITS + 1);
  order->recent = (PackList){ tp_scratch_new (scratch, int, n), 0 };
  for (int i = 0; i < n; i++)
    order->rank_of[i] = -1;
}

/* Shell's sort: dozens or hundreds at a time, too often to call a comparison. */
static void
sort_by_offset (const TpInterval *intervals, const PackList *some)
{
  static const int strides[] = { 1750, 701, 301, 132, 57, 23, 10, 4, 1 };
  int *it = some->ids;

  for (gsize s = 0; s < G_N_ELEMENTS (strides); s++)
    for (int i = strides[s]; i < some->n; i++)
      {
        int moving = it[i];
        gint64 offset = intervals[moving].offset;
        int to = i;

        for (; to >= strides[s]
               && intervals[it[to - strides[s]]].offset > offset;
             to -= strides[s])
          it[to] = it[to - strides[s]];
        it[to] = moving;
      }
}

/* Gives the recent ones ranks: merged from the back, in place. */
static void
pack_order_settle (PackOrder *order)
{
  int from = order->n - 1, recent = order->recent.n - 1;

  sort_by_offset (order->intervals, &order->recent);
  order->n += order->recent.n;
  for (int to = order->n - 1; recent >= 0; to--)
    {
      int candidate = order->recent.ids[recent];

      if (from >= 0
          && order->intervals[order->by_rank[from]].offset
                 > order->intervals[candidate].offset)
        order->by_rank[to] = order->by_rank[from--];
      else
        {
          order->by_rank[to] = candidate;
          recent--;
        }
    }
  for (int i = 0; i < order->n; i++)
    order->rank_of[order->by_rank[i]] = i;
  order->recent.n = 0;
}

/* Whether @n are told apart faster by marks among all ranks than by sorting. */
static gboolean
is_crowd (const PackOrder *order, int n)
{
  return n >= 64 && n >= order->n / WORD_BITS / 8;
}

/* Settling now and then costs some 64 steps for each that is placed. */
static void
pack_order_add (PackOrder *order, int interval)
{
  order->recent.ids[order->recent.n++] = interval;
  if (order->recent.n > order->n / 64 + MAX_RECENT)
    pack_order_settle (order);
}

/* ---- gaps ----------------------------------------------------------------- */

/* A place looked for from the bottom up. */
typedef struct
{
  gint64 size_bytes, align;
  gint64 offset;              /* nothing below it will do */
} PackGap;

/* Whether the gap ends below @other, of no lower offset than those before. */
static gboolean
pack_gap_fits (PackGap *gap, const TpInterval *other)
{
  gint64 end;

  if (pack_add_saturating (gap->offset, gap->size_bytes) <= other->offset)
    return TRUE;
  end = pack_add_saturating (other->offset, other->size_bytes);
  gap->offset = MAX (gap->offset, tp_skyline_align_up (end, gap->align));
  return FALSE;
}

static void
find_among_sorted (const TpInterval *intervals, const PackList *sorted,
                   PackGap *gap)
{
  for (int i = 0; i < sorted->n; i++)
    if (pack_gap_fits (gap, &intervals[sorted->ids[i]]))
      return;
}

/* Those marked in words @low to @high, and @late, sorted, each in its turn. */
static void
find_among_marked (const PackOrder *order, int low, int high,
                   const PackList *late, PackGap *gap)
{
  const TpInterval *intervals = order->intervals;
  int n = 0;

  for (int word = low; word <= high; word++)
    for (guint64 bits = order->marks[word]; bits != 0; bits &= bits - 1)
      {
        int rank = word * WORD_BITS + __builtin_ctzll (bits);
        const TpInterval *it = &intervals[order->by_rank[rank]];

        for (; n < late->n && intervals[late->ids[n]].offset <= it->offset;
             n++)
          if (pack_gap_fits (gap, &intervals[late->ids[n]]))
            return;
        if (pack_gap_fits (gap, it))
          return;
      }
  for (; n < late->n; n++)
    if (pack_gap_fits (gap, &intervals[late->ids[n]]))
      return;
}

/* Leaves of @found those that have no rank. */
static void
find_among_many (PackOrder *order, PackList *found, PackGap *gap)
{
  int low = G_MAXINT, high = -1;
  int n_late = 0;

  for (int i = 0; i < found->n; i++)
    {
      int interval = found->ids[i];
      int rank = order->rank_of[interval];
      int word = rank / WORD_BITS;

      if (rank < 0)
        {
          found->ids[n_late++] = interval;
          continue;
        }
      order->marks[word] |= G_GUINT64_CONSTANT (1) << rank % WORD_BITS;
      low = MIN (low, word);
      high = MAX (high, word);
    }
  found->n = n_late;
  sort_by_offset (order->intervals, found);
  find_among_marked (order, low, high, found, gap);
  if (low <= high)
    memset (&order->marks[low], 0, (high - low + 1) * sizeof (guint64));
}

static gint64
pack_find_bound (const TpInterval *intervals, int n, int n_steps,
                 TpScratch *scratch)
{
  gint64 *ends = tp_scratch_new0 (scratch, gint64, n_steps + 1);
  gint64 *begins = tp_scratch_new0 (scratch, gint64, n_steps + 1);
  gint64 alive = 0, most = 0;

  for (int i = 0; i < n; i++)
    {
      gint64 *begin = &begins[intervals[i].first];
      gint64 *end = &ends[intervals[i].last + 1];

      *begin = pack_add_saturating (*begin, intervals[i].size_bytes);
      *end = pack_add_saturating (*end, intervals[i].size_bytes);
    }
  for (int step = 0; step < n_steps; step++)
    {
      alive = pack_add_saturating (alive - ends[step], begins[step]);
      most = MAX (most, alive);
    }
  return most;
}

typedef struct
{
  PackIndex index;
  PackOrder order;
  PackList found;             /* of the search going on */
  gint64 n_met;               /* compared so far */
  TpSkyline skyline;          /* no vertices: not made yet */
  gint64 n_met_then;          /* when it was made, or made again */
  gint64 align, least_bytes;
  TpScratch *scratch;
} Packing;

static void
packing_init (Packing *packing, const TpInterval *intervals, int n,
              int n_steps)
{
  packing->index.scratch = packing->scratch;
  packing->found = (PackList){ tp_scratch_new (packing->scratch, int, n), 0 };
  packing->least_bytes = G_MAXINT64;
  for (int i = 0; i < n; i++)
    if (intervals[i].size_bytes > 0)
      packing->least_bytes
          = MIN (packing->least_bytes, intervals[i].size_bytes);
  pack_index_init (&packing->index, intervals, n, n_steps);
  pack_order_init (&packing->order, intervals, n, packing->scratch);
}

static void
packing_add_to_skyline (Packing *packing, const TpInterval *it)
{
  tp_skyline_add (&packing->skyline, (TpSteps){ it->first, it->last },
                  it->offset, pack_add_saturating (it->offset, it->size_bytes));
}

static void
packing_make_skyline (Packing *packing)
{
  PackOrder *order = &packing->order;

  if (packing->skyline.vertices == NULL)
    tp_skyline_init (&packing->skyline, packing->index.n_steps, packing->align,
                     packing->least_bytes, packing->scratch);
  pack_order_settle (order);
  for (int i = 0; i < order->n; i++)
    packing_add_to_skyline (packing, &order->intervals[order->by_rank[i]]);
  packing->n_met_then = packing->n_met;
}

static gboolean
packing_wants_skyline (const Packing *packing)
{
  gint64 n = packing->order.n + packing->order.recent.n;

  return packing->n_met - packing->n_met_then > MANY_MET * n + MIN_MET
         || (packing->n_met >= MAX_MET && packing->skyline.vertices == NULL);
}

/* The lowest place for @it beside those it meets. */
static gint64
packing_search (Packing *packing, const TpInterval *it)
{
  PackGap gap = { it->size_bytes, packing->align, 0 };
  PackList *found = &packing->found;

  pack_index_find (&packing->index, it, found);
  packing->n_met += found->n;
  if (is_crowd (&packing->order, found->n))
    find_among_many (&packing->order, found, &gap);
  else
    {
      sort_by_offset (packing->order.intervals, found);
      find_among_sorted (packing->order.intervals, found, &gap);
    }
  return gap.offset;
}

static gint64
packing_find_offset (Packing *packing, const TpInterval *it)
{
  TpHeights heights = { 0, G_MAXINT64 };

  if (packing_wants_skyline (packing))
    packing_make_skyline (packing);
  if (packing->skyline.vertices != NULL)
    heights = tp_skyline_get (&packing->skyline,
                              (TpSteps){ it->first, it->last });
  if (heights.floor == heights.top || packing->n_met >= MAX_MET)
    return heights.top;
  return packing_search (packing, it);
}

static void
packing_add (Packing *packing, int interval)
{
  if (packing->skyline.vertices != NULL)
    packing_add_to_skyline (packing, &packing->index.intervals[interval]);
  if (packing->n_met >= MAX_MET)
    return; /* nothing will be searched for */
  pack_index_add (&packing->index, interval);
  pack_order_add (&packing->order, interval);
}

/* In the order they are placed in. What takes nothing is left at 0 and met by none:
 * returns how many take something. */
static int
pack_sort (TpInterval *intervals, int n, int *sequence)
{
  gboolean is_sorted = TRUE;

  for (int i = 0; i < n; i++)
    {
      sequence[i] = i;
      intervals[i].offset = 0;
      is_sorted = is_sorted
                  && (i == 0 || intervals[i].size_bytes
                                    <= intervals[i - 1].size_bytes);
    }
  if (!is_sorted)
    qsort_r (sequence, n, sizeof (int), pack_compare_sizes, intervals);
  while (n > 0 && intervals[sequence[n - 1]].size_bytes <= 0)
    n--;
  return n;
}

static gint64
pack_place_all (Packing *packing, TpInterval *intervals, int n, int n_steps)
{
  int *sequence = tp_scratch_new (packing->scratch, int, n);
  int n_all = pack_sort (intervals, n, sequence);
  int n_shelved = n_all == 0 ? 0
                             : tp_shelves_fill (intervals, sequence, n_all,
                                                packing->align,
                                                packing->scratch);
  gint64 total = 0;

  if (n_shelved < n_all)
    packing_init (packing, intervals, n, n_steps);
  for (int i = 0; i < n_all; i++)
    {
      TpInterval *it = &intervals[sequence[i]];

      if (i >= n_shelved)
        it->offset = packing_find_offset (packing, it);
      total = MAX (total, pack_add_saturating (it->offset, it->size_bytes));
      if (n_shelved < n_all)
        packing_add (packing, sequence[i]);
    }
  return total;
}

gint64
tp_intervals_pack (TpInterval *intervals, int n, gint64 align,
                   TpScratch *scratch, gint64 *out_bound_bytes)
{
  Packing packing = { .align = MAX (align, 1), .scratch = scratch };
  TpInterval *it;
  gint64 total;
  int n_steps;

  if (out_bound_bytes != NULL)
    *out_bound_bytes = 0;
  if (n <= 0)
    return 0;
  it = tp_interval_steps_number (intervals, n, scratch, &n_steps);
  total = pack_place_all (&packing, it, n, n_steps);
  if (out_bound_bytes != NULL)
    *out_bound_bytes = pack_find_bound (it, n, n_steps, scratch);
  for (int i = 0; i < n; i++)
    intervals[i].offset = it[i].offset;
  return total;
}
