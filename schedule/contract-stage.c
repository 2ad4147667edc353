/* contract-stage.c: staging of x into scratch of the group, with its padding
 * and prologue, in the order it has in memory, so that both the copy and the
 * micro-kernel walk it straight. */
#include "config.h"

#include "schedule/contract.h"
#include "schedule/expr.h"
#include "schedule/nest-canon.h"

#include <string.h>

/* ---- dimensions -------------------------------------------------------- */

/* The axes of x that are staged: rows, columns and K. */
static gboolean
is_staged_axis (const TpContract *c, int axis)
{
  return axis == c->rows.axis || axis == c->cols.axis
         || c->nest->axes[axis].is_reduce;
}

/* The tiled axis of @dim, and its block. */
static const TpContractSpan *
span_of (const TpContract *c, const TpStageDim *dim)
{
  if (c->rows.axis >= 0 && dim->coef[c->rows.axis] != 0)
    return &c->rows;
  if (c->cols.axis >= 0 && dim->coef[c->cols.axis] != 0)
    return &c->cols;
  return NULL;
}

/* Every load of x walks the axes of @dim in proportion to its coefficients. */
static gboolean
loads_agree (const TpContract *c, const TpStageDim *dim)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (c->nest, c->x_expr);

  for (int i = 0; i < c->nest->n_loads; i++)
    {
      const TpAccess *load = &c->nest->loads[i];
      gint64 scale = load->stride[dim->carrier];

      for (int a = 0; used[i] && a < c->nest->n_axes; a++)
        if (dim->coef[a] != 0 && load->stride[a] != scale * dim->coef[a])
          return FALSE;
    }
  return TRUE;
}

/* Adds the dimension with these coefficients, unless it is there. FALSE: it
 * cannot be staged, or overlaps another. */
static gboolean
add_dim (TpContract *c, const gint64 *coef, gint64 offset, gint64 extent,
         gboolean *done)
{
  const TpNest *nest = c->nest;
  TpStageDim dim = { .carrier = -1, .offset = offset, .extent = extent };
  int n_tiled = 0;

  memcpy (dim.coef, coef, sizeof dim.coef);
  for (int d = 0; d < c->n_dims; d++)
    if (memcmp (c->dims[d].coef, coef, sizeof dim.coef) == 0)
      return c->dims[d].offset == offset && c->dims[d].extent == extent;
  for (int i = 0; i < nest->n_axes; i++)
    {
      if (coef[i] == 0)
        continue;
      if (!is_staged_axis (c, i) || coef[i] < 0 || done[i])
        return FALSE;
      if (coef[i] == 1)
        dim.carrier = i;
      n_tiled += !nest->axes[i].is_reduce;
      done[i] = TRUE;
    }
  if (dim.carrier < 0 || n_tiled > 1 || !loads_agree (c, &dim))
    return FALSE;
  dim.scale = nest->loads[c->x_load].stride[dim.carrier];
  c->dims[c->n_dims++] = dim;
  return TRUE;
}

static gboolean
add_guard_dims (TpContract *c, gboolean *done)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (c->nest, c->x_expr);

  for (int i = 0; i < c->nest->n_loads; i++)
    for (int j = 0; used[i] && j < c->nest->loads[i].n_guards; j++)
      {
        const TpGuard *guard = &c->nest->loads[i].guards[j];
        gint64 coef[TP_NEST_MAX_AXES] = { 0 };

        memcpy (coef, guard->coef, c->nest->n_axes * sizeof *coef);
        if (!add_dim (c, coef, guard->offset, guard->extent, done))
          return FALSE;
      }
  return TRUE;
}

/* A window without padding: a tiled axis and a reduce axis that walk the same
 * dimension, told by their strides. */
static void
add_window_dims (TpContract *c, gboolean *done)
{
  const TpNest *nest = c->nest;
  const gint64 *stride = nest->loads[c->x_load].stride;

  for (int m = 0; m < nest->n_axes; m++)
    for (int i = 0; i < c->n_k && !done[m]; i++)
      {
        int k = c->k_axes[i];
        gint64 coef[TP_NEST_MAX_AXES] = { 0 }, unit, size;

        if (nest->axes[m].is_reduce || !is_staged_axis (c, m) || done[k]
            || stride[m] <= 0 || stride[k] <= 0)
          continue;
        unit = MIN (stride[m], stride[k]);
        coef[m] = stride[m] / unit;
        coef[k] = stride[k] / unit;
        size = coef[m] * (nest->axes[m].extent - 1)
               + coef[k] * (nest->axes[k].extent - 1) + 1;
        if (stride[m] % unit == 0 && stride[k] % unit == 0 && coef[m] <= 8
            && coef[k] <= 8
            && size < nest->axes[m].extent * nest->axes[k].extent)
          add_dim (c, coef, 0, size, done);
      }
}

static gboolean
add_single_dims (TpContract *c, gboolean *done)
{
  for (int i = 0; i < c->nest->n_axes; i++)
    {
      gint64 coef[TP_NEST_MAX_AXES] = { 0 };

      coef[i] = 1;
      if (is_staged_axis (c, i) && !done[i]
          && !add_dim (c, coef, 0, c->nest->axes[i].extent, done))
        return FALSE;
    }
  return TRUE;
}

static int
compare_dims (const void *a, const void *b)
{
  gint64 x = ABS (((const TpStageDim *) a)->scale);
  gint64 y = ABS (((const TpStageDim *) b)->scale);

  return x < y ? 1 : x > y ? -1 : 0;
}

static gboolean
has_guard (const TpContract *c)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (c->nest, c->x_expr);

  for (int i = 0; i < c->nest->n_loads; i++)
    if (used[i] && c->nest->loads[i].n_guards > 0)
      return TRUE;
  return FALSE;
}

gboolean
tp_contract_find_dims (TpContract *c)
{
  gboolean done[TP_NEST_MAX_AXES] = { FALSE };

  c->n_dims = 0;
  c->fill = 0.0;
  if (has_guard (c) && !tp_nest_find_outside (c->nest, c->x_expr, &c->fill))
    return FALSE;
  if (!add_guard_dims (c, done))
    return FALSE;
  add_window_dims (c, done);
  if (!add_single_dims (c, done))
    return FALSE;
  qsort (c->dims, c->n_dims, sizeof c->dims[0], compare_dims);
  return TRUE;
}

/* Columns that lie a multiple of a page apart would share cache sets. */
static gint64
pad_pitch (const TpContract *c, const TpStageDim *dim, gint64 pitch)
{
  gint64 coef = c->cols.axis < 0 ? 0 : dim->coef[c->cols.axis];

  if (coef != 0 && c->cols.tile > 4 && coef * pitch % 512 == 0)
    return pitch + 16;
  return pitch;
}

void
tp_contract_size_dims (TpContract *c)
{
  gint64 pitch = 1;

  for (int d = c->n_dims - 1; d >= 0; d--)
    {
      TpStageDim *dim = &c->dims[d];
      const TpContractSpan *span = span_of (c, dim);

      dim->size = 1;
      for (int a = 0; a < c->nest->n_axes; a++)
        {
          gint64 points = span != NULL && a == span->axis
                              ? span->block : c->nest->axes[a].extent;

          dim->size += dim->coef[a] * (points - 1);
        }
      dim->pitch = pad_pitch (c, dim, pitch);
      pitch = dim->pitch * dim->size;
    }
  c->scratch = pitch;
  c->rows.x = c->cols.x = 0;
  for (int d = 0; d < c->n_dims; d++)
    {
      if (c->rows.axis >= 0)
        c->rows.x += c->dims[d].coef[c->rows.axis] * c->dims[d].pitch;
      if (c->cols.axis >= 0)
        c->cols.x += c->dims[d].coef[c->cols.axis] * c->dims[d].pitch;
    }
}

/* ---- the copy ---------------------------------------------------------- */

typedef struct
{
  const TpContract *c;
  TpEmit *emit;
  int buffer;
  TpValue base[TP_NEST_MAX_AXES];  /* per dim: guard value of its first point */
} StageState;

static gboolean
get_const (const TpEmit *e, TpValue value, gint64 *out)
{
  *out = e->kernel->instrs[value].imm;
  return e->kernel->instrs[value].op == TP_I_CONST_INDEX;
}

/* Scratch from @at on, @n elements, becomes the fill. */
static void
emit_fill (StageState *state, TpValue at, gint64 n)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  int lanes = state->c->lanes, rest = n % lanes;
  TpValue fill = tp_k_f32 (k, lanes, (float) state->c->fill);

  if (n >= lanes)
    {
      TpValue i = tp_emit_for_const (e, 0, n - rest, lanes);

      tp_k_store (k, state->buffer, tp_emit_add (e, at, i), fill, -1);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (rest > 0)
    {
      tp_emit_set_lanes (e, -1, lanes, rest);
      tp_k_store (k, state->buffer, tp_emit_add_const (e, at, n - rest), fill,
                  tp_emit_mask (e));
      tp_emit_set_lanes (e, -1, 1, 1);
    }
}

/* Points [first, end) of dimension @d are outside. */
static void
emit_outside (StageState *state, int d, TpValue at, TpValue first, TpValue end)
{
  const TpStageDim *dim = &state->c->dims[d];
  TpEmit *e = state->emit;
  gint64 lo, hi;
  TpValue i;

  if (get_const (e, first, &lo) && get_const (e, end, &hi) && lo >= hi)
    return;
  i = tp_emit_for (e, first, end, 1);
  emit_fill (state, tp_emit_add (e, at, tp_emit_mul_const (e, i, dim->pitch)),
             dim->pitch);
  tp_emit_end_for (e, NULL, 0, NULL);
}

static void
emit_copy (StageState *state, TpValue at)
{
  TpEmit *e = state->emit;

  tp_k_store (e->kernel, state->buffer, at, tp_emit_expr (e, state->c->x_expr),
              tp_emit_mask (e));
}

/* @n vectors of the innermost dimension from its point @i on. */
static void
emit_vectors (StageState *state, const TpStageDim *dim, TpValue at, TpValue i,
              int n)
{
  TpEmit *e = state->emit;

  for (int v = 0; v < n; v++)
    {
      e->axes[dim->carrier].delta = (gint64) v * e->lanes;
      emit_copy (state, tp_emit_add_const (e, tp_emit_add (e, at, i),
                                           (gint64) v * e->lanes));
    }
  e->axes[dim->carrier].delta = 0;
}

/* The innermost dimension, from @lo to @hi, both constant and inside. */
static void
emit_row (StageState *state, int d, TpValue at, gint64 lo, gint64 hi)
{
  const TpStageDim *dim = &state->c->dims[d];
  TpEmit *e = state->emit;
  int lanes = dim->scale == 1 ? state->c->lanes : 1;
  gint64 base = 0, vectors = (hi - lo) / lanes, end = lo + vectors * lanes;
  int unroll = vectors <= 8 ? MAX (vectors, 1) : 4;
  gint64 whole = lo + vectors / unroll * unroll * lanes;

  get_const (e, state->base[d], &base);
  base -= dim->offset;
  tp_emit_set_lanes (e, lanes == 1 ? -1 : dim->carrier, lanes, lanes);
  if (whole > lo)
    {
      TpValue i = tp_emit_for_const (e, lo, whole, (gint64) unroll * lanes);

      tp_emit_set_axis (e, dim->carrier, tp_emit_add_const (e, i, base),
                        base + lo, base + whole - unroll * lanes);
      emit_vectors (state, dim, at, i, unroll);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  tp_emit_set_axis (e, dim->carrier, tp_k_index (e->kernel, base + whole),
                    base + whole, base + whole);
  emit_vectors (state, dim, at, tp_k_index (e->kernel, whole),
                (end - whole) / lanes);
  tp_emit_set_axis (e, dim->carrier, tp_k_index (e->kernel, base + end),
                    base + end, base + end);
  if (end < hi)
    {
      tp_emit_set_lanes (e, dim->carrier, lanes, hi - end);
      emit_vectors (state, dim, at, tp_k_index (e->kernel, end), 1);
    }
  tp_emit_set_lanes (e, -1, 1, 1);
}

/* Puts the carrier of @dim at its point @i, kept in range for the verifier. */
static void
set_carrier (StageState *state, int d, TpValue i)
{
  const TpStageDim *dim = &state->c->dims[d];
  TpEmit *e = state->emit;
  TpValue value = tp_emit_add (e, state->base[d], i);

  value = tp_emit_min_const (e, tp_emit_max_const (e, value, 0),
                             dim->extent - 1);
  tp_emit_set_axis (e, dim->carrier,
                    tp_emit_add_const (e, value, -dim->offset), -dim->offset,
                    dim->extent - 1 - dim->offset);
}

static void
emit_dim (StageState *state, int d, TpValue at)
{
  const TpStageDim *dim = &state->c->dims[d];
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue zero = tp_k_index (k, 0), size = tp_k_index (k, dim->size);
  TpValue lo, hi, i;
  gint64 first, end;

  lo = tp_k_binary (k, TP_I_ISUB, zero, state->base[d]);
  lo = tp_emit_min_const (e, tp_emit_max_const (e, lo, 0), dim->size);
  hi = tp_k_binary (k, TP_I_ISUB, tp_k_index (k, dim->extent), state->base[d]);
  hi = tp_emit_min_const (e, tp_emit_max_const (e, hi, 0), dim->size);
  emit_outside (state, d, at, zero, lo);
  emit_outside (state, d, at, hi, size);
  if (d == state->c->n_dims - 1 && get_const (e, lo, &first)
      && get_const (e, hi, &end))
    {
      emit_row (state, d, at, first, end);
      return;
    }
  i = tp_emit_for (e, lo, hi, 1);
  set_carrier (state, d, i);
  at = tp_emit_add (e, at, tp_emit_mul_const (e, i, dim->pitch));
  if (d == state->c->n_dims - 1)
    emit_copy (state, at);
  else
    emit_dim (state, d + 1, at);
  tp_emit_end_for (e, NULL, 0, NULL);
}

void
tp_contract_emit_stage (const TpContract *c, TpEmit *emit, int buffer,
                        TpValue row_block, TpValue col_block)
{
  StageState state = { .c = c, .emit = emit, .buffer = buffer };

  for (int i = 0; i < c->nest->n_axes; i++)
    if (is_staged_axis (c, i) || i == c->n_axis)
      tp_emit_clear_axis (emit, i);
  for (int d = 0; d < c->n_dims; d++)
    {
      const TpStageDim *dim = &c->dims[d];
      const TpContractSpan *span = span_of (c, dim);
      TpValue at = tp_k_index (emit->kernel, 0);

      if (span != NULL && span->n_blocks > 1)
        at = tp_emit_mul_const (emit, span == &c->rows ? row_block : col_block,
                                span->block * dim->coef[span->axis]);
      state.base[d] = tp_emit_add_const (emit, at, dim->offset);
    }
  emit_dim (&state, 0, tp_k_index (emit->kernel, 0));
  for (int i = 0; i < c->nest->n_axes; i++)
    if (is_staged_axis (c, i))
      tp_emit_clear_axis (emit, i);
}
