/* schedule-sweep.c: the family "sweep": few rows times a matrix that is no constant,
 * on CPUs. Whoever walks down a panel of w touches a page at every step where its
 * rows are long, and gets no more than half of what memory gives. So rows of w are
 * walked to their ends, some at once; the sums are in scratch, which is near. */
#include "config.h"

#include "schedule/contract-analyze.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/schedule-contract.h"

#define MOST_POINTS 3         /* with more, products take as long as memory does */
#define PAGE 4096             /* bytes */
#define MOST_ROWS 8

/* The values of a choice. */
enum
{
  LANES,
  ROWS,                       /* of w at once */
  BLOCK,                      /* columns per group */
};

static const TpParam params[] = {
  { "lanes", 1, 4, 16, 0 },
  { "rows", 1, 1, MOST_ROWS, 0 },
  { "block", 1, 4, G_MAXINT64 / 4, 0 },
  { NULL },
};

typedef struct
{
  TpEmit *emit;
  const TpContract *c;
  int lanes, rows;            /* rows: of this step */
  gint64 block;
  int sums;                   /* buffer, [vector of the block][point] */
  TpValue index, first;       /* of the block; its first column */
  TpValue w, x;               /* where w and x are at the first row */
  TpValue *factors;           /* of this step: [row][point], splat */
  gboolean is_first;          /* step: there are no sums yet */
} SweepState;

typedef void (*ColumnFunc) (SweepState *state, TpValue column);

static gint64
count_points (const TpContract *c)
{
  return c->n_rows * c->n_cols;
}

/* ---- columns ------------------------------------------------------------- */

/* What @func emits for every vector of the block. */
static void
emit_columns (SweepState *state, ColumnFunc func)
{
  const TpContract *c = state->c;
  TpEmit *e = state->emit;
  gint64 whole = c->n_total / state->lanes * state->lanes;
  gint64 last = (c->n_total - 1) / state->block;
  TpValue first = state->first;
  TpValue end = tp_emit_add_const (e, first, state->block - state->lanes + 1);

  tp_emit_set_lanes (e, c->n_axis, state->lanes, state->lanes);
  if (whole > 0)
    {
      end = tp_emit_min_const (e, end, whole - state->lanes + 1);
      func (state, tp_emit_for (e, first, end, state->lanes));
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (whole == c->n_total)
    return;
  tp_emit_if (e, tp_k_binary (e->kernel, TP_I_IEQUAL, state->index,
                              tp_k_index (e->kernel, last)));
  tp_emit_set_lanes (e, c->n_axis, state->lanes, c->n_total - whole);
  state->first = tp_k_index (e->kernel, last * state->block);
  func (state, tp_k_index (e->kernel, whole));
  state->first = first;
  tp_emit_end_if (e);
}

/* Where the sums of @point from @column on are: those of all points side by side. */
static TpValue
find_sum (SweepState *state, gint64 point, TpValue column)
{
  TpEmit *e = state->emit;
  TpValue at = tp_k_binary (e->kernel, TP_I_ISUB, column, state->first);

  at = tp_emit_mul_const (e, at, count_points (state->c));
  return tp_emit_add_const (e, at, point * state->lanes);
}

static void
add_rows (SweepState *state, TpValue column)
{
  TpEmit *e = state->emit;
  const TpContract *c = state->c;
  gint64 step = c->nest->loads[c->w_load].stride[c->k_axes[0]];
  TpValue w = tp_emit_add (e, state->w, column), rows[MOST_ROWS];
  int buffer = e->load_buffers[c->w_load];

  for (int i = 0; i < state->rows; i++)
    rows[i] = tp_k_load (e->kernel, buffer, tp_emit_add_const (e, w, i * step),
                         state->lanes, tp_emit_mask (e));
  for (gint64 p = 0; p < count_points (c); p++)
    {
      TpValue at = find_sum (state, p, column);
      TpValue sum = state->is_first
                        ? tp_emit_number (e, 0.0, c->dtype, state->lanes)
                        : tp_k_load (e->kernel, state->sums, at, state->lanes,
                                     -1);

      for (int i = 0; i < state->rows; i++)
        sum = tp_k_fma (e->kernel,
                        state->factors[i * count_points (c) + p], rows[i], sum);
      tp_k_store (e->kernel, state->sums, at, sum, -1);
    }
}

/* ---- rows ---------------------------------------------------------------- */

static TpValue
load_factor (SweepState *state, gint64 point, int row)
{
  const TpContract *c = state->c;
  const gint64 *stride = c->nest->loads[c->x_load].stride;
  TpEmit *e = state->emit;
  gint64 at = row * stride[c->k_axes[0]];
  TpValue one;

  if (c->row_axis >= 0)
    at += point / c->n_cols * stride[c->row_axis];
  if (c->col_axis >= 0)
    at += point % c->n_cols * stride[c->col_axis];
  one = tp_k_load (e->kernel, e->load_buffers[c->x_load],
                   tp_emit_add_const (e, state->x, at), 1, -1);
  return tp_k_splat (e->kernel, one, state->lanes);
}

/* @n rows of w from @row on. */
static void
emit_rows (SweepState *state, TpValue row, int n)
{
  const TpContract *c = state->c;
  TpEmit *e = state->emit;
  TpValue factors[MOST_ROWS * MOST_POINTS];

  tp_emit_set_axis (e, c->k_axes[0], row, 0, c->k_total - n);
  state->w = tp_emit_index (e, &c->nest->loads[c->w_load]);
  state->x = tp_emit_index (e, &c->nest->loads[c->x_load]);
  tp_emit_clear_axis (e, c->k_axes[0]);
  state->rows = n;
  state->factors = factors;
  for (int i = 0; i < n * count_points (c); i++)
    factors[i] = load_factor (state, i % count_points (c),
                              i / count_points (c));
  emit_columns (state, add_rows);
}

static void
emit_sums (SweepState *state, int rows)
{
  TpEmit *e = state->emit;
  gint64 n = state->c->k_total, first = n % rows != 0 ? n % rows : rows;

  state->is_first = TRUE;
  emit_rows (state, tp_k_index (e->kernel, 0), first);
  state->is_first = FALSE;
  if (first == n)
    return;
  emit_rows (state, tp_emit_for_const (e, first, n - rows + 1, rows), rows);
  tp_emit_end_for (e, NULL, 0, NULL);
}

/* ---- results ------------------------------------------------------------- */

static void
store_results (SweepState *state, TpValue column)
{
  const TpContract *c = state->c;
  TpEmit *e = state->emit;

  tp_emit_set_axis (e, c->n_axis, column, 0, c->n_total - e->active);
  for (gint64 p = 0; p < count_points (c); p++)
    {
      if (c->row_axis >= 0)
        e->axes[c->row_axis].delta = p / c->n_cols;
      if (c->col_axis >= 0)
        e->axes[c->col_axis].delta = p % c->n_cols;
      e->stages[0] = tp_k_load (e->kernel, state->sums,
                                find_sum (state, p, column), state->lanes, -1);
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  tp_emit_clear_axis (e, c->n_axis);
}

static void
emit_group (SweepState *state, int rows)
{
  const TpContract *c = state->c;
  TpEmit *e = state->emit;
  TpValue rest = tp_k_group (e->kernel);

  e->kernel->n_groups = 1;
  state->index = tp_emit_take_digit (
      e, &rest, (c->n_total + state->block - 1) / state->block);
  state->first = tp_emit_mul_const (e, state->index, state->block);
  for (int i = c->n_outer - 1; i >= 0; i--)
    {
      gint64 extent = c->nest->axes[c->outer[i]].extent;

      tp_emit_set_axis (e, c->outer[i], tp_emit_take_digit (e, &rest, extent),
                        0, extent - 1);
    }
  emit_sums (state, rows);
  emit_columns (state, store_results);
  tp_emit_set_lanes (e, -1, 1, 1);
}

/* ---- the family ---------------------------------------------------------- */

static gboolean
can_sweep (const TpContract *c)
{
  return !c->is_w_constant && c->is_plain && c->n_k == 1
         && count_points (c) <= MOST_POINTS
         && c->nest->loads[c->w_load].stride[c->n_axis] == 1;
}

static gpointer
sweep_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpContract) c
      = n == 1 ? tp_schedule_contract_analyze (build, nests[0]) : NULL;

  return c != NULL && can_sweep (c) ? g_steal_pointer (&c) : NULL;
}

/* Rows of w of so many parts of a page, of so many parts of the second cache. */
static gboolean
is_long_and_far (const TpContract *c, gint64 parts)
{
  const TpAccess *w = &c->nest->loads[c->w_load];
  gint64 size = (gint64) tp_dtype_get_size (w->dtype) * parts;

  return ABS (w->stride[c->k_axes[0]]) * size >= PAGE
         && c->n_total * size >= PAGE
         && (double) c->n_total * c->k_total * size > c->target->l2_bytes;
}

/* What stays near needs no sums in scratch. */
static gboolean
sweep_is_last_resort (gconstpointer analysis)
{
  return !is_long_and_far (analysis, 1);
}

static gboolean
sweep_is_close (gconstpointer analysis)
{
  return is_long_and_far (analysis, 2);
}

static void
sweep_free (gpointer analysis)
{
  tp_contract_free (analysis);
}

/* Factors of all rows and points stay in three of four registers. */
static gint64
count_rows (const TpContract *c)
{
  gint64 most = MIN (c->k_total, MOST_ROWS);

  return CLAMP (c->n_registers * 3 / 4 / count_points (c), 1, most);
}

static void
list_rows (const TpContract *c, const TpChoice *partial, TpArray *out)
{
  for (gint64 rows = count_rows (c); rows > 0; rows /= 2)
    tp_family_append (partial, ROWS, rows, out);
}

/* Sums lie in half of the first cache. */
static gint64
count_columns (const TpContract *c)
{
  gint64 most = MIN (c->target->l1_bytes / 2, c->target->local_bytes / 2);

  return most / (gint64) tp_dtype_get_size (c->dtype) / count_points (c);
}

/* Blocks as long as can be, of as many as there are units. */
static void
list_blocks (const TpContract *c, const TpChoice *partial, TpArray *out)
{
  gint64 lanes = partial->values[LANES], most = count_columns (c);
  gint64 n = MAX (c->n_outer_points >= c->target->n_units
                      ? 1 : c->target->n_units,
                  (c->n_total + most - 1) / most);

  for (gint64 i = 0, last = 0; i < 3; i++, n *= 2)
    {
      gint64 block = (c->n_total + n * lanes - 1) / (n * lanes) * lanes;

      block = MIN (block, most / lanes * lanes);
      if (block != last)
        tp_family_append (partial, BLOCK, block, out);
      last = block;
    }
}

static void
sweep_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                 TpArray *out)
{
  const TpContract *c = analysis;

  if (step == LANES)
    tp_family_append (partial, LANES, c->lanes, out);
  else if (step == ROWS)
    list_rows (c, partial, out);
  else
    list_blocks (c, partial, out);
}

static const char *
sweep_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpContract *c = analysis;
  const gint64 *v = choice->values;

  if (v[LANES] > c->lanes || !tp_target_has_lanes (c->target, v[LANES], FALSE))
    return "the device has no vectors of so many lanes";
  if (v[ROWS] > c->k_total)
    return "more rows than there are";
  if (v[BLOCK] % v[LANES] != 0)
    return "blocks are not of whole vectors";
  if (v[BLOCK] > count_columns (c))
    return "blocks of more sums than the first cache holds";
  return NULL;
}

static void
sweep_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpContract *c = analysis;
  const gint64 *v = choice->values;
  g_autoptr (TpEmit) emit = tp_emit_new (build, c->nest);
  SweepState state = { .emit = emit, .c = c, .lanes = v[LANES],
                       .block = v[BLOCK] };

  state.sums = tp_kernel_add_buffer (emit->kernel, TP_SPACE_LOCAL,
                                     c->dtype,
                                     v[BLOCK] * count_points (c), TRUE);
  emit_group (&state, v[ROWS]);
  tp_emit_finish (emit, "sweep");
}

const TpFamily tp_schedule_sweep = {
  .form = { "sweep", params },
  .n_steps = 3,
  .takes_doubles = TRUE,
  .is_for = tp_target_has_vectors,
  .analyze = sweep_analyze,
  .free = sweep_free,
  .is_last_resort = sweep_is_last_resort,
  .is_close = sweep_is_close,
  .enumerate = sweep_enumerate,
  .find_fault = sweep_find_fault,
  .emit = sweep_emit,
};
