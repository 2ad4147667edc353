/* schedule-contract-items.c: contractions with a work-item for a few rows and columns.
 * Items next to each other take neighbours along N, so that their loads join;
 * the points of one item lie a whole share of the axis apart. */
#include "config.h"

#include "schedule/contract.h"
#include "schedule/expr.h"
#include "schedule/schedule.h"

#define MAX_TILE 4

typedef struct
{
  const TpContract *c;
  int rows, cols;             /* points of an item along columns of x, N */
} ItemPlan;

/* The largest tile that divides @extent. */
static int
choose_points (gint64 extent)
{
  int n = MAX_TILE;

  while (extent % n != 0)
    n /= 2;
  return n;
}

static void
set_point (TpEmit *e, const ItemPlan *plan, int point)
{
  const TpContract *c = plan->c;

  if (c->cols.axis >= 0)
    e->axes[c->cols.axis].delta = point / plan->cols
                                  * (c->cols.extent / plan->rows);
  e->axes[c->n_axis].delta = point % plan->cols * (c->n_total / plan->cols);
}

static void
emit_item (TpEmit *e, const ItemPlan *plan)
{
  const TpContract *c = plan->c;
  int n = plan->rows * plan->cols;
  TpValue acc[MAX_TILE * MAX_TILE];

  for (int i = 0; i < n; i++)
    acc[i] = tp_k_f32 (e->kernel, 1, 0.0f);
  for (int i = 0; i < c->n_k; i++)
    {
      gint64 extent = c->nest->axes[c->k_axes[i]].extent;

      tp_emit_set_axis (e, c->k_axes[i], tp_emit_for_const (e, 0, extent, 1), 0,
                        extent - 1);
      for (int j = 0; j < n; j++)
        acc[j] = tp_k_carry (e->kernel, acc[j]);
    }
  for (int i = 0; i < n; i++)
    {
      set_point (e, plan, i);
      acc[i] = tp_emit_accumulate (e, TP_COMBINE_SUM, acc[i],
                                   e->nest->stages[0].expr);
    }
  for (int i = c->n_k - 1; i >= 0; i--)
    {
      tp_emit_end_for (e, acc, n, acc);
      tp_emit_clear_axis (e, c->k_axes[i]);
    }
  for (int i = 0; i < n; i++)
    {
      set_point (e, plan, i);
      e->stages[0] = acc[i];
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  set_point (e, plan, 0);
}

/* Takes the lowest digit of @rest for @axis, of which the item has @points. */
static void
take_axis (TpEmit *e, TpValue *rest, int axis, int points)
{
  gint64 extent = e->nest->axes[axis].extent / points;
  TpValue n = tp_k_index (e->kernel, extent);

  tp_emit_set_axis (e, axis, tp_k_binary (e->kernel, TP_I_IMOD, *rest, n), 0,
                    extent - 1);
  *rest = tp_k_binary (e->kernel, TP_I_IDIV, *rest, n);
}

static void
emit_items (TpEmit *e, const ItemPlan *plan)
{
  const TpContract *c = plan->c;
  TpKernel *k = e->kernel;
  int local_size = e->build->target->local_size;
  gint64 items = c->n_total / plan->cols * c->rows.extent
                 * (c->cols.extent / plan->rows);
  TpValue rest;

  for (int i = 0; i < c->n_outer; i++)
    items *= c->nest->axes[c->outer[i]].extent;
  k->local_size = local_size;
  k->n_groups = (items + local_size - 1) / local_size;
  rest = tp_k_binary (k, TP_I_IADD,
                      tp_emit_mul_const (e, tp_k_group (k), local_size),
                      tp_k_item (k));
  tp_emit_if (e, tp_k_binary (k, TP_I_ILESS, rest, tp_k_index (k, items)));
  take_axis (e, &rest, c->n_axis, plan->cols);
  if (c->cols.axis >= 0)
    take_axis (e, &rest, c->cols.axis, plan->rows);
  if (c->rows.axis >= 0)
    take_axis (e, &rest, c->rows.axis, 1);
  for (int i = c->n_outer - 1; i >= 0; i--)
    take_axis (e, &rest, c->outer[i], 1);
  emit_item (e, plan);
  tp_emit_end_if (e);
}

gboolean
tp_schedule_contract_gpu (TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpEmit) emit = NULL;
  TpContract c;
  ItemPlan plan = { .c = &c };

  if (!tp_contract_analyze (&c, nest, build->target))
    return FALSE;
  plan.rows = choose_points (c.cols.extent);
  plan.cols = choose_points (c.n_total);
  tp_build_pack_constants (build, c.nest, c.n_axis);
  emit = tp_emit_new (build, c.nest);
  emit_items (emit, &plan);
  tp_emit_finish (emit, "contract_items");
  tp_build_describe (build, "contract items=%dx%d", plan.rows, plan.cols);
  tp_contract_clear (&c);
  return TRUE;
}
