/* schedule-window-items.c: the family "window-items": windows that slide over what
 * they read, on GPUs: convolutions with a filter per channel, pools.
 *
 * An item has some points next to each other along an axis on which their windows
 * overlap. Its loops over the window are unrolled, so what it reads of x, and each
 * weight, is in a register when the next point wants it; weights are packed with what
 * neighbours walk innermost. Where padding bounds an axis that keeps its loop, the loop
 * skips it; else what lies outside is selected away, at those few places of a tile that
 * can be outside. Where a tile does not divide its axis, the last one begins earlier,
 * and what two items have is stored by the first. */
#include "config.h"

#include "schedule/family.h"
#include "schedule/items.h"
#include "schedule/nest-canon.h"
#include "schedule/window.h"

#include <string.h>

#define MAX_TILE TP_ITEMS_MAX_TILE
#define MAX_TERMS 96          /* unrolled, of all points of an item */
#define USUAL_TERMS 32        /* with more, registers are better spent on points */
#define MANY_TERMS 64         /* of a point */

/* The values of a choice. */
enum
{
  LOCAL,                      /* items per group */
  LANES,
  TILE,                       /* vectors per item, next to each other */
  FLAT,                       /* innermost reduce axes without loops */
};

static const TpParam params[] = {
  { "local", 1, 2, 1 << 16, 0 },
  { "lanes", 1, 1, TP_ITEMS_VECTOR, 0 },
  { "tile", 1, 1, MAX_TILE, 0 },
  { "flat", 1, 0, TP_NEST_MAX_AXES, 0 },
  { NULL },
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  gint64 n_points;
  int inner;                  /* what neighbours walk; -1: nothing contiguous */
  int vaxis;                  /* with constants packed, vectors are aligned in every
                               * buffer; -1: no vectors */
  int tile_axis;              /* along which windows overlap */
} WindowItems;

static void
window_items_free (gpointer analysis)
{
  WindowItems *a = analysis;

  if (a == NULL)
    return;
  tp_nest_free (a->nest);
  g_free (a);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (WindowItems, window_items_free)

/* ---- where windows overlap ---------------------------------------------- */

/* The less the better; 0: no windows overlap along @axis. What neighbours walk comes
 * last: they are to read what lies together. */
static gint64
rate_axis (const WindowItems *a, const gboolean *used, int axis)
{
  gint64 best = 0;

  if (axis == a->vaxis || a->nest->store.stride[axis] == 0)
    return 0;
  for (int r = 0; r < a->nest->n_axes; r++)
    {
      gint64 apart = tp_items_find_overlap (a->nest, used, axis, r);

      if (apart > 0 && (best == 0 || apart < best))
        best = apart;
    }
  return best > 0 && axis == a->inner ? best + MAX_TILE : best;
}

/* Of equal ones the last, which is the innermost in most nests. */
static int
find_tile_axis (const WindowItems *a)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (a->nest);
  gint64 least = G_MAXINT64;
  int best = -1;

  for (int i = 0; i < a->nest->n_axes; i++)
    {
      gint64 rate = rate_axis (a, used, i);

      if (rate == 0 || rate > least)
        continue;
      least = rate;
      best = i;
    }
  return best;
}

/* Reduce axes along which windows of a tile overlap go innermost. */
static void
order_reduce_axes (TpWindowPlan *window, int tile_axis)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (window->nest);
  int n = 0, order[TP_NEST_MAX_AXES];

  for (int is_shared = FALSE; is_shared <= TRUE; is_shared++)
    for (int i = 0; i < window->n; i++)
      if ((tp_items_find_overlap (window->nest, used, tile_axis,
                                  window->axes[i])
           > 0)
          == is_shared)
        order[n++] = window->axes[i];
  memcpy (window->axes, order, n * sizeof order[0]);
}

/* ---- the analysis ------------------------------------------------------- */

static gboolean
is_window (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && nest->store.stride[i] != 0)
      return FALSE;
  return nest->n_stages > 0;
}

static gpointer
window_items_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (WindowItems) a = NULL;
  g_autoptr (TpNest) turned = NULL;

  if (n != 1 || !is_window (nests[0]))
    return NULL;
  a = g_new0 (WindowItems, 1);
  a->target = build->target;
  a->nest = tp_nest_copy (nests[0]);
  a->n_points = tp_items_count_points (a->nest);
  a->inner = tp_items_find_inner_axis (a->nest);
  turned = tp_nest_copy (a->nest);
  if (a->inner >= 0)
    tp_build_turn_constants (build, turned, a->inner);
  a->vaxis = tp_items_find_vector_axis (turned);
  if (a->vaxis >= 0 && !tp_items_is_aligned (turned, a->vaxis))
    a->vaxis = -1;
  a->tile_axis = find_tile_axis (a);
  return a->tile_axis < 0 ? NULL : g_steal_pointer (&a);
}

/* Many terms of few points are for items that join what they have. */
static gboolean
window_items_is_last_resort (gconstpointer analysis)
{
  const WindowItems *a = analysis;
  gint64 n_terms = 1;

  for (int i = 0; i < a->nest->n_axes; i++)
    if (a->nest->axes[i].is_reduce)
      n_terms *= a->nest->axes[i].extent;
  return n_terms > MANY_TERMS
         && a->n_points < (gint64) a->target->n_units * TP_ITEMS_BUSY;
}

/* Narrow tiles through local memory, and items that join what they have, are others
 * for some of these nests, and no GPU has said yet which are better. */
static gboolean
window_items_is_close (gconstpointer analysis)
{
  return TRUE;
}

/* ---- choices ------------------------------------------------------------ */

static gint64
count_items (const WindowItems *a, gint64 lanes, gint64 tile)
{
  gint64 extent = a->nest->axes[a->tile_axis].extent;

  return a->n_points / lanes / extent * ((extent + tile - 1) / tile);
}

static gboolean
is_busy (const WindowItems *a, gint64 lanes, gint64 tile)
{
  return count_items (a, lanes, tile)
         >= (gint64) a->target->n_units * TP_ITEMS_BUSY;
}

static void
list_lanes (const WindowItems *a, const TpChoice *partial, TpArray *out)
{
  gboolean is_wide = a->vaxis >= 0 && is_busy (a, TP_ITEMS_VECTOR, 1);

  tp_family_append (partial, LANES, is_wide ? TP_ITEMS_VECTOR : 1, out);
  if (a->vaxis >= 0)
    tp_family_append (partial, LANES, is_wide ? 1 : TP_ITEMS_VECTOR, out);
}

static gboolean
is_tile (const WindowItems *a, gint64 tile)
{
  return tile <= a->nest->axes[a->tile_axis].extent;
}

/* The largest, if there are items enough; of those that make as many items the
 * smallest. */
static void
list_tiles (const WindowItems *a, const TpChoice *partial, TpArray *out)
{
  gint64 lanes = partial->values[LANES], tiles[MAX_TILE];
  gint64 extent = a->nest->axes[a->tile_axis].extent;
  int n = 0, n_busy = 0;

  for (gint64 most = MAX_TILE; most > 0; most /= 2)
    {
      gint64 n_tiles = (extent + most - 1) / most;
      gint64 tile = (extent + n_tiles - 1) / n_tiles;

      if (n == 0 || tile < tiles[n - 1])
        tiles[n++] = tile;
    }
  for (int i = n - 1; i >= 0; i--)
    n_busy += is_busy (a, lanes, tiles[i]);
  for (int i = n - n_busy; i < n; i++)
    tp_family_append (partial, TILE, tiles[i], out);
  for (int i = n - n_busy - 1; i >= 0; i--)
    tp_family_append (partial, TILE, tiles[i], out);
}

/* Terms of all points of an item, with the innermost @flat reduce axes unrolled. */
static gint64
count_terms (const TpWindowPlan *window, gint64 tile, gint64 flat)
{
  gint64 terms = tile;

  for (int i = 0; i < flat && terms <= MAX_TERMS; i++)
    terms *= window->nest->axes[window->axes[window->n - 1 - i]].extent;
  return terms;
}

static void
plan_init (TpWindowPlan *window, const WindowItems *a, TpNest *nest)
{
  tp_window_plan_init (window, nest);
  order_reduce_axes (window, a->tile_axis);
}

static void
list_loops (const WindowItems *a, const TpChoice *partial, TpArray *out)
{
  g_auto (TpWindowPlan) window = { NULL };
  gint64 tile = partial->values[TILE], most = 0, usual;

  plan_init (&window, a, tp_nest_copy (a->nest));
  while (most < window.n && count_terms (&window, tile, most + 1) <= MAX_TERMS)
    most++;
  usual = MIN (most, 1);
  while (usual < most && count_terms (&window, tile, usual + 1) <= USUAL_TERMS)
    usual++;
  tp_family_append (partial, FLAT, usual, out);
  for (gint64 flat = most; flat >= 0; flat--)
    if (flat != usual)
      tp_family_append (partial, FLAT, flat, out);
}

static void
list_groups (const WindowItems *a, const TpChoice *partial, TpArray *out)
{
  int usual = tp_family_get_local_size (a->target);

  tp_family_append (partial, LOCAL, MAX (usual / 2, 2), out);
  for (gint64 n = MIN (2 * usual, a->target->local_size); n > 1 && n >= usual / 4;
       n /= 2)
    if (n != usual / 2)
      tp_family_append (partial, LOCAL, n, out);
}

static void
window_items_enumerate (gconstpointer analysis, int step,
                        const TpChoice *partial, TpArray *out)
{
  static void (*const steps[]) (const WindowItems *, const TpChoice *, TpArray *)
      = { list_lanes, list_tiles, list_loops, list_groups };

  steps[step] (analysis, partial, out);
}

static const char *
window_items_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const WindowItems *a = analysis;
  const gint64 *v = choice->values;
  g_auto (TpWindowPlan) window = { NULL };

  if (v[LANES] != 1 && (v[LANES] != TP_ITEMS_VECTOR || a->vaxis < 0))
    return "no axis is one for such vectors";
  if (!is_tile (a, v[TILE]))
    return "no axis has such tiles";
  plan_init (&window, a, tp_nest_copy (a->nest));
  if (v[FLAT] > window.n || count_terms (&window, v[TILE], v[FLAT]) > MAX_TERMS)
    return "too much would be unrolled";
  return tp_family_find_local_fault (a->target, v[LOCAL]);
}

/* ---- the kernel --------------------------------------------------------- */

static void
window_items_emit (TpBuild *build, gconstpointer analysis,
                   const TpChoice *choice)
{
  const WindowItems *a = analysis;
  const gint64 *v = choice->values;
  g_autoptr (TpNest) nest = tp_nest_copy (a->nest);
  g_auto (TpWindowPlan) window = { NULL };

  if (a->inner >= 0)
    tp_build_pack_constants (build, nest, a->inner);
  plan_init (&window, a, g_steal_pointer (&nest));
  window.grid.local_size = v[LOCAL];
  window.grid.lanes = v[LANES];
  window.grid.vaxis = v[LANES] > 1 ? a->vaxis : -1;
  window.grid.tile = v[TILE];
  window.grid.tile_axis = v[TILE] > 1 ? a->tile_axis : -1;
  for (int i = 0; i < v[FLAT]; i++)
    window.is_unrolled[window.n - 1 - i] = TRUE;
  tp_window_plan_emit (&window, build);
}

const TpFamily tp_schedule_window_items = {
  .form = { "window-items", params },
  .n_steps = 4,
  .is_for = tp_target_is_gpu,
  .analyze = window_items_analyze,
  .free = window_items_free,
  .is_last_resort = window_items_is_last_resort,
  .is_close = window_items_is_close,
  .enumerate = window_items_enumerate,
  .find_fault = window_items_find_fault,
  .emit = window_items_emit,
};
