/* panels.c: axes cut into panels; equal packs are made once. */
#include "config.h"

#include "schedule/panels.h"

#include "schedule/nest-canon.h"

#include <string.h>

/* ---- what can be packed ------------------------------------------------ */

static gboolean
walks_axis (const TpNest *nest, const TpAccess *load, int axis)
{
  for (int i = 0; i < load->n_guards; i++)
    if (load->guards[i].coef[axis] != 0)
      return TRUE;
  return load->stride[axis] != 0 || tp_nest_index_walks (nest, load, axis);
}

static gboolean
is_packable (const TpBuild *build, const TpAccess *load)
{
  return load->n_guards == 0 && load->index < 0 && load->step == 0
         && tp_build_is_constant (build, load->operand);
}

gboolean
tp_panels_fit (const TpBuild *build, const TpNest *nest, int expr, int axis)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && walks_axis (nest, &nest->loads[i], axis)
        && !is_packable (build, &nest->loads[i]))
      return FALSE;
  return TRUE;
}

/* ---- packs ------------------------------------------------------------- */

/* An axis of @extent that was cut. */
typedef struct
{
  TpPanelCut given;
  int panels;                 /* the new axis */
  gint64 extent;
} Cut;

/* An axis of @copy, from @from to @stride, which *@out_stride becomes too. */
static int
add_axis (TpNest *copy, gint64 extent, gint64 from, gint64 *out_stride,
          gint64 stride)
{
  int at = tp_nest_add_axis (copy, extent, FALSE);

  copy->loads[0].stride[at] = from;
  copy->store.stride[at] = *out_stride = stride;
  return at;
}

/* Of what @load reads along the axis that is @cut; @packed has the strides of the copy
 * then. */
static TpNest *
new_copy (const TpNest *nest, const TpAccess *load, const Cut *cut,
          TpAccess *packed)
{
  int axis = cut->given.axis, inner = cut->given.inner, at;
  g_autoptr (TpNest) copy = tp_nest_new ();
  TpAccess *from = tp_nest_add_load (copy, load->operand);
  gboolean has_inner = inner >= 0 && load->stride[inner] != 0;
  gint64 width = nest->axes[axis].extent;
  gint64 step = has_inner ? nest->axes[inner].extent : 1, n = width * step;

  from->offset = load->offset;
  from->dtype = copy->store.dtype = load->dtype;
  for (int i = nest->n_axes - 1; i >= 0; i--)
    {
      if (load->stride[i] == 0 || i == axis || i == cut->panels || i == inner)
        continue;
      add_axis (copy, nest->axes[i].extent, load->stride[i],
                &packed->stride[i], n);
      n *= nest->axes[i].extent;
    }
  add_axis (copy, nest->axes[cut->panels].extent, load->stride[cut->panels],
            &packed->stride[cut->panels], n);
  at = add_axis (copy, width, load->stride[axis], &packed->stride[axis], step);
  if (has_inner)
    add_axis (copy, step, load->stride[inner], &packed->stride[inner], 1);
  if (cut->extent % width != 0)
    {
      from->n_guards = 1;
      from->guards[0].coef[at - 1] = width;
      from->guards[0].coef[at] = 1;
      from->guards[0].extent = cut->extent;
    }
  copy->result = tp_nest_load (copy, 0);
  packed->offset = 0;
  return g_steal_pointer (&copy);
}

static gboolean
is_same_copy (const TpPack *pack, int operand, const TpNest *copy)
{
  return pack->operand == operand && pack->square.n_from == 0
         && pack->nest->n_axes == copy->n_axes
         && memcmp (pack->nest->axes, copy->axes,
                    copy->n_axes * sizeof copy->axes[0]) == 0
         && memcmp (&pack->nest->loads[0], &copy->loads[0],
                    sizeof copy->loads[0]) == 0
         && memcmp (&pack->nest->store, &copy->store, sizeof copy->store) == 0;
}

/* The source of a pack that does what @copy does; -1: there is none yet. */
static int
find_pack (const TpBuild *build, int operand, const TpNest *copy)
{
  for (guint i = 0; i < build->sources->len; i++)
    {
      const TpArg *arg = &tp_array_index (build->sources, TpSource, i).arg;

      if (arg->kind == TP_ARG_PACKED
          && is_same_copy (&tp_array_index (build->packs, TpPack, arg->index),
                           operand, copy))
        return (int) i;
    }
  return -1;
}

static void
pack_load (TpBuild *build, const TpNest *nest, TpAccess *load, const Cut *cut)
{
  TpAccess packed = *load;
  g_autoptr (TpNest) copy = new_copy (nest, load, cut, &packed);
  gint64 n = packed.stride[cut->panels] * nest->axes[cut->panels].extent;

  packed.operand = find_pack (build, load->operand, copy);
  if (packed.operand < 0)
    packed.operand = tp_build_add_pack (build, load->operand, n,
                                        g_steal_pointer (&copy), NULL);
  *load = packed;
}

int
tp_panels_cut (TpBuild *build, TpNest *nest, int expr, const TpPanelCut *given)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);
  gint64 width = given->width;
  Cut cut = { *given, -1, nest->axes[given->axis].extent };

  nest->axes[given->axis].extent = (cut.extent + width - 1) / width * width;
  cut.panels = tp_nest_split_axis (nest, given->axis, width);
  if (cut.panels < 0)
    {
      nest->axes[given->axis].extent = cut.extent;
      return -1;
    }
  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].stride[given->axis] != 0)
      pack_load (build, nest, &nest->loads[i], &cut);
  return cut.panels;
}
