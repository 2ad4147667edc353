/* unroll-state.c: see unroll-state.h. */
#include "config.h"

#include "graph/unroll-state.h"

#include "graph/unroll-known.h"
#include "graph/unroll-maker.h"
#include "ir/guard.h"

#include <math.h>
#include <string.h>

/* Input @i, -1: left out. */
static int
get_input (const TpNode *node, int i)
{
  return i < node->n_inputs ? node->inputs[i] : -1;
}

static int
get_output (const TpNode *node, int i)
{
  return i < node->n_outputs ? node->outputs[i] : -1;
}

/* Input @i has @rank dimensions; TRUE too where it is left out and may be. */
static gboolean
check_rank (TpUnroll *self, int i, const char *what, int rank, GError **error)
{
  int tensor = get_input (self->node, i);
  const TpTensor *it;

  if (tensor < 0)
    return TRUE;
  if (!tp_unroll_check_tensor (self, tensor, what, error))
    return FALSE;
  it = tp_draft_tensor (self->draft, tensor);
  return it->rank == rank
         || tp_unroll_fail (self, error, "its %s '%s' has %d dimensions, must have %d",
                            what, it->name, it->rank, rank);
}

/* ---- LinearAttention ------------------------------------------------------ */

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA, N_OPERANDS };

static const struct
{
  const char *name;
  int rank;
} operands[N_OPERANDS] = {
  [QUERY] = { "query", 3 }, [KEY] = { "key", 3 },     [VALUE] = { "value", 3 },
  [PAST] = { "past_state", 4 }, [DECAY] = { "decay", 3 }, [BETA] = { "beta", 3 },
};

typedef struct
{
  TpMaker make;
  const TpNode *node;
  gint64 n_batch, n_steps, n_heads, n_shared; /* heads of keys; of queries for each */
  gint64 n_key, n_value;      /* what a head has of either */
  gboolean is_gated, is_delta;
  int parts[N_OPERANDS];      /* in heads: [batch, step, head, ..], without step where
                               * there is but one; -1: there is none */
  int rows;                   /* keys as rows, of delta rules */
  int state;                  /* -1: zeros */
} Recurrence;

/* Of input @i, by dimension: -1 where it is left out. */
static gint64
get_dim (const Recurrence *self, int i, int d)
{
  int tensor = get_input (self->node, i);

  return tensor < 0
             ? -1 : tp_draft_tensor (self->make.unroll->draft, tensor)->dims[d];
}

static gboolean
read_rule (Recurrence *self, GError **error)
{
  const char *rule
      = tp_node_get_string (self->node, "update_rule", "gated_delta");
  gboolean has_decay = get_input (self->node, DECAY) >= 0;
  gboolean has_beta = get_input (self->node, BETA) >= 0;

  self->is_gated = strcmp (rule, "gated") == 0 || strcmp (rule, "gated_delta") == 0;
  self->is_delta = strcmp (rule, "delta") == 0 || strcmp (rule, "gated_delta") == 0;
  if (!self->is_gated && !self->is_delta && strcmp (rule, "linear") != 0)
    return tp_unroll_fail (self->make.unroll, error, "update_rule '%s' is not known: "
                           "'linear', 'gated', 'delta' or 'gated_delta'", rule);
  if (self->is_gated && !has_decay)
    return tp_unroll_fail (self->make.unroll, error,
                           "update_rule '%s' needs decay, input %d", rule, DECAY);
  if (self->is_delta && !has_beta)
    return tp_unroll_fail (self->make.unroll, error,
                           "update_rule '%s' needs beta, input %d", rule, BETA);
  return TRUE;
}

/* What is last in input @i, in heads: @n of them. */
static gboolean
divide (const Recurrence *self, int i, gint64 n, gint64 *out_each, GError **error)
{
  gint64 all = get_dim (self, i, 2);

  *out_each = all / MAX (n, 1);
  if (n >= 1 && all % n == 0 && all > 0 && get_dim (self, i, 0) == self->n_batch
      && get_dim (self, i, 1) == self->n_steps)
    return TRUE;
  return tp_unroll_fail (self->make.unroll, error, "its %s is %" G_GINT64_FORMAT
                         " x %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT ", must be %"
                         G_GINT64_FORMAT " x %" G_GINT64_FORMAT " x a multiple of %"
                         G_GINT64_FORMAT, operands[i].name, get_dim (self, i, 0),
                         get_dim (self, i, 1), all, self->n_batch, self->n_steps, n);
}

static gboolean
check_past (const Recurrence *self, GError **error)
{
  const gint64 wanted[] = { self->n_batch, self->n_heads, self->n_key, self->n_value };

  for (int d = 0; d < 4 && get_input (self->node, PAST) >= 0; d++)
    if (get_dim (self, PAST, d) != wanted[d])
      return tp_unroll_fail (self->make.unroll, error, "dimension %d of its past_state "
                             "is %" G_GINT64_FORMAT ", must be %" G_GINT64_FORMAT, d,
                             get_dim (self, PAST, d), wanted[d]);
  return TRUE;
}

static gboolean
read_heads (Recurrence *self, GError **error)
{
  gint64 n_queries = tp_node_get_int (self->node, "q_num_heads", 0), n_key;
  gint64 each;

  self->n_heads = tp_node_get_int (self->node, "kv_num_heads", 0);
  if (n_queries < 1 || self->n_heads < 1 || n_queries % self->n_heads != 0)
    return tp_unroll_fail (self->make.unroll, error, "q_num_heads is %" G_GINT64_FORMAT
                           ", must be a multiple of kv_num_heads, %" G_GINT64_FORMAT,
                           n_queries, self->n_heads);
  self->n_shared = n_queries / self->n_heads;
  self->n_batch = get_dim (self, QUERY, 0);
  self->n_steps = get_dim (self, QUERY, 1);
  if (!divide (self, QUERY, n_queries, &self->n_key, error)
      || !divide (self, KEY, self->n_heads, &n_key, error)
      || !divide (self, VALUE, self->n_heads, &self->n_value, error)
      || (self->is_gated
          && !divide (self, DECAY, self->n_heads, &each, error))
      || (self->is_delta
          && !divide (self, BETA, get_dim (self, BETA, 2) == 1 ? 1 : self->n_heads,
                      &each, error)))
    return FALSE;
  if (n_key != self->n_key || self->n_steps < 1)
    return tp_unroll_fail (self->make.unroll, error, "a head has %" G_GINT64_FORMAT
                           " of its key and %" G_GINT64_FORMAT " of its query", n_key,
                           self->n_key);
  return check_past (self, error);
}

/* @x in heads of @rows x @columns. */
static int
cut (Recurrence *self, int x, gint64 rows, gint64 columns)
{
  const gint64 dims[] = { self->n_batch, self->n_steps, -1, rows, columns };
  const gint64 once[] = { self->n_batch, -1, rows, columns };

  return self->n_steps == 1 ? tp_maker_reshape (&self->make, x, 4, once)
                            : tp_maker_reshape (&self->make, x, 5, dims);
}

static void
cut_all (Recurrence *self)
{
  const TpNode *node = self->node;
  const TpTensor *query
      = tp_draft_tensor (self->make.unroll->draft, node->inputs[QUERY]);
  TpDtype dtype = query->dtype;
  double scale = tp_node_get_float (node, "scale", 0.0);
  int x = node->inputs[QUERY];

  if (scale == 0.0)
    scale = 1.0 / sqrt ((double) self->n_key);
  x = tp_maker_add (&self->make, "Mul", x, tp_maker_add_real (&self->make, dtype, scale));
  self->parts[QUERY] = cut (self, x, self->n_shared, self->n_key);
  self->parts[KEY] = cut (self, node->inputs[KEY], self->n_key, 1);
  self->parts[VALUE] = cut (self, node->inputs[VALUE], 1, self->n_value);
  if (self->is_delta)
    {
      self->rows = cut (self, node->inputs[KEY], 1, self->n_key);
      self->parts[BETA] = cut (self, node->inputs[BETA], 1, 1);
    }
  if (self->is_gated)
    {
      x = tp_maker_add (&self->make, "Exp", node->inputs[DECAY], -1);
      self->parts[DECAY] = cut (
          self, x, get_dim (self, DECAY, 2) == self->n_heads ? 1 : self->n_key, 1);
    }
}

/* What of @x there is in @step. */
static int
pick (Recurrence *self, int x, gint64 step)
{
  TpMaker *make = &self->make;
  int picked = x;

  if (self->n_steps == 1 || make->has_failed)
    return x;
  picked = tp_unroll_pick (make->unroll, x, 1, step, make->error);
  make->has_failed |= picked < 0;
  return picked;
}

/* S := exp (decay) S + key (x) (beta (value - key S)), each part as the rule has it. Returns
 * query S. A state of zeros does nothing. */
static int
add_step (Recurrence *self, gint64 step)
{
  TpMaker *maker = &self->make;
  int state = self->state, value = pick (self, self->parts[VALUE], step);
  int change;

  if (self->is_gated && state >= 0)
    state = tp_maker_add (maker, "Mul", state, pick (self, self->parts[DECAY], step));
  if (self->is_delta && state >= 0)
    value = tp_maker_add (maker, "Sub", value,
                  tp_maker_add (maker, "MatMul", pick (self, self->rows, step), state));
  if (self->is_delta)
    value = tp_maker_add (maker, "Mul", value, pick (self, self->parts[BETA], step));
  change = tp_maker_add (maker, "Mul", pick (self, self->parts[KEY], step), value);
  self->state = state < 0 ? change : tp_maker_add (maker, "Add", state, change);
  return tp_maker_add (maker, "MatMul", pick (self, self->parts[QUERY], step), self->state);
}

static gboolean
add_steps (Recurrence *self, GError **error)
{
  g_autofree int *given = tp_new0 (int, self->n_steps + 1);
  const gint64 dims[]
      = { self->n_batch, 1, self->n_heads * self->n_shared * self->n_value };
  int present = get_output (self->node, 1), whole;
  int inputs[2];

  for (gint64 i = 0; i < self->n_steps && !self->make.has_failed; i++)
    {
      given[i] = add_step (self, i);
      if (self->n_steps > 1)
        given[i] = tp_maker_reshape (&self->make, given[i], 3, dims);
    }
  if (self->make.has_failed)
    return FALSE;
  if (self->n_steps == 1)
    {
      inputs[0] = given[0];
      inputs[1] = tp_maker_add_ints (&self->make, 3, dims);
      whole = tp_maker_add_to (&self->make, (TpUnrollOp){ "Reshape", NULL, 2, inputs },
                       self->node->outputs[0]);
    }
  else
    whole = tp_unroll_join (self->make.unroll,
                            (TpUnrollRow){ (int) self->n_steps, given, 1, FALSE },
                            self->node->outputs[0], error);
  return whole >= 0
         && (present < 0
             || tp_unroll_give (self->make.unroll, present, self->state, error));
}

gboolean
tp_unroll_linear_attention (TpUnroll *self, const TpNode *node, GError **error)
{
  Recurrence it = { .make = { self, FALSE, error }, .node = node, .rows = -1,
                    .state = get_input (node, PAST) };

  for (int i = 0; i < N_OPERANDS; i++)
    if (!check_rank (self, i, operands[i].name, operands[i].rank, error))
      return FALSE;
  if (!read_rule (&it, error) || !read_heads (&it, error)
      || !tp_unroll_take (self, it.n_steps, "steps", error))
    return FALSE;
  cut_all (&it);
  return !it.make.has_failed && add_steps (&it, error);
}

/* ---- CausalConvWithState --------------------------------------------------- */

/* What is before the input, behind it: k - 1 places of the past, or of zeros. */
static int
put_behind (TpMaker *self, const TpNode *node, gint64 n_before)
{
  static const TpAttr along = { .name = "axis", .kind = TP_ATTR_INT, .i = 2 };
  const gint64 pads[] = { 0, 0, n_before, 0, 0, 0 };
  int inputs[2] = { get_input (node, 3), node->inputs[0] };

  return inputs[0] < 0
             ? tp_maker_add (self, "Pad", node->inputs[0], tp_maker_add_ints (self, 6, pads))
             : tp_maker_add_to (self, (TpUnrollOp){ "Concat", &along, 2, inputs }, -1);
}

/* The last places of @x, which are what the next run has before it. */
static gboolean
give_present (TpMaker *self, const TpNode *node, int x, gint64 n_before)
{
  const gint64 from = tp_draft_tensor (self->unroll->draft, x)->dims[2] - n_before;
  const gint64 end = from + n_before, axis = 2;
  int inputs[4] = { x, tp_maker_add_ints (self, 1, &from), tp_maker_add_ints (self, 1, &end),
                    tp_maker_add_ints (self, 1, &axis) };

  return get_output (node, 1) < 0
         || (!self->has_failed
             && tp_unroll_add (self->unroll, (TpUnrollOp){ "Slice", NULL, 4, inputs },
                               node->outputs[1], self->error) >= 0);
}

static gboolean
check_conv (TpUnroll *self, const TpNode *node, GError **error)
{
  const char *activation = tp_node_get_string (node, "activation", "none");
  const char *const known[] = { "none", "silu", "swish", NULL };
  const TpTensor *x, *weight, *past = NULL;

  if (!g_strv_contains (known, activation))
    return tp_unroll_fail (self, error, "activation '%s' is not known: 'none', 'silu' "
                           "or 'swish'", activation);
  if (!check_rank (self, 0, "input", 3, error) || !check_rank (self, 1, "weight", 3, error)
      || !check_rank (self, 2, "bias", 1, error)
      || !check_rank (self, 3, "past_state", 3, error))
    return FALSE;
  x = tp_draft_tensor (self->draft, node->inputs[0]);
  weight = tp_draft_tensor (self->draft, node->inputs[1]);
  if (get_input (node, 3) >= 0)
    past = tp_draft_tensor (self->draft, node->inputs[3]);
  if (weight->dims[0] != x->dims[1] || weight->dims[1] != 1 || weight->dims[2] < 1)
    return tp_unroll_fail (self, error, "its weight must be %" G_GINT64_FORMAT
                           " x 1 x k, a filter for each channel", x->dims[1]);
  if (past != NULL
      && (past->dims[0] != x->dims[0] || past->dims[1] != x->dims[1]
          || past->dims[2] != weight->dims[2] - 1))
    return tp_unroll_fail (self, error, "its past_state must be %" G_GINT64_FORMAT
                           " x %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                           ": what is before each channel", x->dims[0], x->dims[1],
                           weight->dims[2] - 1);
  return TRUE;
}

gboolean
tp_unroll_causal_conv (TpUnroll *self, const TpNode *node, GError **error)
{
  TpMaker maker = { self, FALSE, error };
  gboolean is_plain
      = strcmp (tp_node_get_string (node, "activation", "none"), "none") == 0;
  TpAttr group = { .name = "group", .kind = TP_ATTR_INT };
  int inputs[3] = { -1, node->inputs[1], get_input (node, 2) };
  TpUnrollOp conv = { "Conv", &group, inputs[2] >= 0 ? 3 : 2, inputs };
  TpUnrollOp gate = { "Mul", NULL, 2, inputs };
  gint64 n_before;
  int y;

  if (!check_conv (self, node, error))
    return FALSE;
  n_before = tp_draft_tensor (self->draft, node->inputs[1])->dims[2] - 1;
  group.i = tp_draft_tensor (self->draft, node->inputs[0])->dims[1];
  inputs[0] = n_before == 0 ? node->inputs[0] : put_behind (&maker, node, n_before);
  if (maker.has_failed || !give_present (&maker, node, inputs[0], n_before))
    return FALSE;
  y = tp_unroll_add (self, conv, is_plain ? node->outputs[0] : -1, error);
  maker.has_failed = y < 0;
  if (is_plain || y < 0)
    return y >= 0;
  inputs[0] = y;
  inputs[1] = tp_maker_add (&maker, "Sigmoid", y, -1);
  tp_maker_add_to (&maker, gate, node->outputs[0]);
  return !maker.has_failed;
}
