/* real-parts.c: see real-parts.h. GPUs are fast at multiply-adds of float32, which are exact
 * up to 2^24: so many products of bytes are a part of a sum, and the parts are added up as
 * integers. */
#include "config.h"

#include "schedule/real-parts.h"

#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"
#include "schedule/nest-real.h"
#include "schedule/parts.h"

#define LEAST_TERMS 16        /* of a part: else its sum is as much work */
#define MOST_SUMS (1 << 26)   /* of all parts */

static gint64
count_points (const TpNest *nest, gboolean is_reduce)
{
  double n = 1.0;

  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce == !is_reduce)
      n *= (double) nest->axes[i].extent;
  return n < 0x1p62 ? (gint64) n : G_MAXINT64;
}

/* Is a factor the same for all results? Memory is the limit of such sums. */
static gboolean
is_vector (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, nest->stages[0].expr);

  for (int i = 0; i < nest->n_loads; i++)
    {
      gboolean walks[2] = { FALSE, FALSE };

      for (int j = 0; used[i] && j < nest->n_axes; j++)
        walks[nest->axes[j].is_reduce] |= nest->loads[i].stride[j] != 0;
      if (walks[TRUE] && !walks[FALSE])
        return TRUE;
    }
  return FALSE;
}

gboolean
tp_real_parts_is_one (const TpBuild *build, const TpNest *nest)
{
  return tp_target_is_gpu (build->target)
         && count_points (nest, TRUE) <= tp_nest_count_small_terms (nest);
}

/* The reduce axis to cut, so that its pieces, @out_extent long, and all of the other axes
 * are as much as a part may be; the longest pieces, that divide it. */
static int
find_cut (const TpNest *nest, gint64 most, gint64 *out_extent)
{
  gint64 all = count_points (nest, TRUE), best = 0;
  int axis = -1;

  for (int i = 0; i < nest->n_axes; i++)
    {
      gint64 extent = nest->axes[i].extent, others, piece;

      if (!nest->axes[i].is_reduce)
        continue;
      others = all / extent;
      for (piece = MIN (most / others, extent); piece > 0 && extent % piece != 0;)
        piece--;
      if (piece * others <= best)
        continue;
      best = piece * others;
      axis = i;
      *out_extent = piece;
    }
  return best >= LEAST_TERMS ? axis : -1;
}

/* Sums lie as results do. */
static TpPartsOrder
order_sums (const TpNest *nest)
{
  TpPartsOrder order = { 0 };

  for (int i = 0; i < nest->n_axes; i++)
    {
      int at = order.n;

      if (nest->axes[i].is_reduce)
        continue;
      for (; at > 0
             && ABS (nest->store.stride[order.axes[at - 1]])
                    > ABS (nest->store.stride[i]);
           at--)
        order.axes[at] = order.axes[at - 1];
      order.axes[at] = i;
      order.n++;
    }
  return order;
}

gboolean
tp_real_parts_cut (TpBuild *build, const TpNest *nest, TpNest **out_part,
                   TpNest **out_sum)
{
  gint64 most = tp_nest_count_small_terms (nest), all = count_points (nest, TRUE);
  const TpPartsOrder order = order_sums (nest);
  g_autoptr (TpNest) copy = NULL;
  TpNest *sum;
  gint64 extent = 0;
  int axis;

  if (!tp_target_is_gpu (build->target) || most == 0 || all <= most
      || nest->n_axes == TP_NEST_MAX_AXES || tp_nest_covers_reduce (nest))
    return FALSE;
  axis = is_vector (nest) ? -1 : find_cut (nest, most, &extent);
  if (axis < 0
      || count_points (nest, FALSE) > MOST_SUMS / (nest->axes[axis].extent / extent))
    return FALSE;
  copy = tp_nest_copy (nest);
  axis = tp_nest_split_axis (copy, axis, extent);
  copy->axes[axis].is_reduce = FALSE;
  copy->stages[0].is_small = TRUE;
  *out_part = tp_nest_make_real (copy);
  if (*out_part == NULL)
    return FALSE;
  tp_parts_divide (&order, build, *out_part, axis);
  *out_sum = sum = tp_parts_make_sum (nest, *out_part, axis);
  sum->stages[0].expr = tp_nest_add_small_integer (sum, sum->stages[0].expr);
  return TRUE;
}
