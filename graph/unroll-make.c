/* unroll-make.c: see unroll-make.h. */
#include "config.h"

#include "graph/unroll-make.h"

#include "graph/graph-draft-make.h"
#include "graph/unroll-known.h"
#include "ir/guard.h"
#include "ops/op-logic.h"
#include "ops/op.h"

#include <string.h>

#define JOINED 64             /* at a time: all but a few ops are alike then */

/* ---- ops ------------------------------------------------------------------ */

/* Names of loops in loops grow. */
static gboolean
check_name (const TpUnroll *self, const char *name,
            GError **error)
{
  const TpNode *node = self->node;
  gint64 most = self->draft->limits.values[TP_LIMIT_NAME];
  g_autofree char *prefix = NULL;

  if (name == NULL || (gint64) strlen (name) <= most)
    return name != NULL;
  prefix = tp_draft_dup_prefix (self->draft, node->place);
  tp_limit_set_error (TP_LIMIT_NAME, prefix, error, "op '%s' (%s): a name of what "
                      "is made of it has %" G_GSIZE_FORMAT " bytes, more than %"
                      G_GINT64_FORMAT, node->name, node->type, strlen (name),
                      most);
  return FALSE;
}

int
tp_unroll_add_tensor (TpUnroll *self, const char *stem,
                      const char *suffix, GError **error)
{
  TpTensor tensor = { .rank = TP_RANK_UNKNOWN, .producer = -1 };

  tensor.name = tp_draft_make_tensor_name (self->draft, stem, suffix, error);
  return check_name (self, tensor.name, error)
             ? tp_draft_add_tensor (self->draft, &tensor)
             : -1;
}

/* @node is part of the graph from now on, unless nothing is left to compute. */
static gboolean
add_node (TpUnroll *self, TpNode *node, GError **error)
{
  if (!self->infer (self->user, node, error))
    return FALSE;
  if (node->type == NULL)
    return TRUE;
  for (int i = 0; i < node->n_outputs; i++)
    tp_draft_tensor (self->draft, node->outputs[i])->producer
        = (int) (self->draft->nodes->len + self->made->len);
  tp_array_append_val (self->made, *node);
  return TRUE;
}

int
tp_unroll_add (TpUnroll *self, TpUnrollOp op, int output,
               GError **error)
{
  TpRegion *region = self->draft->region;
  const TpNode *node = self->node;
  g_autofree char *suffix = g_strconcat (":", op.type, NULL);
  gboolean is_if = strcmp (op.type, tp_op_if.name) == 0;
  TpNode own = { .op = is_if ? &tp_op_if : tp_op_find (op.type),
                 .opset = node->opset,
                 .n_inputs = op.n_inputs, .n_outputs = 1,
                 .branch = node->branch, .n_attrs = op.attr != NULL,
                 .pins = node->pins, .colocation = node->colocation,
                 .group = node->group, .place = node->place };

  if (output < 0)
    output = tp_unroll_add_tensor (self, node->name, suffix, error);
  if (output < 0 || !tp_unroll_take (self, 1, op.type, error))
    return -1;
  own.type = own.op->name;
  own.name = tp_draft_make_node_name (self->draft, node->name, suffix, error);
  if (!check_name (self, own.name, error)
      || (own.inputs = tp_region_dup (region, op.inputs, op.n_inputs,
                                      sizeof (int), error)) == NULL
      || (own.outputs = tp_region_dup (region, &output, 1, sizeof (int), error))
             == NULL
      || (own.attrs = tp_region_dup (region, op.attr, own.n_attrs,
                                     sizeof (TpAttr), error)) == NULL)
    return -1;
  return add_node (self, &own, error) ? output : -1;
}

/* ---- constants -------------------------------------------------------------- */

/* Where the values of tensor @index go, which is a constant from now on. */
static void *
make_room (TpUnroll *self, int index, const TpTensor *like, GError **error)
{
  TpTensor *tensor = tp_draft_tensor (self->draft, index);
  void *data;

  if (!tp_draft_set_shape (self->draft, tensor, like->dtype, like->rank,
                           like->dims))
    {
      tp_unroll_fail (self, error, "'%s' would be too large", tensor->name);
      return NULL;
    }
  data = tp_region_alloc (self->draft->region, MAX (tensor->size_bytes, 1), 1,
                          error);
  if (data != NULL)
    tensor->init = (TpInit){ .kind = TP_INIT_DATA, .data = data };
  return data;
}

gboolean
tp_unroll_give_values (TpUnroll *self, int index, const TpTensor *like,
                       const gint64 *values, GError **error)
{
  const TpTensor *tensor = tp_draft_tensor (self->draft, index);
  void *data = make_room (self, index, like, error);

  if (data != NULL)
    tp_dtype_get (tensor->dtype)->store_integers (values, tensor->count, 1,
                                                  data);
  return data != NULL;
}

static int
add_values (TpUnroll *self, const TpTensor *like,
            const gint64 *values, GError **error)
{
  int index = tp_unroll_add_tensor (self, self->node->name, ":constant", error);

  return index >= 0 && tp_unroll_give_values (self, index, like, values, error) ? index : -1;
}

int
tp_unroll_add_ints (TpUnroll *self, int n,
                    const gint64 *values, GError **error)
{
  const TpTensor like = { .dtype = TPLAN_DTYPE_INT64, .rank = 1,
                          .dims = (gint64[]){ n } };

  return add_values (self, &like, values, error);
}

int
tp_unroll_add_scalar (TpUnroll *self, TpDtype dtype,
                      gint64 value, GError **error)
{
  const TpTensor like = { .dtype = dtype };

  return add_values (self, &like, &value, error);
}

gboolean
tp_unroll_give_reals (TpUnroll *self, int index, const TpTensor *like,
                      const double *values, GError **error)
{
  void *data = make_room (self, index, like, error);

  if (data != NULL)
    tp_dtype_store_doubles (like->dtype, values,
                            tp_draft_tensor (self->draft, index)->count, data);
  return data != NULL;
}

static int
add_reals (TpUnroll *self, const TpTensor *like, const double *values,
           GError **error)
{
  int index = tp_unroll_add_tensor (self, self->node->name, ":constant", error);

  return index >= 0 && tp_unroll_give_reals (self, index, like, values, error) ? index : -1;
}

int
tp_unroll_add_real (TpUnroll *self, TpDtype dtype, double value, GError **error)
{
  return add_reals (self, &(TpTensor){ .dtype = dtype }, &value, error);
}

int
tp_unroll_add_reals (TpUnroll *self, int n, const double *values, GError **error)
{
  const TpTensor like = { .dtype = TPLAN_DTYPE_FLOAT32, .rank = 1,
                          .dims = (gint64[]){ n } };

  return add_reals (self, &like, values, error);
}

gboolean
tp_unroll_give_scalar (TpUnroll *self, int tensor, TpDtype dtype, gint64 value,
                       GError **error)
{
  const TpTensor like = { .dtype = dtype };

  return tp_unroll_give_values (self, tensor, &like, &value, error);
}

/* ---- what is often wanted ----------------------------------------------------- */

/* Unsqueeze or Squeeze of @axis. */
static int
add_view (TpUnroll *self, TpUnrollOp op, gint64 axis, int output,
          GError **error)
{
  const gint64 *kept
      = tp_region_dup (self->draft->region, &axis, 1, sizeof axis, error);
  const TpAttr axes
      = { .name = "axes", .kind = TP_ATTR_INTS, .n = 1, .ints = kept };
  int inputs[2] = { op.inputs[0], -1 };

  if (kept == NULL)
    return -1;
  if (self->node->opset < 13)
    return tp_unroll_add (self, (TpUnrollOp){ op.type, &axes, 1, inputs },
                          output, error);
  inputs[1] = tp_unroll_add_ints (self, 1, &axis, error);
  return inputs[1] < 0
             ? -1
             : tp_unroll_add (self, (TpUnrollOp){ op.type, NULL, 2, inputs },
                              output, error);
}

/* The index is an input, so that all elements are picked by one kernel. */
int
tp_unroll_pick (TpUnroll *self, int tensor, gint64 axis,
                gint64 index, GError **error)
{
  const TpAttr attr = { .name = "axis", .kind = TP_ATTR_INT, .i = axis };
  int inputs[2] = { tensor, tp_unroll_add_scalar (self, TPLAN_DTYPE_INT64,
                                                  index, error) };

  return inputs[1] < 0
             ? -1
             : tp_unroll_add (self, (TpUnrollOp){ "Gather", &attr, 2, inputs }, -1,
                              error);
}

/* Some at a time, then what comes of that, until it is one. */
static int
join (TpUnroll *self, TpUnrollRow row, int output,
      GError **error)
{
  const TpAttr attr = { .name = "axis", .kind = TP_ATTR_INT, .i = row.axis };
  int n = row.n, n_next;

  for (; n > JOINED; n = n_next)
    {
      n_next = 0;
      for (int i = 0; i < n; i += JOINED, n_next++)
        {
          TpUnrollOp op = { "Concat", &attr, MIN (JOINED, n - i),
                            row.tensors + i };

          row.tensors[n_next] = tp_unroll_add (self, op, -1, error);
          if (row.tensors[n_next] < 0)
            return -1;
        }
    }
  return tp_unroll_add (self, (TpUnrollOp){ "Concat", &attr, n, row.tensors },
                        output, error);
}

int
tp_unroll_join (TpUnroll *self, TpUnrollRow row, int output,
                GError **error)
{
  for (int i = 0; i < row.n; i++)
    {
      TpUnrollOp op = { "Unsqueeze", NULL, 1, &row.tensors[i] };

      if (!tp_unroll_check_tensor (self, row.tensors[i], "part", error))
        return -1;
      if (!row.is_new)
        continue;
      row.tensors[i] = add_view (self, op, row.axis,
                                 row.n == 1 ? output : -1, error);
      if (row.tensors[i] < 0)
        return -1;
    }
  return row.n == 1 && row.is_new ? row.tensors[0]
                                  : join (self, row, output, error);
}

gboolean
tp_unroll_give (TpUnroll *self, int tensor, int value,
                GError **error)
{
  const TpList *list = tp_unroll_find_list (self, value);

  if (list != NULL && !list->is_none)
    tp_unroll_set_list (self, tensor, list->items, list->n);
  else if (list != NULL || value < 0)
    tp_unroll_set_none (self, tensor);
  else
    return tp_unroll_add (self, (TpUnrollOp){ "Identity", NULL, 1, &value },
                          tensor, error) >= 0;
  return TRUE;
}

/* ---- rounds --------------------------------------------------------------------- */

static void
forget_branches (TpUnroll *self, const TpDraftBody *body)
{
  self->branches[body->branch] = self->node->branch;
  for (guint i = 0; i < body->branches->len; i++)
    self->branches[tp_array_index (body->branches, int, i)] = -1;
}

/* What a condition is hangs on the round, and so what an If in it is. Asked when the
 * ops that make the condition are there. Branches are nested by so many only. */
static int
map_branch (TpUnroll *self, int number)
{
  TpBranch branch;

  if (self->branches[number] >= 0)
    return self->branches[number];
  branch = *tp_draft_branch (self->draft, number);
  branch.condition = tp_unroll_map (self, branch.condition);
  branch.parent = map_branch (self, branch.parent);
  tp_array_append_val (self->draft->branches, branch);
  return self->branches[number] = (int) self->draft->branches->len;
}

/* What @tensor of @body is called, without that. */
static const char *
get_bare_name (const TpUnroll *self, const TpDraftBody *body, int tensor)
{
  const char *name = tp_draft_tensor (self->draft, tensor)->name;
  gsize n = strlen (body->prefix);

  return strncmp (name, body->prefix, n) == 0 && name[n] == ':' ? name + n + 1
                                                                : name;
}

typedef struct
{
  const TpDraftBody *body;
  const char *prefix;         /* of names */
} Round;

static gboolean
map_inputs (TpUnroll *self, const Round *round, TpNode *node, GError **error)
{
  int *inputs = tp_region_dup (self->draft->region, node->inputs, node->n_inputs,
                               sizeof (int), error);

  if (inputs == NULL)
    return FALSE;
  for (int i = 0; i < node->n_inputs; i++)
    {
      inputs[i] = tp_unroll_map (self, inputs[i]);
      if (inputs[i] < 0 && node->op != NULL && i < node->op->n_inputs_min)
        return tp_unroll_fail (self, error, "in '%s' input %d of op "
                               "'%s' (%s) is nothing", round->prefix, i,
                               node->name, node->type);
    }
  node->inputs = inputs;
  return TRUE;
}

static gboolean
map_outputs (TpUnroll *self, const Round *round, TpNode *node, GError **error)
{
  int *outputs = tp_region_dup (self->draft->region, node->outputs,
                                node->n_outputs, sizeof (int), error);

  for (int i = 0; outputs != NULL && i < node->n_outputs; i++)
    {
      const char *name = get_bare_name (self, round->body, outputs[i]);
      int made = tp_unroll_add_tensor (self, round->prefix, name, error);

      if (made < 0)
        return FALSE;
      self->tensors[outputs[i]] = made;
      outputs[i] = made;
    }
  node->outputs = outputs;
  return outputs != NULL;
}

static gboolean
add_again (TpUnroll *self, const Round *round, TpNode node, GError **error)
{
  node.name = tp_draft_make_node_name (self->draft, round->prefix, node.name,
                                       error);
  node.branch = map_branch (self, node.branch);
  return check_name (self, node.name, error)
         && map_inputs (self, round, &node, error)
         && map_outputs (self, round, &node, error)
         && add_node (self, &node, error);
}

/* A round without ops takes time, too. */
static gboolean
take_round (TpUnroll *self, gint64 round, gint64 n, GError **error)
{
  guint n_ops = tp_draft_body (self->draft, self->node->body)->nodes->len;
  g_autofree char *what
      = n == G_MAXINT64
            ? g_strdup_printf ("round %" G_GINT64_FORMAT, round)
            : g_strdup_printf ("round %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT,
                               round, n);

  return tp_unroll_take (self, MAX (n_ops, 1), what, error);
}

gboolean
tp_unroll_round (TpUnroll *self, gint64 round, gint64 n,
                 GError **error)
{
  const TpDraftBody *body = tp_draft_body (self->draft, self->node->body);
  g_autofree char *prefix
      = g_strdup_printf ("%s[%" G_GINT64_FORMAT "]:", self->node->name, round);
  Round again = { body, prefix };

  if (!take_round (self, round, n, error))
    return FALSE;
  forget_branches (self, body);
  for (guint i = 0; i < body->nodes->len; i++)
    if (!add_again (self, &again, tp_array_index (body->nodes, TpNode, i),
                    error))
      return FALSE;
  return TRUE;
}
