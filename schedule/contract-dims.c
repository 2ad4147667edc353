/* contract-dims.c: the dimensions of staged x: which axes walk it together. */
#include "config.h"

#include "schedule/contract-dims.h"

#include "schedule/nest-canon.h"

#include <string.h>

gboolean
tp_contract_is_staged_axis (const TpContract *c, int axis)
{
  return axis == c->row_axis || axis == c->col_axis
         || c->nest->axes[axis].is_reduce;
}

/* Every load of x walks the axes of @dim in proportion to its coefficients. */
static gboolean
loads_agree (const TpContract *c, const TpStageDim *dim)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (c->nest, c->x_expr);

  for (int i = 0; i < c->nest->n_loads; i++)
    {
      const TpAccess *load = &c->nest->loads[i];
      gint64 scale = load->stride[dim->carrier];

      for (int a = 0; used[i] && a < c->nest->n_axes; a++)
        if (dim->coef[a] != 0 && load->stride[a] != scale * dim->coef[a])
          return FALSE;
    }
  return TRUE;
}

/* Adds the dimension with these coefficients, unless it is there. FALSE: it
 * cannot be staged, or overlaps another. */
static gboolean
add_dim (TpContract *c, const gint64 *coef, gint64 offset, gint64 extent,
         gboolean *done)
{
  const TpNest *nest = c->nest;
  TpStageDim dim = { .carrier = -1, .offset = offset, .extent = extent };
  int n_tiled = 0;

  memcpy (dim.coef, coef, sizeof dim.coef);
  for (int d = 0; d < c->n_dims; d++)
    if (memcmp (c->dims[d].coef, coef, sizeof dim.coef) == 0)
      return c->dims[d].offset == offset && c->dims[d].extent == extent;
  for (int i = 0; i < nest->n_axes; i++)
    {
      if (coef[i] == 0)
        continue;
      if (!tp_contract_is_staged_axis (c, i) || coef[i] < 0 || done[i])
        return FALSE;
      if (coef[i] == 1)
        dim.carrier = i;
      n_tiled += !nest->axes[i].is_reduce;
      done[i] = TRUE;
    }
  if (dim.carrier < 0 || n_tiled > 1 || !loads_agree (c, &dim))
    return FALSE;
  dim.scale = nest->loads[c->x_load].stride[dim.carrier];
  c->dims[c->n_dims++] = dim;
  return TRUE;
}

static gboolean
add_guard_dims (TpContract *c, gboolean *done)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (c->nest, c->x_expr);

  for (int i = 0; i < c->nest->n_loads; i++)
    for (int j = 0; used[i] && j < c->nest->loads[i].n_guards; j++)
      {
        const TpGuard *guard = &c->nest->loads[i].guards[j];
        gint64 coef[TP_NEST_MAX_AXES] = { 0 };

        memcpy (coef, guard->coef, c->nest->n_axes * sizeof *coef);
        if (!add_dim (c, coef, guard->offset, guard->extent, done))
          return FALSE;
      }
  return TRUE;
}

/* A window without padding: a tiled axis and a reduce axis that walk the same
 * dimension, told by their strides. */
static void
add_window_dims (TpContract *c, gboolean *done)
{
  const TpNest *nest = c->nest;
  const gint64 *stride = nest->loads[c->x_load].stride;

  for (int m = 0; m < nest->n_axes; m++)
    for (int i = 0; i < c->n_k && !done[m]; i++)
      {
        int k = c->k_axes[i];
        gint64 coef[TP_NEST_MAX_AXES] = { 0 }, unit, size;

        if (nest->axes[m].is_reduce || !tp_contract_is_staged_axis (c, m)
            || done[k] || stride[m] <= 0 || stride[k] <= 0)
          continue;
        unit = MIN (stride[m], stride[k]);
        coef[m] = stride[m] / unit;
        coef[k] = stride[k] / unit;
        size = coef[m] * (nest->axes[m].extent - 1)
               + coef[k] * (nest->axes[k].extent - 1) + 1;
        if (stride[m] % unit == 0 && stride[k] % unit == 0 && coef[m] <= 8
            && coef[k] <= 8
            && size < nest->axes[m].extent * nest->axes[k].extent)
          add_dim (c, coef, 0, size, done);
      }
}

static gboolean
add_single_dims (TpContract *c, gboolean *done)
{
  for (int i = 0; i < c->nest->n_axes; i++)
    {
      gint64 coef[TP_NEST_MAX_AXES] = { 0 };

      coef[i] = 1;
      if (tp_contract_is_staged_axis (c, i) && !done[i]
          && !add_dim (c, coef, 0, c->nest->axes[i].extent, done))
        return FALSE;
    }
  return TRUE;
}

static int
compare_dims (const void *a, const void *b)
{
  gint64 x = ABS (((const TpStageDim *) a)->scale);
  gint64 y = ABS (((const TpStageDim *) b)->scale);

  return x < y ? 1 : x > y ? -1 : 0;
}

static gboolean
has_guard (const TpContract *c)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (c->nest, c->x_expr);

  for (int i = 0; i < c->nest->n_loads; i++)
    if (used[i] && c->nest->loads[i].n_guards > 0)
      return TRUE;
  return FALSE;
}

gboolean
tp_contract_find_dims (TpContract *c)
{
  gboolean done[TP_NEST_MAX_AXES] = { FALSE };

  c->n_dims = 0;
  c->fill = 0.0;
  if (has_guard (c) && !tp_nest_find_outside (c->nest, c->x_expr, &c->fill))
    return FALSE;
  if (!add_guard_dims (c, done))
    return FALSE;
  add_window_dims (c, done);
  if (!add_single_dims (c, done))
    return FALSE;
  qsort (c->dims, c->n_dims, sizeof c->dims[0], compare_dims);
  return TRUE;
}
