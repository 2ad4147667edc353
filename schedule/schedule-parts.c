/* schedule-parts.c: the family "parts": contractions on CPUs whose K is so long that
 * what a tile walks stays in no cache of its core. K is cut into parts, which are
 * contractions each, by a choice of their own; then their sums are added up. So
 * blocks may be larger, and fewer of them walk all of w. */
#include "config.h"

#include "schedule/contract-analyze.h"
#include "schedule/contract-model.h"
#include "schedule/nest-canon.h"
#include "schedule/parts.h"
#include "schedule/schedule-contract.h"
#include "schedule/schedule-panels.h"
#include "schedule/schedule-winograd.h"

#define MOST_PARTS 64
#define LEAST_EXTENT 16       /* of a part */
#define WIDEST 8              /* vectors of a panel */
#define FAR_BYTES 12.0        /* of w per cycle from beyond the core's caches */
#define NEAR_BYTES 32.0       /* as tp_contract_model_blocks() has it */
#define SUM_CYCLES 1.5        /* of each: fetched, stored, loaded again */
#define WORTH 0.8             /* of the time: what the model may be wrong by */

typedef struct
{
  TpContract *c;
  TpPanelMakers *makers;      /* what makes w, and c, in nests before; or NULL */
  int axis;                   /* of K: the one that is cut */
  gint64 extent;
  double costs[MOST_PARTS + 1]; /* cycles, by parts; 0: none that is sensible */
  double ratio;               /* of the least of them to that of one part;
                               * G_MAXDOUBLE: not asked for */
  gboolean has_rival;         /* another family would have it; how the two
                               * compare only measuring tells */
} TpParts;

static void
parts_free (gpointer analysis)
{
  TpParts *parts = analysis;

  if (parts->makers == NULL)
    tp_contract_free (parts->c);
  tp_panel_makers_free (parts->makers);
  g_free (parts);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpParts, parts_free)

/* ---- cutting ------------------------------------------------------------- */

/* The sum alone, its last axis the part. */
static TpNest *
cut (const TpParts *parts, gint64 n)
{
  TpNest *nest = tp_nest_copy (parts->c->nest);
  int axis = tp_nest_split_axis (nest, parts->axis, parts->extent / n);

  nest->axes[axis].is_reduce = FALSE;
  return nest;
}

/* The makers of w, and @nest; returns how many. */
static int
list_nests (const TpParts *parts, TpNest *nest, TpNest **out_nests)
{
  int n = parts->makers->n_makers;

  for (int i = 0; i < n; i++)
    out_nests[i] = parts->makers->makers[i];
  out_nests[n] = nest;
  return n + 1;
}

/* The vectors of the contraction lie together. */
static TpPartsOrder
order_sums (const TpContract *c)
{
  TpPartsOrder order = { .n = 1, .axes = { c->n_axis } };

  if (c->col_axis >= 0)
    order.axes[order.n++] = c->col_axis;
  if (c->row_axis >= 0)
    order.axes[order.n++] = c->row_axis;
  for (int i = 0; i < c->n_outer; i++)
    order.axes[order.n++] = c->outer[i];
  return order;
}

/* ---- the model ----------------------------------------------------------- */

static double
get_size (const TpContract *c)
{
  return (double) tp_dtype_get_size (c->dtype);
}

/* What a group pays to walk w beyond what tp_contract_model_blocks() takes for
 * granted: that it comes from the second cache. */
static double
count_far_cycles (const TpContractPlan *plan)
{
  const TpContract *c = plan->c;
  double groups = (double) c->n_outer_points * plan->rows.n_blocks
                  * plan->cols.n_blocks * plan->n_panel_blocks;
  double bytes = get_size (c) * plan->block_panels * tp_contract_plan_width (plan)
                 * c->k_total;

  if (get_size (c) * c->n_total * c->k_total <= c->target->l2_bytes)
    return 0.0;
  return groups * bytes * (1 / FAR_BYTES - 1 / NEAR_BYTES)
         / c->target->n_units;
}

static double
model_plan (const TpContractPlan *plan)
{
  return tp_contract_model_blocks (plan) + count_far_cycles (plan);
}

static double
count_sums (const TpContract *c)
{
  return (double) c->n_outer_points * c->n_rows * c->n_cols * c->n_total;
}

/* Of @nest, of parts; 0: there is no choice. */
static double
model_cut (const TpParts *parts, const TpBuild *build, TpNest *nest)
{
  g_autoptr (TpPanelMakers) makers = NULL;
  g_autoptr (TpContract) part = NULL;
  TpNest *nests[TP_PANEL_MAX_MAKERS + 1];
  TpContractPlan plan;

  if (parts->makers != NULL)
    {
      makers = tp_panel_makers_new (build, nests,
                                    list_nests (parts, nest, nests));
      return makers == NULL ? 0.0 : tp_schedule_panels_model (makers);
    }
  part = tp_schedule_contract_analyze (build, nest);
  return part != NULL && tp_schedule_contract_plan (part, &plan)
             ? model_plan (&plan)
             : 0.0;
}

/* Of @n parts, and of adding them up. */
static double
model_parts (const TpParts *parts, const TpBuild *build, gint64 n)
{
  g_autoptr (TpNest) nest = cut (parts, n), canonical = NULL;
  double cost;

  nest->result = tp_nest_stage (nest, 0);
  canonical = tp_nest_canonicalize (nest);
  cost = model_cut (parts, build, canonical);
  return cost > 0.0
             ? cost
                   + SUM_CYCLES * count_sums (parts->c) * n
                         / build->target->n_units
             : 0.0;
}

/* Sums that take no more memory than w does. */
static gboolean
is_sensible (const TpParts *parts, gint64 n)
{
  return parts->extent % n == 0 && parts->extent / n >= LEAST_EXTENT
         && n * count_sums (parts->c)
                <= (double) parts->c->n_total * parts->c->k_total;
}

/* Whether a panel of w of that many columns stays in the second cache. */
static gboolean
is_near (const TpContract *c, gint64 width)
{
  return get_size (c) * width * c->k_total <= c->target->l2_bytes;
}

/* Of one part; 0: nothing is asked for, where panels stay near, or others are better
 * than contractions are. */
static double
model_whole (const TpParts *parts)
{
  const TpContract *c = parts->c;
  TpContractPlan plan;

  if (parts->makers != NULL)
    return tp_schedule_panels_model (parts->makers);
  if (is_near (c, (gint64) WIDEST * c->lanes)
      || tp_schedule_contract.is_last_resort (c)
      || !tp_schedule_contract_plan (c, &plan)
      || is_near (c, tp_contract_plan_width (&plan)))
    return 0.0;
  return model_plan (&plan);
}

static void
find_costs (TpParts *parts, const TpBuild *build)
{
  double best = G_MAXDOUBLE, whole = model_whole (parts);

  parts->ratio = G_MAXDOUBLE;
  if (whole == 0.0)
    return;
  for (gint64 n = 2; n <= MOST_PARTS; n++)
    {
      parts->costs[n]
          = is_sensible (parts, n) ? model_parts (parts, build, n) : 0.0;
      if (parts->costs[n] > 0)
        best = MIN (best, parts->costs[n]);
    }
  if (best < G_MAXDOUBLE)
    parts->ratio = best / whole;
}

/* ---- the family ---------------------------------------------------------- */

static const TpParam params[] = {
  { "n", 1, 2, MOST_PARTS, 0 },
  { NULL },
};

/* The longest axis of K. */
static int
find_axis (const TpContract *c)
{
  int axis = c->k_axes[0];

  for (int i = 1; i < c->n_k; i++)
    if (c->nest->axes[c->k_axes[i]].extent > c->nest->axes[axis].extent)
      axis = c->k_axes[i];
  return axis;
}

/* What stores to a workspace is a part, which is not cut again. */
static gpointer
parts_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpParts) parts = g_new0 (TpParts, 1);
  const TpContract *c;

  if (nests[n - 1]->store.operand >= build->lowered->n_operands)
    return NULL;
  if (n > 1)
    parts->makers = tp_panel_makers_new (build, nests, n);
  if (n == 1)
    parts->c = tp_schedule_contract_analyze (build, nests[0]);
  else if (parts->makers != NULL)
    parts->c = parts->makers->c;
  c = parts->c;
  /* packing splits one more */
  if (c == NULL || c->n_k == 0 || c->nest->n_axes + 2 > TP_NEST_MAX_AXES)
    return NULL;
  parts->axis = find_axis (c);
  parts->extent = c->nest->axes[parts->axis].extent;
  find_costs (parts, build);
  parts->has_rival = n == 1 && parts->ratio < 1 / WORTH
                     && tp_schedule_winograd_is_best (build, nests[0]);
  return g_steal_pointer (&parts);
}

static gboolean
parts_is_last_resort (gconstpointer analysis)
{
  const TpParts *parts = analysis;

  return parts->has_rival || parts->ratio >= WORTH;
}

static gboolean
parts_is_close (gconstpointer analysis)
{
  const TpParts *parts = analysis;

  return parts->ratio < 1 / WORTH
         && (parts->has_rival || parts->ratio > WORTH * WORTH);
}

/* Where nothing was asked for the model has none. */
static void
parts_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                 TpArray *out_choices)
{
  const TpParts *parts = analysis;

  for (gint64 n = 2; n <= MOST_PARTS; n++)
    if (parts->costs[n] > 0)
      tp_family_append (partial, 0, n, out_choices);
}

static double
parts_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  return ((const TpParts *) analysis)->costs[choice->values[0]];
}

static const char *
parts_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpParts *parts = analysis;

  return parts->extent % choice->values[0] != 0
             ? "parts that do not divide the longest axis of K" : NULL;
}

static void
parts_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpParts *parts = analysis;
  const TpPartsOrder order = order_sums (parts->c);
  g_autoptr (TpNest) nest = cut (parts, choice->values[0]);
  TpNest *nests[TP_PANEL_MAX_MAKERS + 1];
  int axis = nest->n_axes - 1;

  tp_parts_divide (&order, build, nest, axis);
  if (parts->makers != NULL)
    build->schedule_several (build, nests, list_nests (parts, nest, nests));
  else
    build->schedule (build, nest);
  tp_parts_add_up (build, parts->c->nest, nest, axis);
}

const TpFamily tp_schedule_parts = {
  .form = { "parts", params },
  .n_steps = 1,
  .takes_doubles = TRUE,
  .is_for = tp_target_has_vectors,
  .analyze = parts_analyze,
  .free = parts_free,
  .is_last_resort = parts_is_last_resort,
  .is_close = parts_is_close,
  .enumerate = parts_enumerate,
  .cost = parts_cost,
  .find_fault = parts_find_fault,
  .emit = parts_emit,
};
