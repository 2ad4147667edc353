/* schedule-items.c: the family "items": some points per work-item, which fits
 * every nest on every GPU; some terms at once of what each sums up.
 *
 * A GPU reaches the bandwidth of its memory only with many bytes on their way
 * at once. So an item has vectors of an axis that all accesses walk in step,
 * where there is one, and several of them, as far apart along an axis as what
 * one item after the other has first: neighbours stay neighbours in memory, and
 * all addresses of an item are that of the first and a constant. */
#include "config.h"

#include "schedule/schedule-items.h"

#include "nest/nest-expr.h"
#include "schedule/items.h"

#define SMALL_GROUP 64
#define BUSY_GROUPS 16        /* of a unit, that are better than more points */
#define MAX_POINTS 8
#define MIN_NEIGHBOURS 8      /* items that read a piece of memory together */
#define MAX_TERMS 16          /* unrolled, of what is summed up */
#define USUAL_TERMS 9

/* The values of a choice. */
enum
{
  LOCAL,                      /* items per group */
  LANES,
  POINTS,                     /* vectors per item */
  UNROLL,                     /* terms of a sum on their way at once */
};

static const TpParam params[] = {
  { "local", 1, 2, 1 << 16, 0 },
  { "lanes", 1, 1, TP_ITEMS_VECTOR, 1 },
  { "points", 1, 1, MAX_POINTS, 1 },
  { "unroll", 1, 1, MAX_TERMS, 1 },
  { NULL },
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  gint64 n_points;
  int vaxis;                  /* -1: no vectors */
  gboolean is_aligned;        /* each of them, in every buffer */
} ItemsAnalysis;

/* ---- vectors ----------------------------------------------------------- */

static void
list_lanes (const ItemsAnalysis *a, const TpChoice *partial, TpArray *out)
{
  gint64 busy = (gint64) a->target->n_units * TP_ITEMS_BUSY;
  gboolean is_wide = a->vaxis >= 0 && a->is_aligned
                     && a->n_points >= busy * TP_ITEMS_VECTOR;

  tp_family_append (partial, LANES, is_wide ? TP_ITEMS_VECTOR : 1, out);
  if (a->vaxis >= 0)
    tp_family_append (partial, LANES, is_wide ? 1 : TP_ITEMS_VECTOR, out);
}

/* ---- points ------------------------------------------------------------ */

/* Of the nest along @axis, a vector being one. */
static gint64
count_units (const ItemsAnalysis *a, int axis, gint64 lanes)
{
  return a->nest->axes[axis].extent / (axis == a->vaxis ? lanes : 1);
}

/* Along which an item has its points: the outermost axis that they divide, for
 * then most of an address is the same for all of them; neighbours keep enough
 * of the innermost one. -1: none. */
static int
find_point_axis (const ItemsAnalysis *a, gint64 lanes, gint64 points)
{
  TpGrid grid;

  tp_grid_init (&grid, a->nest);
  for (int i = 0; i < grid.n && a->nest->n_stages == 0; i++)
    {
      gint64 units = count_units (a, grid.order[i], lanes);

      if (units % points == 0
          && (i < grid.n - 1 || units / points >= MIN_NEIGHBOURS))
        return grid.order[i];
    }
  return -1;
}

static gint64
count_groups (const ItemsAnalysis *a, const TpChoice *choice, gint64 local_size)
{
  return a->n_points
         / (choice->values[LANES] * choice->values[POINTS] * local_size);
}

/* Those with which an item has enough on its way, if so many groups are left
 * that no unit waits for another's last. */
static void
list_points (const ItemsAnalysis *a, const TpChoice *partial, TpArray *out)
{
  static const gint64 wide[] = { 2, 3, 4 }, narrow[] = { 4, 5, 3, 6, 2, 8 };
  gboolean is_wide = partial->values[LANES] > 1;
  const gint64 *counts = is_wide ? wide : narrow;
  int n = is_wide ? G_N_ELEMENTS (wide) : G_N_ELEMENTS (narrow);
  gint64 busy = (gint64) BUSY_GROUPS * a->target->n_units;
  int usual = tp_family_get_local_size (a->target);

  for (int is_few = 0; is_few < 2; is_few++)
    {
      if (is_few)
        tp_family_append (partial, POINTS, 1, out);
      for (int i = 0; i < n; i++)
        {
          TpChoice choice = *partial;

          choice.values[POINTS] = counts[i];
          if (find_point_axis (a, choice.values[LANES], counts[i]) >= 0
              && (count_groups (a, &choice, usual) < busy) == is_few)
            tp_array_append_val (out, choice);
        }
    }
}

/* ---- terms ------------------------------------------------------------- */

static gboolean
is_unrolled_by (const ItemsAnalysis *a, gint64 n_terms)
{
  g_auto (TpWindowPlan) window = { NULL };

  if (n_terms == 1)
    return TRUE;
  if (a->nest->n_stages == 0 || tp_nest_covers_reduce (a->nest))
    return FALSE;
  tp_window_plan_init (&window, tp_nest_copy (a->nest));
  return tp_window_plan_unroll (&window, n_terms);
}

/* Do loops see to what is outside of some load? */
static gboolean
is_guarded (const ItemsAnalysis *a)
{
  gboolean is_guarded = FALSE;

  for (int i = 0; i < a->nest->n_loads; i++)
    is_guarded |= a->nest->loads[i].n_guards > 0;
  return is_guarded;
}

/* The most, but for guards, which cost less where loops stay. */
static void
list_terms (const ItemsAnalysis *a, const TpChoice *partial, TpArray *out)
{
  gint64 usual = is_guarded (a) ? 1 : USUAL_TERMS;

  while (!is_unrolled_by (a, usual))
    usual--;
  tp_family_append (partial, UNROLL, usual, out);
  for (gint64 n = MAX_TERMS; n > 0; n--)
    if (n != usual && is_unrolled_by (a, n))
      tp_family_append (partial, UNROLL, n, out);
}

/* ---- groups ------------------------------------------------------------ */

static void
list_groups (const ItemsAnalysis *a, const TpChoice *partial, TpArray *out)
{
  gint64 usual = tp_family_get_local_size (a->target), best = usual;

  while (best > SMALL_GROUP
         && count_groups (a, partial, best) < a->target->n_units)
    best /= 2;
  tp_family_append (partial, LOCAL, best, out);
  for (gint64 n = MIN (2 * usual, a->target->local_size);
       n > 1 && n >= MIN (SMALL_GROUP, usual / 2); n /= 2)
    if (n != best)
      tp_family_append (partial, LOCAL, n, out);
}

/* ---- the family -------------------------------------------------------- */

static void
items_free (gpointer analysis)
{
  ItemsAnalysis *a = analysis;

  if (a == NULL)
    return;
  tp_nest_free (a->nest);
  g_free (a);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ItemsAnalysis, items_free)

static gpointer
items_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (ItemsAnalysis) a = NULL;

  if (n != 1)
    return NULL;
  a = g_new0 (ItemsAnalysis, 1);
  a->target = build->target;
  a->nest = tp_nest_copy (nests[0]);
  a->n_points = tp_items_count_points (a->nest);
  a->vaxis = tp_items_find_vector_axis (a->nest);
  a->is_aligned = a->vaxis >= 0 && tp_items_is_aligned (a->nest, a->vaxis);
  return g_steal_pointer (&a);
}

static gboolean
items_is_last_resort (gconstpointer analysis)
{
  return TRUE;
}

static void
items_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                 TpArray *out)
{
  static void (*const steps[]) (const ItemsAnalysis *, const TpChoice *,
                                TpArray *)
      = { list_lanes, list_points, list_terms, list_groups };

  steps[step] (analysis, partial, out);
}

static const char *
items_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const ItemsAnalysis *a = analysis;
  const gint64 *v = choice->values;

  if (v[LANES] != 1 && (v[LANES] != TP_ITEMS_VECTOR || a->vaxis < 0))
    return "no axis is one for such vectors";
  if (v[POINTS] > 1 && find_point_axis (a, v[LANES], v[POINTS]) < 0)
    return "no axis is one for so many points";
  if (!is_unrolled_by (a, v[UNROLL]))
    return "no part of the sum has so many terms";
  return tp_family_find_local_fault (a->target, v[LOCAL]);
}

static void
plan (TpWindowPlan *window, const ItemsAnalysis *a, const TpChoice *choice)
{
  const gint64 *v = choice->values;
  TpGrid *grid = &window->grid;

  tp_window_plan_init (window, tp_nest_copy (a->nest));
  if (!tp_window_plan_unroll (window, v[UNROLL]))
    g_assert_not_reached ();  /* it is no fault */
  grid->local_size = v[LOCAL];
  grid->lanes = v[LANES];
  grid->vaxis = v[LANES] > 1 ? a->vaxis : -1;
  if (v[POINTS] == 1)
    return;
  grid->tile = v[POINTS];
  grid->tile_axis = find_point_axis (a, v[LANES], v[POINTS]);
  grid->tile_step = a->nest->axes[grid->tile_axis].extent / v[POINTS];
}

static void
items_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  g_auto (TpWindowPlan) window = { NULL };

  plan (&window, analysis, choice);
  tp_window_plan_emit (&window, build);
}

const TpFamily tp_schedule_items = {
  .form = { "items", params },
  .takes_doubles = TRUE,
  .takes_turns = TRUE,
  .takes_iota = TRUE,
  .n_steps = 4,
  .is_for = tp_target_is_gpu,
  .analyze = items_analyze,
  .free = items_free,
  .is_last_resort = items_is_last_resort,
  .enumerate = items_enumerate,
  .find_fault = items_find_fault,
  .emit = items_emit,
};

void
tp_schedule_items_plan (TpWindowPlan *window, const TpBuild *build,
                        TpNest *nest, int local_size)
{
  g_autoptr (ItemsAnalysis) a = items_analyze (build, &nest, 1);
  TpChoice choice;

  if (!tp_family_choose (&tp_schedule_items, a, &choice))
    g_assert_not_reached ();  /* it fits every nest */
  choice.values[LOCAL] = local_size;
  plan (window, a, &choice);
}
