/* contract-fours.c: w of a contraction of bytes packed by fours. */
#include "config.h"

#include "schedule/contract-fours.h"

#define FOUR 4
#define FLIP 0x80             /* makes the other sign of a byte */

gint64
tp_contract_fours_count_head (const TpContractPlan *plan)
{
  return FOUR * tp_contract_plan_width (plan);
}

gint64
tp_contract_fours_count_panel (const TpContractPlan *plan)
{
  return tp_contract_fours_count_head (plan) * (plan->c->k_total + 1);
}

/* A copy of w under construction. */
typedef struct
{
  const TpContract *c;
  TpNest *nest;
  const TpAccess *from;       /* w, as it is */
  TpAccess *to;               /* as it will be */
} Pack;

/* An axis of the copy, as @axis of the contraction: @from and @to from one point to the
 * next. */
static int
add_axis (Pack *self, gint64 extent, gint64 from, gint64 to)
{
  int at = tp_nest_add_axis (self->nest, extent, FALSE);

  self->nest->loads[0].stride[at] = from;
  self->nest->store.stride[at] = to;
  return at;
}

/* Points of the axes @outer and @inner together, some of which are not there. */
static void
add_guard (Pack *self, int outer, int inner, gint64 extent)
{
  TpAccess *load = &self->nest->loads[0];
  gint64 n = self->nest->axes[inner].extent;
  TpGuard *guard = &load->guards[load->n_guards];

  if (self->nest->axes[outer].extent * n == extent)
    return;
  load->n_guards++;
  guard->coef[outer] = n;
  guard->coef[inner] = 1;
  guard->extent = extent;
}

/* Axes of K, inner ones first, and those of w alone: the last one of K by fours, whose
 * elements lie together. */
static gint64
add_steps (Pack *self, gint64 size)
{
  const TpContract *c = self->c;
  int last = c->k_axes[c->n_k - 1], four, step;
  gint64 extent = c->nest->axes[last].extent, n = (extent + FOUR - 1) / FOUR;

  four = add_axis (self, FOUR, self->from->stride[last], 1);
  step = add_axis (self, n, FOUR * self->from->stride[last], size);
  add_guard (self, step, four, extent);
  self->to->stride[last] = size;
  size *= n;
  for (int i = c->n_k - 2; i >= 0; i--)
    {
      int axis = c->k_axes[i];

      add_axis (self, c->nest->axes[axis].extent, self->from->stride[axis],
                size);
      self->to->stride[axis] = size;
      size *= c->nest->axes[axis].extent;
    }
  return size;
}

static gint64
add_outer (Pack *self, gint64 size)
{
  const TpContract *c = self->c;

  for (int i = 0; i < c->n_outer; i++)
    {
      int axis = c->outer[i];

      if (self->from->stride[axis] == 0)
        continue;
      add_axis (self, c->nest->axes[axis].extent, self->from->stride[axis],
                size);
      self->to->stride[axis] = size;
      size *= c->nest->axes[axis].extent;
    }
  return size;
}

void
tp_contract_fours_pack (TpContractPlan *plan, TpBuild *build)
{
  const TpContract *c = plan->c;
  TpAccess *to = &plan->nest->loads[c->w_load];
  const TpAccess *from = &c->nest->loads[c->w_load];
  gint64 nr = tp_contract_plan_width (plan), n = (c->n_total + nr - 1) / nr;
  gint64 size = tp_contract_fours_count_panel (plan);
  TpPackDots dots = { .width = nr, .n_steps = c->k_total };
  Pack self = { c, tp_nest_new (), from, to };
  g_autoptr (TpNest) nest = self.nest;
  TpAccess *load = tp_nest_add_load (nest, from->operand);
  int panel, column;

  load->dtype = nest->store.dtype = from->dtype;
  load->offset = from->offset;
  nest->store.offset = tp_contract_fours_count_head (plan);
  if (from->dtype == TPLAN_DTYPE_UINT8)
    dots.flip = FLIP;
  add_steps (&self, tp_contract_fours_count_head (plan));
  panel = add_axis (&self, n, nr * from->stride[c->n_axis], size);
  size = add_outer (&self, n * size);
  column = add_axis (&self, nr, from->stride[c->n_axis], FOUR);
  add_guard (&self, panel, column, c->n_total);
  nest->result = tp_nest_load (nest, 0);
  to->operand = tp_build_add_dots (build, from->operand, size,
                                   g_steal_pointer (&nest), &dots);
  to->offset = 0;
  to->stride[c->n_axis] = FOUR;
}
