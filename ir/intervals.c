/* intervals.c: offsets for buffers of known lifetimes.
 *
 * Greedy by size: the largest first, each at the lowest offset where it meets
 * none that is alive at the same time. Those already placed are found through
 * a segment tree over the steps: an interval overlaps [first, last] when it
 * contains `first` (kept on the tree path of that step) or starts after it
 * (kept in a list of its start).
 *
 * That is quadratic when thousands are alive together. Past MAX_MET meetings the
 * rest, the smallest, goes on top of all others. */
#include "config.h"

#include "ir/intervals.h"

#include <stdlib.h>

#define MAX_MET (1 << 24)     /* some 2 seconds */

typedef struct
{
  const TpInterval *intervals;
  int n_steps;                /* after renumbering */
  int base;                   /* leaves of the tree: a power of two */
  int *starts;                /* step -> list of intervals that start there */
  int *next_start;            /* interval -> next in its start list */
  int *covers;                /* tree vertex -> list of cover cells */
  GArray *cells;              /* CoverCell */
} PackIndex;

typedef struct
{
  int interval;
  int next;
} CoverCell;

static int
pack_compare_steps (const void *a, const void *b)
{
  int x = *(const int *) a, y = *(const int *) b;

  return (x > y) - (x < y);
}

/* Rewrites the steps as 0, 1, 2, ... in the same order. */
static int
pack_renumber (TpInterval *intervals, int n)
{
  g_autofree int *steps = g_new (int, 2 * (gsize) n + 1);
  int n_steps = 0;

  for (int i = 0; i < n; i++)
    {
      steps[2 * i] = intervals[i].first;
      steps[2 * i + 1] = intervals[i].last;
    }
  qsort (steps, 2 * (gsize) n, sizeof (int), pack_compare_steps);
  for (int i = 0; i < 2 * n; i++)
    if (n_steps == 0 || steps[n_steps - 1] != steps[i])
      steps[n_steps++] = steps[i];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      {
        int *step = k == 0 ? &intervals[i].first : &intervals[i].last;
        int *found = bsearch (step, steps, n_steps, sizeof (int),
                              pack_compare_steps);

        *step = (int) (found - steps);
      }
  return n_steps;
}

static void
pack_index_init (PackIndex *index, const TpInterval *intervals, int n,
                 int n_steps)
{
  index->intervals = intervals;
  index->n_steps = n_steps;
  for (index->base = 1; index->base < n_steps;)
    index->base *= 2;
  index->starts = g_new (int, n_steps);
  index->next_start = g_new (int, n);
  index->covers = g_new (int, 2 * (gsize) index->base);
  index->cells = g_array_new (FALSE, FALSE, sizeof (CoverCell));
  for (int i = 0; i < n_steps; i++)
    index->starts[i] = -1;
  for (int i = 0; i < 2 * index->base; i++)
    index->covers[i] = -1;
}

static void
pack_index_clear (PackIndex *index)
{
  g_free (index->starts);
  g_free (index->next_start);
  g_free (index->covers);
  g_array_unref (index->cells);
}

static void
pack_index_cover (PackIndex *index, int vertex, int interval)
{
  CoverCell cell = { interval, index->covers[vertex] };

  index->covers[vertex] = index->cells->len;
  g_array_append_val (index->cells, cell);
}

static void
pack_index_add (PackIndex *index, int interval)
{
  const TpInterval *it = &index->intervals[interval];
  int low = it->first + index->base, high = it->last + index->base + 1;

  index->next_start[interval] = index->starts[it->first];
  index->starts[it->first] = interval;
  for (; low < high; low /= 2, high /= 2)
    {
      if (low & 1)
        pack_index_cover (index, low++, interval);
      if (high & 1)
        pack_index_cover (index, --high, interval);
    }
}

/* Appends to @found the placed intervals alive together with @wanted. */
static void
pack_index_find (const PackIndex *index, const TpInterval *wanted,
                 GArray *found)
{
  g_array_set_size (found, 0);
  for (int v = wanted->first + index->base; v > 0; v /= 2)
    for (int cell = index->covers[v]; cell >= 0;)
      {
        const CoverCell *c = &g_array_index (index->cells, CoverCell, cell);

        g_array_append_val (found, c->interval);
        cell = c->next;
      }
  for (int step = wanted->first + 1; step <= wanted->last; step++)
    for (int i = index->starts[step]; i >= 0; i = index->next_start[i])
      g_array_append_val (found, i);
}

static int
pack_compare_offsets (const void *a, const void *b, void *data)
{
  const TpInterval *intervals = data;
  int x = *(const int *) a, y = *(const int *) b;
  gint64 p = intervals[x].offset, q = intervals[y].offset;

  return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
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

static gint64
pack_align_up (gint64 value, gint64 align)
{
  gint64 rest = value % align;

  return rest == 0 ? value : pack_add_saturating (value, align - rest);
}

/* The lowest gap between @neighbours that holds @size bytes. */
static gint64
pack_find_offset (const TpInterval *intervals, const GArray *neighbours,
                  gint64 size, gint64 align)
{
  gint64 offset = 0;

  for (guint i = 0; i < neighbours->len; i++)
    {
      const TpInterval *other
          = &intervals[g_array_index (neighbours, int, i)];
      gint64 end = pack_add_saturating (other->offset, other->size_bytes);

      if (pack_add_saturating (offset, size) <= other->offset)
        break;
      offset = MAX (offset, pack_align_up (end, align));
    }
  return offset;
}

static gint64
pack_find_bound (const TpInterval *intervals, int n, int n_steps)
{
  g_autofree gint64 *ends = g_new0 (gint64, n_steps + 1);
  g_autofree gint64 *begins = g_new0 (gint64, n_steps + 1);
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

/* The lowest place for @it beside those placed; adds to @n_met how many it was
 * compared with. */
static gint64
pack_place (const PackIndex *index, const TpInterval *it, gint64 align,
            GArray *found, gint64 *n_met)
{
  pack_index_find (index, it, found);
  *n_met += found->len;
  if (found->len > 0)
    g_qsort_with_data (found->data, found->len, sizeof (int),
                       pack_compare_offsets, (gpointer) index->intervals);
  return pack_find_offset (index->intervals, found, it->size_bytes, align);
}

static gint64
pack_place_all (TpInterval *intervals, int n, int n_steps, gint64 align)
{
  g_autofree int *order = g_new (int, n);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (int));
  PackIndex index;
  gint64 total = 0;
  gint64 n_met = 0;

  pack_index_init (&index, intervals, n, n_steps);
  for (int i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, n, sizeof (int), pack_compare_sizes, intervals);
  for (int i = 0; i < n; i++)
    {
      TpInterval *it = &intervals[order[i]];

      it->offset = n_met < MAX_MET
                       ? pack_place (&index, it, align, found, &n_met)
                       : pack_align_up (total, align);
      total = MAX (total, pack_add_saturating (it->offset, it->size_bytes));
      pack_index_add (&index, order[i]);
    }
  pack_index_clear (&index);
  return total;
}

gint64
tp_intervals_pack (TpInterval *intervals, int n, gint64 align,
                   gint64 *out_bound_bytes)
{
  g_autofree TpInterval *copy = NULL;
  gint64 total;
  int n_steps;

  if (out_bound_bytes != NULL)
    *out_bound_bytes = 0;
  if (n == 0)
    return 0;
  copy = g_memdup2 (intervals, sizeof (TpInterval) * n);
  n_steps = pack_renumber (copy, n);
  total = pack_place_all (copy, n, n_steps, MAX (align, 1));
  if (out_bound_bytes != NULL)
    *out_bound_bytes = pack_find_bound (copy, n, n_steps);
  for (int i = 0; i < n; i++)
    intervals[i].offset = copy[i].offset;
  return total;
}
