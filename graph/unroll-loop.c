/* unroll-loop.c: Loop and SequenceMap. */
#include "config.h"

#include "graph/unroll-loop.h"

#include "graph/unroll-known.h"
#include "graph/unroll-make.h"
#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "ops/op.h"

#include <string.h>

static int
get (const TpArray *tensors, int i)
{
  return tp_array_index (tensors, int, i);
}

/* ---- Loop ------------------------------------------------------------------- */

/* Inputs are the number of rounds, whether there is one, and what goes from each to
 * the next; the body is told the round, and that there is one. It says whether there
 * is another, what goes on, and what each round gives. */
typedef struct
{
  TpUnroll *unroll;
  const TpNode *node;
  const TpDraftBody *body;
  gint64 n_rounds;            /* at most */
  gint64 round;
  gboolean goes_on;
  int n_carried, n_scanned;
  TpArray *carried;           /* int: what they are */
  TpArray *scanned;           /* int: @n_scanned of each round */
} Loop;

static void
loop_clear (Loop *self)
{
  tp_array_unref (self->carried);
  tp_array_unref (self->scanned);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loop, loop_clear)

static int
get_own (const Loop *self, int i)
{
  return i < self->body->n_own ? self->node->inputs[i] : -1;
}

static gboolean
loop_check (Loop *self, GError **error)
{
  const TpDraftBody *body = self->body;

  self->n_carried = MAX (body->n_own - 2, 0);
  self->n_scanned = (int) body->outputs->len - 1 - self->n_carried;
  if ((int) body->inputs->len == 2 + self->n_carried && self->n_scanned >= 0
      && self->node->n_outputs <= self->n_carried + self->n_scanned)
    return TRUE;
  return tp_unroll_fail (
      self->unroll, error, "it has %d inputs and %d outputs, its body %u "
      "and %u: of N that go from round to round and K that each gives, an op has 2 + "
      "N inputs and N + K outputs, the body 2 + N and 1 + N + K", body->n_own,
      self->node->n_outputs, body->inputs->len, body->outputs->len);
}

static gboolean
is_true (const TpTensor *tensor)
{
  double value = 0;

  if (tp_tensor_is_constant (tensor) && tensor->count == 1)
    tp_tensor_write_doubles (tensor, &value);
  return value != 0;
}

/* Whether each round says that there is another, as most do: they hand on what they
 * are told, or say true. */
static gboolean
always_goes_on (const Loop *self)
{
  TpDraft *draft = self->unroll->draft;
  int told = get (self->body->inputs, 1), said = get (self->body->outputs, 0);

  for (guint i = 0; i < self->body->nodes->len && said != told; i++)
    {
      const TpNode *node = &tp_array_index (self->body->nodes, TpNode, i);

      if (node->outputs[0] == said && tp_node_has_flag (node, TP_OP_IDENTITY))
        said = node->inputs[0];
    }
  return said == told || is_true (tp_draft_tensor (draft, said));
}

/* Better now than after a million ops. */
static gboolean
check_rounds (const Loop *self, GError **error)
{
  guint n_ops = self->body->nodes->len;
  gint64 n_made = self->unroll->n_made, n;
  g_autofree char *what
      = self->n_rounds == G_MAXINT64
            ? g_strdup ("rounds without end")
            : g_strdup_printf ("%" G_GINT64_FORMAT " rounds of %u ops",
                               self->n_rounds, n_ops);
  gboolean is_right;

  if (self->n_rounds <= 0 || !self->goes_on || !always_goes_on (self))
    return TRUE;
  if (!tp_size_mul (self->n_rounds, MAX (n_ops, 1), &n))
    n = G_MAXINT64;
  is_right = tp_unroll_take (self->unroll, n, what, error);
  self->unroll->n_made = n_made;
  return is_right;
}

static gboolean
loop_start (Loop *self, GError **error)
{
  self->n_rounds = G_MAXINT64;
  self->goes_on = TRUE;
  if (!loop_check (self, error)
      || (get_own (self, 0) >= 0
          && !tp_unroll_get_int (self->unroll, get_own (self, 0),
                                 "trip count", &self->n_rounds, error))
      || (get_own (self, 1) >= 0
          && !tp_unroll_get_bool (self->unroll, get_own (self, 1),
                                  "condition", &self->goes_on, error))
      || !check_rounds (self, error))
    return FALSE;
  for (int i = 0; i < self->n_carried; i++)
    {
      int value = self->node->inputs[2 + i];

      tp_array_append_val (self->carried, value);
    }
  return TRUE;
}

/* What the round begins with. */
static gboolean
loop_tell (Loop *self, GError **error)
{
  TpUnroll *unroll = self->unroll;
  int number = tp_unroll_add_scalar (unroll, TPLAN_DTYPE_INT64,
                                     self->round, error);
  int yes = number < 0 ? -1
                       : tp_unroll_add_scalar (unroll, TPLAN_DTYPE_BOOL, TRUE, error);

  if (yes < 0)
    return FALSE;
  unroll->tensors[get (self->body->inputs, 0)] = number;
  unroll->tensors[get (self->body->inputs, 1)] = yes;
  for (int i = 0; i < self->n_carried; i++)
    unroll->tensors[get (self->body->inputs, 2 + i)] = get (self->carried, i);
  return TRUE;
}

/* What it ends with. */
static void
loop_take (Loop *self)
{
  const TpArray *outputs = self->body->outputs;

  for (int i = 0; i < self->n_carried; i++)
    tp_array_index (self->carried, int, i)
        = tp_unroll_map (self->unroll, get (outputs, 1 + i));
  for (int i = 0; i < self->n_scanned; i++)
    {
      int part = tp_unroll_map (self->unroll,
                                get (outputs, 1 + self->n_carried + i));

      tp_array_append_val (self->scanned, part);
    }
}

static gboolean
loop_round (Loop *self, GError **error)
{
  int condition;

  if (!tp_unroll_take (self->unroll, self->n_scanned, "outputs", error)
      || !loop_tell (self, error)
      || !tp_unroll_round (self->unroll, self->round,
                           self->n_rounds, error))
    return FALSE;
  loop_take (self);
  self->round++;
  condition = tp_unroll_map (self->unroll, get (self->body->outputs, 0));
  return self->round == self->n_rounds
         || tp_unroll_get_bool (self->unroll, condition,
                                "condition to go on", &self->goes_on,
                                error);
}

/* Of no round: the shape is that of one that is not there. */
static gboolean
give_nothing (Loop *self, int i, GError **error)
{
  static const char nothing[1] = { 0 };
  TpUnroll *unroll = self->unroll;
  TpTensor *output
      = tp_draft_tensor (unroll->draft, self->node->outputs[self->n_carried + i]);
  const TpTensor *part;
  gint64 dims[TP_MAX_RANK] = { 0 };

  if (!tp_unroll_check_tensor (unroll, get (self->scanned, i),
                               "output of a round", error))
    return FALSE;
  part = tp_draft_tensor (unroll->draft, get (self->scanned, i));
  if (part->rank == TP_MAX_RANK)
    return tp_unroll_fail (unroll, error, "output '%s' has more than "
                           "%d dimensions", output->name, TP_MAX_RANK);
  memcpy (dims + 1, part->dims, part->rank * sizeof dims[0]);
  if (!tp_draft_set_shape (unroll->draft, output, part->dtype, part->rank + 1,
                           dims))
    return tp_unroll_fail (unroll, error, "output '%s' has too many "
                           "elements", output->name);
  output->init = (TpInit){ .kind = TP_INIT_DATA, .data = nothing };
  return TRUE;
}

static gboolean
loop_give_empty (Loop *self, GError **error)
{
  guint n_made = self->unroll->made->len;

  if (self->node->n_outputs <= self->n_carried)
    return TRUE;
  if (!loop_tell (self, error)
      || !tp_unroll_round (self->unroll, 0, 1, error))
    return FALSE;
  tp_array_set_size (self->unroll->made, n_made);
  for (int i = 0; i < self->n_scanned; i++)
    {
      int part = tp_unroll_map (self->unroll, get (self->body->outputs,
                                                   1 + self->n_carried + i));

      tp_array_append_val (self->scanned, part);
    }
  for (int i = 0; self->n_carried + i < self->node->n_outputs; i++)
    if (!give_nothing (self, i, error))
      return FALSE;
  return TRUE;
}

static gboolean
loop_give_scanned (Loop *self, GError **error)
{
  gint64 n = self->round;
  g_autofree int *parts = tp_new (int, n + 1);

  for (int i = 0; self->n_carried + i < self->node->n_outputs; i++)
    {
      TpUnrollRow row = { (int) n, parts, 0, TRUE };

      for (gint64 k = 0; k < n; k++)
        parts[k] = get (self->scanned, (int) (k * self->n_scanned + i));
      if (tp_unroll_join (self->unroll, row,
                          self->node->outputs[self->n_carried + i], error) < 0)
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_unroll_loop (TpUnroll *unroll, const TpNode *node, GError **error)
{
  g_auto (Loop) self = { .unroll = unroll, .node = node,
                         .body = tp_draft_body (unroll->draft, node->body) };

  self.carried = tp_array_new (sizeof (int));
  self.scanned = tp_array_new (sizeof (int));
  if (!loop_start (&self, error))
    return FALSE;
  while (self.goes_on && self.round < self.n_rounds)
    if (!loop_round (&self, error))
      return FALSE;
  for (int i = 0; i < self.n_carried && i < node->n_outputs; i++)
    if (!tp_unroll_give (unroll, node->outputs[i], get (self.carried, i),
                         error))
      return FALSE;
  return self.round > 0 ? loop_give_scanned (&self, error)
                        : loop_give_empty (&self, error);
}

/* ---- SequenceMap ------------------------------------------------------------- */

/* Each input that is a sequence is as long as the first; each output is. */
static gboolean
map_check (TpUnroll *self, const TpNode *node, guint *out_n, GError **error)
{
  const TpDraftBody *body = tp_draft_body (self->draft, node->body);
  const TpList *first = tp_unroll_get_list (self, node->inputs[0],
                                            "input 0", error);

  if (first == NULL)
    return FALSE;
  *out_n = first->n;
  if ((int) body->inputs->len != body->n_own
      || (int) body->outputs->len < node->n_outputs)
    return tp_unroll_fail (self, error, "it has %d inputs and %d outputs, its "
                           "body %u and %u: they must be as many", body->n_own,
                           node->n_outputs, body->inputs->len,
                           body->outputs->len);
  for (int i = 1; i < body->n_own; i++)
    {
      const TpList *list = tp_unroll_find_list (self, node->inputs[i]);

      if (list != NULL && !list->is_none && list->n != first->n)
        return tp_unroll_fail (self, error, "input %d has %u elements, input "
                               "0 has %u", i, list->n, first->n);
    }
  return TRUE;
}

static gboolean
map_round (TpUnroll *self, const TpNode *node, guint round, TpArray **outputs,
           GError **error)
{
  const TpDraftBody *body = tp_draft_body (self->draft, node->body);

  for (int i = 0; i < body->n_own; i++)
    {
      const TpList *list = tp_unroll_find_list (self, node->inputs[i]);

      self->tensors[get (body->inputs, i)]
          = list != NULL && !list->is_none ? get (list->items, (int) round)
                                           : node->inputs[i];
    }
  if (!tp_unroll_round (self, round, G_MAXINT64, error))
    return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    {
      int part = tp_unroll_map (self, get (body->outputs, i));

      if (!tp_unroll_check_tensor (self, part, "output of a round", error))
        return FALSE;
      tp_array_append_val (outputs[i], part);
    }
  return TRUE;
}

typedef struct
{
  int n;
  TpArray **arrays;
} Outputs;

static void
outputs_clear (Outputs *self)
{
  for (int i = 0; self->arrays != NULL && i < self->n; i++)
    tp_array_unref (self->arrays[i]);
  g_free (self->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outputs, outputs_clear)

gboolean
tp_unroll_sequence_map (TpUnroll *self, const TpNode *node, GError **error)
{
  g_auto (Outputs) outputs = { node->n_outputs, NULL };
  guint n;

  outputs.arrays = tp_new0 (TpArray *, node->n_outputs);
  for (int i = 0; i < node->n_outputs; i++)
    outputs.arrays[i] = tp_array_new (sizeof (int));
  if (!map_check (self, node, &n, error))
    return FALSE;
  for (guint round = 0; round < n; round++)
    if (!map_round (self, node, round, outputs.arrays, error))
      return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    tp_unroll_set_list (self, node->outputs[i], outputs.arrays[i], n);
  return TRUE;
}
