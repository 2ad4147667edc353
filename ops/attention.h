/* attention.h: what the files of Attention share. Private to op-attention and
 * attention-*. */
#ifndef TP_OPS_ATTENTION_H
#define TP_OPS_ATTENTION_H

#include "ops/op-util.h"

enum
{
  TP_ATTENTION_Q,
  TP_ATTENTION_K,
  TP_ATTENTION_V,
  TP_ATTENTION_MASK,
  TP_ATTENTION_PAST_K,
  TP_ATTENTION_PAST_V,
  TP_ATTENTION_LENGTHS,       /* nonpad_kv_seqlen */
  TP_ATTENTION_SINK,          /* of SinkAttention alone */
  TP_ATTENTION_N_INPUTS
};

enum
{
  TP_ATTENTION_OUT_Y,
  TP_ATTENTION_OUT_K,         /* present_key */
  TP_ATTENTION_OUT_V,
  TP_ATTENTION_OUT_SCORES,    /* qk_matmul_output */
  TP_ATTENTION_N_OUTPUTS
};

/* How far scores have come when they are qk_matmul_output. */
typedef enum
{
  TP_SCORES_RAW,
  TP_SCORES_CAPPED,
  TP_SCORES_MASKED,
  TP_SCORES_WEIGHTS,          /* softmax was taken */
} TpScores;

typedef struct
{
  int rank;
  const gint64 *dims;         /* NULL: left out */
} TpAttentionShape;

typedef struct
{
  gboolean is_packed;         /* 3-D: the heads of a token lie together */
  gint64 n_batch;
  gint64 n_heads, n_kv_heads; /* of queries; of keys and values */
  gint64 n_queries;
  gint64 n_past, n_keys;      /* of all keys, and how many were there before */
  gint64 size, value_size;    /* of a head */
  gint64 n_masked;            /* keys that the mask knows; others take no part */
  double scale;
  double softcap;             /* 0: none */
  gboolean is_causal;
  TpScores scores;            /* qk_matmul_output_mode */
} TpAttention;

/* The shapes are those of a node that tp_op_attention.infer let pass, by input;
 * those it has yet to see may be any of rank 3 and 4. */
void tp_attention_init (TpAttention *self, const TpNode *node,
                        const TpAttentionShape *shapes);

#endif
