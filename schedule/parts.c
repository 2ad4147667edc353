/* parts.c: nests before and after the sums of parts. */
#include "config.h"

#include "schedule/parts.h"

#include "nest/nest-expr.h"

static gint64
set_strides (const TpPartsOrder *order, const TpNest *nest, TpAccess *access)
{
  const TpExpr *sum = &nest->exprs[nest->stages[0].expr];
  gint64 n = 1;

  *access = (TpAccess){ .dtype = tp_expr_get_dtype (sum), .index = -1 };
  for (int i = 0; i < order->n; i++)
    {
      access->stride[order->axes[i]] = n;
      n *= nest->axes[order->axes[i]].extent;
    }
  return n;
}

void
tp_parts_divide (const TpPartsOrder *order, TpBuild *build, TpNest *nest,
                 int axis)
{
  TpAccess store;
  gint64 n = set_strides (order, nest, &store);

  store.stride[axis] = n;
  store.operand = tp_build_add_workspace (build, store.dtype,
                                          n * nest->axes[axis].extent);
  nest->store = store;
  nest->result = tp_nest_stage (nest, 0);
}

TpNest *
tp_parts_make_sum (const TpNest *whole, const TpNest *divided, int axis)
{
  TpNest *nest = tp_nest_copy (whole);
  TpAccess *load;

  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      nest->axes[i].extent = 1;
  tp_nest_add_axis (nest, divided->axes[axis].extent, TRUE);
  load = tp_nest_add_load (nest, divided->store.operand);
  *load = divided->store;
  nest->stages[0].expr = tp_nest_load (nest, nest->n_loads - 1);
  return nest;
}

void
tp_parts_add_up (TpBuild *build, const TpNest *whole, const TpNest *divided,
                 int axis)
{
  g_autoptr (TpNest) nest = tp_parts_make_sum (whole, divided, axis);

  build->schedule (build, nest);
}
