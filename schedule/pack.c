/* pack.c: packs run on the host in plain C. */
#include "config.h"

#include "schedule/pack.h"

#include <string.h>

static gboolean
guards_hold (const TpNest *nest, const TpAccess *load, const gint64 *at)
{
  for (int i = 0; i < load->n_guards; i++)
    {
      const TpGuard *guard = &load->guards[i];
      gint64 value = guard->offset;

      for (int j = 0; j < nest->n_axes; j++)
        value += guard->coef[j] * at[j];
      if (value < 0 || value >= guard->extent)
        return FALSE;
    }
  return TRUE;
}

/* One square at @src, of elements of @dtype. */
static void
transform (const TpPackSquare *square, TpDtype dtype, const char *src,
           float *dst)
{
  const double *matrix = square->matrix;
  gint64 size = (gint64) tp_dtype_get_size (dtype);
  int n = square->n_from;
  double half[TP_PACK_MAX_SIDE][TP_PACK_MAX_SIDE] = { { 0.0 } };
  double row[TP_PACK_MAX_SIDE];

  for (int k = 0; k < n; k++)
    {
      tp_dtype_load_doubles (dtype, src + k * square->from_stride[0] * size,
                             square->from_stride[1], n, row);
      for (int i = 0; i < square->n_to; i++)
        for (int j = 0; j < n; j++)
          half[i][j] += matrix[i * n + k] * row[j];
    }
  for (int i = 0; i < square->n_to; i++)
    for (int j = 0; j < square->n_to; j++)
      {
        double sum = 0.0;

        for (int k = 0; k < n; k++)
          sum += half[i][k] * matrix[j * n + k];
        dst[i * square->to_stride[0] + j * square->to_stride[1]] = (float) sum;
      }
}

/* What is copied along the last axis; steps are in elements. */
typedef struct
{
  const char *src;
  char *dst;
  gint64 from_step, to_step, n;
} Row;

static void
copy_flipped (const Row *row, guint8 flip)
{
  const guint8 *src = (const guint8 *) row->src;
  guint8 *dst = (guint8 *) row->dst;

  for (gint64 i = 0; i < row->n; i++)
    dst[i * row->to_step] = src[i * row->from_step] ^ flip;
}

/* What of it stays zero is not touched. */
static void
run_guarded (const TpPack *pack, gint64 *at, const Row *row)
{
  const TpNest *nest = pack->nest;
  const TpAccess *load = &nest->loads[0];
  gint64 size = (gint64) tp_dtype_get_size (load->dtype);
  gint64 to_size = (gint64) tp_dtype_get_size (nest->store.dtype);
  int last = nest->n_axes - 1;

  for (gint64 i = 0; i < row->n; i++)
    {
      const char *src = row->src + i * row->from_step * size;
      char *dst = row->dst + i * row->to_step * to_size;

      if (last >= 0)
        at[last] = i;
      if (!guards_hold (nest, load, at))
        continue;
      if (pack->square.n_from > 0)
        transform (&pack->square, load->dtype, src, (float *) (void *) dst);
      else if (pack->dots.width > 0)
        *(guint8 *) dst = *(const guint8 *) src ^ pack->dots.flip;
      else
        memcpy (dst, src, size);
    }
}

/* All points with the given outer counters; the last axis is a plain loop. */
static void
run_row (const TpPack *pack, gint64 *at, const char *src, char *dst)
{
  const TpNest *nest = pack->nest;
  const TpAccess *load = &nest->loads[0];
  gint64 from_size = (gint64) tp_dtype_get_size (load->dtype);
  gint64 to_size = (gint64) tp_dtype_get_size (nest->store.dtype);
  int last = nest->n_axes - 1;
  gint64 from = load->offset, to = nest->store.offset;
  Row row = { .from_step = last < 0 ? 0 : load->stride[last],
              .to_step = last < 0 ? 0 : nest->store.stride[last],
              .n = last < 0 ? 1 : nest->axes[last].extent };

  for (int i = 0; i < last; i++)
    {
      from += load->stride[i] * at[i];
      to += nest->store.stride[i] * at[i];
    }
  row.src = src + from * from_size;
  row.dst = dst + to * to_size;
  if (load->n_guards > 0 || pack->square.n_from > 0)
    run_guarded (pack, at, &row);
  else if (from_size == sizeof (guint8))
    copy_flipped (&row, pack->dots.flip);
  else
    {
      const TpElementCopy copy
          = { row.src, row.dst, row.from_step, row.to_step, row.n };

      tp_dtype_copy (load->dtype, &copy);
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

void
tp_pack_run (const TpPack *pack, const void *src, void *dst)
{
  const TpNest *nest = pack->nest;
  gint64 at[TP_NEST_MAX_AXES] = { 0 };
  int axis;

  memset (dst, 0, tp_pack_get_bytes (pack));
  do
    {
      run_row (pack, at, src, dst);
      for (axis = nest->n_axes - 2; axis >= 0; axis--)
        {
          if (++at[axis] < nest->axes[axis].extent)
            break;
          at[axis] = 0;
        }
    }
  while (axis >= 0);
  if (pack->dots.width > 0)
    {
      gint64 size = 4 * pack->dots.width * (pack->dots.n_steps + 1);

      for (gint64 i = 0; i < pack->n_elements; i += size)
        add_sums (&pack->dots, (guint8 *) dst + i);
    }
}
