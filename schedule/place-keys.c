/* place-keys.c: elements as integers that have their order.
 *
 * The bits of a real are its sign and its magnitude: those of negative ones are
 * subtracted from the least integer, so that both zeros are 0. What is no number comes
 * before or after all, by its sign. */
#include "config.h"

#include "schedule/place-keys.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"

#define HALF ((gint64) 1 << 32)

gint64
tp_place_get_least (const TpPlacePlan *plan)
{
  return plan->a->is_integer || plan->takes_turns ? G_MININT64 : G_MININT32;
}

/* The element at the current point, of as many lanes as now. */
static TpValue
make_key (const TpPlacePlan *plan, TpEmit *e)
{
  TpKernel *k = e->kernel;
  TpValue key = tp_emit_expr (e, plan->a->nest->stages[0].expr), turned;

  if (plan->a->is_integer)
    return key;
  key = tp_k_unary (k, TP_I_AS_I32, key);
  turned = tp_k_binary (k, TP_I_ISUB, tp_k_i32 (k, e->lanes, G_MININT32), key);
  return tp_k_select (k,
                      tp_k_binary (k, TP_I_ILESS, key, tp_k_i32 (k, e->lanes, 0)),
                      turned, key);
}

TpValue
tp_place_make_key (const TpPlacePlan *plan, TpEmit *e, TpValue at)
{
  TpValue key;

  tp_emit_set_axis (e, plan->a->axis, at, 0, plan->a->n - 1);
  key = make_key (plan, e);
  tp_emit_clear_axis (e, plan->a->axis);
  return key;
}

/* @key, and in its lower half what is the less the farther it stands. */
static TpValue
add_place (TpEmit *e, TpValue key, TpValue at)
{
  TpKernel *k = e->kernel;
  TpValue place = at;

  if (e->lanes > 1)
    place = tp_k_binary (
        k, TP_I_IADD, tp_k_splat (k, at, e->lanes),
        tp_k_unary (k, TP_I_I32_TO_INDEX, tp_k_iota (k, e->lanes)));
  place = tp_k_binary (k, TP_I_ISUB, tp_emit_integer (e, G_MAXINT32, e->lanes),
                       place);
  key = tp_k_binary (k, TP_I_IMUL, tp_k_unary (k, TP_I_I32_TO_INDEX, key),
                     tp_emit_integer (e, HALF, e->lanes));
  return tp_k_binary (k, TP_I_IADD, key, place);
}

void
tp_place_store_key (const TpPlacePlan *plan, TpEmit *e, int buffer, TpValue at,
                    TpValue key)
{
  if (e->kernel->instrs[key].kind == TP_KIND_I32)
    key = tp_k_unary (e->kernel, TP_I_AS_F32, key);
  tp_k_store (e->kernel, buffer, at, key, -1);
}

TpValue
tp_place_load_keys (const TpPlacePlan *plan, TpEmit *e, int buffer, TpValue at,
                    int lanes)
{
  TpValue key = tp_k_load (e->kernel, buffer, at, lanes, -1);

  return e->kernel->instrs[key].kind == TP_KIND_F32
             ? tp_k_unary (e->kernel, TP_I_AS_I32, key)
             : key;
}

TpValue
tp_place_get_keys (const TpPlacePlan *plan, TpEmit *e, TpValue at, int lanes)
{
  return plan->has_keys ? tp_place_load_keys (plan, e, plan->keys, at, lanes)
                        : tp_place_make_key (plan, e, at);
}

TpValue
tp_place_spread (const TpPlacePlan *plan, TpEmit *e, TpValue value, int lanes)
{
  if (!plan->a->is_integer && !plan->takes_turns)
    value = tp_k_unary (e->kernel, TP_I_INDEX_TO_I32, value);
  return lanes > 1 ? tp_k_splat (e->kernel, value, lanes) : value;
}

static TpValue
make_least (const TpPlacePlan *plan, TpEmit *e, int lanes)
{
  return tp_place_spread (plan, e,
                          tp_k_index (e->kernel, tp_place_get_least (plan)), lanes);
}

/* A vector of keys at @at, the least where its lanes are no elements. */
static void
store_vector (const TpPlacePlan *plan, TpEmit *e, TpValue at)
{
  TpValue key = make_key (plan, e), mask = tp_emit_mask (e);

  if (plan->takes_turns)
    key = add_place (e, key, at);
  if (mask >= 0)
    key = tp_k_select (e->kernel, mask, key, make_least (plan, e, e->lanes));
  tp_place_store_key (plan, e, plan->keys, at, key);
}

/* Keys from @from on, as far as @lanes at a time get. */
static gint64
store_whole (const TpPlacePlan *plan, TpEmit *e, gint64 from, int lanes)
{
  const TpPlace *a = plan->a;
  gint64 end = from + (a->n - from) / lanes * lanes;
  TpValue at;

  if (end == from)
    return from;
  tp_emit_set_lanes (e, lanes > 1 ? a->axis : -1, lanes, lanes);
  at = tp_emit_for_const (e, from, end, lanes);
  tp_emit_set_axis (e, a->axis, at, from, end - lanes);
  store_vector (plan, e, at);
  tp_emit_end_for (e, NULL, 0, NULL);
  return end;
}

/* Each item has every so many-th. */
static void
store_by_items (const TpPlacePlan *plan, TpEmit *e)
{
  TpKernel *k = e->kernel;
  TpValue at = tp_emit_for (e, tp_k_item (k), tp_k_index (k, plan->a->n),
                            plan->items);

  tp_place_store_key (plan, e, plan->keys, at, tp_place_make_key (plan, e, at));
  tp_emit_end_for (e, NULL, 0, NULL);
  tp_k_barrier (k);
}

static void
fill_rest (const TpPlacePlan *plan, TpEmit *e, gint64 at)
{
  TpValue least = make_least (plan, e, plan->lanes);

  if (e->kernel->instrs[least].kind == TP_KIND_I32)
    least = tp_k_unary (e->kernel, TP_I_AS_F32, least);
  tp_emit_fill (e, plan->keys, tp_k_index (e->kernel, at), plan->padded - at,
                least);
}

void
tp_place_store_keys (const TpPlacePlan *plan, TpEmit *e)
{
  const TpPlace *a = plan->a;
  TpKernel *k = e->kernel;
  gint64 at;

  if (plan->items > 1)
    {
      store_by_items (plan, e);
      return;
    }
  at = store_whole (plan, e, 0, a->is_straight ? plan->lanes : 1);
  if (at < a->n)
    {
      tp_emit_set_axis (e, a->axis, tp_k_index (k, at), at, at);
      tp_emit_set_lanes (e, a->axis, plan->lanes, a->n - at);
      store_vector (plan, e, tp_k_index (k, at));
      at += plan->lanes;
    }
  tp_emit_clear_axis (e, a->axis);
  tp_emit_set_lanes (e, -1, 1, 1);
  if (at < plan->padded)
    fill_rest (plan, e, at);
}
