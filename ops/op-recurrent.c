/* op-recurrent.c: RNN, GRU and LSTM: shapes and records. */
#include "config.h"

#include "ops/recurrent-lower.h"
#include "ops/recurrent-reference.h"
#include "ops/recurrent.h"

#include <math.h>
#include <string.h>

/* ---- shape ------------------------------------------------------------- */

typedef struct
{
  int rank;
  gint64 dims[3];
} Dims;

static gboolean
check_dims (const TpNode *node, const TpTensor *const *inputs, int i,
            const Dims *wanted, GError **error)
{
  const TpTensor *input = i < node->n_inputs ? inputs[i] : NULL;
  int rank = wanted->rank;
  g_autofree char *own = NULL;
  g_autofree char *text = NULL;

  if (input == NULL
      || (input->rank == rank
          && memcmp (input->dims, wanted->dims, rank * sizeof (gint64)) == 0))
    return TRUE;
  own = tp_dims_to_text (input->rank, input->dims);
  text = tp_dims_to_text (rank, wanted->dims);
  return tp_op_fail (node, error, "input %d has shape %s, %s is needed", i, own,
                     text);
}

static gboolean
check_rank (const TpNode *node, const TpTensor *const *inputs, GError **error)
{
  for (int i = TP_RECURRENT_X; i <= TP_RECURRENT_R; i++)
    if (inputs[i]->rank != 3)
      return tp_op_fail (node, error, "input %d has rank %d, 3 is needed", i,
                         inputs[i]->rank);
  if (inputs[TP_RECURRENT_R]->dims[2] > G_MAXINT32)
    return tp_op_fail (node, error, "input 2 (R) is too large");
  return TRUE;
}

/* All are of the type of X but the lengths. */
static gboolean
check_dtypes (const TpNode *node, const TpTensor *const *inputs, GError **error)
{
  for (int i = 0; i < node->n_inputs; i++)
    {
      TpDtype wanted = i == TP_RECURRENT_LENGTHS ? TPLAN_DTYPE_INT32
                                                 : inputs[0]->dtype;

      if (inputs[i] != NULL && inputs[i]->dtype != wanted)
        return tp_op_fail (node, error, "input %d is %s, must be %s", i,
                           tp_dtype_get_name (inputs[i]->dtype),
                           tp_dtype_get_name (wanted));
    }
  return TRUE;
}

static void
set_state_dims (const TpRecurrent *r, gint64 *dims)
{
  dims[0] = r->is_batch_first ? r->n_batch : r->n_directions;
  dims[1] = r->is_batch_first ? r->n_directions : r->n_batch;
  dims[2] = r->n_hidden;
}

static gboolean
check_state (const TpRecurrent *r, const TpNode *node,
             const TpTensor *const *inputs, int i, GError **error)
{
  Dims dims = { .rank = 3 };

  set_state_dims (r, dims.dims);
  return check_dims (node, inputs, i, &dims, error);
}

static gboolean
check_shapes (const TpRecurrent *r, const TpNode *node,
              const TpTensor *const *inputs, GError **error)
{
  gint64 n_rows = r->kind->n_gates * r->n_hidden;
  gint64 n = r->n_directions;
  Dims w = { 3, { n, n_rows, r->n_inputs } };
  Dims recurrence = { 3, { n, n_rows, r->n_hidden } };
  Dims bias = { 2, { n, 2 * n_rows } };
  Dims lengths = { 1, { r->n_batch } };
  Dims peepholes = { 2, { n, 3 * r->n_hidden } };

  return check_dims (node, inputs, TP_RECURRENT_W, &w, error)
         && check_dims (node, inputs, TP_RECURRENT_R, &recurrence, error)
         && check_dims (node, inputs, TP_RECURRENT_B, &bias, error)
         && check_dims (node, inputs, TP_RECURRENT_LENGTHS, &lengths, error)
         && check_state (r, node, inputs, TP_RECURRENT_H, error)
         && check_state (r, node, inputs, TP_RECURRENT_C, error)
         && check_dims (node, inputs, TP_RECURRENT_P, &peepholes, error);
}

static void
set_y_shape (const TpRecurrent *r, TpShape *shape)
{
  gint64 forward[] = { r->n_steps, r->n_directions, r->n_batch, r->n_hidden };
  gint64 batch_first[] = { r->n_batch, r->n_steps, r->n_directions,
                           r->n_hidden };

  shape->rank = 4;
  memcpy (shape->dims, r->is_batch_first ? batch_first : forward,
          sizeof forward);
}

static gboolean
recurrent_infer (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *outputs, GError **error)
{
  TpRecurrent r;

  if (!check_rank (node, inputs, error) || !check_dtypes (node, inputs, error)
      || !tp_recurrent_init (&r, node, inputs[TP_RECURRENT_X]->dims,
                             inputs[TP_RECURRENT_R]->dims, error)
      || !check_shapes (&r, node, inputs, error))
    return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    {
      outputs[i].dtype = inputs[0]->dtype;
      outputs[i].rank = 3;
      set_state_dims (&r, outputs[i].dims);
    }
  set_y_shape (&r, &outputs[TP_RECURRENT_OUT_Y]);
  return TRUE;
}

/* ---- records ----------------------------------------------------------- */

#define COMMON_ATTRS                                                           \
  { "activation_alpha", TP_ATTR_FLOATS, FALSE },                               \
  { "activation_beta", TP_ATTR_FLOATS, FALSE },                                \
  { "activations", TP_ATTR_STRINGS, FALSE },                                   \
  { "clip", TP_ATTR_FLOAT, FALSE },                                            \
  { "direction", TP_ATTR_STRING, FALSE },                                      \
  { "hidden_size", TP_ATTR_INT, FALSE },                                       \
  { "layout", TP_ATTR_INT, FALSE },                                            \
  { "output_sequence", TP_ATTR_INT, FALSE }

static const TpAttrSpec rnn_attrs[] = { COMMON_ATTRS, { 0 } };
static const TpAttrSpec gru_attrs[] = {
  COMMON_ATTRS, { "linear_before_reset", TP_ATTR_INT, FALSE }, { 0 }
};
static const TpAttrSpec lstm_attrs[] = {
  COMMON_ATTRS, { "input_forget", TP_ATTR_INT, FALSE }, { 0 }
};

#define RECURRENT                                                              \
  .kind = TP_OP_RECURRENT, .n_inputs_min = 3, .tolerance = 1e-5,               \
  .infer = recurrent_infer, .lower = tp_recurrent_lower,                       \
  .reference = tp_recurrent_reference

const TpOp tp_op_rnn = {
  .name = "RNN",
  RECURRENT,
  .n_inputs_max = 6,
  .n_outputs_max = 2,
  .attrs = rnn_attrs,
  .data = &(const TpCellKind){ .n_gates = 1, .n_functions = 1,
                               .usual = { "Tanh" },
                               .run = tp_rnn_run, .lower = tp_rnn_lower },
};

const TpOp tp_op_gru = {
  .name = "GRU",
  RECURRENT,
  .n_inputs_max = 6,
  .n_outputs_max = 2,
  .attrs = gru_attrs,
  .data = &(const TpCellKind){ .n_gates = 3, .n_functions = 2,
                               .usual = { "Sigmoid", "Tanh" },
                               .has_reset = TRUE,
                               .run = tp_gru_run, .lower = tp_gru_lower },
};

const TpOp tp_op_lstm = {
  .name = "LSTM",
  RECURRENT,
  .n_inputs_max = 8,
  .n_outputs_max = 3,
  .attrs = lstm_attrs,
  .data = &(const TpCellKind){ .n_gates = 4, .n_functions = 3,
                               .usual = { "Sigmoid", "Tanh", "Tanh" },
                               .has_memory = TRUE,
                               .run = tp_lstm_run, .lower = tp_lstm_lower },
};
