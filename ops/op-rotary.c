/* op-rotary.c: RotaryEmbedding: pairs of elements of a head turned by the angle of
 * their token.
 *
 *   first  = cos * x1 - sin * x2
 *   second = sin * x1 + cos * x2
 *
 * Pairs are halves apart or, interleaved, neighbours; elements behind them stay as
 * they are. Cosines and sines have a row for each token, or each position. */
#include "config.h"

#include "ops/op-util.h"

#include <math.h>
#include <string.h>

enum
{
  X,
  COS,
  SIN,
  POSITIONS,
};

typedef struct
{
  gboolean is_packed;         /* 3-D: the heads of a token lie together */
  gint64 n_batch, n_heads, n_tokens;
  gint64 size;                /* of a head */
  gint64 n_pairs;             /* in it */
  gboolean is_interleaved;
} Rotary;

/* @columns: of cosines. Heads that nobody counts are of as many pairs. */
static void
rotary_init (Rotary *self, const TpNode *node, int rank, const gint64 *dims,
             gint64 columns)
{
  gint64 n_turned = tp_node_get_int (node, "rotary_embedding_dim", 0);
  gint64 n_heads = tp_node_get_int (node, "num_heads", 0);

  *self = (Rotary){ .is_packed = rank == 3 };
  self->n_batch = dims[0];
  self->n_tokens = dims[rank - 2];
  if (rank == 4)
    n_heads = dims[1];
  else if (n_heads == 0 && n_turned == 0 && columns > 0)
    n_heads = dims[2] / 2 / columns;
  self->n_heads = n_heads;
  self->size = rank == 4 ? dims[3] : dims[2] / MAX (n_heads, 1);
  self->n_pairs = (n_turned > 0 ? n_turned : self->size) / 2;
  self->is_interleaved = tp_node_get_int (node, "interleaved", 0) != 0;
}

/* ---- shapes ------------------------------------------------------------ */

static gboolean
check_heads (const Rotary *r, const TpNode *node, const TpTensor *x,
             GError **error)
{
  gint64 n_turned = tp_node_get_int (node, "rotary_embedding_dim", 0);

  if (r->is_packed && (r->n_heads < 1 || x->dims[2] % r->n_heads != 0))
    return tp_op_fail (node, error,
                       "num_heads is %" G_GINT64_FORMAT
                       ", which does not divide the %" G_GINT64_FORMAT
                       " columns of input 0",
                       r->n_heads, x->dims[2]);
  if (n_turned < 0 || n_turned > r->size || n_turned % 2 != 0)
    return tp_op_fail (node, error,
                       "rotary_embedding_dim is %" G_GINT64_FORMAT
                       ", must be even, and at most the %" G_GINT64_FORMAT
                       " elements of a head",
                       n_turned, r->size);
  return n_turned > 0 || r->size % 2 == 0
         || tp_op_fail (node, error,
                        "a head has %" G_GINT64_FORMAT
                        " elements, which are no pairs",
                        r->size);
}

static gboolean
check_cache (const Rotary *r, const TpNode *node, const TpTensor *const *inputs,
             int i, GError **error)
{
  const TpTensor *cache = inputs[i];
  gboolean has_positions = tp_node_has_input (node, POSITIONS);
  const gint64 by_token[] = { r->n_batch, r->n_tokens, r->n_pairs };
  const gint64 by_position[] = { inputs[COS]->dims[0], r->n_pairs };
  const gint64 *wanted = has_positions ? by_position : by_token;
  int rank = has_positions ? 2 : 3;
  g_autofree char *own = NULL;
  g_autofree char *text = NULL;

  if (cache->rank == rank
      && memcmp (cache->dims, wanted, rank * sizeof wanted[0]) == 0)
    return TRUE;
  own = tp_dims_to_text (cache->rank, cache->dims);
  text = tp_dims_to_text (rank, wanted);
  return tp_op_fail (node, error, "input %d (%s) has shape %s, %s is needed", i,
                     i == COS ? "cos_cache" : "sin_cache", own, text);
}

static gboolean
check_positions (const Rotary *r, const TpNode *node, const TpTensor *positions,
                 GError **error)
{
  g_autofree char *own = NULL;

  if (positions->dtype != TPLAN_DTYPE_INT64)
    return tp_op_fail (node, error, "input 3 (position_ids) is %s, must be int64",
                       tp_dtype_get_name (positions->dtype));
  if (positions->rank == 2 && positions->dims[0] == r->n_batch
      && positions->dims[1] == r->n_tokens)
    return TRUE;
  own = tp_dims_to_text (positions->rank, positions->dims);
  return tp_op_fail (node, error,
                     "input 3 (position_ids) has shape %s, [%" G_GINT64_FORMAT
                     ", %" G_GINT64_FORMAT "] is needed",
                     own, r->n_batch, r->n_tokens);
}

static gboolean
rotary_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[X];
  Rotary r;

  if (x->rank != 3 && x->rank != 4)
    return tp_op_fail (node, error, "input 0 has rank %d, 3 or 4 is needed",
                       x->rank);
  for (int i = COS; i <= SIN; i++)
    if (inputs[i]->rank < 1 || inputs[i]->dtype != x->dtype)
      return tp_op_fail (node, error,
                         "input %d is %s of rank %d, must be %s of rank 2 or 3",
                         i, tp_dtype_get_name (inputs[i]->dtype),
                         inputs[i]->rank, tp_dtype_get_name (x->dtype));
  rotary_init (&r, node, x->rank, x->dims,
               inputs[COS]->dims[inputs[COS]->rank - 1]);
  return check_heads (&r, node, x, error)
         && check_cache (&r, node, inputs, COS, error)
         && check_cache (&r, node, inputs, SIN, error)
         && (!tp_node_has_input (node, POSITIONS)
             || check_positions (&r, node, inputs[POSITIONS], error))
         && tp_infer_same (node, inputs, outputs, error);
}

/* ---- nests ------------------------------------------------------------- */

enum
{
  AXIS_BATCH,
  AXIS_HEAD,
  AXIS_TOKEN,
  AXIS_PAIR,
};

/* Every @step-th element of a head from @first on. */
static void
set_heads (const Rotary *r, TpAccess *access, const TpTensor *x, gint64 first,
           gint64 step)
{
  gint64 element = x->strides[x->rank - 1];

  access->offset = first * element;
  access->stride[AXIS_BATCH] = x->strides[0];
  access->stride[AXIS_HEAD] = r->is_packed ? r->size * element : x->strides[1];
  access->stride[AXIS_TOKEN] = x->strides[x->rank - 2];
  access->stride[AXIS_PAIR] = step * element;
}

static int
load_heads (TpLowering *lowering, const Rotary *r, gint64 first, gint64 step)
{
  set_heads (r, tp_lowering_add_load (lowering, X),
             tp_lowering_get_input (lowering, X), first, step);
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

/* Of cosines or sines; @position: expression, -1: they are by token. */
static int
load_cache (TpLowering *lowering, int i, int position)
{
  const TpTensor *cache = tp_lowering_get_input (lowering, i);
  TpAccess *load = tp_lowering_add_load (lowering, i);

  load->stride[AXIS_PAIR] = cache->strides[cache->rank - 1];
  if (position >= 0)
    tp_access_pick (load, cache, 0, position);
  else
    {
      load->stride[AXIS_BATCH] = cache->strides[0];
      load->stride[AXIS_TOKEN] = cache->strides[1];
    }
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static int
load_position (TpLowering *lowering)
{
  const TpTensor *positions = tp_lowering_get_input (lowering, POSITIONS);
  TpAccess *load = NULL;

  if (positions == NULL)
    return -1;
  load = tp_lowering_add_load (lowering, POSITIONS);
  load->stride[AXIS_BATCH] = positions->strides[0];
  load->stride[AXIS_TOKEN] = positions->strides[1];
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static void
add_axes (TpLowering *lowering, const Rotary *r, gint64 n)
{
  tp_nest_add_axis (lowering->nest, r->n_batch, FALSE);
  tp_nest_add_axis (lowering->nest, r->n_heads, FALSE);
  tp_nest_add_axis (lowering->nest, r->n_tokens, FALSE);
  tp_nest_add_axis (lowering->nest, n, FALSE);
}

/* One of each pair: the first or the second. */
static void
lower_turned (TpLowering *lowering, const Rotary *r, gboolean is_second)
{
  TpNest *nest = lowering->nest;
  gint64 step = r->is_interleaved ? 2 : 1;
  gint64 second = r->is_interleaved ? 1 : r->n_pairs;
  int x[2], factors[2];
  int position = -1;

  add_axes (lowering, r, r->n_pairs);
  set_heads (r, &nest->store, lowering->out, is_second ? second : 0, step);
  for (int i = 0; i < 2; i++)
    x[i] = load_heads (lowering, r, i * second, step);
  position = load_position (lowering);
  for (int i = 0; i < 2; i++)
    factors[i] = load_cache (lowering, COS + i, position);
  for (int i = 0; i < 2; i++)
    x[i] = tp_nest_binary (nest, TP_EXPR_MUL, x[i],
                           factors[is_second ? 1 - i : i]);
  tp_lowering_finish (lowering,
                      tp_nest_binary (nest, is_second ? TP_EXPR_ADD
                                                      : TP_EXPR_SUB,
                                      x[0], x[1]));
}

/* What is behind the pairs. */
static void
lower_rest (TpLowering *lowering, const Rotary *r)
{
  add_axes (lowering, r, r->size - 2 * r->n_pairs);
  set_heads (r, &lowering->nest->store, lowering->out, 2 * r->n_pairs, 1);
  tp_lowering_finish (lowering,
                      load_heads (lowering, r, 2 * r->n_pairs, 1));
}

static gboolean
rotary_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  const TpTensor *x = &graph->tensors[node->inputs[X]];
  const TpTensor *cache = &graph->tensors[node->inputs[COS]];
  Rotary r;

  rotary_init (&r, node, x->rank, x->dims, cache->dims[cache->rank - 1]);
  for (int i = 0; i < 3; i++)
    {
      g_auto (TpLowering) lowering = { 0 };

      if (i == 2 && r.size == 2 * r.n_pairs)
        continue;
      lowering = tp_lowering_new (graph, node, lowered);
      if (i < 2)
        lower_turned (&lowering, &r, i);
      else
        lower_rest (&lowering, &r);
    }
  return TRUE;
}

/* ---- reference --------------------------------------------------------- */

/* The row of cosines and sines for a token; -1: a position there is none for. */
static gint64
find_row (const Rotary *r, const TpRefTensor *cache,
          const TpRefTensor *positions, gint64 batch, gint64 token)
{
  gint64 row = batch * r->n_tokens + token;
  double position = 0.0;

  if (positions == NULL)
    return row;
  position = positions->data[row];
  position += position < 0 ? cache->dims[0] : 0;
  return position >= 0 && position < cache->dims[0] ? (gint64) position : -1;
}

static void
turn_head (const Rotary *r, double *head, const double *cosines,
           const double *sines)
{
  for (gint64 i = 0; i < r->n_pairs; i++)
    {
      gint64 first = r->is_interleaved ? 2 * i : i;
      gint64 second = r->is_interleaved ? 2 * i + 1 : i + r->n_pairs;
      double c = cosines != NULL ? cosines[i] : 0.0;
      double s = sines != NULL ? sines[i] : 0.0;
      double x1 = head[first], x2 = head[second];

      head[first] = c * x1 - s * x2;
      head[second] = s * x1 + c * x2;
    }
}

static void
rotary_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[X], *cache = inputs[COS];
  const TpRefTensor *positions
      = tp_node_has_input (node, POSITIONS) ? inputs[POSITIONS] : NULL;
  Rotary r;

  rotary_init (&r, node, x->rank, x->dims, cache->dims[cache->rank - 1]);
  memcpy (outputs[0].data, x->data, x->count * sizeof x->data[0]);
  for (gint64 i = 0; i < r.n_batch * r.n_heads * r.n_tokens; i++)
    {
      gint64 batch = i / (r.n_heads * r.n_tokens);
      gint64 token = r.is_packed ? i / r.n_heads % r.n_tokens : i % r.n_tokens;
      gint64 row = find_row (&r, cache, positions, batch, token);

      turn_head (&r, outputs[0].data + i * r.size,
                 row < 0 ? NULL : cache->data + row * r.n_pairs,
                 row < 0 ? NULL : inputs[SIN]->data + row * r.n_pairs);
    }
}

static const TpAttrSpec rotary_attrs[] = {
  { "interleaved", TP_ATTR_INT, FALSE },
  { "num_heads", TP_ATTR_INT, FALSE },
  { "rotary_embedding_dim", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_rotary_embedding = {
  .name = "RotaryEmbedding",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 3,
  .n_inputs_max = 4,
  .n_outputs_max = 1,
  .attrs = rotary_attrs,
  .flags = TP_OP_TURNS,
  .tolerance = 1e-6,
  .infer = rotary_infer,
  .lower = rotary_lower,
  .reference = rotary_reference,
};
