/* schedule-place.c: the family "place": nests that ask where the greatest elements of a
 * row stand, and no others. A row is that of one group, or of the items of one. */
#include "config.h"

#include "schedule/family.h"
#include "schedule/grid.h"
#include "schedule/nest-canon.h"
#include "schedule/place.h"

#define MOST_ITEMS 256        /* of a row: each asks what all have */
#define MAX_LANES 16

/* What a vector of keys, an element, a turn and a bit of the threshold take, about. */
#define TURN_COST 20.0        /* rows overlap */
#define TURN_VECTOR 3.0
#define BIT_COST 25.0
#define BIT_VECTOR 1.5
#define KEEP_COST 2.5
#define RANK_VECTOR 2.5
#define SORT_COST 3200.0
#define SORT_ELEMENT 32.0
#define ORDER_COST 8.0
#define PLAIN_COST 6.0

/* The same of work-items, in cycles: a key waits for memory, alone or with others; or
 * for scratch. */
#define ITEM_WAIT 400.0
#define ITEM_AGAIN 56.0
#define ITEM_SCRATCH 8.0
#define ITEM_STEP 35.0        /* of a loop over scratch */
#define ITEM_BIT 200.0
#define ITEM_ADDED 4.0
#define UNIT_ITEMS 512        /* that wait beside each other */

static const TpParam params[] = {
  { "lanes", 1, 1, MAX_LANES, 0 },
  { "turns", 1, 0, 1, 0 },
  { "sort", 1, 0, 1, 0 },
  { "items", 1, 1, MOST_ITEMS, 1 },
  { "points", 1, 1, G_MAXINT64 / 4, 0 },
  { "scratch", 1, 0, 1, 1 },
  { NULL },
};

/* ---- analysis ---------------------------------------------------------- */

/* Whether vectors of keys are loaded as they lie. */
static gboolean
is_straight (const TpNest *nest, int axis)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, nest->stages[0].expr);

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i])
        continue;
      if ((load->stride[axis] != 0 && load->stride[axis] != 1)
          || !tp_nest_is_plain_along (nest, load, axis))
        return FALSE;
    }
  return TRUE;
}

static int
find_axis (const TpNest *nest)
{
  int axis = 0;

  while (!nest->axes[axis].is_reduce)
    axis++;
  return axis;
}

static gpointer
place_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpNest) copy = NULL;
  gboolean may_load_vectors;
  TpPlace *a = NULL;

  if (n != 1 || !tp_nest_ranks (nests[0]))
    return NULL;
  may_load_vectors = is_straight (nests[0], find_axis (nests[0]));
  copy = tp_nest_copy (nests[0]);
  a = g_new0 (TpPlace, 1);
  a->target = build->target;
  a->nest = g_steal_pointer (&copy);
  a->rank = tp_nest_find_rank_axis (a->nest);
  a->k = a->rank < 0 ? 1 : a->nest->axes[a->rank].extent;
  a->n_points = 1;
  for (int i = 0; i < a->nest->n_axes; i++)
    if (!a->nest->axes[i].is_reduce && i != a->rank)
      a->n_points *= a->nest->axes[i].extent;
  a->axis = find_axis (a->nest);
  a->n = a->nest->axes[a->axis].extent;
  a->is_integer = a->nest->exprs[a->nest->stages[0].expr].is_integer;
  a->is_straight = may_load_vectors;
  if (a->rank >= 0)
    a->nest->axes[a->rank].is_reduce = TRUE;
  return a;
}

static void
place_free (gpointer analysis)
{
  TpPlace *a = analysis;

  tp_nest_free (a->nest);
  g_free (a);
}

static gboolean
place_is_for (const TpTarget *target)
{
  return TRUE;
}

/* ---- choices ----------------------------------------------------------- */

static const char *
place_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpPlace *a = analysis;
  gint64 lanes = choice->values[TP_PLACE_LANES];
  gint64 items = choice->values[TP_PLACE_ITEMS];

  if (!tp_target_has_lanes (a->target, lanes, FALSE))
    return "the device has no vectors of so many lanes";
  if (lanes > 1 && tp_target_is_gpu (a->target))
    return "vectors on a device of work-items";
  if (lanes > a->n || items > a->n)
    return "more lanes or items than elements";
  if (items > 1 && (!tp_target_is_gpu (a->target) || items > a->target->local_size))
    return "more work-items than a group has";
  if (lanes > 1 && choice->values[TP_PLACE_TURNS]
      && (a->is_integer || a->n > G_MAXINT32))
    return "integers, or places, that leave no room for the other";
  if (choice->values[TP_PLACE_SORT]
      && (choice->values[TP_PLACE_TURNS] || items > 1 || a->is_integer
          || a->k > G_MAXINT32))
    return "sorting of what takes turns, or is shared, or has too many digits";
  if (!choice->values[TP_PLACE_SCRATCH]
      && (choice->values[TP_PLACE_TURNS] || items == 1))
    return "no scratch where items do not share a threshold";
  if (tp_place_count_bytes (a, choice) > a->target->local_bytes)
    return "more local memory than a group has";
  if (choice->values[TP_PLACE_POINTS] > MAX (a->n_points, 1)
      || (items > 1 && choice->values[TP_PLACE_POINTS] > 1))
    return "groups of more points than there are";
  return NULL;
}

/* Turns without vectors are possible whatever the nest. */
static void
list_ways (const TpPlace *a, const TpChoice *partial, TpArray *out)
{
  gint64 most = tp_target_is_gpu (a->target) ? MIN (MOST_ITEMS, a->target->local_size)
                                             : 1;
  TpChoice choice = *partial;

  choice.values[TP_PLACE_POINTS] = 1;
  for (int lanes = a->target->lanes; lanes >= 1; lanes /= lanes == 4 ? 4 : 2)
    for (int way = 0; way < 4; way++)
      for (gint64 items = 1; items <= most; items *= 2)
        {
          choice.values[TP_PLACE_LANES] = lanes;
          choice.values[TP_PLACE_TURNS] = way == 1;
          choice.values[TP_PLACE_SORT] = way == 2;
          choice.values[TP_PLACE_SCRATCH] = way != 3;
          choice.values[TP_PLACE_ITEMS] = items;
          if (place_find_fault (a, &choice) == NULL)
            tp_array_append_val (out, choice);
        }
}

/* Of a row whose group is one of few: what it waits for. */
static double
count_waits (const TpPlace *a, const TpChoice *choice)
{
  double items = choice->values[TP_PLACE_ITEMS], n = a->n / items + 1.0, k = a->k;
  double bits = a->is_integer ? 64 : 32;
  gboolean has_keys = choice->values[TP_PLACE_SCRATCH];

  if (choice->values[TP_PLACE_TURNS])
    return k * (ITEM_WAIT * n + ITEM_STEP * items + ITEM_BIT);
  return bits * ((has_keys ? ITEM_SCRATCH : ITEM_AGAIN) * n + ITEM_BIT
                 + ITEM_ADDED * MIN (items, 16.0 + items / 16.0))
         + 2.0 * (has_keys ? ITEM_STEP : ITEM_WAIT) * n
         + 2.0 * ITEM_STEP * (items + k * (k / items + 1.0));
}

/* Of all rows, in turns where they are many. */
static double
count_items_work (const TpPlace *a, const TpChoice *choice)
{
  double wave = MAX (choice->values[TP_PLACE_ITEMS], 32);

  return count_waits (a, choice)
         * MAX (a->n_points * wave / (UNIT_ITEMS * (double) a->target->n_units), 1.0);
}

/* Of a row. */
static double
count_work (const TpPlace *a, const TpChoice *choice)
{
  double lanes = choice->values[TP_PLACE_LANES];
  double n = a->n, k = a->k;
  double bits = a->is_integer ? 64 : 32, wide = a->is_integer ? 2 : 1;
  double order = choice->values[TP_PLACE_SORT]
                     ? SORT_COST + SORT_ELEMENT * k
                     : RANK_VECTOR * k * k / lanes + ORDER_COST * k;

  if (choice->values[TP_PLACE_TURNS] && lanes == 1)
    return k * (PLAIN_COST * n + ORDER_COST);
  if (choice->values[TP_PLACE_TURNS])
    return k * (TURN_VECTOR * n / lanes + TURN_COST);
  return bits * (BIT_VECTOR * wide * n / lanes + BIT_COST)
         + KEEP_COST * n + order;
}

static void
list_points (const TpPlace *a, const TpChoice *partial, TpArray *out)
{
  double work = count_work (a, partial);
  gint64 most = partial->values[TP_PLACE_ITEMS] > 1 ? 1 : MAX (a->n_points, 1);
  gint64 points = CLAMP ((gint64) (16384.0 / work), 1, most);
  gint64 groups = 16 * (gint64) a->target->n_units;

  points = MAX (points, MIN (most, (a->n_points + groups - 1) / groups));
  tp_family_append (partial, TP_PLACE_POINTS, points, out);
  if (points >= 4)
    tp_family_append (partial, TP_PLACE_POINTS, points / 4, out);
}

static void
place_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                 TpArray *out)
{
  if (step == 0)
    list_ways (analysis, partial, out);
  else
    list_points (analysis, partial, out);
}

static double
place_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  if (step > 0)
    return 0.0;
  return tp_target_is_gpu (((const TpPlace *) analysis)->target)
             ? count_items_work (analysis, choice)
             : count_work (analysis, choice);
}

/* ---- the kernel -------------------------------------------------------- */

static void
emit_body (TpEmit *emit, int tile, int vectors, void *data)
{
  tp_place_emit_row (data, emit);
}

static void
place_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpPlace *a = analysis;
  g_autoptr (TpEmit) emit = tp_emit_new (build, a->nest);
  TpPlacePlan plan;
  TpGrid grid;

  tp_place_plan_init (&plan, a, choice, emit->kernel);
  emit->kernel->local_size = plan.items;
  tp_grid_init (&grid, a->nest);
  grid.group_points = choice->values[TP_PLACE_POINTS];
  tp_grid_emit (&grid, emit, emit_body, &plan);
  tp_emit_finish (emit, "place");
}

const TpFamily tp_schedule_place = {
  .form = { "place", params },
  .n_steps = 2,
  .ranks = TRUE,
  .takes_doubles = TRUE,
  .takes_iota = TRUE,
  .is_for = place_is_for,
  .analyze = place_analyze,
  .free = place_free,
  .enumerate = place_enumerate,
  .cost = place_cost,
  .find_fault = place_find_fault,
  .emit = place_emit,
};
