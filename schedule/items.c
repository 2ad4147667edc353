/* items.c: what the work-items of a GPU read at once, and again. */
#include "config.h"

#include "schedule/items.h"

#include "schedule/nest-canon.h"

static gboolean
is_vector (const TpNest *nest, const TpAccess *load, int axis)
{
  return tp_nest_is_plain_along (nest, load, axis)
         && (load->stride[axis] == 0 || load->stride[axis] == 1);
}

int
tp_items_find_inner_axis (const TpNest *nest)
{
  int axis = nest->n_axes - 1;

  while (axis >= 0
         && (nest->axes[axis].is_reduce || nest->store.stride[axis] != 1))
    axis--;
  return axis;
}

int
tp_items_find_vector_axis (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  int axis = tp_items_find_inner_axis (nest);

  if (axis < 0 || nest->axes[axis].extent % TP_ITEMS_VECTOR != 0)
    return -1;
  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && !is_vector (nest, &nest->loads[i], axis))
      return -1;
  return axis;
}

static gboolean
is_access_aligned (const TpNest *nest, const TpAccess *access, int vaxis)
{
  if (access->stride[vaxis] == 0)
    return TRUE;
  for (int i = 0; i < nest->n_axes; i++)
    if (i != vaxis && access->stride[i] % TP_ITEMS_VECTOR != 0)
      return FALSE;
  return access->offset % TP_ITEMS_VECTOR == 0
         && access->step % TP_ITEMS_VECTOR == 0
         && (access->index < 0 || access->index_stride % TP_ITEMS_VECTOR == 0);
}

gboolean
tp_items_is_aligned (const TpNest *nest, int vaxis)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && !is_access_aligned (nest, &nest->loads[i], vaxis))
      return FALSE;
  return is_access_aligned (nest, &nest->store, vaxis);
}

gint64
tp_items_count_points (const TpNest *nest)
{
  gint64 n = 1;

  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce)
      n *= nest->axes[i].extent;
  return n;
}

/* ---- windows ------------------------------------------------------------ */

static gint64
count_apart (const TpNest *nest, const TpAccess *load, int axis, int reduce)
{
  gint64 step = load->stride[axis], reach = load->stride[reduce];
  gint64 most = (nest->axes[reduce].extent - 1) * reach;
  gint64 points = MIN (nest->axes[axis].extent, TP_ITEMS_MAX_TILE);

  if (step <= 0 || reach <= 0 || nest->axes[axis].is_reduce
      || !nest->axes[reduce].is_reduce)
    return 0;
  for (gint64 i = 1; i < points && i * step <= most; i++)
    if (i * step % reach == 0)
      return i;
  return 0;
}

gint64
tp_items_find_overlap (const TpNest *nest, const gboolean *used, int axis,
                       int reduce)
{
  for (int i = 0; i < nest->n_loads; i++)
    {
      gint64 apart = used[i] ? count_apart (nest, &nest->loads[i], axis, reduce)
                             : 0;

      if (apart > 0)
        return apart;
    }
  return 0;
}

gboolean
tp_items_has_overlaps (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_axes; i++)
    for (int r = 0; r < nest->n_axes; r++)
      if (tp_items_find_overlap (nest, used, i, r) > 0)
        return TRUE;
  return FALSE;
}
