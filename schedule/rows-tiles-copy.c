/* rows-tiles-copy.c: neighbours take neighbours in memory, some each on their way at
 * once. */
#include "config.h"

#include "schedule/rows-tiles-copy.h"

#include "schedule/emit-access.h"

#define WIDTH 4
#define MOST_AT_ONCE 8

typedef struct
{
  const TpRowsCopy *copy;
  TpEmit *emit;
  int width;                  /* elements of a unit */
  gint64 n_units, n_across;   /* units in all; of a row */
  gboolean is_turned;         /* neighbours take rows */
} State;

/* Vectors are aligned wherever they begin. */
static gboolean
has_vectors (const TpRowsCopy *copy, const TpNest *nest)
{
  const TpAccess *load = &nest->loads[copy->load];

  if (load->stride[copy->axis] != 1 || load->offset % WIDTH != 0
      || nest->axes[copy->axis].extent % WIDTH != 0)
    return FALSE;
  for (int i = 0; i < nest->n_axes; i++)
    if (i != copy->axis && load->stride[i] % WIDTH != 0)
      return FALSE;
  return TRUE;
}

/* Puts @axis at unit @at of @width elements, the last one for what is behind the end
 * unless @is_whole. Returns whether it is one, as a mask; -1: it is. */
static TpValue
set_axis (TpEmit *e, int axis, TpValue at, int width, gboolean is_whole)
{
  gint64 extent = e->nest->axes[axis].extent;
  TpValue inside = -1;

  if (!is_whole)
    {
      inside = tp_k_binary (e->kernel, TP_I_ILESS, at,
                            tp_k_index (e->kernel, extent / width));
      at = tp_emit_min_const (e, at, extent / width - 1);
    }
  tp_emit_set_axis (e, axis, tp_emit_mul_const (e, at, width), 0,
                    extent - width);
  return inside;
}

/* Row and unit within it of unit @unit; where in local memory that is returned. */
static TpValue
take_apart (const State *state, TpValue unit, TpValue *out_row,
            TpValue *out_across)
{
  const TpRowsCopy *copy = state->copy;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue n = tp_k_index (k, state->is_turned ? copy->n_rows : state->n_across);
  TpValue slow = tp_k_binary (k, TP_I_IDIV, unit, n);
  TpValue fast = tp_k_binary (k, TP_I_IMOD, unit, n);

  *out_row = state->is_turned ? fast : slow;
  *out_across = state->is_turned ? slow : fast;
  return tp_emit_add_const (
      e,
      tp_emit_add (e, tp_emit_mul_const (e, *out_row, copy->pitch),
                   tp_emit_mul_const (e, *out_across, state->width)),
      copy->at);
}

static TpValue
load_unit (const State *state, TpValue row, TpValue across)
{
  const TpRowsCopy *copy = state->copy;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 extent = e->nest->axes[copy->axis].extent;
  TpValue inside[2], value;

  inside[0] = set_axis (e, copy->row_axis, tp_emit_add (e, copy->first, row), 1,
                        copy->is_whole);
  inside[1] = set_axis (e, copy->axis, across, state->width,
                        copy->n_elements <= extent);
  tp_emit_set_lanes (e, state->width > 1 ? copy->axis : -1, state->width,
                     state->width);
  value = tp_emit_load (e, copy->load);
  tp_emit_set_lanes (e, -1, 1, 1);
  for (int i = 0; copy->fills && i < 2; i++)
    if (inside[i] >= 0)
      value = tp_k_select (k, tp_k_splat (k, inside[i], state->width), value,
                           tp_k_f32 (k, state->width, 0.0f));
  return value;
}

/* Rounds [@first, @first + @n) of all items. @mask: of the items that have a unit in
 * them; -1: all. */
static void
emit_rounds (const State *state, TpValue first, int n, TpValue mask)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue at[MOST_AT_ONCE], values[MOST_AT_ONCE];

  for (int i = 0; i < n; i++)
    {
      TpValue round = tp_emit_add_const (e, first, i), row, across;
      TpValue unit = tp_emit_add (
          e, tp_k_item (k), tp_emit_mul_const (e, round, k->local_size));

      if (mask >= 0)
        unit = tp_emit_min_const (e, unit, state->n_units - 1);
      at[i] = take_apart (state, unit, &row, &across);
      values[i] = load_unit (state, row, across);
    }
  if (mask >= 0)
    tp_emit_if (e, mask);
  for (int i = 0; i < n; i++)
    tp_k_store (k, state->copy->local, at[i], values[i], -1);
  if (mask >= 0)
    tp_emit_end_if (e);
}

void
tp_rows_copy_emit (const TpRowsCopy *copy, TpEmit *emit)
{
  TpKernel *k = emit->kernel;
  const TpAccess *load = &emit->nest->loads[copy->load];
  State state = { .copy = copy, .emit = emit };
  gint64 whole, looped, left;

  state.width = has_vectors (copy, emit->nest) ? WIDTH : 1;
  state.n_across = copy->n_elements / state.width;
  state.n_units = copy->n_rows * state.n_across;
  state.is_turned = load->stride[copy->axis] != 1
                    && load->stride[copy->row_axis] == 1;
  whole = state.n_units / k->local_size;
  left = state.n_units % k->local_size;
  looped = whole / MOST_AT_ONCE * MOST_AT_ONCE;
  if (looped > 0)
    {
      emit_rounds (&state, tp_emit_for_const (emit, 0, looped, MOST_AT_ONCE),
                   MOST_AT_ONCE, -1);
      tp_emit_end_for (emit, NULL, 0, NULL);
    }
  if (whole > looped)
    emit_rounds (&state, tp_k_index (k, looped), whole - looped, -1);
  if (left > 0)
    emit_rounds (&state, tp_k_index (k, whole), 1,
                 tp_k_binary (k, TP_I_ILESS, tp_k_item (k),
                              tp_k_index (k, left)));
}
