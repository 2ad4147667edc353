/* control.c: see control.h. */
#include "config.h"

#include "graph/control.h"

#include "graph/unroll-grams.h"
#include "graph/unroll-loop.h"
#include "graph/unroll-mel.h"
#include "graph/unroll-scan.h"
#include "graph/unroll-select.h"
#include "graph/unroll-sequence.h"
#include "graph/unroll-state.h"

#include <string.h>

typedef struct
{
  TpOp op;
  gboolean (*expand) (TpUnroll *self, const TpNode *node, GError **error);
  gboolean has_body;
} Control;

static const TpAttrSpec scan_attrs[] = {
  { "directions", TP_ATTR_INTS, FALSE },
  { "num_scan_inputs", TP_ATTR_INT, TRUE },
  { "scan_input_axes", TP_ATTR_INTS, FALSE },
  { "scan_input_directions", TP_ATTR_INTS, FALSE },
  { "scan_output_axes", TP_ATTR_INTS, FALSE },
  { "scan_output_directions", TP_ATTR_INTS, FALSE },
  { 0 },
};

static const TpAttrSpec linear_attention_attrs[] = {
  { "chunk_size", TP_ATTR_INT, FALSE },
  { "kv_num_heads", TP_ATTR_INT, TRUE },
  { "q_num_heads", TP_ATTR_INT, TRUE },
  { "scale", TP_ATTR_FLOAT, FALSE },
  { "update_rule", TP_ATTR_STRING, FALSE },
  { 0 },
};

static const TpAttrSpec causal_conv_attrs[] = {
  { "activation", TP_ATTR_STRING, FALSE },
  { 0 },
};

static const TpAttrSpec split_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "keepdims", TP_ATTR_INT, FALSE },
  { 0 },
};

static const TpAttrSpec concat_attrs[] = {
  { "axis", TP_ATTR_INT, TRUE },
  { "new_axis", TP_ATTR_INT, FALSE },
  { 0 },
};

static const TpAttrSpec axis_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { 0 },
};

static const TpAttrSpec unique_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "sorted", TP_ATTR_INT, FALSE },
  { 0 },
};

static const TpAttrSpec mel_attrs[] = {
  { "output_datatype", TP_ATTR_INT, FALSE },
  { 0 },
};

static const TpAttrSpec tf_idf_attrs[] = {
  { "max_gram_length", TP_ATTR_INT, TRUE },
  { "max_skip_count", TP_ATTR_INT, TRUE },
  { "min_gram_length", TP_ATTR_INT, TRUE },
  { "mode", TP_ATTR_STRING, TRUE },
  { "ngram_counts", TP_ATTR_INTS, TRUE },
  { "ngram_indexes", TP_ATTR_INTS, TRUE },
  { "pool_int64s", TP_ATTR_INTS, FALSE },
  { "pool_strings", TP_ATTR_STRINGS, FALSE },
  { "weights", TP_ATTR_FLOATS, FALSE },
  { 0 },
};

static const TpAttrSpec empty_attrs[] = {
  { "dtype", TP_ATTR_INT, FALSE },
  { 0 },
};

#define CONTROL(type, least, most, n_outputs, list, function, body)            \
  { .op = { .name = (type), .kind = TP_OP_OPAQUE, .n_inputs_min = (least),     \
            .n_inputs_max = (most), .n_outputs_max = (n_outputs),              \
            .attrs = (list) },                                                 \
    .expand = (function), .has_body = (body) }

static const Control controls[] = {
  CONTROL ("CausalConvWithState", 2, 4, 2, causal_conv_attrs,
           tp_unroll_causal_conv, FALSE),
  CONTROL ("Compress", 2, 2, 1, axis_attrs, tp_unroll_compress, FALSE),
  CONTROL ("ConcatFromSequence", 1, 1, 1, concat_attrs,
           tp_unroll_concat_from_sequence, FALSE),
  CONTROL ("LinearAttention", 3, 6, 2, linear_attention_attrs,
           tp_unroll_linear_attention, FALSE),
  CONTROL ("Loop", 0, TP_VARIADIC, TP_VARIADIC, NULL, tp_unroll_loop, TRUE),
  CONTROL ("MelWeightMatrix", 5, 5, 1, mel_attrs, tp_unroll_mel, FALSE),
  CONTROL ("NonZero", 1, 1, 1, NULL, tp_unroll_non_zero, FALSE),
  CONTROL ("Optional", 0, 1, 1, NULL, tp_unroll_optional, FALSE),
  CONTROL ("OptionalGetElement", 1, 1, 1, NULL, tp_unroll_optional_get, FALSE),
  CONTROL ("OptionalHasElement", 0, 1, 1, NULL, tp_unroll_optional_has, FALSE),
  CONTROL ("Scan", 0, TP_VARIADIC, TP_VARIADIC, scan_attrs, tp_unroll_scan, TRUE),
  CONTROL ("SequenceAt", 2, 2, 1, NULL, tp_unroll_sequence_at, FALSE),
  CONTROL ("SequenceConstruct", 1, TP_VARIADIC, 1, NULL,
           tp_unroll_sequence_construct, FALSE),
  CONTROL ("SequenceEmpty", 0, 0, 1, empty_attrs, tp_unroll_sequence_empty,
           FALSE),
  CONTROL ("SequenceErase", 1, 2, 1, NULL, tp_unroll_sequence_erase, FALSE),
  CONTROL ("SequenceInsert", 2, 3, 1, NULL, tp_unroll_sequence_insert, FALSE),
  CONTROL ("SequenceLength", 1, 1, 1, NULL, tp_unroll_sequence_length, FALSE),
  CONTROL ("SequenceMap", 1, TP_VARIADIC, TP_VARIADIC, NULL,
           tp_unroll_sequence_map, TRUE),
  CONTROL ("SplitToSequence", 1, 2, 1, split_attrs, tp_unroll_split_to_sequence,
           FALSE),
  CONTROL ("TfIdfVectorizer", 1, 1, 1, tf_idf_attrs, tp_unroll_tf_idf, FALSE),
  CONTROL ("Unique", 1, 1, 4, unique_attrs, tp_unroll_unique, FALSE),
};

static const Control *
find (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (controls); i++)
    if (strcmp (controls[i].op.name, type) == 0)
      return &controls[i];
  return NULL;
}

const TpOp *
tp_control_find (const char *type)
{
  const Control *control = find (type);

  return control == NULL ? NULL : &control->op;
}

gboolean
tp_control_has_body (const char *type)
{
  const Control *control = find (type);

  return control != NULL && control->has_body;
}

gboolean
tp_control_is_asked (const TpUnroll *self, const TpNode *node)
{
  if (!self->draft->has_control)
    return FALSE;
  if (node->op != NULL && node->op->kind == TP_OP_OPAQUE
      && find (node->type) != NULL)
    return TRUE;
  for (int i = 0; i < node->n_inputs; i++)
    if (tp_unroll_find_list (self, node->inputs[i]) != NULL)
      return TRUE;
  return FALSE;
}

gboolean
tp_control_expand (TpUnroll *self, const TpNode *node, GError **error)
{
  const Control *control = find (node->type);
  const TpNode *outer = self->node;
  gboolean is_done;

  self->node = node;
  is_done = control != NULL ? control->expand (self, node, error)
                            : tp_unroll_any (self, node, error);
  self->node = outer;
  return is_done;
}
