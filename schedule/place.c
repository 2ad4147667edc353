/* place.c: order statistics of a row: scratch, and who comes next, one after the other.
 *
 * Turns are for few: each looks for the greatest key below the last. A key of 64 bits
 * has the place of its element too, so no two are equal. At one lane, without scratch,
 * elements are compared as they are, and by place. */
#include "config.h"

#include "schedule/place.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/place-digits.h"
#include "schedule/place-keys.h"
#include "schedule/place-threshold.h"

/* ---- scratch --------------------------------------------------------------- */

/* Of a group: elements of each type; those of keys first. */
typedef struct
{
  gint64 padded;
  gint64 kept;                /* keys, with what fills vectors, and one more for what
                               * is not wanted */
  int unroll, step;
} Sizes;

static Sizes
get_sizes (const TpPlace *a, const TpChoice *choice)
{
  gint64 lanes = choice->values[TP_PLACE_LANES], whole;
  Sizes sizes = { .unroll = 1, .step = lanes > 1 ? 4 : 1 };

  if (lanes > 1 && a->n >= TP_PLACE_MOST_UNROLLED * lanes)
    sizes.unroll = TP_PLACE_MOST_UNROLLED;
  whole = lanes * sizes.unroll;
  sizes.padded = (a->n + whole - 1) / whole * whole;
  sizes.kept = a->k + 1 + lanes;
  return sizes;
}

/* Whether turns are taken without any keys in scratch. */
static gboolean
is_plain (const TpChoice *choice)
{
  return choice->values[TP_PLACE_TURNS] && choice->values[TP_PLACE_LANES] == 1;
}

/* Of what is kept, the key, its place, its rank, and who has that. Work-items have
 * little scratch. */
static TpDtype
get_place_dtype (const TpPlace *a, const TpChoice *choice)
{
  return choice->values[TP_PLACE_ITEMS] > 1 && a->n <= G_MAXINT32
             ? TPLAN_DTYPE_INT32
             : TPLAN_DTYPE_INT64;
}

gint64
tp_place_count_bytes (const TpPlace *a, const TpChoice *choice)
{
  Sizes sizes = get_sizes (a, choice);
  gint64 bytes = choice->values[TP_PLACE_ITEMS] * 16;
  gint64 key = a->is_integer || choice->values[TP_PLACE_TURNS] ? 8 : 4;

  if (is_plain (choice))
    return bytes;
  if (choice->values[TP_PLACE_SCRATCH])
    bytes += sizes.padded * key;
  if (choice->values[TP_PLACE_TURNS])
    return bytes;
  return bytes
         + sizes.kept
               * (key + 3 * (gint64) tp_dtype_get_size (get_place_dtype (a, choice)))
         + (choice->values[TP_PLACE_SORT] ? TP_PLACE_DIGITS * 8 : 0);
}

void
tp_place_plan_init (TpPlacePlan *plan, const TpPlace *a, const TpChoice *choice,
                    TpKernel *kernel)
{
  Sizes sizes = get_sizes (a, choice);
  TpDtype key, place = get_place_dtype (a, choice);

  *plan = (TpPlacePlan) { .a = a, .lanes = choice->values[TP_PLACE_LANES],
                          .items = choice->values[TP_PLACE_ITEMS],
                          .takes_turns = choice->values[TP_PLACE_TURNS],
                          .sorts_digits = choice->values[TP_PLACE_SORT],
                          .has_keys = choice->values[TP_PLACE_SCRATCH],
                          .unroll = sizes.unroll, .step = sizes.step,
                          .padded = sizes.padded };
  key = a->is_integer || plan->takes_turns ? TPLAN_DTYPE_INT64
                                           : TPLAN_DTYPE_FLOAT32;
#define ADD(dtype, n)                                                          \
  tp_kernel_add_buffer (kernel, TP_SPACE_LOCAL, dtype, n, TRUE)
  for (int i = 0; i < 2 && plan->items > 1; i++)
    plan->parts[i] = ADD (TPLAN_DTYPE_INT64, plan->items);
  if (is_plain (choice))
    return;
  if (plan->has_keys)
    plan->keys = ADD (key, sizes.padded);
  if (plan->takes_turns)
    return;
  plan->kept_keys = ADD (key, sizes.kept);
  plan->kept_at = ADD (place, sizes.kept);
  plan->ranks = ADD (place, sizes.kept);
  plan->order = ADD (place, sizes.kept);
  if (plan->sorts_digits)
    plan->counts = ADD (TPLAN_DTYPE_INT64, TP_PLACE_DIGITS);
#undef ADD
}

/* ---- results ---------------------------------------------------------------- */

/* @place is that of rank @rank. */
static void
store_place (const TpPlacePlan *plan, TpEmit *e, TpValue rank, TpValue place)
{
  e->stages[0] = place;
  if (plan->a->rank >= 0)
    tp_emit_set_axis (e, plan->a->rank, rank, 0, plan->a->k - 1);
  tp_emit_store (e, tp_emit_expr (e, e->nest->result));
  if (plan->a->rank >= 0)
    tp_emit_clear_axis (e, plan->a->rank);
}

/* ---- turns by vectors ------------------------------------------------------- */

/* The greatest key below @last. */
static TpValue
find_next (const TpPlacePlan *plan, TpEmit *e, TpValue last)
{
  TpKernel *k = e->kernel;
  int lanes = plan->lanes, n = plan->unroll;
  TpValue best[TP_PLACE_MOST_UNROLLED], least, at;

  last = tp_k_splat (k, last, lanes);
  least = tp_emit_integer (e, tp_place_get_least (plan), lanes);
  at = tp_emit_for_const (e, 0, plan->padded / (lanes * n), 1);
  for (int i = 0; i < n; i++)
    best[i] = tp_k_carry (k, least);
  at = tp_emit_mul_const (e, at, (gint64) lanes * n);
  for (int i = 0; i < n; i++)
    {
      TpValue key = tp_k_load (k, plan->keys,
                               tp_emit_add_const (e, at, (gint64) i * lanes), lanes,
                               -1);

      key = tp_k_select (k, tp_k_binary (k, TP_I_ILESS, key, last), key, least);
      best[i] = tp_k_binary (k, TP_I_IMAX, best[i], key);
    }
  tp_emit_end_for (e, best, n, best);
  for (int i = 1; i < n; i++)
    best[0] = tp_k_binary (k, TP_I_IMAX, best[0], best[i]);
  return tp_k_unary (k, TP_I_LANE_MAX, best[0]);
}

static void
take_turns (const TpPlacePlan *plan, TpEmit *e)
{
  TpKernel *k = e->kernel;
  TpValue none = tp_k_index (k, G_MAXINT64), rank, last, place;

  tp_place_store_keys (plan, e);
  rank = tp_emit_for_const (e, 0, plan->a->k, 1);
  last = tp_k_carry (k, none);
  last = find_next (plan, e, last);
  place = tp_k_binary (k, TP_I_IAND, last, tp_k_index (k, G_MAXUINT32));
  place = tp_k_binary (k, TP_I_ISUB, tp_k_index (k, G_MAXINT32), place);
  store_place (plan, e, rank, place);
  tp_emit_end_for (e, &last, 1, &last);
}

/* ---- turns without scratch --------------------------------------------------- */

/* An element by its key, an INDEX, and its place; of no element: -1. */
typedef struct
{
  TpValue key, at;
} Element;

/* @a, or @b if that comes before it and @condition holds. */
static Element
take_first (TpEmit *e, Element a, Element b, TpValue condition)
{
  TpKernel *k = e->kernel;
  TpValue zero = tp_k_index (k, 0);
  TpValue is_equal = tp_k_binary (k, TP_I_IEQUAL, a.key, b.key);
  TpValue is_none = tp_k_binary (k, TP_I_ILESS, a.at, zero), is_first;

  is_first = tp_k_binary (k, TP_I_MAND, is_equal,
                          tp_k_binary (k, TP_I_ILESS, b.at, a.at));
  is_first = tp_k_binary (k, TP_I_MOR, is_first,
                          tp_k_binary (k, TP_I_ILESS, a.key, b.key));
  is_first = tp_k_binary (k, TP_I_MOR, is_first, is_none);
  is_first = tp_k_binary (k, TP_I_MAND, is_first, condition);
  return (Element) { tp_k_select (k, is_first, b.key, a.key),
                     tp_k_select (k, is_first, b.at, a.at) };
}

/* Whether @b comes after @last, or that is none. */
static TpValue
is_after (TpEmit *e, Element last, Element b)
{
  TpKernel *k = e->kernel;
  TpValue is_later = tp_k_binary (
      k, TP_I_MAND, tp_k_binary (k, TP_I_IEQUAL, last.key, b.key),
      tp_k_binary (k, TP_I_ILESS, last.at, b.at));

  is_later = tp_k_binary (k, TP_I_MOR, is_later,
                          tp_k_binary (k, TP_I_ILESS, b.key, last.key));
  return tp_k_binary (k, TP_I_MOR, is_later,
                      tp_k_binary (k, TP_I_ILESS, last.at, tp_k_index (k, 0)));
}

static Element
carry_element (TpEmit *e, Element from)
{
  TpValue key = tp_k_carry (e->kernel, from.key);

  return (Element) { key, tp_k_carry (e->kernel, from.at) };
}

static Element
end_for_element (TpEmit *e, Element next)
{
  TpValue values[2] = { next.key, next.at };

  tp_emit_end_for (e, values, 2, values);
  return (Element) { values[0], values[1] };
}

/* The first of what all items have, each @own. */
static Element
join_items (const TpPlacePlan *plan, TpEmit *e, Element own)
{
  TpKernel *k = e->kernel;
  TpValue item = tp_k_item (k);
  Element none = { tp_k_index (k, G_MININT64), tp_k_index (k, -1) }, first, other;

  tp_k_store (k, plan->parts[0], item, own.key, -1);
  tp_k_store (k, plan->parts[1], item, own.at, -1);
  tp_k_barrier (k);
  item = tp_emit_for_const (e, 0, plan->items, 1);
  first = carry_element (e, none);
  other.key = tp_k_load (k, plan->parts[0], item, 1, -1);
  other.at = tp_k_load (k, plan->parts[1], item, 1, -1);
  first = take_first (e, first, other,
                      tp_k_binary (k, TP_I_ILESS, tp_k_index (k, -1), other.at));
  first = end_for_element (e, first);
  tp_k_barrier (k);
  return first;
}

static void
take_plain_turns (const TpPlacePlan *plan, TpEmit *e)
{
  TpKernel *k = e->kernel;
  Element none = { tp_k_index (k, G_MININT64), tp_k_index (k, -1) }, last, best, own;
  TpValue rank = tp_emit_for_const (e, 0, plan->a->k, 1);

  last = carry_element (e, none);
  own.at = tp_emit_for (e, plan->items > 1 ? tp_k_item (k) : tp_k_index (k, 0),
                        tp_k_index (k, plan->a->n), plan->items);
  best = carry_element (e, none);
  own.key = tp_place_make_key (plan, e, own.at);
  if (!plan->a->is_integer)
    own.key = tp_k_unary (k, TP_I_I32_TO_INDEX, own.key);
  best = take_first (e, best, own, is_after (e, last, own));
  best = end_for_element (e, best);
  if (plan->items > 1)
    best = join_items (plan, e, best);
  if (plan->items > 1)
    tp_emit_if (e, tp_k_binary (k, TP_I_IEQUAL, tp_k_item (k), tp_k_index (k, 0)));
  store_place (plan, e, rank, best.at);
  if (plan->items > 1)
    tp_emit_end_if (e);
  end_for_element (e, best);
}

/* ---- rows --------------------------------------------------------------------- */

static void
store_order (const TpPlacePlan *plan, TpEmit *e)
{
  TpKernel *k = e->kernel;
  TpValue rank = tp_emit_for (e,
                              plan->items > 1 ? tp_k_item (k) : tp_k_index (k, 0),
                              tp_k_index (k, plan->a->k), plan->items);

  store_place (plan, e, rank, tp_k_load (k, plan->order, rank, 1, -1));
  tp_emit_end_for (e, NULL, 0, NULL);
}

void
tp_place_emit_row (const TpPlacePlan *plan, TpEmit *e)
{
  tp_emit_forget (e);
  if (plan->takes_turns && plan->lanes == 1)
    take_plain_turns (plan, e);
  else if (plan->takes_turns)
    take_turns (plan, e);
  else
    {
      tp_place_emit_threshold (plan, e);
      store_order (plan, e);
    }
}
