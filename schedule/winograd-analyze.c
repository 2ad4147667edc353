/* winograd-analyze.c: is a nest a convolution with windows of 3 x 3, stride 1,
 * dilation 1, one group and constant filters; on CPUs channels innermost? */
#include "config.h"

#include "schedule/winograd-analyze.h"

#include "ir/guard.h"
#include "schedule/contract-analyze.h"
#include "schedule/contract-dims.h"

/* The window's axis of @dim, which @axis walks point by point; -1: it is not
 * that. */
static int
find_window_axis (const TpContract *c, const TpStageDim *dim, int axis)
{
  int window = -1;

  if (dim->coef[axis] != 1)
    return -1;
  for (int i = 0; i < c->nest->n_axes; i++)
    {
      if (i == axis || dim->coef[i] == 0)
        continue;
      if (window >= 0 || dim->coef[i] != 1 || !c->nest->axes[i].is_reduce
          || c->nest->axes[i].extent != 3)
        return -1;
      window = i;
    }
  return window;
}

static const TpStageDim *
find_dim (const TpContract *c, int axis)
{
  for (int i = 0; i < c->n_dims; i++)
    if (c->dims[i].coef[axis] != 0)
      return &c->dims[i];
  return NULL;
}

/* Two dimensions with a window each, and channels. */
static gboolean
find_dims (TpWinograd *w)
{
  const TpContract *c = w->c;

  if (c->n_dims != 3 || c->n_k != 3)
    return FALSE;
  w->window_axes[0]
      = find_window_axis (c, find_dim (c, c->row_axis), c->row_axis);
  w->window_axes[1]
      = find_window_axis (c, find_dim (c, c->col_axis), c->col_axis);
  if (w->window_axes[0] < 0 || w->window_axes[1] < 0)
    return FALSE;
  for (int i = 0; i < c->n_k; i++)
    if (c->k_axes[i] != w->window_axes[0] && c->k_axes[i] != w->window_axes[1])
      w->channel_axis = c->k_axes[i];
  w->n_channels = c->nest->axes[w->channel_axis].extent;
  return TRUE;
}

/* All points share the filters. */
static gboolean
are_filters_fit (const TpContract *c)
{
  const TpAccess *filters = &c->nest->loads[c->w_load];

  for (int i = 0; i < c->n_outer; i++)
    if (filters->stride[c->outer[i]] != 0)
      return FALSE;
  return c->is_w_constant && !tp_dtype_is_integer (filters->dtype);
}

/* Vectors run along channels, in scratch and in the result. */
static gboolean
are_channels_last (const TpWinograd *w)
{
  return w->c->dims[2].carrier == w->channel_axis
         && w->c->nest->store.stride[w->c->n_axis] == 1;
}

/* Whether x is of whole numbers, which were integers: their sums are to be exact, and
 * those of halves and quarters of them, which filtering makes, might not be. */
static gboolean
is_x_whole (const TpContract *c)
{
  g_autofree gboolean *whole = tp_new0 (gboolean, c->x_expr + 1);

  for (int i = 0; i <= c->x_expr; i++)
    {
      const TpExpr *e = &c->nest->exprs[i];

      if (e->op == TP_EXPR_TO_REAL)
        whole[i] = TRUE;
      else if (e->op == TP_EXPR_CONST)
        whole[i] = !e->is_integer && e->value == (double) (gint64) e->value;
      else if (e->op == TP_EXPR_ADD || e->op == TP_EXPR_SUB)
        whole[i] = whole[e->a] && whole[e->b];
      else if (e->op == TP_EXPR_SELECT)
        whole[i] = whole[e->b] && whole[e->c];
    }
  return whole[c->x_expr];
}

TpWinograd *
tp_winograd_new (const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpWinograd) w = g_new0 (TpWinograd, 1);

  w->c = tp_contract_new (build, nest);
  w->is_relaxed = build->is_relaxed;
  if (w->c == NULL || w->c->row_axis < 0 || w->c->col_axis < 0
      || !are_filters_fit (w->c) || !tp_contract_find_dims (w->c)
      || !find_dims (w) || is_x_whole (w->c)
      || (!tp_target_is_gpu (build->target) && !are_channels_last (w)))
    return NULL;
  w->c->is_stageable = TRUE;
  return g_steal_pointer (&w);
}

void
tp_winograd_free (TpWinograd *w)
{
  if (w == NULL)
    return;
  tp_contract_free (w->c);
  g_free (w);
}
