/* tiles-copy.c: the items of a group share the copying out: neighbours take
 * neighbours in memory. In local memory the points of one place of K lie
 * together, as the tiles read them.
 *
 * An element may be kept as two numbers of TF32: itself, rounded to the 11 digits
 * that has, and what is left of it, likewise. Their sum is off by 2^-22 of it at most. */
#include "config.h"

#include "schedule/tiles-copy.h"

#include "schedule/expr.h"

#include <math.h>

/* Of copy @j of @item: its unit along the axis of neighbours, of which there
 * are
 * @n, and the other one. */
static void
share_out (const TpTileCopy *copy, TpEmit *emit, int j, gint64 n,
           TpValue *out_parts)
{
  TpKernel *k = emit->kernel;
  const TpTileSide *s = &copy->plan->sides[copy->side];
  gint64 local_size = copy->plan->local_size;
  TpValue item = tp_k_item (k);

  if (n > local_size)
    {
      gint64 rounds = n / local_size;

      out_parts[0] = tp_emit_add_const (emit, item, j % rounds * local_size);
      out_parts[1] = tp_k_index (k, j / rounds);
      return;
    }
  if (s->is_partial)
    item = tp_k_binary (k, TP_I_IMOD, item,
                        tp_k_index (k, s->points * copy->plan->depth));
  out_parts[0] = tp_k_binary (k, TP_I_IMOD, item, tp_k_index (k, n));
  out_parts[1] = tp_emit_add_const (
      emit, tp_k_binary (k, TP_I_IDIV, item, tp_k_index (k, n)),
      j * (local_size / n));
}

static void
init_one (TpTileCopy *copy, TpEmit *emit, int j, TpValue block)
{
  const TpTilePlan *plan = copy->plan;
  const TpTileSide *s = &plan->sides[copy->side];
  const TpSpan *span = &plan->t->sides[copy->side];
  int k_width = s->is_along_k ? s->width : 1;
  int width = s->is_along_k ? 1 : s->width;
  TpValue parts[2], point;

  share_out (copy, emit, j,
             s->is_along_k ? plan->depth / k_width : s->points / width, parts);
  copy->k[j] = parts[s->is_along_k ? 0 : 1];
  point = parts[s->is_along_k ? 1 : 0];
  copy->at[j] = tp_emit_add (
      emit, tp_emit_mul_const (emit, copy->k[j], k_width * s->pitch),
      tp_emit_mul_const (emit, point, width));
  point = tp_emit_add (emit, tp_emit_mul_const (emit, block, s->points / width),
                       point);
  if (span->extent % s->points != 0)
    {
      copy->places[j] = tp_span_place (emit, span, point, width);
      return;
    }
  tp_span_set (emit, span, point, width);
  for (int i = 0; i < span->n; i++)
    copy->places[j].axes[i] = emit->axes[span->axes[i]];
}

void
tp_tile_copy_init (TpTileCopy *copy, const TpTilePlan *plan, int side,
                   TpEmit *emit, TpValue block)
{
  TpKernel *k = emit->kernel;
  const TpTileSide *s = &plan->sides[side];

  copy->plan = plan;
  copy->side = side;
  for (int i = 0; i < plan->n_digits; i++)
    copy->buffers[i] = tp_kernel_add_buffer (
        k, TP_SPACE_LOCAL, plan->t->dtype,
        plan->n_buffers * tp_tile_side_size (plan, side), TRUE);
  copy->is_copied = -1;
  if (s->is_partial)
    copy->is_copied = tp_k_binary (k, TP_I_ILESS, tp_k_item (k),
                                   tp_k_index (k, s->points * plan->depth));
  for (int j = 0; j < s->n_copies; j++)
    init_one (copy, emit, j, block);
}

static int
vector_axis (const TpTileCopy *copy)
{
  const TpTileSide *s = &copy->plan->sides[copy->side];
  const TpSpan *span =
      s->is_along_k ? &copy->plan->t->k : &copy->plan->t->sides[copy->side];

  return s->width == 1 ? -1 : span->axes[span->n - 1];
}

/* What lies behind the end of K counts as 0: on both sides, for 0 times an
 * infinity is none. */
void
tp_tile_copy_load (const TpTileCopy *copy, TpEmit *emit, TpValue step,
                   TpValue *out_values)
{
  const TpTilePlan *plan = copy->plan;
  const TpTileSide *s = &plan->sides[copy->side];
  TpKernel *k = emit->kernel;

  for (int j = 0; j < s->n_copies; j++)
    {
      TpValue inside = tp_tile_plan_set_k (plan, emit, step, copy->k[j],
                                           s->is_along_k ? s->width : 1);

      tp_span_return (emit, &plan->t->sides[copy->side], &copy->places[j]);
      tp_emit_set_lanes (emit, vector_axis (copy), s->width, s->width);
      out_values[j] = tp_emit_expr (emit, plan->t->expr[copy->side]);
      tp_emit_set_lanes (emit, -1, 1, 1);
      if (inside >= 0)
        out_values[j] =
            tp_k_select (k, tp_k_splat (k, inside, s->width), out_values[j],
                         tp_emit_number (emit, 0.0, plan->t->dtype, s->width));
    }
}

/* To 11 digits, the nearest, ties away from 0: what is no number stays what it is. */
static TpValue
round_to_tf32 (TpKernel *k, TpValue value)
{
  int lanes = k->instrs[value].lanes;
  TpValue bits = tp_k_unary (k, TP_I_AS_I32, value);

  bits = tp_k_binary (k, TP_I_IADD, bits, tp_k_i32 (k, lanes, 1 << 12));
  bits = tp_k_binary (k, TP_I_IAND, bits, tp_k_i32 (k, lanes, -(1 << 13)));
  return tp_k_select (k, tp_k_binary (k, TP_I_FEQUAL, value, value),
                      tp_k_unary (k, TP_I_AS_F32, bits), value);
}

/* Of what is not finite nothing is left. */
static void
take_apart (TpKernel *k, TpValue value, TpValue *out_digits)
{
  int lanes = k->instrs[value].lanes;
  TpValue high = round_to_tf32 (k, value);
  TpValue size = tp_k_unary (k, TP_I_FABS, high);
  TpValue rest = tp_k_binary (k, TP_I_FSUB, value, high);

  rest = tp_k_select (k,
                      tp_k_binary (k, TP_I_FLESS, size,
                                   tp_k_f32 (k, lanes, INFINITY)),
                      rest, tp_k_f32 (k, lanes, 0));
  out_digits[0] = high;
  out_digits[1] = round_to_tf32 (k, rest);
}

static void
store_one (const TpTileCopy *copy, TpEmit *emit, int buffer, TpValue at,
           TpValue value)
{
  const TpTileSide *s = &copy->plan->sides[copy->side];
  TpKernel *k = emit->kernel;

  if (!s->is_along_k || s->width == 1)
    {
      tp_k_store (k, buffer, at, value, copy->is_copied);
      return;
    }
  for (int lane = 0; lane < s->width; lane++)
    tp_k_store (k, buffer, tp_emit_add_const (emit, at, lane * s->pitch),
                tp_k_extract (k, value, lane), -1);
}

void
tp_tile_copy_store (const TpTileCopy *copy, TpEmit *emit, TpValue first,
                    const TpValue *values)
{
  const TpTilePlan *plan = copy->plan;

  for (int j = 0; j < plan->sides[copy->side].n_copies; j++)
    {
      TpValue at = tp_emit_add (emit, first, copy->at[j]);
      TpValue digits[2] = { values[j] };

      if (plan->n_digits > 1)
        take_apart (emit->kernel, values[j], digits);
      for (int i = 0; i < plan->n_digits; i++)
        store_one (copy, emit, copy->buffers[i], at, digits[i]);
    }
}
