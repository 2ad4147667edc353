/* schedule-reduce.c: the family "reduce": reductions along a contiguous axis, a
 * point after the other. */
#include "config.h"

#include "schedule/schedule-reduce.h"

#include "schedule/grid.h"

static const TpParam params[] = {
  { "lanes", 1, 4, 16, 0 },
  { "sums", 1, 1, TP_REDUCE_MAX_SUMS, 0 },
  { "points", 1, 1, G_MAXINT64 / 4, 0 },
  { NULL },
};

static gpointer
reduce_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return n == 1 ? tp_reduce_new (build, nests[0]) : NULL;
}

static void
reduce_free (gpointer analysis)
{
  tp_reduce_free (analysis);
}

/* ---- choices ----------------------------------------------------------- */

/* As many as hide the latency of addition, if there are so many vectors. */
static gint64
count_sums (const TpReduce *a, gint64 lanes)
{
  return CLAMP (a->nest->axes[a->axis].extent / lanes, 1, TP_REDUCE_MAX_SUMS);
}

static void
list_lanes (const TpReduce *a, const TpChoice *partial, TpArray *out)
{
  int lanes = tp_target_get_lanes (a->target, a->is_long);

  while (lanes > 4 && lanes > a->nest->axes[a->axis].extent)
    lanes /= 2;
  for (; lanes >= 4; lanes /= 2)
    tp_family_append (partial, TP_REDUCE_LANES, lanes, out);
}

/* Vectors of two registers hide much of it by themselves: two sums come first. */
static void
list_sums (const TpReduce *a, const TpChoice *partial, TpArray *out)
{
  gint64 lanes = partial->values[TP_REDUCE_LANES], most = count_sums (a, lanes);
  gint64 first = lanes > a->target->lanes ? MIN (most, 2) : most;

  tp_family_append (partial, TP_REDUCE_SUMS, first, out);
  for (gint64 n = most; n > 0; n /= 2)
    if (n != first)
      tp_family_append (partial, TP_REDUCE_SUMS, n, out);
}

static void
list_points (const TpReduce *a, const TpChoice *partial, TpArray *out)
{
  gint64 groups = CLAMP (a->work / 8192, 1, 16 * a->target->n_units);
  gint64 points = (a->n_points + groups - 1) / groups;

  tp_family_append (partial, TP_REDUCE_POINTS, points, out);
  if (points >= 4)
    tp_family_append (partial, TP_REDUCE_POINTS, points / 4, out);
  if (points <= a->n_points / 4)
    tp_family_append (partial, TP_REDUCE_POINTS, points * 4, out);
}

static void
reduce_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                  TpArray *out)
{
  static void (*const steps[]) (const TpReduce *, const TpChoice *,
                                TpArray *)
      = { list_lanes, list_sums, list_points };

  steps[step] (analysis, partial, out);
}

static const char *
reduce_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpReduce *a = analysis;
  const gint64 *v = choice->values;

  if (!tp_target_has_lanes (a->target, v[TP_REDUCE_LANES], a->is_long))
    return "the device has no vectors of so many lanes";
  if (v[TP_REDUCE_SUMS] > count_sums (a, v[TP_REDUCE_LANES]))
    return "more sums than vectors";
  if (v[TP_REDUCE_POINTS] > MAX (a->n_points, 1))
    return "groups of more points than there are";
  return NULL;
}

static void
emit_body (TpEmit *emit, int tile, int vectors, void *data)
{
  tp_reduce_emit_point (data, emit);
}

static void
reduce_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpReduce *a = analysis;
  g_autoptr (TpEmit) emit = tp_emit_new (build, a->nest);
  TpReducePlan plan;
  TpGrid grid;

  tp_reduce_plan_init (&plan, a, choice, emit->kernel);
  tp_grid_init (&grid, a->nest);
  grid.group_points = choice->values[TP_REDUCE_POINTS];
  tp_grid_emit (&grid, emit, emit_body, &plan);
  tp_emit_finish (emit, "reduce");
}

const TpFamily tp_schedule_reduce = {
  .form = { "reduce", params },
  .takes_doubles = TRUE,
  .takes_iota = TRUE,
  .n_steps = 3,
  .is_for = tp_target_has_vectors,
  .analyze = reduce_analyze,
  .free = reduce_free,
  .enumerate = reduce_enumerate,
  .find_fault = reduce_find_fault,
  .emit = reduce_emit,
};
