/* recurrent.c: the attributes of RNN, GRU and LSTM. */
#include "config.h"

#include "ops/recurrent.h"

#include "ops/recurrent-activation.h"

#include <math.h>
#include <string.h>

static gboolean
read_direction (TpRecurrent *self, const TpNode *node, GError **error)
{
  const char *direction = tp_node_get_string (node, "direction", "forward");

  self->n_directions = 1;
  if (strcmp (direction, "reverse") == 0)
    self->is_reverse[0] = TRUE;
  else if (strcmp (direction, "bidirectional") == 0)
    {
      self->n_directions = 2;
      self->is_reverse[1] = TRUE;
    }
  else if (strcmp (direction, "forward") != 0)
    return tp_op_fail (node, error,
                       "direction '%s' is not known: 'forward', 'reverse' or "
                       "'bidirectional'",
                       direction);
  return TRUE;
}

static gboolean
read_layout (TpRecurrent *self, const TpNode *node, GError **error)
{
  gint64 layout = tp_node_get_int (node, "layout", 0);

  self->is_batch_first = layout == 1;
  return layout == 0 || layout == 1
         || tp_op_fail (node, error,
                        "layout %" G_GINT64_FORMAT " is neither 0 nor 1",
                        layout);
}

static gboolean
read_hidden (TpRecurrent *self, const TpNode *node, GError **error)
{
  gint64 given = tp_node_get_int (node, "hidden_size", self->n_hidden);

  return given == self->n_hidden
         || tp_op_fail (node, error,
                        "hidden_size is %" G_GINT64_FORMAT
                        ", input 2 (R) has %" G_GINT64_FORMAT " columns",
                        given, self->n_hidden);
}

gboolean
tp_recurrent_init (TpRecurrent *self, const TpNode *node, const gint64 *x,
                   const gint64 *r, GError **error)
{
  memset (self, 0, sizeof *self);
  self->kind = node->op->data;
  self->n_hidden = r[2];
  self->clip = tp_node_get_float (node, "clip", INFINITY);
  if (self->clip <= 0.0)
    self->clip = INFINITY;
  self->is_input_forget = tp_node_get_int (node, "input_forget", 0) != 0;
  self->is_reset_after = tp_node_get_int (node, "linear_before_reset", 0) != 0;
  if (!read_direction (self, node, error) || !read_layout (self, node, error)
      || !read_hidden (self, node, error))
    return FALSE;
  self->n_steps = x[self->is_batch_first];
  self->n_batch = x[!self->is_batch_first];
  self->n_inputs = x[2];
  return tp_activations_read (self, node, error);
}
