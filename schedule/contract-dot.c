/* contract-dot.c: dot products of bytes with their zero points, in 32 bits, which wrap: only
 * what is left in the end must fit.
 *
 * A sum begins with - a sum w, and b (n a - sum x) is added to it in the end;
 * what is read past the end of K is a. */
#include "config.h"

#include "schedule/contract-dot.h"

#include "schedule/contract-bytes.h"
#include "schedule/expr.h"

#define FLIP 0x80
#define FLIPS ((gint32) 0x80808080)
#define ONES 0x01010101

TpValue
tp_contract_dot_move_x (const TpContractPlan *plan, TpEmit *emit, TpValue x)
{
  if (!tp_contract_bytes_moves_x (plan->c))
    return x;
  return tp_k_binary (emit->kernel, TP_I_IADD, x,
                      tp_emit_integer (emit, FLIP, emit->lanes));
}

TpValue
tp_contract_dot_load_x (const TpContractPlan *plan, TpEmit *emit, int buffer,
                        TpValue at)
{
  TpKernel *k = emit->kernel;
  TpValue x = tp_k_splat (k, tp_k_load4 (k, buffer, at, 1), plan->lanes);

  if (plan->is_staged || !tp_contract_bytes_moves_x (plan->c))
    return x;
  return tp_k_binary (k, TP_I_IXOR, x, tp_k_i32 (k, plan->lanes, FLIPS));
}

TpValue
tp_contract_dot_sum_x (const TpContractPlan *plan, TpEmit *emit, TpValue x,
                       TpValue sum)
{
  return tp_k_dot4 (emit->kernel, x, tp_k_i32 (emit->kernel, plan->lanes, ONES),
                    sum);
}

/* ---- zero points ------------------------------------------------------- */

/* At the point and the lanes that axes are at: INDEX. */
static TpValue
emit_zero (TpEmit *emit, const TpContractZero *zero)
{
  TpValue number = tp_emit_integer (emit, zero->number, emit->lanes);

  if (zero->expr < 0)
    return number;
  return tp_k_binary (emit->kernel, TP_I_IADD, tp_emit_expr (emit, zero->expr),
                      number);
}

static TpValue
emit_zero_i32 (TpEmit *emit, const TpContractZero *zero)
{
  return tp_k_unary (emit->kernel, TP_I_INDEX_TO_I32, emit_zero (emit, zero));
}

TpValue
tp_contract_dot_get_padding (const TpContractPlan *plan, TpEmit *emit)
{
  TpValue zero;

  tp_emit_set_lanes (emit, -1, 1, 1);
  zero = emit_zero (emit, &plan->c->x_zero);
  return tp_k_splat (emit->kernel, zero, plan->lanes);
}

TpValue
tp_contract_dot_begin (const TpContractPlan *plan, TpEmit *emit, TpValue panel,
                       int v)
{
  const TpContract *c = plan->c;
  TpKernel *k = emit->kernel;
  TpValue none = tp_k_i32 (k, plan->lanes, 0), sums;

  if (c->x_zero.expr < 0 && c->x_zero.number == 0)
    return none;
  sums = tp_k_load4 (k, emit->load_buffers[c->w_load],
                     tp_emit_add_const (emit, panel,
                                        (gint64) 4 * v * plan->lanes),
                     plan->lanes);
  return tp_k_binary (k, TP_I_ISUB, none,
                      tp_k_binary (k, TP_I_IMUL, sums,
                                   emit_zero_i32 (emit, &c->x_zero)));
}

TpValue
tp_contract_dot_finish (const TpContractPlan *plan, TpEmit *emit, TpValue sum,
                        TpValue of_x)
{
  const TpContract *c = plan->c;
  TpKernel *k = emit->kernel;
  gboolean is_integer
      = emit->nest->exprs[emit->nest->stages[0].expr].is_integer;

  if (tp_contract_bytes_sums_x (c))
    {
      TpValue all = tp_k_i32 (k, plan->lanes, (gint32) (4 * c->k_total));
      TpValue rest
          = tp_k_binary (k, TP_I_IMUL, all, emit_zero_i32 (emit, &c->x_zero));

      rest = tp_k_binary (k, TP_I_ISUB, rest, of_x);
      rest = tp_k_binary (k, TP_I_IMUL, rest, emit_zero_i32 (emit, &c->w_zero));
      sum = tp_k_binary (k, TP_I_IADD, sum, rest);
    }
  return tp_k_unary (k, is_integer ? TP_I_I32_TO_INDEX : TP_I_I32_TO_F32, sum);
}
