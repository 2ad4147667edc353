/* attention-reference.c: Attention, one query of one head after the other:
 *
 *   y = sum over keys of softmax (cap (scale * q . k) + bias) * v
 *
 * where softmax may have a score more, the sink of the head.
 * Keys that take no part have a bias of minus infinity; where none does, y is 0. */
#include "config.h"

#include "ops/attention-reference.h"

#include "ir/guard.h"
#include "ops/attention.h"

#include <math.h>

typedef struct
{
  TpAttention a;
  const TpRefTensor *inputs[TP_ATTENTION_N_INPUTS]; /* NULL: left out */
} Run;

static void
run_init (Run *run, const TpNode *node, const TpRefTensor *const *inputs)
{
  TpAttentionShape shapes[TP_ATTENTION_N_INPUTS] = { { 0 } };

  for (int i = 0; i < TP_ATTENTION_N_INPUTS; i++)
    {
      run->inputs[i] = tp_node_has_input (node, i) ? inputs[i] : NULL;
      if (run->inputs[i] != NULL)
        shapes[i] = (TpAttentionShape){ inputs[i]->rank, inputs[i]->dims };
    }
  tp_attention_init (&run->a, node, shapes);
}

/* The head @head, of @n_heads, of token @token of @x: @size numbers. */
static double *
find_head (const TpRefTensor *x, gint64 batch, gint64 n_heads, gint64 head,
           gint64 token)
{
  gint64 n_tokens = x->dims[x->rank - 2];
  gint64 index = x->rank == 3
                     ? (batch * n_tokens + token) * n_heads + head
                     : (batch * n_heads + head) * n_tokens + token;
  gint64 n_all = x->dims[0] * n_heads * n_tokens;

  return x->data + index * (x->count / n_all);
}

/* Key or value (@input, the past of which is input @past) number @key. */
static const double *
find_key (const Run *run, int input, int past, const gint64 *at, gint64 key)
{
  const TpAttention *a = &run->a;
  gint64 head = at[1] / (a->n_heads / a->n_kv_heads);

  if (key < a->n_past)
    return find_head (run->inputs[past], at[0], a->n_kv_heads, head, key);
  return find_head (run->inputs[input], at[0], a->n_kv_heads, head,
                    key - a->n_past);
}

static gboolean
is_ahead (const Run *run, const gint64 *at, gint64 key)
{
  const TpRefTensor *lengths = run->inputs[TP_ATTENTION_LENGTHS];
  double n = lengths != NULL ? lengths->data[at[0]] : run->a.n_keys;
  double before = lengths != NULL ? n - run->a.n_queries : run->a.n_past;

  return (lengths != NULL && key >= n)
         || (run->a.is_causal && key > at[2] + before);
}

static double
get_bias (const Run *run, const gint64 *at, gint64 key)
{
  const TpRefTensor *mask = run->inputs[TP_ATTENTION_MASK];
  const gint64 wanted[] = { at[0], at[1], at[2], key };
  gint64 index = 0;

  if (is_ahead (run, at, key) || key >= run->a.n_masked)
    return -INFINITY;
  if (mask == NULL)
    return 0.0;
  for (int i = 0; i < mask->rank; i++)
    index = index * mask->dims[i]
            + (mask->dims[i] == 1 ? 0 : wanted[4 - mask->rank + i]);
  if (mask->dtype == TPLAN_DTYPE_BOOL)
    return mask->data[index] != 0.0 ? 0.0 : -INFINITY;
  return mask->data[index];
}

/* Of the query at @at (batch, head, number), all keys, as far as @until. */
static void
compute_scores (const Run *run, const gint64 *at, TpScores until, double *out)
{
  const TpAttention *a = &run->a;
  const double *q = find_head (run->inputs[TP_ATTENTION_Q], at[0], a->n_heads,
                               at[1], at[2]);

  for (gint64 key = 0; key < a->n_keys; key++)
    {
      const double *k
          = find_key (run, TP_ATTENTION_K, TP_ATTENTION_PAST_K, at, key);
      double sum = 0.0;

      for (gint64 i = 0; i < a->size; i++)
        sum += q[i] * k[i];
      sum *= a->scale;
      if (a->softcap > 0.0 && until >= TP_SCORES_CAPPED)
        sum = a->softcap * tanh (sum / a->softcap);
      if (until >= TP_SCORES_MASKED)
        sum += get_bias (run, at, key);
      out[key] = sum;
    }
}

/* The score that has no value; minus infinity: there is none. */
static double
get_sink (const Run *run, const gint64 *at)
{
  const TpRefTensor *sink = run->inputs[TP_ATTENTION_SINK];

  if (sink == NULL)
    return -INFINITY;
  return sink->data[sink->count > 1 ? at[1] : 0];
}

static void
normalize (double *x, gint64 n, double sink)
{
  double max = sink, sum = 0.0;

  for (gint64 i = 0; i < n; i++)
    max = fmax (max, x[i]);
  for (gint64 i = 0; i < n; i++)
    {
      x[i] = max == -INFINITY ? 0.0 : exp (x[i] - max);
      sum += x[i];
    }
  if (sink > -INFINITY)
    sum += exp (sink - max);
  for (gint64 i = 0; i < n && sum != 0.0; i++)
    x[i] /= sum;
}

/* What has no weight adds nothing, whatever it is. */
static void
add_values (const Run *run, const gint64 *at, const double *weights, double *y)
{
  for (gint64 i = 0; i < run->a.value_size; i++)
    y[i] = 0.0;
  for (gint64 key = 0; key < run->a.n_keys; key++)
    if (weights[key] != 0.0)
      tp_reference_add_scaled (
          y, find_key (run, TP_ATTENTION_V, TP_ATTENTION_PAST_V, at, key),
          weights[key], run->a.value_size);
}

/* The past of @input and what is new, in the order of present_key. */
static void
join_keys (const Run *run, int input, int past, TpRefTensor *out)
{
  gint64 size = out->dims[3];
  double *dst = out->data;

  for (gint64 i = 0; i < run->a.n_batch * run->a.n_kv_heads; i++)
    for (gint64 key = 0; key < run->a.n_keys; key++)
      {
        gint64 head = i % run->a.n_kv_heads;
        const gint64 at[] = { i / run->a.n_kv_heads,
                              head * (run->a.n_heads / run->a.n_kv_heads), 0 };
        const double *src = find_key (run, input, past, at, key);

        for (gint64 k = 0; k < size; k++)
          *dst++ = src[k];
      }
}

void
tp_attention_reference (const TpNode *node, const TpRefTensor *const *inputs,
                        TpRefTensor *outputs)
{
  Run run;
  TpAttention *a = &run.a;
  g_autofree double *weights = NULL;
  double *scores = NULL;
  gint64 at[3] = { 0 };

  run_init (&run, node, inputs);
  weights = tp_new (double, a->n_keys + 1);
  if (node->n_outputs > TP_ATTENTION_OUT_SCORES)
    scores = outputs[TP_ATTENTION_OUT_SCORES].data;
  do
    {
      compute_scores (&run, at, TP_SCORES_MASKED, weights);
      normalize (weights, a->n_keys, get_sink (&run, at));
      add_values (&run, at, weights,
                  find_head (&outputs[0], at[0], a->n_heads, at[1], at[2]));
      if (scores == NULL)
        continue;
      compute_scores (&run, at, a->scores, scores);
      if (a->scores == TP_SCORES_WEIGHTS)
        normalize (scores, a->n_keys, get_sink (&run, at));
      scores += a->n_keys;
    }
  while (tp_dims_next (3, (gint64[]){ a->n_batch, a->n_heads, a->n_queries },
                       at));
  if (node->n_outputs > TP_ATTENTION_OUT_K
      && outputs[TP_ATTENTION_OUT_K].data != NULL)
    join_keys (&run, TP_ATTENTION_K, TP_ATTENTION_PAST_K,
               &outputs[TP_ATTENTION_OUT_K]);
  if (node->n_outputs > TP_ATTENTION_OUT_V
      && outputs[TP_ATTENTION_OUT_V].data != NULL)
    join_keys (&run, TP_ATTENTION_V, TP_ATTENTION_PAST_V,
               &outputs[TP_ATTENTION_OUT_V]);
}
