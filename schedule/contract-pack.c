/* contract-pack.c: w copied into panels, once if it is constant. */
#include "config.h"

#include "schedule/contract-pack.h"

#include "schedule/contract-fours.h"

/* The copy of w into panels: [outer axes of w][panel][K][panel width]; the
 * panels from @first on, @n of them, @width wide. Sets the strides of
 * @packed, a w load, to those of the copy. */
static TpNest *
new_pack_nest (const TpContractPlan *plan, gint64 first, gint64 n, gint64 width,
               TpAccess *packed)
{
  const TpContract *c = plan->c;
  const TpAccess *w = &c->nest->loads[c->w_load];
  const TpAxis *axes = c->nest->axes;
  gint64 nr = tp_contract_plan_width (plan), step = w->stride[c->n_axis];
  gint64 n_panels = (c->n_total + nr - 1) / nr, size = nr;
  g_autoptr (TpNest) nest = tp_nest_new ();
  TpAccess *load = tp_nest_add_load (nest, w->operand);
  int order[TP_NEST_MAX_AXES], n_order = 0, at;

  for (int i = c->n_k - 1; i >= 0; i--)
    order[n_order++] = c->k_axes[i];
  for (int i = 0; i < c->n_outer; i++)
    if (w->stride[c->outer[i]] != 0)
      order[n_order++] = c->outer[i];
  load->dtype = nest->store.dtype = w->dtype;
  load->offset = w->offset + first * nr * step;
  nest->store.offset = first * nr * c->k_total;
  for (int i = 0; i < n_order; i++)
    {
      if (i == c->n_k)
        size *= n_panels;
      at = tp_nest_add_axis (nest, axes[order[i]].extent, FALSE);
      load->stride[at] = w->stride[order[i]];
      nest->store.stride[at] = size;
      packed->stride[order[i]] = size;
      size *= axes[order[i]].extent;
    }
  at = tp_nest_add_axis (nest, n, FALSE);
  load->stride[at] = nr * step;
  nest->store.stride[at] = nr * c->k_total;
  at = tp_nest_add_axis (nest, width, FALSE);
  load->stride[at] = step;
  nest->store.stride[at] = 1;
  nest->result = tp_nest_load (nest, 0);
  return g_steal_pointer (&nest);
}

static gint64
count_packed (const TpContractPlan *plan)
{
  const TpContract *c = plan->c;
  gint64 nr = tp_contract_plan_width (plan);
  gint64 n = (c->n_total + nr - 1) / nr * nr * c->k_total;

  for (int i = 0; i < c->n_outer; i++)
    if (c->nest->loads[c->w_load].stride[c->outer[i]] != 0)
      n *= c->nest->axes[c->outer[i]].extent;
  return n;
}

/* One nest for all panels: the last one is cut short by a guard. */
static TpNest *
new_constant_pack (const TpContractPlan *plan, TpAccess *packed)
{
  const TpContract *c = plan->c;
  gint64 nr = tp_contract_plan_width (plan);
  TpNest *nest = new_pack_nest (plan, 0, (c->n_total + nr - 1) / nr, nr,
                                packed);
  TpGuard *guard = &nest->loads[0].guards[0];

  if (c->n_total % nr != 0)
    {
      nest->loads[0].n_guards = 1;
      guard->coef[nest->n_axes - 2] = nr;
      guard->coef[nest->n_axes - 1] = 1;
      guard->extent = c->n_total;
    }
  return nest;
}

/* Steps that pack w when the program runs. What lies past N is left as it is:
 * it meets only lanes that are never stored. */
static int
add_pack_steps (const TpContractPlan *plan, TpBuild *build, TpAccess *packed)
{
  const TpContract *c = plan->c;
  gint64 nr = tp_contract_plan_width (plan), n_full = c->n_total / nr;
  int workspace
      = tp_build_add_workspace (build, packed->dtype, count_packed (plan));

  if (n_full > 0)
    {
      g_autoptr (TpNest) full = new_pack_nest (plan, 0, n_full, nr, packed);

      full->store.operand = workspace;
      build->schedule (build, full);
    }
  if (c->n_total % nr != 0)
    {
      g_autoptr (TpNest) rest
          = new_pack_nest (plan, n_full, 1, c->n_total % nr, packed);

      rest->store.operand = workspace;
      build->schedule (build, rest);
    }
  return workspace;
}

/* As panels: of constants by a pack, else by steps. */
static void
pack_w (TpContractPlan *plan, TpBuild *build)
{
  TpAccess *w = &plan->nest->loads[plan->c->w_load];
  TpAccess packed = *w;

  if (plan->c->is_w_constant)
    {
      TpNest *nest = new_constant_pack (plan, &packed);

      packed.operand = tp_build_add_pack (build, w->operand,
                                          count_packed (plan), nest, NULL);
    }
  else
    packed.operand = add_pack_steps (plan, build, &packed);
  packed.offset = 0;
  packed.stride[plan->c->n_axis] = 1;
  *w = packed;
}

void
tp_contract_pack (TpContractPlan *plan, TpBuild *build, gboolean is_packed)
{
  gint64 width = tp_contract_plan_width (plan);

  plan->is_packed = is_packed;
  if (plan->c->is_bytes)
    {
      plan->w_panel = tp_contract_fours_count_panel (plan);
      tp_contract_fours_pack (plan, build);
      tp_contract_plan_merge_loops (plan);
      return;
    }
  plan->w_panel = is_packed ? width * plan->c->k_total : width;
  if (is_packed)
    pack_w (plan, build);
  tp_contract_plan_merge_loops (plan);
}
