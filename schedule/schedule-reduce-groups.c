/* schedule-reduce-groups.c: the family "reduce-groups": reductions of few long rows on
 * GPUs, such as sums of whole tensors or softmaxes and norms of large ones: a row is cut
 * into parts, which groups of their own reduce, and what they have is reduced once more.
 * Each stage is such a pair of nests, and a result for each element a nest after them. */
#include "config.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "schedule/family.h"
#include "schedule/nest-canon.h"
#include "schedule/parts.h"

#define MOST_GROUPS 1024
#define LEAST_EXTENT 16       /* of a part */
#define GROUP_RATE 8.0        /* elements that a unit reads per cycle */
#define KERNEL_COST 4000.0    /* of one more, in cycles */
#define WORTH 0.8             /* of the time: what the model may be wrong by */

static const TpParam params[] = {
  { "n", 1, 2, MOST_GROUPS, 0 },
  { NULL },
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;               /* (owned) */
  int axis;                   /* the one that is cut */
  gint64 extent;
  double points, elements;    /* rows, and what each has */
  gboolean is_covering;       /* there is a result for each element */
  double ratio;               /* of the least cost to that of a group alone */
} ReduceGroups;

static void
groups_free (gpointer analysis)
{
  ReduceGroups *a = analysis;

  if (a == NULL)
    return;
  tp_nest_free (a->nest);
  g_free (a);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReduceGroups, groups_free)

/* ---- the model ------------------------------------------------------------- */

/* Cycles to read all rows @times times, of so many groups. */
static double
read_cost (const ReduceGroups *a, double times, double groups)
{
  return times * a->points * a->elements
         / (GROUP_RATE * CLAMP (groups, 1.0, a->target->n_units));
}

static double
cost_of (const ReduceGroups *a, double n)
{
  double stages = a->nest->n_stages, maps = a->is_covering ? 1 : 0;

  return read_cost (a, stages, n * a->points)
         + read_cost (a, maps, a->points * a->elements)
         + stages * n + KERNEL_COST * (2 * stages + maps - 1);
}

static double
cost_of_one (const ReduceGroups *a)
{
  double times = a->nest->n_stages + (a->is_covering ? 1 : 0);

  return read_cost (a, times, a->points);
}

/* ---- analysis -------------------------------------------------------------- */

static void
find_extents (ReduceGroups *a)
{
  const TpNest *nest = a->nest;

  a->points = a->elements = 1;
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce)
      a->points *= (double) nest->axes[i].extent;
    else
      {
        a->elements *= (double) nest->axes[i].extent;
        if (nest->axes[i].extent <= a->extent)
          continue;
        a->axis = i;
        a->extent = nest->axes[i].extent;
      }
}

static const char *
groups_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const ReduceGroups *a = analysis;

  return a->extent % choice->values[0] != 0
             ? "parts that do not divide the longest axis" : NULL;
}

static void
groups_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                  TpArray *out)
{
  const ReduceGroups *a = analysis;

  (void) step;
  for (gint64 n = 2; n <= MOST_GROUPS && n * LEAST_EXTENT <= a->extent; n++)
    if (a->extent % n == 0)
      tp_family_append (partial, 0, n, out);
}

static double
groups_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  (void) step;
  return cost_of (analysis, (double) choice->values[0]);
}

static void
find_ratio (ReduceGroups *a)
{
  g_autoptr (TpArray) choices = tp_array_new (sizeof (TpChoice));
  const TpChoice none = { NULL };

  a->ratio = G_MAXDOUBLE;
  groups_enumerate (a, 0, &none, choices);
  for (guint i = 0; i < choices->len; i++)
    a->ratio = MIN (a->ratio,
                    groups_cost (a, 0, &tp_array_index (choices, TpChoice, i))
                        / cost_of_one (a));
}

/* Rows enough for all units are for others; what stores to a workspace is a part, which is
 * not cut again. */
static gpointer
groups_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  const TpNest *nest = nests[0];
  g_autoptr (ReduceGroups) a = NULL;

  if (n != 1 || nest->n_stages == 0 || !tp_nest_covers_all_or_none (nest)
      || nest->n_axes + 1 > TP_NEST_MAX_AXES
      || nest->store.operand >= build->lowered->n_operands)
    return NULL;
  a = tp_new0 (ReduceGroups, 1);
  a->target = build->target;
  a->nest = tp_nest_copy (nest);
  a->is_covering = tp_nest_covers_reduce (nest);
  find_extents (a);
  if (a->extent < 2 || a->points >= a->target->n_units)
    return NULL;
  find_ratio (a);
  return g_steal_pointer (&a);
}

static gboolean
groups_is_last_resort (gconstpointer analysis)
{
  return ((const ReduceGroups *) analysis)->ratio >= WORTH;
}

static gboolean
groups_is_close (gconstpointer analysis)
{
  const ReduceGroups *a = analysis;

  return a->ratio < 1 / WORTH && a->ratio > WORTH * WORTH;
}

/* ---- nests ----------------------------------------------------------------- */

/* Where all that a stage gives lies: points one after the other. */
static gint64
set_points (const TpNest *nest, TpAccess *access)
{
  gint64 n = 1;

  for (int i = nest->n_axes - 1; i >= 0; i--)
    if (!nest->axes[i].is_reduce)
      {
        access->stride[i] = n;
        n *= nest->axes[i].extent;
      }
  return n;
}

static TpPartsOrder
order_points (const TpNest *nest)
{
  TpPartsOrder order = { 0 };

  for (int i = nest->n_axes - 1; i >= 0; i--)
    if (!nest->axes[i].is_reduce)
      order.axes[order.n++] = i;
  return order;
}

/* Stages before @stage are loads of @workspaces. */
static void
load_stages (TpNest *nest, const TpNest *whole, int stage, const int *workspaces)
{
  for (int j = 0; j < stage; j++)
    {
      TpAccess *load = tp_nest_add_load (nest, workspaces[j]);

      load->dtype = tp_expr_get_dtype (&whole->exprs[whole->stages[j].expr]);
      set_points (whole, load);
      for (int i = 0; i < nest->n_exprs; i++)
        if (nest->exprs[i].op == TP_EXPR_STAGE && nest->exprs[i].index == j)
          {
            nest->exprs[i].op = TP_EXPR_LOAD;
            nest->exprs[i].index = nest->n_loads - 1;
          }
    }
}

/* The nest of @stage alone. Owned by the caller. */
static TpNest *
take_stage (const TpNest *whole, int stage, const int *workspaces)
{
  TpNest *nest = tp_nest_copy (whole);

  load_stages (nest, whole, stage, workspaces);
  for (int i = 0; i < nest->n_exprs; i++)
    if (nest->exprs[i].op == TP_EXPR_STAGE)
      nest->exprs[i].index -= stage;
  nest->stages[0] = nest->stages[stage];
  tp_nest_keep_stages (nest, 1);
  return nest;
}

/* Sets @workspaces[@stage], unless its result is that of the nest. */
static void
emit_stage (TpBuild *build, const ReduceGroups *a, int stage, gint64 n,
            int *workspaces)
{
  g_autoptr (TpNest) alone = take_stage (a->nest, stage, workspaces);
  g_autoptr (TpNest) part = tp_nest_copy (alone);
  const TpPartsOrder order = order_points (alone);
  int axis;

  if (a->is_covering || stage < a->nest->n_stages - 1)
    {
      TpAccess store = { .index = -1, .dtype = tp_expr_get_dtype (
                                          &alone->exprs[alone->stages[0].expr]) };
      gint64 points = set_points (alone, &store);

      workspaces[stage] = store.operand
          = tp_build_add_workspace (build, store.dtype, points);
      alone->store = store;
      alone->result = tp_nest_stage (alone, 0);
    }
  axis = tp_nest_split_axis (part, a->axis, a->extent / n);
  part->axes[axis].is_reduce = FALSE;
  tp_parts_divide (&order, build, part, axis);
  build->schedule (build, part);
  tp_parts_add_up (build, alone, part, axis);
}

/* The result of each element, all stages known. */
static void
emit_elements (TpBuild *build, const ReduceGroups *a, const int *workspaces)
{
  g_autoptr (TpNest) nest = tp_nest_copy (a->nest);

  load_stages (nest, a->nest, a->nest->n_stages, workspaces);
  tp_nest_keep_stages (nest, 0);
  for (int i = 0; i < nest->n_axes; i++)
    nest->axes[i].is_reduce = FALSE;
  build->schedule (build, nest);
}

static void
groups_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const ReduceGroups *a = analysis;
  g_autofree int *workspaces = tp_new0 (int, a->nest->n_stages);

  for (int i = 0; i < a->nest->n_stages; i++)
    emit_stage (build, a, i, choice->values[0], workspaces);
  if (a->is_covering)
    emit_elements (build, a, workspaces);
}

/* ---- the family ------------------------------------------------------------ */

const TpFamily tp_schedule_reduce_groups = {
  .form = { "reduce-groups", params },
  .n_steps = 1,
  .takes_doubles = TRUE,
  .is_for = tp_target_is_gpu,
  .analyze = groups_analyze,
  .free = groups_free,
  .is_last_resort = groups_is_last_resort,
  .is_close = groups_is_close,
  .enumerate = groups_enumerate,
  .cost = groups_cost,
  .find_fault = groups_find_fault,
  .emit = groups_emit,
};
