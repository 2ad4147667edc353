/* op-along.c: what adds up or multiplies along one dimension: CumSum, CumProd. */
#include "config.h"

#include "ops/op-along.h"
#include "ops/op-util.h"

TpRefRows
tp_ref_rows_new (const TpRefTensor *x, int axis)
{
  return (TpRefRows){ x->dims[axis], tp_dims_product (x->dims, axis + 1, x->rank),
                   x->dims[axis] == 0 ? 0 : x->count / x->dims[axis] };
}

gint64
tp_ref_rows_start (const TpRefRows *rows, gint64 row, gint64 n)
{
  return row / rows->step * n * rows->step + row % rows->step;
}

/* ---- CumSum, CumProd ------------------------------------------------------ */

#define MAX_TERMS 16          /* of a sum, where sums are made of sums */
#define MAX_DIRECT (1 << 14)  /* terms of all sums, where each is made at once */
#define MIN_NEIGHBOURS 8      /* elements next to each other, of rows that are added up */
#define MAX_TURNS 4096        /* real numbers added one after the other */

/* In what the two differ. */
typedef struct
{
  TpCombiner combiner;
  TpExprOp op;
  double neutral;
} Cumulation;

static const Cumulation *
get_cumulation (const TpNode *node)
{
  return node->op->data;
}

static double
cumulate (const Cumulation *kind, double a, double b)
{
  return kind->combiner == TP_COMBINE_PROD ? a * b : a + b;
}

static guint64
cumulate_integers (const Cumulation *kind, guint64 a, guint64 b)
{
  return kind->combiner == TP_COMBINE_PROD ? a * b : a + b;
}

static gboolean
cumulate_infer (const TpNode *node, const TpTensor *const *inputs,
                TpShape *outputs, GError **error)
{
  gint64 axis = 0;
  TpInts list = { &axis, 1, 0 };
  int resolved = 0;

  if (!tp_input_get_ints (node, inputs, 1, &list, error))
    return FALSE;
  if (list.n != 1)
    return tp_op_fail (node, error, "input 1 is empty, one axis is needed");
  return tp_axis_resolve (node, axis, inputs[0]->rank, &resolved, error)
         && tp_infer_same (node, inputs, outputs, error);
}

typedef struct
{
  int axis;
  gboolean is_reverse, is_exclusive;
} Direction;

static gboolean
find_direction (const TpNode *node, const TpTensor *const *inputs,
                Direction *out, GError **error)
{
  gint64 value = 0;
  TpInts list = { &value, 1, 0 };

  out->is_reverse = tp_node_get_int (node, "reverse", 0) != 0;
  out->is_exclusive = tp_node_get_int (node, "exclusive", 0) != 0;
  return tp_input_get_ints (node, inputs, 1, &list, error)
         && tp_axis_resolve (node, value, inputs[0]->rank, &out->axis, error);
}

/* out[i] is of x[i - k], k from 0 (1 when exclusive), where that is inside; from
 * the end x[i + k]. */
static gboolean
sum_directly (TpLowering *lowering, const Direction *direction)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  int axis = direction->axis, k = -1;
  gint64 sign = direction->is_reverse ? 1 : -1;
  gint64 first = direction->is_exclusive ? sign : 0;
  TpAccess *load = NULL;

  tp_lowering_add_output_axes (lowering);
  k = tp_lowering_add_reduce_axis (lowering, x->dims[axis]);
  load = tp_lowering_add_load (lowering, 0);
  for (int i = 0; i < x->rank; i++)
    load->stride[i] = x->strides[i];
  load->offset = first * x->strides[axis];
  load->n_guards = 1;
  load->guards[0].coef[axis] = 1;
  load->guards[0].offset = first;
  load->guards[0].extent = x->dims[axis];
  load->fill = get_cumulation (lowering->node)->neutral;
  if (k >= 0)
    {
      load->stride[k] = sign * x->strides[axis];
      load->guards[0].coef[k] = sign;
    }
  return tp_lowering_finish (
      lowering,
      tp_lowering_reduce (lowering,
                          get_cumulation (lowering->node)->combiner,
                          tp_nest_load (lowering->nest, 0)));
}

/* ---- turns ---------------------------------------------------------------- */

/* Whether elements that do not add up are neighbours in memory, which holds sums so far
 * as they are: rows of them take turns then. */
static gboolean
takes_turns (const TpLowering *lowering, int axis)
{
  const TpTensor *out = lowering->out;
  gint64 n = out->dims[axis];

  if (n <= 2 || out->strides[axis] < MIN_NEIGHBOURS)
    return FALSE;
  return tp_dtype_is_integer (out->dtype)
         || (tp_dtype_holds_results (out->dtype) && n <= MAX_TURNS);
}

/* Of @lowering: all of the output but along @axis, where it is element @at. */
static void
set_row (TpLowering *lowering, int axis, gint64 at)
{
  const TpTensor *out = lowering->out;

  for (int i = 0; i < out->rank; i++)
    tp_lowering_add_axis (lowering, i == axis ? 1 : out->dims[i],
                          i == axis ? 0 : out->strides[i]);
  lowering->nest->store.offset = at * out->strides[axis];
}

static TpAccess *
load_row (TpLowering *lowering, int axis, gint64 at)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);

  for (int i = 0; i < x->rank; i++)
    load->stride[i] = i == axis ? 0 : x->strides[i];
  load->offset = at * x->strides[axis];
  return load;
}

static int
make_neutral (const TpLowering *lowering, TpDtype dtype)
{
  double neutral = get_cumulation (lowering->node)->neutral;

  return tp_nest_convert (
      lowering->nest, tp_nest_const_integer (lowering->nest, (gint64) neutral),
      dtype);
}

/* The first row is of x, or neutral; each further one that before and one of x. */
static gboolean
sum_in_turns (TpLowering *lowering, const Direction *direction)
{
  g_auto (TpLowering) next = tp_lowering_new (lowering->graph, lowering->node,
                                              lowering->lowered);
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  const TpTensor *out = lowering->out;
  int axis = direction->axis, sign = direction->is_reverse ? -1 : 1, first;
  gint64 from = direction->is_reverse ? x->dims[axis] - 1 : 0;
  TpAccess *load;

  set_row (lowering, axis, from);
  if (direction->is_exclusive)
    first = make_neutral (lowering, out->dtype);
  else
    {
      load_row (lowering, axis, from);
      first = tp_lowering_last_load (lowering);
    }
  tp_lowering_finish (lowering, first);
  lowering->lowered->first_repeated = lowering->lowered->n_nests;
  lowering->lowered->n_iterations = x->dims[axis] - 1;
  set_row (&next, axis, from + sign);
  next.nest->store.step = sign * out->strides[axis];
  load = tp_nest_add_load (next.nest, next.nest->store.operand);
  *load = next.nest->store;
  load->offset -= load->step;
  first = tp_lowering_last_load (&next);
  load_row (&next, axis, direction->is_exclusive ? from : from + sign)->step
      = sign * x->strides[axis];
  return tp_lowering_finish (
      &next, tp_nest_binary (next.nest, get_cumulation (next.node)->op, first,
                             tp_lowering_last_load (&next)));
}

/* ---- sums of sums --------------------------------------------------------- */

/* With s[0] = x and s[l + 1][i] the sum of s[l][i - k * n^l], k from 0 to n - 1, the last
 * s has the sums of all before. Each is in scratch, behind as many neutral elements as it
 * is looked at before its first, so that no load has a guard; from the end, before them. */
typedef struct
{
  const TpLowering *like;     /* (unowned) */
  Direction direction;
  gint64 n_terms, step;       /* of the sums made of it */
  gint64 n_neutral;
  int operand;
  TpDtype dtype;
  gint64 strides[TP_MAX_RANK];
} Sums;

static Sums
sums_new (const TpLowering *like, const Direction *direction, gint64 n_terms,
          gint64 step)
{
  const TpTensor *x = tp_lowering_get_input (like, 0);
  Sums sums = { .like = like, .direction = *direction, .n_terms = n_terms,
                .step = step, .n_neutral = (n_terms - 1) * step };
  gint64 n = 1;

  sums.n_neutral += step == 1 && direction->is_exclusive;
  sums.dtype = tp_dtype_is_integer (x->dtype)
                   ? x->dtype
                   : tp_dtype_get_computed (x->dtype);
  for (int i = x->rank - 1; i >= 0; i--)
    {
      sums.strides[i] = n;
      n *= x->dims[i] + (i == direction->axis ? sums.n_neutral : 0);
    }
  sums.operand = tp_lowered_add_scratch (like->lowered, sums.dtype, n);
  return sums;
}

/* A nest that stores @extent elements of each row, from @first on. */
static TpLowering
sums_begin (const Sums *sums, gint64 first, gint64 extent)
{
  TpLowering lowering = tp_lowering_new (sums->like->graph, sums->like->node,
                                         sums->like->lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  int axis = sums->direction.axis;

  lowering.nest->store
      = (TpAccess){ .operand = sums->operand, .dtype = sums->dtype, .index = -1 };
  lowering.nest->store.offset = first * sums->strides[axis];
  for (int i = 0; i < x->rank; i++)
    tp_lowering_add_axis (&lowering, i == axis ? extent : x->dims[i],
                          sums->strides[i]);
  return lowering;
}

static TpLowering
sums_begin_values (const Sums *sums)
{
  const TpTensor *x = tp_lowering_get_input (sums->like, 0);

  return sums_begin (sums, sums->direction.is_reverse ? 0 : sums->n_neutral,
                     x->dims[sums->direction.axis]);
}

static void
sums_fill (const Sums *sums)
{
  const TpTensor *x = tp_lowering_get_input (sums->like, 0);
  gint64 extent = x->dims[sums->direction.axis];
  g_auto (TpLowering) lowering = sums_begin (
      sums, sums->direction.is_reverse ? extent : 0, sums->n_neutral);

  tp_lowering_finish (&lowering, make_neutral (&lowering, sums->dtype));
}

static void
sums_copy (const Sums *sums)
{
  g_auto (TpLowering) lowering = sums_begin_values (sums);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  TpAccess *load = tp_lowering_add_load (&lowering, 0);

  for (int i = 0; i < x->rank; i++)
    load->stride[i] = x->strides[i];
  tp_lowering_finish (&lowering, tp_lowering_last_load (&lowering));
}

/* What @lowering stores becomes sums of @sums. */
static void
sums_add_up (const Sums *sums, TpLowering *lowering)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  int axis = sums->direction.axis;
  int k = tp_lowering_add_reduce_axis (lowering, sums->n_terms);
  TpAccess *load = tp_nest_add_load (lowering->nest, sums->operand);

  load->dtype = sums->dtype;
  for (int i = 0; i < x->rank; i++)
    load->stride[i] = sums->strides[i];
  load->stride[k] = sums->step * sums->strides[axis];
  if (sums->direction.is_reverse)
    load->offset = (sums->n_neutral - (sums->n_terms - 1) * sums->step)
                   * sums->strides[axis];
  tp_lowering_finish (
      lowering,
      tp_lowering_reduce (lowering,
                          get_cumulation (lowering->node)->combiner,
                          tp_lowering_last_load (lowering)));
}

/* How many terms a sum has, so that as few levels as MAX_TERMS asks for reach @n. */
static gint64
choose_n_terms (gint64 n)
{
  gint64 n_terms = 2;
  int n_levels = 0;

  for (gint64 rest = n; rest > 1; rest = (rest + MAX_TERMS - 1) / MAX_TERMS)
    n_levels++;
  for (;; n_terms++)
    {
      gint64 rest = n;

      for (int i = 0; i < n_levels; i++)
        rest = (rest + n_terms - 1) / n_terms;
      if (rest == 1)
        return n_terms;
    }
}

static void
sum_by_levels (TpLowering *lowering, const Direction *direction)
{
  gint64 n = tp_lowering_get_input (lowering, 0)->dims[direction->axis];
  gint64 n_terms = choose_n_terms (n);
  Sums sums = sums_new (lowering, direction, n_terms, 1);

  sums_copy (&sums);
  sums_fill (&sums);
  for (gint64 step = n_terms; step < n; step *= n_terms)
    {
      gint64 rest = (n + step - 1) / step;
      Sums next = sums_new (lowering, direction, MIN (rest, n_terms), step);
      g_auto (TpLowering) level = sums_begin_values (&next);

      sums_fill (&next);
      sums_add_up (&sums, &level);
      sums = next;
    }
  tp_lowering_add_output_axes (lowering);
  sums_add_up (&sums, lowering);
}

static gboolean
cumulate_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  const TpTensor *inputs[] = { x, tp_lowering_get_input (&lowering, 1) };
  Direction direction;
  gint64 n_direct = 0;

  if (!find_direction (node, inputs, &direction, error))
    return FALSE;
  if (takes_turns (&lowering, direction.axis))
    return sum_in_turns (&lowering, &direction);
  if (x->dims[direction.axis] <= MAX_TERMS
      || (tp_size_mul (x->count, x->dims[direction.axis], &n_direct)
          && n_direct <= MAX_DIRECT))
    return sum_directly (&lowering, &direction);
  sum_by_levels (&lowering, &direction);
  return TRUE;
}

/* ---- references ----------------------------------------------------------- */

/* What both references walk: along @rows, from the end where @is_reverse; an
 * element has no part in its own where @is_exclusive. */
typedef struct
{
  TpRefRows rows;
  gboolean is_exclusive, is_reverse;
} Walk;

static Walk
walk_new (const TpNode *node, const TpRefTensor *x, gint64 dimension)
{
  int axis = 0;

  if (!tp_axis_resolve (node, dimension, x->rank, &axis, NULL))
    g_assert_not_reached ();
  return (Walk){ tp_ref_rows_new (x, axis),
                 tp_node_get_int (node, "exclusive", 0) != 0,
                 tp_node_get_int (node, "reverse", 0) != 0 };
}

/* Where element @i of row @row stands. */
static gint64
walk_find (const Walk *walk, gint64 row, gint64 i)
{
  const TpRefRows *rows = &walk->rows;

  return tp_ref_rows_start (rows, row, rows->n)
         + (walk->is_reverse ? rows->n - 1 - i : i) * rows->step;
}

static void
cumulate_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  Walk walk = walk_new (node, inputs[0], inputs[1]->data[0]);

  for (gint64 row = 0; row < walk.rows.n_rows; row++)
    {
      double all = get_cumulation (node)->neutral;

      for (gint64 i = 0; i < walk.rows.n; i++)
        {
          gint64 at = walk_find (&walk, row, i);
          double next = cumulate (get_cumulation (node), all,
                                  inputs[0]->data[at]);

          outputs[0].data[at] = walk.is_exclusive ? all : next;
          all = next;
        }
    }
}

static void
cumulate_reference_integer (const TpNode *node,
                            const TpRefTensor *const *inputs,
                            TpRefTensor *outputs)
{
  Walk walk = walk_new (node, inputs[0], inputs[1]->integers[0]);

  for (gint64 row = 0; row < walk.rows.n_rows; row++)
    {
      guint64 all = (guint64) get_cumulation (node)->neutral;

      for (gint64 i = 0; i < walk.rows.n; i++)
        {
          gint64 at = walk_find (&walk, row, i);
          guint64 next
              = cumulate_integers (get_cumulation (node), all,
                                   (guint64) inputs[0]->integers[at]);

          outputs[0].integers[at]
              = tp_dtype_wrap (outputs[0].dtype,
                               (gint64) (walk.is_exclusive ? all : next));
          all = next;
        }
    }
}

static const TpAttrSpec cumulate_attrs[] = {
  { "exclusive", TP_ATTR_INT, FALSE },
  { "reverse", TP_ATTR_INT, FALSE },
  { 0 },
};

static const Cumulation sum = { TP_COMBINE_SUM, TP_EXPR_ADD, 0.0 };
static const Cumulation product = { TP_COMBINE_PROD, TP_EXPR_MUL, 1.0 };

#define CUMULATION                                                            \
  .kind = TP_OP_REDUCE, .n_inputs_min = 2, .n_inputs_max = 2,                 \
  .n_outputs_max = 1, .attrs = cumulate_attrs, .tolerance = 1e-5,             \
  .infer = cumulate_infer, .lower = cumulate_lower,                           \
  .reference = cumulate_reference,                                            \
  .reference_integer = cumulate_reference_integer

const TpOp tp_op_cum_prod = { .name = "CumProd", .data = &product, CUMULATION };
const TpOp tp_op_cum_sum = { .name = "CumSum", .data = &sum, CUMULATION };
