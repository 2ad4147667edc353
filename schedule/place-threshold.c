/* place-threshold.c: the greatest of a row, all above a threshold, in order.
 *
 * The threshold is the greatest key that as many keys as are wanted do not lie below:
 * its bits are found one after the other, the highest first, each by counting what is
 * not below (bisection over the keys, not the elements: no distribution is bad). What
 * is above it is kept, and of what is equal the first, as many as are still wanted;
 * each of these is asked how many others come before it, or they are sorted where they
 * are many. */
#include "config.h"

#include "schedule/place-threshold.h"

#include "schedule/place-digits.h"
#include "schedule/place-keys.h"

#define MOST_ADDED 16         /* of what items said, by each */
#define MOST_ASKED 8          /* keys of an item on their way at once */

typedef struct
{
  const TpPlacePlan *plan;
  TpEmit *emit;
  TpKernel *k;
  gint64 n, wanted;
  TpValue threshold;          /* INDEX */
} State;

static TpValue
index_of (const State *state, gint64 value)
{
  return tp_k_index (state->k, value);
}

/* 1 where @mask holds, else 0: an INDEX. */
static TpValue
truth (const State *state, TpValue mask)
{
  return tp_k_select (state->k, mask, index_of (state, 1), index_of (state, 0));
}

static TpValue
combine (const State *state, TpInstrOp op, TpValue a, TpValue b)
{
  return tp_k_binary (state->k, op, a, b);
}

/* ---- items together --------------------------------------------------------- */

/* @n of what items said, @step apart. */
static TpValue
add_up (const State *state, int which, TpValue first, int n, int step)
{
  TpValue sum = index_of (state, 0);

  for (int i = 0; i < n; i++)
    sum = combine (state, TP_I_IADD, sum,
                   tp_k_load (state->k, state->plan->parts[which],
                              tp_emit_add_const (state->emit, first,
                                                 (gint64) i * step),
                              1, -1));
  return sum;
}

/* What every item says, @value, together. Where they are many, each first adds up a
 * share: then none reads what all have. */
static TpValue
sum_all (const State *state, TpValue value)
{
  TpKernel *k = state->k;
  int n = state->plan->items, shares = n % MOST_ADDED == 0 ? MOST_ADDED : n;
  int buffer = 0;
  TpValue item = tp_k_item (k), first, sum;

  tp_k_store (k, state->plan->parts[0], item, value, -1);
  tp_k_barrier (k);
  if (n > shares)
    {
      first = combine (state, TP_I_IMOD, item, index_of (state, shares));
      sum = add_up (state, 0, first, n / shares, shares);
      tp_k_store (k, state->plan->parts[1], item, sum, -1);
      tp_k_barrier (k);
      buffer = 1;
    }
  sum = add_up (state, buffer, index_of (state, 0), shares, 1);
  tp_k_barrier (k);
  return sum;
}

/* Each says @value; the sum of what those before it say, and of what all do. */
static void
sum_items (const State *state, int which, TpValue value, TpValue *out_before,
           TpValue *out_all)
{
  TpKernel *k = state->k;
  int buffer = state->plan->parts[which];
  TpValue zero = index_of (state, 0), ends[2], next;

  ends[0] = tp_k_item (k);
  ends[1] = index_of (state, state->plan->items);
  tp_k_store (k, buffer, ends[0], value, -1);
  tp_k_barrier (k);
  for (int i = 0; i < 2; i++)
    {
      TpValue at = tp_emit_for (state->emit, zero, ends[i], 1), sum;

      sum = tp_k_carry (k, zero);
      next = combine (state, TP_I_IADD, sum, tp_k_load (k, buffer, at, 1, -1));
      tp_emit_end_for (state->emit, &next, 1, i == 0 ? out_before : out_all);
    }
  tp_k_barrier (k);
}

/* ---- threshold -------------------------------------------------------------- */

/* Adds to @counts, @unroll of them, how many lanes of the keys from @at on are above
 * @limit. */
static void
count_vectors (const State *state, TpValue at, TpValue limit, TpValue *counts)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;

  for (int i = 0; i < plan->unroll; i++)
    {
      TpValue key = tp_place_get_keys (
          plan, state->emit,
          tp_emit_add_const (state->emit, at, (gint64) i * plan->lanes),
          plan->lanes);
      TpValue one = tp_place_spread (plan, state->emit, index_of (state, 1),
                                     plan->lanes);
      TpValue none = tp_place_spread (plan, state->emit, index_of (state, 0),
                                      plan->lanes);

      one = tp_k_select (k, combine (state, TP_I_ILESS, limit, key), one, none);
      counts[i] = combine (state, TP_I_IADD, counts[i], one);
    }
}

/* @count, and one more if the key at @at is above @limit. */
static TpValue
count_key (const State *state, TpValue at, TpValue limit, TpValue count)
{
  TpKernel *k = state->k;
  TpValue key = tp_place_get_keys (state->plan, state->emit, at, 1);
  TpValue one = tp_k_select (k, combine (state, TP_I_ILESS, limit, key),
                             tp_k_i32 (k, 1, 1), tp_k_i32 (k, 1, 0));

  return combine (state, TP_I_IADD, count, one);
}

/* Of all keys of the row those above @limit, by all items, neighbours by neighbours; 0
 * where @is_asked, which is 0 or 1, is not. */
static TpValue
count_by_items (const State *state, TpValue limit, TpValue is_asked)
{
  const TpPlacePlan *plan = state->plan;
  TpEmit *e = state->emit;
  gint64 n = plan->a->n, turn = (gint64) plan->items * MOST_ASKED;
  gint64 whole = n / turn * turn;
  TpValue at, count[2] = { tp_k_i32 (state->k, 1, 0) };

  limit = tp_place_spread (plan, e, limit, 1);
  tp_emit_for (e, index_of (state, 0), is_asked, 1);
  count[0] = tp_k_carry (state->k, count[0]);
  if (whole > 0)
    {
      at = tp_emit_for_const (e, 0, whole, turn);
      count[1] = tp_k_carry (state->k, count[0]);
      at = tp_emit_add (e, at, tp_k_item (state->k));
      for (int i = 0; i < MOST_ASKED; i++)
        count[1] = count_key (state,
                              tp_emit_add_const (e, at, (gint64) i * plan->items),
                              limit, count[1]);
      tp_emit_end_for (e, &count[1], 1, &count[0]);
    }
  at = tp_emit_for (e, tp_emit_add_const (e, tp_k_item (state->k), whole),
                    index_of (state, n), plan->items);
  count[1] = tp_k_carry (state->k, count[0]);
  count[1] = count_key (state, at, limit, count[1]);
  tp_emit_end_for (e, &count[1], 1, &count[0]);
  tp_emit_end_for (e, &count[0], 1, &count[0]);
  return sum_all (state, tp_k_unary (state->k, TP_I_I32_TO_INDEX, count[0]));
}

/* How many of the first @n_steps steps of this row's keys are above @limit. */
static TpValue
count_above (const State *state, TpValue limit, TpValue n_steps)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;
  int unroll = plan->unroll;
  TpValue counts[TP_PLACE_MOST_UNROLLED], at;

  limit = tp_place_spread (plan, state->emit, limit, plan->lanes);
  for (int i = 0; i < unroll; i++)
    counts[i] = tp_place_spread (plan, state->emit, index_of (state, 0),
                                 plan->lanes);
  at = tp_emit_for (state->emit, index_of (state, 0), n_steps, 1);
  for (int i = 0; i < unroll; i++)
    counts[i] = tp_k_carry (k, counts[i]);
  count_vectors (state,
                 tp_emit_mul_const (state->emit, at,
                                    (gint64) unroll * plan->lanes),
                 limit, counts);
  tp_emit_end_for (state->emit, counts, unroll, counts);
  for (int i = 1; i < unroll; i++)
    counts[0] = combine (state, TP_I_IADD, counts[0], counts[i]);
  if (!plan->a->is_integer)
    counts[0] = tp_k_unary (k, TP_I_I32_TO_INDEX, counts[0]);
  if (plan->lanes > 1)
    counts[0] = tp_k_unary (k, TP_I_LANE_SUM, counts[0]);
  return counts[0];
}

static gint64
count_steps (const State *state)
{
  return state->plan->padded
         / (state->plan->unroll * state->plan->lanes);
}

/* Where no key is counted any more once just as many as are wanted are found. */
static void
find_threshold (State *state)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;
  gint64 least = tp_place_get_least (plan);
  gint64 n_steps = plan->items > 1 ? 1 : count_steps (state);
  TpValue lowest = index_of (state, least), zero = index_of (state, 0);
  TpValue next[3], bit, found, end, count, is_good;

  tp_emit_for_const (state->emit, 0, plan->a->is_integer ? 64 : 32, 1);
  state->threshold = tp_k_carry (k, lowest);
  bit = tp_k_carry (k, lowest); /* negative: so it always fits */
  found = tp_k_carry (k, zero);
  end = tp_k_select (k, combine (state, TP_I_IEQUAL, found,
                                 index_of (state, state->wanted)),
                     zero, index_of (state, n_steps));
  end = tp_emit_min_const (state->emit, end, n_steps);
  next[0] = combine (state, TP_I_ISUB, state->threshold, bit);
  count = (plan->items > 1 ? count_by_items : count_above) (
      state, tp_emit_add_const (state->emit, next[0], -1), end);
  is_good = combine (state, TP_I_ILESS, index_of (state, state->wanted - 1), count);
  next[0] = tp_k_select (k, is_good, next[0], state->threshold);
  next[1] = combine (state, TP_I_IDIV, bit, index_of (state, 2));
  next[2] = tp_k_select (k, is_good, count, found);
  tp_emit_end_for (state->emit, next, 3, next);
  state->threshold = next[0];
}

/* ---- what is kept ----------------------------------------------------------- */

/* Elements, how many are kept before the first, and how many may be of those equal to
 * the threshold. */
typedef struct
{
  TpValue first, end;
  TpValue at, room;
} Walk;

/* Keeps the element at @i, if it is one of those wanted. One item alone stores the
 * others too, where the next one will be, which is faster than to ask. */
static void
keep_one (const State *state, TpValue i, TpValue *at, TpValue *room)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;
  TpValue key = tp_place_get_keys (plan, state->emit, i, 1);
  TpValue threshold = tp_place_spread (plan, state->emit, state->threshold, 1);
  TpValue is_wanted = combine (state, TP_I_ILESS, threshold, key), is_equal, to;

  is_equal = combine (
      state, TP_I_MAND, combine (state, TP_I_IEQUAL, threshold, key),
      combine (state, TP_I_ILESS, index_of (state, 0), *room));
  to = tp_emit_min_const (state->emit, tp_emit_max_const (state->emit, *at, 0),
                          state->wanted);
  is_wanted = combine (state, TP_I_MOR, is_wanted, is_equal);
  if (plan->items > 1)
    tp_emit_if (state->emit, is_wanted);
  tp_place_store_key (plan, state->emit, plan->kept_keys, to, key);
  tp_k_store (k, plan->kept_at, to, i, -1);
  if (plan->items > 1)
    tp_emit_end_if (state->emit);
  *at = combine (state, TP_I_IADD, *at, truth (state, is_wanted));
  *room = combine (state, TP_I_ISUB, *room, truth (state, is_equal));
}

static void
keep (const State *state, Walk *walk)
{
  TpValue next[2], i = tp_emit_for (state->emit, walk->first, walk->end, 1);

  next[0] = tp_k_carry (state->k, walk->at);
  next[1] = tp_k_carry (state->k, walk->room);
  keep_one (state, i, &next[0], &next[1]);
  tp_emit_end_for (state->emit, next, 2, next);
  walk->at = next[0];
  walk->room = next[1];
}

/* Vectors without any that is wanted are passed over. */
static void
keep_by_vectors (const State *state, Walk *walk)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;
  int lanes = plan->lanes;
  gint64 last = plan->a->n;
  TpValue limit = tp_place_spread (plan, state->emit, state->threshold, lanes);
  TpValue next[2], first, is_wanted;

  first = tp_emit_for_const (state->emit, 0, (last + lanes - 1) / lanes, 1);
  next[0] = tp_k_carry (k, walk->at);
  next[1] = tp_k_carry (k, walk->room);
  first = tp_emit_mul_const (state->emit, first, lanes);
  is_wanted = combine (state, TP_I_ILESS,
                       tp_place_get_keys (plan, state->emit, first, lanes),
                       limit);
  is_wanted = tp_k_select (k, is_wanted, tp_k_f32 (k, lanes, 0.0f),
                           tp_k_f32 (k, lanes, 1.0f));
  is_wanted = combine (state, TP_I_FLESS, tp_k_f32 (k, 1, 0.0f),
                       tp_k_unary (k, TP_I_LANE_MAX, is_wanted));
  walk->first = first;
  walk->end = tp_k_select (k, is_wanted, tp_emit_add_const (state->emit, first, lanes),
                           index_of (state, 0));
  walk->end = tp_emit_min_const (state->emit, walk->end, last);
  walk->at = next[0];
  walk->room = next[1];
  keep (state, walk);
  next[0] = walk->at;
  next[1] = walk->room;
  tp_emit_end_for (state->emit, next, 2, next);
}

/* Each item has a part of the row, and is told what the parts before it keep. */
static void
keep_by_items (const State *state, Walk *walk)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;
  gint64 n = plan->a->n, part = (n + plan->items - 1) / plan->items;
  TpValue limit = tp_place_spread (plan, state->emit, state->threshold, 1);
  TpValue sums[2], before[2], all[2], zero = index_of (state, 0), i;

  walk->first = tp_emit_mul_const (state->emit, tp_k_item (k), part);
  walk->end = tp_emit_min_const (
      state->emit, tp_emit_add_const (state->emit, walk->first, part), n);
  i = tp_emit_for (state->emit, walk->first, walk->end, 1);
  for (int j = 0; j < 2; j++)
    sums[j] = tp_k_carry (k, zero);
  for (int j = 0; j < 2; j++)
    sums[j] = combine (
        state, TP_I_IADD, sums[j],
        truth (state,
               combine (state, j == 0 ? TP_I_ILESS : TP_I_IEQUAL, limit,
                        tp_place_get_keys (plan, state->emit, i, 1))));
  tp_emit_end_for (state->emit, sums, 2, sums);
  for (int j = 0; j < 2; j++)
    sum_items (state, j, sums[j], &before[j], &all[j]);
  walk->room = combine (state, TP_I_ISUB, index_of (state, state->wanted), all[0]);
  before[1] = combine (state, TP_I_IMIN, before[1], walk->room);
  walk->at = combine (state, TP_I_IADD, before[0], before[1]);
  walk->room = combine (state, TP_I_ISUB, walk->room, before[1]);
  keep (state, walk);
}

static void
keep_wanted (const State *state)
{
  TpValue zero = index_of (state, 0);
  Walk walk = { zero, zero, zero, zero };

  if (state->plan->items > 1)
    {
      keep_by_items (state, &walk);
      tp_k_barrier (state->k);
      return;
    }
  walk.end = index_of (state, state->n);
  walk.room = combine (
      state, TP_I_ISUB, index_of (state, state->wanted),
      count_above (state, state->threshold,
                   index_of (state, count_steps (state))));
  if (state->plan->lanes > 1)
    keep_by_vectors (state, &walk);
  else
    keep (state, &walk);
}

/* ---- ranks ------------------------------------------------------------------- */

typedef struct
{
  TpValue first;              /* of the vector */
  TpValue keys;
  TpValue sum;                /* how many come before each, so far */
} Asked;

/* 1 where what is kept at @at comes before those asked: kept before them, or behind
 * them, or among them. */
static TpValue
add_before (const State *state, const Asked *asked, TpValue at, int side)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;
  int lanes = plan->lanes;
  TpValue key = tp_place_load_keys (plan, state->emit, plan->kept_keys, at, 1);
  TpValue is_before, place;

  if (lanes > 1)
    key = tp_k_splat (k, key, lanes);
  if (side < 0)
    is_before = tp_k_unary (k, TP_I_MNOT,
                            combine (state, TP_I_ILESS, key, asked->keys));
  else
    is_before = combine (state, TP_I_ILESS, asked->keys, key);
  if (side == 0 && lanes > 1)
    {
      place = combine (state, TP_I_ISUB, at, asked->first);
      place = tp_k_splat (k, tp_k_unary (k, TP_I_INDEX_TO_I32, place), lanes);
      place = combine (state, TP_I_ILESS, place, tp_k_iota (k, lanes));
      place = combine (state, TP_I_MAND, place,
                       combine (state, TP_I_IEQUAL, asked->keys, key));
      is_before = combine (state, TP_I_MOR, is_before, place);
    }
  return tp_k_select (k, is_before, tp_k_i32 (k, lanes, 1), tp_k_i32 (k, lanes, 0));
}

/* What of steps @ends[0] .. @ends[1] - 1, of @step elements each, comes before. */
static void
add_range (const State *state, Asked *asked, const TpValue *ends, int step, int side)
{
  TpValue at = tp_emit_for (state->emit, ends[0], ends[1], 1), sum;

  sum = tp_k_carry (state->k, asked->sum);
  at = tp_emit_mul_const (state->emit, at, step);
  for (int i = 0; i < step; i++)
    sum = combine (state, TP_I_IADD, sum,
                   add_before (state, asked,
                               tp_emit_add_const (state->emit, at, i), side));
  tp_emit_end_for (state->emit, &sum, 1, &asked->sum);
}

/* The ranks of vector @which of what is kept. */
static void
rank_vector (const State *state, TpValue which)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;
  int lanes = plan->lanes, step = plan->step;
  TpValue first = tp_emit_mul_const (state->emit, which, lanes), ends[2];
  Asked asked = { first, tp_place_load_keys (plan, state->emit, plan->kept_keys,
                                             first, lanes),
                  tp_k_i32 (k, lanes, 0) };

  ends[0] = index_of (state, 0);
  ends[1] = tp_emit_mul_const (state->emit, which, lanes / step);
  add_range (state, &asked, ends, step, -1);
  if (lanes > 1)
    {
      ends[0] = first;
      ends[1] = tp_emit_min_const (
          state->emit, tp_emit_add_const (state->emit, first, lanes),
          state->wanted);
      add_range (state, &asked, ends, 1, 0);
      which = tp_emit_add_const (state->emit, which, 1);
    }
  ends[0] = tp_emit_mul_const (state->emit, which, lanes / step);
  ends[1] = index_of (state, (state->wanted + step - 1) / step);
  add_range (state, &asked, ends, step, 1);
  tp_k_store (k, plan->ranks, first, tp_k_unary (k, TP_I_I32_TO_INDEX, asked.sum),
              -1);
}

/* Behind what is kept, up to a whole step, the least: before nothing. */
static void
fill_kept (const State *state)
{
  const TpPlacePlan *plan = state->plan;
  int step = plan->step;
  gint64 end = (state->wanted + step - 1) / step * step;

  for (gint64 i = state->wanted; i < end; i++)
    tp_place_store_key (plan, state->emit, plan->kept_keys, index_of (state, i),
                        tp_place_spread (plan, state->emit,
                                         index_of (state,
                                                   tp_place_get_least (plan)),
                                         1));
}

static void
rank_kept (const State *state)
{
  const TpPlacePlan *plan = state->plan;
  TpKernel *k = state->k;
  gint64 n = (state->wanted + plan->lanes - 1) / plan->lanes;
  TpValue first = plan->items > 1 ? tp_k_item (k) : index_of (state, 0), i, to;

  fill_kept (state);
  i = tp_emit_for (state->emit, first, index_of (state, n), plan->items);
  rank_vector (state, i);
  tp_emit_end_for (state->emit, NULL, 0, NULL);
  i = tp_emit_for (state->emit, first, index_of (state, state->wanted), plan->items);
  to = tp_k_load (k, plan->ranks, i, 1, -1);
  to = tp_emit_min_const (state->emit, tp_emit_max_const (state->emit, to, 0),
                          state->wanted - 1);
  tp_k_store (k, plan->order, to, tp_k_load (k, plan->kept_at, i, 1, -1), -1);
  tp_emit_end_for (state->emit, NULL, 0, NULL);
  if (plan->items > 1)
    tp_k_barrier (k);
}

void
tp_place_emit_threshold (const TpPlacePlan *plan, TpEmit *emit)
{
  State state = { .plan = plan, .emit = emit, .k = emit->kernel, .n = plan->a->n,
                  .wanted = plan->a->k };

  if (plan->has_keys)
    tp_place_store_keys (plan, emit);
  find_threshold (&state);
  keep_wanted (&state);
  if (plan->sorts_digits)
    tp_place_emit_digits (plan, emit);
  else
    rank_kept (&state);
}
