/* schedule-contract-items.c: the family "contract-items": contractions with a
 * work-item for a few rows and columns. Items next to each other take neighbours
 * along N, so that their loads join; the points of one item lie a whole share of
 * the axis apart. */
#include "config.h"

#include "schedule/contract-analyze.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"

#define MAX_TILE 4

/* The values of a choice. */
enum
{
  ROWS, COLS,                 /* points of an item */
  LOCAL,                      /* items per group */
};

static const TpParam params[] = {
  { "tile", 2, 1, MAX_TILE },
  { "local", 1, 2, 1 << 16 },
  { NULL },
};

typedef struct
{
  const TpContract *c;
  int rows, cols;             /* points of an item along columns of x, N */
  int local_size;
} ItemPlan;

static void
set_point (TpEmit *e, const ItemPlan *plan, int point)
{
  const TpContract *c = plan->c;

  if (c->col_axis >= 0)
    e->axes[c->col_axis].delta = point / plan->cols
                                  * (c->n_cols / plan->rows);
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
  int local_size = plan->local_size;
  gint64 items = c->n_total / plan->cols * c->n_rows
                 * (c->n_cols / plan->rows);
  TpValue rest;

  items *= c->n_outer_points;
  k->local_size = local_size;
  k->n_groups = (items + local_size - 1) / local_size;
  rest = tp_k_binary (k, TP_I_IADD,
                      tp_emit_mul_const (e, tp_k_group (k), local_size),
                      tp_k_item (k));
  tp_emit_if (e, tp_k_binary (k, TP_I_ILESS, rest, tp_k_index (k, items)));
  take_axis (e, &rest, c->n_axis, plan->cols);
  if (c->col_axis >= 0)
    take_axis (e, &rest, c->col_axis, plan->rows);
  if (c->row_axis >= 0)
    take_axis (e, &rest, c->row_axis, 1);
  for (int i = c->n_outer - 1; i >= 0; i--)
    take_axis (e, &rest, c->outer[i], 1);
  emit_item (e, plan);
  tp_emit_end_if (e);
}

/* ---- the family -------------------------------------------------------- */

static gpointer
items_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return n == 1 ? tp_contract_new (build, nests[0]) : NULL;
}

static void
items_free (gpointer analysis)
{
  tp_contract_free (analysis);
}

/* The largest tiles first. */
static void
list_tiles (const TpContract *c, const TpChoice *partial, GArray *out)
{
  TpChoice choice = *partial;

  for (int rows = MAX_TILE; rows > 0; rows /= 2)
    for (int cols = MAX_TILE; cols > 0; cols /= 2)
      {
        choice.values[ROWS] = rows;
        choice.values[COLS] = cols;
        if (c->n_cols % rows == 0 && c->n_total % cols == 0)
          g_array_append_val (out, choice);
      }
}

static void
items_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                 GArray *out)
{
  const TpContract *c = analysis;

  if (step == 0)
    list_tiles (c, partial, out);
  else
    tp_family_list_local_sizes (partial, LOCAL, c->target, out);
}

static const char *
items_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpContract *c = analysis;

  if (c->n_cols % choice->values[ROWS] != 0
      || c->n_total % choice->values[COLS] != 0)
    return "tiles do not divide what there is";
  return tp_family_find_local_fault (c->target, choice->values[LOCAL]);
}

static void
items_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpContract *c = analysis;
  g_autoptr (TpNest) nest = tp_nest_copy (c->nest);
  g_autoptr (TpEmit) emit = NULL;
  ItemPlan plan = { c, choice->values[ROWS], choice->values[COLS],
                    choice->values[LOCAL] };

  tp_build_pack_constants (build, nest, c->n_axis);
  emit = tp_emit_new (build, nest);
  emit_items (emit, &plan);
  tp_emit_finish (emit, "contract_items");
}

const TpFamily tp_schedule_contract_items = {
  .form = { "contract-items", params },
  .n_steps = 2,
  .is_for = tp_target_is_gpu,
  .analyze = items_analyze,
  .free = items_free,
  .enumerate = items_enumerate,
  .find_fault = items_find_fault,
  .emit = items_emit,
};
