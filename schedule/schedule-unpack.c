/* schedule-unpack.c: the family "unpack": few rows times what is made of packed
 * constants, on CPUs. A tile of rows and vectors of columns keeps its sums in
 * registers; what is made of a constant is made in registers, where it is used. Bits times
 * bytes are dot products of four: vectors have four bytes of a column in each lane. */
#include "config.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/nest-canon.h"
#include "schedule/panels.h"
#include "schedule/unpack.h"

#define MOST_SUMS 64
#define MOST_VECTORS 8
#define FEW_TILES 2           /* of rows: with more, too much is made again */
#define UNROLL 4
#define FOUR 4
#define ONES 0x01010101u
#define CHAIN_LANES 128       /* whose sums hide that each waits for the one before */

/* The values of a choice. */
enum
{
  LANES,
  VECTORS,                    /* lanes * vectors: columns of a panel */
  ROWS,                       /* of a tile */
  BLOCK,                      /* full panels per group */
  STEPS,                      /* of the innermost loop per turn, at most */
};

static const TpParam params[] = {
  { "lanes", 1, 4, 16, 0 },
  { "vectors", 1, 1, MOST_VECTORS, 0 },
  { "tile", 1, 1, MOST_SUMS, 0 },
  { "block", 1, 1, G_MAXINT64 / 4, 0 },
  { "unroll", 1, 1, 16, 0 },
  { NULL },
};

typedef struct
{
  const TpUnpack *unpack;
  TpEmit *emit;
  int panel_axis;
  int four_axis;              /* of fours, where there are dot products */
  int lanes;
  int rows, vectors, active;  /* of this tile; lanes of its last vector */
  int steps;
} UnpackState;

/* ---- sums -------------------------------------------------------------- */

static int
count_sums (const UnpackState *state)
{
  return state->rows * state->vectors;
}

/* Sum @i of a tile: row, then vector; @is_whole: behind the end there are zeros. */
static void
set_point (UnpackState *state, int i, gboolean is_whole)
{
  const TpUnpack *unpack = state->unpack;
  TpEmit *e = state->emit;
  int v = i / state->rows;
  gboolean is_last = v == state->vectors - 1;

  if (unpack->row_axis >= 0)
    e->axes[unpack->row_axis].delta = i % state->rows;
  e->axes[unpack->n_axis].delta = (gint64) v * state->lanes;
  tp_emit_set_lanes (e, unpack->n_axis, state->lanes,
                     is_last && !is_whole ? state->active : state->lanes);
}

static void
end_points (UnpackState *state)
{
  const TpUnpack *unpack = state->unpack;
  TpEmit *e = state->emit;

  if (unpack->row_axis >= 0)
    e->axes[unpack->row_axis].delta = 0;
  e->axes[unpack->n_axis].delta = 0;
  tp_emit_set_lanes (e, -1, 1, 1);
}

static TpValue
add_term (TpEmit *e, const TpUnpackTerm *term, TpValue sum)
{
  TpValue a = tp_emit_expr (e, term->a);

  if (term->b < 0)
    return tp_k_binary (e->kernel, term->is_negative ? TP_I_FSUB : TP_I_FADD,
                        sum, a);
  if (term->is_negative)
    a = tp_k_unary (e->kernel, TP_I_FNEG, a);
  return tp_k_fma (e->kernel, a, tp_emit_expr (e, term->b), sum);
}

static void
add_terms (UnpackState *state, TpValue *sums)
{
  const TpUnpack *unpack = state->unpack;

  for (int i = 0; i < count_sums (state); i++)
    {
      set_point (state, i, TRUE);
      for (int t = 0; t < unpack->n_terms; t++)
        sums[i] = add_term (state->emit, &unpack->terms[t], sums[i]);
    }
  end_points (state);
}

/* ---- dot products ------------------------------------------------------ */

static gboolean
has_dots (const UnpackState *state)
{
  return state->unpack->dots.n_parts > 0;
}

static TpValue
load_four (UnpackState *state, int load, int lanes)
{
  TpEmit *e = state->emit;

  return tp_k_load4 (e->kernel, e->load_buffers[load],
                     tp_emit_index (e, &e->nest->loads[load]), lanes);
}

/* Four bytes of weights of a column in each lane. */
static TpValue
load_weights (UnpackState *state, int v)
{
  const TpUnpack *unpack = state->unpack;

  state->emit->axes[unpack->n_axis].delta = (gint64) v * state->lanes;
  return load_four (state, unpack->dots.q_load, state->lanes);
}

/* Four bytes of x for @part of those of weights, in all lanes. */
static TpValue
load_x (UnpackState *state, int row, int part)
{
  const TpUnpack *unpack = state->unpack;

  if (unpack->row_axis >= 0)
    state->emit->axes[unpack->row_axis].delta = row;
  return tp_k_splat (state->emit->kernel,
                     load_four (state, unpack->dots.parts[part].x_load, 1),
                     state->lanes);
}

/* @part of all of @bytes. */
static TpValue
take_bits (UnpackState *state, TpValue bytes, int part)
{
  const TpUnpackDots *dots = &state->unpack->dots;
  TpKernel *k = state->emit->kernel;
  guint32 mask = dots->parts[part].mask;
  int shift = dots->parts[part].shift;

  if (shift > 0)
    bytes = tp_k_binary (k, TP_I_ISHR, bytes, tp_k_i32 (k, state->lanes, shift));
  return mask == G_MAXUINT8
             ? bytes
             : tp_k_binary (k, TP_I_IAND, bytes,
                            tp_k_i32 (k, state->lanes, (gint32) (mask * ONES)));
}

/* Four steps of all points. */
static void
add_fours (UnpackState *state, TpValue *sums)
{
  TpKernel *k = state->emit->kernel;
  TpValue x[MOST_SUMS], weights[MOST_VECTORS], bits;
  int rows = state->rows, n = count_sums (state);

  for (int v = 0; v < state->vectors; v++)
    weights[v] = load_weights (state, v);
  for (int part = 0; part < state->unpack->dots.n_parts; part++)
    {
      for (int row = 0; row < rows; row++)
        x[row] = load_x (state, row, part);
      for (int i = 0; i < n; i++)
        {
          bits = take_bits (state, weights[i / rows], part);
          sums[i] = tp_k_dot4 (k, bits, x[i % rows], sums[i]);
        }
    }
  end_points (state);
}

/* @sum of a point, with what is still for all that it has, as a real. */
static TpValue
finish_dot (UnpackState *state, TpValue sum)
{
  const TpUnpack *unpack = state->unpack;
  TpEmit *e = state->emit;
  gint64 n = unpack->nest->axes[unpack->dots.axis].extent;
  TpUnpackTerm still;
  TpValue a, times;

  sum = tp_k_unary (e->kernel, TP_I_I32_TO_F32, sum);
  if (unpack->dots.still < 0)
    return sum;
  still = unpack->terms[unpack->dots.still];
  times = tp_k_f32 (e->kernel, state->lanes, still.is_negative ? -n : n);
  a = tp_emit_expr (e, still.a);
  if (still.b >= 0)
    a = tp_k_binary (e->kernel, TP_I_FMUL, a, tp_emit_expr (e, still.b));
  return tp_k_fma (e->kernel, a, times, sum);
}

/* ---- loops ------------------------------------------------------------- */

static void emit_loop (UnpackState *state, int level, TpValue *sums);

static void
clear_sums (UnpackState *state, gboolean is_dots, TpValue *sums)
{
  TpKernel *k = state->emit->kernel;

  for (int i = 0; i < count_sums (state); i++)
    sums[i] = is_dots ? tp_k_i32 (k, state->lanes, 0)
                      : tp_k_f32 (k, state->lanes, 0.0f);
}

/* What the factor does not walk is added up, and multiplied once. */
static void
emit_product (UnpackState *state, int level, TpValue *sums)
{
  TpEmit *e = state->emit;
  TpValue inner[MOST_SUMS], sum;

  clear_sums (state, has_dots (state), inner);
  emit_loop (state, level, inner);
  for (int i = 0; i < count_sums (state); i++)
    {
      set_point (state, i, TRUE);
      sum = has_dots (state) ? finish_dot (state, inner[i]) : inner[i];
      sums[i] = tp_k_fma (e->kernel, sum,
                          tp_emit_expr (e, state->unpack->factor), sums[i]);
    }
  end_points (state);
}

static void
emit_level (UnpackState *state, int level, TpValue *sums)
{
  const TpUnpack *unpack = state->unpack;

  if (level == unpack->n_loops && has_dots (state))
    add_fours (state, sums);
  else if (level == unpack->n_loops)
    add_terms (state, sums);
  else if (level == unpack->n_walked && unpack->factor >= 0)
    emit_product (state, level, sums);
  else
    emit_loop (state, level, sums);
}

static int
choose_steps (const UnpackState *state, int level, gint64 extent)
{
  int steps = level == state->unpack->n_loops - 1 ? state->steps : 1;

  while (extent % steps != 0)
    steps--;
  return steps;
}

static void
emit_loop (UnpackState *state, int level, TpValue *sums)
{
  TpEmit *e = state->emit;
  gboolean is_dots = has_dots (state) && level == state->unpack->n_walked;
  int axis = is_dots ? state->four_axis : state->unpack->loops[level];
  int n = count_sums (state);
  gint64 extent = e->nest->axes[axis].extent;
  int steps = choose_steps (state, level, extent);
  gboolean is_loop = extent > steps;
  TpValue at = is_loop ? tp_emit_for_const (e, 0, extent, steps)
                       : tp_k_index (e->kernel, 0);

  for (int i = 0; i < n && is_loop; i++)
    sums[i] = tp_k_carry (e->kernel, sums[i]);
  tp_emit_set_axis (e, axis, at, 0, extent - steps);
  for (int i = 0; i < steps; i++)
    {
      e->axes[axis].delta = i;
      emit_level (state, level + 1, sums);
    }
  tp_emit_clear_axis (e, axis);
  if (is_loop)
    tp_emit_end_for (e, sums, n, sums);
}

/* ---- tiles ------------------------------------------------------------- */

static void
emit_tile (UnpackState *state, TpValue row, int rows)
{
  const TpUnpack *unpack = state->unpack;
  TpEmit *e = state->emit;
  TpValue sums[MOST_SUMS];

  state->rows = rows;
  if (unpack->row_axis >= 0)
    tp_emit_set_axis (e, unpack->row_axis, row, 0, unpack->n_rows - rows);
  clear_sums (state, FALSE, sums);
  emit_level (state, 0, sums);
  for (int i = 0; i < count_sums (state); i++)
    {
      set_point (state, i, FALSE);
      e->stages[0] = sums[i];
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  end_points (state);
  if (unpack->row_axis >= 0)
    tp_emit_clear_axis (e, unpack->row_axis);
}

/* All rows of @columns of @panel, the same as all or the last one. */
static void
emit_panel (UnpackState *state, TpValue panel, gint64 last, int columns,
            int rows)
{
  const TpUnpack *unpack = state->unpack;
  TpEmit *e = state->emit;
  gint64 whole = unpack->n_rows / rows * rows, rest = unpack->n_rows - whole;

  state->vectors = (columns - 1) / state->lanes + 1;
  state->active = columns - (state->vectors - 1) * state->lanes;
  tp_emit_set_axis (e, state->panel_axis, panel, 0, last);
  if (whole == rows)
    emit_tile (state, tp_k_index (e->kernel, 0), rows);
  else
    {
      emit_tile (state, tp_emit_for_const (e, 0, whole, rows), rows);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (rest > 0)
    emit_tile (state, tp_k_index (e->kernel, whole), rest);
  tp_emit_clear_axis (e, state->panel_axis);
}

/* The panels of @block: full ones, and the last if that is not. */
static void
emit_panels (UnpackState *state, const TpChoice *choice, TpValue block,
             gint64 n_blocks)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 width = e->nest->axes[state->unpack->n_axis].extent;
  gint64 n = choice->values[BLOCK], n_full = state->unpack->n_total / width;
  int rest = state->unpack->n_total % width;
  int rows = choice->values[ROWS];

  if (n_full > 0)
    {
      TpValue first = tp_emit_mul_const (e, block, n);
      TpValue end = tp_emit_min_const (e, tp_emit_add_const (e, first, n),
                                       n_full);

      emit_panel (state, tp_emit_for (e, first, end, 1), n_full - 1, width,
                  rows);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (rest == 0)
    return;
  tp_emit_if (e, tp_k_binary (k, TP_I_IEQUAL, block,
                              tp_k_index (k, n_blocks - 1)));
  emit_panel (state, tp_k_index (k, n_full), n_full, rest, rows);
  tp_emit_end_if (e);
}

static gint64
count_panels (const TpUnpack *unpack, const TpChoice *choice)
{
  return MAX (1, unpack->n_total
                     / (choice->values[LANES] * choice->values[VECTORS]));
}

static void
unpack_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpUnpack *unpack = analysis;
  const gint64 *v = choice->values;
  gboolean is_dots = unpack->dots.n_parts > 0;
  g_autoptr (TpNest) nest = tp_nest_copy (unpack->nest);
  int fours
      = is_dots ? tp_nest_split_axis (nest, unpack->dots.axis, FOUR) : -1;
  const TpPanelCut cut = { unpack->n_axis, v[LANES] * v[VECTORS],
                           is_dots ? unpack->dots.axis : -1 };
  int panels = tp_panels_cut (build, nest, nest->stages[0].expr, &cut);
  g_autoptr (TpEmit) emit = tp_emit_new (build, nest);
  UnpackState state = { .unpack = unpack, .emit = emit, .panel_axis = panels,
                        .four_axis = fours, .lanes = v[LANES],
                        .steps = v[STEPS] };
  TpValue rest = tp_k_group (emit->kernel), block;
  gint64 n_blocks = (count_panels (unpack, choice) - 1) / v[BLOCK] + 1;

  emit->kernel->n_groups = 1;
  block = tp_emit_take_digit (emit, &rest, n_blocks);
  for (int i = unpack->n_outer - 1; i >= 0; i--)
    {
      gint64 extent = nest->axes[unpack->outer[i]].extent;

      tp_emit_set_axis (emit, unpack->outer[i],
                        tp_emit_take_digit (emit, &rest, extent), 0,
                        extent - 1);
    }
  emit_panels (&state, choice, block, n_blocks);
  tp_emit_finish (emit, "unpack");
}

/* ---- choices ----------------------------------------------------------- */

static int
choose_lanes (const TpUnpack *unpack)
{
  int lanes = unpack->target->lanes;

  while (lanes > 4 && lanes / 2 >= unpack->n_total)
    lanes /= 2;
  return lanes;
}

/* Sums of blocks and sums of all, besides what is made and what it is made of. */
static gboolean
is_tile_there (const TpUnpack *unpack, gint64 rows, gint64 vectors)
{
  gint64 kinds = unpack->factor >= 0 && unpack->n_walked > 0 ? 2 : 1;

  return kinds * rows * vectors + 6 <= unpack->target->n_registers;
}

/* Few panels leave units idle. */
static gboolean
is_shared_out (const TpUnpack *unpack, gint64 columns)
{
  return unpack->target->n_units == 1
         || unpack->n_total * unpack->n_outer_points
                >= 2 * columns * unpack->target->n_units;
}

/* As many as hide the latency of sums, where registers hold those of all rows: each
 * tile of rows makes all again. */
static void
list_vectors (const TpUnpack *unpack, const TpChoice *partial, TpArray *out)
{
  gint64 lanes = partial->values[LANES];

  for (int vectors = MOST_VECTORS; vectors > 0; vectors /= 2)
    if ((vectors * lanes <= CHAIN_LANES && (vectors - 1) * lanes < unpack->n_total
         && is_shared_out (unpack, vectors * lanes)
         && is_tile_there (unpack, unpack->n_rows, vectors))
        || vectors == 1)
      tp_family_append (partial, VECTORS, vectors, out);
}

/* As many rows as registers hold the sums of, in tiles as equal as they can be. */
static void
list_rows (const TpUnpack *unpack, const TpChoice *partial, TpArray *out)
{
  gint64 most = 1, n;

  while (most < unpack->n_rows
         && is_tile_there (unpack, most + 1, partial->values[VECTORS]))
    most++;
  n = (unpack->n_rows + most - 1) / most;
  tp_family_append (partial, ROWS, (unpack->n_rows + n - 1) / n, out);
}

/* Some blocks for each unit. */
static void
list_blocks (const TpUnpack *unpack, const TpChoice *partial, TpArray *out)
{
  gint64 n = count_panels (unpack, partial);
  gint64 wanted = unpack->target->n_units == 1 ? 1 : 4 * unpack->target->n_units;

  tp_family_append (partial, BLOCK,
                    CLAMP (n * unpack->n_outer_points / wanted, 1, n), out);
  if (n > 1)
    tp_family_append (partial, BLOCK, 1, out);
}

static void
unpack_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                  TpArray *out)
{
  switch (step)
    {
    case LANES:
      tp_family_append (partial, LANES, choose_lanes (analysis), out);
      break;
    case VECTORS:
      list_vectors (analysis, partial, out);
      break;
    case ROWS:
      list_rows (analysis, partial, out);
      break;
    case BLOCK:
      list_blocks (analysis, partial, out);
      break;
    default:
      for (int steps = UNROLL; steps > 0; steps /= 2)
        tp_family_append (partial, STEPS, steps, out);
      break;
    }
}

static const char *
unpack_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpUnpack *unpack = analysis;
  const gint64 *v = choice->values;

  if (!tp_target_has_lanes (unpack->target, v[LANES], FALSE))
    return "the device has no vectors of so many lanes";
  if (v[ROWS] > unpack->n_rows)
    return "a tile of more rows than there are";
  if (v[ROWS] * v[VECTORS] > MOST_SUMS)
    return "a tile of too many sums";
  if (v[BLOCK] > count_panels (unpack, choice))
    return "blocks of more panels than there are";
  return NULL;
}

/* ---- the family -------------------------------------------------------- */

static gpointer
unpack_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return n == 1 ? tp_unpack_new (build, nests[0]) : NULL;
}

static void
unpack_free (gpointer analysis)
{
  tp_unpack_free (analysis);
}

/* Every tile of rows makes all again, which is little for dot products. */
static gboolean
unpack_is_last_resort (gconstpointer analysis)
{
  const TpUnpack *unpack = analysis;

  return unpack->dots.n_parts == 0
         && unpack->n_rows > FEW_TILES * unpack->target->n_registers / 4;
}

const TpFamily tp_schedule_unpack = {
  .form = { "unpack", params },
  .n_steps = 5,
  .is_for = tp_target_has_vectors,
  .analyze = unpack_analyze,
  .free = unpack_free,
  .is_last_resort = unpack_is_last_resort,
  .enumerate = unpack_enumerate,
  .find_fault = unpack_find_fault,
  .emit = unpack_emit,
};
