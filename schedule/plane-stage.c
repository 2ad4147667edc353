/* plane-stage.c: staging of a plane's rows: padding once per group, what is inside
 * for each plane. */
#include "config.h"

#include "schedule/plane-stage.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/plane-analyze.h"
#include "schedule/plane-plan.h"

#define MAX_UNROLLED 4        /* vectors per step of a copy */

typedef struct
{
  const TpPlanePlan *plan;
  TpEmit *emit;
  int buffer;
  TpValue at;                 /* the row in scratch */
} Row;

/* ---- padding ----------------------------------------------------------- */

/* Column units [first, end) of a row. */
static void
emit_fill_columns (const Row *row, gint64 first, gint64 end)
{
  gint64 step = row->plan->plane->cols.step;

  for (gint64 phase = 0; phase < step; phase++)
    {
      gint64 lo = (first - phase + step - 1) / step;
      gint64 hi = (end - phase + step - 1) / step;

      if (lo < hi)
        tp_emit_fill (row->emit, row->buffer,
                      tp_emit_add_const (row->emit, row->at,
                                         phase * row->plan->phase_pitch + lo),
                      hi - lo,
                      tp_k_f32 (row->emit->kernel, row->plan->lanes,
                                (float) row->plan->plane->fill));
    }
}

/* Opens a loop over rows [@first, @end); FALSE: it is known to be empty. */
static gboolean
begin_rows (Row *row, TpValue first, TpValue end, TpValue *out_row)
{
  TpEmit *e = row->emit;
  gint64 lo, hi;

  if (tp_emit_is_const (e, first, &lo) && tp_emit_is_const (e, end, &hi)
      && lo >= hi)
    return FALSE;
  *out_row = tp_emit_for (e, first, end, 1);
  row->at = tp_emit_mul_const (e, *out_row, row->plan->row_pitch);
  return TRUE;
}

static void
emit_fill_rows (Row *row, TpValue first, TpValue end)
{
  const TpPlaneDim *cols = &row->plan->plane->cols;
  TpValue i;

  if (!begin_rows (row, first, end, &i))
    return;
  emit_fill_columns (row, 0, tp_plane_dim_span (cols, cols->n_out));
  tp_emit_end_for (row->emit, NULL, 0, NULL);
}

/* @unit less the first staged one, as a row of scratch. */
static TpValue
find_row (const Row *row, gint64 unit, TpValue base)
{
  TpKernel *k = row->emit->kernel;
  TpValue i = tp_k_binary (k, TP_I_ISUB, tp_k_index (k, unit), base);

  return tp_emit_min_const (row->emit, tp_emit_max_const (row->emit, i, 0),
                            row->plan->n_staged);
}

void
tp_plane_emit_padding (const TpPlanePlan *plan, TpEmit *emit, int buffer,
                       TpValue base)
{
  const TpPlaneDim *cols = &plan->plane->cols;
  gint64 span = tp_plane_dim_span (cols, cols->n_out);
  Row row = { plan, emit, buffer, -1 };
  TpValue lo = find_row (&row, plan->plane->rows.lo, base);
  TpValue hi = find_row (&row, plan->plane->rows.hi, base), i;

  emit_fill_rows (&row, tp_k_index (emit->kernel, 0), lo);
  emit_fill_rows (&row, hi, tp_k_index (emit->kernel, plan->n_staged));
  if ((cols->lo == 0 && cols->hi == span) || !begin_rows (&row, lo, hi, &i))
    return;
  emit_fill_columns (&row, 0, cols->lo);
  emit_fill_columns (&row, cols->hi, span);
  tp_emit_end_for (emit, NULL, 0, NULL);
}

/* ---- copies ------------------------------------------------------------ */

/* What is staged, @active lanes of it, @delta units from where the carrier is. */
static TpValue
emit_value (const Row *row, gint64 delta, int lanes, int active)
{
  TpEmit *e = row->emit;
  int carrier = row->plan->plane->cols.carrier;

  e->axes[carrier].delta = delta;
  tp_emit_set_lanes (e, lanes == 1 ? -1 : carrier, lanes, active);
  return tp_emit_expr (e, row->plan->plane->x_expr);
}

/* @active elements, of remainder and place those of unit @unit, moved by @at. */
static void
emit_put (const Row *row, TpValue at, gint64 unit, TpValue value, int active)
{
  TpEmit *e = row->emit;

  if (active == 0)
    return;
  e->active = active;
  at = tp_emit_add_const (e, at, tp_plane_plan_find_column (row->plan, unit));
  tp_k_store (e->kernel, row->buffer, at, value,
              e->lanes == 1 ? -1 : tp_emit_mask (e));
}

/* @n units from the carrier on, which stands at @unit and some more: @at is where
 * the row and those are. */
static void
emit_units (const Row *row, TpValue at, gint64 unit, int n)
{
  TpKernel *k = row->emit->kernel;
  gint64 step = row->plan->plane->cols.step;
  int lanes = step > 2 ? 1 : row->plan->lanes;
  int width = step == 2 ? 2 * lanes : lanes;

  for (int i = 0; i < n; i += width)
    {
      int active = MIN (n - i, width), first = MIN (active, lanes);
      TpValue a = emit_value (row, i, lanes, first), b;

      if (step != 2)
        {
          emit_put (row, at, unit + i, a, first);
          continue;
        }
      b = active > lanes ? emit_value (row, i + lanes, lanes, active - lanes)
                         : tp_k_f32 (k, lanes, 0.0f);
      emit_put (row, at, unit + i, tp_k_unzip (k, a, b, FALSE),
                (active + 1) / 2);
      emit_put (row, at, unit + i + 1, tp_k_unzip (k, a, b, TRUE), active / 2);
    }
  tp_emit_set_lanes (row->emit, -1, 1, 1);
}

/* All columns inside. */
static void
emit_row (const Row *row)
{
  const TpPlaneDim *cols = &row->plan->plane->cols;
  TpEmit *e = row->emit;
  gint64 n = cols->hi - cols->lo, step = cols->step, whole = 0;
  gint64 width = (gint64) row->plan->lanes * (step == 1 ? MAX_UNROLLED : step);

  while (step == 1 && width > row->plan->lanes && width > n)
    width -= row->plan->lanes;
  if (n >= width)
    {
      TpValue i = tp_emit_for_const (e, 0, n / width * width / step,
                                     width / step);
      TpValue pos = tp_emit_add_const (e, tp_emit_mul_const (e, i, step),
                                       cols->lo);

      whole = n / width * width;
      tp_emit_set_axis (e, cols->carrier, pos, cols->lo,
                        cols->lo + whole - width);
      emit_units (row, tp_emit_add (e, row->at, i), cols->lo, width);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  tp_emit_set_axis (e, cols->carrier,
                    tp_k_index (e->kernel, cols->lo + whole),
                    cols->lo + whole, cols->lo + whole);
  emit_units (row, row->at, cols->lo + whole, n - whole);
  tp_emit_clear_axis (e, cols->carrier);
}

void
tp_plane_emit_copy (const TpPlanePlan *plan, TpEmit *emit, int buffer,
                    TpValue base)
{
  const TpPlaneDim *rows = &plan->plane->rows;
  Row row = { plan, emit, buffer, -1 };
  TpValue i, unit;

  if (!begin_rows (&row, find_row (&row, rows->lo, base),
                   find_row (&row, rows->hi, base), &i))
    return;
  if (rows->carrier >= 0)
    {
      unit = tp_emit_max_const (emit, tp_emit_add (emit, base, i), rows->lo);
      unit = tp_emit_min_const (emit, unit, rows->hi - 1);
      tp_emit_set_axis (emit, rows->carrier, unit, rows->lo, rows->hi - 1);
    }
  emit_row (&row);
  tp_emit_end_for (emit, NULL, 0, NULL);
  if (rows->carrier >= 0)
    tp_emit_clear_axis (emit, rows->carrier);
}
