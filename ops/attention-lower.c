/* attention-lower.c: Attention as nests: scores, the softmax of their rows, and the
 * values weighted by it, which a schedule may keep in one kernel.
 *
 * Heads are axes of their own, as are the query heads that share keys, so nothing is
 * transposed or repeated. Keys that a query does not see are told by a table of
 * steps: zeros, then minus infinities, read from where (key - query) says. It is as
 * long as a row and a column of the scores, and no mask has to be there whole. */
#include "config.h"

#include "ops/attention-lower.h"

#include "ops/attention.h"

#include <float.h>
#include <math.h>

/* The axes of most nests. Query heads are number KV * n_group + GROUP. */
enum
{
  AXIS_BATCH,
  AXIS_KV,
  AXIS_GROUP,
  AXIS_QUERY,
  AXIS_COLUMN,                /* a key, or an element of a value */
  AXIS_SUM,
};

/* Where numbers by batch, head, token and element are. */
typedef struct
{
  int operand;
  gint64 offset;
  gint64 batch, head, token, element; /* strides */
} Place;

typedef struct
{
  const TpGraph *graph;
  const TpNode *node;
  TpLowered *lowered;
  TpAttention a;
  TpDtype dtype;              /* of what is computed */
  gint64 n_group;             /* query heads per head of keys */
  gint64 n_columns;           /* keys that may take part */
  Place q, k, v, y;
  int steps;                  /* operand of the table; -1: all keys are seen */
  gint64 n_zeros;             /* in it */
} Lowering;

/* ---- places ------------------------------------------------------------ */

static const TpTensor *
get_input (const Lowering *self, int i)
{
  return tp_node_has_input (self->node, i)
             ? &self->graph->tensors[self->node->inputs[i]]
             : NULL;
}

/* Output @i if somebody reads it, else NULL. */
static const TpTensor *
get_output (const Lowering *self, int i)
{
  const TpTensor *tensor = NULL;

  if (i >= self->node->n_outputs || self->node->outputs[i] < 0)
    return NULL;
  tensor = &self->graph->tensors[self->node->outputs[i]];
  return tensor->is_output || tensor->n_consumers > 0 ? tensor : NULL;
}

/* Of a tensor of @size elements per head. */
static Place
find_place (const Lowering *self, int index, gint64 size)
{
  const TpTensor *x = &self->graph->tensors[index];
  const gint64 *strides = x->strides;
  int operand = tp_lowered_get_tensor (self->lowered, self->graph, index);

  if (x->rank == 3)
    return (Place){ operand, 0, strides[0], size * strides[2], strides[1],
                    strides[2] };
  return (Place){ operand, 0, strides[0], strides[1], strides[2], strides[3] };
}

/* Scratch of @size elements for each token of each head. */
static Place
make_place (const Lowering *self, gint64 n_heads, gint64 n_tokens, gint64 size)
{
  gint64 n = self->a.n_batch * n_heads * n_tokens * size;

  return (Place){ tp_lowered_add_scratch (self->lowered, self->dtype, n),
                  0, n_heads * n_tokens * size, n_tokens * size, size, 1 };
}

/* ---- pieces of nests --------------------------------------------------- */

/* The next; what is lowered has it before memory can run out for its parts. */
static TpNest *
add_nest (const Lowering *self)
{
  TpNest *nest = tp_nest_new ();

  tp_lowered_take_nest (self->lowered, nest);
  return nest;
}

/* What is loaded and stored is of the type of @operand. */
static TpAccess *
add_load (const Lowering *self, TpNest *nest, int operand)
{
  TpAccess *load = tp_nest_add_load (nest, operand);

  load->dtype = self->lowered->operands[operand].dtype;
  return load;
}

static void
set_store (const Lowering *self, TpNest *nest, int operand)
{
  nest->store.operand = operand;
  nest->store.dtype = self->lowered->operands[operand].dtype;
}

static void
add_axes (const Lowering *self, TpNest *nest, gint64 n_columns)
{
  tp_nest_add_axis (nest, self->a.n_batch, FALSE);
  tp_nest_add_axis (nest, self->a.n_kv_heads, FALSE);
  tp_nest_add_axis (nest, self->n_group, FALSE);
  tp_nest_add_axis (nest, self->a.n_queries, FALSE);
  tp_nest_add_axis (nest, n_columns, FALSE);
}

/* Of what has a row per query. */
static void
set_rows (const Lowering *self, TpAccess *access, const Place *place)
{
  access->offset = place->offset;
  access->stride[AXIS_BATCH] = place->batch;
  access->stride[AXIS_KV] = place->head * self->n_group;
  access->stride[AXIS_GROUP] = place->head;
  access->stride[AXIS_QUERY] = place->token;
}

/* Of what has a row per key. */
static void
set_keys (TpAccess *access, const Place *place, int token, int element)
{
  access->offset = place->offset;
  access->stride[AXIS_BATCH] = place->batch;
  access->stride[AXIS_KV] = place->head;
  if (token >= 0)
    access->stride[token] = place->token;
  if (element >= 0)
    access->stride[element] = place->element;
}

/* A reduce axis, or -1 when @extent is 1: it would do nothing. */
static int
add_sum_axis (TpNest *nest, gint64 extent)
{
  return extent == 1 ? -1 : tp_nest_add_axis (nest, extent, TRUE);
}

/* Expression: the sum of the products of what was loaded first and second. */
static int
sum_products (TpNest *nest, int axis)
{
  int product = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                                tp_nest_load (nest, 1));

  return axis < 0 ? product
                  : tp_nest_stage (nest, tp_nest_add_stage (
                                             nest, TP_COMBINE_SUM, product));
}

/* ---- keys and values that are remembered -------------------------------- */

/* One of the two caches: which input is put behind which. */
typedef struct
{
  int input, past, output;
  gint64 size;                /* of a head */
} Cache;

/* What @from has becomes the @n tokens of @to behind the first @before. */
static void
copy_tokens (const Lowering *self, const Cache *cache, int from,
             const Place *to, gint64 before)
{
  enum { BATCH, KV, TOKEN, ELEMENT };
  const TpTensor *x = get_input (self, from);
  Place place = find_place (self, self->node->inputs[from], cache->size);
  TpNest *nest = add_nest (self);

  tp_nest_add_axis (nest, self->a.n_batch, FALSE);
  tp_nest_add_axis (nest, self->a.n_kv_heads, FALSE);
  tp_nest_add_axis (nest, x->dims[x->rank - 2], FALSE);
  tp_nest_add_axis (nest, cache->size, FALSE);
  set_keys (add_load (self, nest, place.operand), &place, TOKEN, ELEMENT);
  set_store (self, nest, to->operand);
  set_keys (&nest->store, to, TOKEN, ELEMENT);
  nest->store.offset = before * to->token;
  nest->result = tp_nest_load (nest, 0);
}

/* Where all keys or values are, past ones first. */
static Place
join_cache (const Lowering *self, const Cache *cache)
{
  gboolean is_wanted = get_output (self, cache->output) != NULL;
  Place joined;

  if (self->a.n_past == 0 && !is_wanted)
    return find_place (self, self->node->inputs[cache->input], cache->size);
  joined = is_wanted
               ? find_place (self, self->node->outputs[cache->output],
                             cache->size)
               : make_place (self, self->a.n_kv_heads, self->a.n_keys,
                             cache->size);
  if (self->a.n_past > 0)
    copy_tokens (self, cache, cache->past, &joined, 0);
  copy_tokens (self, cache, cache->input, &joined, self->a.n_past);
  return self->a.n_past > 0
             ? joined
             : find_place (self, self->node->inputs[cache->input], cache->size);
}

/* ---- the table of steps -------------------------------------------------- */

static void
fill_steps (const Lowering *self, gint64 first, gint64 n, double value)
{
  TpNest *nest = add_nest (self);

  tp_nest_add_axis (nest, n, FALSE);
  set_store (self, nest, self->steps);
  nest->store.stride[0] = 1;
  nest->store.offset = first;
  nest->result = tp_nest_const (nest, value);
}

/* What is seen is below 0: key - n, of the n keys that count; where it is causal, too,
 * key - (query + n - queries) - 1. Without n that is key - (query + past keys) - 1. So
 * zeros end where 0 stands. */
static void
make_steps (Lowering *self)
{
  const TpAttention *a = &self->a;
  gint64 n_below = a->is_causal ? a->n_queries - 1 : 0;
  gint64 n = 0;

  self->steps = -1;
  if (get_input (self, TP_ATTENTION_LENGTHS) != NULL)
    {
      self->n_zeros = a->n_keys;
      n = 2 * a->n_keys + n_below;
    }
  else if (a->is_causal && a->n_past + 1 < a->n_keys)
    {
      self->n_zeros = a->n_past + a->n_queries;
      n = a->n_keys + n_below;
    }
  if (n <= self->n_zeros)
    return;
  self->steps = tp_lowered_add_scratch (self->lowered, TPLAN_DTYPE_FLOAT32, n);
  fill_steps (self, 0, self->n_zeros, 0.0);
  fill_steps (self, self->n_zeros, n - self->n_zeros, -INFINITY);
}

/* Expression: the number of keys that count. */
static int
load_length (const Lowering *self, TpNest *nest)
{
  const TpTensor *lengths = get_input (self, TP_ATTENTION_LENGTHS);
  int operand = tp_lowered_get_tensor (
      self->lowered, self->graph, self->node->inputs[TP_ATTENTION_LENGTHS]);
  TpAccess *load = add_load (self, nest, operand);

  load->stride[AXIS_BATCH] = lengths->strides[0];
  return tp_nest_load (nest, nest->n_loads - 1);
}

static int
add_steps (const Lowering *self, TpNest *nest, int score)
{
  gboolean has_lengths = get_input (self, TP_ATTENTION_LENGTHS) != NULL;
  int length = has_lengths ? load_length (self, nest) : -1;
  TpAccess *load = add_load (self, nest, self->steps);

  load->stride[AXIS_COLUMN] = 1;
  if (self->a.is_causal)
    load->stride[AXIS_QUERY] = -1;
  load->offset = self->a.is_causal ? self->a.n_queries - 1 : 0;
  if (has_lengths)
    {
      load->offset += self->a.n_keys;
      load->index = length;
      load->index_stride = -1;
      load->index_extent = self->a.n_keys + 1;
    }
  return tp_nest_binary (nest, TP_EXPR_ADD, score,
                         tp_nest_load (nest, nest->n_loads - 1));
}

/* ---- scores ------------------------------------------------------------ */

/* The mask broadcasts to batch, heads, queries and keys; behind its last key there is
 * nothing to see. */
static int
load_mask (const Lowering *self, TpNest *nest)
{
  const TpTensor *mask = get_input (self, TP_ATTENTION_MASK);
  int operand = tp_lowered_get_tensor (
      self->lowered, self->graph, self->node->inputs[TP_ATTENTION_MASK]);
  TpAccess *load = add_load (self, nest, operand);
  gint64 strides[4] = { 0 };

  for (int i = 0; i < mask->rank; i++)
    if (mask->dims[i] != 1)
      strides[4 - mask->rank + i] = mask->strides[i];
  set_rows (self, load, &(Place){ load->operand, 0, strides[0], strides[1],
                                  strides[2], 0 });
  load->stride[AXIS_COLUMN] = strides[3];
  if (nest->axes[AXIS_COLUMN].extent > self->a.n_masked)
    {
      load->n_guards = 1;
      load->guards[0].coef[AXIS_COLUMN] = 1;
      load->guards[0].extent = self->a.n_masked;
      load->fill = tp_dtype_is_integer (mask->dtype) ? 0.0 : -INFINITY;
    }
  return tp_nest_load (nest, nest->n_loads - 1);
}

static int
add_mask (const Lowering *self, TpNest *nest, int score)
{
  const TpTensor *mask = get_input (self, TP_ATTENTION_MASK);
  int value = load_mask (self, nest);

  return tp_dtype_is_integer (mask->dtype)
             ? tp_nest_select (nest, value, score,
                               tp_nest_const (nest, -INFINITY))
             : tp_nest_binary (nest, TP_EXPR_ADD, score, value);
}

static int
cap (TpNest *nest, int score, double most)
{
  score = tp_nest_binary (nest, TP_EXPR_MUL, score,
                          tp_nest_const (nest, 1.0 / most));
  score = tp_nest_unary (nest, TP_EXPR_TANH, score);
  return tp_nest_binary (nest, TP_EXPR_MUL, score, tp_nest_const (nest, most));
}

static int
score_expr (const Lowering *self, TpNest *nest, int sum, TpScores until)
{
  sum = tp_nest_binary (nest, TP_EXPR_MUL, sum,
                        tp_nest_const (nest, self->a.scale));
  if (until >= TP_SCORES_CAPPED && self->a.softcap > 0.0)
    sum = cap (nest, sum, self->a.softcap);
  if (until >= TP_SCORES_MASKED
      && get_input (self, TP_ATTENTION_MASK) != NULL)
    sum = add_mask (self, nest, sum);
  if (until >= TP_SCORES_MASKED && self->steps >= 0)
    sum = add_steps (self, nest, sum);
  return sum;
}

/* Of @n_columns keys, as far as @until, to @to. */
static void
add_scores (const Lowering *self, gint64 n_columns, TpScores until,
            const Place *to)
{
  TpNest *nest = add_nest (self);
  TpAccess *load = NULL;
  int sum = -1;

  add_axes (self, nest, n_columns);
  sum = add_sum_axis (nest, self->a.size);
  load = add_load (self, nest, self->q.operand);
  set_rows (self, load, &self->q);
  if (sum >= 0)
    load->stride[sum] = self->q.element;
  load = add_load (self, nest, self->k.operand);
  set_keys (load, &self->k, AXIS_COLUMN, sum);
  set_store (self, nest, to->operand);
  set_rows (self, &nest->store, to);
  nest->store.stride[AXIS_COLUMN] = to->element;
  nest->result = score_expr (self, nest, sum_products (nest, sum), until);
}

/* ---- weights and values ------------------------------------------------ */

/* Expression: the score of a head that has no value. */
static int
load_sink (const Lowering *self, TpNest *nest)
{
  enum { HEAD = 1 };
  const TpTensor *sink = get_input (self, TP_ATTENTION_SINK);
  int operand = tp_lowered_get_tensor (
      self->lowered, self->graph, self->node->inputs[TP_ATTENTION_SINK]);
  TpAccess *load = add_load (self, nest, operand);

  load->stride[HEAD] = sink->dims[0] > 1 ? sink->strides[0] : 0;
  return tp_nest_load (nest, nest->n_loads - 1);
}

/* Softmax; of a row of minus infinities alone, zeros: the greatest is held to a
 * number, and the sum away from 0. NaN passes both. @sink: one more score, of which
 * nothing is stored; -1: none. */
static int
softmax_expr (TpNest *nest, int sink, gboolean may_be_empty)
{
  int x = tp_nest_load (nest, 0);
  int max = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_MAX, x));
  int power = -1, sum = -1;

  if (may_be_empty)
    max = tp_nest_binary (
        nest, TP_EXPR_MAX,
        tp_nest_const (nest, nest->exprs[x].is_double ? -DBL_MAX : -FLT_MAX),
        max);
  if (sink >= 0)
    max = tp_nest_binary (nest, TP_EXPR_MAX, sink, max);
  power = tp_nest_unary (nest, TP_EXPR_EXP,
                         tp_nest_binary (nest, TP_EXPR_SUB, x, max));
  sum = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, power));
  if (sink >= 0)
    {
      sink = tp_nest_binary (nest, TP_EXPR_SUB, sink, max);
      sum = tp_nest_binary (nest, TP_EXPR_ADD, sum,
                            tp_nest_unary (nest, TP_EXPR_EXP, sink));
    }
  if (may_be_empty)
    sum = tp_nest_binary (nest, TP_EXPR_MAX, tp_nest_const (nest, FLT_MIN),
                          sum);
  return tp_nest_binary (
      nest, TP_EXPR_MUL, power,
      tp_nest_binary (nest, TP_EXPR_DIV, tp_nest_const (nest, 1.0), sum));
}

static void
set_weights (TpAccess *access, const Place *place)
{
  enum { BATCH, HEAD, QUERY, KEY };

  access->stride[BATCH] = place->batch;
  access->stride[HEAD] = place->head;
  access->stride[QUERY] = place->token;
  access->stride[KEY] = place->element;
}

static void
add_softmax (const Lowering *self, const Place *from, const Place *to)
{
  TpNest *nest = add_nest (self);
  int sink = -1;

  tp_nest_add_axis (nest, self->a.n_batch, FALSE);
  tp_nest_add_axis (nest, self->a.n_heads, FALSE);
  tp_nest_add_axis (nest, self->a.n_queries, FALSE);
  tp_nest_add_axis (nest, self->n_columns, TRUE);
  set_weights (add_load (self, nest, from->operand), from);
  set_store (self, nest, to->operand);
  set_weights (&nest->store, to);
  if (get_input (self, TP_ATTENTION_SINK) != NULL)
    sink = load_sink (self, nest);
  nest->result = softmax_expr (
      nest, sink, self->steps >= 0 || get_input (self, TP_ATTENTION_MASK) != NULL);
}

static void
add_product (const Lowering *self, const Place *weights)
{
  TpNest *nest = add_nest (self);
  TpAccess *load = NULL;
  int sum = -1;

  add_axes (self, nest, self->a.value_size);
  sum = add_sum_axis (nest, self->n_columns);
  load = add_load (self, nest, weights->operand);
  set_rows (self, load, weights);
  if (sum >= 0)
    load->stride[sum] = weights->element;
  load = add_load (self, nest, self->v.operand);
  set_keys (load, &self->v, sum, AXIS_COLUMN);
  set_store (self, nest, self->y.operand);
  set_rows (self, &nest->store, &self->y);
  nest->store.stride[AXIS_COLUMN] = self->y.element;
  nest->result = sum_products (nest, sum);
}

/* ---- all of it --------------------------------------------------------- */

static void
lowering_init (Lowering *self)
{
  TpAttentionShape shapes[TP_ATTENTION_N_INPUTS] = { { 0 } };
  TpAttention *a = &self->a;
  const TpNode *node = self->node;

  for (int i = 0; i < TP_ATTENTION_N_INPUTS; i++)
    {
      const TpTensor *input = get_input (self, i);

      if (input != NULL)
        shapes[i] = (TpAttentionShape){ input->rank, input->dims };
    }
  tp_attention_init (a, node, shapes);
  self->dtype = tp_dtype_get_computed (get_input (self, TP_ATTENTION_Q)->dtype);
  self->n_group = a->n_heads / a->n_kv_heads;
  self->n_columns = a->n_masked;
  if (a->scores == TP_SCORES_WEIGHTS
      && get_output (self, TP_ATTENTION_OUT_SCORES) != NULL)
    self->n_columns = a->n_keys;
  self->q = find_place (self, node->inputs[TP_ATTENTION_Q], a->size);
  self->y = find_place (self, node->outputs[TP_ATTENTION_OUT_Y],
                        a->value_size);
  self->k = join_cache (self, &(Cache){ TP_ATTENTION_K, TP_ATTENTION_PAST_K,
                                        TP_ATTENTION_OUT_K, a->size });
  self->v = join_cache (self, &(Cache){ TP_ATTENTION_V, TP_ATTENTION_PAST_V,
                                        TP_ATTENTION_OUT_V, a->value_size });
  make_steps (self);
}

gboolean
tp_attention_lower (const TpGraph *graph, const TpNode *node,
                    TpLowered *lowered, GError **error)
{
  Lowering self = { .graph = graph, .node = node, .lowered = lowered };
  Place scores, weights;

  lowering_init (&self);
  scores = make_place (&self, self.a.n_heads, self.a.n_queries,
                       self.n_columns);
  weights = make_place (&self, self.a.n_heads, self.a.n_queries,
                        self.n_columns);
  if (get_output (&self, TP_ATTENTION_OUT_SCORES) != NULL)
    {
      Place out = find_place (&self, node->outputs[TP_ATTENTION_OUT_SCORES],
                              self.a.n_keys);

      if (self.a.scores == TP_SCORES_WEIGHTS)
        weights = out;
      else
        add_scores (&self, self.a.n_keys, self.a.scores, &out);
    }
  add_scores (&self, self.n_columns, TP_SCORES_MASKED, &scores);
  add_softmax (&self, &scores, &weights);
  add_product (&self, &weights);
  return TRUE;
}
