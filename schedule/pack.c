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

static void
transform (const TpPackSquare *square, const float *src, float *dst)
{
  const double *matrix = square->matrix;
  int n = square->n_from;
  double half[TP_PACK_MAX_SIDE][TP_PACK_MAX_SIDE] = { { 0.0 } };

  for (int i = 0; i < square->n_to; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        half[i][j] += matrix[i * n + k]
                      * src[k * square->from_stride[0]
                            + j * square->from_stride[1]];
  for (int i = 0; i < square->n_to; i++)
    for (int j = 0; j < square->n_to; j++)
      {
        double sum = 0.0;

        for (int k = 0; k < n; k++)
          sum += half[i][k] * matrix[j * n + k];
        dst[i * square->to_stride[0] + j * square->to_stride[1]] = sum;
      }
}

/* All points with the given outer counters; the last axis is a plain loop. */
static void
run_row (const TpPack *pack, gint64 *at, const float *src, float *dst)
{
  const TpNest *nest = pack->nest;
  const TpAccess *load = &nest->loads[0];
  int last = nest->n_axes - 1;
  gint64 from = load->offset, to = nest->store.offset;
  gint64 n = last < 0 ? 1 : nest->axes[last].extent;

  for (int i = 0; i < last; i++)
    {
      from += load->stride[i] * at[i];
      to += nest->store.stride[i] * at[i];
    }
  for (gint64 i = 0; i < n; i++)
    {
      if (last >= 0)
        at[last] = i;
      if (load->n_guards > 0 && !guards_hold (nest, load, at))
        ;                     /* stays zero */
      else if (pack->square.n_from > 0)
        transform (&pack->square, src + from, dst + to);
      else
        dst[to] = src[from];
      from += last < 0 ? 0 : load->stride[last];
      to += last < 0 ? 0 : nest->store.stride[last];
    }
}

void
tp_pack_run (const TpPack *pack, const float *src, float *dst)
{
  const TpNest *nest = pack->nest;
  gint64 at[TP_NEST_MAX_AXES] = { 0 };
  int axis;

  memset (dst, 0, pack->n_elements * sizeof *dst);
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
}
