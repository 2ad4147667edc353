/* schedule-transpose.c: the family "transpose": maps on CPUs that read along one
 * axis what they write along another. A square of as many vectors as they have
 * lanes is computed with lanes along the axis that is read, turned in registers, and
 * stored with lanes along the other. Where no square is left at an end the last one
 * lies over its neighbour: what is written twice is the same. */
#include "config.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/nest-canon.h"
#include "schedule/weave.h"

/* The values of a choice. */
enum
{
  LANES,
  READ_BLOCK,                 /* elements of each axis that a group does, at least:
                               * the last group has the rest too */
  WRITTEN_BLOCK,
};

static const TpParam params[] = {
  { "lanes", 1, 4, TP_WEAVE_MAX, 0 },
  { "block", 2, 4, G_MAXINT64 / 4, 0 },
  { NULL },
};

enum
{
  READ,
  WRITTEN,
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  int axes[2];
  gint64 extents[2];
} TransposeAnalysis;

typedef struct
{
  const TransposeAnalysis *a;
  TpEmit *emit;
  int lanes;
  gint64 blocks[2], n_blocks[2];
  TpValue block[2];           /* of the group */
} TransposeState;

/* ---- a square ---------------------------------------------------------- */

/* At the positions of both axes. */
static void
emit_square (TransposeState *state)
{
  const int *axes = state->a->axes;
  TpEmit *e = state->emit;
  TpValue vectors[TP_WEAVE_MAX];

  tp_emit_set_lanes (e, axes[READ], state->lanes, state->lanes);
  for (int i = 0; i < state->lanes; i++)
    {
      e->axes[axes[WRITTEN]].delta = i;
      vectors[i] = tp_emit_expr (e, e->nest->result);
    }
  e->axes[axes[WRITTEN]].delta = 0;
  tp_weave (e->kernel, vectors, state->lanes);
  tp_emit_set_lanes (e, axes[WRITTEN], state->lanes, state->lanes);
  for (int i = 0; i < state->lanes; i++)
    {
      e->axes[axes[READ]].delta = i;
      tp_emit_store (e, vectors[i]);
    }
  e->axes[axes[READ]].delta = 0;
  tp_emit_set_lanes (e, -1, 1, 1);
}

/* ---- loops ------------------------------------------------------------- */

static void
walk (TransposeState *state, int which);

/* The next axis within this one, or the square. */
static void
go_in (TransposeState *state, int which)
{
  if (which == WRITTEN)
    walk (state, READ);
  else
    emit_square (state);
}

/* Squares along axis @which of the group's block, then the one that lies over
 * others. */
static void
walk (TransposeState *state, int which)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 extent = state->a->extents[which], last = extent - state->lanes;
  gint64 block = state->blocks[which], n = state->n_blocks[which];
  int axis = state->a->axes[which];
  TpValue is_last = tp_k_binary (k, TP_I_IEQUAL, state->block[which],
                                 tp_k_index (k, n - 1));
  TpValue first = tp_emit_mul_const (e, state->block[which], block), end;

  end = tp_k_select (
      k, is_last, tp_k_index (k, last + 1),
      tp_emit_min_const (e, tp_emit_add_const (e, first, block), last + 1));
  tp_emit_set_axis (e, axis, tp_emit_for (e, first, end, state->lanes), 0, last);
  go_in (state, which);
  tp_emit_end_for (e, NULL, 0, NULL);
  if (extent % state->lanes != 0)
    {
      tp_emit_if (e, is_last);
      tp_emit_set_axis (e, axis, tp_k_index (k, last), last, last);
      go_in (state, which);
      tp_emit_end_if (e);
    }
  tp_emit_clear_axis (e, axis);
}

static void
decode_group (TransposeState *state)
{
  const TransposeAnalysis *a = state->a;
  TpEmit *e = state->emit;
  TpValue rest = tp_k_group (e->kernel);

  e->kernel->n_groups = 1;
  for (int i = 0; i < 2; i++)
    state->block[i] = tp_emit_take_digit (e, &rest, state->n_blocks[i]);
  for (int i = a->nest->n_axes - 1; i >= 0; i--)
    if (i != a->axes[READ] && i != a->axes[WRITTEN])
      tp_emit_set_axis (e, i,
                        tp_emit_take_digit (e, &rest, a->nest->axes[i].extent),
                        0, a->nest->axes[i].extent - 1);
}

static void
transpose_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TransposeAnalysis *a = analysis;
  g_autoptr (TpEmit) emit = tp_emit_new (build, a->nest);
  TransposeState state = { .a = a, .emit = emit,
                           .lanes = choice->values[LANES] };

  for (int i = 0; i < 2; i++)
    {
      state.blocks[i] = choice->values[READ_BLOCK + i];
      state.n_blocks[i] = MAX (a->extents[i] / state.blocks[i], 1);
    }
  decode_group (&state);
  walk (&state, WRITTEN);
  tp_emit_finish (emit, "transpose");
}

/* ---- analysis ---------------------------------------------------------- */

/* Whether every load is one vector, or one element, along @axis, whatever the
 * guards; *@out_n: how many are vectors. */
static gboolean
is_readable (const TpNest *nest, int axis, int *out_n)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  *out_n = 0;
  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i])
        continue;
      if ((load->stride[axis] != 0 && load->stride[axis] != 1)
          || !tp_nest_is_plain_along (nest, load, axis))
        return FALSE;
      *out_n += load->stride[axis] == 1;
    }
  return TRUE;
}

/* The axis that is written straight, and the longest that all loads can be read
 * along; FALSE: one is missing, or loads are straight along the first. */
static gboolean
find_axes (const TpNest *nest, int *out_axes)
{
  int n = 0;

  out_axes[READ] = out_axes[WRITTEN] = -1;
  for (int i = 0; i < nest->n_axes; i++)
    {
      if (nest->store.stride[i] == 1)
        out_axes[WRITTEN] = i;
      else if (is_readable (nest, i, &n) && n > 0
               && (out_axes[READ] < 0
                   || nest->axes[i].extent
                          > nest->axes[out_axes[READ]].extent))
        out_axes[READ] = i;
    }
  if (out_axes[READ] < 0 || out_axes[WRITTEN] < 0)
    return FALSE;
  return !is_readable (nest, out_axes[WRITTEN], &n) || n == 0;
}

static gpointer
transpose_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpNest) copy = NULL;
  TransposeAnalysis *a = NULL;
  int axes[2];

  if (n != 1 || nests[0]->n_stages > 0 || nests[0]->store.index >= 0
      || !find_axes (nests[0], axes)
      || MIN (nests[0]->axes[axes[0]].extent, nests[0]->axes[axes[1]].extent)
             < 4)
    return NULL;
  copy = tp_nest_copy (nests[0]);
  a = g_new0 (TransposeAnalysis, 1);
  a->target = build->target;
  a->nest = g_steal_pointer (&copy);
  for (int i = 0; i < 2; i++)
    {
      a->axes[i] = axes[i];
      a->extents[i] = a->nest->axes[axes[i]].extent;
    }
  return a;
}

static void
transpose_free (gpointer analysis)
{
  TransposeAnalysis *a = analysis;

  tp_nest_free (a->nest);
  g_free (a);
}

/* ---- choices ----------------------------------------------------------- */

static void
list_lanes (const TransposeAnalysis *a, const TpChoice *partial, TpArray *out)
{
  for (int lanes = a->target->lanes; lanes >= 4; lanes /= 2)
    if (lanes <= MIN (a->extents[READ], a->extents[WRITTEN]))
      tp_family_append (partial, LANES, lanes, out);
}

/* What a block reads and writes stays in the second cache; the shapes differ for
 * the cost to choose from. */
static void
list_blocks (const TransposeAnalysis *a, const TpChoice *partial, TpArray *out)
{
  static const gint64 sides[][2]
      = { { 64, 128 }, { 64, 32 }, { 256, 64 }, { 32, 512 } };
  TpChoice choice = *partial;

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    {
      for (int k = 0; k < 2; k++)
        choice.values[READ_BLOCK + k]
            = MIN (sides[i][k], a->extents[k]) / partial->values[LANES]
              * partial->values[LANES];
      tp_array_append_val (out, choice);
    }
}

static void
transpose_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                     TpArray *out)
{
  if (step == 0)
    list_lanes (analysis, partial, out);
  else
    list_blocks (analysis, partial, out);
}

static const char *
transpose_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TransposeAnalysis *a = analysis;
  const gint64 *v = choice->values;

  if (!tp_target_has_lanes (a->target, v[LANES], FALSE))
    return "the device has no vectors of so many lanes";
  for (int i = 0; i < 2; i++)
    {
      if (v[LANES] > a->extents[i])
        return "squares larger than an axis";
      if (v[READ_BLOCK + i] % v[LANES] != 0 || v[READ_BLOCK + i] > a->extents[i])
        return "blocks that are no squares, or larger than an axis";
    }
  return NULL;
}

const TpFamily tp_schedule_transpose = {
  .form = { "transpose", params },
  .takes_doubles = TRUE,
  .n_steps = 2,
  .is_for = tp_target_has_vectors,
  .analyze = transpose_analyze,
  .free = transpose_free,
  .enumerate = transpose_enumerate,
  .find_fault = transpose_find_fault,
  .emit = transpose_emit,
};
