/* schedule-reduce-items.c: the family "reduce-items": reductions on GPUs
 * (softmax, means, dot products): several items share the sums of a point and
 * join them by a tree in local memory. Items next to each other take neighbours
 * in memory: elements of a row, or points where those are contiguous. */
#include "config.h"

#include "nest/nest-expr.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/nest-canon.h"
#include "schedule/span.h"

#define MOST_UNROLL 16   /* elements of an item on their way at once */
#define MOST_JOINED 16   /* what an item joins at once */
#define UNIT_ITEMS 64    /* a unit issues for so many items at once */
#define BUSY_ITEMS 256   /* and hides its latencies with these */
#define FULL_ITEMS 2048  /* as many may wait beside each other */
#define WAIT_COST 64.0   /* for memory, in elements */
#define JOIN_COST 0.15   /* of one more to join, in elements */
#define BARRIER_COST 0.5 /* likewise */

/* The values of a choice. */
enum
{
  POINTS, /* of a group */
  ITEMS,  /* of a point */
  UNROLL, /* elements of an item on their way at once */
};

static const TpParam params[] = {
  { "points", 1, 1, 1 << 10, 0 },
  { "items", 1, 2, 1 << 10, 0 },
  { "unroll", 1, 1, MOST_UNROLL, 4 },
  { NULL },
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  TpSpan points, k;
  gboolean is_along_k; /* neighbours are elements, not points */
} RowsAnalysis;

typedef struct
{
  const RowsAnalysis *a;
  TpEmit *emit;
  int points, items, unroll;
  gboolean is_held;    /* a row is read once, and what is made of it kept */
  int buffers[TP_N_COMPUTES]; /* local memory of each class; -1 */
  TpValue point, part; /* of this item: in its group, of its point */
  TpValue at;          /* its place in local memory */
  TpValue unit;        /* its point; may lie behind the end */
} RowsState;

/* ---- elements ---------------------------------------------------------- */

typedef void (*ElementFunc) (RowsState *state, TpValue inside, void *data);

/* Puts K at element @index and calls @func; past the end the last one. */
static void
visit (RowsState *state, TpValue index, gboolean is_last, ElementFunc func,
       void *data)
{
  const TpSpan *k = &state->a->k;
  TpValue inside = -1;

  if (is_last)
    {
      inside = tp_span_is_inside (state->emit, k, index, 1);
      tp_span_place (state->emit, k, index, 1);
    }
  else
    tp_span_set (state->emit, k, index, 1);
  func (state, inside, data);
}

static void
clear_k (RowsState *state)
{
  for (int i = 0; i < state->a->k.n; i++)
    tp_emit_clear_axis (state->emit, state->a->k.axes[i]);
}

/* The rounds after those of the loop, @first elements on; the last one may be
 * cut short. */
static void
visit_rest (RowsState *state, gint64 first, ElementFunc func, void *data)
{
  gint64 extent = state->a->k.extent;

  for (gint64 at = first; at < extent; at += state->items)
    visit (state, tp_emit_add_const (state->emit, state->part, at),
           at + state->items > extent, func, data);
  clear_k (state);
}

/* Elements of one turn of the loop. */
static gint64
count_turn (const RowsState *state)
{
  return (gint64)state->items * state->unroll;
}

/* Elements that whole turns of the loop cover; of a row that is held, none. */
static gint64
count_whole (const RowsState *state)
{
  gint64 step = count_turn (state);

  return state->is_held ? 0 : state->a->k.extent / step * step;
}

static void
visit_turn (RowsState *state, TpValue turn, ElementFunc func, void *data)
{
  TpValue first = tp_emit_add (state->emit, turn, state->part);

  for (int i = 0; i < state->unroll; i++)
    visit (state, tp_emit_add_const (state->emit, first, i * state->items),
           FALSE, func, data);
}

/* ---- stages ------------------------------------------------------------ */

typedef struct
{
  const TpStage *stage;
  TpValue acc;
} Sum;

static void
add_element (RowsState *state, TpValue inside, void *data)
{
  Sum *sum = data;
  TpEmit *e = state->emit;
  TpCombiner combiner = sum->stage->combiner;
  TpValue value;

  if (inside < 0)
    {
      sum->acc = tp_emit_accumulate (e, combiner, sum->acc, sum->stage->expr);
      return;
    }
  value = tp_emit_expr (e, sum->stage->expr);
  value = tp_k_select (e->kernel, inside, value,
                       tp_emit_identity (e, combiner, sum->stage->expr));
  sum->acc = tp_emit_combine (e, combiner, sum->acc, value);
}

static int *
find_buffer (RowsState *state, const TpStage *stage)
{
  TpDtype dtype = tp_expr_get_dtype (&state->a->nest->exprs[stage->expr]);

  return &state->buffers[tp_dtype_get (dtype)->compute];
}

/* How many items of @n are left after the next level of the tree; if @n, all
 * join them. Few levels: each is a barrier, at which all wait. */
static int
count_joined (int n)
{
  int bits = g_bit_storage (n) - 1;

  if (n <= MOST_JOINED / 2)
    return n;
  return n > MOST_JOINED * MOST_JOINED ? n / MOST_JOINED : n >> bits / 2;
}

/* @acc joined with what items @step apart have, of @n in all. */
static TpValue
join_others (RowsState *state, const TpStage *stage, TpValue first, int n,
             int step)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  int buffer = *find_buffer (state, stage);
  TpValue acc = tp_k_load (k, buffer, first, 1, -1);

  for (int i = 1; i < n; i++)
    acc = tp_emit_combine (
        e, stage->combiner, acc,
        tp_k_load (k, buffer, tp_emit_add_const (e, first, (gint64)i * step), 1,
                   -1));
  return acc;
}

/* What all items of a point have together, known to each of them. */
static TpValue
join (RowsState *state, const TpStage *stage, TpValue acc)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  int buffer = *find_buffer (state, stage), n = state->items;
  int step = state->a->is_along_k ? 1 : state->points;
  int pitch = state->a->is_along_k ? state->items : 1;
  TpValue total;

  tp_k_store (k, buffer, state->at, acc, -1);
  tp_k_barrier (k);
  for (int left; (left = count_joined (n)) < n; n = left)
    {
      tp_k_if (k,
               tp_k_binary (k, TP_I_ILESS, state->part, tp_k_index (k, left)));
      tp_k_store (k, buffer, state->at,
                  join_others (state, stage, state->at, n / left, left * step),
                  -1);
      tp_k_end_if (k);
      tp_k_barrier (k);
    }
  total = join_others (state, stage, tp_emit_mul_const (e, state->point, pitch),
                       n, step);
  tp_k_barrier (k);
  return total;
}

static TpValue
emit_stage (RowsState *state, const TpStage *stage)
{
  TpEmit *e = state->emit;
  gint64 whole = count_whole (state);
  Sum sum = { stage, tp_emit_identity (e, stage->combiner, stage->expr) };

  if (whole > 0)
    {
      TpValue turn = tp_emit_for_const (e, 0, whole, count_turn (state));

      sum.acc = tp_k_carry (e->kernel, sum.acc);
      visit_turn (state, turn, add_element, &sum);
      tp_emit_end_for (e, &sum.acc, 1, &sum.acc);
    }
  visit_rest (state, whole, add_element, &sum);
  return join (state, stage, sum.acc);
}

/* ---- results ----------------------------------------------------------- */

static TpValue
both (TpEmit *e, TpValue a, TpValue b)
{
  if (a < 0 || b < 0)
    return a < 0 ? b : a;
  return tp_k_binary (e->kernel, TP_I_MAND, a, b);
}

/* Where the group has more points than are left. */
static TpValue
is_point (RowsState *state)
{
  const TpSpan *points = &state->a->points;

  return points->extent % state->points == 0
             ? -1
             : tp_span_is_inside (state->emit, points, state->unit, 1);
}

static void
store_if (RowsState *state, TpValue condition, TpValue value)
{
  TpEmit *e = state->emit;

  if (condition >= 0)
    tp_emit_if (e, condition);
  tp_emit_store (e, value >= 0 ? value : tp_emit_expr (e, e->nest->result));
  if (condition >= 0)
    tp_emit_end_if (e);
}

/* Values that were made before the first is stored, as what is loaded is known
 * only up to there. */
typedef struct
{
  int n;
  TpValue values[MOST_UNROLL];
} Held;

static void
make_element (RowsState *state, TpValue inside, void *data)
{
  Held *held = data;

  held->values[held->n++] =
      tp_emit_expr (state->emit, state->emit->nest->result);
}

static void
store_element (RowsState *state, TpValue inside, void *data)
{
  Held *held = data;

  store_if (state, both (state->emit, inside, is_point (state)),
            held == NULL ? -1 : held->values[held->n++]);
}

static void
emit_held (RowsState *state)
{
  Held held = { 0 };

  visit_rest (state, 0, make_element, &held);
  held.n = 0;
  visit_rest (state, 0, store_element, &held);
}

static void
emit_result (RowsState *state)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 whole = count_whole (state);

  if (!tp_nest_covers_reduce (e->nest))
    {
      store_if (
          state,
          both (e, is_point (state),
                tp_k_binary (k, TP_I_IEQUAL, state->part, tp_k_index (k, 0))),
          -1);
      return;
    }
  if (state->is_held)
    {
      emit_held (state);
      return;
    }
  if (whole > 0)
    {
      TpValue turn = tp_emit_for_const (e, 0, whole, count_turn (state));

      visit_turn (state, turn, store_element, NULL);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  visit_rest (state, whole, store_element, NULL);
}

/* ---- the kernel -------------------------------------------------------- */

static void
add_buffers (RowsState *state)
{
  const TpNest *nest = state->a->nest;

  for (int i = 0; i < nest->n_stages; i++)
    {
      int *buffer = find_buffer (state, &nest->stages[i]);

      if (*buffer < 0)
        *buffer = tp_kernel_add_buffer (
            state->emit->kernel, TP_SPACE_LOCAL,
            tp_expr_get_dtype (&nest->exprs[nest->stages[i].expr]),
            state->points * state->items, TRUE);
    }
}

static void
place (RowsState *state)
{
  const TpSpan *points = &state->a->points;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gboolean is_along_k = state->a->is_along_k;
  TpValue item = tp_k_item (k), parts[2];
  TpValue n = tp_k_index (k, is_along_k ? state->items : state->points);

  k->local_size = state->points * state->items;
  k->n_groups = (points->extent + state->points - 1) / state->points;
  parts[0] = tp_k_binary (k, TP_I_IMOD, item, n);
  parts[1] = tp_k_binary (k, TP_I_IDIV, item, n);
  state->part = parts[is_along_k ? 0 : 1];
  state->point = parts[is_along_k ? 1 : 0];
  state->at =
      tp_emit_add (e,
                   tp_emit_mul_const (
                       e, parts[1], is_along_k ? state->items : state->points),
                   parts[0]);
  state->unit = tp_emit_add (
      e, tp_emit_mul_const (e, tp_k_group (k), state->points), state->point);
  if (points->extent % state->points == 0)
    tp_span_set (e, points, state->unit, 1);
  else
    tp_span_place (e, points, state->unit, 1);
}

/* Has every item its part of a row on its way at once? */
static gboolean
is_held (const RowsAnalysis *a, const TpChoice *choice)
{
  return a->k.extent <= choice->values[ITEMS] * choice->values[UNROLL];
}

static void
rows_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const RowsAnalysis *a = analysis;
  g_autoptr (TpEmit) emit = tp_emit_new (build, a->nest);
  RowsState state = { .a = a, .emit = emit,
                      .buffers = { -1, -1, -1 },
                      .points = choice->values[POINTS], .items = choice->values[ITEMS],
                      .unroll = choice->values[UNROLL],
                      .is_held = is_held (a, choice) };

  add_buffers (&state);
  place (&state);
  for (int i = 0; i < a->nest->n_stages; i++)
    emit->stages[i] = emit_stage (&state, &a->nest->stages[i]);
  emit_result (&state);
  tp_emit_finish (emit, "reduce_items");
}

/* ---- analysis ---------------------------------------------------------- */

/* How much @load counts: not at all where it is one for all elements; more where it
 * walks points too, for then there is more of it. */
static int
weigh (const TpNest *nest, const TpAccess *load)
{
  gboolean walks[2] = { FALSE, FALSE };

  for (int i = 0; i < nest->n_axes; i++)
    walks[nest->axes[i].is_reduce] |= load->stride[i] != 0;
  return !walks[TRUE] ? 0 : walks[FALSE] ? TP_NEST_MAX_AXES : 1;
}

/* Last the axis along which most that is loaded is contiguous: so much. */
static int
sort_span (TpSpan *span, const TpNest *nest)
{
  gint64 stride[TP_NEST_MAX_AXES];
  int most = 0;

  for (int i = 0; i < span->n; i++)
    {
      int axis = span->axes[i], n = 0;

      for (int j = 0; j < nest->n_loads; j++)
        if (nest->loads[j].stride[axis] == 1)
          n += weigh (nest, &nest->loads[j]);
      stride[axis] = -n;
      most = MAX (most, n);
    }
  for (int i = 0; i < span->n; i++)
    stride[span->axes[i]] += most;
  tp_span_sort (span, stride);
  return most;
}

/* Few elements for many points are for an item alone, and so is what has items
 * enough and reads neighbours as it is: windows over rows do. */
static gboolean
is_worth_it (const RowsAnalysis *a, gboolean is_row)
{
  gint64 busy = (gint64)a->target->n_units * BUSY_ITEMS;

  return a->k.extent >= 4
         && ((is_row && a->k.extent >= 16) || a->points.extent < busy);
}

static void rows_free (gpointer analysis);

static gpointer
rows_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  const TpNest *nest = nests[0];
  g_autoptr (TpNest) copy = NULL;
  RowsAnalysis *a = NULL;
  int n_straight[2];

  if (n != 1 || nest->n_stages == 0 || !tp_nest_covers_all_or_none (nest))
    return NULL;
  copy = tp_nest_copy (nest);
  a = g_new0 (RowsAnalysis, 1);
  a->target = build->target;
  a->nest = g_steal_pointer (&copy);
  tp_span_init (&a->points);
  tp_span_init (&a->k);
  for (int i = 0; i < nest->n_axes; i++)
    tp_span_add (nest->axes[i].is_reduce ? &a->k : &a->points, nest, i);
  n_straight[0] = sort_span (&a->points, nest);
  n_straight[1] = sort_span (&a->k, nest);
  a->is_along_k = n_straight[1] >= n_straight[0];
  if (is_worth_it (a, n_straight[1] > n_straight[0]))
    return a;
  rows_free (a);
  return NULL;
}

static void
rows_free (gpointer analysis)
{
  RowsAnalysis *a = analysis;

  tp_nest_free (a->nest);
  g_free (a);
}

/* ---- choices ----------------------------------------------------------- */

static const char *
rows_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const RowsAnalysis *a = analysis;
  gint64 points = choice->values[POINTS], items = choice->values[ITEMS];

  if (!tp_choice_is_power_of_two (points) || !tp_choice_is_power_of_two (items))
    return "sizes that are no powers of two";
  if (items > 2 * a->k.extent)
    return "more items than elements";
  if (points * items * 20 > a->target->local_bytes)
    return "more local memory than a group has";
  return tp_family_find_local_fault (a->target, points * items);
}

static void
rows_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                TpArray *out)
{
  const RowsAnalysis *a = analysis;
  TpChoice choice = *partial;
  gint64 most = a->target->local_size;

  for (gint64 items = 2; items <= most; items *= 2)
    for (gint64 points = 1; points * items <= most; points *= 2)
      for (gint64 unroll = 4; unroll <= MOST_UNROLL; unroll *= 2)
        {
          choice.values[POINTS] = points;
          choice.values[ITEMS] = items;
          choice.values[UNROLL] = unroll;
          if (rows_find_fault (a, &choice) != NULL)
            continue;
          tp_array_append_val (out, choice);
          if (is_held (a, &choice))
            break;
        }
}

/* Elements of an item that take as long as the joining of a stage. */
static double
cost_of_join (int items)
{
  double cost = 2 * BARRIER_COST;
  int left;

  for (; (left = count_joined (items)) < items; items = left)
    cost += BARRIER_COST + JOIN_COST * items / left;
  return cost + JOIN_COST * items;
}

/* Elements that a unit takes time for, or could while groups wait for memory. Less than
 * a line of memory at once is paid as a whole line, and a small group as a wave. */
static double
rows_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  const RowsAnalysis *a = analysis;
  double points = choice->values[POINTS], items = choice->values[ITEMS];
  double groups =
      (a->points.extent + choice->values[POINTS] - 1) / choice->values[POINTS];
  double rounds =
      (a->k.extent + choice->values[ITEMS] - 1) / choice->values[ITEMS];
  int n_stages = a->nest->n_stages;
  int passes = is_held (a, choice) ? 1 : n_stages + tp_nest_covers_reduce (a->nest);
  double work =
      passes * rounds + n_stages * cost_of_join (choice->values[ITEMS]);
  double line = MAX (16.0 / (a->is_along_k ? items : points), 1.0);
  double waves = MAX (groups / a->target->n_units, 1.0);
  double turns = ((gint64) rounds + choice->values[UNROLL] - 1) / choice->values[UNROLL];
  double wait = WAIT_COST * passes * turns + n_stages * cost_of_join ((int) items);

  return MAX (work * line
                  * MAX (waves * MAX (points * items, UNIT_ITEMS) / UNIT_ITEMS,
                         BUSY_ITEMS / UNIT_ITEMS),
              wait * MAX (waves * points * items / FULL_ITEMS, 1.0));
}

const TpFamily tp_schedule_reduce_items = {
  .form = { "reduce-items", params },
  .takes_doubles = TRUE,
  .takes_iota = TRUE,
  .n_steps = 1,
  .is_for = tp_target_is_gpu,
  .analyze = rows_analyze,
  .free = rows_free,
  .enumerate = rows_enumerate,
  .cost = rows_cost,
  .find_fault = rows_find_fault,
  .emit = rows_emit,
};
