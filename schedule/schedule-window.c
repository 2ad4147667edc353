/* schedule-window.c: the family "window": vectors along a contiguous spatial
 * axis, several points of a row at once; what is padded along that axis runs alone,
 * at both ends. With one lane it is the generic family of CPUs, which fits every nest. */
#include "config.h"

#include "schedule/schedule-window.h"

#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"
#include "schedule/window-analyze.h"

#include <string.h>

#define MAX_UNROLLED 56       /* points per step, reduce axes included */
#define LEAST_TURN 1024       /* points of a group, where it has turns of its own */
#define LEAST_ROW 128         /* of such points, next to each other */

/* The values of a choice. */
enum
{
  LANES,                      /* 1: no vector axis */
  CUT_LOAD, CUT_STORE,        /* points per block of both contiguous axes of a
                               * copy that turns an array over; 1: not cut */
  TILE,                       /* points per step along the tile axis */
  UNROLL,                     /* vectors per step along the vector axis */
  FLAT,                       /* innermost reduce axes without loops */
  POINTS,                     /* per group, about */
};

static const TpParam params[] = {
  { "lanes", 1, 1, 16, 0 },
  { "cut", 2, 1, 64, 0 },
  { "tile", 1, 1, TP_WINDOW_MAX_POINTS, 0 },
  { "unroll", 1, 1, TP_WINDOW_MAX_POINTS, 0 },
  { "flat", 1, 0, TP_NEST_MAX_AXES, 0 },
  { "points", 1, 1, G_MAXINT64 / 4, 0 },
  { NULL },
};

/* ---- vectors ----------------------------------------------------------- */

static const TpWindowPlan *
window_of (const TpWindowAnalysis *a, const TpChoice *choice)
{
  return choice->values[LANES] > 1 ? &a->wide : &a->single;
}

static gint64
extent_of (const TpWindowAnalysis *a, int axis)
{
  return a->single.nest->axes[axis].extent;
}

/* A map by itself, of functions that take long. */
static gboolean
is_long (const TpWindowAnalysis *a)
{
  const TpNest *nest = a->single.nest;

  return nest->n_stages == 0 && tp_nest_takes_long (nest, nest->result);
}

/* Points that vectors run over. */
static gint64
count_inner (const TpWindowAnalysis *a)
{
  return extent_of (a, a->vaxis) - a->n_before - a->n_after;
}

static int
choose_lanes (const TpWindowAnalysis *a)
{
  int lanes = a->vaxis < 0 ? 1 : tp_target_get_lanes (a->target, is_long (a));

  while (lanes > 4 && lanes / 2 >= count_inner (a))
    lanes /= 2;
  return lanes;
}

/* Blocks of the axes of a copy such that lines of both sides are used while
 * they are in the cache. */
static int
choose_cut (const TpWindowAnalysis *a, int axis)
{
  gint64 extent = axis < 0 ? 1 : extent_of (a, axis);

  for (int block = 32; block >= 8; block--)
    if (extent > 32 && extent % block == 0)
      return block;
  return 1;
}

static void
list_vectors (const TpWindowAnalysis *a, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  choice.values[CUT_LOAD] = choice.values[CUT_STORE] = 1;
  for (int lanes = choose_lanes (a); lanes >= 4; lanes /= 2)
    {
      choice.values[LANES] = lanes;
      tp_array_append_val (out, choice);
    }
  choice.values[LANES] = 1;
  choice.values[CUT_LOAD] = choose_cut (a, a->load_axis);
  if (a->single.nest->n_axes + (choice.values[CUT_LOAD] > 1)
      < TP_NEST_MAX_AXES)
    choice.values[CUT_STORE] = choose_cut (a, a->store_axis);
  tp_array_append_val (out, choice);
  if (choice.values[CUT_LOAD] * choice.values[CUT_STORE] == 1)
    return;
  choice.values[CUT_LOAD] = choice.values[CUT_STORE] = 1;
  tp_array_append_val (out, choice);
}

static gboolean
is_cut_legal (const TpWindowAnalysis *a, int axis, gint64 block)
{
  return block == 1
         || (axis >= 0 && block < extent_of (a, axis)
             && extent_of (a, axis) % block == 0);
}

static const char *
find_vector_fault (const TpWindowAnalysis *a, const TpChoice *choice)
{
  const gint64 *v = choice->values;
  int n_cuts = (v[CUT_LOAD] > 1) + (v[CUT_STORE] > 1);

  if (!tp_target_has_lanes (a->target, v[LANES], is_long (a)))
    return "the device has no vectors of so many lanes";
  if (v[LANES] > 1 && a->vaxis < 0)
    return "no axis is one for vectors";
  if (n_cuts > 0 && v[LANES] > 1)
    return "only single lanes walk blocks";
  if (!is_cut_legal (a, a->load_axis, v[CUT_LOAD])
      || !is_cut_legal (a, a->store_axis, v[CUT_STORE])
      || a->single.nest->n_axes + n_cuts > TP_NEST_MAX_AXES)
    return "the axes cannot be cut into such blocks";
  return NULL;
}

/* ---- tile -------------------------------------------------------------- */

/* Steps that a group of points of the tile axis at a border may be; 0: @tile is
 * no tile for this nest. */
static gint64
count_tile (const TpWindowAnalysis *a, gint64 tile)
{
  gint64 extent, first, rest;

  if (tile == 1)
    return 1;
  if (a->tile_axis < 0 || tile > extent_of (a, a->tile_axis))
    return 0;
  extent = extent_of (a, a->tile_axis);
  if (tile == extent)         /* one fixed tile */
    return tile;
  if (a->tile_lo > tile || extent - a->tile_hi > tile)
    return 0;                 /* mostly border */
  first = a->tile_lo > 0 ? tile : 0;
  rest = extent - first - MAX (0, (a->tile_hi - first) / tile) * tile;
  return MAX (tile, rest);
}

static const char *
find_tile_fault (const TpWindowAnalysis *a, const TpChoice *choice)
{
  const gint64 *v = choice->values;
  gint64 points = count_tile (a, v[TILE]);

  if (v[LANES] == 1 && v[TILE] * v[UNROLL] > 1)
    return "single lanes have no tile";
  if (points == 0)
    return "no axis has such tiles";
  if (points * v[UNROLL] > TP_WINDOW_MAX_POINTS)
    return "tiles of too many points";
  return NULL;
}

static gint64
choose_tile (const TpWindowAnalysis *a)
{
  int most = a->target->n_registers >= 32 ? 8 : 4;

  if (a->tile_axis < 0)
    return 1;
  if (extent_of (a, a->tile_axis) < 2 * most)
    return extent_of (a, a->tile_axis);
  return count_tile (a, most) > 0 ? most : 1;
}

/* Vectors that are summed up at once: the more, the longer the pieces of memory that are
 * read on, but no unit is to have none. */
static gint64
count_sums (const TpWindowAnalysis *a, gint64 lanes)
{
  gint64 most = MIN (count_inner (a), a->n_points / a->target->n_units) / lanes;

  return CLAMP (most, 1, MIN (a->target->n_registers / 2, TP_WINDOW_MAX_POINTS));
}

/* Sums of which each waits for the one before: so many at once keep units busy. */
#define LEAST_SUMS 8

static gint64
choose_unroll (const TpWindowAnalysis *a, gint64 lanes, gint64 tile)
{
  gint64 extent = count_inner (a);

  if (a->shares_index)
    return CLAMP (extent / lanes, 1, a->target->n_registers / 4);
  if (a->wide.nest->n_stages > 0)
    return a->tile_axis < 0 ? count_sums (a, lanes)
                            : CLAMP (MIN (extent / lanes, LEAST_SUMS / tile), 1, 4);
  if (extent < 16 * lanes)
    return 1;
  return a->wide.nest->n_exprs <= 4 || is_long (a) ? 4 : 2;
}

static void
list_tiles (const TpWindowAnalysis *a, const TpChoice *partial, TpArray *out)
{
  static const gint64 others[][2]
      = { { 1, 1 }, { 1, 2 }, { 1, 4 }, { 1, 8 }, { 2, 1 },
          { 4, 1 }, { 8, 1 } };
  TpChoice choice = *partial;
  gint64 tile = 1, unroll = 1;

  if (choice.values[LANES] > 1)
    {
      tile = choose_tile (a);
      unroll = MIN (choose_unroll (a, choice.values[LANES], tile),
                    MAX (TP_WINDOW_MAX_POINTS / MAX (count_tile (a, tile), 1), 1));
    }
  choice.values[TILE] = tile;
  choice.values[UNROLL] = unroll;
  tp_array_append_val (out, choice);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      choice.values[TILE] = others[i][0];
      choice.values[UNROLL] = others[i][1];
      if ((choice.values[TILE] != tile || choice.values[UNROLL] != unroll)
          && find_tile_fault (a, &choice) == NULL)
        tp_array_append_val (out, choice);
    }
}

/* ---- loops ------------------------------------------------------------- */

/* Points of a step with the innermost @flat reduce axes unrolled. */
static gint64
count_unrolled (const TpWindowAnalysis *a, const TpChoice *choice, gint64 flat)
{
  const TpWindowPlan *window = window_of (a, choice);
  gint64 size = choice->values[TILE] * choice->values[UNROLL];

  for (int i = 0; i < flat && size <= MAX_UNROLLED; i++)
    size *= window->nest->axes[window->axes[window->n - 1 - i]].extent;
  return size;
}

static gint64
choose_flat (const TpWindowAnalysis *a, const TpChoice *choice)
{
  gint64 flat = 0;

  while (choice->values[LANES] > 1 && flat < a->wide.n
         && count_unrolled (a, choice, flat + 1) <= MAX_UNROLLED)
    flat++;
  return flat;
}

/* Turns that follow each other are best of one long row: memory is then read on. */
static gint64
choose_turn (const TpWindowAnalysis *a, gint64 points)
{
  gint64 row = a->vaxis < 0 ? a->n_points : extent_of (a, a->vaxis);
  gint64 most = (a->n_points + a->target->n_units - 1) / a->target->n_units;

  return MIN (MAX (points, MIN (LEAST_TURN, most)), MAX (row, LEAST_ROW));
}

static gint64
choose_points (const TpWindowAnalysis *a)
{
  gint64 work = a->n_points * a->n_terms;
  gint64 groups = CLAMP (work / 16384, 1, 16 * a->target->n_units);
  gint64 points = (a->n_points + groups - 1) / groups;

  return a->is_repeated ? choose_turn (a, points) : points;
}

static void
list_loops (const TpWindowAnalysis *a, const TpChoice *partial, TpArray *out)
{
  gint64 points = choose_points (a), flat = choose_flat (a, partial);
  gint64 counts[] = { points, points / 4, MIN (points, a->n_points / 4) * 4 };
  TpChoice choice = *partial;

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    for (gint64 f = flat; f >= 0 && counts[i] > 0; f -= MAX (flat, 1))
      {
        choice.values[FLAT] = f;
        choice.values[POINTS] = counts[i];
        if (i == 0 || counts[i] != points)
          tp_array_append_val (out, choice);
      }
}

static const char *
find_loop_fault (const TpWindowAnalysis *a, const TpChoice *choice)
{
  const gint64 *v = choice->values;

  if (v[FLAT] > a->single.n
      || (v[FLAT] > 0 && count_unrolled (a, choice, v[FLAT]) > MAX_UNROLLED))
    return "too much would be unrolled";
  if (v[POINTS] > a->n_points)
    return "groups of more points than there are";
  return NULL;
}

/* ---- the family -------------------------------------------------------- */

static gpointer
window_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return n == 1 ? tp_window_analysis_new (build, nests[0]) : NULL;
}

static void
window_free (gpointer analysis)
{
  tp_window_analysis_free (analysis);
}

static gboolean
window_is_for (const TpTarget *target)
{
  return !tp_target_is_gpu (target);
}

static gboolean
window_is_last_resort (gconstpointer analysis)
{
  return TRUE;
}

static void
window_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                  TpArray *out)
{
  static void (*const steps[]) (const TpWindowAnalysis *, const TpChoice *,
                                TpArray *)
      = { list_vectors, list_tiles, list_loops };

  steps[step] (analysis, partial, out);
}

static const char *
window_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const char *fault = find_vector_fault (analysis, choice);

  if (fault == NULL)
    fault = find_tile_fault (analysis, choice);
  return fault != NULL ? fault : find_loop_fault (analysis, choice);
}

/* The tile axis goes just outside the vector axis. */
static void
order_axes (TpGrid *grid)
{
  int n = 0, order[TP_NEST_MAX_AXES];

  for (int i = 0; i < grid->n; i++)
    if (grid->order[i] != grid->vaxis && grid->order[i] != grid->tile_axis)
      order[n++] = grid->order[i];
  if (grid->tile_axis >= 0)
    order[n++] = grid->tile_axis;
  if (grid->vaxis >= 0)
    order[n++] = grid->vaxis;
  memcpy (grid->order, order, n * sizeof order[0]);
}

/* Blocks before what is within them. */
static void
order_blocks (TpGrid *grid, int n_axes)
{
  int n = 0, order[TP_NEST_MAX_AXES];

  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < grid->n; i++)
      if ((grid->order[i] >= n_axes) == (pass == 0))
        order[n++] = grid->order[i];
  memcpy (grid->order, order, n * sizeof order[0]);
}

static void
set_grid (TpGrid *grid, const TpWindowAnalysis *a, const TpChoice *choice)
{
  const gint64 *v = choice->values;

  grid->lanes = v[LANES];
  grid->vaxis = v[LANES] > 1 ? a->vaxis : -1;
  grid->n_before = v[LANES] > 1 ? a->n_before : 0;
  grid->n_after = v[LANES] > 1 ? a->n_after : 0;
  grid->unroll = v[UNROLL];
  grid->tile = v[TILE];
  grid->group_points = v[POINTS];
  if (v[TILE] == 1)
    return;
  grid->tile_axis = a->tile_axis;
  if (v[TILE] == extent_of (a, a->tile_axis))
    return;
  grid->tile_lo = a->tile_lo;
  grid->tile_hi = a->tile_hi;
}

void
tp_schedule_window_plan (TpWindowPlan *window, TpBuild *build,
                         gconstpointer analysis, const TpChoice *choice)
{
  const TpWindowAnalysis *a = analysis;
  const gint64 *v = choice->values;
  g_autoptr (TpNest) copy = tp_nest_copy (a->single.nest);
  TpNest *nest = copy;
  int n_axes = nest->n_axes;

  if (v[LANES] > 1)
    tp_build_pack_constants (build, nest, a->vaxis);
  if (v[CUT_LOAD] > 1)
    tp_nest_split_axis (nest, a->load_axis, v[CUT_LOAD]);
  if (v[CUT_STORE] > 1)
    tp_nest_split_axis (nest, a->store_axis, v[CUT_STORE]);
  tp_window_plan_init (window, g_steal_pointer (&copy));
  set_grid (&window->grid, a, choice);
  order_axes (&window->grid);
  if (nest->n_axes > n_axes)
    order_blocks (&window->grid, n_axes);
  for (int i = 0; i < v[FLAT]; i++)
    window->is_unrolled[window->n - 1 - i] = TRUE;
}

static void
window_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  g_auto (TpWindowPlan) window = { NULL };

  tp_schedule_window_plan (&window, build, analysis, choice);
  tp_window_plan_emit (&window, build);
}

const TpFamily tp_schedule_window = {
  .form = { "window", params },
  .takes_doubles = TRUE,
  .takes_turns = TRUE,
  .takes_iota = TRUE,
  .n_steps = 3,
  .is_for = window_is_for,
  .analyze = window_analyze,
  .free = window_free,
  .is_last_resort = window_is_last_resort,
  .enumerate = window_enumerate,
  .find_fault = window_find_fault,
  .emit = window_emit,
};
