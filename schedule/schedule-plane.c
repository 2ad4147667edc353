/* schedule-plane.c: the family "plane": windows over planes in rows. */
#include "config.h"

#include "schedule/family.h"
#include "schedule/plane-analyze.h"
#include "schedule/plane-plan.h"
#include "schedule/plane-tile.h"

#define LEAST_WORK 16384      /* products per group, about */

/* The values of a choice, as tp_plane_plan_init() takes them. */
enum
{
  LANES, VECTORS, TILE,       /* a tile: rows of vectors */
  BLOCK,                      /* rows per group */
  PLANES,                     /* per group */
};

static const TpParam params[] = {
  { "lanes", 1, 4, 16, 0 },
  { "vectors", 1, 1, TP_PLANE_MAX_SUMS, 0 },
  { "tile", 1, 1, TP_PLANE_MAX_SUMS, 0 },
  { "block", 1, 1, G_MAXINT64 / 4, 0 },
  { "planes", 1, 1, G_MAXINT64 / 4, 0 },
  { NULL },
};

static gpointer
plane_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return n == 1 ? tp_plane_new (build, nests[0]) : NULL;
}

static void
plane_free (gpointer analysis)
{
  tp_plane_free (analysis);
}

static gint64
round_up (gint64 n, gint64 step)
{
  return (n + step - 1) / step * step;
}

static gboolean
fits (const TpPlane *plane, const TpChoice *choice, gint64 bytes)
{
  TpPlanePlan plan;

  tp_plane_plan_init (&plan, plane, choice->values);
  return plan.n_staged <= bytes / 4 / plan.row_pitch;
}

/* ---- choices ----------------------------------------------------------- */

static gint64
count_vectors (const TpPlane *plane, gint64 lanes)
{
  return round_up (plane->cols.n_out, lanes) / lanes;
}

/* All lanes there are, or half of them where columns fill those better. Some
 * processors work on all as fast as on half, some half as fast: where it matters the
 * rival has the other, and measuring decides. */
static gint64
choose_lanes (const TpPlane *plane)
{
  gint64 all = plane->target->lanes, half = all / 2;
  gint64 n_all = count_vectors (plane, all), n_half = count_vectors (plane, half);
  gboolean is_worth_all = 2 * n_half > 3 * n_all;

  if (half < 4 || n_half * half == n_all * all)
    return all;
  return is_worth_all != plane->is_rival ? all : half;
}

static void
list_lanes (const TpPlane *plane, const TpChoice *partial, TpArray *out)
{
  gint64 best = choose_lanes (plane);

  tp_family_append (partial, LANES, best, out);
  for (gint64 lanes = plane->target->lanes; lanes >= 4; lanes /= 2)
    if (lanes != best)
      tp_family_append (partial, LANES, lanes, out);
}

/* Rows, at most @most, of tiles as equal as they can be. */
static gint64
choose_rows (const TpPlane *plane, gint64 most)
{
  gint64 n = plane->rows.n_out, n_tiles = (n + most - 1) / most;

  return (n + n_tiles - 1) / n_tiles;
}

static void
list_tiles (const TpPlane *plane, const TpChoice *partial, TpArray *out)
{
  gint64 most = plane->target->n_registers >= 32 ? 8 : 4;
  TpChoice choice = *partial;

  for (gint64 rows = most; rows > 0; rows /= 2)
    {
      gint64 tile = choose_rows (plane, rows);
      gint64 fit = MAX (plane->cols.n_out / partial->values[LANES], 1);

      choice.values[TILE] = tile;
      choice.values[VECTORS] = CLAMP (most / tile, 1, fit);
      tp_array_append_val (out, choice);
    }
}

/* All rows, or as many tiles of them as stay in @bytes; at least one. */
static gint64
choose_block (const TpPlane *plane, const TpChoice *partial, gint64 bytes)
{
  gint64 tile = partial->values[TILE];
  TpChoice choice = *partial;

  choice.values[BLOCK] = plane->rows.n_out;
  if (fits (plane, &choice, bytes))
    return plane->rows.n_out;
  choice.values[BLOCK] = MIN (tile, plane->rows.n_out);
  while (choice.values[BLOCK] + tile < plane->rows.n_out)
    {
      choice.values[BLOCK] += tile;
      if (!fits (plane, &choice, bytes))
        return choice.values[BLOCK] - tile;
    }
  return choice.values[BLOCK];
}

static gint64
choose_planes (const TpPlane *plane, gint64 block)
{
  gint64 blocks = (plane->rows.n_out + block - 1) / block;
  gint64 work = plane->n_planes * plane->rows.n_out * plane->cols.n_out
                * plane->rows.n_taps * plane->cols.n_taps;
  gint64 groups = CLAMP (work / LEAST_WORK, 1, 16 * plane->target->n_units);

  return CLAMP (plane->n_planes * blocks / groups, 1, plane->n_planes);
}

static const char *
plane_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpPlane *plane = analysis;
  const gint64 *v = choice->values;

  if (!tp_target_has_lanes (plane->target, v[LANES], FALSE))
    return "the device has no vectors of so many lanes";
  if (v[TILE] > plane->rows.n_out
      || (v[VECTORS] > 1 && v[VECTORS] * v[LANES] > plane->cols.n_out))
    return "tiles of more points than there are";
  if (v[TILE] * v[VECTORS] > TP_PLANE_MAX_SUMS)
    return "tiles of too many vectors";
  if (v[BLOCK] > plane->rows.n_out
      || (v[BLOCK] < plane->rows.n_out && v[BLOCK] % v[TILE] != 0))
    return "blocks are all rows, or whole tiles";
  if (v[PLANES] > plane->n_planes)
    return "groups of more planes than there are";
  if (!fits (plane, choice, MIN (plane->target->local_bytes,
                                 plane->target->l2_bytes / 2)))
    return "blocks need more local memory than there is";
  return NULL;
}

static void
list_blocks (const TpPlane *plane, const TpChoice *partial, TpArray *out)
{
  const gint64 sizes[] = { plane->target->l1_bytes / 2,
                           plane->target->l1_bytes,
                           plane->target->l2_bytes / 4 };
  gint64 last = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      TpChoice choice = *partial;

      choice.values[BLOCK] = choose_block (plane, partial, sizes[i]);
      choice.values[PLANES] = choose_planes (plane, choice.values[BLOCK]);
      if (choice.values[BLOCK] != last
          && plane_find_fault (plane, &choice) == NULL)
        tp_array_append_val (out, choice);
      last = choice.values[BLOCK];
    }
}

static void
plane_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                 TpArray *out)
{
  static void (*const steps[]) (const TpPlane *, const TpChoice *, TpArray *)
      = { list_lanes, list_tiles, list_blocks };

  steps[step] (analysis, partial, out);
}

static void
plane_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  TpPlanePlan plan;

  tp_plane_plan_init (&plan, analysis, choice->values);
  tp_plane_plan_emit (&plan, build);
}

const TpFamily tp_schedule_plane = {
  .form = { "plane", params },
  .n_steps = 3,
  .is_for = tp_target_has_vectors,
  .analyze = plane_analyze,
  .free = plane_free,
  .enumerate = plane_enumerate,
  .find_fault = plane_find_fault,
  .emit = plane_emit,
};
