/* schedule-turn.c: the family "turn": maps on GPUs that read along one axis
 * what they write along another, as transposes do. A group takes a square of
 * both axes: its items compute it with neighbours along the one that is read,
 * and store it with neighbours along the other; local memory lies between. */
#include "config.h"

#include "nest/nest-expr.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/nest-canon.h"
#include "schedule/span.h"

#define MAX_SIDE 32
#define LEAST_SIDE 8 /* a piece of memory; rows shorter than that are read at once */
#define WAVE 32      /* items that run together, at least */

/* The values of a choice. */
enum
{
  SIDE,  /* of the square */
  ITEMS, /* of a group */
};

static const TpParam params[] = {
  { "side", 1, 4, MAX_SIDE, 0 },
  { "items", 1, 2, 1 << 10, 0 },
  { NULL },
};

enum
{
  READ,
  WRITTEN,
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  TpSpan axes[2]; /* that are contiguous: of one axis each */
  TpSpan outer;   /* all others */
  TpDtype dtype;  /* of the values in local memory */
} TurnAnalysis;

typedef struct
{
  const TurnAnalysis *a;
  TpEmit *emit;
  gint64 side, items;
  int buffer;
  TpValue block[2]; /* of the group, along each axis */
} TurnState;

/* ---- the kernel -------------------------------------------------------- */

/* Puts the axes at element @i of those of this item, which lies @out_at in
 * local memory: neighbours along @fast. Returns whether it is one; -1: it is.
 */
static TpValue
place (TurnState *state, int fast, int i, TpValue *out_at)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue n = tp_k_index (k, state->side), parts[2], inside = -1, one;
  TpValue slot = tp_emit_add_const (e, tp_k_item (k), i * state->items);

  parts[fast] = tp_k_binary (k, TP_I_IMOD, slot, n);
  parts[1 - fast] = tp_k_binary (k, TP_I_IDIV, slot, n);
  *out_at = tp_emit_add (
      e, tp_emit_mul_const (e, parts[WRITTEN], state->side + 1), parts[READ]);
  for (int j = 0; j < 2; j++)
    {
      const TpSpan *span = &state->a->axes[j];
      TpValue unit = tp_emit_add (
          e, tp_emit_mul_const (e, state->block[j], state->side), parts[j]);

      if (span->extent % state->side == 0)
        {
          tp_span_set (e, span, unit, 1);
          continue;
        }
      tp_span_place (e, span, unit, 1);
      one = tp_span_is_inside (e, span, unit, 1);
      inside = inside < 0 ? one : tp_k_binary (k, TP_I_MAND, inside, one);
    }
  return inside;
}

static void
compute (TurnState *state, int i)
{
  TpEmit *e = state->emit;
  TpValue at;

  place (state, READ, i, &at);
  tp_k_store (e->kernel, state->buffer, at, tp_emit_expr (e, e->nest->result),
              -1);
}

static void
store (TurnState *state, int i)
{
  TpEmit *e = state->emit;
  TpValue at, inside = place (state, WRITTEN, i, &at), value;

  value = tp_k_load (e->kernel, state->buffer, at, 1, -1);
  tp_k_store (e->kernel, e->store_buffer, tp_emit_index (e, &e->nest->store),
              value, inside);
}

static void
decode_group (TurnState *state)
{
  TpKernel *k = state->emit->kernel;
  TpValue rest = tp_k_group (k);

  k->n_groups = state->a->outer.extent;
  k->local_size = state->items;
  for (int i = 1; i >= 0; i--)
    {
      gint64 n = (state->a->axes[i].extent + state->side - 1) / state->side;
      TpValue count = tp_k_index (k, n);

      state->block[i] = tp_k_binary (k, TP_I_IMOD, rest, count);
      rest = tp_k_binary (k, TP_I_IDIV, rest, count);
      k->n_groups *= n;
    }
  tp_span_set (state->emit, &state->a->outer, rest, 1);
}

static void
turn_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TurnAnalysis *a = analysis;
  g_autoptr (TpEmit) emit = tp_emit_new (build, a->nest);
  TurnState state = { .a = a,
                      .emit = emit,
                      .side = choice->values[SIDE],
                      .items = choice->values[ITEMS] };
  int n = state.side * state.side / state.items;

  decode_group (&state);
  state.buffer = tp_kernel_add_buffer (emit->kernel, TP_SPACE_LOCAL, a->dtype,
                                       state.side * (state.side + 1), TRUE);
  for (int i = 0; i < n; i++)
    compute (&state, i);
  tp_k_barrier (emit->kernel);
  for (int i = 0; i < n; i++)
    store (&state, i);
  tp_emit_finish (emit, "turn");
}

/* ---- analysis ---------------------------------------------------------- */

/* How many loads are contiguous along @axis. */
static int
count_straight (const TpNest *nest, int axis)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  int n = 0;

  for (int i = 0; i < nest->n_loads; i++)
    n += used[i] && nest->loads[i].stride[axis] == 1;
  return n;
}

/* The axis that is written straight, and the one that most loads read so;
 * FALSE: one is missing, or they are one. */
static gboolean
find_axes (const TpNest *nest, int *out_axes)
{
  int most = 0;

  out_axes[READ] = out_axes[WRITTEN] = -1;
  for (int i = 0; i < nest->n_axes; i++)
    {
      int n = count_straight (nest, i);

      if (nest->store.stride[i] == 1)
        out_axes[WRITTEN] = i;
      if (n > most)
        out_axes[READ] = i;
      most = MAX (n, most);
    }
  return out_axes[READ] >= 0 && out_axes[WRITTEN] >= 0
         && out_axes[READ] != out_axes[WRITTEN]
         && count_straight (nest, out_axes[WRITTEN]) < most;
}

static gpointer
turn_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpNest) copy = NULL;
  TurnAnalysis *a = NULL;
  int axes[2];

  if (n != 1 || nests[0]->n_stages > 0 || nests[0]->store.index >= 0
      || !find_axes (nests[0], axes)
      || MIN (nests[0]->axes[axes[0]].extent, nests[0]->axes[axes[1]].extent)
             < 4)
    return NULL;
  copy = tp_nest_copy (nests[0]);
  a = g_new0 (TurnAnalysis, 1);
  a->target = build->target;
  a->nest = g_steal_pointer (&copy);
  a->dtype = tp_expr_get_dtype (&a->nest->exprs[a->nest->result]);
  tp_span_init (&a->outer);
  for (int i = 0; i < 2; i++)
    {
      tp_span_init (&a->axes[i]);
      tp_span_add (&a->axes[i], a->nest, axes[i]);
    }
  for (int i = 0; i < a->nest->n_axes; i++)
    if (i != axes[READ] && i != axes[WRITTEN])
      tp_span_add (&a->outer, a->nest, i);
  return a;
}

static void
turn_free (gpointer analysis)
{
  TurnAnalysis *a = analysis;

  tp_nest_free (a->nest);
  g_free (a);
}

/* ---- choices ----------------------------------------------------------- */

static const char *
turn_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TurnAnalysis *a = analysis;
  gint64 side = choice->values[SIDE], items = choice->values[ITEMS];

  if (!tp_choice_is_power_of_two (side) || !tp_choice_is_power_of_two (items))
    return "sizes that are no powers of two";
  if (items > side * side || items * 16 < side * side)
    return "items that fit the square badly";
  if (side * (side + 1) * 8 > a->target->local_bytes)
    return "more local memory than a group has";
  return tp_family_find_local_fault (a->target, items);
}

/* The largest squares first that are no waste; four elements per item hide some
 * of the wait for memory, where they leave a whole wave. */
static void
turn_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                TpArray *out)
{
  const TurnAnalysis *a = analysis;
  gint64 least = MIN (a->axes[0].extent, a->axes[1].extent);
  TpChoice choice = *partial;

  for (int side = MAX_SIDE; side >= LEAST_SIDE; side /= 2)
    for (int share = side * side < 4 * WAVE ? 2 : 4; share <= 16; share *= 2)
      {
        choice.values[SIDE] = side;
        choice.values[ITEMS] = side * side / share;
        if (side < 2 * least && turn_find_fault (a, &choice) == NULL)
          tp_array_append_val (out, choice);
      }
}

const TpFamily tp_schedule_turn = {
  .form = { "turn", params },
  .takes_doubles = TRUE,
  .takes_iota = TRUE,
  .n_steps = 1,
  .is_for = tp_target_is_gpu,
  .analyze = turn_analyze,
  .free = turn_free,
  .enumerate = turn_enumerate,
  .find_fault = turn_find_fault,
  .emit = turn_emit,
};
