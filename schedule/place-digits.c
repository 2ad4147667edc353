/* place-digits.c: what is kept of a row, sorted by the digits of its keys: each digit,
 * the lowest first, is counted, and what has it goes behind what has a lesser one, in the
 * order it was in. So equal keys stay in order, and the time goes with how many there
 * are. */
#include "config.h"

#include "schedule/place-digits.h"

#include "schedule/place-keys.h"

#define N_PASSES 4            /* an even number: the last ends where the first began */
#define PLACE_BITS 31         /* of an entry, below its key */

typedef struct
{
  const TpPlacePlan *plan;
  TpEmit *emit;
  TpKernel *k;
  gint64 n;                   /* entries */
} State;

static TpValue
combine (const State *state, TpInstrOp op, TpValue a, gint64 b)
{
  return tp_k_binary (state->k, op, a, tp_k_index (state->k, b));
}

static TpValue
hold (const State *state, TpValue at, gint64 n)
{
  return tp_emit_min_const (state->emit, tp_emit_max_const (state->emit, at, 0),
                            n - 1);
}

/* Entries: how far the key is below the greatest that may be, then which it is. */
static void
make_entries (const State *state)
{
  const TpPlacePlan *plan = state->plan;
  TpValue at = tp_emit_for_const (state->emit, 0, state->n, 1), entry;

  entry = tp_place_load_keys (plan, state->emit, plan->kept_keys, at, 1);
  entry = tp_k_unary (state->k, TP_I_I32_TO_INDEX, entry);
  entry = tp_k_binary (state->k, TP_I_ISUB, tp_k_index (state->k, G_MAXINT32), entry);
  entry = combine (state, TP_I_IMUL, entry, (gint64) 1 << PLACE_BITS);
  tp_k_store (state->k, plan->order, at,
              tp_k_binary (state->k, TP_I_IADD, entry, at), -1);
  tp_emit_end_for (state->emit, NULL, 0, NULL);
}

static TpValue
find_digit (const State *state, TpValue entry, int pass)
{
  TpValue rest = combine (state, TP_I_IDIV, entry,
                          (gint64) 1 << (PLACE_BITS + 8 * pass));

  return hold (state, combine (state, TP_I_IAND, rest, TP_PLACE_DIGITS - 1),
               TP_PLACE_DIGITS);
}

/* Adds 1 to what is counted of @digit; returns what it was. */
static TpValue
count_one (const State *state, TpValue digit)
{
  TpValue count = tp_k_load (state->k, state->plan->counts, digit, 1, -1);

  tp_k_store (state->k, state->plan->counts, digit, combine (state, TP_I_IADD, count, 1),
              -1);
  return count;
}

/* Counts become those of all lesser digits. */
static void
add_up (const State *state)
{
  TpValue sum = tp_k_index (state->k, 0), next, count;
  TpValue digit = tp_emit_for_const (state->emit, 0, TP_PLACE_DIGITS, 1);

  sum = tp_k_carry (state->k, sum);
  count = tp_k_load (state->k, state->plan->counts, digit, 1, -1);
  tp_k_store (state->k, state->plan->counts, digit, sum, -1);
  next = tp_k_binary (state->k, TP_I_IADD, sum, count);
  tp_emit_end_for (state->emit, &next, 1, &next);
}

static void
sort_by (const State *state, int pass, int from, int to)
{
  TpValue at = tp_emit_for_const (state->emit, 0, TP_PLACE_DIGITS, 1), entry;

  tp_k_store (state->k, state->plan->counts, at, tp_k_index (state->k, 0), -1);
  tp_emit_end_for (state->emit, NULL, 0, NULL);
  at = tp_emit_for_const (state->emit, 0, state->n, 1);
  count_one (state, find_digit (state, tp_k_load (state->k, from, at, 1, -1), pass));
  tp_emit_end_for (state->emit, NULL, 0, NULL);
  add_up (state);
  at = tp_emit_for_const (state->emit, 0, state->n, 1);
  entry = tp_k_load (state->k, from, at, 1, -1);
  at = count_one (state, find_digit (state, entry, pass));
  tp_k_store (state->k, to, hold (state, at, state->n), entry, -1);
  tp_emit_end_for (state->emit, NULL, 0, NULL);
}

void
tp_place_emit_digits (const TpPlacePlan *plan, TpEmit *emit)
{
  const State state = { plan, emit, emit->kernel, plan->a->k };
  TpValue at, place;

  make_entries (&state);
  for (int pass = 0; pass < N_PASSES; pass++)
    sort_by (&state, pass, pass % 2 == 0 ? plan->order : plan->ranks,
             pass % 2 == 0 ? plan->ranks : plan->order);
  at = tp_emit_for_const (emit, 0, state.n, 1);
  place = combine (&state, TP_I_IAND, tp_k_load (state.k, plan->order, at, 1, -1),
                   ((gint64) 1 << PLACE_BITS) - 1);
  place = tp_k_load (state.k, plan->kept_at, hold (&state, place, state.n), 1, -1);
  tp_k_store (state.k, plan->order, at, place, -1);
  tp_emit_end_for (emit, NULL, 0, NULL);
}
