/* pack.c: packs run on the host in plain C. Whatever order the nest has, positions
 * are written one after the other, so parts may be made by several threads. */
#include "config.h"

#include "schedule/pack.h"

#include <string.h>

#define LANES 8               /* squares that are transformed together */

/* The axes of a pack, the one with the longest steps in the copy first. */
typedef struct
{
  const TpPack *pack;
  int n_axes;
  int axes[TP_NEST_MAX_AXES]; /* of the nest */
  int last;                   /* of these; -1: there is none */
} Walk;

static gint64
get_step (const TpNest *nest, int axis)
{
  return nest->axes[axis].extent == 1 ? G_MAXINT64 : nest->store.stride[axis];
}

static void
walk_init (Walk *walk, const TpPack *pack)
{
  const TpNest *nest = pack->nest;
  int n = nest->n_axes;

  *walk = (Walk){ .pack = pack, .n_axes = n };
  for (int i = 0; i < n; i++)
    {
      int at = i;

      for (; at > 0
             && get_step (nest, walk->axes[at - 1]) < get_step (nest, i);
           at--)
        walk->axes[at] = walk->axes[at - 1];
      walk->axes[at] = i;
    }
  walk->last = n > 0 ? walk->axes[n - 1] : -1;
}

/* Counters, by axis of the nest, of row @row. */
static void
walk_to (const Walk *walk, gint64 row, gint64 *at)
{
  for (int i = walk->n_axes - 2; i >= 0; i--)
    {
      gint64 extent = walk->pack->nest->axes[walk->axes[i]].extent;

      at[walk->axes[i]] = row % extent;
      row /= extent;
    }
}

static void
walk_on (const Walk *walk, gint64 *at)
{
  for (int i = walk->n_axes - 2; i >= 0; i--)
    {
      int axis = walk->axes[i];

      if (++at[axis] < walk->pack->nest->axes[axis].extent)
        return;
      at[axis] = 0;
    }
}

/* ---- squares ----------------------------------------------------------- */

/* What is copied along the last axis; steps are in elements. */
typedef struct
{
  const char *src;
  char *dst;
  gint64 from_step, to_step, n;
} Row;

/* LANES at @src, or @n of them and what is zero, as doubles: [row][column][lane]. */
static void
load_squares (const TpPack *pack, const Row *row, gint64 n,
              double out[TP_PACK_MAX_SIDE][TP_PACK_MAX_SIDE][LANES])
{
  const TpPackSquare *square = &pack->square;
  TpDtype dtype = pack->nest->loads[0].dtype;
  gint64 size = (gint64) tp_dtype_get_size (dtype);

  for (int k = 0; k < square->n_from; k++)
    for (int j = 0; j < square->n_from; j++)
      {
        gint64 from = k * square->from_stride[0] + j * square->from_stride[1];

        memset (out[k][j], 0, sizeof out[k][j]);
        tp_dtype_load_doubles (dtype, row->src + from * size, row->from_step, n,
                               out[k][j]);
      }
}

static void
transform (const TpPack *pack, const Row *row, gint64 n)
{
  const TpPackSquare *square = &pack->square;
  const double *matrix = square->matrix;
  double from[TP_PACK_MAX_SIDE][TP_PACK_MAX_SIDE][LANES];
  double half[TP_PACK_MAX_SIDE][LANES];
  int n_from = square->n_from;

  load_squares (pack, row, n, from);
  for (int i = 0; i < square->n_to; i++)
    {
      memset (half, 0, sizeof half);
      for (int k = 0; k < n_from; k++)
        for (int j = 0; j < n_from; j++)
          for (int lane = 0; lane < LANES; lane++)
            half[j][lane] += matrix[i * n_from + k] * from[k][j][lane];
      for (int j = 0; j < square->n_to; j++)
        {
          double sums[LANES] = { 0.0 };
          float *dst = (float *) (void *) row->dst
                       + i * square->to_stride[0] + j * square->to_stride[1];

          for (int k = 0; k < n_from; k++)
            for (int lane = 0; lane < LANES; lane++)
              sums[lane] += half[k][lane] * matrix[j * n_from + k];
          for (gint64 lane = 0; lane < n; lane++)
            dst[lane * row->to_step] = (float) sums[lane];
        }
    }
}

static void
transform_row (const TpPack *pack, const Row *row)
{
  gint64 size = (gint64) tp_dtype_get_size (pack->nest->loads[0].dtype);

  for (gint64 i = 0; i < row->n; i += LANES)
    {
      Row rest = *row;

      rest.src += i * row->from_step * size;
      rest.dst += i * row->to_step * (gint64) sizeof (float);
      transform (pack, &rest, MIN (LANES, row->n - i));
    }
}

/* ---- rows -------------------------------------------------------------- */

static void
copy_flipped (const Row *row, guint8 flip)
{
  const guint8 *src = (const guint8 *) row->src;
  guint8 *dst = (guint8 *) row->dst;

  for (gint64 i = 0; i < row->n; i++)
    dst[i * row->to_step] = src[i * row->from_step] ^ flip;
}

static void
copy_row (const TpPack *pack, const Row *row)
{
  const TpElementCopy copy
      = { row->src, row->dst, row->from_step, row->to_step, row->n };
  TpDtype dtype = pack->nest->loads[0].dtype;

  if (pack->square.n_from > 0)
    transform_row (pack, row);
  else if (tp_dtype_get_size (dtype) == sizeof (guint8))
    copy_flipped (row, pack->dots.flip);
  else
    tp_dtype_copy (dtype, &copy);
}

static gint64
divide_up (gint64 a, gint64 b)
{
  return a / b + (a % b > 0);
}

/* Narrows *@first to *@end - 1 down to where 0 <= @value + @coef * i < @extent. */
static void
keep_where (gint64 value, gint64 coef, gint64 extent, gint64 *first,
            gint64 *end)
{
  if (coef < 0) /* 0 <= extent - 1 - value - coef * i < extent */
    {
      keep_where (extent - 1 - value, -coef, extent, first, end);
      return;
    }
  if (coef > 0)
    {
      *first = MAX (*first, divide_up (-value, coef));
      *end = MIN (*end, divide_up (extent - value, coef));
    }
  else if (value < 0 || value >= extent)
    *end = *first;
}

/* Where all guards hold. What of it stays zero is not touched. */
static void
find_guarded (const Walk *walk, const gint64 *at, gint64 *first, gint64 *end)
{
  const TpNest *nest = walk->pack->nest;
  const TpAccess *load = &nest->loads[0];

  for (int i = 0; i < load->n_guards; i++)
    {
      const TpGuard *guard = &load->guards[i];
      gint64 value = guard->offset;

      for (int j = 0; j < nest->n_axes; j++)
        if (j != walk->last)
          value += guard->coef[j] * at[j];
      keep_where (value, walk->last >= 0 ? guard->coef[walk->last] : 0,
                  guard->extent, first, end);
    }
}

/* All points with the given outer counters. */
static void
run_row (const Walk *walk, const gint64 *at, const char *src, char *dst)
{
  const TpNest *nest = walk->pack->nest;
  const TpAccess *load = &nest->loads[0], *store = &nest->store;
  gint64 from = load->offset, to = store->offset;
  gint64 first = 0, end = walk->last >= 0 ? nest->axes[walk->last].extent : 1;
  Row row = { 0 };

  find_guarded (walk, at, &first, &end);
  if (first >= end)
    return;
  if (walk->last >= 0)
    {
      row.from_step = load->stride[walk->last];
      row.to_step = store->stride[walk->last];
    }
  for (int i = 0; i < nest->n_axes; i++)
    if (i != walk->last)
      {
        from += load->stride[i] * at[i];
        to += store->stride[i] * at[i];
      }
  from += first * row.from_step;
  to += first * row.to_step;
  row.src = src + from * (gint64) tp_dtype_get_size (load->dtype);
  row.dst = dst + to * (gint64) tp_dtype_get_size (store->dtype);
  row.n = end - first;
  copy_row (walk->pack, &row);
}

gint64
tp_pack_count_rows (const TpPack *pack)
{
  gint64 n = 1;
  Walk walk;

  walk_init (&walk, pack);
  for (int i = 0; i < walk.n_axes - 1; i++)
    n *= pack->nest->axes[walk.axes[i]].extent;
  return n;
}

void
tp_pack_run_rows (const TpPack *pack, const void *src, void *dst, gint64 first,
                  gint64 end)
{
  gint64 at[TP_NEST_MAX_AXES] = { 0 };
  Walk walk;

  walk_init (&walk, pack);
  walk_to (&walk, first, at);
  for (gint64 row = first; row < end; row++)
    {
      run_row (&walk, at, src, dst);
      walk_on (&walk, at);
    }
}

/* ---- sums of columns --------------------------------------------------- */

static void
add_sums (const TpPackDots *dots, guint8 *panel)
{
  const gint8 *steps = (const gint8 *) (panel + 4 * dots->width);

  for (gint64 i = 0; i < dots->width; i++)
    {
      guint32 sum = 0;

      for (gint64 k = 0; k < dots->n_steps; k++)
        for (int j = 0; j < 4; j++)
          sum += (guint32) steps[4 * (k * dots->width + i) + j];
      for (int j = 0; j < 4; j++)
        panel[4 * i + j] = (guint8) (sum >> 8 * j);
    }
}

gint64
tp_pack_get_bytes (const TpPack *pack)
{
  return pack->n_elements
         * (gint64) tp_dtype_get_size (pack->nest->store.dtype);
}

/* Whether there are positions that no point of the nest writes. */
static gboolean
has_gaps (const TpPack *pack)
{
  const TpNest *nest = pack->nest;
  const TpAccess *load = &nest->loads[0];
  gint64 n = pack->square.n_from > 0 ? pack->square.n_to * pack->square.n_to : 1;

  for (int i = 0; i < nest->n_axes; i++)
    n *= nest->axes[i].extent;
  for (int i = 0; i < load->n_guards; i++)
    {
      gint64 low = load->guards[i].offset, high = low;

      for (int j = 0; j < nest->n_axes; j++)
        {
          gint64 reach = load->guards[i].coef[j] * (nest->axes[j].extent - 1);

          low += MIN (reach, 0);
          high += MAX (reach, 0);
        }
      if (low < 0 || high >= load->guards[i].extent)
        return TRUE;
    }
  return n < pack->n_elements;
}

void
tp_pack_begin (const TpPack *pack, void *dst)
{
  if (has_gaps (pack))
    memset (dst, 0, tp_pack_get_bytes (pack));
}

void
tp_pack_end (const TpPack *pack, void *dst)
{
  gint64 size = 4 * pack->dots.width * (pack->dots.n_steps + 1);

  for (gint64 i = 0; size > 0 && i < pack->n_elements; i += size)
    add_sums (&pack->dots, (guint8 *) dst + i);
}

void
tp_pack_run (const TpPack *pack, const void *src, void *dst)
{
  tp_pack_begin (pack, dst);
  tp_pack_run_rows (pack, src, dst, 0, tp_pack_count_rows (pack));
  tp_pack_end (pack, dst);
}
