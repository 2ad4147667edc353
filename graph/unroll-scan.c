/* unroll-scan.c: see unroll-scan.h.
 *
 * Before opset 9 there is a batch: dimension 0 of all, of which each element is a
 * scan of its own. */
#include "config.h"

#include "graph/unroll-scan.h"

#include "graph/unroll-known.h"
#include "graph/unroll-make.h"
#include "ir/guard.h"

#include <string.h>

typedef struct
{
  TpUnroll *unroll;
  const TpNode *node;
  const TpDraftBody *body;
  int first;                  /* input that is a state: lengths may be before it */
  int n_states, n_scanned, n_given;
  gint64 n_rounds;
  int *states;                /* what they are */
  int *scanned;               /* what is read, in parts */
  int *given;                 /* [output] [round] */
} Scan;

static void
scan_clear (Scan *self)
{
  g_free (self->states);
  g_free (self->scanned);
  g_free (self->given);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scan, scan_clear)

static gboolean
has_batch (const Scan *self)
{
  return self->node->opset < 9;
}

/* ---- attributes ----------------------------------------------------------------- */

/* Number @i of the attribute @name, 0 without. */
static gint64
get_number (const Scan *self, const char *name, int i)
{
  int n;
  const gint64 *numbers = tp_node_get_ints (self->node, name, &n);

  return i < n ? numbers[i] : 0;
}

static gboolean
check_numbers (const Scan *self, const char *name, int n, GError **error)
{
  int n_has;

  if (tp_node_get_ints (self->node, name, &n_has) == NULL || n_has == n)
    return TRUE;
  return tp_unroll_fail (self->unroll, error, "%s has %d numbers, must "
                         "have %d", name, n_has, n);
}

static gboolean
is_backward (const Scan *self, gboolean is_input, int i)
{
  const char *name = !is_input         ? "scan_output_directions"
                     : has_batch (self) ? "directions"
                                        : "scan_input_directions";

  return get_number (self, name, i) == 1;
}

static gboolean
check_arity (const Scan *self, GError **error)
{
  const TpDraftBody *body = self->body;

  if (self->n_scanned >= 1 && self->n_states >= 0 && self->n_given >= 0
      && (int) body->inputs->len == self->n_states + self->n_scanned
      && self->node->n_outputs <= self->n_states + self->n_given)
    return TRUE;
  return tp_unroll_fail (
      self->unroll, error, "it has %d inputs, %d of them scanned, and %d "
      "outputs, its body %u and %u: they must go together", body->n_own,
      self->n_scanned, self->node->n_outputs, body->inputs->len,
      body->outputs->len);
}

static gboolean
init (Scan *self, GError **error)
{
  gint64 n = tp_node_get_int (self->node, "num_scan_inputs", 0);

  self->first = has_batch (self);
  self->n_scanned = (int) CLAMP (n, 0, G_MAXINT32);
  self->n_states = self->body->n_own - self->first - self->n_scanned;
  self->n_given = (int) self->body->outputs->len - self->n_states;
  if (!check_arity (self, error)
      || !check_numbers (self, "directions", self->n_scanned, error)
      || !check_numbers (self, "scan_input_directions", self->n_scanned, error)
      || !check_numbers (self, "scan_input_axes", self->n_scanned, error)
      || !check_numbers (self, "scan_output_directions", self->n_given, error)
      || !check_numbers (self, "scan_output_axes", self->n_given, error))
    return FALSE;
  if (self->first != 0 && self->node->inputs[0] >= 0)
    return tp_unroll_refuse (self->unroll, error, "sequence_lens are "
                             "given: only sequences of one length are read");
  self->states = tp_new (int, self->n_states + 1);
  self->scanned = tp_new (int, self->n_scanned);
  return TRUE;
}

/* ---- one scan ----------------------------------------------------------------------- */

/* The dimension that is scanned of input @i, of @rank dimensions. */
static gboolean
find_axis (const Scan *self, int i, int rank, gint64 *out_axis, GError **error)
{
  gint64 axis = get_number (self, "scan_input_axes", i);

  *out_axis = axis < 0 ? axis + rank : axis;
  if (*out_axis >= 0 && *out_axis < rank)
    return TRUE;
  return tp_unroll_fail (self->unroll, error, "scan_input_axes[%d] is %"
                         G_GINT64_FORMAT ", and the input has %d dimensions", i, axis,
                         rank);
}

/* As many as what is scanned is long, which is all of one length. */
static gboolean
count_rounds (Scan *self, GError **error)
{
  self->n_rounds = -1;
  for (int i = 0; i < self->n_scanned; i++)
    {
      const TpTensor *x;
      gint64 axis;

      if (!tp_unroll_check_tensor (self->unroll, self->scanned[i],
                                   "scanned input", error))
        return FALSE;
      x = tp_draft_tensor (self->unroll->draft, self->scanned[i]);
      if (!find_axis (self, i, x->rank, &axis, error))
        return FALSE;
      if (self->n_rounds >= 0 && self->n_rounds != x->dims[axis])
        return tp_unroll_fail (self->unroll, error, "what is scanned is "
                               "%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " long: "
                               "it must be as long", self->n_rounds,
                               x->dims[axis]);
      self->n_rounds = x->dims[axis];
    }
  return self->n_rounds > 0
         || tp_unroll_refuse (self->unroll, error, "there is nothing to "
                              "scan: what is scanned has no elements");
}

static gboolean
pick_parts (Scan *self, gint64 round, GError **error)
{
  for (int i = 0; i < self->n_scanned; i++)
    {
      int x = self->scanned[i];
      int rank = tp_draft_tensor (self->unroll->draft, x)->rank;
      gint64 axis, index = is_backward (self, TRUE, i)
                               ? self->n_rounds - 1 - round
                               : round;
      int part = find_axis (self, i, rank, &axis, error)
                     ? tp_unroll_pick (self->unroll, x, axis, index,
                                       error)
                     : -1;

      if (part < 0)
        return FALSE;
      self->unroll->tensors[tp_array_index (self->body->inputs, int,
                                            self->n_states + i)] = part;
    }
  return TRUE;
}

static gboolean
do_round (Scan *self, gint64 round, GError **error)
{
  TpUnroll *unroll = self->unroll;
  const TpArray *inputs = self->body->inputs, *outputs = self->body->outputs;

  for (int i = 0; i < self->n_states; i++)
    unroll->tensors[tp_array_index (inputs, int, i)] = self->states[i];
  if (!pick_parts (self, round, error)
      || !tp_unroll_round (unroll, round, self->n_rounds, error))
    return FALSE;
  for (int i = 0; i < self->n_states; i++)
    self->states[i] = tp_unroll_map (unroll, tp_array_index (outputs, int, i));
  for (int i = 0; i < self->n_given; i++)
    {
      gint64 at = is_backward (self, FALSE, i) ? self->n_rounds - 1 - round : round;

      self->given[i * self->n_rounds + at] = tp_unroll_map (
          unroll, tp_array_index (outputs, int, self->n_states + i));
    }
  return TRUE;
}

static gboolean
do_rounds (Scan *self, GError **error)
{
  gint64 n_parts;

  if (!count_rounds (self, error)
      || !tp_size_mul (self->n_rounds, self->n_given, &n_parts)
      || !tp_unroll_take (self->unroll, n_parts, "outputs", error))
    return FALSE;
  g_clear_pointer (&self->given, g_free);
  self->given = tp_new (int, n_parts + 1);
  for (gint64 round = 0; round < self->n_rounds; round++)
    if (!do_round (self, round, error))
      return FALSE;
  return TRUE;
}

/* What output @i is in all rounds, as @output or (-1) another tensor. */
static int
join_given (Scan *self, int i, int output, GError **error)
{
  int *parts = self->given + i * self->n_rounds;
  gint64 axis = get_number (self, "scan_output_axes", i);
  int rank;

  if (!tp_unroll_check_tensor (self->unroll, parts[0],
                               "output of a round", error))
    return -1;
  rank = tp_draft_tensor (self->unroll->draft, parts[0])->rank;
  axis += axis < 0 ? rank + 1 : 0;
  return tp_unroll_join (
      self->unroll, (TpUnrollRow){ (int) self->n_rounds, parts, axis, TRUE }, output, error);
}

/* ---- with and without a batch ----------------------------------------------------- */

static gboolean
scan_one (Scan *self, GError **error)
{
  const int *inputs = self->node->inputs + self->first;

  memcpy (self->states, inputs, self->n_states * sizeof *inputs);
  memcpy (self->scanned, inputs + self->n_states,
          self->n_scanned * sizeof *inputs);
  if (!do_rounds (self, error))
    return FALSE;
  for (int i = 0; i < self->node->n_outputs; i++)
    if (i < self->n_states
            ? !tp_unroll_give (self->unroll, self->node->outputs[i],
                               self->states[i], error)
            : join_given (self, i - self->n_states, self->node->outputs[i],
                          error)
                  < 0)
      return FALSE;
  return TRUE;
}

/* Element @index of the batch of input @i, which is of @n; -1 on error. */
static int
pick_batch (Scan *self, int i, gint64 index, gint64 n, GError **error)
{
  int x = self->node->inputs[self->first + i];
  const TpTensor *tensor;

  if (!tp_unroll_check_tensor (self->unroll, x, "input", error))
    return -1;
  tensor = tp_draft_tensor (self->unroll->draft, x);
  if (tensor->rank > 0 && tensor->dims[0] == n)
    return tp_unroll_pick (self->unroll, x, 0, index, error);
  tp_unroll_fail (self->unroll, error, "input '%s' is no batch of %"
                  G_GINT64_FORMAT, tensor->name, n);
  return -1;
}

static gboolean
start_batch (Scan *self, gint64 index, gint64 n, GError **error)
{
  for (int i = 0; i < self->n_states + self->n_scanned; i++)
    {
      int part = pick_batch (self, i, index, n, error);

      if (part < 0)
        return FALSE;
      if (i < self->n_states)
        self->states[i] = part;
      else
        self->scanned[i - self->n_states] = part;
    }
  return TRUE;
}

static gboolean
scan_batch (Scan *self, GError **error)
{
  const TpNode *node = self->node;
  int last = node->inputs[self->body->n_own - 1];
  g_autofree int *parts = NULL;
  gint64 n;

  if (!tp_unroll_check_tensor (self->unroll, last, "scanned input", error))
    return FALSE;
  n = tp_draft_tensor (self->unroll->draft, last)->dims[0];
  if (n < 1)
    return tp_unroll_fail (self->unroll, error, "there is no batch to scan: "
                           "before opset 9 dimension 0 is one");
  if (!tp_unroll_take (self->unroll, n, "batch", error))
    return FALSE;
  parts = tp_new (int, n * node->n_outputs + 1);
  for (gint64 b = 0; b < n; b++)
    {
      if (!start_batch (self, b, n, error) || !do_rounds (self, error))
        return FALSE;
      for (int i = 0; i < node->n_outputs; i++)
        if ((parts[i * n + b] = i < self->n_states
                 ? self->states[i]
                 : join_given (self, i - self->n_states, -1, error))
            < 0)
          return FALSE;
    }
  for (int i = 0; i < node->n_outputs; i++)
    if (tp_unroll_join (self->unroll, (TpUnrollRow){ (int) n, parts + i * n, 0, TRUE },
                        node->outputs[i], error)
        < 0)
      return FALSE;
  return TRUE;
}

gboolean
tp_unroll_scan (TpUnroll *unroll, const TpNode *node, GError **error)
{
  g_auto (Scan) self = { .unroll = unroll, .node = node,
                         .body = tp_draft_body (unroll->draft, node->body) };

  if (!init (&self, error))
    return FALSE;
  return has_batch (&self) ? scan_batch (&self, error) : scan_one (&self, error);
}
