/* function-cache.c: attention over keys and values that are remembered: TensorScatter
 * of ONNX, GroupQueryAttention of ONNX Runtime (com.microsoft).
 *
 * What is new is told its places, wherever in the cache each row of the batch has come
 * to, and the op CacheUpdate writes it there. */
#include "config.h"

#include "graph/function-cache.h"

#include "graph/graph-bind.h"

#include <math.h>
#include <string.h>

/* ---- pieces ------------------------------------------------------------ */

static gint64
get_int (const TpBody *self, const char *name, gint64 usual)
{
  return tp_node_get_int (self->node, name, usual);
}

static const char *
add_two (TpBody *self, const char *type, const char *a, const char *b)
{
  return tp_body_add (self, type, NULL, NULL, a, b, NULL);
}

/* Dimension @axis of @x: [1]. */
static const char *
add_dim (TpBody *self, const char *x, gint64 axis)
{
  return tp_body_pick (self, tp_body_add_shape (self, x), axis);
}

/* @x, whatever its rank, as a list of int64. */
static const char *
add_list (TpBody *self, const char *x)
{
  static const gint64 all = -1;
  TpAttr to_int64 = tp_body_make_int ("to", 7);

  x = tp_body_add (self, "Cast", &to_int64, NULL, x, NULL);
  return tp_body_add_reshape (self, x, 1, &all);
}

static const char *
add_unsqueezed (TpBody *self, const char *x, gint64 axis)
{
  return tp_body_add_view (self, "Unsqueeze", x, axis);
}

/* [batch, n]: for each row @n places, from its @start on. */
static const char *
add_places (TpBody *self, const char *n, const char *start)
{
  return add_two (self, "Add", add_unsqueezed (self, tp_body_count_to (self, n), 0),
                  add_unsqueezed (self, start, 1));
}

/* ---- TensorScatter ------------------------------------------------------ */

static void
add_tensor_scatter (TpBody *self)
{
  TpAttr axis = tp_body_make_int ("axis", get_int (self, "axis", -2));
  const char *mode = tp_node_get_string (self->node, "mode", "linear");
  const char *x = tp_body_get_input (self, 0);
  const char *start = tp_body_get_input (self, 2);
  const char *updates = tp_body_get_input (self, 1);
  const char *places = NULL;

  if (strcmp (mode, "linear") != 0 && strcmp (mode, "circular") != 0)
    {
      tp_body_refuse (self, "mode '%s' is neither 'linear' nor 'circular'",
                      mode);
      return;
    }
  if (start == NULL)
    start = add_two (self, "Mul", tp_body_count_to (self, add_dim (self, x, 0)),
                     tp_body_add_int (self, 0));
  places = add_places (self, add_dim (self, updates, axis.i), start);
  if (strcmp (mode, "circular") == 0)
    places = add_two (self, "Mod", places, add_dim (self, x, axis.i));
  tp_body_add (self, "CacheUpdate", &axis, self->ends.outputs[0], x, places,
               updates, NULL);
}

/* ---- GroupQueryAttention ------------------------------------------------ */

enum
{
  QUERY,
  KEY,
  VALUE,
  PAST_KEY,
  PAST_VALUE,
  LENGTHS,                    /* seqlens_k: those of the rows, less 1 */
  TOTAL,                      /* total_sequence_length: the greatest of them */
  COSINES,
  SINES,
  POSITIONS,
  BIAS,
  SINK,                       /* head_sink */
  N_INPUTS = 17
};

typedef struct
{
  gint64 n_heads, n_kv_heads;
  const char *qkv[3];         /* [batch, heads, new, size] */
  const char *n_new;          /* [1] */
  const char *n_keys;         /* [1]: places of the present caches */
  const char *start;          /* [batch]: where the new ones go; NULL: at 0 */
  const char *places;         /* [batch, new] or [1, new]: those of the new ones */
} Query;

/* What is asked for and cannot be given. */
static gboolean
check_inputs (TpBody *self)
{
  static const struct
  {
    int input;
    const char *name;
  } unknown[] = { { 12, "k_scale" },       { 13, "v_scale" },
                  { 14, "q_norm_weight" }, { 15, "k_norm_weight" },
                  { 16, "query_seqlens" } };

  for (gsize i = 0; i < G_N_ELEMENTS (unknown); i++)
    if (tp_body_get_input (self, unknown[i].input) != NULL)
      {
        tp_body_refuse (self, "input %d (%s) is not supported",
                        unknown[i].input, unknown[i].name);
        return FALSE;
      }
  if ((tp_body_get_input (self, KEY) == NULL)
      != (tp_body_get_input (self, VALUE) == NULL))
    tp_body_refuse (self, "key and value go together: give both, or neither and "
                          "all three packed in query");
  else if ((tp_body_get_input (self, PAST_KEY) == NULL)
           != (tp_body_get_input (self, PAST_VALUE) == NULL))
    tp_body_refuse (self, "past_key and past_value go together: give both");
  else if (tp_body_get_input (self, LENGTHS) == NULL
           || tp_body_get_input (self, TOTAL) == NULL)
    tp_body_refuse (self, "inputs 5 (seqlens_k) and 6 (total_sequence_length) "
                          "may not be left out");
  else if (tp_body_get_output (self, 3) != NULL)
    tp_body_refuse (self, "output 3 (output_qk) is not computed");
  else
    return TRUE;
  return FALSE;
}

static gboolean
is_quantized (const TpBody *self)
{
  const char *keys = tp_node_get_string (self->node, "k_quant_type", "NONE");
  const char *values = tp_node_get_string (self->node, "v_quant_type", "NONE");

  return strcmp (keys, "NONE") != 0 || strcmp (values, "NONE") != 0
         || get_int (self, "kv_cache_bit_width", 0) != 0;
}

static gboolean
check_attrs (TpBody *self, const Query *query)
{
  gboolean has_table = tp_body_get_input (self, COSINES) != NULL
                       && tp_body_get_input (self, SINES) != NULL;

  if (query->n_heads > G_MAXINT32)
    tp_body_refuse (self, "num_heads is %" G_GINT64_FORMAT ", at most %d are possible",
                    query->n_heads, G_MAXINT32);
  else if (query->n_heads < 1 || query->n_kv_heads < 1
           || query->n_heads % query->n_kv_heads != 0)
    tp_body_refuse (self, "kv_num_heads is %" G_GINT64_FORMAT ", must divide "
                          "num_heads, which is %" G_GINT64_FORMAT,
                    query->n_kv_heads, query->n_heads);
  else if (get_int (self, "sliding_window_cache", 0) != 0)
    tp_body_refuse (self, "sliding_window_cache is not supported: export with "
                          "caches that hold the whole sequence");
  else if (is_quantized (self))
    tp_body_refuse (self, "caches of quantized keys and values are not "
                          "supported: export with those of reals");
  else if (get_int (self, "do_rotary", 0) != 0 && !has_table)
    tp_body_refuse (self, "do_rotary needs cos_cache and sin_cache");
  else
    return TRUE;
  return FALSE;
}

/* [batch, new, heads, size] becomes [batch, heads, new, size], or back. */
static const char *
turn (TpBody *self, const char *x)
{
  static const gint64 order[] = { 0, 2, 1, 3 };
  TpAttr perm = { .name = "perm", .kind = TP_ATTR_INTS, .n = 4, .ints = order };

  return tp_body_add (self, "Transpose", &perm, NULL, x, NULL);
}

/* Heads of @x [batch, new, heads and size]. */
static const char *
part_heads (TpBody *self, const char *x, gint64 n_heads)
{
  const gint64 dims[] = { 0, 0, n_heads, -1 };

  return tp_body_add_reshape (self, x, 4, dims);
}

/* Query heads, then those of keys, then those of values. */
static void
unpack (TpBody *self, Query *query)
{
  const gint64 sizes[]
      = { query->n_heads, query->n_kv_heads, query->n_kv_heads };
  const char *inputs[] = { NULL, NULL };
  TpAttr attrs[] = { tp_body_make_int ("axis", 2),
                     { .name = "split", .kind = TP_ATTR_INTS, .n = 3,
                       .ints = sizes } };
  TpNode node = { .type = "Split", .n_attrs = 2, .attrs = attrs };
  gboolean is_input = self->builder->draft->opset >= 13;

  inputs[0] = part_heads (self, tp_body_get_input (self, QUERY),
                          query->n_heads + 2 * query->n_kv_heads);
  if (is_input)
    {
      node.n_attrs = 1;
      inputs[1] = tp_body_add_ints (self, 3, sizes);
    }
  for (int i = 0; i < 3; i++)
    query->qkv[i] = tp_body_make_name (self);
  tp_body_add_node (self, &node,
                    (TpNodeNames){ is_input ? 2 : 1, inputs, 3, query->qkv });
}

static void
find_heads (TpBody *self, Query *query)
{
  if (tp_body_get_input (self, KEY) == NULL)
    unpack (self, query);
  else
    for (int i = 0; i < 3; i++)
      query->qkv[i]
          = part_heads (self, tp_body_get_input (self, QUERY + i),
                        i == 0 ? query->n_heads : query->n_kv_heads);
  for (int i = 0; i < 3; i++)
    query->qkv[i] = turn (self, query->qkv[i]);
}

/* Which no value is bound to. */
static gboolean
is_graph_input (const TpBody *self, const char *name)
{
  const TpArray *inputs = self->builder->draft->inputs;
  int index = tp_builder_find_tensor (self->builder, name);

  for (guint i = 0; i < inputs->len; i++)
    if (tp_array_index (inputs, int, i) == index)
      return !tp_graph_builder_is_expected (self->builder, name);
  return FALSE;
}

/* As many as are past, or as the whole is long where the model tells that: a
 * number that a run brings cannot be one of a shape. */
static const char *
find_n_keys (TpBody *self)
{
  const char *n = add_dim (self, tp_body_get_input (self, PAST_KEY), 2);
  const char *total = tp_body_get_input (self, TOTAL);

  return is_graph_input (self, total)
             ? n
             : add_two (self, "Max", n, add_list (self, total));
}

/* A first prompt starts at 0, whatever is in the caches; its rows may be of several
 * lengths, with no tokens at their ends. */
static void
find_places (TpBody *self, Query *query)
{
  const char *total = add_list (self, tp_body_get_input (self, TOTAL));
  const char *start = add_list (self, tp_body_get_input (self, LENGTHS));
  const char *zero = tp_body_add_int (self, 0);

  query->places = add_unsqueezed (self, tp_body_count_to (self, query->n_new), 0);
  if (tp_body_get_input (self, PAST_KEY) == NULL)
    return;
  start = add_two (self, "Add", start, tp_body_add_int (self, 1));
  start = add_two (self, "Max", add_two (self, "Sub", start, query->n_new),
                   zero);
  query->start = tp_body_add (self, "Where", NULL, NULL,
                              add_two (self, "Equal", total, query->n_new),
                              zero, start, NULL);
  query->places = add_places (self, query->n_new, query->start);
  query->n_keys = find_n_keys (self);
}

/* Columns of @name, where it is a constant; else 0. */
static gint64
find_columns (const TpBody *self, const char *name)
{
  const TpTensor *tensor = tp_body_find_constant (self, name);

  return tensor != NULL && tensor->rank == 2 && tensor->dims[1] <= G_MAXINT32
             ? tensor->dims[1]
             : 0;
}

/* Rows of @places for the whole batch, as RotaryEmbedding wants them. */
static const char *
find_positions (TpBody *self, const Query *query)
{
  const char *positions = tp_body_get_input (self, POSITIONS);
  const char *rows = NULL;

  if (positions != NULL || query->start != NULL)
    return positions != NULL ? positions : query->places;
  rows = add_list (self, tp_body_get_input (self, LENGTHS));
  rows = add_two (self, "Mul", rows, tp_body_add_int (self, 0));
  return add_two (self, "Add", query->places, add_unsqueezed (self, rows, 1));
}

static void
rotate (TpBody *self, Query *query)
{
  const char *table = tp_body_get_input (self, COSINES);
  const char *inputs[]
      = { NULL, table, tp_body_get_input (self, SINES), NULL };
  TpAttr attrs[2];
  TpNode node = { .type = "RotaryEmbedding", .n_attrs = 2, .attrs = attrs };

  if (get_int (self, "do_rotary", 0) == 0)
    return;
  attrs[0] = tp_body_make_int ("interleaved", get_int (self, "rotary_interleaved", 0));
  attrs[1] = tp_body_make_int ("rotary_embedding_dim", 2 * find_columns (self, table));
  inputs[3] = find_positions (self, query);
  for (int i = 0; i < 2; i++)
    {
      inputs[0] = query->qkv[i];
      query->qkv[i] = tp_body_make_name (self);
      tp_body_add_node (self, &node,
                        (TpNodeNames){ 4, inputs, 1, &query->qkv[i] });
    }
}

/* Keys and values become all there are. */
static void
remember (TpBody *self, Query *query)
{
  TpAttr axis = tp_body_make_int ("axis", 2);

  for (int i = 1; i < 3; i++)
    {
      const char *present = tp_body_get_output (self, i);

      if (query->start != NULL)
        query->qkv[i] = tp_body_add (
            self, "CacheUpdate", &axis, present,
            tp_body_get_input (self, PAST_KEY + i - 1), query->places,
            query->qkv[i], query->n_keys, NULL);
      else if (present != NULL)
        query->qkv[i] = tp_body_add (self, "Identity", NULL, present,
                                     query->qkv[i], NULL);
    }
}

/* What the last local_window_size keys up to a query do not have is not seen, of as
 * many keys as there is bias for. */
static const char *
add_window (TpBody *self, const Query *query, const char *bias)
{
  const char *n = bias != NULL ? add_dim (self, bias, 3)
                  : query->n_keys != NULL ? query->n_keys : query->n_new;
  const char *first = add_two (
      self, "Sub", query->places,
      tp_body_add_int (self, get_int (self, "local_window_size", -1)));
  const char *is_seen = NULL;

  first = add_unsqueezed (self, add_unsqueezed (self, first, 1), 3);
  is_seen = add_two (self, "Less", first, tp_body_count_to (self, n));
  if (bias == NULL)
    return is_seen;
  return tp_body_add (self, "Where", NULL, NULL, is_seen, bias,
                      add_two (self, "CastLike",
                               tp_body_add_float (self, -INFINITY), bias),
                      NULL);
}

/* The score beside those of keys, of each head or, where softmax is smooth, 0 of all;
 * NULL: there is none. */
static const char *
find_sink (TpBody *self, const Query *query)
{
  const char *sink = tp_body_get_input (self, SINK);

  if (sink != NULL || get_int (self, "smooth_softmax", 0) <= 0)
    return sink;
  sink = add_two (self, "CastLike", tp_body_add_float (self, 0.0),
                  query->qkv[0]);
  return add_unsqueezed (self, sink, 0);
}

static const char *
add_attention (TpBody *self, const Query *query)
{
  const char *mask = tp_body_get_input (self, BIAS);
  double scale = tp_node_get_float (self->node, "scale", 0.0);
  TpAttr attrs[] = { tp_body_make_int ("is_causal", get_int (self, "causal", 1)),
                     { .name = "softcap", .kind = TP_ATTR_FLOAT,
                       .f = tp_node_get_float (self->node, "softcap", 0.0) },
                     { .name = "scale", .kind = TP_ATTR_FLOAT, .f = scale } };
  TpNode node = { .type = "Attention", .n_attrs = scale == 0.0 ? 2 : 3,
                  .attrs = attrs };
  const char *inputs[] = { query->qkv[0], query->qkv[1], query->qkv[2], NULL,
                           NULL, NULL, NULL, NULL };
  const char *y = NULL;

  if (get_int (self, "local_window_size", -1) > 0)
    mask = add_window (self, query, mask);
  inputs[3] = mask;
  if (query->start != NULL)
    inputs[6] = add_two (self, "Add", query->start, query->n_new);
  inputs[7] = find_sink (self, query);
  if (inputs[7] != NULL)
    node.type = "SinkAttention";
  y = tp_body_make_name (self);
  tp_body_add_node (self, &node,
                    (TpNodeNames){ inputs[7] != NULL   ? 8
                                   : inputs[6] != NULL ? 7
                                   : mask != NULL      ? 4
                                                       : 3,
                                   inputs, 1, &y });
  return y;
}

/* Not a number where a run says that more is remembered than the caches have places for,
 * so that what is new was lost. */
static const char *
mark_lost (TpBody *self, const Query *query, const char *y)
{
  const char *total = tp_body_get_input (self, TOTAL);
  const char *is_kept, *none;

  if (tp_body_get_input (self, PAST_KEY) == NULL
      || !is_graph_input (self, total))
    return y;
  is_kept = add_two (self, "LessOrEqual", add_list (self, total),
                     query->n_keys);
  none = add_two (self, "CastLike", tp_body_add_float (self, NAN), y);
  return tp_body_add (self, "Where", NULL, NULL, is_kept, y, none, NULL);
}

static void
add_group_query (TpBody *self)
{
  static const gint64 join[] = { 0, 0, -1 };
  Query query = { .n_heads = get_int (self, "num_heads", 0),
                  .n_kv_heads = get_int (self, "kv_num_heads", 0) };
  const char *y;

  if (!check_inputs (self) || !check_attrs (self, &query))
    return;
  query.n_new = add_dim (self, tp_body_get_input (self, QUERY), 1);
  find_heads (self, &query);
  find_places (self, &query);
  rotate (self, &query);
  remember (self, &query);
  y = mark_lost (self, &query, turn (self, add_attention (self, &query)));
  tp_body_add (self, "Reshape", NULL, self->ends.outputs[0], y,
               tp_body_add_ints (self, 3, join), NULL);
}

/* ---- the table --------------------------------------------------------- */

static const char *const scatter_attrs[] = { "axis", "mode", NULL };
static const char *const group_query_attrs[] = {
  "causal",          "do_rotary",       "k_norm_epsilon",
  "k_quant_type",    "kv_cache_bit_width", "kv_num_heads",
  "local_window_size", "num_heads",     "q_norm_epsilon",
  "qk_norm_epsilon", "qk_output",       "rotary_interleaved",
  "scale",           "sliding_window_cache", "smooth_softmax",
  "softcap",         "v_quant_type",    NULL
};

static const TpFunction functions[] = {
  { "TensorScatter", 2, 3, 1, scatter_attrs, { 0.0 }, add_tensor_scatter },
  { "com.microsoft.GroupQueryAttention", 1, N_INPUTS, 4, group_query_attrs,
    { 0.0 }, add_group_query },
};

const TpFunction *
tp_function_list_cache (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
