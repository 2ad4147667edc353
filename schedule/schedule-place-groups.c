/* schedule-place-groups.c: the family "place-groups": order statistics of few long rows on
 * GPUs: a row is cut into parts, of each of which a group of its own finds the wanted; of
 * these a last one finds the wanted of all. Of equal elements the first comes first in
 * both, as parts are in order. Nests: places in parts, what stands there, which of these,
 * and what was to be made of the places. */
#include "config.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "schedule/family.h"
#include "schedule/nest-canon.h"

#include <string.h>

#define MOST_GROUPS 1024
#define LEAST_EXTENT 16       /* of a part */
#define GROUP_RATE 8.0        /* elements that a unit reads per cycle */
#define KERNEL_COST 4000.0    /* of one more, in cycles */
#define BITS 32.0             /* of a threshold, each found by reading all */
#define WORTH 0.8             /* of the time: what the model may be wrong by */

static const TpParam params[] = {
  { "n", 1, 2, MOST_GROUPS, 0 },
  { NULL },
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;               /* (owned) */
  int axis, rank;             /* of the elements; of the ranks, or -1 */
  gint64 extent, k;           /* elements; how many of them are wanted */
  double points;              /* rows */
} PlaceGroups;

static void
groups_free (gpointer analysis)
{
  PlaceGroups *a = analysis;

  if (a == NULL)
    return;
  tp_nest_free (a->nest);
  g_free (a);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PlaceGroups, groups_free)

/* ---- choices ------------------------------------------------------------- */

/* Cycles to find the wanted of @n elements each of so many rows. */
static double
cost_of_rows (const PlaceGroups *a, double n, double rows)
{
  return MIN (BITS, (double) a->k) * n * MAX (rows / a->target->n_units, 1.0)
         / GROUP_RATE;
}

static double
cost_of_one (const PlaceGroups *a)
{
  return cost_of_rows (a, (double) a->extent, a->points);
}

static double
cost_of (const PlaceGroups *a, double n)
{
  return cost_of_rows (a, (double) a->extent / n, a->points * n)
         + cost_of_rows (a, n * (double) a->k, a->points) + 3 * KERNEL_COST;
}

static const char *
groups_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const PlaceGroups *a = analysis;
  gint64 n = choice->values[0];

  if (a->extent % n != 0)
    return "parts that do not divide the elements";
  return a->extent / n < a->k ? "parts of fewer elements than are wanted" : NULL;
}

static void
groups_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                  TpArray *out)
{
  const PlaceGroups *a = analysis;

  (void) step;
  for (gint64 n = 2; n <= MOST_GROUPS && n * MAX (LEAST_EXTENT, a->k) <= a->extent;
       n++)
    if (a->extent % n == 0 && cost_of (a, (double) n) < WORTH * cost_of_one (a))
      tp_family_append (partial, 0, n, out);
}

static double
groups_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  (void) step;
  return cost_of (analysis, (double) choice->values[0]);
}

/* ---- analysis ------------------------------------------------------------ */

/* Whether all that elements are made of is at an address that steps along @axis. */
static gboolean
is_plain (const TpNest *nest, int axis)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, nest->stages[0].expr);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i]
        && (nest->loads[i].index >= 0
            || !tp_nest_is_plain_along (nest, &nest->loads[i], axis)))
      return FALSE;
  return TRUE;
}

/* What stores to a workspace is a part, which is not cut again. */
static gpointer
groups_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  const TpNest *nest = nests[0];
  g_autoptr (PlaceGroups) a = NULL;

  if (n != 1 || !tp_nest_ranks (nest) || nest->n_axes + 1 > TP_NEST_MAX_AXES
      || nest->store.operand >= build->lowered->n_operands)
    return NULL;
  a = tp_new0 (PlaceGroups, 1);
  a->target = build->target;
  a->nest = tp_nest_copy (nest);
  a->rank = tp_nest_find_rank_axis (nest);
  a->k = a->rank < 0 ? 1 : nest->axes[a->rank].extent;
  a->points = 1;
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      a->axis = i;
    else if (i != a->rank)
      a->points *= (double) nest->axes[i].extent;
  a->extent = nest->axes[a->axis].extent;
  return is_plain (nest, a->axis) ? g_steal_pointer (&a) : NULL;
}

/* ---- nests ---------------------------------------------------------------- */

/* Moves @expr and what it is made of to the front, so that all others may use them.
 * Returns where it is then. */
static int
move_to_front (TpNest *nest, int expr)
{
  int n_exprs = nest->n_exprs, n = 0;
  g_autofree TpExpr *old = tp_new (TpExpr, n_exprs);
  g_autofree int *to = tp_new (int, n_exprs);
  g_autofree gboolean *is_part = tp_new0 (gboolean, n_exprs);

  memcpy (old, nest->exprs, n_exprs * sizeof *old);
  tp_nest_mark_used (nest, expr, is_part);
  for (int is_rest = FALSE; is_rest <= TRUE; is_rest++)
    for (int i = 0; i < n_exprs; i++)
      if (is_part[i] != is_rest)
        to[i] = n++;
  for (int i = 0; i < n_exprs; i++)
    {
      TpExpr e = old[i];

      e.a = e.a >= 0 ? to[e.a] : -1;
      e.b = e.b >= 0 ? to[e.b] : -1;
      e.c = e.c >= 0 ? to[e.c] : -1;
      nest->exprs[to[i]] = e;
    }
  for (int i = 0; i < nest->n_loads; i++)
    if (nest->loads[i].index >= 0)
      nest->loads[i].index = to[nest->loads[i].index];
  for (int i = 0; i < nest->n_stages; i++)
    nest->stages[i].expr = to[nest->stages[i].expr];
  nest->result = to[nest->result];
  return to[expr];
}

/* Where rows lie that have @n elements each, those of ranks one after the other. */
static void
set_rows (const PlaceGroups *a, TpAccess *access, gint64 n)
{
  for (int i = a->nest->n_axes - 1; i >= 0; i--)
    if (i == a->rank)
      access->stride[i] = 1;
    else if (i != a->axis)
      {
        access->stride[i] = n;
        n *= a->nest->axes[i].extent;
      }
}

/* Expression: what @operand, of rows of @n elements of @dtype, has. */
static int
load_rows (const PlaceGroups *a, TpNest *nest, int operand, TpDtype dtype, gint64 n)
{
  TpAccess *load = tp_nest_add_load (nest, operand);

  load->dtype = dtype;
  set_rows (a, load, n);
  return tp_nest_load (nest, nest->n_loads - 1);
}

/* @nest stores @result in rows of @n elements. Returns where. */
static int
store_rows (TpBuild *build, const PlaceGroups *a, TpNest *nest, int result, gint64 n)
{
  TpDtype dtype = tp_expr_get_dtype (&nest->exprs[result]);

  nest->result = result;
  nest->store = (TpAccess){ .dtype = dtype, .index = -1 };
  set_rows (a, &nest->store, n);
  nest->store.operand
      = tp_build_add_workspace (build, dtype, (gint64) a->points * n);
  return nest->store.operand;
}

/* The places in each of @n parts, from its first element on. */
static int
emit_parts (TpBuild *build, const PlaceGroups *a, gint64 n)
{
  g_autoptr (TpNest) nest = tp_nest_copy (a->nest);
  int part = tp_nest_split_axis (nest, a->axis, a->extent / n), places;

  nest->axes[part].is_reduce = FALSE;
  places = store_rows (build, a, nest, tp_nest_stage (nest, 0), n * a->k);
  nest->store.stride[part] = a->k;
  build->schedule (build, nest);
  return places;
}

/* Without a stage, and the axis of elements. */
static void
make_map (const PlaceGroups *a, TpNest *nest)
{
  tp_nest_keep_stages (nest, 0);
  nest->axes[a->axis] = (TpAxis){ .extent = 1 };
  if (a->rank >= 0)
    nest->axes[a->rank].is_rank = FALSE;
}

/* What stands at @places. */
static int
emit_elements (TpBuild *build, const PlaceGroups *a, gint64 n, int places)
{
  g_autoptr (TpNest) nest = tp_nest_copy (a->nest);
  int n_loads = nest->n_loads, elements;
  int part = tp_nest_split_axis (nest, a->axis, a->extent / n);
  int place = load_rows (a, nest, places, TPLAN_DTYPE_INT64, n * a->k);

  nest->loads[n_loads].stride[part] = a->k;
  place = move_to_front (nest, place);
  for (int i = 0; i < n_loads; i++)
    {
      TpAccess *load = &nest->loads[i];

      if (load->stride[a->axis] == 0)
        continue;
      load->index = place;
      load->index_stride = load->stride[a->axis];
      load->index_extent = a->extent / n;
      load->stride[a->axis] = 0;
    }
  nest->axes[part].is_reduce = FALSE;
  elements = store_rows (build, a, nest, nest->stages[0].expr, n * a->k);
  nest->store.stride[part] = a->k;
  make_map (a, nest);
  build->schedule (build, nest);
  return elements;
}

/* Which of @elements are the wanted. */
static int
emit_last (TpBuild *build, const PlaceGroups *a, gint64 n, int elements)
{
  g_autoptr (TpNest) nest = tp_nest_copy (a->nest);
  TpDtype dtype = tp_expr_get_dtype (&nest->exprs[nest->stages[0].expr]);
  TpAccess *load;
  int places;

  nest->axes[a->axis].extent = n * a->k;
  nest->stages[0].expr = load_rows (a, nest, elements, dtype, n * a->k);
  load = &nest->loads[nest->n_loads - 1];
  load->stride[a->axis] = 1;
  if (a->rank >= 0)
    load->stride[a->rank] = 0;
  places = store_rows (build, a, nest, tp_nest_stage (nest, 0), a->k);
  build->schedule (build, nest);
  return places;
}

/* What the nest makes of places: that of element @last of @places, whose part lies so many
 * elements behind the first. */
static void
emit_results (TpBuild *build, const PlaceGroups *a, gint64 n, int places, int last)
{
  g_autoptr (TpNest) nest = tp_nest_copy (a->nest);
  int at, place, part;
  TpAccess *load;

  at = load_rows (a, nest, last, TPLAN_DTYPE_INT64, a->k);
  place = load_rows (a, nest, places, TPLAN_DTYPE_INT64, n * a->k);
  load = &nest->loads[nest->n_loads - 1];
  if (a->rank >= 0)
    load->stride[a->rank] = 0;
  load->index = at;
  load->index_stride = 1;
  load->index_extent = n * a->k;
  part = tp_nest_binary (nest, TP_EXPR_DIV, at, tp_nest_const_integer (nest, a->k));
  part = tp_nest_binary (nest, TP_EXPR_MUL, part,
                         tp_nest_const_integer (nest, a->extent / n));
  place = tp_nest_binary (nest, TP_EXPR_ADD, place, part);
  place = move_to_front (nest, place);
  for (int i = 0; i < nest->n_exprs; i++)
    if (nest->exprs[i].op == TP_EXPR_STAGE)
      nest->exprs[i] = nest->exprs[place];
  make_map (a, nest);
  build->schedule (build, nest);
}

static void
groups_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const PlaceGroups *a = analysis;
  gint64 n = choice->values[0];
  int places = emit_parts (build, a, n);
  int elements = emit_elements (build, a, n, places);
  int last = emit_last (build, a, n, elements);

  emit_results (build, a, n, places, last);
}

/* ---- the family ----------------------------------------------------------- */

const TpFamily tp_schedule_place_groups = {
  .form = { "place-groups", params },
  .n_steps = 1,
  .ranks = TRUE,
  .takes_doubles = TRUE,
  .is_for = tp_target_is_gpu,
  .analyze = groups_analyze,
  .free = groups_free,
  .enumerate = groups_enumerate,
  .cost = groups_cost,
  .find_fault = groups_find_fault,
  .emit = groups_emit,
};
